package load

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// value computes an instruction that has a result.
func (f *frame) value(in ssa.Value) any {
	switch in := in.(type) {
	case *ssa.Alloc:
		v := zero(in.Type().Underlying().(*types.Pointer).Elem())
		return pointer{&v}
	case *ssa.UnOp:
		return f.unary(in)
	case *ssa.BinOp:
		return f.binary(in)
	case *ssa.IndexAddr:
		return f.indexAddr(in)
	case *ssa.FieldAddr:
		switch p := f.get(in.X).(type) {
		case pointer:
			if a, ok := (*p.cell).(aggregate); ok {
				return pointer{a[in.Field]}
			}
			v := f.field(in.X.Type().Underlying().(*types.Pointer).Elem(), in.Field)
			return pointer{&v}
		case unknown:
			return f.field(in.X.Type().Underlying().(*types.Pointer).Elem(), in.Field)
		}
	case *ssa.Field:
		switch a := f.get(in.X).(type) {
		case aggregate:
			return *a[in.Field]
		case unknown:
			return f.field(in.X.Type(), in.Field)
		}
	case *ssa.Index:
		if a, ok := f.get(in.X).(aggregate); ok {
			if i := f.int(in.Index); i >= 0 && i < len(a) {
				return *a[i]
			}
			f.e.fail(f.pos, "an index is out of range")
		}
	case *ssa.Slice:
		return f.slice(in)
	case *ssa.ChangeType:
		return f.get(in.X)
	case *ssa.Convert:
		return f.convert(in.X, in.Type())
	case *ssa.MultiConvert:
		return f.convert(in.X, in.Type())
	case *ssa.Extract:
		if t, ok := f.get(in.Tuple).(tuple); ok {
			return t[in.Index]
		}
	case *ssa.MakeSlice:
		s := &slice{cap: f.int(in.Cap)}
		for range min(f.int(in.Len), maxFoldSteps) {
			v := zero(in.Type().Underlying().(*types.Slice).Elem())
			s.cells = append(s.cells, &v)
		}
		return s
	case *ssa.Call:
		return f.call(in)
	case *ssa.MakeInterface:
		return dynamic{in.X.Type(), f.get(in.X)}
	case *ssa.ChangeInterface:
		return f.get(in.X)
	case *ssa.TypeAssert:
		return f.typeAssert(in)
	}
	return unknown{what: "a value is not known"}
}

// typeAssert looks at the dynamic type of an interface, by which generic code
// tells its type parameters apart.
func (f *frame) typeAssert(in *ssa.TypeAssert) any {
	x, ok := f.get(in.X).(dynamic)
	if !ok {
		return unknown{what: "the dynamic type of an interface is not known"}
	}
	match := types.Identical(x.typ, in.AssertedType)
	var v any = x.v
	if iface, is := in.AssertedType.Underlying().(*types.Interface); is {
		match, v = types.Implements(x.typ, iface), x
	}
	if !match {
		v = zero(in.AssertedType)
	}
	if in.CommaOk {
		return tuple{v, constant.MakeBool(match)}
	}
	if !match {
		f.e.fail(f.pos, "a type assertion fails")
	}
	return v
}

// field is a field of something that is not known.
func (f *frame) field(t types.Type, i int) any {
	name := "?"
	if st, ok := t.Underlying().(*types.Struct); ok {
		name = st.Field(i).Name()
	}
	return unknown{what: "the field " + name + " is not known"}
}

