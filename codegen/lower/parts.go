package lower

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// parts is a slice of elements that are resolved while lowering: its variables, or
// constants of a package.
type parts struct {
	refs []ref // as many as its capacity, each a *cell or a constRef
	n    int   // its length
	of   *ssa.Global
	from int // where it begins in of
}

// partsOf returns the slice of an array's elements.
func partsOf(cells []*cell) parts {
	p := parts{n: len(cells)}
	for _, c := range cells {
		p.refs = append(p.refs, c)
	}
	return p
}

// constParts returns the slice of constants.
func constParts(vs []val) parts {
	p := parts{n: len(vs)}
	for _, v := range vs {
		p.refs = append(p.refs, constRef{v})
	}
	return p
}

// same reports whether two slices are the same.
func (p parts) same(q parts) bool {
	if p.n != q.n || len(p.refs) != len(q.refs) || p.of != q.of {
		return false
	}
	if p.of != nil {
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
func (l *lowerer) sliceParts(in *ssa.Slice, x parts, lo, hi, mx *ir.Value) val {
	a, b, c := 0, x.n, len(x.refs)
	for _, p := range []struct {
		to *int
		v  *ir.Value
	}{{&a, lo}, {&b, hi}, {&c, mx}} {
		if p.v == nil {
			continue
		}
		if !p.v.IsConst() || p.v.Bits > uint64(len(x.refs)) {
			l.errorf(diag.Type, in.Pos(), "slice it by constants, within its length",
				"which elements of this %v are taken must be known when the kernel is generated", in.Type())
			return x
		}
		*p.to = int(p.v.Bits)
	}
	if a > b || b > c {
		l.errorf(diag.Type, in.Pos(), "slice it by constants, within its length", "the bounds of this slice expression are out of order")
		return x
	}
	x.refs, x.n, x.from = x.refs[a:c], b-a, x.from+a
	return x
}

// indexParts returns the element of an array or slice whose elements are resolved
// while lowering. Of strings, the index need not be known where they are only read.
func (l *lowerer) indexParts(in ssa.Value, x parts, idx *ir.Value) (ref, bool) {
	if idx.IsConst() && idx.Bits < uint64(x.n) {
		return x.refs[idx.Bits], true
	}
	if idx.IsConst() || x.n == 0 {
		return nil, false
	}
	if addr, ok := in.(*ssa.IndexAddr); ok {
		for _, r := range *addr.Referrers() {
			switch r.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			default:
				return nil, false
			}
		}
	}
	var all []text
	constant := true
	for _, r := range x.refs[:x.n] {
		var v val
		switch r := r.(type) {
		case constRef:
			v = r.v
		case *cell:
			if !isString(r.typ) {
				return nil, false
			}
			v, constant = l.loadCell(r), false
		}
		t, ok := l.textOf(v)
		if !ok {
			return nil, false
		}
		all = append(all, t)
	}
	if constant {
		return constRef{l.constText(all, idx)}, true
	}
	out := all[0]
	for i, t := range all[1:] {
		is := l.op(ir.OpIEq, ir.TypeBool, idx, l.m.Int(idx.Type, int64(i+1)))
		out.off, out.n = l.op(ir.OpSelect, ir.TypeI64, is, t.off, out.off), l.op(ir.OpSelect, ir.TypeI64, is, t.n, out.n)
	}
	return constRef{out}, true
}

// constText returns one of several texts that are known.
func (l *lowerer) constText(all []text, idx *ir.Value) text {
	var offs, lens []int64
	for _, t := range all {
		offs, lens = append(offs, t.off.Int()), append(lens, t.n.Int())
	}
	load := func(what string, ns []int64) *ir.Value {
		table := l.numbers(what+strings.Trim(fmt.Sprint(ns), "[]"), ns)
		return l.op(ir.OpUConvert, ir.TypeI64, l.loadVarAt(table, l.toI32(idx)))
	}
	return text{load("texts at ", offs), load("texts of length ", lens)}
}

// elems returns the elements' values.
func (l *lowerer) elems(x parts) []val {
	var out []val
	for _, r := range x.refs[:x.n] {
		out = append(out, l.loadRef(r, nil))
	}
	return out
}

// copyParts lowers copy(dst, src).
func (l *lowerer) copyParts(dst, src parts) val {
	n := min(dst.n, src.n)
	for i, v := range l.elems(src)[:n] {
		l.storeRef(dst.refs[i], v, nil)
	}
	return l.m.Int(ir.TypeI64, int64(n))
}

// appendParts lowers append(x, more...).
func (l *lowerer) appendParts(in *ssa.Call, x, more parts) val {
	if x.n+more.n > len(x.refs) {
		l.errorf(diag.Alloc, in.Pos(), "append within the capacity: s := a[:0] of an array a",
			"append has to allocate here, since the slice's capacity is %d, and a kernel cannot", len(x.refs))
		return x
	}
	for i, v := range l.elems(more) {
		l.storeRef(x.refs[x.n+i], v, nil)
	}
	x.n += more.n
	return x
}
