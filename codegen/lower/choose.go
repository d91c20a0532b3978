package lower

// This file lowers uses of array and slice elements that are selected at run time.

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

// elemAddr returns a pointer to an element of an array or slice whose elements are known during
// lowering. The caller has checked the index. If the index is not constant and the elements are
// only read, the pointer refers to a chosenVar, which selects one of the elements. If the elements
// may be written, the pointer is a oneOf with an alternative for each element.
func (l *lowerer) elemAddr(in *ssa.IndexAddr, x resolvedSlice, idx *ir.Value) val {
	if idx.IsConst() && idx.Bits < uint64(x.n) {
		return pointer{ref: x.refs[idx.Bits]}
	}
	if idx.IsConst() || x.n == 0 { // the check of the index has failed
		return l.zeroValue(in.Type())
	}
	elem := in.Type().Underlying().(*types.Pointer).Elem()
	if onlyRead(in) && !gotypes.HoldsArray(elem) {
		if _, ok := x.refs[0].(*cell); ok {
			return pointer{ref: chosenVar{x.refs[:x.n], idx}}
		}
		var all []val
		for _, r := range x.refs[:x.n] {
			all = append(all, r.(constRef).v)
		}
		if v, ok := l.selectElem(all, idx, elem); ok {
			return pointer{ref: constRef{v: v}}
		}
		return l.notOneOf(all, elem)
	}
	if x.n > maxAlts {
		return l.unknownValue(elem, "")
	}
	u := oneOf{tag: l.toI32(idx)}
	for _, r := range x.refs[:x.n] {
		u.alts = append(u.alts, pointer{ref: r})
	}
	if len(u.alts) == 1 {
		return u.alts[0]
	}
	return u
}

// partAddr lowers the address of a field or element of the oneOf u. Each alternative of u must be a
// pointer that is not nil, or a resolvedSlice. The emitted code has no branches, and the result may
// be a oneOf of several addresses.
func (l *lowerer) partAddr(in ssa.Value, u oneOf) (val, bool) {
	var alts []val
	switch in := in.(type) {
	case *ssa.Slice:
		if !gotypes.IsString(in.Type()) {
			return nil, false
		}
		lo, hi := l.sliceBound(in.Low), l.sliceBound(in.High)
		return l.sliceSome(in, u, lo, hi), true
	case *ssa.Convert:
		if gotypes.IsString(in.Type()) {
			return l.viewsOf(u), true
		}
		_, ok := load.Reinterpreted(in)
		return u, ok || load.OnlyReinterpreted(in)
	case *ssa.FieldAddr:
		if !allPointers(u.alts) {
			return nil, false
		}
		for _, alt := range u.alts {
			alts = append(alts, l.withOperand(in.X, alt, func() val { return l.fieldAddr(in) }))
		}
	case *ssa.IndexAddr:
		i, ok := l.valueOf(in.Index).(*ir.Value)
		if !ok {
			return nil, false
		}
		if _, isSlice := in.X.Type().Underlying().(*types.Slice); isSlice {
			if alts = l.partOfSlices(in, u, i); alts == nil {
				return nil, false
			}
			break
		}
		if !allPointers(u.alts) {
			return nil, false
		}
		n := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
		idx := l.checkIndex(i, in.Index.Type(), l.m.Int(ir.TypeI64, n))
		for _, alt := range u.alts {
			alts = append(alts, l.indexArray(in, alt.(pointer).ref, idx))
		}
	default:
		return nil, false
	}
	if slices.ContainsFunc(alts, holdsBad) {
		return badVal{}, true
	}
	return l.flattenAlts(oneOf{u.tag, alts}, in.Type()), true
}

// allPointers reports whether all alternatives are pointers that cannot be nil.
func allPointers(alts []val) bool {
	return !slices.ContainsFunc(alts, func(alt val) bool {
		p, ok := alt.(pointer)
		return !ok || p.isNil != nil && !(p.isNil.IsConst() && p.isNil.Bits == 0)
	})
}

// partOfSlices returns the address of element i in each slice among the alternatives of u.
// partOfSlices returns nil if an alternative is neither a nil slice nor a resolvedSlice.
func (l *lowerer) partOfSlices(in *ssa.IndexAddr, u oneOf, i *ir.Value) []val {
	var lens, alts []val
	for j := range u.alts {
		x, ok := l.altOf(u, j).(resolvedSlice)
		if !ok && !isNilShape(l.altOf(u, j)) {
			return nil
		}
		lens = append(lens, l.m.Int(ir.TypeI64, int64(x.n)))
	}
	if l.isFlat(in.X.Type().Underlying().(*types.Slice).Elem()) {
		return nil
	}
	n, _ := l.chooseScalar(lens, u.tag)
	idx := l.checkIndex(i, in.Index.Type(), n.(*ir.Value))
	for j := range u.alts {
		x, _ := u.alts[j].(resolvedSlice)
		at := idx
		if !idx.IsConst() { // the index may be out of range for the slices that are not selected
			at = l.op(ir.OpSelect, idx.Type, l.isAlt(u, j), idx, l.m.Const(idx.Type, 0))
		}
		alts = append(alts, l.elemAddr(in, x, at))
	}
	return alts
}

