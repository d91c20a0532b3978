package uniform

// This file finds the variables of a work-item's own in which all work-items of a group have the
// same at the same time, such as the copy of a kernel's field that is an array.

import (
	"github.com/kgen-go/kgen/codegen/ir"
)

// own returns the variable of a work-item's own that v loads from or changes, or nil.
func own(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Dst
	}
	if r := v.Ref(); r != nil && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// contents marks the variable that v changes if work-items may have different values in it from then
// on, and reports whether it has. All have the same as long as all work-items of the group
// make all changes together, with the same values at the same places.
//
// Blocks from which no Sync op is reached do not count as places where all are together:
// work-items that leave come there alone, and go on as dead lanes with what they have stored.
func (u *Info) contents(v *ir.Value) bool {
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

// changes returns the value because of which v gives a variable different values in different
// work-items, or nil.
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

// loaded returns why v, which loads from a variable of a work-item's own, varies, or nil.
func (u *Info) loaded(v *ir.Value) *ir.Value {
	if u.differ[own(v)] != nil {
		return v
	}
	for _, a := range v.Args {
		if !u.Value(a) {
			return a
		}
	}
	// Those that come there at different times may find different values.
	return u.apart(v.Block)
}

// apart returns the condition of the branch that keeps some work-items from b, or nil.
func (u *Info) apart(b *ir.Block) *ir.Value {
	if c := u.parting(b); c != nil {
		return c.Term.Cond
	}
	return nil
}

// Fills reports whether v changes a variable in which all work-items have the same.
func (u *Info) Fills(v *ir.Value) bool {
	x := own(v)
	return x != nil && v.Op != ir.OpLoad && u.differ[x] == nil
}

// fillsFor reports whether the loop changes a variable of which something outside of it loads
// a uniform value.
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
