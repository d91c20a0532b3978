package items

// This file finds the coarsened kernels whose work-groups can access memory by vectors of 16 bytes,
// for Coarsen; vectors_build.go writes the code.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Limits of the code that is there for each of the items of an invocation, and of that for all of them.
const (
	maxVectorValues   = 128 // with more, a kernel computes for longer than it waits for memory
	maxVectorAccesses = 16
	maxVectorCode     = 1024
)

// vectorBytes is the size of a vector, and the number that its address is a multiple of.
const vectorBytes = 16

// vectors is what is known of a kernel whose work-items read and write the elements at their own
// index: numbers of at most 32 bits, or float64s. Of
//
//	c[i] = a[i] + b[i]
//
// an invocation of the coarsened kernel has four items. If these are next to each other, as 4k to
// 4k+3 are, the four loads of a become one of 16 bytes, as do those of b and the four stores:
//
//	if fast {                            the same for all of a work-group
//		k := group*size + local
//		c[4*k:4*k+4] = a[4*k:4*k+4] + b[4*k:4*k+4]
//	} else {
//		for r := range 4 {               as it was: items a work-group's size apart
//			i := (group*4+r)*size + local
//			...
//		}
//	}
//
// A work-group runs the same items either way, and which way it goes depends on nothing but the
// group, so each item still runs once. The group goes the fast way if
//
//   - all its items exist and pass all their checks. Both are so if they are for the last one, since
//     the checks that this is about are comparisons of the item's id with a bound that is the same for
//     all items, or have no id in them (see bound);
//   - the slices begin at multiples of 16 bytes. Slices that are parts of buffers may not.
//
// So the fast code has no checks. Groups with an item that faults, and those at the end of the range,
// run the code that was there before.
//
// Four items run in lockstep: each op of the kernel is done for all four before the next one is. That
// is an order in which four work-items may run, since nothing orders them, and each item's own
// accesses of memory stay in the order of the kernel. So slices may be the same memory: an item that
// stores to a[i] and then loads b[i] finds there what it has stored, if b is a.
//
// Eight elements of 16 bits and sixteen of 8 bits are a vector of four words, in which the first
// element has the lower bits. As many items are next to each other. If there are wider elements, too,
// these take several vectors.
type vectors struct {
	m *ir.Module
	f *ir.Func

	taken    map[*ir.Block]int // the edge by which a block is left for sure, in the fast code
	order    []*ir.Block       // the blocks of the fast code, each behind those that lead to it
	spine    map[*ir.Block]bool
	accesses map[*ir.Value]bool // those that become vectors
	least    int                // bytes of the smallest elements of these vectors
	most     int                // bytes of the largest ones
	lanes    int                // items that are next to each other: elements of a vector of the smallest ones
	items    int                // items of an invocation
	tests    []bound
	bases    []*ir.Value // of the slices that are accessed by vectors
	fixed    map[*ir.Value]bool
}

// bound is a comparison of the item's id, or of what extends it to 64 bits, with a number that is
// the same for all items; or a condition that is the same for all itself. If it is what it has to be
// for an item, it is so for those before it.
type bound struct {
	cond *ir.Value
	id   int  // which argument has the id, or none
	want bool // what the condition has to be
}

const none = -1

// findVectors returns what there is to know of a kernel of which work-groups may access memory by
// vectors, and nil of others.
func findVectors(m *ir.Module) *vectors {
	if m.Form != abi.Range || m.Rank != 1 {
		return nil
	}
	x := &vectors{m: m, f: m.Kernel, taken: map[*ir.Block]int{}, spine: map[*ir.Block]bool{}, accesses: map[*ir.Value]bool{},
		fixed: map[*ir.Value]bool{}}
	if x.walk(); !slices.ContainsFunc(x.tests, bound.inRange) {
		return nil
	}
	values := 0
	for _, b := range x.order {
		values += len(b.Insts)
		for _, v := range b.Insts {
			if !x.take(v, b) {
				return nil
			}
		}
	}
	n := len(x.accesses)
	if n == 0 || n > maxVectorAccesses || values > maxVectorValues || x.least != x.most && (x.least > 2 || x.most > 4) {
		return nil
	}
	x.lanes = vectorBytes / x.least
	if x.items = max(x.lanes, coarseItems); values*x.items > maxVectorCode {
		return nil
	}
	return x
}

// vectorOf returns the type of the vectors that have elements of type t, or nil if there is none.
func vectorOf(t *ir.Type) *ir.Type {
	if isPacked(t) {
		return ir.TypeI32x4
	}
	return ir.VectorOf(t)
}

// isPacked reports whether a word has several elements of type t.
func isPacked(t *ir.Type) bool { return t == ir.TypeI8 || t == ir.TypeI16 }

