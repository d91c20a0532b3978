package pass

import (
	"math/bits"

	"github.com/kgen-go/kgen/codegen/ir"
)

// hiddenFrom holds what tells of a value whether a use of it must not see what it is.
var hiddenFrom = []func(v, use *ir.Value) bool{
	isLesser, isNegated, isCounted, isDivided, isSigned, isTurned, isFlag, isChosenSum, isSquare,
	isMaskedByCount, isShiftedAgain, isShiftedNegative,
}

// isBit reports whether v is computed and 0, 1 or -1 by its op, or 0 and another power of
// two: NVIDIA's compiler goes wrong over products of those, too. Of such an index, as in
// s[(x*y)%2], NVIDIA's compiler makes one bit with a sign, and s[1] becomes s[-1], or
// s[0] becomes s[1]; and it fails where a number is -1, 0 or 1 by two comparisons, as that
// of cmp.Compare.
func isBit(v *ir.Value) bool {
	if v.Block == nil || !v.Type.IsInt() {
		return false
	}
	switch v.Op {
	case ir.OpAnd, ir.OpShl, ir.OpShrL, ir.OpIMul:
		return bits.OnesCount64(possible(v)) == 1
	case ir.OpUMod:
		return v.Args[1].IsConst() && v.Args[1].Bits == 2
	case ir.OpISub: // x%2 with its sign
		even := v.Args[1]
		return even.Op == ir.OpIMul && even.Args[1].IsConst() && even.Args[1].Bits == 2 &&
			even.Args[0].Op == ir.OpSDiv && even.Args[0].Args[0] == v.Args[0] && even.Args[0].Args[1] == even.Args[1]
	case ir.OpSelect:
		return isSmall(v.Args[1]) && isSmall(v.Args[2])
	case ir.OpPhi:
		for _, a := range v.Args {
			if !isSmall(a) && (a.Op == ir.OpPhi || !isBit(a)) {
				return false
			}
		}
		return true
	}
	return false
}

// isFlag reports whether v is 1 or 0 by a bool, and use ands it with a number or multiplies
// one. NVIDIA's compiler takes whether the number is zero for its lowest bit.
func isFlag(v, use *ir.Value) bool {
	if use.Op != ir.OpAnd && use.Op != ir.OpIMul || use.Args[0].IsConst() || use.Args[1].IsConst() {
		return false
	}
	for v.Op == ir.OpUConvert || v.Op == ir.OpAnd && v.Args[1].IsConst() {
		v = v.Args[0]
	}
	return v.Op == ir.OpSelect && isBit(v)
}

// isSmall reports whether v is the constant -1, 0 or 1.
func isSmall(v *ir.Value) bool { return v.IsConst() && v.Int() >= -1 && v.Int() <= 1 }

// isLesser reports whether v, of 64 bits, is the lesser or the greater of two numbers,
// and use adds it to another or subtracts it, or inverts it. NVIDIA's compiler gets the
// upper half of x - min(x, y) wrong, which it takes for a subtraction that stops at zero.
func isLesser(v, use *ir.Value) bool {
	if use.Op != ir.OpISub && use.Op != ir.OpIAdd && use.Op != ir.OpNot || v.Block == nil || v.Type != ir.TypeI64 {
		return false
	}
	return v.Op == ir.OpSelect && isCompare(v.Args[0].Op)
}

// isSquare reports whether v is x*x, and use may leave no more of it than the lowest bits:
// the next to last is never set, so that the last is told of by isBit, too.
func isSquare(v, use *ir.Value) bool {
	return (use.Op == ir.OpIMul || use.Op == ir.OpShl || use.Op == ir.OpAnd) && v.Op == ir.OpIMul && v.Block != nil && v.Args[0] == v.Args[1]
}

// isSum64 reports whether v is a sum or difference of 64 bits. Where one takes its place
// only if it does not wrap around, NVIDIA's compiler gets the upper half wrong, too.
func isSum64(v *ir.Value) bool {
	return v.Block != nil && v.Type == ir.TypeI64 && (v.Op == ir.OpIAdd || v.Op == ir.OpISub)
}

// isChosenSum is isSum64 of what use chooses or not.
func isChosenSum(v, use *ir.Value) bool { return use.Op == ir.OpSelect && isSum64(v) }

// isNegated reports whether v is -x, or a negative multiple of x, used where a number of
// fewer bits is extended: NVIDIA's compiler leaves the extension out, which the lowest of
// these numbers needs. It leaves the negation out in the least or greatest of three.
func isNegated(v, use *ir.Value) bool {
	switch use.Op {
	case ir.OpShl, ir.OpAnd, ir.OpSConvert, ir.OpUConvert, ir.OpSelect:
	default:
		return false
	}
	return v.Block != nil && (isNegation(v) || v.Op == ir.OpIMul && v.Args[1].IsConst() && v.Args[1].Int() < 0)
}

// isDivided reports whether v is what use divides without signs, or divides by, and its
// range may be seen. NVIDIA's compiler divides numbers that are known to have few bits,
// but for a sign, as floats, which is wrong if there are signs; and of 64 bits it gets
// (x%7+7)%7 wrong.
func isDivided(v, use *ir.Value) bool {
	if use.Op != ir.OpUDiv && use.Op != ir.OpUMod || v.Block == nil || v.Op == ir.OpLoad || v.Op == ir.OpArg {
		return false
	}
	if v.Type == ir.TypeI64 {
		return true
	}
	sign := mask(v.Type)>>1 + 1
	return possible(v)&sign != 0 && !use.Args[1].IsConst()
}

