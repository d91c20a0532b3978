package memory

// This file is the pass arrays: load and store elimination for private arrays that SRoA left
// whole, since some index varies. It runs behind fuse, since Go rounds a float where it is
// stored. coalesce.go makes one array of two.

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// maxHeld is how many elements of arrays are followed at a time.
const maxHeld = 256

// Arrays takes the value that the work-item has stored in an element of its own arrays, or
// loaded from it, last, instead of loading it again; drops stores of what is there already and
// those that nothing reads; and makes one array of two where one is a copy of the other:
//
//	var sum, copy [32]int32
//	sum[i] = x
//	copy = sum                      sum[i] = x
//	y := copy[j] + sum[k]    ──▶    y := sum[j] + sum[k]
//
// Nobody else sees this memory, so that neither barriers nor faults matter. A value is taken
// along into branches and past joins, and neither into loops nor out of them: it would have to
// be kept in a register for long, where the array has its place already.
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
			simplify.DCE(m) // also loads of what is copied to nowhere
			again = dropUnread(f, own) || coalesce(f, own)
		}
	}
	if changed {
		SRoA(m) // an array whose varying indices are gone
		rewrite.Mem2Reg(m)
		simplify.CSE(m)
		simplify.DCE(m)
	}
	return nil
}

// Elements makes values of the elements of a work-item's own arrays, where writeout has made all
// indexes constants.
func Elements(m *ir.Module) diag.List {
	SRoA(m)
	rewrite.Mem2Reg(m)
	simplify.CSE(m)
	simplify.DCE(m)
	return nil
}

// ownArrays returns the Function variables of f, other than scalars, that are zeroed as a
// whole, loaded and stored, and nothing else.
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

// holder follows what the elements of arrays hold.
type holder struct {
	f       *ir.Func
	own     map[*ir.Var]bool
	places  *places
	dom     *ir.DomTree
	loops   *ir.Loops
	last    map[*ir.Block]held      // what is known at the ends of blocks
	repl    map[*ir.Value]*ir.Value // loads, and what they give
	changed bool
}

// element is what an element of an array holds.
type element struct {
	path  []*ir.Value
	value *ir.Value
}

// contents is what is known of an array.
type contents struct {
	elements map[string]element
	// zeroed says that all is zero but what has been stored since, whose paths written has.
	zeroed  bool
	written map[string][]*ir.Value
	// block is the one that may change this. The blocks behind it have the same contents, and
	// make their own where they change.
	block *ir.Block
}

// held is what is known of all arrays at some place.
type held map[*ir.Var]*contents

// of returns what is known of an array, for b to change.
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

// meet returns what is known of an array on two ways into b.
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

// enter returns what is known where b begins: what is known at the end of all blocks that lead
// there, unless b is the head of a loop, or behind one.
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

// block follows what b does.
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

// canonical returns a path by the values that stand for its own ones.
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

// pathName returns what two canonical paths have in common if and only if they are the same.
func pathName(path []*ir.Value) string {
	var b []byte
	for _, p := range path {
		b = binary.AppendUvarint(b, uint64(p.ID))
	}
	return string(b)
}

// lookUp returns what the element at a path holds, or nil.
func (h *holder) lookUp(c *contents, name string, path []*ir.Value, x *ir.Var) *ir.Value {
	if e, ok := c.elements[name]; ok {
		return e.value
	}
	if !c.zeroed {
		return nil
	}
	for _, w := range c.written {
		if !h.apart(path, w) {
			return nil
		}
	}
	return h.zero(leafType(x.Type, path))
}

// zero returns the zero of a type that values have, or nil.
func (h *holder) zero(t *ir.Type) *ir.Value {
	if t == nil || !t.IsScalar() || t.Kind == ir.I8 || t.Kind == ir.I16 {
		return nil
	}
	return h.f.Module.Const(t, 0)
}

// leafType returns the type of what a path leads to, or nil if it is not known here.
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

// apart reports whether two paths never lead to the same element.
func (h *holder) apart(a, b []*ir.Value) bool {
	for i := range min(len(a), len(b)) {
		if h.places.differ(a[i], b[i]) {
			return true
		}
	}
	return false
}

// learn notes what an element holds.
func (c *contents) learn(name string, e element) {
	if t := e.value.Type; t.Kind != ir.I8 && t.Kind != ir.I16 && len(c.elements) < maxHeld {
		c.elements[name] = e // values of 8 and 16 bits are only there to be stored
	}
}

// forget drops what is known of the elements that a store at path may change.
func (h *holder) forget(c *contents, name string, path []*ir.Value) {
	maps.DeleteFunc(c.elements, func(_ string, e element) bool { return !h.apart(e.path, path) })
	if c.zeroed && len(c.written) < maxHeld {
		c.written[name] = path
	} else {
		c.zeroed, c.written = false, nil
	}
}
