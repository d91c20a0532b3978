package load

// This file evaluates the instructions of Properties methods.

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// evalValue evaluates an instruction that has a result.
func (f *frame) evalValue(in ssa.Value) any {
	switch in := in.(type) {
	case *ssa.Alloc:
		v := zeroValue(in.Type().Underlying().(*types.Pointer).Elem())
		return pointer{&v}
	case *ssa.UnOp:
		return f.unary(in)
	case *ssa.BinOp:
		return f.binary(in)
	case *ssa.IndexAddr:
		return f.indexAddr(in)
	case *ssa.FieldAddr:
		switch p := f.operandValue(in.X).(type) {
		case pointer:
			if a, ok := (*p.cell).(aggregate); ok {
				return pointer{a[in.Field]}
			}
			v := f.unknownField(in.X.Type().Underlying().(*types.Pointer).Elem(), in.Field)
			return pointer{&v}
		case unknownValue:
			return f.unknownField(in.X.Type().Underlying().(*types.Pointer).Elem(), in.Field)
		}
	case *ssa.Field:
		switch a := f.operandValue(in.X).(type) {
		case aggregate:
			return *a[in.Field]
		case unknownValue:
			return f.unknownField(in.X.Type(), in.Field)
		}
	case *ssa.Index:
		if a, ok := f.operandValue(in.X).(aggregate); ok {
			if i := f.int(in.Index); i >= 0 && i < len(a) {
				return *a[i]
			}
			f.e.fail(f.pos, "an index is out of range")
		}
	case *ssa.Slice:
		return f.evalSlice(in)
	case *ssa.ChangeType:
		return f.operandValue(in.X)
	case *ssa.Convert:
		return f.convert(in.X, in.Type())
	case *ssa.MultiConvert:
		return f.convert(in.X, in.Type())
	case *ssa.Extract:
		if t, ok := f.operandValue(in.Tuple).(tuple); ok {
			return t[in.Index]
		}
	case *ssa.MakeSlice:
		n, most := f.int(in.Len), f.int(in.Cap)
		if n < 0 || n > most || most > maxFoldSteps {
			f.e.fail(f.pos, "a slice of %d elements and a capacity of %d is not made", n, most)
		}
		cells := make([]*any, most)
		for i := range cells {
			v := zeroValue(in.Type().Underlying().(*types.Slice).Elem())
			cells[i] = &v
		}
		return &slice{cells: cells[:n]}
	case *ssa.Call:
		return f.evalCall(in)
	case *ssa.MakeInterface:
		return dynamicValue{in.X.Type(), f.operandValue(in.X)}
	case *ssa.ChangeInterface:
		return f.operandValue(in.X)
	case *ssa.TypeAssert:
		return f.typeAssert(in)
	}
	return unknownValue{what: "a value is not known"}
}

// typeAssert evaluates a type assertion. Properties methods contain type assertions if generic code
// distinguishes its type arguments.
func (f *frame) typeAssert(in *ssa.TypeAssert) any {
	x, ok := f.operandValue(in.X).(dynamicValue)
	if !ok {
		return unknownValue{what: "the dynamic type of an interface is not known"}
	}
	match := types.Identical(x.typ, in.AssertedType)
	var v any = x.v
	if iface, is := in.AssertedType.Underlying().(*types.Interface); is {
		match, v = types.Implements(x.typ, iface), x
	}
	if !match {
		v = zeroValue(in.AssertedType)
	}
	if in.CommaOk {
		return tuple{v, constant.MakeBool(match)}
	}
	if !match {
		f.e.fail(f.pos, "a type assertion fails")
	}
	return v
}

// unknownField returns an unknown value for field i of an unknown struct.
func (f *frame) unknownField(t types.Type, i int) any {
	name := "?"
	if st, ok := t.Underlying().(*types.Struct); ok {
		name = st.Field(i).Name()
	}
	return unknownValue{what: "the field " + name + " is not known"}
}

func (f *frame) unary(in *ssa.UnOp) any {
	x := f.operandValue(in.X)
	if g, ok := in.X.(*ssa.Global); ok {
		x = f.e.variableAddr(g, readAt(in))
	}
	if in.Op == token.MUL {
		if p, ok := x.(pointer); ok {
			v := copyValue(*p.cell)
			if at := readAt(in); at.IsValid() {
				if u, ok := v.(unknownValue); ok && u.pos.IsValid() {
					u.pos = at // the variable may be read in several places, and each read has its own position
					return u
				}
			}
			return v
		}
		if _, ok := x.(unknownValue); ok {
			return x
		}
		f.e.fail(f.pos, "it reads through a pointer that is not known")
	}
	c, ok := x.(constant.Value)
	if !ok {
		return x
	}
	switch in.Op {
	case token.SUB, token.XOR, token.NOT:
		return wrap(constant.UnaryOp(in.Op, c, 0), in.Type())
	}
	return unknownValue{what: "a value is not known"}
}

