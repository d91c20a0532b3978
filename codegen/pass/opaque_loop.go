package pass

import (
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
		phi := linearRoot(a)
		if phi == nil || phi.Op != ir.OpPhi || phi.Block.Continue == nil {
			continue
		}
		for i, first := range phi.Args {
			if phi.Block.Preds[i] != phi.Block.Continue && linearRoot(first) == nil {
				return true
			}
		}
	}
	return false
}

// isShiftedAgain reports whether a loop carries v over its rounds, and use shifts it for
// the next one, so far that NVIDIA's compiler, which writes out rounds and makes one shift
// of many, shifts by all 64 bits or more.
func isShiftedAgain(v, use *ir.Value) bool {
	switch use.Op {
	case ir.OpShl, ir.OpShrL, ir.OpShrA:
		return v.Op == ir.OpPhi && v.Block.Continue != nil && use.Args[1].IsConst() && use.Args[1].Bits >= 8 && slices.Contains(v.Args, use)
	}
	return false
}
