package lanes

// This file handles ops of matrix hardware in kernels with dead lanes. All invocations of a
// sub-group must execute an op of matrix hardware with the same arguments.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// findAllLive finds the loads and stores of matrices that dead lanes never reach. findAllLive omits
// a load or store if work-items may leave the group in an earlier block.
func (d *deadLanes) findAllLive() {
	after := map[*ir.Block]bool{}
	for b := range d.exitSuccessor {
		for _, s := range b.Term.Succs {
			for _, r := range uniform.Reachable(s) {
				after[r] = true
			}
		}
	}
	if slices.ContainsFunc(d.u.Order, d.u.AsksAt) {
		return // work-items that the host asks to stop also become dead lanes, so dead lanes may reach any matrix op
	}
	d.allLive = map[*ir.Value]bool{}
	for _, b := range d.u.Order {
		for _, v := range b.Insts {
			if (v.Op == ir.OpMatrixLoad || v.Op == ir.OpMatrixStore) && !after[b] {
				d.allLive[v] = true
			}
		}
	}
}

// wholeSubGroup passes the live lanes' arguments of v to the dead lanes. The value v, which the
// caller appends to b, is a load or store of a matrix. In a sub-group without live lanes, the
// stride of the matrix in memory becomes -1. The pass tiles does not access memory if the stride is
// -1. For example, all lanes are dead if a check of the matrix has failed for the whole sub-group.
func (d *deadLanes) wholeSubGroup(v *ir.Value, b *ir.Block) {
	if v.Op != ir.OpMatrixLoad && v.Op != ir.OpMatrixStore || d.allLive[v] {
		return
	}
	m := d.f.Module
	dead := d.loadDead(b)
	for i, a := range v.Args {
		if a.Block == nil || d.skeleton[a] {
			continue
		}
		t := a.Type
		if t == ir.TypeAddr { // addresses are passed as two 32-bit words
			low := d.fromLive(b, dead, b.Append(ir.OpLow, ir.TypeI32, a))
			v.Args[i] = b.Append(ir.OpPair, t, low, d.fromLive(b, dead, b.Append(ir.OpHigh, ir.TypeI32, a)))
			continue
		}
		v.Args[i] = d.fromLive(b, dead, a)
	}
	any := b.Append(ir.OpGroupAny, ir.TypeBool, b.Append(ir.OpLNot, ir.TypeBool, dead))
	any.Aux = ir.ScopeSubGroup
	t := v.Args[0].Type
	v.Args[0] = b.Append(ir.OpSelect, t, any, v.Args[0], m.Int(t, -1))
}

// fromLive passes the integer x of the live lanes to all lanes of a sub-group. All live lanes must
// have the same integer x. If the sub-group has no live lanes, all its lanes get 0.
func (d *deadLanes) fromLive(b *ir.Block, dead, x *ir.Value) *ir.Value {
	zero := d.f.Module.Int(x.Type, 0)
	all := b.Append(ir.OpGroupReduce, x.Type, b.Append(ir.OpSelect, x.Type, dead, zero, x), zero)
	all.Aux = ir.Combine{Scope: ir.ScopeSubGroup, By: ir.CombineOr}
	return all
}
