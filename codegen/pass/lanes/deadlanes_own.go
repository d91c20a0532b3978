package lanes

// This file finds the stores to private arrays that dead lanes must also execute. If dead lanes
// execute a branch that depends on an element of a private array, they must also execute the stores
// to the array.

import "github.com/kgen-go/kgen/codegen/ir"

// ownSource returns the private variable that v loads from, or nil.
func ownSource(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Src
	}
	if r := v.Ref(); v.Op == ir.OpLoad && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// ownTarget returns the private variable that v writes, or nil.
func ownTarget(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Dst
	}
	if r := v.Ref(); (v.Op == ir.OpStore || v.Op == ir.OpZero) && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// storesTo maps each uniform private variable to the stores that write it.
func (d *deadLanes) storesTo(all []*ir.Value) map[*ir.Var][]*ir.Value {
	stores := map[*ir.Var][]*ir.Value{}
	for _, v := range all {
		if d.u.Fills(v) {
			stores[ownTarget(v)] = append(stores[ownTarget(v)], v)
		}
	}
	return stores
}

// keepWanted removes accesses of a variable from the skeleton (the code that dead lanes execute) if
// no branch of the skeleton depends on the variable. If a branch depends on a variable, dead lanes
// must execute all stores to the variable, since each dead lane loads its own copy.
func (d *deadLanes) keepWanted(all []*ir.Value) {
	for _, v := range all {
		source, target := ownSource(v), ownTarget(v)
		if source != nil && !d.branchVars[source] || target != nil && !d.branchVars[target] {
			delete(d.skeleton, v)
		}
	}
	d.dropIncomplete(all)
	for _, v := range all {
		if x := ownTarget(v); x != nil && d.branchVars[x] && !d.skeleton[v] {
			panic("BUG: a variable that dead lanes lack a store to: " + v.LongString())
		}
	}
}