func (f *frame) binary(in *ssa.BinOp) any {
	for _, v := range []ssa.Value{in.X, in.Y} {
		if _, ok := f.operandValue(v).(constant.Value); !ok {
			if u, ok := f.operandValue(v).(unknownValue); ok {
				return u
			}
			return unknownValue{what: "it compares values that are not folded"}
		}
	}
	x, y := f.constant(in.X), f.constant(in.Y)
	switch in.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return constant.MakeBool(constant.Compare(x, in.Op, y))
	case token.SHL, token.SHR:
		n, ok := constant.Uint64Val(constant.ToInt(y))
		if !ok {
			f.e.fail(f.pos, "a shift count is negative")
		}
		return wrap(constant.Shift(constant.ToInt(x), in.Op, uint(min(n, 64))), in.Type())
	case token.QUO, token.REM:
		op := in.Op
		if gotypes.IsInteger(in.Type()) {
			if constant.Sign(y) == 0 {
				f.e.fail(f.pos, "it divides by zero")
			}
			if op == token.QUO {
				op = token.QUO_ASSIGN // integer division in package go/constant
			}
		} else if constant.Sign(y) == 0 {
			return unknownValue{what: "it divides by zero"}
		}
		return wrap(constant.BinaryOp(x, op, y), in.Type())
	}
	return wrap(constant.BinaryOp(x, in.Op, y), in.Type())
}

// wrap reduces an integer to the width of its type, and rounds a float to the precision of its
// type, like arithmetic in Go.
func wrap(v constant.Value, t types.Type) any {
	switch {
	case gotypes.IsFloat32(t):
		x, _ := constant.Float32Val(v)
		return floatConst(float64(x))
	case gotypes.IsFloat(t):
		x, _ := constant.Float64Val(v)
		return floatConst(x)
	case !gotypes.IsInteger(t):
		return v
	}
	v = constant.ToInt(v)
	if v.Kind() != constant.Int {
		return unknownValue{what: "a number is not an integer"}
	}
	bits := uint(Sizes.Sizeof(t) * 8)
	mod := constant.Shift(constant.MakeInt64(1), token.SHL, bits)
	mask := constant.BinaryOp(mod, token.SUB, constant.MakeInt64(1))
	v = constant.BinaryOp(v, token.AND, mask)
	half := constant.Shift(mod, token.SHR, 1)
	if !gotypes.IsUnsigned(t) && constant.Compare(v, token.GEQ, half) {
		v = constant.BinaryOp(v, token.SUB, mod)
	}
	return v
}

// floatConst returns the float x as a constant. If x is an infinity or NaN, which constants cannot
// represent, floatConst returns an unknownValue.
func floatConst(x float64) any {
	if c := constant.MakeFloat64(x); c.Kind() != constant.Unknown {
		return constant.ToFloat(c)
	}
	return unknownValue{what: "a number is infinite, or not a number"}
}

func (f *frame) convert(x ssa.Value, to types.Type) any {
	c, ok := f.operandValue(x).(constant.Value)
	if !ok {
		if _, is := f.operandValue(x).(unknownValue); !is { // pointers are excluded, since the conversion may change the element type
			return unknownValue{what: "a conversion is not folded"}
		}
		return f.operandValue(x)
	}
	b, ok := to.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsNumeric == 0 || c.Kind() == constant.String {
		return unknownValue{what: "a conversion is not folded"}
	}
	if b.Info()&types.IsInteger != 0 && c.Kind() == constant.Float {
		fl, _ := constant.Float64Val(c)
		c = constant.ToInt(constant.MakeFloat64(math.Trunc(fl)))
		if x, ok := wrap(c, to).(constant.Value); !ok || !constant.Compare(x, token.EQL, c) {
			return unknownValue{what: "a number is out of range, and its conversion is up to the machine"}
		}
	}
	return wrap(c, to)
}

func (f *frame) indexAddr(in *ssa.IndexAddr) any {
	x := f.operandValue(in.X)
	if u, ok := x.(unknownValue); ok {
		return u
	}
	i := f.int(in.Index)
	var cells []*any
	switch x := x.(type) {
	case *slice:
		cells = x.cells
	case pointer:
		if a, ok := (*x.cell).(aggregate); ok {
			cells = a
		}
	}
	if i < 0 || i >= len(cells) {
		f.e.fail(f.pos, "an index is out of range")
	}
	return pointer{cells[i]}
}

