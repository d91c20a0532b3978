package memory

// This file contains the pass arrays, which removes loads and stores of private arrays that SRoA
// did not split because some index varies. The pass runs after fuse, because Go rounds a float when
// it is stored, so fuse must see the store. The file coalesce.go merges two arrays into one.

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// maxHeld is the largest number of elements of an array whose values are tracked at a time.
const maxHeld = 256

// Arrays optimizes a work-item's own arrays in three ways. It replaces a load by the value that the
// work-item has last stored to the element or loaded from it. It removes stores of a value that the
// element already has, and stores to elements that are not read later. If one array is a copy of
// another, it merges the two. For example:
//
//	var sum, copy [32]int32
//	sum[i] = x
//	copy = sum                      sum[i] = x
//	y := copy[j] + sum[k]    ──▶    y := sum[j] + sum[k]
//
// No other work-item can access private memory, so barriers and faults have no influence. Known
// values are tracked into branches and past joins, but not into loops or out of them. A value that
// is live across a loop would occupy a register for a long time, although the element is also in
// memory.
func Arrays(m *ir.Module) diag.List {
	changed := false
	for _, f := range rewrite.Bodies(m) {
		own := ownArrays(f)
		if len(own) == 0 {
			continue
		}
		h := &holder{f: f, own: own, places: &places{m: m, launch: map[launchValue]*ir.Value{}},
			dom: f.Dominators(), last: map[*ir.Block]held{}, repl: map[*ir.Value]*ir.Value{}}
		h.loops = h.dom.Loops()
		for _, b := range h.dom.Order {
			h.block(b)
		}
		rewrite.ReplaceUses(f, (&rewrite.Promoter{Repl: h.repl}).Resolve)
		changed = changed || h.changed
		for again := true; again; changed = changed || again {
			simplify.DCE(m) // also removes loads whose values are only copied to unread arrays
			again = dropUnread(f, own) || coalesce(f, own)
		}
	}
	if changed {
		SRoA(m) // splits arrays that no longer have varying indices
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

// ownArrays returns the Function variables of f that are not scalars and whose only uses are loads,
// stores and zeroing of the whole variable.
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

// holder tracks the known values of array elements in one function.
type holder struct {
	f       *ir.Func
	own     map[*ir.Var]bool
	places  *places
	dom     *ir.DomTree
	loops   *ir.Loops
	last    map[*ir.Block]held      // maps a block to the contents that are known at its end
	repl    map[*ir.Value]*ir.Value // maps a removed load to the value that replaces it
	changed bool
}

// An element describes an array element whose value is known.
type element struct {
	path  []*ir.Value
	value *ir.Value
}

// The type contents describes the known contents of an array.
type contents struct {
	elements map[string]element
	// The field zeroed is set if the array was zeroed. Elements that have not been stored to since
	// the array was zeroed are zero. The field written contains the paths of the stores since the
	// array was zeroed.
	zeroed  bool
	written map[string][]*ir.Value
	// The field block is the only block whose processing may change this struct. While later blocks
	// are processed, they share the struct, and copy it before a change.
	block *ir.Block
}

// The type held maps each array to its known contents at some point in the code.
type held map[*ir.Var]*contents

// The method own returns the contents of x for a change in block b. It copies the contents if they
// belong to another block.
func (h held) own(x *ir.Var, b *ir.Block) *contents {
	c := h[x]
	if c == nil {
		c = &contents{elements: map[string]element{}, block: b}
	} else if c.block != b {
		c = &contents{elements: maps.Clone(c.elements), zeroed: c.zeroed, written: maps.Clone(c.written), block: b}
	}
	h[x] = c
	return c
}

// The function meet returns the contents that are known on both of two paths into b, given the
// contents c and d on these paths.
func meet(c, d *contents, b *ir.Block) *contents {
	if c == d {
		return c
	}
	e := &contents{elements: map[string]element{}, zeroed: c.zeroed && d.zeroed, block: b}
	for name, x := range c.elements {
		if d.elements[name].value == x.value {
			e.elements[name] = x
		}
	}
	if e.zeroed {
		e.written = maps.Clone(c.written)
		maps.Copy(e.written, d.written)
	}
	return e
}

// The method enter returns the contents known at the beginning of b. These are the contents known
// at the ends of all predecessors. The result is empty if b is the head of a loop, or if an edge
// into b leaves a loop.
func (h *holder) enter(b *ir.Block) held {
	now := held{}
	for i, p := range b.Preds {
		last, ok := h.last[p]
		if l := h.loops.Of(p); !ok || l != nil && !l.Contains(b) {
			return held{}
		}
		if i == 0 {
			maps.Copy(now, last)
			continue
		}
		for x, c := range now {
			if d := last[x]; d != nil {
				now[x] = meet(c, d, b)
			} else {
				delete(now, x)
			}
		}
	}
	return now
}

// The method block replaces loads and removes stores in b.
func (h *holder) block(b *ir.Block) {
	now := h.enter(b)
	b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
		r := v.Ref()
		if r == nil || !h.own[r.Var] {
			return false
		}
		for i, a := range v.Args {
			if w := h.repl[a]; w != nil {
				v.Args[i] = w
			}
		}
		if v.Op == ir.OpZero {
			now[r.Var] = &contents{elements: map[string]element{}, zeroed: true, written: map[string][]*ir.Value{}, block: b}
			return false
		}
		c := now.own(r.Var, b)
		path := h.canonical(v.Path())
		name := pathName(path)
		there := h.lookUp(c, name, path, r.Var)
		switch {
		case v.Op == ir.OpLoad && there == nil:
			c.learn(name, element{path, v})
			return false
		case v.Op == ir.OpLoad:
			h.repl[v] = there
		case there != v.Args[0]:
			h.forget(c, name, path)
			c.learn(name, element{path, v.Args[0]})
			return false
		}
		h.changed = true
		return true
	})
	h.last[b] = now
}

