package lower

// This file lowers loads, stores, and checks of indices and bounds.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// loadMem loads a value from memory m. The value has Go type t and consists only of scalars.
func (l *lowerer) loadMem(m mem, t types.Type) val {
	switch l.classify(t) {
	case classScalar:
		return l.loadScalar(m, t)
	case classStruct:
		out := tuple{}
		for i, f := range gotypes.Fields(t) {
			out.elems = append(out.elems, l.loadMem(m.atIndex(l.field(i)), f))
		}
		return out
	case classArray:
		return l.copyArray(m, t)
	}
	code, hint := badType(t)
	l.errorf(code, token.NoPos, hint, "a value of type %v cannot stand in this memory", t)
	return badVal{}
}

// storeMem stores value v in memory m. The value has Go type t and consists only of scalars.
func (l *lowerer) storeMem(m mem, v val, t types.Type) {
	switch v := v.(type) {
	case *ir.Value:
		l.storeScalar(m, v, t)
	case tuple:
		for i, f := range gotypes.Fields(t) {
			l.storeMem(m.atIndex(l.field(i)), v.elems[i], f)
		}
	case array:
		l.copyMem(m, v.at, t)
	case badVal:
	default:
		l.errorf(diag.Type, token.NoPos, "keep it in a variable, or store an index",
			"a value of type %v cannot be stored in this memory", t)
	}
}

func (w *builder) field(i int) *ir.Value { return w.m.Int(ir.TypeI32, int64(i)) }

// loadScalar loads a scalar and extends it to the width of a register.
func (w *builder) loadScalar(m mem, t types.Type) *ir.Value {
	mt := regType(t)
	if m.device() {
		mt = deviceScalar(t.Underlying().(*types.Basic))
		w.noteStorage(mt)
	}
	v := w.op(ir.OpLoad, mt, m.args()...)
	v.Aux = m.auxRef()
	switch {
	case mt == regType(t):
		return v
	case gotypes.IsBoolean(t):
		// Any byte except zero means true, although gc writes only 1.
		return w.op(ir.OpINe, ir.TypeBool, w.op(ir.OpUConvert, ir.TypeI32, v), w.m.Int(ir.TypeI32, 0))
	case gotypes.IsUnsigned(t):
		return w.op(ir.OpUConvert, ir.TypeI32, v)
	}
	return w.op(ir.OpSConvert, ir.TypeI32, v)
}

func (l *lowerer) storeScalar(m mem, x *ir.Value, t types.Type) {
	l.readonly.recordWrite(m)
	if m.device() {
		mt := deviceScalar(t.Underlying().(*types.Basic))
		l.noteStorage(mt)
		if gotypes.IsBoolean(t) {
			x = l.op(ir.OpSelect, ir.TypeI32, x, l.m.Int(ir.TypeI32, 1), l.m.Int(ir.TypeI32, 0))
		}
		if mt != x.Type {
			x = l.op(ir.OpUConvert, mt, x)
		}
	}
	v := l.op(ir.OpStore, ir.TypeVoid, append([]*ir.Value{x}, m.args()...)...)
	v.Aux = m.auxRef()
}

// emitLoop emits a loop for i from 0 to n-1. The function `body` emits the code of one iteration.
// The index i has the type of n.
func (w *builder) emitLoop(n *ir.Value, body func(i *ir.Value)) {
	v := w.m.NewVar(w.f, ir.Function, "i", n.Type)
	w.storeVar(v, w.m.Const(n.Type, 0))
	head, in, out := w.newBlock(), w.newBlock(), w.newBlock()
	w.b.Jump(head)
	w.b = head
	i := w.loadVar(v)
	w.b.Branch(w.op(ir.OpSLt, ir.TypeBool, i, n), in, out)
	w.b = in
	body(i)
	w.storeVar(v, w.op(ir.OpIAdd, n.Type, i, w.m.Const(n.Type, 1)))
	w.b.Jump(head)
	w.b = out
}

// deref returns the target of p. deref emits a check that p is not nil.
func (l *lowerer) deref(p pointer) ref {
	if p.isNil != nil {
		l.emitCheck(l.op(ir.OpLNot, ir.TypeBool, p.isNil), abi.FaultNil, nil, nil, "")
	}
	return p.ref
}

