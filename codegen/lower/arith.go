package lower

// This file lowers unary and binary operators.

import (
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

func (w *builder) float(t *ir.Type, x float64) *ir.Value {
	if t == ir.TypeF32 {
		return w.m.Const(t, uint64(constinit.Narrowed(x)))
	}
	return w.m.Const(t, math.Float64bits(x))
}

// fitWidth truncates v to the width of the integer type t. The truncated number is then extended to
// the register's width. If t is signed, the upper bits become copies of the sign bit. If t is
// unsigned, the upper bits of the register become zero.
func (w *builder) fitWidth(v *ir.Value, t types.Type) *ir.Value {
	n := gotypes.Width(t)
	if n >= 32 {
		return v
	}
	if gotypes.IsUnsigned(t) {
		return w.op(ir.OpAnd, ir.TypeI32, v, w.m.Const(ir.TypeI32, 1<<n-1))
	}
	s := w.m.Int(ir.TypeI32, int64(32-n))
	return w.op(ir.OpShrA, ir.TypeI32, w.op(ir.OpShl, ir.TypeI32, v, s), s)
}

func (l *lowerer) binOp(in *ssa.BinOp) val {
	x, y := l.valueOf(in.X), l.valueOf(in.Y)
	t := in.X.Type()
	if a, ok := x.(*ir.Value); ok {
		if b, ok := y.(*ir.Value); ok {
			if v := l.foresight.foldInt(in.Op, a, b, t); v != nil {
				return v
			}
		}
	}
	switch in.Op {
	case token.EQL:
		return l.lowerEqual(x, y, t)
	case token.NEQ:
		return l.not(l.lowerEqual(x, y, t))
	case token.SHL, token.SHR:
		a, ok1 := x.(*ir.Value)
		b, ok2 := y.(*ir.Value)
		if !ok1 || !ok2 {
			return l.reportLost(in.Type())
		}
		return l.lowerShift(in.Op, a, b, t, in.Y.Type())
	}
	if gotypes.IsComplex(t) {
		return l.complexOp(in.Op, x, y, t)
	}
	if a, ok := x.(str); ok {
		if b, ok := y.(str); ok {
			return l.stringOp(in.Op, a.s, b.s)
		}
	}
	if gotypes.IsString(t) {
		if a, ok := l.charsOf(x); ok {
			if b, ok := l.charsOf(y); ok {
				defer l.recordReads(x, y)
				return l.textOp(in.Op, a, b)
			}
		}
	}
	a, ok1 := x.(*ir.Value)
	b, ok2 := y.(*ir.Value)
	if !ok1 || !ok2 {
		return l.reportLost(in.Type())
	}
	if v := l.lowerOrder(in.Op, a, b, t); v != nil {
		return v
	}
	if gotypes.IsFloat(t) {
		return l.op(floatBinOps[in.Op], a.Type, a, b)
	}
	return l.intOp(in.Op, a, b, t)
}

func (w *builder) stringOp(op token.Token, a, b string) val {
	switch op {
	case token.ADD:
		return str{a + b}
	case token.LSS:
		return w.m.Bool(a < b)
	case token.LEQ:
		return w.m.Bool(a <= b)
	case token.GTR:
		return w.m.Bool(a > b)
	}
	return w.m.Bool(a >= b)
}

// lowerOrder lowers the comparison operators <, <=, > and >=. For other operators, lowerOrder
// returns nil.
func (w *builder) lowerOrder(op token.Token, a, b *ir.Value, t types.Type) val {
	switch op {
	case token.GTR:
		op, a, b = token.LSS, b, a
	case token.GEQ:
		op, a, b = token.LEQ, b, a
	}
	row, ok := map[token.Token][3]ir.Op{
		token.LSS: {ir.OpSLt, ir.OpULt, ir.OpFLt},
		token.LEQ: {ir.OpSLe, ir.OpULe, ir.OpFLe},
	}[op]
	if !ok {
		return nil
	}
	i := 0
	if gotypes.IsFloat(t) {
		i = 2
	} else if gotypes.IsUnsigned(t) {
		i = 1
	}
	return w.op(row[i], ir.TypeBool, a, b)
}

var intOps = map[token.Token]ir.Op{
	token.ADD: ir.OpIAdd, token.SUB: ir.OpISub, token.MUL: ir.OpIMul,
	token.AND: ir.OpAnd, token.OR: ir.OpOr, token.XOR: ir.OpXor,
}

// intOp lowers arithmetic on integers of Go type t.
func (l *lowerer) intOp(op token.Token, a, b *ir.Value, t types.Type) *ir.Value {
	switch op {
	case token.QUO, token.REM:
		return l.lowerDivide(op, a, b, t)
	case token.AND_NOT:
		return l.op(ir.OpAnd, a.Type, a, l.op(ir.OpNot, b.Type, b))
	}
	v := l.op(intOps[op], a.Type, a, b)
	switch op {
	case token.ADD, token.SUB, token.MUL:
		return l.fitWidth(v, t)
	}
	return v
}

// lowerDivide lowers / and % as Go defines them. Division by zero is a fault, quotients are
// truncated towards zero, and MinInt / -1 is MinInt.
func (l *lowerer) lowerDivide(op token.Token, a, b *ir.Value, t types.Type) *ir.Value {
	reg := a.Type
	if !b.IsConst() || b.Bits == 0 {
		ok := l.op(ir.OpINe, ir.TypeBool, b, l.m.Const(reg, 0))
		l.emitCheck(ok, abi.FaultDivide, nil, nil, "")
	}
	if gotypes.IsUnsigned(t) {
		if op == token.QUO {
			return l.op(ir.OpUDiv, reg, a, b)
		}
		return l.op(ir.OpUMod, reg, a, b)
	}
	d := b
	if gotypes.Width(t) == reg.Bits() && !(b.IsConst() && b.Int() != -1) {
		// The quotient of the least integer and -1 overflows. The emitted code divides by 1 instead
		// of -1, which gives the wrapped quotient.
		least := l.m.Const(reg, 1<<(reg.Bits()-1))
		over := l.op(ir.OpLAnd, ir.TypeBool,
			l.op(ir.OpIEq, ir.TypeBool, a, least), l.op(ir.OpIEq, ir.TypeBool, b, l.m.Int(reg, -1)))
		d = l.op(ir.OpSelect, reg, over, l.m.Int(reg, 1), b)
	}
	q := l.op(ir.OpSDiv, reg, a, d)
	if op == token.QUO {
		return l.fitWidth(q, t)
	}
	// OpSRem is undefined for negative operands in Vulkan.
	return l.op(ir.OpISub, reg, a, l.op(ir.OpIMul, reg, q, d))
}

// lowerShift lowers x << y and x >> y for any shift count.
func (l *lowerer) lowerShift(op token.Token, x, y *ir.Value, t, ct types.Type) *ir.Value {
	reg := x.Type
	n := int64(reg.Bits())
	if !gotypes.IsUnsigned(ct) && !(y.IsConst() && y.Int() >= 0) {
		ok := l.op(ir.OpSLe, ir.TypeBool, l.m.Const(y.Type, 0), y)
		l.emitCheck(ok, abi.FaultShift, func() *ir.Value { return l.toI64(y, ct) }, nil, "")
	}
	right, fill := ir.OpShrL, !gotypes.IsUnsigned(t)
	if fill {
		right = ir.OpShrA
	}
	if y.IsConst() {
		c := y.Bits
		if c >= uint64(n) {
			if op == token.SHL || !fill {
				return l.m.Const(reg, 0)
			}
			c = uint64(n - 1)
		}
		if op == token.SHL {
			return l.fitWidth(l.op(ir.OpShl, reg, x, l.m.Const(reg, c)), t)
		}
		return l.op(right, reg, x, l.m.Const(reg, c))
	}
	inRange := l.op(ir.OpULt, ir.TypeBool, y, l.m.Int(y.Type, n))
	c := y
	if c.Type != reg {
		c = l.op(ir.OpUConvert, reg, y)
	}
	if op == token.SHR && fill {
		c = l.op(ir.OpSelect, reg, inRange, c, l.m.Int(reg, n-1))
		return l.op(right, reg, x, c)
	}
	c = l.op(ir.OpAnd, reg, c, l.m.Int(reg, n-1))
	zero := l.m.Const(reg, 0)
	if op == token.SHR {
		return l.op(ir.OpSelect, reg, inRange, l.op(right, reg, x, c), zero)
	}
	return l.fitWidth(l.op(ir.OpSelect, reg, inRange, l.op(ir.OpShl, reg, x, c), zero), t)
}

var floatBinOps = map[token.Token]ir.Op{
	token.ADD: ir.OpFAdd, token.SUB: ir.OpFSub, token.MUL: ir.OpFMul, token.QUO: ir.OpFDiv,
}

func (w *builder) not(v val) val {
	x, ok := v.(*ir.Value)
	if !ok {
		return v
	}
	if x.IsConst() {
		return w.m.Bool(x.Bits == 0)
	}
	return w.op(ir.OpLNot, ir.TypeBool, x)
}

// hasNoUses reports whether no instruction except DebugRefs uses v.
func hasNoUses(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		_, debug := r.(*ssa.DebugRef)
		return !debug
	})
}