// The method canonical replaces each value of path by a value that represents all equal values.
func (h *holder) canonical(path []*ir.Value) []*ir.Value {
	c := make([]*ir.Value, len(path))
	for i, p := range path {
		if w := h.repl[p]; w != nil {
			p = w
		}
		c[i] = h.places.canonical(p)
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
func (h *holder) lookUp(c *contents, name string, path []*ir.Value, x *ir.Var) *ir.Value {
	if e, ok := c.elements[name]; ok {
		return e.value
	}
	if !c.zeroed {
		return nil
	}
	for _, w := range c.written {
		if !h.disjoint(path, w) {
			return nil
		}
	}
	return h.zero(leafType(x.Type, path))
}

// The method zero returns the zero of type t. It returns nil if t exists only in memory or is not a
// scalar.
func (h *holder) zero(t *ir.Type) *ir.Value {
	if t == nil || !t.IsScalar() || t.Kind == ir.I8 || t.Kind == ir.I16 {
		return nil
	}
	return h.f.Module.Const(t, 0)
}

// leafType returns the type of the element at path within a variable of type t. It returns nil if
// the type is not known.
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

// The method disjoint reports whether the paths a and b are known to select different elements.
func (h *holder) disjoint(a, b []*ir.Value) bool {
	for i := range min(len(a), len(b)) {
		if h.places.differ(a[i], b[i]) {
			return true
		}
	}
	return false
}

// The method learn records the known value of the element e.
func (c *contents) learn(name string, e element) {
	if t := e.value.Type; t.Kind != ir.I8 && t.Kind != ir.I16 && len(c.elements) < maxHeld {
		c.elements[name] = e // values of 8 and 16 bits are not recorded, because they exist only as operands of stores
	}
}

// The method forget removes the known values of all elements that a store to path may change.
func (h *holder) forget(c *contents, name string, path []*ir.Value) {
	maps.DeleteFunc(c.elements, func(_ string, e element) bool { return !h.disjoint(e.path, path) })
	if c.zeroed && len(c.written) < maxHeld {
		c.written[name] = path
	} else {
		c.zeroed, c.written = false, nil
	}
}