// isSigned reports whether v may be sign-extended, and use makes a float64 of it without
// a sign. NVIDIA's compiler makes one of a loaded byte or two with their sign instead.
func isSigned(v, use *ir.Value) bool {
	if use.Op != ir.OpUToF || use.Type != ir.TypeF64 || v.Block == nil || v.Op == ir.OpLoad || v.Op == ir.OpArg {
		return false
	}
	return v.Op == ir.OpSConvert || v.Type == ir.TypeI32 && possible(v)>>31 != 0
}

// isCompared reports whether use compares v in a way that NVIDIA's compiler gets wrong.
func isCompared(v, use *ir.Value) bool {
	return isScaled(v, use) || isBound(v, use) || isDoubled(v, use)
}

// isDoubled reports whether v is x + x, of 64 bits, and use compares it without signs.
// NVIDIA's compiler crashes where a loop carries x, and the comparison chooses the next.
func isDoubled(v, use *ir.Value) bool {
	return (use.Op == ir.OpULt || use.Op == ir.OpULe) && v.Op == ir.OpIAdd && v.Args[0] == v.Args[1] && v.Type == ir.TypeI64
}

// isScaled reports whether v is twice a number or another multiple of it, which use
// compares with a constant, with what is computed so that its range may be known, or with
// another multiple of the same number. NVIDIA's compiler shortens such a comparison to the
// bits that are left of the number, but for their sign: it takes 4*x > 3 for true where x
// is -5.
func isScaled(v, use *ir.Value) bool {
	if use.Op != ir.OpSLt && use.Op != ir.OpSLe || v.Block == nil || !isMultiple(v, maxPossible) {
		return false
	}
	other := use.Args[0]
	if other == v {
		other = use.Args[1]
	}
	switch other.Op {
	case ir.OpLoad, ir.OpArg, ir.OpPhi, ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpBuiltIn, ir.OpInvalid:
		return linearRoot(v) == linearRoot(other) // else of any range, as far as one can see; OpInvalid is a parameter
	}
	return true
}

// isMultiple reports whether v is a multiple of a number, or is computed from one, in so
// many steps, in a way that compilers take a comparison through.
func isMultiple(v *ir.Value, depth int) bool {
	of := func(i int) bool { return depth > 0 && isMultiple(v.Args[i], depth-1) }
	switch v.Op {
	case ir.OpIMul, ir.OpShl:
		return v.Args[1].IsConst()
	case ir.OpIAdd: // what are two phis here may be one to a driver
		return !v.Args[0].IsConst() && !v.Args[1].IsConst()
	case ir.OpNot: // ^x > 3 becomes x < ^3
		return of(0)
	case ir.OpISub:
		return v.Args[0].IsConst() && of(1)
	case ir.OpShrA: // such as the lowest bits with a sign
		return v.Args[1].IsConst() && of(0)
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return of(0) || of(1)
	case ir.OpSelect:
		return of(1) || of(2)
	}
	return false
}

// upperBytes returns what use, an or, shifts up by a byte to put it together with another
// number. Where both bytes come from one number the other way round, NVIDIA's compiler
// loses one.
func upperBytes(use *ir.Value) []*ir.Value {
	if use.Op != ir.OpOr {
		return nil
	}
	isConst := func(x *ir.Value, n int) bool { return x.IsConst() && x.Bits == uint64(n) }
	var out []*ir.Value
	for i, v := range use.Args {
		short := v.Op == ir.OpAnd && isConst(v.Args[1], 0xffff) // of 16 bits, by what may turn out to be 8
		if short {
			v = v.Args[0]
		}
		if v.Op != ir.OpShl || !short && !isConst(v.Args[1], 8) || v.Args[0].Block == nil {
			continue
		}
		other := use.Args[1-i]
		if other.Op == ir.OpShrL && other.Args[0] == v.Args[0] && isConst(other.Args[1], v.Type.Bits()-8) {
			continue // a rotation
		}
		out = append(out, v.Args[0])
	}
	return out
}

// isCounted reports whether v is a number of fewer bits than its type's, whose bits use
// counts: NVIDIA's compiler counts those of 8 bits, and those of the sign with them.
func isCounted(v, use *ir.Value) bool {
	return use.Op == ir.OpBitCount && v.Block != nil && possible(v) != mask(v.Type)
}

// isTurned reports whether v is shifted to the right, and use adds what is shifted to the
// left by the rest of 64 bits, or subtracts one from the other. NVIDIA's compiler makes a
// rotation of both, as if there were neither signs nor borrows.
func isTurned(v, use *ir.Value) bool {
	if use.Op != ir.OpIAdd && use.Op != ir.OpISub || use.Type != ir.TypeI64 {
		return false
	}
	if v.Op != ir.OpShrA && (v.Op != ir.OpShrL || use.Op != ir.OpISub) || !v.Args[1].IsConst() {
		return false
	}
	for _, left := range use.Args {
		switch {
		case left == v || len(left.Args) < 2:
		case left.Op == ir.OpIAdd && left.Args[0] == left.Args[1]:
			return v.Args[1].Bits == 63
		case !left.Args[1].IsConst():
		case left.Op == ir.OpShl && left.Args[1].Bits+v.Args[1].Bits == 64,
			left.Op == ir.OpIMul && left.Args[1].Bits == 1<<(64-v.Args[1].Bits):
			return true
		}
	}
	return false
}

// isShiftedNegative reports whether an or makes v negative, and use shifts it with its
// sign. What becomes of that where a loop is written out NVIDIA's compiler extends to 64
// bits without a sign.
func isShiftedNegative(v, use *ir.Value) bool { return use.Op == ir.OpShrA && isMadeNegative(v) }

// isMadeNegative reports whether v has its sign from an or with a constant.
func isMadeNegative(v *ir.Value) bool {
	return v.Op == ir.OpOr && certain(v)&(mask(v.Type)>>1+1) != 0
}
