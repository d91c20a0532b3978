package quirks

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// This file contains the quirks of NVIDIA's driver, and the matchers of the quirks that hide a
// value. In a matcher, v is the value to hide, and the argument `use` is an instruction that uses
// v. Most bugs of NVIDIA's compiler concern integers. The compiler replaces a few operations by
// fewer operations, but does not check all conditions for the replacement. A value that is combined
// with an unknown zero by "or" matches none of the compiler's patterns.

// nvidia580 is the version of NVIDIA's driver with which the bugs were found, on H200 GPUs.
const nvidia580 = "580.159.04"

// asMatcher turns a predicate on a value and its user into a matcher (a function for Quirk.Match).
// A matcher has the hider as an additional parameter.
func asMatcher(is func(v, use *ir.Value) bool) func(h *hider, v, use *ir.Value) bool {
	return func(_ *hider, v, use *ir.Value) bool { return is(v, use) }
}

// nvidiaQuirks returns the quirks of NVIDIA's driver, in the order in which [Apply] must apply
// them.
func nvidiaQuirks() []Quirk {
	return slices.Concat(nvidiaHides(), nvidiaRewrites(), nvidiaElsewhere())
}

// nvidiaHides returns the quirks whose workaround hides a value.
func nvidiaHides() []Quirk {
	return []Quirk{
		{
			Name: "one-bit", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "A computed 0 or 1 that is an index is taken for one bit with a sign: s[(x*y)%2] loads s[-1] instead of s[1]. Numbers that are -1, 0 or 1 by two comparisons, as cmp.Compare's, fail too.",
			Case:  []string{"internal/tests/smith/testdata/one_bit.go", "internal/tests/smith/testdata/three_ways.go", "internal/tests/smith/testdata/told_zero.go", "internal/tests/difftest/golang.Peepholes", "codegen/pass/quirks/testdata/one_bit.ir"},
			Match: matchBit, Hide: hideBit,
		},
		{
			Name: "flag-product", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "flag*x and flag&x, with a flag that is 1 or 0 by a bool, take whether x is zero for x's lowest bit.",
			Case:  []string{"internal/tests/difftest/golang.Peepholes"},
			Match: asMatcher(isFlag),
		},
		{
			Name: "lesser", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "The upper half of x - min(x, y), of 64 bits, is wrong: the compiler takes it for a subtraction that stops at zero.",
			Case:  []string{"internal/tests/difftest/idioms.SaturateUint64", "codegen/pass/quirks/testdata/hidden.ir"},
			Match: asMatcher(isLesser),
		},
		{
			Name: "wrapped-sum", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "The upper half of a sum of 64 bits is wrong where the sum is chosen only if it does not wrap around.",
			Case:  []string{"internal/tests/difftest/idioms.SaturateInt64", "codegen/pass/quirks/testdata/hidden.ir"},
			Match: asMatcher(isChosenSum),
		},
		{
			Name: "square", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "Of x*x & 3 the compiler knows that one bit is never set; what is left is a single bit, see one-bit.",
			Case:  []string{"internal/tests/difftest/golang.Peepholes"},
			Match: asMatcher(isSquare),
		},
		{
			Name: "negated", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "int64(-x) of an int32 x loses the extension that the least number needs, and min(0, min(y, -x)) loses the negation.",
			Case:  []string{"internal/tests/difftest/golang.Peepholes", "codegen/pass/quirks/testdata/negated.ir"},
			Match: asMatcher(isNegated),
		},
		{
			Name: "divided", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "Unsigned numbers that are known to have few bits, but for a sign, are divided as floats, sign and all; of 64 bits, (x%7+7)%7 is wrong.",
			Case:  []string{"internal/tests/smith/testdata/divided.go", "internal/tests/difftest/golang.Peepholes"},
			Match: asMatcher(isDivided), Hide: hideUpper,
		},
		{
			Name: "unsigned-double", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "float64(uint32(int8(x))) becomes the float64 of the signed byte.",
			Case:  []string{"internal/tests/difftest/idioms.Floats64OfInt8"},
			Match: asMatcher(isSigned), Hide: hideUpper,
		},
		{
			Name: "byte-swap", Driver: NVIDIA, Seen: nvidia580,
			Bug:      "x>>8&255 | x<<8 of 16 bits loses one of the bytes.",
			Case:     []string{"internal/tests/smith/testdata/bytes.go", "internal/tests/difftest/idioms.Swaps"},
			Operands: upperBytes,
		},
		{
			Name: "bit-count", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "The bits of a number of 8 bits are counted with those of its sign, extended to 32.",
			Case:  []string{"internal/tests/smith/testdata/counted.go", "internal/tests/difftest/idioms.CountsUint8"},
			Match: asMatcher(isCounted),
		},
		{
			Name: "rotation", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "x<<k + x>>(64-k), and their difference, become a rotation, though x>>n of a signed x is filled with its sign and a difference borrows.",
			Case:  []string{"internal/tests/difftest/golang.Shifted", "internal/tests/smith/testdata/rotated.go", "codegen/pass/quirks/testdata/turned.ir"},
			Match: asMatcher(isTurned),
		},
		{
			Name: "shifted-negative", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "(x | math.MinInt32) >> 2 is extended to 64 bits without its sign where a loop with it is unrolled.",
			Case:  []string{"internal/tests/difftest/golang.Peepholes"},
			Match: asMatcher(isShiftedNegative),
		},
		{
			Name: "masked-by-counter", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "x & i, with a loop's counter i, is a single bit once the loop is unrolled; see one-bit.",
			Case:  []string{"internal/tests/difftest/golang.Unrolled"},
			Match: asMatcher(isMaskedByCount),
		},
		{
			Name: "shifted-again", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "x <<= 20 in a loop that is unrolled becomes one shift by 64 bits or more, which is not zero on the device.",
			Case:  []string{"internal/tests/difftest/golang.Unrolled"},
			Match: asMatcher(isShiftedAgain),
		},
		{
			Name: "loop-start", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "A loop that counts from x&3 - 1 downwards by threes runs once at most; a sum of 64 bits that it makes is then chosen or not, see wrapped-sum.",
			Case:  []string{"internal/tests/difftest/golang.Peepholes"},
			Match: asMatcher(isStart),
		},
		{
			Name: "scaled", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "4*x > 3 compares only the bits that x has left, without their sign: it is true for x = -5.",
			Case:  []string{"internal/tests/smith/testdata/scaled.go", "internal/tests/difftest/idioms.ScaledInt64", "codegen/pass/quirks/testdata/scaled.ir"},
			Match: asMatcher(isScaled), Hide: hideCompared,
		},
		{
			Name: "counted-from", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "for i := first; i < first+8; i++ is unrolled in part, and then runs sixteen times and once more.",
			Case:  []string{"internal/tests/difftest/golang.SignedChunks", "codegen/pass/quirks/testdata/counted_from.ir"},
			Match: asMatcher(isBound), Hide: hideCompared,
		},
		{
			Name: "doubled", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "The compiler crashes where a loop carries x and chooses the next x by x+x > 2.",
			Case:  []string{"internal/tests/difftest/golang.Peepholes"},
			Match: asMatcher(isDoubled), Hide: hideCompared,
		},
	}
}

