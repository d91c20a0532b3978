package uniform

// This file finds private variables that are uniform: all work-items of a group have the same
// contents in them at the same time. An example is the private copy of an array field of the
// kernel.

import (
	"github.com/kgen-go/kgen/codegen/ir"
)

// own returns the private variable that v loads from or changes, or nil.
func own(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Dst
	}
	if r := v.Ref(); r != nil && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// contents marks the variable that v changes if the change may make it vary, and reports whether it
// did. A variable stays uniform as long as all work-items of the group make all changes together,
// with the same values at the same indices.
//
// In a block from which no Sync op is reachable, the work-items need not be together: a work-item
// that leaves may reach the block alone, store there, and go on as a dead lane that keeps its
// stores.
func (u *Info) contents(v *ir.Value) bool {
	for _, x := range v.Matrices() { // each work-item has its own elements of the matrix
		if u.differ[x] == nil {
			u.differ[x] = v
			return true
		}
	}
	x := own(v)
	if x == nil || v.Op == ir.OpLoad || u.differ[x] != nil {
		return false
	}
	why := u.changes(v)
	if why != nil {
		u.differ[x] = why
	}
	return why != nil
}

// changes returns the value that may make the variable vary which v changes, or nil if v keeps it
// uniform.
func (u *Info) changes(v *ir.Value) *ir.Value {
	switch c, ok := v.Aux.(*ir.Copy); {
	case ok && u.differ[c.Src] != nil:
		return u.differ[c.Src]
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

// loaded returns the value that makes v, a load of a private variable, vary, or nil if v is
// uniform.
func (u *Info) loaded(v *ir.Value) *ir.Value {
	if u.differ[own(v)] != nil {
		return v
	}
	for _, a := range v.Args {
		if !u.Value(a) {
			return a
		}
	}
	// Work-items that reach the block at different times may load different values.
	return u.splitCond(v.Block)
}

// splitCond returns the condition of the branch that keeps some work-items from b, or nil.
func (u *Info) splitCond(b *ir.Block) *ir.Value {
	if c := u.parting(b); c != nil {
		return c.Term.Cond
	}
	return nil
}

// Fills reports whether v changes a uniform variable.
func (u *Info) Fills(v *ir.Value) bool {
	x := own(v)
	return x != nil && v.Op != ir.OpLoad && u.differ[x] == nil
}

// fillsFor reports whether the loop changes a uniform variable from which code outside of the loop
// loads a uniform value.
func (u *Info) fillsFor(l *ir.Loop) bool {
	filled := map[*ir.Var]bool{}
	for _, b := range u.Order {
		for _, v := range b.Insts {
			if l.Contains(b) && u.Fills(v) {
				filled[own(v)] = true
			}
		}
	}
	if len(filled) == 0 {
		return false
	}
	for _, b := range u.Order {
		for _, v := range b.Insts {
			src := own(v)
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
