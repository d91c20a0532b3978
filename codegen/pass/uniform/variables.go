package uniform

// This file finds uniform private variables. A uniform private variable has the same contents for
// all work-items of a group at the same time. For example, the private copy of an array field of
// the kernel is a uniform variable.

import (
	"github.com/kgen-go/kgen/codegen/ir"
)

// privateVar returns the private variable that v loads from or writes, or nil if there is
// none.
func privateVar(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Dst
	}
	if r := v.Ref(); r != nil && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// markContents marks the variable that v writes as varying if v may write different contents for
// different work-items. markContents returns true if it has marked a variable. A variable stays
// uniform if all work-items of the group execute all writes to the variable together, with the same
// values and indices.
//
// A write in a block from which no Sync op is reachable makes the variable vary. A work-item that
// leaves the group may execute such a write alone. Then the variable of this dead lane has another
// value than the variable of the other work-items.
func (u *Info) markContents(v *ir.Value) bool {
	for _, x := range v.Matrices() { // each work-item has different elements of the matrix
		if u.varyingVars[x] == nil {
			u.varyingVars[x] = v
			return true
		}
	}
	x := privateVar(v)
	if x == nil || v.Op == ir.OpLoad || u.varyingVars[x] != nil {
		return false
	}
	why := u.varyingWrite(v)
	if why != nil {
		u.varyingVars[x] = why
	}
	return why != nil
}

// varyingWrite returns a value that makes v write different contents for different
// work-items. If the variable remains uniform, varyingWrite returns nil.
func (u *Info) varyingWrite(v *ir.Value) *ir.Value {
	switch c, ok := v.Aux.(*ir.Copy); {
	case ok && u.varyingVars[c.Src] != nil:
		return u.varyingVars[c.Src]
	case !ok && v.Op != ir.OpStore && v.Op != ir.OpZero, !u.Before[u.Index[v.Block]]:
		return v
	}
	for _, a := range v.Args {
		if !u.Value(a) {
			return a
		}
	}
	return u.splitCond(v.Block)
}

// varyingLoad returns the value that makes v vary, where v is a load of a private variable. If v is
// uniform, varyingLoad returns nil.
func (u *Info) varyingLoad(v *ir.Value) *ir.Value {
	if u.varyingVars[privateVar(v)] != nil {
		return v
	}
	for _, a := range v.Args {
		if !u.Value(a) {
			return a
		}
	}
	// Work-items that execute v at different times may load different values.
	return u.splitCond(v.Block)
}

// splitCond returns the condition of the branch that leads some work-items past b. If
// all work-items reach b together, splitCond returns nil.
func (u *Info) splitCond(b *ir.Block) *ir.Value {
	if c := u.partingBranch(b); c != nil {
		return c.Term.Cond
	}
	return nil
}

// Fills reports whether v writes to a uniform private variable.
func (u *Info) Fills(v *ir.Value) bool {
	x := privateVar(v)
	return x != nil && v.Op != ir.OpLoad && u.varyingVars[x] == nil
}

// fillsFor reports whether the loop l writes to a uniform variable that code outside the loop uses.
// A use is a copy of the variable, or a load of a uniform value.
func (u *Info) fillsFor(l *ir.Loop) bool {
	filled := map[*ir.Var]bool{}
	for _, b := range u.Order {
		for _, v := range b.Insts {
			if l.Contains(b) && u.Fills(v) {
				filled[privateVar(v)] = true
			}
		}
	}
	if len(filled) == 0 {
		return false
	}
	for _, b := range u.Order {
		for _, v := range b.Insts {
			src := privateVar(v)
			if c, ok := v.Aux.(*ir.Copy); ok {
				src = c.Src
			}
			if !l.Contains(b) && filled[src] && (v.Op == ir.OpCopyVar || v.Op == ir.OpLoad && u.Value(v)) {
				return true
			}
		}
	}
	return false
}
