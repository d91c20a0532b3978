package facts

// This file finds which elements of each slice a work-item uses. A work-item may use only its own
// elements, only the elements of its work-group, or any elements. The footprints decide whether two
// kernels may be fused, that is, combined into one launch. A memory location is shared by two
// kernels if one kernel writes it and the other kernel uses it. Two kernels may be fused if each
// shared location belongs to the same work-item in both kernels. If a barrier separates the two
// kernels, a shared location only needs to belong to the same work-group in both kernels. The file
// indices.go analyses indices, and blocks.go analyses indices that stay within the work-group.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Why enumerates the reasons why a footprint has ReachAny. A footprint with ReachGroup always has
// the reason WhyIndex.
type Why uint8

const (
	WhyNot     Why = iota // no reason, since the reach is ReachNone or ReachOwn
	WhyAtomic             // an access is atomic
	WhyAddress            // an address is computed, or may point into several slices
	WhyIndex              // there is no proof that an index selects an element of the work-item itself
	WhyDiffer             // two accesses divide the slice among the work-items differently
	WhyElem               // two accesses have different element types
	WhyForm               // the kernel is a task, or runs several work-items per invocation
)

// Footprint describes how a kernel uses the memory of a slice parameter. If a parameter is not a
// slice, its Footprint is zero.
type Footprint struct {
	abi.Footprint
	Access abi.Access // kinds of access by any work-item, such as reads
	Elem   *ir.Type   // element type of all accesses; nil with ReachAny

	// Pos is the source position of the access that makes the reach ReachAny or ReachGroup. The
	// field Why contains the reason why the reach is not ReachOwn. With ReachOwn, Pos is the source
	// position of the first access to the slice. Index is the index at Pos as source-like text, or
	// "" if the text would be too long.
	Pos   ir.Pos
	Why   Why
	Index string
}

