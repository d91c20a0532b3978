package lower

// This file delays the evaluation of addresses on the left side of assignments.

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// lateAddr is the lowered value of an address that is used only as the target of assignments.
type lateAddr struct {
	block *ssa.BasicBlock // block in which the lowered value v is valid
	v     val
}

// findLate finds the addresses on the left side of assignments. go/ssa computes an address on the
// left side before it evaluates the right side. But an index out of range, or a nil pointer, panics
// only when the assignment itself is executed. In a statement with several assignments, Go executes
// all assignments to the left of the panicking assignment before the panic. The Go specification,
// "Assignment statements", gives the example "x[1], x[3] = 4, 5 // set x[1] = 4, then panic".
func (f *frame) findLate() {
	for _, b := range slices.Backward(f.fn.Blocks) {
		for i := len(b.Instrs) - 1; i >= 0; i-- { // in reverse, so that uses are visited before definitions
			switch in := b.Instrs[i].(type) {
			case *ssa.IndexAddr, *ssa.FieldAddr:
				if v := in.(ssa.Value); f.onlyAssigned(v) {
					if f.late == nil {
						f.late = map[ssa.Value]*lateAddr{}
					}
					f.late[v] = &lateAddr{}
				}
			}
		}
	}
}

// onlyAssigned reports whether an address is used only as the target of stores. onlyAssigned
// returns false if the source takes the address with an explicit & operator.
func (f *frame) onlyAssigned(v ssa.Value) bool {
	stores := 0
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
			if !r.IsAddr {
				return false
			}
		case *ssa.Store:
			if r.Val == v {
				return false
			}
			stores++
		case *ssa.IndexAddr:
			if r.X != v || f.late[r] == nil {
				return false
			}
			stores++
		case *ssa.FieldAddr:
			if f.late[r] == nil {
				return false
			}
			stores++
		default:
			return false
		}
	}
	return stores > 0
}

// getLate lowers an address just before the store that uses it, in the block of the store.
func (l *lowerer) getLate(v ssa.Value, a *lateAddr) val {
	if b := l.frame.cur.Block(); a.block != b {
		save := l.pos
		if p := v.Pos(); p.IsValid() {
			l.pos = p
		}
		*a = lateAddr{block: b, v: l.lowerValue(v)}
		l.pos = save
	}
	return a.v
}
