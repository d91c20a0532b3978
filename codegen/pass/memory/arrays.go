package memory

// This file is the pass arrays: load and store elimination for private arrays that SRoA did not
// split because some index varies. It runs after fuse, since Go rounds a float when it is stored.
// coalesce.go merges two arrays into one.

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// maxHeld bounds the number of array elements whose values are tracked at a time.
const maxHeld = 256

// Arrays optimizes a work-item's own arrays in three ways. It replaces a load by the value that the
// work-item has last stored to the element or loaded from it. It drops stores of a value that the
// element already has, and stores to elements that nothing reads later. And if one array is a copy
// of another, it merges the two:
//
//	var sum, copy [32]int32
//	sum[i] = x
//	copy = sum                      sum[i] = x
//	y := copy[j] + sum[k]    ──▶    y := sum[j] + sum[k]
//
// No other work-item sees this memory, so barriers and faults do not matter. Known values are
// tracked into branches and past joins, but not into loops or out of them: such a value would
// occupy a register for long, while the element already has its place in memory.
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
			simplify.DCE(m) // also removes loads for copies to unread arrays
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

// ownArrays returns the Function variables of f, other than scalars, whose only uses are loads,
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

// holder tracks the values of array elements.
type holder struct {
	f       *ir.Func
	own     map[*ir.Var]bool
	places  *places
	dom     *ir.DomTree
	loops   *ir.Loops
	last    map[*ir.Block]held      // known contents at the ends of blocks
	repl    map[*ir.Value]*ir.Value // values that replace loads
	changed bool
}

// element is an array element with its known value.
type element struct {
	path  []*ir.Value
	value *ir.Value
}

// contents describes the known contents of an array.
type contents struct {
	elements map[string]element
	// zeroed says that all elements are zero except those stored to since. written has their paths.
	zeroed  bool
	written map[string][]*ir.Value
	// block is the only block that may change this struct. Later blocks share it, and copy it
	// before they change it.
	block *ir.Block
}

// held maps each array to its known contents at some place in the code.
type held map[*ir.Var]*contents

// of returns the contents of x in a form that b may change.
func (h held) of(x *ir.Var, b *ir.Block) *contents {
	c := h[x]
	if c == nil {
		c = &contents{elements: map[string]element{}, block: b}
	} else if c.block != b {
		c = &contents{elements: maps.Clone(c.elements), zeroed: c.zeroed, written: maps.Clone(c.written), block: b}
	}
	h[x] = c
	return c
}

// meet returns the contents that are known on two paths into b.
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

// enter returns the contents known at the beginning of b: those known at the ends of all
// predecessors. Nothing is known if b is the head of a loop, or if an edge into b leaves a loop.
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

// block processes the instructions of b.
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
		c := now.of(r.Var, b)
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

// canonical returns path with each value replaced by its representative.
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

// pathName returns a string that is equal for two canonical paths if and only if the paths are
// equal.
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

// zero returns the zero of type t, or nil if values do not have this type.
func (h *holder) zero(t *ir.Type) *ir.Value {
	if t == nil || !t.IsScalar() || t.Kind == ir.I8 || t.Kind == ir.I16 {
		return nil
	}
	return h.f.Module.Const(t, 0)
}

// leafType returns the type of the element at path, or nil if the path does not tell.
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

// disjoint reports whether two paths never select the same element.
func (h *holder) disjoint(a, b []*ir.Value) bool {
	for i := range min(len(a), len(b)) {
		if h.places.differ(a[i], b[i]) {
			return true
		}
	}
	return false
}

// learn records the value of an element.
func (c *contents) learn(name string, e element) {
	if t := e.value.Type; t.Kind != ir.I8 && t.Kind != ir.I16 && len(c.elements) < maxHeld {
		c.elements[name] = e // values have at least 32 bits: those of 8 and 16 bits exist only to be stored
	}
}

// forget removes the known values of elements that a store at path may change.
func (h *holder) forget(c *contents, name string, path []*ir.Value) {
	maps.DeleteFunc(c.elements, func(_ string, e element) bool { return !h.disjoint(e.path, path) })
	if c.zeroed && len(c.written) < maxHeld {
		c.written[name] = path
	} else {
		c.zeroed, c.written = false, nil
	}
}
