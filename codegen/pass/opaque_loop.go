package pass

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// isBound reports whether use compares v with what a loop counts from where it is known
// how far v is away, but not what it is, as in
//
//	for i := first; i < first+8; i++
//
// Some of these loops NVIDIA's compiler writes out in part, and then they run twice as
// often and once more. Where it does not know how often they run it gets them right, and
// those that count from one constant to another, too.
func isBound(v, use *ir.Value) bool {
	if !isCompare(use.Op) || v.Block == nil {
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

// linearRoot returns what v is computed from by constants alone, in steps that keep it
// known how far two of them are apart; nil if v is a constant itself.
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

// isMaskedByCount reports whether v has those bits of a number that what a loop counts
// has, which are known where the loop is written out: what is told by isBit comes up then.
func isMaskedByCount(v, _ *ir.Value) bool {
	if v.Op != ir.OpAnd || v.Block == nil || v.Args[0].IsConst() || v.Args[1].IsConst() {
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

// isCounter reports whether v is computed by constants alone from what a loop counts from
// a constant, so that it is known wherever the loop is written out.
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

// isShiftedAgain reports whether a loop carries v over its rounds, and use shifts it for
// the next one, so far that NVIDIA's compiler, which writes out rounds and makes one shift
// of many, shifts by all 64 bits or more. A product with a power of two or its negative is
// a shift, too.
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

// isStart reports whether a loop of h counts from v, which has but a few bits, and may be
// known to run no more than once by that: what its sums become then is told of by isSum64.
func isStart(v *ir.Value, h *ir.Block) bool {
	if h.Continue == nil || v.Block == nil || !v.Type.IsInt() {
		return false
	}
	root := linearRoot(v)
	return root != nil && root.Op == ir.OpAnd && bits.OnesCount64(possible(root)) <= 8
}