// flattenAlts returns u with each nested oneOf replaced by its own alternatives.
func (l *lowerer) flattenAlts(u oneOf, t types.Type) val {
	out := oneOf{}
	var tags []val
	for _, alt := range u.alts {
		first := l.m.Int(ir.TypeI32, int64(len(out.alts)))
		inner, ok := alt.(oneOf)
		if !ok {
			out.alts, tags = append(out.alts, alt), append(tags, first)
			continue
		}
		out.alts = append(out.alts, inner.alts...)
		tags = append(tags, l.op(ir.OpIAdd, ir.TypeI32, first, inner.tag))
	}
	if len(out.alts) > maxAlts {
		return l.unknownValue(t, "")
	}
	tag, _ := l.chooseScalar(tags, u.tag)
	out.tag = tag.(*ir.Value)
	return out
}

// elemOf returns the element with index idx of an array value.
func (l *lowerer) elemOf(in *ssa.Index, elems []val, idx *ir.Value) val {
	if idx.IsConst() && idx.Bits < uint64(len(elems)) {
		return elems[idx.Bits]
	}
	if idx.IsConst() || len(elems) == 0 { // the check of the index has failed
		return l.zeroValue(in.Type())
	}
	if slices.ContainsFunc(elems, holdsBad) {
		return badVal{}
	}
	if v, ok := l.selectElem(elems, idx, in.Type()); ok {
		return v
	}
	return l.notOneOf(elems, in.Type())
}

// onlyRead reports whether all uses of the address addr only read memory.
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

// unknownValue reports an error for a value of type t, because code cannot select the value from
// several values at run time. If a part of a value prevents the selection, unclearPart describes
// the part.
func (r *reporter) unknownValue(t types.Type, unclearPart string) val {
	if unclearPart == "" {
		r.errorf(diag.Type, r.pos, "let fewer be stored, or use a switch",
			"which element of type %v is taken must be known when the kernel is generated, as it may be one of more than %d", t, maxAlts)
		return badVal{}
	}
	r.errorf(diag.Type, r.pos, "index it by constants, range over it, or use a switch",
		"which element of type %v is taken must be known when the kernel is generated, as one holds %s", t, unclearPart)
	return badVal{}
}

// chosenVar is a reference to one of several variables, which an index selects at run time. A load
// through a chosenVar loads all the variables and selects one of the values.
type chosenVar struct {
	refs []ref
	idx  *ir.Value
}

// fieldRef returns a reference to field i of the chosen variable.
func (c chosenVar) fieldRef(i int) chosenVar {
	out := chosenVar{idx: c.idx}
	for _, r := range c.refs {
		out.refs = append(out.refs, r.(*cell).fields[i])
	}
	return out
}

func (l *lowerer) loadChoice(c chosenVar) val {
	var all []val
	for _, r := range c.refs {
		all = append(all, l.loadRef(r, nil))
	}
	if slices.ContainsFunc(all, holdsBad) {
		return badVal{}
	}
	t := c.refs[0].(*cell).typ
	if v, ok := l.selectElem(all, c.idx, t); ok {
		return v
	}
	return l.notOneOf(all, t)
}

// notOneOf reports an error for values that selectElem cannot combine.
func (r *reporter) notOneOf(all []val, t types.Type) val {
	for _, v := range all {
		if why := whyNoAlt(v); why != "" {
			return r.unknownValue(t, why)
		}
	}
	return r.unknownValue(t, "")
}

// selectElem returns element idx of the list "all", whose values have type t. Functions, interface
// values, pointers and slices of different shapes are combined into a oneOf.
func (l *lowerer) selectElem(all []val, idx *ir.Value, t types.Type) (val, bool) {
	switch first := all[0].(type) {
	case str, dynText:
		return l.chooseText(all, idx)
	case *ir.Value:
		return l.chooseScalar(all, idx)
	case tuple:
		parts := gotypes.ElemTypes(t)
		out := tuple{make([]val, len(first.elems))}
		for i := range out.elems {
			var each []val
			for _, v := range all {
				each = append(each, v.(tuple).elems[i])
			}
			var ok bool
			if out.elems[i], ok = l.selectElem(each, idx, parts(i)); !ok {
				return nil, false
			}
		}
		return out, true
	}
	return l.chooseShape(all, idx, t)
}

// chooser combines several values of possibly different shapes into one value.
type chooser struct {
	shapes  []val           // distinct shapes of the values
	scalars [][][]*ir.Value // run-time scalars of the values, indexed by shape and then by value; nil where the value has another shape
	tags    []val           // shape number of each value
}