func (f *frame) evalSlice(in *ssa.Slice) any {
	var cells []*any
	var room *arrayRoomInfo
	switch x := f.operandValue(in.X).(type) {
	case unknownValue:
		return x
	case *slice:
		cells, room = x.cells, x.room
	case pointer:
		a, ok := (*x.cell).(aggregate)
		if !ok {
			return unknownValue{what: "a slice is not known"}
		}
		cells = slices.Clip(a)
	default:
		return unknownValue{what: "a slice is not known"}
	}
	lo, hi, most := 0, len(cells), cap(cells)
	if in.Low != nil {
		lo = f.int(in.Low)
	}
	if in.High != nil {
		hi = f.int(in.High)
	}
	if in.Max != nil {
		most = f.int(in.Max)
	}
	if lo < 0 || lo > hi || hi > most || most > cap(cells) {
		f.e.fail(f.pos, "slice bounds are out of range")
	}
	if room != nil && (hi > len(cells) || in.Max != nil) {
		f.e.fail(f.pos, "it uses the capacity that append has left, which is up to the compiler")
	}
	return &slice{cells: cells[lo:hi:most], room: room}
}

// evalCall evaluates a call instruction.
func (f *frame) evalCall(in *ssa.Call) any {
	var args []any
	for _, a := range in.Call.Args {
		args = append(args, copyValue(f.operandValue(a)))
	}
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		return f.evalBuiltin(b, in, args)
	}
	fn := in.Call.StaticCallee()
	if fn == nil || len(fn.FreeVars) > 0 {
		f.e.fail(in.Pos(), "it calls a function that is not known")
	}
	v := f.e.tryCall(func() any { return f.e.call(fn, args, in.Pos()) })
	if u, ok := v.(unknownValue); ok {
		u.pos = token.NoPos // without a position, the error is reported at the call, not at an expression in fn
		return u
	}
	return v
}

// maxAppendLen returns the largest length to which append can extend s without a new array. If an
// append of n elements may use capacity that depends on gc, maxAppendLen fails. For example, if `s`
// has capacity left, the statements a := append(s, x) and b := append(s, y) set the same element.
func (f *frame) maxAppendLen(s *slice, n int) int {
	if s.room == nil {
		return cap(s.cells)
	}
	most := cap(s.cells) - s.room.free
	used := most - len(s.cells) // number of used array elements after the end of s
	if used > 0 && (s.room.init || n > used) || n > used && s.room.taken {
		f.e.fail(f.pos, "it uses the capacity that append has left, which is up to the compiler")
	}
	return most
}

func (f *frame) evalBuiltin(b *ssa.Builtin, in *ssa.Call, args []any) any {
	switch b.Name() {
	case "append":
		s, ok := args[0].(*slice)
		more, ok2 := args[1].(*slice)
		if !ok || !ok2 {
			for _, x := range args { // find the unknown argument
				if u, ok := x.(unknownValue); ok {
					return u
				}
			}
			return unknownValue{what: "it appends to a list that is not known"}
		}
		if len(more.cells) == 0 {
			return s
		}
		n := len(s.cells)
		most := f.maxAppendLen(s, len(more.cells))
		added := make([]any, len(more.cells))
		for i, c := range more.cells {
			added[i] = copyValue(*c)
		}
		if n+len(added) <= most { // the existing array has room for the elements
			out := s.cells[:n+len(added)]
			for i, v := range added {
				*out[n+i] = v
			}
			return &slice{cells: out, room: s.room}
		}
		out := make([]*any, n+len(added))
		for i := range out {
			v := any(nil)
			if i < n {
				v = copyValue(*s.cells[i])
			} else {
				v = added[i-n]
			}
			out[i] = &v
		}
		if s.room != nil {
			s.room.taken = true
		}
		return &slice{cells: out, room: &arrayRoomInfo{}}
	case "copy":
		to, ok := args[0].(*slice)
		from, ok2 := args[1].(*slice)
		if !ok || !ok2 {
			f.e.fail(f.pos, "it copies elements that are not known")
		}
		n := min(len(to.cells), len(from.cells))
		copied := make([]any, n) // all elements are read before the first write, because the slices may overlap
		for i := range copied {
			copied[i] = copyValue(*from.cells[i])
		}
		for i, v := range copied {
			*to.cells[i] = v
		}
		return constant.MakeInt64(int64(n))
	case "clear":
		s, ok := args[0].(*slice)
		if !ok {
			f.e.fail(f.pos, "it clears elements that are not known")
		}
		for _, c := range s.cells {
			*c = zeroValue(in.Call.Args[0].Type().Underlying().(*types.Slice).Elem())
		}
		return nil
	case "len":
		switch x := args[0].(type) {
		case *slice:
			return constant.MakeInt64(int64(len(x.cells)))
		case aggregate:
			return constant.MakeInt64(int64(len(x)))
		}
	case "Sizeof":
		return constant.MakeInt64(Sizes.Sizeof(in.Call.Args[0].Type()))
	case "min", "max":
		op := token.LSS
		if b.Name() == "max" {
			op = token.GTR
		}
		best := f.constant(in.Call.Args[0])
		for _, a := range in.Call.Args[1:] {
			if c := f.constant(a); constant.Compare(c, op, best) {
				best = c
			}
		}
		return best
	}
	return unknownValue{what: "it calls " + b.Name() + ", which is not folded"}
}
