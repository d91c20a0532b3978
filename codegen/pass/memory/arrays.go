package memory

// This file contains the pass arrays, which removes loads and stores of private arrays that SRoA
// did not split because some index varies. Arrays runs after fuse, which combines products and
// sums. Go rounds a float when it is stored, so fuse must see the store. The code in coalesce.go
// merges two arrays into one.

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// maxKnown is the largest number of an array's elements whose values the pass tracks at a time.
const maxKnown = 256

// Arrays optimizes a work-item's own arrays in three ways. First, Arrays replaces a load by the
// value that the work-item has last stored to the element or loaded from it. Second, Arrays removes
// stores of a value that the element already has, and stores to elements that are not read later.
// Third, Arrays merges two arrays if one array is a copy of the other. For example:
//
//	var sum, copy [32]int32
//	sum[i] = x
//	copy = sum                      removed
//	y := copy[j] + sum[k]           y := sum[j] + sum[k].
//
// No other work-item can access private memory, so known values stay valid across barriers and
// faults. Arrays tracks known values into branches and past joins, but not into or out of loops. A
// value that is live across a loop would occupy a register for a long time, although the element is
// also in memory.
func Arrays(m *ir.Module) diag.List {
	changed := false
	for _, f := range rewrite.Bodies(m) {
		own := ownArrays(f)
		if len(own) == 0 {
			continue
		}
		h := &arrayTracker{f: f, own: own, places: &placeTable{m: m, launchValues: map[launchKey]*ir.Value{}},
			dom: f.Dominators(), atBlockEnd: map[*ir.Block]arrayContents{}, replacements: map[*ir.Value]*ir.Value{}}
		h.loops = h.dom.Loops()
		for _, b := range h.dom.Order {
			h.rewriteBlock(b)
		}
		rewrite.ReplaceUses(f, (&rewrite.Promoter{Repl: h.replacements}).Resolve)
		changed = changed || h.changed
		for again := true; again; changed = changed || again {
			simplify.DCE(m) // DCE also removes loads whose values are only copied to unread arrays
			again = dropUnread(f, own) || coalesceArrays(f, own)
		}
	}
	if changed {
		SRoA(m) // SRoA splits arrays that no longer have varying indices
		rewrite.Mem2Reg(m)
		simplify.CSE(m)
		simplify.DCE(m)
	}
	return nil
}

// Elements turns the elements of a work-item's own arrays into values, after writeout has made all
// indexes constant.
func Elements(m *ir.Module) diag.List {
	SRoA(m)
	rewrite.Mem2Reg(m)
	simplify.CSE(m)
	simplify.DCE(m)
	return nil
}

// ownArrays returns the Function variables of f that are not scalars. ownArrays omits variables
// with uses other than loads, stores and zeroing of the whole variable.
func ownArrays(f *ir.Func) map[*ir.Var]bool {
	own := map[*ir.Var]bool{}
	for _, v := range f.Vars {
		if v.Storage == ir.Function && !v.Type.IsScalar() {
			own[v] = true
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if c, ok := v.Aux.(*ir.Copy); ok {
				delete(own, c.Dst)
				delete(own, c.Src)
			}
			for _, x := range v.Matrices() {
				delete(own, x)
			}
			r := v.Ref()
			if r == nil || r.Var == nil {
				continue
			}
			if v.Op != ir.OpLoad && v.Op != ir.OpStore && (v.Op != ir.OpZero || len(v.Args) > 0) {
				delete(own, r.Var)
			}
		}
	}
	return own
}

// arrayTracker tracks the known values of array elements in one function.
type arrayTracker struct {
	f            *ir.Func
	own          map[*ir.Var]bool
	places       *placeTable
	dom          *ir.DomTree
	loops        *ir.Loops
	atBlockEnd   map[*ir.Block]arrayContents // maps a block to array contents that are known at its end
	replacements map[*ir.Value]*ir.Value     // maps a removed load to the value that replaces it
	changed      bool
}

// knownElement describes an array element whose value is known.
type knownElement struct {
	path  []*ir.Value
	value *ir.Value
}

// knownContents describes the known contents of an array.
type knownContents struct {
	elements map[string]knownElement
	// wasZeroed is set if the array was zeroed. If wasZeroed is set, elements without a store since
	// the zeroing are zero. storedPaths contains the paths of the stores since the array was
	// zeroed.
	wasZeroed   bool
	storedPaths map[string][]*ir.Value
	// ownerBlock is the only block whose processing may change this struct. While another block is
	// processed, the pass changes only a copy of the struct.
	ownerBlock *ir.Block
}

// arrayContents maps each array to its known contents at some point in the code.
type arrayContents map[*ir.Var]*knownContents

// ownedBy returns the known contents of x for the processing of block b, which may change them. If
// the contents belong to another block, ownedBy copies them.
func (h arrayContents) ownedBy(x *ir.Var, b *ir.Block) *knownContents {
	c := h[x]
	if c == nil {
		c = &knownContents{elements: map[string]knownElement{}, ownerBlock: b}
	} else if c.ownerBlock != b {
		c = &knownContents{elements: maps.Clone(c.elements), wasZeroed: c.wasZeroed, storedPaths: maps.Clone(c.storedPaths), ownerBlock: b}
	}
	h[x] = c
	return c
}

