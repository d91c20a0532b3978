package facts

// This file says which elements of each slice a work-item uses: its own alone, those of its
// work-group, or any. Fusion, which makes one launch of two kernels, asks it, since all memory that
// one of them writes and the other uses must be used by the same work-item in both, or by the same
// work-group if its work-items meet in between. indices.go reads the indices, and
// blocks.go those that stay within the work-group.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Why is the reason for ReachAny; with ReachGroup it is WhyIndex.
type Why uint8

const (
	WhyNot     Why = iota // the reach is None or Own
	WhyAtomic             // an access is atomic
	WhyAddress            // the address may be that of several slices, or is computed
	WhyIndex              // an index is not known to be one of the work-item's own elements
	WhyDiffer             // two accesses divide the slice among the work-items differently
	WhyElem               // two accesses have different element types
	WhyForm               // the kernel is a task, or runs several work-items per invocation
)

// Footprint is what a kernel does with the memory behind a parameter, and how that is known. That of
// a parameter which is no slice is zero.
type Footprint struct {
	abi.Footprint
	Access abi.Access // what any work-item does
	Elem   *ir.Type   // the element type of all accesses; nil with ReachAny

	// Pos is where the access stands that made the reach Any or Group, for the reason Why, or the
	// first access of a slice with ReachOwn.
	// Index is the index there, as source may have it, or "" where that is long.
	Pos   ir.Pos
	Why   Why
	Index string
}

// Footprints returns the footprint of each parameter of a module as pass arrays leaves it, which
// still has all checks of indices. It changes nothing. Of a module for small launches it is
// what such launches do.
func Footprints(m *ir.Module) []Footprint {
	f := newFootprinter(m)
	for _, fn := range rewrite.Bodies(m) {
		for _, b := range fn.ReversePostorder() {
			for _, v := range b.Insts {
				if r := v.Ref(); r != nil && r.Var == nil && v.Op != ir.OpAddrOf {
					f.access(v)
				}
			}
		}
	}
	for i := range f.out {
		p := &f.out[i]
		if p.Multiple == 1 {
			p.Multiple = 0
		}
		if p.Most >= math.MaxInt64/max(p.PerItem, 1) {
			p.Most = 0
		}
	}
	return f.out
}

// Most launches have less than manyItems work-items: all that end.
const manyItems = 1 << 40

// Limited reports whether a kernel of a rank can be launched with more work-items than f allows.
func (f *Footprint) Limited(rank int) bool {
	return f.Bound() < manyItems && !(f.Bound() >= abi.MaxRange && rank == 1)
}

// OwnChecks returns the comparisons i < len(s), of a parameter s that has ReachOwn, in which i is
// one of the work-item's own elements. They are true if the slice has PerItem elements for each
// work-item of the launch, and Strides and Most are met.
func OwnChecks(m *ir.Module, param int, p *Footprint) []*ir.Value {
	f := newFootprinter(m)
	var own []*ir.Value
	for _, b := range m.Kernel.ReversePostorder() {
		for _, v := range b.Insts {
			if v.Op != ir.OpULt || !IsLen(m, v.Args[1], param) || !f.inRange(b) {
				continue
			}
			x := indexer{f: f, b: b, steps: maxIndexSteps}
			at, ok := x.signed(v.Args[0])
			if !ok {
				continue
			}
			s, ok := x.split(at)
			if ok && s.perItem == p.PerItem && slices.Equal(s.strides, p.Strides) && s.most >= p.Bound() {
				own = append(own, v)
			}
		}
	}
	return own
}

// IsLen reports whether v is the length of a parameter.
func IsLen(m *ir.Module, v *ir.Value, param int) bool {
	return v.Op == ir.OpArg && v.Bits == uint64(abi.OffsetArgs+m.Params[param].Offset+8)
}

// footprinter collects the footprints of a module.
type footprinter struct {
	m      *ir.Module
	roots  *Roots
	ranges *Ranges
	guards [3][]*ir.Block // see findGuards
	ones   map[launchKey]*ir.Value
	out    []Footprint
}

func newFootprinter(m *ir.Module) *footprinter {
	f := &footprinter{m: m, roots: FindRoots(m), ones: map[launchKey]*ir.Value{}, out: make([]Footprint, len(m.Params))}
	for i := range m.Params {
		f.out[i].Access = f.roots.access[i]
	}
	f.ranges = NewRanges(m)
	f.ranges.Solve()
	f.ranges.Known = map[Place]Interval{}
	f.findGuards()
	return f
}

// findGuards finds for each dimension the blocks, and so those that they dominate, in which
// x < nx is sure. A kernel over a range begins with that test, as the last work-groups may
// stick out of the range:
//
//	%0 = BuiltIn i32 GlobalInvocationId.x
//	%1 = Arg i32 8
//	%2 = ULt bool %0, %1
//	Branch %2, b1, b6                     ; b1 is a guard
func (f *footprinter) findGuards() {
	f.ranges.each(func(n *noted) {
		if n.v.Op != ir.OpBuiltIn {
			return
		}
		d, ok := dimension(n.v)
		if !ok {
			return
		}
		for _, r := range n.facts {
			if r.Rel == Below && IsRangeArg(r.Other) && r.Other.Bits == uint64(abi.OffsetRange+4*d) {
				f.guards[d] = append(f.guards[d], r.From)
			}
		}
	})
}