func (l *lowerer) unOp(in *ssa.UnOp) val {
	t := in.X.Type()
	x := l.valueOf(in.X)
	switch in.Op {
	case token.MUL:
		l.recordLoad(in)
		if p, ok := x.(pointer); ok && l.resolvedElems(in.Type()) && hasNoUses(in) {
			l.deref(p) // no memory is read, because a range over an array uses only the array's length
			return l.zeroValue(in.Type())
		}
		if g, ok := in.X.(*ssa.Global); ok {
			if v, ok := l.globalValue(g); ok {
				return v
			}
		}
		if p, ok := x.(pointer); ok {
			return l.loadAs(l.deref(p), in)
		}
		return l.reportLost(in.Type())
	case token.ARROW:
		return l.unsupported(in)
	case token.NOT:
		return l.not(x)
	}
	if c, ok := x.(tuple); ok && gotypes.IsComplex(t) {
		out := tuple{}
		for _, e := range c.elems {
			out.elems = append(out.elems, l.op(ir.OpFNegate, e.(*ir.Value).Type, e.(*ir.Value)))
		}
		return out
	}
	v, ok := x.(*ir.Value)
	if !ok {
		return l.reportLost(in.Type())
	}
	switch {
	case in.Op == token.XOR:
		return l.fitWidth(l.op(ir.OpNot, v.Type, v), t)
	case gotypes.IsFloat(t):
		return l.op(ir.OpFNegate, v.Type, v)
	}
	return l.fitWidth(l.op(ir.OpISub, v.Type, l.m.Const(v.Type, 0), v), t)
}

