package lanes

// This file contains the pass relax, which finds atomic additions that do not need to order other
// memory.

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Relax replaces atomic additions to work-group memory by additions that do not order other memory,
// if no work-item can notice the difference. Relax requires that the result of the addition is not
// used. Between two barriers of the work-group, all accesses to the variable must be additions with
// unused results.
//
//	bins := dsl.Local[[256]atomic.Uint32](it)
//	for … {
//	    bins[x].Add(1)              AtomicIAddRelaxed
//	}
//	it.Barrier()
//	n := bins[l].Load()             unchanged.
//
// Only work-items that read the result of an atomic operation can notice its ordering. In the
// example, work-items read the sums after the barrier, which orders all accesses. In Go's memory
// model the additions synchronize with each other, but no work-item can observe their order.
//
// On NVIDIA's GPUs, the loads in a loop wait for each ordered addition. A kernel that counts the
// bytes of 1 GiB needs 1.33 ms with ordered additions, and 0.54 ms with relaxed additions.
func Relax(m *ir.Module) diag.List {
	f := m.Kernel
	r := &relaxer{used: map[*ir.Value]bool{}, phase: map[*ir.Block]bool{}}
	rewrite.ReplaceUses(f, func(v *ir.Value) *ir.Value { r.used[v] = true; return v })
	ordered := map[*ir.Value]bool{} // additions that must stay ordered
	r.examinePhase(f.Blocks[0], 0, ordered)
	for _, b := range f.Blocks {
		for i, v := range b.Insts {
			if isGroupBarrier(v) {
				r.examinePhase(b, i+1, ordered)
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if r.isUnusedAdd(v) && !ordered[v] {
				v.Op = ir.OpAtomicIAddRelaxed
			}
		}
	}
	return nil
}

// relaxer examines phases. A phase is the code from a barrier, or from the kernel's start, to the
// barriers that may follow next.
type relaxer struct {
	used  map[*ir.Value]bool
	phase map[*ir.Block]bool // blocks whose beginning is in the current phase
}

func isGroupBarrier(v *ir.Value) bool {
	return v.Op == ir.OpBarrier && v.Aux.(ir.Scope) == ir.ScopeWorkGroup
}

// isUnusedAdd reports whether v is an atomic addition to work-group memory whose result is
// unused.
func (r *relaxer) isUnusedAdd(v *ir.Value) bool {
	return v.Op == ir.OpAtomicIAdd && v.Type == ir.TypeI32 && v.Ref().Var != nil && !r.used[v]
}

// examinePhase examines the phase that begins at instruction b.Insts[at]. If the phase contains
// both additions to a variable and other accesses to the variable, examinePhase inserts the
// additions into the set keepOrdered.
func (r *relaxer) examinePhase(b *ir.Block, at int, keepOrdered map[*ir.Value]bool) {
	clear(r.phase)
	adds := map[*ir.Var][]*ir.Value{}
	other := map[*ir.Var]bool{}
	look := func(insts []*ir.Value) (ends bool) {
		for _, v := range insts {
			switch ref := v.Ref(); {
			case isGroupBarrier(v):
				return true
			case ref == nil || ref.Var == nil || ref.Var.Storage != ir.Workgroup:
			case r.isUnusedAdd(v):
				adds[ref.Var] = append(adds[ref.Var], v)
			default:
				other[ref.Var] = true
			}
		}
		return false
	}
	var todo []*ir.Block
	next := func(b *ir.Block) {
		for _, s := range b.Term.Succs {
			if !r.phase[s] {
				r.phase[s] = true
				todo = append(todo, s)
			}
		}
	}
	if !look(b.Insts[at:]) {
		next(b)
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !look(b.Insts) {
			next(b)
		}
	}
	for v, list := range adds {
		if other[v] {
			for _, a := range list {
				keepOrdered[a] = true
			}
		}
	}
}
