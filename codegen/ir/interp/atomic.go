package interp

// This file runs atomic operations.

import "github.com/kgen-go/kgen/codegen/ir"

// combinerOps maps an atomic op to the combiner that computes the new value from the old value and
// the op's argument.
var combinerOps = map[ir.Op]ir.Combiner{
	ir.OpAtomicIAdd: ir.CombineIAdd, ir.OpAtomicIAddRelaxed: ir.CombineIAdd, ir.OpAtomicAnd: ir.CombineAnd, ir.OpAtomicOr: ir.CombineOr,
	ir.OpAtomicSMin: ir.CombineSMin, ir.OpAtomicUMin: ir.CombineUMin,
	ir.OpAtomicSMax: ir.CombineSMax, ir.OpAtomicUMax: ir.CombineUMax,
	ir.OpAtomicFAdd: ir.CombineFAdd, ir.OpAtomicFAddNative: ir.CombineFAdd,
	ir.OpAtomicFMin: ir.CombineFMin, ir.OpAtomicFMax: ir.CombineFMax,
}

// isRelaxed reports whether an atomic op is relaxed. A relaxed atomic op does not order other
// memory accesses.
func isRelaxed(op ir.Op) bool {
	return op == ir.OpAtomicIAddRelaxed || op == ir.OpAtomicLoadRelaxed || op == ir.OpAtomicStoreRelaxed
}

// runAtomic runs an atomic op. Work-items run one at a time, so no locks are necessary.
func (w *itemState) runAtomic(v *ir.Value) {
	if c := w.x.check; c != nil && !isRelaxed(v.Op) {
		k := w.syncLocation(v)
		c.acquireClock(w, k)
		defer c.releaseClock(w, k)
	}
	if v.Op == ir.OpAtomicFence {
		return
	}
	if v.Op == ir.OpAtomicStore || v.Op == ir.OpAtomicStoreRelaxed {
		w.store(v, v.Ref(), v.Path(), w.operandBits(v.Args[0]))
		return
	}
	old := w.load(v, v.Ref(), v.Path())
	w.setValue(v, old)
	switch v.Op {
	case ir.OpAtomicLoad, ir.OpAtomicLoadRelaxed, ir.OpAtomicLoadVolatile:
	case ir.OpAtomicExchange:
		w.store(v, v.Ref(), v.Path(), w.operandBits(v.Args[0]))
	case ir.OpAtomicCompareExchange, ir.OpAtomicCompareAndSwap:
		same := old == w.operandBits(v.Args[1])
		if same {
			w.store(v, v.Ref(), v.Path(), w.operandBits(v.Args[0]))
		}
		if v.Op == ir.OpAtomicCompareAndSwap {
			old = 0
			if same {
				old = 1
			}
			w.setValue(v, old)
		}
	default:
		w.store(v, v.Ref(), v.Path(), combinerOps[v.Op].Combine(v.Type, old, w.operandBits(v.Args[0])))
	}
}

// syncLocation returns the key of the memory location on which atomic op v synchronizes. All fences
// synchronize on the same key.
func (w *itemState) syncLocation(v *ir.Value) (k memoryKey) {
	switch r := v.Ref(); {
	case r == nil:
	case r.Var != nil:
		k.cell = w.cellAt(v, w.memoryOf(r.Var), v.Path())
	default:
		k.addr, _ = w.deviceAddress(v, r, v.Path())
	}
	return k
}
