package facts

// This file finds which integers are multiples of a power of two.

import (
	"math/bits"

	"github.com/kgen-go/kgen/codegen/ir"
)

// LowZeros returns how many low bits of the integer v are known to be zero. For the constant zero,
// LowZeros returns 64.
func LowZeros(v *ir.Value) int { return lowZeros(v, 0) }

// lowZeros is like LowZeros, for an operand at the given depth of the expression.
func lowZeros(v *ir.Value, depth int) int {
	const all, most = 64, 16
	least := func(vs ...*ir.Value) int {
		n := all
		for _, a := range vs {
			n = min(n, lowZeros(a, depth+1))
		}
		return n
	}
	switch {
	case v.IsConst():
		return bits.TrailingZeros64(uint64(v.Int()))
	case depth == most:
		return 0
	}
	switch v.Op {
	case ir.OpIMul:
		return min(lowZeros(v.Args[0], depth+1)+lowZeros(v.Args[1], depth+1), all)
	case ir.OpIAdd, ir.OpISub, ir.OpOr:
		return least(v.Args...)
	case ir.OpShl:
		if by := v.Args[1]; by.IsConst() && by.Bits < all {
			return min(lowZeros(v.Args[0], depth+1)+int(by.Bits), all)
		}
	case ir.OpUConvert, ir.OpSConvert, ir.OpGroupUniform:
		return least(v.Args[0])
	case ir.OpSelect:
		return least(v.Args[1:]...)
	case ir.OpGroupReduce: // the op combines only operands of live lanes
		if c := v.Aux.(ir.Combine); c.By == ir.CombineOr {
			return least(v.Args...)
		}
	case ir.OpPhi: // if a power of two divides the first value and the step of a loop counter, it divides every value of the counter
		n := all
		for _, a := range v.Args {
			if step := a; (a.Op == ir.OpIAdd || a.Op == ir.OpISub) && step.Args[0] == v {
				a = step.Args[1]
			}
			n = min(n, lowZeros(a, depth+1))
		}
		return n
	}
	return 0
}
