package constinit

// This file evaluates numbers of package half.

import (
	"go/constant"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/dsl/half"
)

// halfNumber evaluates a call of a function of package half that makes a number, such as
// half.FromFloat32. The argument of the call, if any, must be constant.
func halfNumber(v *ssa.Call) (*ssa.Const, bool) {
	fn := v.Call.StaticCallee()
	kind := gotypes.Half(v.Type())
	if kind == "" || fn == nil || fn.Origin() == nil || fn.Origin().Pkg.Pkg.Path() != gotypes.HalfPath {
		return nil, false
	}
	var x float64
	if len(v.Call.Args) == 1 {
		f, ok := ExactFloat(v.Call.Args[0])
		if c, isConst := v.Call.Args[0].(*ssa.Const); isConst {
			f, ok = constFloat(c)
		}
		if !ok {
			return nil, false
		}
		x = f
	}
	make := map[string]func(name string, x float64) (uint16, bool){
		"Float16": halfOf[half.Float16], "BFloat16": halfOf[half.BFloat16],
		"Float8E4M3": halfOf[half.Float8E4M3], "Float8E5M2": halfOf[half.Float8E5M2],
	}[kind]
	bits, ok := make(fn.Origin().Name(), x)
	return ssa.NewConst(constant.MakeUint64(uint64(bits)), v.Type()), ok
}

// halfOf calls the function of package half with the given name and the argument x, and returns the
// bits of the result.
func halfOf[T half.Float[T]](name string, x float64) (uint16, bool) {
	switch name {
	case "FromFloat32":
		return half.FromFloat32[T](float32(x)).Bits(), true
	case "FromFloat32Saturating":
		return half.FromFloat32Saturating[T](float32(x)).Bits(), true
	case "FromBits":
		return half.FromBits[T](uint16(x)).Bits(), true
	case "NaN":
		return half.NaN[T]().Bits(), true
	case "Inf":
		return half.Inf[T](int(x)).Bits(), true
	case "Largest":
		return half.Largest[T]().Bits(), true
	case "SmallestNormal":
		return half.SmallestNormal[T]().Bits(), true
	case "SmallestNonzero":
		return half.SmallestNonzero[T]().Bits(), true
	case "Epsilon":
		return half.Epsilon[T]().Bits(), true
	}
	return 0, false
}
