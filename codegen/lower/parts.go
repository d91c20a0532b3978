package lower

import (
	"fmt"
	"go/types"
	"slices"
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
		p.refs = append(p.refs, constRef{v: v})
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
			return bad{}
		}
		*p.to = int(p.v.Bits)
	}
	if a > b || b > c {
		l.errorf(diag.Type, in.Pos(), "slice it by constants, within its length", "the bounds of this slice expression are out of order")
		return bad{}
	}
	x.refs, x.n, x.from = x.refs[a:c], b-a, x.from+a
	return x
}

// indexParts returns the element of an array or slice whose elements are resolved
// while lowering. The index need not be known where elements are only read that
// choose can choose among.
func (l *lowerer) indexParts(in ssa.Value, x parts, idx *ir.Value) (ref, bool) {
	if idx.IsConst() && idx.Bits < uint64(x.n) {
		return x.refs[idx.Bits], true
	}
	if idx.IsConst() || x.n == 0 {
		return nil, false
	}
	if addr, ok := in.(*ssa.IndexAddr); ok && !onlyRead(addr) {
		return nil, false
	}
	var all []val
	for _, r := range x.refs[:x.n] {
		switch r := r.(type) {
		case constRef:
			all = append(all, r.v)
		case *cell:
			if reasonAgainst(r.typ) != "" {
				return nil, false
			}
		}
	}
	if len(all) == 0 {
		return choice{x.refs[:x.n], idx}, true
	}
	v, ok := l.choose(all, idx)
	return constRef{v: v}, ok
}

// onlyRead reports whether what the address leads to is only read.
func onlyRead(addr ssa.Value) bool {
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			if !onlyRead(r) {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// choice refers to one of several variables, by an index that is not known: what it has
// is chosen among what they have when it is read.
type choice struct {
	refs []ref
	idx  *ir.Value
}

// field refers to a field of the one.
func (c choice) field(i int) choice {
	out := choice{idx: c.idx}
	for _, r := range c.refs {
		out.refs = append(out.refs, r.(*cell).fields[i])
	}
	return out
}

func (l *lowerer) loadChoice(c choice) val {
	var all []val
	for _, r := range c.refs {
		all = append(all, l.loadRef(r, nil))
	}
	if slices.ContainsFunc(all, holdsBad) {
		return bad{}
	}
	v, ok := l.choose(all, c.idx)
	if !ok {
		panic("BUG: a choice among what cannot be chosen among")
	}
	return v
}

// choose returns the value of an index among values of one type, if these are made of
// scalars and strings, or are interface values of one dynamic type.
func (l *lowerer) choose(all []val, idx *ir.Value) (val, bool) {
	switch first := all[0].(type) {
	case str, text:
		return l.chooseText(all, idx)
	case *ir.Value:
		return l.chooseScalar(all, idx)
	case tuple:
		out := tuple{make([]val, len(first.elems))}
		for i := range out.elems {
			var each []val
			for _, v := range all {
				each = append(each, v.(tuple).elems[i])
			}
			var ok bool
			if out.elems[i], ok = l.choose(each, idx); !ok {
				return nil, false
			}
		}
		return out, true
	case iface:
		var each []val
		for _, v := range all {
			v := v.(iface)
			if v.typ == nil || first.typ == nil || !types.Identical(v.typ, first.typ) {
				return nil, false
			}
			each = append(each, v.v)
		}
		v, ok := l.choose(each, idx)
		return iface{typ: first.typ, v: v}, ok
	}
	return nil, false
}

func (l *lowerer) chooseText(vs []val, idx *ir.Value) (val, bool) {
	var all []text
	constant := true
	for _, v := range vs {
		t, ok := l.textOf(v)
		if !ok {
			return nil, false
		}
		constant = constant && t.off.IsConst() && t.n.IsConst()
		all = append(all, t)
	}
	if constant {
		return l.constText(all, idx), true
	}
	out := all[0]
	for i, t := range all[1:] {
		is := l.op(ir.OpIEq, ir.TypeBool, idx, l.m.Int(idx.Type, int64(i+1)))
		out.off, out.n = l.op(ir.OpSelect, ir.TypeI64, is, t.off, out.off), l.op(ir.OpSelect, ir.TypeI64, is, t.n, out.n)
	}
	return out, true
}

func (l *lowerer) chooseScalar(vs []val, idx *ir.Value) (val, bool) {
	var all []*ir.Value
	constant := true
	for _, v := range vs {
		x, ok := v.(*ir.Value)
		if !ok {
			return nil, false
		}
		constant = constant && x.IsConst()
		all = append(all, x)
	}
	t := all[0].Type
	if constant {
		m := l.scalars(t, all).at(l.toI32(idx))
		v := l.op(ir.OpLoad, t, m.args()...)
		v.Aux = m.auxRef()
		return v, true
	}
	out := all[0]
	for i, x := range all[1:] {
		is := l.op(ir.OpIEq, ir.TypeBool, idx, l.m.Int(idx.Type, int64(i+1)))
		out = l.op(ir.OpSelect, t, is, x, out)
	}
	return out, true
}

// reasonAgainst says what keeps choose from choosing among values of the type, or "".
func reasonAgainst(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return ""
	case *types.Struct:
		for f := range u.Fields() {
			if r := reasonAgainst(f.Type()); r != "" {
				return r
			}
		}
		return ""
	case *types.Array:
		return "an array"
	case *types.Signature:
		return "a function"
	case *types.Interface:
		return "an interface"
	case *types.Pointer:
		return "a pointer"
	case *types.Slice:
		return "a slice"
	}
	return "what has no address"
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
		return bad{}
	}
	for i, v := range l.elems(more) {
		l.storeRef(x.refs[x.n+i], v, nil)
	}
	x.n += more.n
	return x
}