// inRange reports whether all that run block b are work-items of the range.
func (f *footprinter) inRange(b *ir.Block) bool {
	if f.m.Form == abi.NDRange {
		return true // no work-group sticks out
	}
	for d := range f.m.Rank {
		if !slices.ContainsFunc(f.guards[d], func(from *ir.Block) bool { return f.ranges.Dom.Dominates(from, b) }) {
			return false
		}
	}
	return true
}

// access adds an access of device memory to the footprints of the slices that it may be of.
func (f *footprinter) access(v *ir.Value) {
	one, why := f.index(v, nil)
	if why == WhyIndex {
		if g, ok := f.group(v); ok {
			one = g
		}
	}
	s := f.roots.Of(v.Path()[0])
	for i := range f.out {
		p := &f.out[i]
		if f.m.Params[i].Kind != abi.Slice || !s.Has(i) {
			continue
		}
		p.Atomic = p.Atomic || IsAtomic(v)
		if p.Reach == abi.ReachAny {
			continue
		}
		q, ok := p.with(one, i, v.Ref().Elem, why)
		if !ok || q.Reach > p.Reach {
			q.Pos, q.Index = v.Pos, f.indexText(v)
		}
		*p = q
	}
}

// with returns the footprint of parameter i with one more access, of an element type. It returns
// false where that is ReachAny.
func (p *Footprint) with(one share, i int, elem *ir.Type, why Why) (q Footprint, ok bool) {
	q = *p
	switch {
	case one.reach == abi.ReachNone || i != one.param:
		if why == WhyNot {
			why = WhyAddress
		}
	case p.Reach == abi.ReachNone:
		q.Reach, q.Elem, q.PerItem, q.Multiple, q.Strides, q.Most, q.Why = one.reach, elem, one.perItem, one.multiple, one.strides, one.most, why
		return q, true
	case p.Elem != elem:
		why = WhyElem
	case p.PerItem != one.perItem || !slices.Equal(p.Strides, one.strides):
		why = WhyDiffer
	default:
		if q.Multiple = lcm(p.Multiple, one.multiple); q.Multiple > abi.MaxLocalSize {
			why = WhyDiffer // no work-group has such a size
			break
		}
		if q.Most = min(p.Most, one.most); one.reach > p.Reach {
			q.Reach, q.Why = one.reach, why
		}
		return q, true
	}
	return Footprint{Footprint: abi.Footprint{Reach: abi.ReachAny, Atomic: p.Atomic}, Access: p.Access, Why: why}, false
}

// lcm returns the least common multiple of two positive numbers up to abi.MaxLocalSize.
func lcm(a, b int64) int64 {
	n := a
	for n%b != 0 {
		n += a
	}
	return n
}

// share is how an access divides a slice among the work-items; see Footprint.
type share struct {
	param             int
	reach             abi.Reach
	perItem, multiple int64
	strides           []abi.Stride
	most              int64
}

// index reports how v divides its slice, if each work-item accesses elements of its own, or of its
// block if there are blocks, and why not otherwise.
func (f *footprinter) index(v *ir.Value, k *blocks) (s share, why Why) {
	switch {
	case IsAtomic(v):
		return s, WhyAtomic
	case v.Matrices() != nil: // work-items load and store for one another
		return s, WhyIndex
	case v.Block.Func != f.m.Kernel || f.m.Level != ir.Built || f.m.Items != 1 || f.m.Form == abi.Task || f.m.Rank < 1 || f.m.Rank > 3:
		return s, WhyForm
	case !f.inRange(v.Block):
		return s, WhyIndex
	}
	// The element is at the sum of the indices from the slice's own address on: with
	//
	//	%1 = AddrOf addr [%0 i32, %a]     ; t := s[a:]
	//	%2 = Load i32 [%1 i32, %b]        ; t[b]
	//
	// it is a + b, so long as all have elements of one size.
	x := indexer{f: f, b: v.Block, steps: maxIndexSteps, blocks: k}
	elem, base := v.Ref().Elem, v.Path()[0]
	at, ok := x.signed(v.Path()[1])
	for ok && base.Op == ir.OpAddrOf && base.Ref().Var == nil && base.Ref().Elem == elem && len(base.Path()) == 2 {
		var low sum
		if low, ok = x.signed(base.Path()[1]); ok {
			at, ok = at.plus(low, 1)
		}
		base = base.Path()[0]
	}
	if !ok {
		return s, WhyIndex
	}
	if base.Op != ir.OpArg {
		return s, WhyAddress
	}
	param, ok := f.roots.params[base.Bits]
	if !ok || f.m.Params[param].ElemSize != elem.Size {
		return s, WhyAddress
	}
	if s, ok = x.split(at); !ok {
		return s, WhyIndex
	}
	s.param, s.reach, s.multiple = param, abi.ReachOwn, 1
	return s, WhyNot
}
