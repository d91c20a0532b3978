package facts

// This file computes which bits of an integer may be set. This file also contains predicates on
// constants.

import (
	"maps"
	"math/bits"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Mask returns an integer in which all bits of type t are set.
func Mask(t *ir.Type) uint64 { return ^uint64(0) >> (64 - t.Bits()) }

// IsZero reports whether v is the constant 0.
func IsZero(v *ir.Value) bool { return v.IsConst() && v.Bits == 0 }

// IsOne reports whether v is the constant 1.
func IsOne(v *ir.Value) bool { return v.IsConst() && v.Bits == 1 }

// IsOnes reports whether v is a constant in which all bits are set.
func IsOnes(v *ir.Value) bool { return v.IsConst() && v.Bits == Mask(v.Type) }

// IsNegation reports whether v is -x.
func IsNegation(v *ir.Value) bool { return v.Op == ir.OpISub && IsZero(v.Args[0]) }

// Log2 returns k if v is the constant 1<<k.
func Log2(v *ir.Value) (int64, bool) {
	if v.IsConst() && v.Bits != 0 && v.Bits&(v.Bits-1) == 0 {
		return int64(bits.TrailingZeros64(v.Bits)), true
	}
	return 0, false
}

// MaxPossible bounds the depth of expressions that Possible examines.
const MaxPossible = 4

// Possible returns a mask of the bits that may be set in the integer v.
func Possible(v *ir.Value) uint64 { return possibleIn(v, MaxPossible, nil) }

// possibleIn is like Possible, but examines operands only down to the given depth. The map `phis`
// contains the bits found so far for each phi that is being examined.
func possibleIn(v *ir.Value, depth int, phis map[*ir.Value]uint64) uint64 {
	all := Mask(v.Type)
	if v.IsConst() {
		return v.Bits
	}
	if depth--; depth < 0 || !v.Type.IsInt() {
		return all
	}
	of := func(i int) uint64 { return possibleIn(v.Args[i], depth, phis) }
	switch v.Op {
	case ir.OpPhi:
		return possiblePhi(v, depth, phis)
	case ir.OpUConvert, ir.OpHalfDiv, ir.OpHalfSqrt, ir.OpHalfFma, ir.OpSDot, ir.OpUDot, ir.OpSUDot, ir.OpSDotAccSat, ir.OpUDotAccSat, ir.OpSUDotAccSat:
		return of(0) & all
	case ir.OpFToHalf:
		return 1<<16 - 1
	case ir.OpAnd:
		return of(0) & of(1)
	case ir.OpOr, ir.OpXor:
		return of(0) | of(1)
	case ir.OpSelect:
		return of(1) | of(2)
	case ir.OpIMul: // the product has at least as many low zero bits as the factors together
		lowest := bits.TrailingZeros64(of(0)) + bits.TrailingZeros64(of(1))
		if v.Args[0] == v.Args[1] { // a square modulo 4 is 0 or 1, so bit 1 of the square is never set
			all &^= 2 << lowest
		}
		return all &^ (uint64(1)<<min(63, lowest) - 1)
	case ir.OpShl:
		if v.Args[1].IsConst() {
			return of(0) << v.Args[1].Bits & all
		}
	case ir.OpShrL:
		if v.Args[1].IsConst() {
			return of(0) >> v.Args[1].Bits
		}
	}
	return all
}

// possiblePhi returns the bits that may be set in the phi v. The arguments of v may depend on v
// itself, so possiblePhi starts with no bits and adds the bits of the arguments until nothing
// changes.
func possiblePhi(v *ir.Value, depth int, phis map[*ir.Value]uint64) uint64 {
	if s, ok := phis[v]; ok {
		return s
	}
	const nested, rounds = 2, 3
	if len(phis) == nested || len(v.Args) != len(v.Block.Preds) { // too many nested phis are being examined, or v belongs to a loop that is still being built
		return Mask(v.Type)
	}
	inner := maps.Clone(phis)
	if inner == nil {
		inner = map[*ir.Value]uint64{}
	}
	s := uint64(0)
	for range rounds {
		inner[v] = s
		before := s
		for _, a := range v.Args {
			s |= possibleIn(a, depth, inner)
		}
		if s == before {
			return s
		}
	}
	return Mask(v.Type)
}

// Certain returns a mask of bits that are always set in the integer v. For example, bit 0 of n | 1
// is always set.
func Certain(v *ir.Value) uint64 {
	switch {
	case v.IsConst():
		return v.Bits
	case v.Op == ir.OpOr && v.Args[1].IsConst():
		return v.Args[1].Bits
	}
	return 0
}