// chooseShape returns element idx of the list "all", whose values may have different shapes.
func (l *lowerer) chooseShape(all []val, idx *ir.Value, t types.Type) (val, bool) {
	var c chooser
	for i, v := range all {
		u, ok := v.(oneOf)
		if !ok {
			u = oneOf{tag: l.m.Int(ir.TypeI32, 0), alts: []val{v}}
		}
		var numbers []val
		for j, alt := range u.alts {
			if isNilShape(alt) && isReference(alt) {
				alt = nilAlt{t}
			}
			x, ok := l.prepareAlt(alt, t)
			if !ok {
				return nil, false
			}
			n := c.shapeNumber(l, x, len(all))
			l.copyHeld(c.shapes[n], x, func() *ir.Value {
				is := l.op(ir.OpIEq, ir.TypeBool, idx, l.m.Int(idx.Type, int64(i)))
				if len(u.alts) > 1 {
					is = l.op(ir.OpLAnd, ir.TypeBool, is, l.isAlt(u, j))
				}
				return is
			}, true)
			xs := append([]*ir.Value{}, scalarsOf(x)...) // must not be nil, even if the value has no run-time scalars
			if had := c.scalars[n][i]; had != nil {
				for k := range xs {
					xs[k] = l.op(ir.OpSelect, xs[k].Type, l.isAlt(u, j), xs[k], had[k])
				}
			}
			c.scalars[n][i] = xs
			numbers = append(numbers, l.m.Int(ir.TypeI32, int64(n)))
		}
		tag, _ := l.chooseScalar(numbers, u.tag)
		c.tags = append(c.tags, tag)
	}
	if len(c.shapes) > maxAlts {
		return nil, false
	}
	out := oneOf{}
	for n, shape := range c.shapes {
		xs := l.chooseLeaves(c.scalars[n], idx)
		k := -1
		v := rebuild(shape, func() *ir.Value { k++; return xs[k] })
		out.alts = append(out.alts, mapHeld(v, func(h heldArray, _ altCondition) val { return array{h.at} }))
	}
	if len(out.alts) == 1 {
		return l.altOf(out, 0), true
	}
	tag, _ := l.chooseScalar(c.tags, idx)
	out.tag = tag.(*ir.Value)
	return out, true
}

// shapeNumber returns the number of the shape of v. For a shape that is not in the list,
// shapeNumber returns a new number.
func (c *chooser) shapeNumber(l *lowerer, v val, values int) int {
	for n, s := range c.shapes {
		if sameShape(s, v) {
			return n
		}
	}
	c.shapes = append(c.shapes, l.holdAnew(v))
	c.scalars = append(c.scalars, make([][]*ir.Value, values))
	return len(c.shapes) - 1
}

// chooseLeaves selects, by index idx, the run-time scalars (leaves) of one of several values. All
// values that idx can select have the same shape. The list contains nil in place of the scalars of
// values with other shapes.
func (w *builder) chooseLeaves(values [][]*ir.Value, idx *ir.Value) []*ir.Value {
	some := values[slices.IndexFunc(values, func(xs []*ir.Value) bool { return xs != nil })]
	out := make([]*ir.Value, len(some))
	for k := range out {
		var each []val
		for _, xs := range values {
			if xs == nil {
				xs = some
			}
			each = append(each, xs[k])
		}
		x, _ := w.chooseScalar(each, idx)
		out[k] = x.(*ir.Value)
	}
	return out
}

func (l *lowerer) chooseText(vs []val, idx *ir.Value) (val, bool) {
	var all []dynText
	constant := true
	for _, v := range vs {
		t, ok := l.tables.textOf(v)
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

func (w *builder) chooseScalar(vs []val, idx *ir.Value) (val, bool) {
	var all []*ir.Value
	constant, same, counts := true, true, true
	for i, v := range vs {
		x, ok := v.(*ir.Value)
		if !ok {
			return nil, false
		}
		constant = constant && x.IsConst()
		same = same && x == vs[0]
		counts = counts && x.IsConst() && x.Type == ir.TypeI32 && x.Bits == uint64(i)
		all = append(all, x)
	}
	t := all[0].Type
	switch {
	case same:
		return all[0], true
	case counts:
		return w.toI32(idx), true
	case constant && t != ir.TypeAddr:
		m := w.scalarTable(t, all).atIndex(w.toI32(idx))
		v := w.op(ir.OpLoad, t, m.args()...)
		v.Aux = m.auxRef()
		return v, true
	}
	out := all[0]
	for i, x := range all[1:] {
		if x == out {
			continue
		}
		is := w.op(ir.OpIEq, ir.TypeBool, idx, w.m.Int(idx.Type, int64(i+1)))
		out = w.op(ir.OpSelect, t, is, x, out)
	}
	return out, true
}

// constText selects one of several constant texts by index idx.
func (w *builder) constText(all []dynText, idx *ir.Value) dynText {
	var offs, lens []int64
	for _, t := range all {
		offs, lens = append(offs, t.off.Int()), append(lens, t.n.Int())
	}
	load := func(what string, ns []int64) *ir.Value {
		table := w.numberTable(what+strings.Trim(fmt.Sprint(ns), "[]"), ns)
		return w.op(ir.OpUConvert, ir.TypeI64, w.loadVarAt(table, w.toI32(idx)))
	}
	return dynText{load("texts at ", offs), load("texts of length ", lens)}
}
