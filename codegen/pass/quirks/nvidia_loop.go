package quirks

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// This file contains matchers of NVIDIA's quirks. The quirks in this file concern loops that the
// compiler unrolls.

// isBound reports whether the user of v compares v with a loop's counter. The value v must not be
// constant, but its difference from the counter's initial value must be known. For example, i
// counts from n to n+7 in a loop, where n is unknown. NVIDIA's compiler correctly handles loops
// that count between two constants, and loops with an unknown number of iterations.
func isBound(v, use *ir.Value) bool {
	if !use.Op.Has(ir.FlagCompare) || v.Block == nil {
		return false
	}
	counted := use.Args[0]
	if counted == v {
		counted = use.Args[1]
	}
	phi := linearRoot(counted)
	if phi == nil || phi.Op != ir.OpPhi || phi.Block.Continue == nil {
		return false
	}
	root := linearRoot(v)
	for i, first := range phi.Args {
		if phi.Block.Preds[i] != phi.Block.Continue && root != nil && linearRoot(first) == root {
			return true
		}
	}
	return false
}

// linearRoot removes the operations with constants from v, and returns the value that remains. If
// linearRoot returns the same value for two values, a compiler may know the difference of the two
// values. If v is constant, linearRoot returns nil.
func linearRoot(v *ir.Value) *ir.Value {
	for {
		switch v.Op {
		case ir.OpUConvert, ir.OpSConvert:
			v = v.Args[0]
			continue
		case ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpShl, ir.OpOr, ir.OpXor:
			if v.Args[1].IsConstExpr() {
				v = v.Args[0]
				continue
			}
			if v.Args[0].IsConstExpr() {
				v = v.Args[1]
				continue
			}
		}
		if v.IsConstExpr() {
			return nil
		}
		return v
	}
}

// isMaskedByCount reports whether v is the "and" of a number and a loop's counter.
func isMaskedByCount(v, use *ir.Value) bool {
	if use.Op == ir.OpPhi || v.Op != ir.OpAnd || v.Block == nil || v.Args[0].IsConst() || v.Args[1].IsConst() {
		return false
	}
	for _, a := range v.Args {
		for a.Op == ir.OpAnd && a.Args[1].IsConst() {
			a = a.Args[0]
		}
		if isCounter(a) {
			return true
		}
	}
	return false
}

// isCounter reports whether operations with constants compute v from a loop's counter that starts
// with a constant. If the compiler unrolls the loop, the counter becomes a constant in each copy of
// the loop's code.
func isCounter(v *ir.Value) bool {
	phi := linearRoot(v)
	if phi == nil || phi.Op != ir.OpPhi || phi.Block.Continue == nil {
		return false
	}
	for i, first := range phi.Args {
		if phi.Block.Preds[i] != phi.Block.Continue && linearRoot(first) == nil {
			return true
		}
	}
	return false
}

// isShiftedAgain reports whether v is a phi of a loop's header, and its user shifts v by 8 bits or
// more for the next iteration. A product with a power of two is treated as a shift.
func isShiftedAgain(v, use *ir.Value) bool {
	if v.Op != ir.OpPhi || v.Block.Continue == nil || len(use.Args) != 2 || !use.Args[1].IsConst() {
		return false
	}
	by := use.Args[1].Bits
	switch use.Op {
	case ir.OpIMul:
		by = uint64(bits.TrailingZeros64(by))
	case ir.OpShl, ir.OpShrL, ir.OpShrA:
	default:
		return false
	}
	return by >= 8 && slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a == use || linearRoot(a) == v })
}

// isStart reports whether v is the initial value of a loop's counter, and only a few bits of v can
// be set.
func isStart(v, use *ir.Value) bool {
	if use.Op != ir.OpPhi || use.Block.Continue == nil || v.Block == nil || !v.Type.IsInt() {
		return false
	}
	root := linearRoot(v)
	return root != nil && root.Op == ir.OpAnd && bits.OnesCount64(facts.Possible(root)) <= 8
}