func (f *frame) unary(in *ssa.UnOp) any {
	x := f.get(in.X)
	if in.Op == token.MUL {
		if p, ok := x.(pointer); ok {
			return copyValue(*p.cell)
		}
		if _, ok := x.(unknown); ok {
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
	return unknown{what: "a value is not known"}
}

func (f *frame) binary(in *ssa.BinOp) any {
	for _, v := range []ssa.Value{in.X, in.Y} {
		if _, ok := f.get(v).(constant.Value); !ok {
			if u, ok := f.get(v).(unknown); ok {
				return u
			}
			return unknown{what: "it compares values that are not folded"}
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
		if isInteger(in.Type()) {
			if constant.Sign(y) == 0 {
				f.e.fail(f.pos, "it divides by zero")
			}
			if op == token.QUO {
				op = token.QUO_ASSIGN // go/constant's integer division
			}
		} else if constant.Sign(y) == 0 {
			return unknown{what: "it divides by zero"}
		}
		return wrap(constant.BinaryOp(x, op, y), in.Type())
	}
	return wrap(constant.BinaryOp(x, in.Op, y), in.Type())
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// wrap reduces an integer to the width of its type, as Go's arithmetic does.
func wrap(v constant.Value, t types.Type) any {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return v
	}
	v = constant.ToInt(v)
	if v.Kind() != constant.Int {
		return unknown{what: "a number is not an integer"}
	}
	bits := uint(Sizes.Sizeof(t) * 8)
	mod := constant.Shift(constant.MakeInt64(1), token.SHL, bits)
	mask := constant.BinaryOp(mod, token.SUB, constant.MakeInt64(1))
	v = constant.BinaryOp(v, token.AND, mask)
	half := constant.Shift(mod, token.SHR, 1)
	if b.Info()&types.IsUnsigned == 0 && constant.Compare(v, token.GEQ, half) {
		v = constant.BinaryOp(v, token.SUB, mod)
	}
	return v
}

func (f *frame) convert(x ssa.Value, to types.Type) any {
	c, ok := f.get(x).(constant.Value)
	if !ok {
		return f.get(x)
	}
	b, ok := to.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsNumeric == 0 || c.Kind() == constant.String {
		return unknown{what: "a conversion is not folded"}
	}
	if b.Info()&types.IsInteger != 0 && c.Kind() == constant.Float {
		fl, _ := constant.Float64Val(c)
		c = constant.MakeInt64(int64(fl))
	}
	return wrap(c, to)
}

func (f *frame) indexAddr(in *ssa.IndexAddr) any {
	x := f.get(in.X)
	if u, ok := x.(unknown); ok {
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

func (f *frame) slice(in *ssa.Slice) any {
	var cells []*any
	n := 0
	switch x := f.get(in.X).(type) {
	case unknown:
		return x
	case *slice:
		cells, n = x.cells, x.cap
	case pointer:
		a, ok := (*x.cell).(aggregate)
		if !ok {
			return unknown{what: "a slice is not known"}
		}
		cells, n = a, len(a)
	default:
		return unknown{what: "a slice is not known"}
	}
	lo, hi := 0, len(cells)
	if in.Low != nil {
		lo = f.int(in.Low)
	}
	if in.High != nil {
		hi = f.int(in.High)
	}
	if in.Max != nil {
		n = f.int(in.Max)
	}
	if lo < 0 || lo > hi || hi > len(cells) {
		f.e.fail(f.pos, "slice bounds are out of range")
	}
	return &slice{cells: cells[lo:hi:hi], cap: max(n-lo, hi-lo)}
}

// call runs a call of a known function or builtin.
func (f *frame) call(in *ssa.Call) any {
	var args []any
	for _, a := range in.Call.Args {
		args = append(args, copyValue(f.get(a)))
	}
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		return f.builtin(b, in, args)
	}
	fn := in.Call.StaticCallee()
	if fn == nil || len(fn.FreeVars) > 0 {
		f.e.fail(in.Pos(), "it calls a function that is not known")
	}
	return f.e.try(func() any { return f.e.call(fn, args, in.Pos()) })
}

func (f *frame) builtin(b *ssa.Builtin, in *ssa.Call, args []any) any {
	switch b.Name() {
	case "append":
		s, ok := args[0].(*slice)
		more, ok2 := args[1].(*slice)
		if !ok || !ok2 {
			return unknown{what: "it appends to a list that is not known"}
		}
		// A copy: the evaluator's slices have no room to share.
		out := &slice{}
		for _, c := range append(s.cells[:len(s.cells):len(s.cells)], more.cells...) {
			v := copyValue(*c)
			out.cells = append(out.cells, &v)
		}
		out.cap = len(out.cells)
		return out
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
	return unknown{what: "it calls " + b.Name() + ", which is not folded"}
}