// walk finds the blocks that the items of the fast code come to, the bounds that this takes, and
// which of the blocks all items come to: those that are the only one that is left to come to.
func (x *vectors) walk() {
	in := map[*ir.Block]bool{x.f.Blocks[0]: true}
	open := map[*ir.Block]bool{x.f.Blocks[0]: true} // come to, and not yet looked at
	returned := false                               // some items may have returned
	for _, b := range x.f.ReversePostorder() {
		if !in[b] {
			continue
		}
		x.spine[b] = len(open) == 1 && !returned
		delete(open, b)
		x.order = append(x.order, b)
		returned = returned || b.Term.Kind == ir.Return
		next := b.Term.Succs
		if b.Term.Kind == ir.Branch {
			for i, want := range []bool{true, false} {
				if x.same(b.Term.Cond) && rewrite.CheckedEdge(b) != i {
					continue // the items go one way together, whichever it is
				}
				if tests := x.bounds(b.Term.Cond, want); tests != nil {
					x.taken[b], next = i, b.Term.Succs[i:i+1]
					x.tests = append(x.tests, tests...)
					break
				}
			}
		}
		for _, s := range next {
			in[s], open[s] = true, true
		}
	}
}

// bounds returns comparisons that make the condition c what it has to be for all items of a
// work-group, if they are what they have to be for the last; nil if there are none.
func (x *vectors) bounds(c *ir.Value, want bool) []bound {
	both := func() []bound {
		l, r := x.bounds(c.Args[0], want), x.bounds(c.Args[1], want)
		if l == nil || r == nil {
			return nil
		}
		return slices.Concat(l, r)
	}
	one := func() []bound {
		if l := x.bounds(c.Args[0], want); l != nil {
			return l
		}
		return x.bounds(c.Args[1], want)
	}
	if x.same(c) {
		return []bound{{c, none, want}}
	}
	switch c.Op {
	case ir.OpLNot:
		return x.bounds(c.Args[0], !want)
	case ir.OpLAnd:
		if want {
			return both()
		}
		return one()
	case ir.OpLOr:
		if want {
			return one()
		}
		return both()
	case ir.OpULt, ir.OpULe, ir.OpSLt, ir.OpSLe:
		// id < n holds, or n <= id does not. An id has no sign, since there are no more than
		// abi.MaxRange of them.
		i := 0
		if !want {
			i = 1
		}
		if n := c.Args[1-i]; isID(c.Args[i]) && x.same(n) && !n.IsConst() {
			return []bound{{c, i, want}}
		}
	}
	return nil
}

// inRange reports whether the comparison is that of the id with the number of items, with which
// kernels over ranges begin.
func (t bound) inRange() bool {
	c := t.cond
	return t.id == 0 && t.want && c.Op == ir.OpULt && c.Args[0].Type == ir.TypeI32 && facts.IsRangeArg(c.Args[1]) && c.Args[1].Bits == abi.OffsetRange
}

// isID reports whether v is the item's id, or that extended.
func isID(v *ir.Value) bool {
	if v.Op == ir.OpUConvert || v.Op == ir.OpSConvert {
		return v.Type == ir.TypeI64 && isID(v.Args[0])
	}
	return v.Op == ir.OpBuiltIn && v.Aux == ir.GlobalInvocationIDX
}

// same reports whether v is the same for all items, and can be computed ahead of all that the
// kernel does.
func (x *vectors) same(v *ir.Value) bool {
	if v.Block == nil || v.Op == ir.OpArg {
		return true
	}
	if is, ok := x.fixed[v]; ok {
		return is
	}
	x.fixed[v] = facts.Speculative(v) && v.Op != ir.OpBuiltIn && !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !x.same(a) })
	return x.fixed[v]
}

// take notes what v is in the fast code, and reports whether it may be there.
func (x *vectors) take(v *ir.Value, b *ir.Block) bool {
	if v.Op.Has(ir.FlagPure) {
		return true
	}
	r := v.Ref()
	switch {
	case v.Op != ir.OpLoad && v.Op != ir.OpStore:
		return false
	case r.Var != nil:
		return v.Op == ir.OpLoad && r.Var.Storage == ir.Private
	}
	path := v.Path()
	base, index := path[0], path[1]
	switch {
	case !x.same(base):
		return false
	case v.Op == ir.OpLoad && !slices.ContainsFunc(path[1:], func(p *ir.Value) bool { return !x.same(p) }):
		return true // all items load the same
	case !isID(index) || vectorOf(r.Elem) == nil || !x.spine[b]:
		return false
	}
	n := r.Elem.Size
	if len(x.accesses) == 0 {
		x.least, x.most = n, n
	}
	x.least, x.most = min(x.least, n), max(x.most, n)
	x.accesses[v] = true
	if !slices.Contains(x.bases, base) {
		x.bases = append(x.bases, base)
	}
	return true
}

// edge returns which predecessor of its i-th successor a block is by that edge.
func edge(b *ir.Block, i int) int {
	s := b.Term.Succs[i]
	at := slices.Index(s.Preds, b)
	if i > 0 && b.Term.Succs[0] == s {
		at += 1 + slices.Index(s.Preds[at+1:], b)
	}
	return at
}