// throughNil emits a fault for an access of memory through a pointer that is always nil. throughNil
// returns whether it emitted a fault.
func (l *lowerer) throughNil(in ssa.Instruction) bool {
	var x ssa.Value
	switch in := in.(type) {
	case *ssa.Store:
		x = in.Addr
	case *ssa.UnOp:
		x = in.X
	case *ssa.FieldAddr:
		x = in.X
	case *ssa.IndexAddr:
		x = in.X
	default:
		return false
	}
	if _, ok := x.(*ssa.Global); ok {
		return false
	}
	p, ok := l.valueOf(x).(pointer)
	if !ok || !isNilShape(p) && !l.alwaysNil(p, x.Type()) {
		return false
	}
	l.emitCheck(l.m.Bool(false), abi.FaultNil, nil, nil, "")
	return true
}

// alwaysNil reports whether a pointer of type t can only be nil. A pointer to device memory is
// always nil if device memory cannot contain values of the target type.
func (w *builder) alwaysNil(p pointer, t types.Type) bool {
	m, ok := p.ref.(mem)
	to, isPointer := t.Underlying().(*types.Pointer)
	return ok && m.device() && isPointer && !w.isFlat(to.Elem())
}

func (l *lowerer) loadRef(r ref, t types.Type) val {
	switch r := r.(type) {
	case *cell:
		return l.loadCell(r)
	case mem:
		return l.loadMem(r, t)
	case constRef:
		return r.v
	case chosenVar:
		return l.loadChoice(r)
	case innerArray:
		c := l.newCell(t, "copy")
		if c.bad {
			return badVal{}
		}
		l.eachScalar(r.typ, true, func(path []*ir.Value, t types.Type) {
			l.storeScalar(c.mem.extend(path), l.loadScalar(l.inPart(r, path), t), t)
		})
		return array{c.mem}
	}
	return l.reportLost(t)
}

// inPart returns the memory at the given path inside array p, which is a part of another array.
func (w *builder) inPart(p innerArray, path []*ir.Value) mem {
	return w.elemMem(p.s, path[0]).extend(path[1:])
}

func (l *lowerer) storeRef(r ref, v val, t types.Type) {
	switch r := r.(type) {
	case *cell:
		l.storeCell(r, v)
	case mem:
		l.storeMem(r, v, t)
	case constRef:
		l.writesGlobal()
	case innerArray:
		if a, ok := v.(array); ok {
			l.eachScalar(r.typ, true, func(path []*ir.Value, t types.Type) {
				l.storeScalar(l.inPart(r, path), l.loadScalar(a.at.extend(path), t), t)
			})
		}
	}
}

// toI64 widens an integer of Go type t.
func (w *builder) toI64(v *ir.Value, t types.Type) *ir.Value {
	if v.Type == ir.TypeI64 {
		return v
	}
	if gotypes.IsUnsigned(t) {
		return w.op(ir.OpUConvert, ir.TypeI64, v)
	}
	return w.op(ir.OpSConvert, ir.TypeI64, v)
}

// toI32 narrows an index that is less than 1<<31.
func (w *builder) toI32(v *ir.Value) *ir.Value {
	if v.Type == ir.TypeI32 {
		return v
	}
	if v.IsConst() {
		return w.m.Const(ir.TypeI32, v.Bits)
	}
	return w.op(ir.OpUConvert, ir.TypeI32, v)
}

// checkIndex emits the check 0 <= i < n for an index i of Go type t. checkIndex returns the index,
// as an i32 or extended to an i64.
func (l *lowerer) checkIndex(i *ir.Value, t types.Type, n *ir.Value) *ir.Value {
	if i.IsConst() && n.IsConst() {
		wide := l.m.Const(ir.TypeI64, i.Bits)
		if i.Type == ir.TypeI32 && !gotypes.IsUnsigned(t) {
			wide = l.m.Int(ir.TypeI64, i.Int())
		}
		if wide.Bits < n.Bits {
			return wide
		}
	}
	narrow := i.Type == ir.TypeI32 && n.IsConst() && n.Bits <= 1<<31
	x, limit := i, n
	if narrow {
		limit = l.m.Const(ir.TypeI32, n.Bits)
	} else {
		x = l.toI64(i, t)
	}
	ok := l.op(ir.OpULt, ir.TypeBool, x, limit)
	l.checkBound(ok, abi.FaultIndex, func() *ir.Value { return l.toI64(i, t) }, func() *ir.Value { return n }, "", isUint64(t))
	return x
}

