package quirks

import "github.com/kgen-go/kgen/codegen/ir"

// This file contains the quirks of Mesa's compiler, which lavapipe shares with Mesa's drivers for
// GPUs. The replacements in Mesa's nir_opt_algebraic.py are correct for most floats, but not for
// all NaNs and zeros. No mode or decoration of SPIR-V disables the patterns of
// nir_opt_algebraic.py.

func mesaQuirks() []Quirk {
	return []Quirk{
		{
			Name: "guarded-root", Driver: Mesa, Seen: mesa22,
			Bug:   "if x < 0 { 0 } else { sqrt(x) } becomes sqrt(max(x, 0)), which is 0 for NaN and for -0.",
			Case:  []string{"internal/tests/difftest/corpus.RootsFloat32", "internal/tests/difftest/corpus.RootsFloat64", "internal/tests/difftest/corpus.ExactRootsFloat64", "internal/tests/difftest/corpus.FastRootsFloat32", "codegen/pass/quirks/testdata/guarded_root.ir"},
			After: hideRoots,
		},
		{
			Name: "magnitude-of-zero", Driver: Mesa, Seen: mesa22,
			Bug:   "|x| becomes x where x is no less than 0, though x may be -0: |sqrt(-0)| is -0.",
			Case:  []string{"internal/tests/difftest/corpus.RootsFloat32", "internal/tests/difftest/corpus.ExactRootsFloat64", "codegen/pass/quirks/testdata/guarded_root.ir"},
			After: hideSigns,
		},
		{
			Name: "least-counter", Driver: Mesa, Seen: mesa22,
			Bug:   "For the number of a loop's rounds the compiler divides the way from the counter's first value to what it is compared with by the counter's step: the least number by -1 ends the process (SIGFPE), and where a counter comes past the greatest number the loop makes too many rounds.",
			Case:  []string{"internal/tests/difftest/descents.DescentsInt32", "internal/tests/difftest/descents.DescentsInt64", "internal/tests/difftest/descents.DescentsUint32", "internal/tests/difftest/descents.Specialized", "codegen/pass/quirks/testdata/descents.ir"},
			After: hideDescents,
		},
	}
}

// hideRoots hides square roots that are operands of selections, phis or stores to private
// variables. Mesa replaces a selection, phi or store that chooses between a square root and another
// value by incorrect code.
//
//	r = sqrt(x)
//	y = select(x < 0, 0, bits(r) | zero)     instead of select(x < 0, 0, r).
//
// Drivers do not recognize the choice if the square root is hidden. Hiding the comparison would not
// be enough, because drivers derive comparisons with zero from other comparisons, such as x < -x.
func hideRoots(h *hider) {
	isRoot := func(v *ir.Value) bool { return v.Op == ir.OpFSqrt && isHideable(v.Type) }
	h.eachIncoming(func(_, a *ir.Value) bool { return isRoot(a) })
	h.rewriteInsts(func(v *ir.Value) {
		ref := v.Ref()
		if v.Op != ir.OpSelect && (v.Op != ir.OpStore || ref == nil || ref.Var == nil || ref.Var.Storage == ir.Workgroup) {
			return
		}
		for i, a := range v.Args {
			if isRoot(a) {
				v.Args[i] = h.hideFloat(a, v)
			}
		}
	})
}

// hideSigns hides the operand of an absolute value if a driver may know the operand's sign:
//
//	r = sqrt(x)
//	y = abs(bits(r) | zero)     instead of abs(r).
func hideSigns(h *hider) {
	s := &signFinder{known: map[*ir.Value]signSet{}}
	h.rewriteInsts(func(v *ir.Value) {
		if v.Op == ir.OpFAbs && isHideable(v.Type) && s.signOf(v.Args[0]) != 0 {
			v.Args[0] = h.hideFloat(v.Args[0], v)
		}
	})
}

// signSet is a set of facts that a driver may find about the sign of a float.
type signSet uint8

const (
	notNegative signSet = 1 << iota // the float is +0, -0 or greater
	notPositive                     // the float is +0, -0 or less
)

// negatedSign returns the sign of -x.
func (s signSet) negatedSign() signSet { return s>>1 | s<<1&notPositive }

// timesSign returns the sign of the product of two floats with the signs s and t.
func (s signSet) timesSign(t signSet) signSet {
	var out signSet
	if s&t != 0 {
		out |= notNegative
	}
	if s&t.negatedSign() != 0 {
		out |= notPositive
	}
	return out
}

// signFinder finds the signs of a function's floats.
type signFinder struct{ known map[*ir.Value]signSet }

// signOf returns the sign that a driver may find for v. The result of signOf includes uncertain
// facts, because hiding a value needlessly is harmless. So for a value loaded from private memory,
// signOf returns all facts.
func (s *signFinder) signOf(v *ir.Value) signSet {
	if out, ok := s.known[v]; ok {
		return out
	}
	const either = notNegative | notPositive
	s.known[v] = either // assumed while the operands of v are examined, because they may be phis that depend on v
	out := signSet(0)
	switch v.Op {
	case ir.OpConst, ir.OpSpecConst, ir.OpSToF:
		out = either
	case ir.OpBitcast: // a driver may remove a pair of bitcasts
		if x := v.Args[0]; x.Op == ir.OpBitcast && x.Args[0].Type == v.Type {
			out = s.signOf(x.Args[0])
		}
	case ir.OpLoad:
		if ref := v.Ref(); ref == nil || ref.Var != nil && ref.Var.Storage != ir.Workgroup {
			out = either
		}
	case ir.OpFSqrt, ir.OpFRsqrt, ir.OpFAbs, ir.OpFExp, ir.OpFExp2, ir.OpFPow, ir.OpUToF, ir.OpUToNear:
		out = notNegative
	case ir.OpFNegate:
		out = s.signOf(v.Args[0]).negatedSign()
	case ir.OpFFloor, ir.OpFCeil, ir.OpFTrunc, ir.OpFRoundEven, ir.OpFConvert:
		out = s.signOf(v.Args[0])
	case ir.OpFAdd:
		out = s.signOf(v.Args[0]) & s.signOf(v.Args[1])
	case ir.OpFSub:
		out = s.signOf(v.Args[0]) & s.signOf(v.Args[1]).negatedSign()
	case ir.OpFMul, ir.OpFDiv:
		out = s.productSign(v.Args[0], v.Args[1])
	case ir.OpFma, ir.OpFmaOnce:
		out = s.productSign(v.Args[0], v.Args[1]) & s.signOf(v.Args[2])
	case ir.OpSelect:
		out = s.signOf(v.Args[1]) & s.signOf(v.Args[2])
	case ir.OpPhi:
		out = either
		for _, a := range v.Args {
			out &= s.signOf(a)
		}
	}
	s.known[v] = out
	return out
}

// productSign returns the sign of x*y or x/y.
func (s *signFinder) productSign(x, y *ir.Value) signSet {
	out := s.signOf(x).timesSign(s.signOf(y))
	if x == y {
		out |= notNegative
	}
	return out
}