// Footprints returns the footprint of each parameter of a module. Footprints must be called right
// after the pass arrays, when the module still has all checks of indices. Footprints does not
// change the module. For a module that is compiled for small launches, the result is valid only in
// small launches.
func Footprints(m *ir.Module) []Footprint {
	f := newFootprinter(m)
	for _, fn := range rewrite.Bodies(m) {
		for _, b := range fn.ReversePostorder() {
			for _, v := range b.Insts {
				if r := v.Ref(); r != nil && r.Var == nil && v.Op != ir.OpAddrOf {
					f.addAccess(v)
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

// manyItems is a number of work-items so large that no launch could finish them in practice.
const manyItems = 1 << 40

// Limited reports whether f permits only launches with fewer work-items than the largest launch of
// the given rank.
func (f *Footprint) Limited(rank int) bool {
	return f.Bound() < manyItems && !(f.Bound() >= abi.MaxRange && rank == 1)
}

// OwnChecks returns the comparisons i < len(s) in which i is the index of one of the work-item's
// own elements. The slice s is the parameter with index param and has the reach ReachOwn. The
// comparisons are true if the slice has p.PerItem elements for each work-item and the launch
// satisfies the conditions p.Strides and p.Most.
func OwnChecks(m *ir.Module, param int, p *Footprint) []*ir.Value {
	f := newFootprinter(m)
	var own []*ir.Value
	for _, b := range m.Kernel.ReversePostorder() {
		for _, v := range b.Insts {
			if v.Op != ir.OpULt || !IsLen(m, v.Args[1], param) || !f.inRange(b) {
				continue
			}
			x := indexer{f: f, b: b, stepsLeft: maxIndexSteps}
			at, ok := x.signedSum(v.Args[0])
			if !ok {
				continue
			}
			s, ok := x.splitSum(at)
			if ok && s.perItem == p.PerItem && slices.Equal(s.strides, p.Strides) && s.most >= p.Bound() {
				own = append(own, v)
			}
		}
	}
	return own
}

// IsLen reports whether v is the length of the slice parameter with index param.
func IsLen(m *ir.Module, v *ir.Value, param int) bool {
	return v.Op == ir.OpArg && v.Bits == uint64(abi.OffsetArgs+m.Params[param].Offset+8)
}

// footprinter collects the footprints of a module's parameters.
type footprinter struct {
	m      *ir.Module
	roots  *Roots
	ranges *Ranges
	guards [3][]*ir.Block // blocks found by findGuards, one list for each dimension
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

// findGuards finds the blocks in which a work-item's id is known to be within the launch's range,
// for each dimension. A work-item's id is also within the range in all blocks that a found block
// dominates. A kernel over a range begins with a test of the id, because the last work-groups may
// extend past the range:
//
//	%0 = BuiltIn i32 GlobalInvocationId.x
//	%1 = Arg i32 8
//	%2 = ULt bool %0, %1
//	Branch %2, b1, b6                     (findGuards finds b1.)
func (f *footprinter) findGuards() {
	f.ranges.eachNote(func(n *valueNotes) {
		if n.v.Op != ir.OpBuiltIn {
			return
		}
		d, ok := idDimension(n.v)
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

// inRange reports whether only work-items whose ids are within the launch's range execute block b.
func (f *footprinter) inRange(b *ir.Block) bool {
	if f.m.Form == abi.NDRange {
		return true // in an nd-range launch, the ids of all work-items are within the range
	}
	for d := range f.m.Rank {
		if !slices.ContainsFunc(f.guards[d], func(from *ir.Block) bool { return f.ranges.Dom.Dominates(from, b) }) {
			return false
		}
	}
	return true
}

// addAccess adds the device memory access v to the footprint of each slice that v may
// access.
func (f *footprinter) addAccess(v *ir.Value) {
	one, why := f.indexShare(v, nil)
	if why == WhyIndex {
		if g, ok := f.groupShare(v); ok {
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
		q, ok := p.withShare(one, i, v.Ref().Elem, why)
		if !ok || q.Reach > p.Reach {
			q.Pos, q.Index = v.Pos, f.indexText(v)
		}
		*p = q
	}
}

// withShare returns the footprint of parameter i after another access is added. The accessed elements have type
// elem. withShare returns false if the resulting reach is ReachAny.
func (p *Footprint) withShare(one accessShare, i int, elem *ir.Type, why Why) (q Footprint, ok bool) {
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
		if q.Multiple = leastMultiple(p.Multiple, one.multiple); q.Multiple > abi.MaxLocalSize {
			why = WhyDiffer // the common multiple is larger than any work-group
			break
		}
		if q.Most = min(p.Most, one.most); one.reach > p.Reach {
			q.Reach, q.Why = one.reach, why
		}
		return q, true
	}
	return Footprint{Footprint: abi.Footprint{Reach: abi.ReachAny, Atomic: p.Atomic}, Access: p.Access, Why: why}, false
}

// leastMultiple returns the least common multiple of two positive numbers, which must be at most
// abi.MaxLocalSize.
func leastMultiple(a, b int64) int64 {
	n := a
	for n%b != 0 {
		n += a
	}
	return n
}

// accessShare describes how a single access divides a slice among the work-items. Fields with the
// same name in accessShare and abi.Footprint have the same meaning.
type accessShare struct {
	param             int
	reach             abi.Reach
	perItem, multiple int64
	strides           []abi.Stride
	most              int64
}

// indexShare returns how the access v divides its slice among the work-items. If k is nil, each
// work-item must access only its own elements. If k is not nil, each work-item may access all
// elements of its block of work-items, which k describes. If a work-item may access any other
// element, indexShare returns the reason.
func (f *footprinter) indexShare(v *ir.Value, k *itemBlocks) (s accessShare, why Why) {
	switch {
	case IsAtomic(v):
		return s, WhyAtomic
	case v.Matrices() != nil: // for a matrix, a work-item loads and stores elements that belong to other work-items
		return s, WhyIndex
	case v.Block.Func != f.m.Kernel || f.m.Level != ir.Built || f.m.Items != 1 || f.m.Form == abi.Task || f.m.Rank < 1 || f.m.Rank > 3:
		return s, WhyForm
	case !f.inRange(v.Block):
		return s, WhyIndex
	}
	// The element's index in the parameter's slice is the sum of all indices on the path to the
	// element. For example:
	//
	//	%1 = AddrOf addr [%0 i32, %a]     (t := s[a:])
	//	%2 = Load i32 [%1 i32, %b]        (t[b])
	//
	// In this example, the element's index is a + b, provided that all elements on the path have
	// the same size.
	x := indexer{f: f, b: v.Block, stepsLeft: maxIndexSteps, idBlocks: k}
	elem, base := v.Ref().Elem, v.Path()[0]
	at, ok := x.signedSum(v.Path()[1])
	for ok && base.Op == ir.OpAddrOf && base.Ref().Var == nil && base.Ref().Elem == elem && len(base.Path()) == 2 {
		var low indexSum
		if low, ok = x.signedSum(base.Path()[1]); ok {
			at, ok = at.plusTimes(low, 1)
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
	if s, ok = x.splitSum(at); !ok {
		return s, WhyIndex
	}
	s.param, s.reach, s.multiple = param, abi.ReachOwn, 1
	return s, WhyNot
}