// isUint64 reports whether values of an integer type may exceed the greatest int64.
func isUint64(t types.Type) bool { return gotypes.IsUnsigned(t) && gotypes.Width(t) == 64 }

// isUint64Value reports whether the bound v may exceed the greatest int64. Parameter v is nil if
// the bound is missing.
func isUint64Value(v ssa.Value) bool { return v != nil && isUint64(v.Type()) }

// indexSlice returns the memory of element i of a slice. indexSlice emits a check of the index.
func (l *lowerer) indexSlice(s slice, i *ir.Value, t types.Type) mem {
	x := l.checkIndex(i, t, s.len)
	if s.at.device() {
		return s.at.atIndex(x)
	}
	return s.at.atIndex(l.addOffset(s.off, x))
}

func (w *builder) addOffset(off, x *ir.Value) *ir.Value {
	x = w.toI32(x)
	if off.IsConst() && off.Bits == 0 {
		return x
	}
	return w.op(ir.OpIAdd, ir.TypeI32, w.toI32(off), x)
}

// indexAddr lowers &x[i].
func (l *lowerer) indexAddr(in *ssa.IndexAddr) val {
	i, ok := l.valueOf(in.Index).(*ir.Value)
	if !ok {
		return l.reportLost(in.Type())
	}
	switch x := l.valueOf(in.X).(type) {
	case slice:
		if m := l.indexSlice(x, i, in.Index.Type()); l.isFlat(in.Type().Underlying().(*types.Pointer).Elem()) {
			return pointer{ref: m}
		}
		return l.zeroValue(in.Type()) // the element is a slice, which is nil
	case resolvedSlice:
		idx := l.checkIndex(i, in.Index.Type(), l.m.Int(ir.TypeI64, int64(x.n)))
		return l.elemAddr(in, x, idx)
	case pointer:
		at := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
		r := l.deref(x)
		return l.indexArray(in, r, l.checkIndex(i, in.Index.Type(), l.m.Int(ir.TypeI64, at.Len())))
	}
	return l.reportLost(in.Type())
}

// indexArray lowers &x[i], where reference r refers to the array x. The caller has checked the
// index.
func (l *lowerer) indexArray(in *ssa.IndexAddr, r ref, idx *ir.Value) val {
	switch r := r.(type) {
	case mem:
		return pointer{ref: r.atIndex(l.toI32(idx))}
	case innerArray:
		return pointer{ref: l.elemMem(r.s, idx)}
	case constRef:
		if a, ok := r.v.(array); ok {
			return pointer{ref: a.at.atIndex(l.toI32(idx))}
		}
		if t, ok := r.v.(tuple); ok {
			return l.elemAddr(in, constParts(t.elems, r.id), idx)
		}
	case *cell:
		if r.bad {
			return badVal{}
		}
		if r.mem.v != nil {
			return pointer{ref: r.mem.atIndex(l.toI32(idx))}
		}
		return l.elemAddr(in, partsOf(r.fields), idx)
	}
	return l.reportLost(in.Type())
}

// fieldAddr lowers &x.f.
func (l *lowerer) fieldAddr(in *ssa.FieldAddr) val {
	p, ok := l.valueOf(in.X).(pointer)
	if !ok {
		return l.reportLost(in.Type())
	}
	switch r := l.deref(p).(type) {
	case *cell:
		if in.Field < len(r.fields) {
			return pointer{ref: r.fields[in.Field]}
		}
		if r.bad {
			return badVal{}
		}
	case chosenVar:
		return pointer{ref: r.fieldRef(in.Field)}
	case mem:
		return pointer{ref: r.atIndex(l.field(in.Field))}
	case constRef:
		if t, ok := r.v.(tuple); ok && in.Field < len(t.elems) {
			return pointer{ref: r.partRef(in.Field)}
		}
	}
	return l.reportLost(in.Type())
}