// nvidiaRewrites returns the quirks whose workaround rewrites instructions, functions or the
// module.
func nvidiaRewrites() []Quirk {
	return []Quirk{
		{
			Name: "both-orders", Driver: NVIDIA, Seen: nvidia580,
			Bug:    "A function that computes x < y and y < x makes one number of both, and gets it wrong.",
			Case:   []string{"internal/tests/smith/testdata/three_ways.go", "internal/tests/difftest/idioms.CompareInt64"},
			Before: splitComparisons,
		},
		{
			Name: "minimum", Driver: NVIDIA, Seen: nvidia580,
			Bug:    "if x < y { x } else { y } of float32s becomes a minimum, which chooses otherwise for NaN and -0.",
			Case:   []string{"internal/tests/difftest/idioms.Floats32"},
			Before: splitMinima,
		},
		{
			Name: "flags-differ", Driver: NVIDIA, Seen: nvidia580,
			Bug:  "(a < b) != (c < d), of integers of 64 bits, goes the wrong way.",
			Case: []string{"internal/tests/smith/testdata/groups/differ.go", "internal/tests/difftest/idioms.FlagsInt64", "codegen/pass/quirks/testdata/differ.ir"},
			Inst: numberFlags,
		},
		{
			Name: "nan-test", Driver: NVIDIA, Seen: nvidia580,
			Bug:  "x != x is false: the compiler takes it that there are no NaNs.",
			Case: []string{"internal/tests/difftest/idioms.Floats32"},
			Inst: bitsOfNaN,
		},
		{
			Name: "carried-flag", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "The compiler crashes over some phis of bools in headers of loops. The program that showed it, internal/tests/smith/testdata/groups/carried_bool.go, has none any more since other passes remove them.",
			Case:  []string{"internal/tests/difftest/corpus.GroupSettles"},
			After: func(h *hider) { countedFlags(h.f) },
		},
		{
			Name: "joined-flag", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "Where a bool is known on the way into a join, and decides a branch behind it, the compiler jumps past the join with some of the work-items, which then do not meet the others at a barrier.",
			Case:  []string{"internal/tests/difftest/groups.Choices", "codegen/pass/quirks/testdata/joined_flags.ir"},
			After: joinedFlags,
		},
		{
			Name: "signalling-nan", Driver: NVIDIA, Seen: nvidia580,
			Bug:    "Constants that are signalling NaNs become quiet ones.",
			Case:   []string{"internal/tests/difftest/golang.Signals", "codegen/pass/quirks/testdata/signalling.ir"},
			Module: keepSignals, After: hideSignals,
		},
	}
}

