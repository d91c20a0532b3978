package lanes

// This file keeps the arrays of dead lanes up to date: if a barrier depends on an element, dead
// lanes must make the stores, too.

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

// ownTarget returns the private variable that v changes, or nil.
func ownTarget(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Dst
	}
	if r := v.Ref(); (v.Op == ir.OpStore || v.Op == ir.OpZero) && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// storesTo returns the stores that all work-items of a group make alike, by variable.
func (d *deadLanes) storesTo(all []*ir.Value) map[*ir.Var][]*ir.Value {
	stores := map[*ir.Var][]*ir.Value{}
	for _, v := range all {
		if d.u.Fills(v) {
			stores[ownTarget(v)] = append(stores[ownTarget(v)], v)
		}
	}
	return stores
}

// keepWanted removes accesses of variables from the skeleton if none of its branches depends on the
// variable. All stores to the other variables must be in the skeleton, since dead lanes load their
// own variables.
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
