package lower

// This file lowers private memory whose length is a specialization constant.

import (
	"fmt"
	"go/types"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/properties"
)

func init() {
	add(dslPath+".PrivateAlloca", lowerPrivateAlloca)
	add(dslPath+".AlignedPrivateAlloca", lowerPrivateAlloca)
}

// maxAlign is the largest alignment of private memory that SYCL allows. The SYCL limit is an eighth
// of INT32_MAX.
const maxAlign = math.MaxInt32 / 8

// lowerPrivateAlloca lowers dsl.PrivateAlloca[T](it, n) and dsl.AlignedPrivateAlloca. The reserved
// memory is a variable whose length is set when the kernel is specialized. The memory is zeroed
// each time control reaches the call.
func lowerPrivateAlloca(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
	name := fn.Name()
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
	}
	fail := func(code diag.Code, hint, format string, args ...any) val {
		l.errorf(code, in.Pos(), hint, format, args...)
		return badVal{}
	}
	if calledThroughVariable(in, fn) {
		return fail(diag.DynamicCall, "call it by its name", "%s cannot be called through a variable, as each call reserves memory of its own", name)
	}
	elem := fn.TypeArgs()[0]
	if !l.isFlat(elem) {
		return fail(diag.Type, "use numbers, bools, and structs and arrays of them", "private memory cannot hold values of type %v", elem)
	}
	align := int64(sizes.Alignof(elem))
	if len(in.Call.Args) > 2 {
		n, ok := constInt(in.Call.Args[2])
		switch {
		case !ok:
			return fail(diag.Alignment, "use a constant", "the alignment of private memory must be a constant, as it is reserved when the kernel is built")
		case n < 1 || n&(n-1) != 0:
			return fail(diag.Alignment, "write 16, 32, 64, …", "the alignment %d is not a power of 2", n)
		case n < align:
			return fail(diag.Alignment, "leave it out, or write a larger one", "the alignment %d is below the %d that %v needs", n, align, elem)
		case n > maxAlign:
			return fail(diag.Alignment, "write a smaller one", "the alignment %d is larger than %d", n, maxAlign)
		}
		align = n
	}
	n, length, ok := l.memoryLength(args[1], in.Call.Args[1].Type())
	if !ok || length.IsConst() {
		return fail(diag.PrivateSize, "use a *dsl.SpecConstant, or an array where the length never changes",
			"the length of %s must be a specialization constant, or made of such, as the memory is reserved when the kernel is built", name)
	}
	if !l.specs.validDefault(in, length) {
		return badVal{}
	}
	l.noteAspect(properties.PrivateAlloca)
	v := l.m.NewVar(l.f, ir.Function, "private", l.m.ArrayOf(l.memType(elem, false), l.narrowExpr(length)))
	row := len(l.m.Privates)
	l.m.Privates = append(l.m.Privates, abi.Private{Name: "private", ElemSize: max(v.Type.Elem.Size, 1), Align: int(align), Len: -1})
	l.specs.lengths = append(l.specs.lengths, func() { l.m.Privates[row].Expr = exprText(length, specID) })
	c := &cell{typ: types.NewSlice(elem), cls: classArray, mem: mem{v: v}, private: true, name: assignedName(in), home: &frameBlock{l.frame, in.Block(), l.alternatives.in}, decl: in}
	l.foresight.registerMemory(c, l.foresight.pathOf(l.frame.path, in))
	l.zeroPrivate(c, elem)
	return slice{at: c.mem, off: l.m.Int(ir.TypeI64, 0), len: n, cap: n}
}

// smallPrivate is the largest number of elements that a single store zeroes. Drivers split a store
// that zeroes an array into one store for each element, and some drivers take minutes for thousands
// of elements.
const smallPrivate = 64

// zeroPrivate zeroes private memory. Small memory is zeroed by one store, so that it may stay in
// registers. Larger memory is zeroed in a loop. The module contains code for small and for large
// memory, and specialization selects the code that runs.
func (l *lowerer) zeroPrivate(c *cell, elem types.Type) {
	n := c.mem.v.Type.Len
	small, large, done := l.newBlock(), l.newBlock(), l.newBlock()
	l.b.Branch(l.m.ConstExpr(ir.OpSLe, ir.TypeBool, n, l.m.Int(ir.TypeI32, smallPrivate)), small, large)
	l.b = small
	l.op(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: c.mem.v}
	l.b.Jump(done)
	l.b = large
	zero := l.zeroValue(elem)
	l.emitLoop(n, func(i *ir.Value) { l.storeMem(c.mem.atIndex(i), zero, elem) })
	l.b.Jump(done)
	l.b = done
}

