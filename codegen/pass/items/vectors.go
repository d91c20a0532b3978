package items

// This file finds the coarsened kernels whose work-groups can access memory by vectors of 16 bytes.
// The file vectors_build.go generates the code with vectors.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// These constants limit the number of instructions for each item of an invocation, and for all
// items together. An item is one of the work-items that an invocation runs.
const (
	maxVectorValues   = 128 // larger kernels need more time for computation than for memory accesses
	maxVectorAccesses = 16
	maxVectorCode     = 1024
)

// vectorBytes is the size in bytes of a vector and the required alignment of its address.
const vectorBytes = 16

// vectorKernel describes a kernel whose work-items read and write only the elements at their
// own index. The elements are numbers of at most 32 bits, or float64s. Consider the kernel with the
// statement c[i] = a[i] + b[i]. Each invocation of the coarsened kernel runs four items. If the
// items are adjacent, from 4k to 4k+3, the four loads of a become one load of 16 bytes. The four
// loads of b and the four stores also become one access each:
//
//	if fast {                            the same for all items of a work-group
//		k := group*size + local
//		c[4*k:4*k+4] = a[4*k:4*k+4] + b[4*k:4*k+4]
//	} else {
//		for r := range 4 {               the items of the coarsened kernel
//			i := (group*4+r)*size + local
//			…
//		}
//	}
//
// A work-group runs the same items in the fast code and in the loop. All invocations of a work-group
// take the same branch, so each item runs exactly once. The group runs the fast code under two
// conditions:
//
//   - All items of the group exist and pass all their checks. The fast code tests only the last
//     item of the group. If the last item passes a check, the other items also pass, because the
//     check compares the id with a uniform bound or does not depend on the id (see bound).
//   - The slices begin at multiples of 16 bytes. A slice that begins inside a buffer may have an
//     address that is not a multiple of 16.
//
// The fast code contains no checks, because all items of the group pass their checks. Groups with
// an item that faults, and groups at the end of the range, run the original code.
//
// The four items run in lockstep. Each op of the kernel is executed for all four items before the
// next op. Executing each op for all items is legal, because work-items may run in any order. Each
// item's own memory accesses remain in the order of the kernel. So the slices of the kernel may
// overlap in memory. For example, if b is the same slice as a, an item that stores to a[i] and then
// loads b[i] still loads the stored value.
//
// Eight elements of 16 bits or sixteen elements of 8 bits form a vector of four 32-bit words, with
// the first element in the lowest bits. If a kernel has elements of 16 or 8 bits, eight or sixteen
// items are adjacent. If the kernel also has wider elements, the wider elements of the adjacent
// items form several vectors.
type vectorKernel struct {
	m *ir.Module
	f *ir.Func

	taken    map[*ir.Block]int // index of the only successor that a block can have in the fast code
	order    []*ir.Block       // blocks of the fast code, ordered so that each block follows its predecessors
	spine    map[*ir.Block]bool
	accesses map[*ir.Value]bool // loads and stores that become loads and stores of vectors
	least    int                // size in bytes of the smallest elements of vectors
	most     int                // size in bytes of the largest elements of vectors
	lanes    int                // number of adjacent items, equal to the number of the smallest elements in a vector
	items    int                // number of items that an invocation runs
	tests    []bound
	bases    []*ir.Value // addresses of the slices that are accessed by vectors
	fixed    map[*ir.Value]bool
}

// A bound is a condition that the fast code requires. A bound is of one of two kinds. The first
// kind compares the item's id, possibly extended to 64 bits, with a number that is the same for all
// items. The second kind is a condition that is the same for all items. If the condition has the
// required value for an item, it has the same value for all items with smaller ids.
type bound struct {
	cond *ir.Value
	id   int  // index of the operand that is the id, or noOperand
	want bool // required value of the condition
}

const noOperand = -1