// lowerEqual lowers x == y for operands of type t.
func (l *lowerer) lowerEqual(x, y val, t types.Type) val {
	if isBad(x) || isBad(y) {
		return badVal{}
	}
	if u, ok := x.(oneOf); ok {
		return l.equalAlts(u, y, t)
	}
	if u, ok := y.(oneOf); ok {
		return l.equalAlts(u, x, t)
	}
	switch x := x.(type) {
	case *ir.Value:
		y, ok := y.(*ir.Value)
		if !ok {
			break
		}
		switch {
		case gotypes.IsFloat(t):
			return l.op(ir.OpFEq, ir.TypeBool, x, y)
		case gotypes.IsBoolean(t):
			return l.op(ir.OpLEq, ir.TypeBool, x, y)
		}
		return l.op(ir.OpIEq, ir.TypeBool, x, y)
	case str:
		if y, ok := y.(str); ok {
			return l.m.Bool(x.s == y.s)
		}
		switch y.(type) {
		case dynText, bytesView:
			return l.lowerEqual(y, x, t)
		}
	case bytesView:
		return l.equalViews(x, y)
	case dynText:
		if _, ok := y.(bytesView); ok {
			return l.equalViews(x, y)
		}
		if y, ok := l.tables.textOf(y); ok {
			return l.equalTexts(x, y)
		}
	case tuple:
		y, ok := y.(tuple)
		if !ok {
			break
		}
		return l.equalParts(x, y, t)
	case array:
		if y, ok := y.(array); ok {
			return l.equalArrays(x.at, y.at, t.Underlying().(*types.Array))
		}
	case resolvedSlice: // the other operand is nil, because go/types allows no other comparison
		return l.m.Bool(false)
	case slice:
		// Slices can be compared only with nil.
		if y, ok := y.(slice); ok {
			if isNilShape(x) {
				x = y
			}
			if n, ok := l.foldedInt(x.len); ok && n > 0 && l.foresight.carried.folds {
				return l.m.Bool(false)
			}
			if x.at.device() {
				return l.op(ir.OpAddrIsNull, ir.TypeBool, x.at.addr)
			}
			return l.op(ir.OpIEq, ir.TypeBool, x.off, l.m.Int(ir.TypeI64, nilOffset))
		}
	case pointer:
		if y, ok := y.(pointer); ok {
			return l.equalPointers(x, y)
		}
	case function:
		if y, ok := y.(function); ok {
			return l.m.Bool(isNilShape(x) && isNilShape(y))
		}
	case iface:
		y, ok := y.(iface)
		if !ok {
			break
		}
		if x.typ == nil || y.typ == nil {
			return l.m.Bool(x.typ == nil && y.typ == nil)
		}
		if !types.Identical(x.typ, y.typ) {
			return l.m.Bool(false)
		}
		if !types.Comparable(x.typ) {
			l.emitCheck(l.m.Bool(false), abi.FaultPanic, nil, nil, uncomparableText(x.typ))
			return l.m.Bool(false)
		}
		return l.lowerEqual(x.v, y.v, x.typ)
	}
	return l.m.Bool(false)
}