// calledThroughVariable reports whether the source calls fn through a variable of function type,
// which go/ssa has replaced by fn.
func calledThroughVariable(in *ssa.Call, fn *ssa.Function) bool {
	if in.Call.StaticCallee() == nil {
		return true
	}
	for _, b := range in.Parent().Blocks {
		for _, d := range b.Instrs {
			if d, ok := d.(*ssa.DebugRef); ok && d.X == ssa.Value(fn) && d.Expr.End() == in.Pos() {
				if _, isVar := d.Object().(*types.Var); isVar {
					return true
				}
			}
		}
	}
	return false
}

// memoryLength converts the length x to an int (result n) and to a constant expression of type i64
// (constExpr). The result ok is false if x depends on values that are not constant.
func (l *lowerer) memoryLength(x val, t types.Type) (n, constExpr *ir.Value, ok bool) {
	if c, isConst := x.(specConst); isConst {
		if c.decl == nil {
			return nil, nil, false
		}
		t = c.decl.typ
		leaves := c.decl.scalars
		x = l.specValue(t, &leaves)
	}
	n, ok = x.(*ir.Value)
	if !ok {
		return nil, nil, false
	}
	if gotypes.IsBoolean(t) {
		n = l.op(ir.OpSelect, ir.TypeI64, n, l.m.Int(ir.TypeI64, 1), l.m.Int(ir.TypeI64, 0))
	} else {
		n = l.toI64(n, t)
	}
	constExpr, ok = l.constExprOf(n)
	if ok {
		boundSpecs(constExpr, 1)
		setUnseenDefaults(constExpr)
	}
	return n, constExpr, ok
}

// constExprOf returns v as a constant expression. constExprOf returns false if v depends on a value
// that is not constant.
func (w *builder) constExprOf(v *ir.Value) (*ir.Value, bool) {
	if s, ok := v.Aux.(*ir.Spec); ok && s.User == nil {
		return nil, false // each launch sets this constant; the program does not declare it
	}
	if v.IsConstExpr() {
		return v, true
	}
	if !v.Op.Has(ir.FlagFold) || v.Op.Has(ir.FlagCoded) {
		return nil, false
	}
	var args []*ir.Value
	for _, a := range v.Args {
		x, ok := w.constExprOf(a)
		if !ok {
			return nil, false
		}
		args = append(args, x)
	}
	if v.Op == ir.OpSConvert && args[0].IsConst() {
		return w.m.Int(v.Type, args[0].Int()), true
	}
	if v.Op == ir.OpUConvert && args[0].IsConst() {
		return w.m.Const(v.Type, args[0].Bits), true
	}
	return w.m.ConstExpr(v.Op, v.Type, args...), true
}

// boundSpecs records the allowed range of each specialization constant in the length `expr`.
// boundSpecs analyzes only sums and products. No constant may be negative, no factor of a product
// may be zero, and no constant may exceed the largest length. If a constant occurs n times as a
// factor, its largest value is the n-th root of the largest length.
func boundSpecs(expr *ir.Value, least int) {
	if expr.Op == ir.OpIAdd {
		boundSpecs(expr.Args[0], 0)
		boundSpecs(expr.Args[1], 0)
		return
	}
	var all []*ir.Value
	appendFactors(expr, &all)
	power := map[*ir.Value]int{}
	for _, f := range all {
		power[f]++
	}
	for f, n := range power {
		if f.Op != ir.OpSpecConst {
			if f != expr {
				boundSpecs(f, 1)
			}
			continue
		}
		s := f.Aux.(*ir.Spec)
		if s.User == nil || s.Type.Kind == ir.Bool {
			continue
		}
		if len(all) > 1 {
			least = 1
		}
		most := int(math.Pow(abi.MaxLength, 1/float64(n)) + 1e-9)
		if s.User.Min = max(s.User.Min, least); s.User.Max == 0 || most < s.User.Max {
			s.User.Max = most
		}
	}
}

