package lanes

// This file keeps the arrays of dead lanes up to date: where a barrier depends on an element, dead
// lanes make the stores, too.

import "github.com/kgen-go/kgen/codegen/ir"

// ownSource returns the variable of a work-item's own that v loads from, or nil.
func ownSource(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Src
	}
	if r := v.Ref(); v.Op == ir.OpLoad && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// ownTarget returns the variable of a work-item's own that v changes, or nil.
func ownTarget(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Dst
	}
	if r := v.Ref(); (v.Op == ir.OpStore || v.Op == ir.OpZero) && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// storesTo returns, by variable, the stores that all work-items of a group make alike.
func (d *deadLanes) storesTo(all []*ir.Value) map[*ir.Var][]*ir.Value {
	stores := map[*ir.Var][]*ir.Value{}
	for _, v := range all {
		if d.u.Fills(v) {
			stores[ownTarget(v)] = append(stores[ownTarget(v)], v)
		}
	}
	return stores
}

// keepWanted removes accesses of variables that no branch of the skeleton depends on from the
// skeleton. A variable belongs to the skeleton with all its stores, since dead lanes load their own.
func (d *deadLanes) keepWanted(all []*ir.Value) {
	for _, v := range all {
		source, target := ownSource(v), ownTarget(v)
		if source != nil && !d.wanted[source] || target != nil && !d.wanted[target] {
			delete(d.skeleton, v)
		}
	}
	d.drop(all)
	for _, v := range all {
		if x := ownTarget(v); x != nil && d.wanted[x] && !d.skeleton[v] {
			panic("BUG: a variable that dead lanes lack a store to: " + v.LongString())
		}
	}
}
