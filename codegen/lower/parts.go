package lower

// This file handles slices whose elements are known during lowering.

import (
	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// resolvedSlice is a slice whose elements are known during lowering. The elements are variables of
// the kernel, or constants of a package.
type resolvedSlice struct {
	refs   []ref // elements up to the slice's capacity; each is a *cell or a constRef
	n      int   // length of the slice
	global *ssa.Global
	from   int // index of the slice's first element inside the variable in field "global"
}

// partsOf returns an array's elements as a slice.
func partsOf(cells []*cell) resolvedSlice {
	p := resolvedSlice{n: len(cells)}
	for _, c := range cells {
		p.refs = append(p.refs, c)
	}
	return p
}

// constParts returns a slice whose elements are the given constants. If parameter id is not nil, it
// identifies the object (such as an array of package constinit) to which the elements belong.
func constParts(vs []val, id any) resolvedSlice {
	p := resolvedSlice{n: len(vs)}
	for i, v := range vs {
		r := constRef{v: v}
		if id != nil {
			r.id = partKey{id, i}
		}
		p.refs = append(p.refs, r)
	}
	return p
}

// sameElems reports whether two slices have the same elements and capacity.
func (p resolvedSlice) sameElems(q resolvedSlice) bool {
	if p.n != q.n || len(p.refs) != len(q.refs) || p.global != q.global {
		return false
	}
	if p.global != nil {
		return p.from == q.from
	}
	for i, r := range p.refs {
		if !sameCell(r, q.refs[i]) {
			return false
		}
	}
	return true
}

// sliceParts lowers x[lo:hi:max].
func (r *reporter) sliceParts(in *ssa.Slice, x resolvedSlice, lo, hi, mx *ir.Value) val {
	a, b, c := 0, x.n, len(x.refs)
	for _, p := range []struct {
		to *int
		v  *ir.Value
	}{{&a, lo}, {&b, hi}, {&c, mx}} {
		if p.v == nil {
			continue
		}
		if !p.v.IsConst() || p.v.Bits > uint64(len(x.refs)) {
			r.errorf(diag.Type, in.Pos(), "slice it by constants, within its length",
				"which elements of this %v are taken must be known when the kernel is generated", in.Type())
			return badVal{}
		}
		*p.to = int(p.v.Bits)
	}
	if a > b || b > c {
		r.errorf(diag.Type, in.Pos(), "slice it by constants, within its length", "the bounds of this slice expression are out of order")
		return badVal{}
	}
	x.refs, x.n, x.from = x.refs[a:c], b-a, x.from+a
	return x
}

// elemValues returns the values of the elements of slice x.
func (l *lowerer) elemValues(x resolvedSlice) []val {
	var out []val
	for _, r := range x.refs[:x.n] {
		out = append(out, l.loadRef(r, nil))
	}
	return out
}

// copyParts lowers copy(dst, src).
func (l *lowerer) copyParts(dst, src resolvedSlice) val {
	n := min(dst.n, src.n)
	for i, v := range l.elemValues(src)[:n] {
		l.storeRef(dst.refs[i], v, nil)
	}
	return l.m.Int(ir.TypeI64, int64(n))
}

// appendParts lowers append(x, more...).
func (l *lowerer) appendParts(in *ssa.Call, x, more resolvedSlice) val {
	if x.n+more.n > len(x.refs) {
		l.errorf(diag.Alloc, in.Pos(), "append within the capacity: s := a[:0] of an array a",
			"append has to allocate here, since the slice's capacity is %d, and a kernel cannot", len(x.refs))
		return badVal{}
	}
	for i, v := range l.elemValues(more) {
		l.storeRef(x.refs[x.n+i], v, nil)
	}
	x.n += more.n
	return x
}