// nvidiaElsewhere returns the quirks whose workaround is elsewhere, mostly in another pass or
// package.
func nvidiaElsewhere() []Quirk {
	return []Quirk{
		{
			Name: "wrapped-counter", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "The compiler takes it that a counter with a sign does not wrap: a loop that only ends because its counter does makes 2^31 - 2 rounds in place of one, or does not end.",
			Case:  []string{"internal/tests/difftest/descents.DescentsInt32", "internal/tests/difftest/descents.DescentsInt64", "codegen/pass/quirks/testdata/wraps.ir"},
			After: hideWraps,
		},
		{
			Name: "magnitude", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "|x| > -2 is true, also of a NaN.",
			Case:  []string{"internal/tests/difftest/golang.Peepholes", "codegen/pass/quirks/testdata/magnitude.ir"},
			Where: "codegen/pass/simplify/floats.go:compareAbs",
		},
		{
			Name: "local-exchange", Driver: NVIDIA, Seen: nvidia580,
			Bug:   "The compiler crashes over an atomic exchange in work-group memory whose index is a selection.",
			Case:  []string{"internal/tests/difftest/atomics.Typed"},
			Where: "codegen/pass/lanes/atomics.go:isLocalExchange",
		},
		{
			Name: "array-of-structs", Driver: NVIDIA, Seen: nvidia580, Fixed: true,
			Bug:   "Some arrays of structs that a loop indexes have wrong elements.",
			Case:  []string{"internal/tests/difftest/corpus.LocalStructs"},
			Where: "codegen/pass/memory/soa.go:SoA",
		},
		{
			Name: "long-division", Driver: NVIDIA, Seen: nvidia580, Fixed: true,
			Bug:   "Many divisions of 64-bit integers in one kernel mix up their results: each calls a routine of some hundred instructions.",
			Case:  []string{"internal/tests/difftest/golang.Peepholes", "internal/tests/difftest/idioms.DivideInt64"},
			Where: "codegen/pass/numbers/longdiv.go:LongDivide",
		},
		{
			Name: "far-shift", Driver: NVIDIA, Seen: nvidia580, Fixed: true,
			Bug:   "In words, n < 64 and then n&32 != 0 become something else; 31 < n does not.",
			Case:  []string{"internal/tests/difftest/idioms.RotateUint64"},
			Where: "codegen/pass/split64/arith.go:isFarShift",
		},
		{
			Name: "no-nans", Driver: NVIDIA, Seen: nvidia580, Fixed: true,
			Bug:   "Without SignedZeroInfNanPreserve the compiler takes it that there are no NaNs and infinities, as it may.",
			Case:  []string{"runtime/internal/adapt/modes_test.go:TestPreserve"},
			Where: "runtime/internal/adapt/modes.go:Preserve",
		},
		{
			Name: "base-pipelines", Driver: NVIDIA, Seen: nvidia580, Fixed: true,
			Bug:   "A pipeline cache hands out a pipeline that ignores the base of a dispatch for one that was made to heed it.",
			Case:  []string{"runtime/internal/backendtest/launch.go:testManyGroups"},
			Where: "runtime/internal/vulkan/pipeline.go:createPipeline",
		},
	}
}