// setUnseenDefaults sets the defaults of the required constants in the expression to 1. The host
// always sets required constants, so their defaults are never used. But if a required constant is a
// divisor, the default 0 would make the constant expression invalid.
func setUnseenDefaults(expr *ir.Value) {
	if s, ok := expr.Aux.(*ir.Spec); ok && s.User != nil && s.User.Required && s.Default == 0 {
		s.Default = 1
	}
	for _, a := range expr.Args {
		setUnseenDefaults(a)
	}
}

// appendFactors appends the factors of the product v to the list "out", without conversions around
// the factors.
func appendFactors(v *ir.Value, out *[]*ir.Value) {
	switch v.Op {
	case ir.OpSConvert, ir.OpUConvert:
		appendFactors(v.Args[0], out)
	case ir.OpIMul:
		appendFactors(v.Args[0], out)
		appendFactors(v.Args[1], out)
	default:
		*out = append(*out, v)
	}
}

// validDefault evaluates the expression of a length with the defaults of all specialization
// constants. validDefault reports an error unless the result is at least 1 and at most
// math.MaxInt32. The check is omitted if the length contains a constant without a default.
func (sp *specConsts) validDefault(in *ssa.Call, expr *ir.Value) bool {
	known := true
	place := func(s *ir.Spec) uint32 { return uint32(slices.Index(sp.m.Specs, s)) }
	n, err := exprText(expr, place).Eval(func(i uint32) (uint64, bool) {
		s := sp.m.Specs[i]
		known = known && (s.User == nil || !s.User.Required)
		return s.Default, true
	})
	if !known || err == nil && n >= 1 && n <= math.MaxInt32 {
		return true
	}
	why := fmt.Sprintf("%d", n)
	if err != nil {
		why = err.Error()
	}
	sp.errorf(diag.SizeDefault, in.Pos(), "give the constant another default, or declare it with dsl.RequireSpecConstant",
		"the length of this memory is %s if no specialization constant is set", why)
	return false
}

// narrowExpr returns the constant expression v of type i64 as an expression of type i32. narrowExpr
// keeps as few 64-bit operations as possible. The runtime checks that the expression's value fits
// in an i32.
func (w *builder) narrowExpr(v *ir.Value) *ir.Value {
	m := w.m
	switch v.Op {
	case ir.OpConst:
		return m.Const(ir.TypeI32, v.Bits)
	case ir.OpSConvert, ir.OpUConvert:
		if a := v.Args[0]; a.Type == ir.TypeI32 {
			return a
		}
	case ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpAnd, ir.OpOr, ir.OpXor:
		return m.ConstExpr(v.Op, ir.TypeI32, w.narrowExpr(v.Args[0]), w.narrowExpr(v.Args[1]))
	case ir.OpNot:
		return m.ConstExpr(v.Op, ir.TypeI32, w.narrowExpr(v.Args[0]))
	case ir.OpShl:
		if n := v.Args[1]; n.IsConst() && n.Bits < 32 {
			return m.ConstExpr(v.Op, ir.TypeI32, w.narrowExpr(v.Args[0]), m.Const(ir.TypeI32, n.Bits))
		}
	case ir.OpSDiv, ir.OpUDiv, ir.OpUMod:
		if dividesWords(v) {
			return m.ConstExpr(v.Op, ir.TypeI32, w.narrowExpr(v.Args[0]), w.narrowExpr(v.Args[1]))
		}
		fallthrough
	case ir.OpShrA:
		if v.Op != ir.OpUDiv && v.Op != ir.OpUMod && fits32(v.Args[0]) && fits32(v.Args[1]) && v.Args[1].IsConst() && v.Args[1].Int() > 0 {
			return m.ConstExpr(v.Op, ir.TypeI32, w.narrowExpr(v.Args[0]), w.narrowExpr(v.Args[1]))
		}
	case ir.OpSelect:
		if d, ok := divisorOf(v); ok {
			return w.narrowExpr(d)
		}
		return m.ConstExpr(v.Op, ir.TypeI32, w.narrowCond(v.Args[0]), w.narrowExpr(v.Args[1]), w.narrowExpr(v.Args[2]))
	}
	return m.ConstExpr(ir.OpUConvert, ir.TypeI32, v)
}