// lowerIndex lowers x[i] of an array or string value.
func (l *lowerer) lowerIndex(in *ssa.Index) val {
	i, ok := l.valueOf(in.Index).(*ir.Value)
	if !ok {
		return l.reportLost(in.Type())
	}
	switch x := l.valueOf(in.X).(type) {
	case array:
		n := in.X.Type().Underlying().(*types.Array).Len()
		idx := l.checkIndex(i, in.Index.Type(), l.m.Int(ir.TypeI64, n))
		return l.loadMem(x.at.atIndex(l.toI32(idx)), in.Type())
	case tuple:
		idx := l.checkIndex(i, in.Index.Type(), l.m.Int(ir.TypeI64, int64(len(x.elems))))
		return l.elemOf(in, x.elems, idx)
	case str:
		return l.indexString(x.s, i, in.Index.Type())
	case bytesView, oneOf:
		return l.indexChars(in, x, i)
	case dynText:
		return l.byteAt(x, l.toI64(l.checkIndex(i, in.Index.Type(), x.n), in.Index.Type()))
	}
	return l.reportLost(in.Type())
}

// indexString lowers s[i] for a constant string s.
func (l *lowerer) indexString(s string, i *ir.Value, t types.Type) val {
	idx := l.checkIndex(i, t, l.m.Int(ir.TypeI64, int64(len(s))))
	if idx.IsConst() && idx.Bits < uint64(len(s)) {
		return l.m.Int(ir.TypeI32, int64(s[idx.Bits]))
	}
	if len(s) == 0 {
		return l.m.Int(ir.TypeI32, 0)
	}
	return l.loadMem(l.stringTable(s).atIndex(l.toI32(idx)), types.Typ[types.Byte])
}

// lowerSlice lowers x[lo:hi:max].
func (l *lowerer) lowerSlice(in *ssa.Slice) val {
	lo, hi, mx := l.sliceBound(in.Low), l.sliceBound(in.High), l.sliceBound(in.Max)
	var s slice
	fixed := false // whether the operand is an array, whose length is the upper bound
	switch x := l.valueOf(in.X).(type) {
	case slice:
		s = x
	case str, dynText, bytesView:
		return l.sliceString(in, x, lo, hi)
	case resolvedSlice:
		return l.sliceParts(in, x, lo, hi, mx)
	case pointer:
		at := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
		n := l.m.Int(ir.TypeI64, at.Len())
		fixed = true
		s = slice{off: l.m.Int(ir.TypeI64, 0), len: n, cap: n}
		switch r := l.deref(x).(type) {
		case *cell:
			if r.bad {
				return badVal{}
			}
			if r.mem.v == nil {
				return l.sliceParts(in, partsOf(r.fields), lo, hi, mx)
			}
			s.at = r.mem
		case constRef:
			if t, ok := r.v.(tuple); ok {
				p := constParts(t.elems, r.id)
				p.global, _ = in.X.(*ssa.Global)
				return l.sliceParts(in, p, lo, hi, mx)
			}
		case innerArray:
			s.at, s.off = r.s.at, r.s.off
		case mem:
			s.at = r
			if r.device() {
				a := l.op(ir.OpAddrOf, ir.TypeAddr, r.atIndex(l.field(0)).args()...)
				a.Aux = r.auxRef()
				s.at, s.off = mem{addr: a, elem: l.memType(at.Elem(), true)}, nil
			}
		}
	default:
		return l.reportLost(in.Type())
	}
	if most, ok := madeOf(in); ok {
		l.checkMake(hi, most, in.Type().Underlying().(*types.Slice).Elem(), isUint64Value(in.High))
		s.len = hi
		return s
	}
	if lo == nil {
		lo = l.m.Int(ir.TypeI64, 0)
	}
	b := sliceBounds{lo, hi, mx, isUint64Value(in.Low), isUint64Value(in.High), isUint64Value(in.Max), fixed}
	return l.reslice(s, b)
}