// matchBit matches a value in which at most one bit may be set. matchBit also matches a value if
// its user needs only one bit of the value.
func matchBit(h *hider, v, use *ir.Value) bool {
	if use.Op == ir.OpPhi {
		return isBit(v)
	}
	if v.Op == ir.OpSelect && use.Op != ir.OpSelect {
		return false
	}
	return isBit(v) || v.Op == ir.OpAnd && v.Block != nil && bits.OnesCount64(facts.Possible(v)&(1<<h.readBitsOf[use]-1)) == 1
}

// isBit reports whether v can have only the values 0 and a certain power of two, or only the values
// -1, 0 and 1. For example, isBit returns true for the product (x&1)*4.
func isBit(v *ir.Value) bool {
	if v.Block == nil || !v.Type.IsInt() {
		return false
	}
	switch v.Op {
	case ir.OpAnd, ir.OpShl, ir.OpShrL, ir.OpIMul:
		return bits.OnesCount64(facts.Possible(v)) == 1
	case ir.OpUMod:
		return v.Args[1].IsConst() && v.Args[1].Bits == 2
	case ir.OpISub: // x%2 of a signed x
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

// isSmall reports whether v is the constant -1, 0 or 1.
func isSmall(v *ir.Value) bool { return v.IsConst() && v.Int() >= -1 && v.Int() <= 1 }

// isFlag reports whether v is 1 or 0, and a bool selects one of these numbers. The user of v must
// multiply v, or combine v with a number by "and".
func isFlag(v, use *ir.Value) bool {
	if use.Op != ir.OpAnd && use.Op != ir.OpIMul || use.Args[0].IsConst() || use.Args[1].IsConst() {
		return false
	}
	for v.Op == ir.OpUConvert || v.Op == ir.OpAnd && v.Args[1].IsConst() {
		v = v.Args[0]
	}
	return v.Op == ir.OpSelect && isBit(v)
}

// isLesser reports whether v is the minimum or maximum of two 64-bit integers, and its user adds,
// subtracts or inverts v.
func isLesser(v, use *ir.Value) bool {
	if use.Op != ir.OpISub && use.Op != ir.OpIAdd && use.Op != ir.OpNot || v.Block == nil || v.Type != ir.TypeI64 {
		return false
	}
	return v.Op == ir.OpSelect && v.Args[0].Op.Has(ir.FlagCompare)
}

// isSquare reports whether v is x*x, and its user may need only the lowest bits of v.
func isSquare(v, use *ir.Value) bool {
	return (use.Op == ir.OpIMul || use.Op == ir.OpShl || use.Op == ir.OpAnd) && v.Op == ir.OpIMul && v.Block != nil && v.Args[0] == v.Args[1]
}

// isSum64 reports whether v is a sum or difference of 64-bit integers.
func isSum64(v *ir.Value) bool {
	return v.Block != nil && v.Type == ir.TypeI64 && (v.Op == ir.OpIAdd || v.Op == ir.OpISub)
}

// isChosenSum reports whether v is a 64-bit sum and its user is a selection, or a phi outside of
// loop headers. The argument `use` is the instruction that uses v.
func isChosenSum(v, use *ir.Value) bool {
	joins := use.Op == ir.OpSelect || use.Op == ir.OpPhi && use.Block.Continue == nil
	return joins && isSum64(v)
}

// isNegated reports whether v is -x or a negative multiple of x. The user of v must be an op that
// may extend or select v, such as a conversion.
func isNegated(v, use *ir.Value) bool {
	switch use.Op {
	case ir.OpShl, ir.OpAnd, ir.OpSConvert, ir.OpUConvert, ir.OpSelect:
	default:
		return false
	}
	return v.Block != nil && (facts.IsNegation(v) || v.Op == ir.OpIMul && v.Args[1].IsConst() && v.Args[1].Int() < 0)
}

// isDivided reports whether the user of v is an unsigned division, and the compiler may know how
// many bits v has.
func isDivided(v, use *ir.Value) bool {
	if use.Op != ir.OpUDiv && use.Op != ir.OpUMod || v.Block == nil || v.Op == ir.OpLoad || v.Op == ir.OpArg {
		return false
	}
	if v.Type == ir.TypeI64 {
		return true
	}
	sign := facts.Mask(v.Type)>>1 + 1
	return facts.Possible(v)&sign != 0 && !use.Args[1].IsConst()
}

// isSigned reports whether the user of v converts v to a float64 as an unsigned number, although v
// may come from a sign extension.
func isSigned(v, use *ir.Value) bool {
	if use.Op != ir.OpUToF || use.Type != ir.TypeF64 || v.Block == nil || v.Op == ir.OpLoad || v.Op == ir.OpArg {
		return false
	}
	return v.Op == ir.OpSConvert || v.Type == ir.TypeI32 && facts.Possible(v)>>31 != 0
}

// isDoubled reports whether v is the 64-bit sum x + x, and its user is an unsigned comparison.
func isDoubled(v, use *ir.Value) bool {
	return (use.Op == ir.OpULt || use.Op == ir.OpULe) && v.Op == ir.OpIAdd && v.Args[0] == v.Args[1] && v.Type == ir.TypeI64
}

// isScaled reports whether v is a multiple of a number, such as 4*x, and its user is a signed
// comparison of v. The comparison's other operand must be a constant, another multiple of the same
// number, or a computed value whose interval the compiler may know.
func isScaled(v, use *ir.Value) bool {
	if use.Op != ir.OpSLt && use.Op != ir.OpSLe || v.Block == nil || !isMultiple(v, facts.MaxPossible) {
		return false
	}
	other := use.Args[0]
	if other == v {
		other = use.Args[1]
	}
	switch other.Op {
	case ir.OpLoad, ir.OpArg, ir.OpPhi, ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpBuiltIn, ir.OpInvalid:
		return linearRoot(v) == linearRoot(other) // the other operand may have any interval; OpInvalid represents a parameter
	}
	return true
}

// isMultiple reports whether v is a multiple of a number, or is computed from a multiple. The
// argument `depth` limits the number of steps of this computation. isMultiple follows operations
// that compilers move to the other side of a comparison. For example, ^(x*2) > 3 becomes x*2 < ^3.
func isMultiple(v *ir.Value, depth int) bool {
	of := func(i int) bool { return depth > 0 && isMultiple(v.Args[i], depth-1) }
	switch v.Op {
	case ir.OpIMul, ir.OpShl:
		return v.Args[1].IsConst()
	case ir.OpIAdd: // the operands of the sum may be different phis that a driver merges
		return !v.Args[0].IsConst() && !v.Args[1].IsConst()
	case ir.OpNot: // ^x > 3 becomes x < ^3
		return of(0)
	case ir.OpISub:
		return v.Args[0].IsConst() && of(1)
	case ir.OpShrA: // for example, a sign extension of the lowest bits
		return v.Args[1].IsConst() && of(0)
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return of(0) || of(1)
	case ir.OpSelect:
		return of(1) || of(2)
	}
	return false
}

// upperBytes returns each value x for which x<<8 is an operand of the instruction `use`, which must
// be an "or".
func upperBytes(use *ir.Value) []*ir.Value {
	if use.Op != ir.OpOr {
		return nil
	}
	isConst := func(x *ir.Value, n int) bool { return x.IsConst() && x.Bits == uint64(n) }
	var out []*ir.Value
	for i, v := range use.Args {
		short := v.Op == ir.OpAnd && isConst(v.Args[1], 0xffff) // v is masked to 16 bits, and the shift count may be 8
		if short {
			v = v.Args[0]
		}
		if v.Op != ir.OpShl || !short && !isConst(v.Args[1], 8) || v.Args[0].Block == nil {
			continue
		}
		other := use.Args[1-i]
		if other.Op == ir.OpShrL && other.Args[0] == v.Args[0] && isConst(other.Args[1], v.Type.Bits()-8) {
			continue // a rotation is compiled correctly
		}
		out = append(out, v.Args[0])
	}
	return out
}

// isCounted reports whether the user of v counts the set bits of v, and some bits of v can never be
// set.
func isCounted(v, use *ir.Value) bool {
	return use.Op == ir.OpBitCount && v.Block != nil && facts.Possible(v) != facts.Mask(v.Type)
}

// isTurned reports whether v is x>>n, and its user is the sum or difference of v and x<<(64-n).
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

// isShiftedNegative reports whether the user of v is a signed shift of v, and v is negative because
// of an "or" with a constant.
func isShiftedNegative(v, use *ir.Value) bool { return use.Op == ir.OpShrA && isMadeNegative(v) }

// isMadeNegative reports whether v is negative because of an "or" with a constant.
func isMadeNegative(v *ir.Value) bool {
	return v.Op == ir.OpOr && facts.Certain(v)&(facts.Mask(v.Type)>>1+1) != 0
}
