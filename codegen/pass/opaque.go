package pass

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// opaqueZeros replaces zeros in float arithmetic by the launch block's reserved
// word, which is zero: drivers fold x*0 and x+0 where the zero is a literal,
// though that changes NaN, infinities and the sign of zero, and neither
// NoContraction nor SignedZeroInfNanPreserve keeps all of them from it.
func opaqueZeros(m *ir.Module) diag.List {
	for _, f := range bodies(m) {
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				switch v.Op {
				case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFma:
					for i, a := range v.Args {
						if isFloatZero(a) {
							z := reservedZero(f, v, a)
							out = append(out, z...)
							v.Args[i] = z[len(z)-1]
						}
					}
				}
				out = append(out, v)
			}
			b.Insts = out
		}
	}
	return nil
}

// isFloatZero reports whether v is the constant 0 or -0.
func isFloatZero(v *ir.Value) bool {
	return v.IsConst() && v.Type.IsFloat() && v.Bits<<(64-v.Type.Bits()+1) == 0
}

// reservedZero returns values, the last of which is the zero z, to stand before
// v.
func reservedZero(f *ir.Func, v, z *ir.Value) []*ir.Value {
	var out []*ir.Value
	add := func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
		x := f.NewValue(op, t, args...)
		x.Block, x.Pos = v.Block, v.Pos
		out = append(out, x)
		return x
	}
	x := add(ir.OpArg, ir.TypeF32)
	x.Bits = abi.OffsetReserved
	if z.Type != ir.TypeF32 {
		x = add(ir.OpFConvert, z.Type, x)
	}
	if z.Bits != 0 {
		add(ir.OpFNegate, z.Type, x)
	}
	return out
}