// meetContents returns the contents that c and d have in common. The arguments c and d are the
// contents that are known on two paths into b.
func meetContents(c, d *knownContents, b *ir.Block) *knownContents {
	if c == d {
		return c
	}
	e := &knownContents{elements: map[string]knownElement{}, wasZeroed: c.wasZeroed && d.wasZeroed, ownerBlock: b}
	for name, x := range c.elements {
		if d.elements[name].value == x.value {
			e.elements[name] = x
		}
	}
	if e.wasZeroed {
		e.storedPaths = maps.Clone(c.storedPaths)
		maps.Copy(e.storedPaths, d.storedPaths)
	}
	return e
}

// contentsAtStart returns the contents known at the beginning of b. Contents are known at the
// beginning of b if they are known at the ends of all predecessors. If b is the head of a loop, or
// an edge into b leaves a loop, no contents are known.
func (h *arrayTracker) contentsAtStart(b *ir.Block) arrayContents {
	now := arrayContents{}
	for i, p := range b.Preds {
		last, ok := h.atBlockEnd[p]
		if l := h.loops.Of(p); !ok || l != nil && !l.Contains(b) {
			return arrayContents{}
		}
		if i == 0 {
			maps.Copy(now, last)
			continue
		}
		for x, c := range now {
			if d := last[x]; d != nil {
				now[x] = meetContents(c, d, b)
			} else {
				delete(now, x)
			}
		}
	}
	return now
}

// rewriteBlock replaces loads and removes stores in b.
func (h *arrayTracker) rewriteBlock(b *ir.Block) {
	now := h.contentsAtStart(b)
	b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
		r := v.Ref()
		if r == nil || !h.own[r.Var] {
			return false
		}
		for i, a := range v.Args {
			if w := h.replacements[a]; w != nil {
				v.Args[i] = w
			}
		}
		if v.Op == ir.OpZero {
			now[r.Var] = &knownContents{elements: map[string]knownElement{}, wasZeroed: true, storedPaths: map[string][]*ir.Value{}, ownerBlock: b}
			return false
		}
		c := now.ownedBy(r.Var, b)
		path := h.canonicalPath(v.Path())
		name := pathName(path)
		there := h.lookUp(c, name, path, r.Var)
		switch {
		case v.Op == ir.OpLoad && there == nil:
			c.addKnown(name, knownElement{path, v})
			return false
		case v.Op == ir.OpLoad:
			h.replacements[v] = there
		case there != v.Args[0]:
			h.dropAliased(c, name, path)
			c.addKnown(name, knownElement{path, v.Args[0]})
			return false
		}
		h.changed = true
		return true
	})
	h.atBlockEnd[b] = now
}

// canonicalPath replaces each value of path by a value that represents all equal values.
func (h *arrayTracker) canonicalPath(path []*ir.Value) []*ir.Value {
	c := make([]*ir.Value, len(path))
	for i, p := range path {
		if w := h.replacements[p]; w != nil {
			p = w
		}
		c[i] = h.places.canonicalValue(p)
	}
	return c
}

// pathName returns a string that identifies a canonical path. The strings of two canonical paths
// are equal if and only if the paths are equal.
func pathName(path []*ir.Value) string {
	var b []byte
	for _, p := range path {
		b = binary.AppendUvarint(b, uint64(p.ID))
	}
	return string(b)
}

// lookUp returns the known value of the element at path, or nil.
func (h *arrayTracker) lookUp(c *knownContents, name string, path []*ir.Value, x *ir.Var) *ir.Value {
	if e, ok := c.elements[name]; ok {
		return e.value
	}
	if !c.wasZeroed {
		return nil
	}
	for _, w := range c.storedPaths {
		if !h.areDisjoint(path, w) {
			return nil
		}
	}
	return h.zeroOf(leafType(x.Type, path))
}

// zeroOf returns the zero of type t. If t exists only in memory or is not a scalar, zeroOf returns
// nil.
func (h *arrayTracker) zeroOf(t *ir.Type) *ir.Value {
	if t == nil || !t.IsScalar() || t.Kind == ir.I8 || t.Kind == ir.I16 {
		return nil
	}
	return h.f.Module.Const(t, 0)
}

// leafType returns the type of the element at path within a variable of type t. If the type is not
// known, leafType returns nil.
func leafType(t *ir.Type, path []*ir.Value) *ir.Type {
	for _, p := range path {
		switch {
		case t.Kind == ir.Array:
			t = t.Elem
		case t.Kind == ir.Struct && p.IsConst() && p.Bits < uint64(len(t.Fields)):
			t = t.Fields[p.Bits].Type
		default:
			return nil
		}
	}
	return t
}

// areDisjoint reports whether the paths a and b are known to select different elements.
func (h *arrayTracker) areDisjoint(a, b []*ir.Value) bool {
	for i := range min(len(a), len(b)) {
		if h.places.areDifferent(a[i], b[i]) {
			return true
		}
	}
	return false
}

// addKnown records the known value of the element e.
func (c *knownContents) addKnown(name string, e knownElement) {
	if t := e.value.Type; t.Kind != ir.I8 && t.Kind != ir.I16 && len(c.elements) < maxKnown {
		c.elements[name] = e // values of 8 and 16 bits are not recorded, because they exist only as operands of stores
	}
}

// dropAliased removes the known values of all elements that a store to path may change.
func (h *arrayTracker) dropAliased(c *knownContents, name string, path []*ir.Value) {
	maps.DeleteFunc(c.elements, func(_ string, e knownElement) bool { return !h.areDisjoint(e.path, path) })
	if c.wasZeroed && len(c.storedPaths) < maxKnown {
		c.storedPaths[name] = path
	} else {
		c.wasZeroed, c.storedPaths = false, nil
	}
}