// sliceBound returns the value of a slice expression's bound, or nil if the source omits the bound.
func (l *lowerer) sliceBound(v ssa.Value) *ir.Value {
	if v == nil {
		return nil
	}
	if x, ok := l.valueOf(v).(*ir.Value); ok {
		return l.toI64(x, v.Type())
	}
	return l.m.Int(ir.TypeI64, 0)
}

// sliceBounds holds the bounds of a slice expression as int64 values. The bounds hi and mx may be
// missing (nil).
type sliceBounds struct {
	lo, hi, mx                         *ir.Value
	unsignedLo, unsignedHi, unsignedMx bool // whether each bound was converted from a uint64
	// ofArray is set if the sliced operand is an array. For a sliced array, the array's length is
	// the upper bound.
	ofArray bool
}

func (l *lowerer) reslice(s slice, b sliceBounds) slice {
	lo, hi, mx := b.lo, b.hi, b.mx
	is := func(v *ir.Value) func() *ir.Value { return func() *ir.Value { return v } }
	le := func(a, b *ir.Value) *ir.Value {
		if a == b || a.IsConst() && a.Bits == 0 || a.IsConst() && b.IsConst() && a.Bits <= b.Bits {
			return l.m.Bool(true)
		}
		return l.op(ir.OpULe, ir.TypeBool, a, b)
	}
	lenKind, maxKind := abi.FaultSliceCap, abi.FaultSlice3Cap
	if b.ofArray {
		lenKind, maxKind = abi.FaultSliceLen, abi.FaultSlice3Len
	}
	newCap := s.cap
	switch {
	case mx != nil:
		l.checkBound(le(mx, s.cap), maxKind, is(mx), is(s.cap), "", b.unsignedMx)
		l.checkBound(le(hi, mx), abi.FaultSlice3Max, is(hi), is(mx), "", b.unsignedHi)
		l.checkBound(le(lo, hi), abi.FaultSlice3Order, is(lo), is(hi), "", b.unsignedLo)
		newCap = mx
	case hi != nil:
		l.checkBound(le(hi, s.cap), lenKind, is(hi), is(s.cap), "", b.unsignedHi)
		l.checkBound(le(lo, hi), abi.FaultSliceOrder, is(lo), is(hi), "", b.unsignedLo)
	default:
		hi = s.len
		l.checkBound(le(lo, hi), abi.FaultSliceOrder, is(lo), is(hi), "", b.unsignedLo)
	}
	if lo.IsConst() && lo.Bits == 0 {
		s.len, s.cap = hi, newCap
		return s
	}
	s.len, s.cap = l.op(ir.OpISub, ir.TypeI64, hi, lo), l.op(ir.OpISub, ir.TypeI64, newCap, lo)
	if s.at.device() {
		a := l.op(ir.OpAddrOf, ir.TypeAddr, s.at.addr, lo)
		a.Aux = s.at.auxRef()
		s.at.addr = a
	} else {
		s.off = l.op(ir.OpIAdd, ir.TypeI64, s.off, lo)
	}
	return s
}

// sliceString lowers s[lo:hi] of a string. If the string and the bounds are constant, the result is
// a constant string.
func (l *lowerer) sliceString(in *ssa.Slice, x val, lo, hi *ir.Value) val {
	if s, ok := x.(str); ok && (lo == nil || lo.IsConst()) && (hi == nil || hi.IsConst()) {
		a, b := uint64(0), uint64(len(s.s))
		if lo != nil {
			a = lo.Bits
		}
		if hi != nil {
			b = hi.Bits
		}
		if a <= b && b <= uint64(len(s.s)) {
			return str{s.s[a:b]}
		}
	}
	if lo == nil {
		lo = l.m.Int(ir.TypeI64, 0)
	}
	b := sliceBounds{lo: lo, hi: hi, unsignedLo: isUint64Value(in.Low), unsignedHi: isUint64Value(in.High)}
	if v, ok := x.(bytesView); ok {
		return l.sliceView(v, b)
	}
	t, ok := l.tables.textOf(x)
	if !ok {
		return l.reportLost(in.Type())
	}
	return l.sliceText(t, b)
}
