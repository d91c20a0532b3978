package uniform

// This file finds private variables that are uniform: all work-items of a group have the same
// contents in them at the same time. The copy of a kernel's field that is an array is one.

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
// did. A variable stays uniform while all work-items of the group make all changes together, with the
// same values at the same indices.
//
// A block from which no Sync op is reached is no place where all are together: a work-item that
// leaves reaches it alone, stores there, and goes on as a dead lane with its stores.
func (u *Info) contents(v *ir.Value) bool {
	for _, x := range v.Matrices() { // each work-item has elements of its own
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

// changes returns the cause for which v may make a variable vary, or nil if it cannot.
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
	return u.apart(v.Block)
}

// loaded returns the cause for which v, which loads from a private variable, varies, or nil.
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
	return u.apart(v.Block)
}

// apart returns the condition of the branch that keeps some work-items from b, or nil.
func (u *Info) apart(b *ir.Block) *ir.Value {
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

// fillsFor reports whether the loop changes a variable that code outside of the loop loads a uniform
// value from.
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