// findVectors describes m's kernel as a vectorKernel. findVectors returns nil if work-groups cannot access
// memory by vectors.
func findVectors(m *ir.Module) *vectorKernel {
	if m.Form != abi.Range || m.Rank != 1 {
		return nil
	}
	x := &vectorKernel{m: m, f: m.Kernel, taken: map[*ir.Block]int{}, spine: map[*ir.Block]bool{}, accesses: map[*ir.Value]bool{},
		fixed: map[*ir.Value]bool{}}
	if x.findFastCode(); !slices.ContainsFunc(x.tests, bound.inRange) {
		return nil
	}
	values := 0
	for _, b := range x.order {
		values += len(b.Insts)
		for _, v := range b.Insts {
			if !x.admitOp(v, b) {
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

// vectorOf returns the type of vectors of 16 bytes with elements of type t. vectorOf returns nil if there
// is no such type.
func vectorOf(t *ir.Type) *ir.Type {
	if isPacked(t) {
		return ir.TypeI32x4
	}
	return ir.VectorOf(t, vectorBytes)
}

// isPacked reports whether a 32-bit word contains several elements of type t.
func isPacked(t *ir.Type) bool { return t == ir.TypeI8 || t == ir.TypeI16 }

// findFastCode finds the blocks of the fast code, the bounds that the fast code requires, and the
// spine (the blocks that all items reach). findFastCode visits the blocks in reverse postorder.
// When findFastCode visits a block of the spine, no other block is pending and no item may have
// returned.
func (x *vectorKernel) findFastCode() {
	in := map[*ir.Block]bool{x.f.Blocks[0]: true}
	open := map[*ir.Block]bool{x.f.Blocks[0]: true} // blocks that items may reach and that were not yet visited
	returned := false                               // whether some items may have returned already
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
				if x.isUniform(b.Term.Cond) && rewrite.CheckedEdge(b) != i {
					continue // all items take the same edge of this branch
				}
				if tests := x.boundsFor(b.Term.Cond, want); tests != nil {
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

// boundsFor returns conditions that imply c == want. If each returned condition has its required
// value for the last item of a work-group, c equals want for all items of the group. If there are
// no conditions that imply c == want, boundsFor returns nil.
func (x *vectorKernel) boundsFor(c *ir.Value, want bool) []bound {
	both := func() []bound {
		l, r := x.boundsFor(c.Args[0], want), x.boundsFor(c.Args[1], want)
		if l == nil || r == nil {
			return nil
		}
		return slices.Concat(l, r)
	}
	one := func() []bound {
		if l := x.boundsFor(c.Args[0], want); l != nil {
			return l
		}
		return x.boundsFor(c.Args[1], want)
	}
	if x.isUniform(c) {
		return []bound{{c, noOperand, want}}
	}
	switch c.Op {
	case ir.OpLNot:
		return x.boundsFor(c.Args[0], !want)
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
		// The condition must be id < n with the required value true, or n <= id with the required
		// value false. An id is never negative, since there are at most abi.MaxRange items.
		i := 0
		if !want {
			i = 1
		}
		if n := c.Args[1-i]; isID(c.Args[i]) && x.isUniform(n) && !n.IsConst() {
			return []bound{{c, i, want}}
		}
	}
	return nil
}

// inRange reports whether t compares the id with the number of items. Kernels over ranges begin
// with a comparison of the id with the number of items.
func (t bound) inRange() bool {
	c := t.cond
	return t.id == 0 && t.want && c.Op == ir.OpULt && c.Args[0].Type == ir.TypeI32 && facts.IsRangeArg(c.Args[1]) && c.Args[1].Bits == abi.OffsetRange
}

// isID reports whether v is the item's id, possibly extended to 64 bits.
func isID(v *ir.Value) bool {
	if v.Op == ir.OpUConvert || v.Op == ir.OpSConvert {
		return v.Type == ir.TypeI64 && isID(v.Args[0])
	}
	return v.Op == ir.OpBuiltIn && v.Aux == ir.GlobalInvocationIDX
}

// isUniform reports whether v is the same for all items and can be computed at the start of the kernel.
func (x *vectorKernel) isUniform(v *ir.Value) bool {
	if v.Block == nil || v.Op == ir.OpArg {
		return true
	}
	if is, ok := x.fixed[v]; ok {
		return is
	}
	x.fixed[v] = facts.Speculative(v) && v.Op != ir.OpBuiltIn && !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !x.isUniform(a) })
	return x.fixed[v]
}

// admitOp reports whether the fast code may contain v. If v is a load or store of items' elements,
// admitOp also records it.
func (x *vectorKernel) admitOp(v *ir.Value, b *ir.Block) bool {
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
	case !x.isUniform(base):
		return false
	case v.Op == ir.OpLoad && !slices.ContainsFunc(path[1:], func(p *ir.Value) bool { return !x.isUniform(p) }):
		return true // a load of the same element by all items
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

// edgeIndex returns the index of b's i-th edge among the predecessors of the block that the
// edge enters.
func edgeIndex(b *ir.Block, i int) int {
	s := b.Term.Succs[i]
	at := slices.Index(s.Preds, b)
	if i > 0 && b.Term.Succs[0] == s {
		at += 1 + slices.Index(s.Preds[at+1:], b)
	}
	return at
}
