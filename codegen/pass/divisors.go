package pass

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// hideDivisor returns values to stand before v, a division, after which its divisor
// is no constant to any driver: lavapipe's result of a division by a literal zero is
// undefined, and what depends on it may vanish, stores and all. Its divisors become
// literals once it has unrolled loops and folded what kgen does not.
func hideDivisor(f *ir.Func, v *ir.Value, seen map[*ir.Value]bool) []*ir.Value {
	d := v.Args[1]
	if d.IsConst() || !maybeLiteral(d, seen) || d.Type == ir.TypeF16 {
		return nil // quirks has seen to zeros
	}
	var out []*ir.Value
	add := func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
		x := f.NewValue(op, t, args...)
		x.Block, x.Pos = v.Block, v.Pos
		out = append(out, x)
		return x
	}
	zero := add(ir.OpArg, ir.TypeI32)
	zero.Bits = abi.OffsetReserved
	t := ir.TypeI32
	if d.Type == ir.TypeF64 {
		t = ir.TypeI64
		zero = add(ir.OpUConvert, t, zero)
	}
	v.Args[1] = add(ir.OpBitcast, d.Type, add(ir.OpOr, t, add(ir.OpBitcast, t, d), zero))
	return out
}

// maybeLiteral reports whether a driver may find that v is a constant: not where it
// is a sum or the like of what the kernel loads from device memory or gets as an
// argument. seen has what is known; a value that depends on itself is a phi.
func maybeLiteral(v *ir.Value, seen map[*ir.Value]bool) bool {
	if may, ok := seen[v]; ok {
		return may
	}
	seen[v] = true
	may := true
	literal := func(x *ir.Value) bool { return maybeLiteral(x, seen) }
	switch v.Op {
	case ir.OpArg, ir.OpBuiltIn:
		may = false
	case ir.OpLoad:
		ref, ok := v.Aux.(*ir.Ref)
		may = !ok || ref.Var != nil && ref.Var.Storage != ir.Workgroup
	case ir.OpFAdd, ir.OpFSub, ir.OpFNegate, ir.OpFAbs, ir.OpFSqrt, ir.OpFConvert, ir.OpFFloor, ir.OpFCeil, ir.OpFTrunc,
		ir.OpSToF, ir.OpUToF, ir.OpFToS, ir.OpFToU, ir.OpSConvert, ir.OpUConvert, ir.OpBitcast:
		may = !slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return !literal(x) })
	case ir.OpFMul: // x*0 is folded
		may = slices.ContainsFunc(v.Args, literal)
	case ir.OpFDiv:
		may = literal(v.Args[0])
	case ir.OpFma:
		may = literal(v.Args[2]) && (literal(v.Args[0]) || literal(v.Args[1]))
	}
	seen[v] = may
	return may
}