func (l *lowerer) equalParts(x, y tuple, t types.Type) val {
	var parts []types.Type
	if a, ok := t.Underlying().(*types.Array); ok {
		for range x.elems {
			parts = append(parts, a.Elem())
		}
	} else {
		parts = gotypes.Fields(t)
	}
	all := l.m.Bool(true)
	for i, p := range parts {
		if s, ok := t.Underlying().(*types.Struct); ok && s.Field(i).Name() == "_" {
			continue
		}
		part := func() val { return l.lowerEqual(x.elems[i], y.elems[i], p) }
		panics := mayPanic(x.elems[i], y.elems[i])
		var v val
		if panics { // the comparison of this field may panic, so the field is compared only if all earlier fields are equal
			v = l.andThen(all, part)
		} else {
			v = part()
		}
		e, ok := v.(*ir.Value)
		if !ok {
			return badVal{}
		}
		if panics || all.IsConst() && all.Bits == 1 {
			all = e
		} else {
			all = l.op(ir.OpLAnd, ir.TypeBool, all, e)
		}
	}
	return all
}

func (l *lowerer) equalArrays(x, y mem, t *types.Array) val {
	all := l.m.NewVar(l.f, ir.Function, "equal", ir.TypeBool)
	l.storeVar(all, l.m.Bool(true))
	l.eachScalar(t, false, func(path []*ir.Value, t types.Type) {
		e := l.lowerEqual(l.loadScalar(x.extend(path), t), l.loadScalar(y.extend(path), t), t).(*ir.Value)
		l.storeVar(all, l.op(ir.OpLAnd, ir.TypeBool, l.loadVar(all), e))
	})
	return l.loadVar(all)
}

// equalPointers lowers a comparison of a pointer with nil, or of two pointers to elements of one
// variable.
func (l *lowerer) equalPointers(x, y pointer) val {
	nilOf := func(p pointer) *ir.Value {
		if p.isNil == nil {
			return l.m.Bool(false)
		}
		return p.isNil
	}
	none := l.op(ir.OpLAnd, ir.TypeBool, nilOf(x), nilOf(y))
	if isNilShape(x) || isNilShape(y) {
		return none
	}
	some := l.op(ir.OpLNot, ir.TypeBool, l.op(ir.OpLOr, ir.TypeBool, nilOf(x), nilOf(y)))
	return l.op(ir.OpLOr, ir.TypeBool, none, l.op(ir.OpLAnd, ir.TypeBool, some, l.sameRef(x.ref, y.ref)))
}

// hasIdentity reports whether code can compare reference r with another reference, to test if both
// denote the same variable.
func hasIdentity(r ref) bool {
	switch r := r.(type) {
	case innerArray:
		return false
	case constRef:
		return r.id != nil
	}
	return true
}

// sameRef emits a comparison of the targets of two pointers that are not nil.
func (l *lowerer) sameRef(x, y ref) *ir.Value {
	if !hasIdentity(x) || !hasIdentity(y) {
		l.errorf(diag.MixedPointers, l.pos, "compare indices, or the values",
			"whether pointers to an array in a slice, or to an element of a table, are equal is not known")
		return l.m.Bool(false)
	}
	a, ok1 := x.(mem)
	b, ok2 := y.(mem)
	if !ok1 || !ok2 {
		return l.m.Bool(sameCell(x, y))
	}
	if a.v != b.v {
		return l.m.Bool(false)
	}
	if a.device() {
		a, b = l.asAddress(a), l.asAddress(b)
		p := l.op(ir.OpBitcast, ir.TypeI64, a.addr)
		q := l.op(ir.OpBitcast, ir.TypeI64, b.addr)
		return l.op(ir.OpIEq, ir.TypeBool, p, q)
	}
	if len(a.path) != len(b.path) {
		return l.m.Bool(false)
	}
	same := l.m.Bool(true)
	for i := range a.path {
		p, q := l.toI32(a.path[i]), l.toI32(b.path[i])
		same = l.op(ir.OpLAnd, ir.TypeBool, same, l.op(ir.OpIEq, ir.TypeBool, p, q))
	}
	return same
}