// narrowCond returns the condition v with narrower comparisons. If the operands of a 64-bit
// comparison fit in 32 bits, the comparison is narrowed to 32 bits.
func (w *builder) narrowCond(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpIEq, ir.OpINe, ir.OpSLt, ir.OpSLe:
		if a, b := v.Args[0], v.Args[1]; a.Type == ir.TypeI64 && fits32(a) && fits32(b) {
			return w.m.ConstExpr(v.Op, ir.TypeBool, w.narrowExpr(a), w.narrowExpr(b))
		}
	}
	return v
}

// fits32 reports whether the value of a constant expression always fits in a signed 32-bit integer.
func fits32(v *ir.Value) bool {
	switch v.Op {
	case ir.OpConst:
		return v.Int() == int64(int32(v.Int()))
	case ir.OpSConvert:
		return v.Args[0].Type == ir.TypeI32
	case ir.OpSDiv:
		return dividesWords(v) || fits32(v.Args[0]) && v.Args[1].IsConst() && v.Args[1].Int() > 0
	case ir.OpSelect:
		return fits32(v.Args[1]) && fits32(v.Args[2])
	}
	return false
}

// dividesWords reports whether the 64-bit division v in a length can become a 32-bit division in
// the module. All specialization constants in the operands must have 32 bits. A module without
// 64-bit integers needs a 32-bit division if the divisor is not a positive constant. If the values
// of the constants make an operand too large for 32 bits, the runtime refuses these values (see
// exprText).
func dividesWords(v *ir.Value) bool {
	switch v.Op {
	case ir.OpSDiv, ir.OpUDiv, ir.OpUMod:
		x, y := v.Args[0], v.Args[1]
		return v.Type == ir.TypeI64 && !(y.IsConst() && y.Int() > 0) && ofWords(x) && ofWords(y)
	}
	return false
}

// ofWords reports whether all constants in an expression fit in 32 bits.
func ofWords(v *ir.Value) bool {
	if d, ok := divisorOf(v); ok {
		v = d
	}
	if v.Op == ir.OpSpecConst {
		return v.Type != ir.TypeI64
	}
	if v.IsConst() {
		return v.Type != ir.TypeI64 || v.Int() == int64(int32(v.Int()))
	}
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !ofWords(a) })
}

// divisorOf returns the divisor y of x / y or x % y. If the division may overflow, v is a select.
// The select, which lowerDivide emits, replaces the divisor by 1 where the division would overflow.
func divisorOf(v *ir.Value) (*ir.Value, bool) {
	if v.Op != ir.OpSelect || v.Type != ir.TypeI64 || v.Args[0].Op != ir.OpLAnd || !v.Args[1].IsConst() || v.Args[1].Int() != 1 {
		return nil, false
	}
	least, minus := v.Args[0].Args[0], v.Args[0].Args[1]
	is := func(c *ir.Value, n int64) bool {
		return c.Op == ir.OpIEq && c.Args[1].IsConst() && c.Args[1].Int() == n
	}
	return v.Args[2], is(least, math.MinInt64) && is(minus, -1) && minus.Args[0] == v.Args[2]
}

func specID(s *ir.Spec) uint32 { return s.ID }

// exprText returns a constant expression in the text form that the runtime evaluates.
func exprText(v *ir.Value, id func(*ir.Spec) uint32) abi.Expr {
	var words []string
	var walk func(v *ir.Value)
	walk = func(v *ir.Value) {
		for _, a := range v.Args {
			walk(a)
			if dividesWords(v) {
				words = append(words, map[bool]string{true: "SFits32", false: "UFits32"}[v.Op == ir.OpSDiv])
			}
		}
		switch v.Op {
		case ir.OpConst:
			words = append(words, fmt.Sprint(v.Int()))
		case ir.OpSpecConst:
			words = append(words, fmt.Sprintf("$%d", id(v.Aux.(*ir.Spec))))
		case ir.OpSConvert, ir.OpUConvert:
			words = append(words, fmt.Sprintf("%v%d:%d", v.Op, v.Args[0].Type.Bits(), v.Type.Bits()))
		default:
			words = append(words, fmt.Sprintf("%v%d", v.Op, v.Args[len(v.Args)-1].Type.Bits()))
		}
	}
	walk(v)
	return abi.Expr(strings.Join(words, " "))
}
