package rewrite

// This file restores SSA form after a pass has moved edges. DemotePhis replaces phis by variables
// before the edges move. If a definition no longer dominates a use, RepairSSA replaces the use by a
// load of a variable.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// DemotePhis turns each phi into a Function variable. At its end, each predecessor stores the phi's
// argument to the variable, and the phi's block begins with a load of the variable. The variable is
// undefined outside the paths from a store in a predecessor to the load in the phi's block.
// DemotePhis returns the new variables.
func DemotePhis(f *ir.Func, u *Undefs) []*ir.Var {
	var all []*ir.Var
	dom := f.Dominators()
	refs := map[*ir.Value]*ir.Ref{}
	for _, b := range f.Blocks {
		for _, phi := range b.Phis {
			v := f.Module.NewVar(f, ir.Function, "phi", phi.Type)
			refs[phi] = &ir.Ref{Var: v}
			if d := dom.Idom(b); dom.Reachable(b) && d != nil {
				d.Insts = append(d.Insts, u.Forget(d, []*ir.Var{v})...)
			}
		}
	}
	for _, b := range f.Blocks {
		if len(b.Phis) == 0 {
			continue
		}
		var loads []*ir.Value
		var vars []*ir.Var
		for _, phi := range b.Phis {
			ref := refs[phi]
			for i, p := range b.Preds {
				// The store is needed even if the argument is the phi itself, because the variable
				// may hold a value that was stored for another edge.
				p.Append(ir.OpStore, ir.TypeVoid, phi.Args[i]).Aux = ref
			}
			// The phi itself becomes the load, so the uses of the phi need no change.
			phi.Op, phi.Args, phi.Aux = ir.OpLoad, nil, ref
			loads = append(loads, phi)
			vars = append(vars, ref.Var)
		}
		// If the phi's block is its own predecessor, the block contains both the loads and the
		// stores. The loads must precede the stores, because the stores use the loaded values.
		b.Insts = slices.Concat(loads, u.Forget(b, vars), b.Insts)
		b.Phis = nil
		all = append(all, vars...)
	}
	return all
}

// valueUse is a use of a value in block b, by the instruction v. If v is nil, b's terminator is
// the user.
type valueUse struct {
	v *ir.Value
	b *ir.Block
}

// RepairSSA finds uses of a value that the definition of the value no longer dominates. RepairSSA
// stores the value to a new Function variable, and replaces the uses by loads of the variable. The
// function f must not have phis. At run time the value is always defined before the replaced uses,
// so the initial contents of the variable are never read. RepairSSA makes the initial contents
// undefined in the common dominator of the definition and the replaced uses.
func RepairSSA(f *ir.Func, u *Undefs) {
	dom := f.Dominators()
	broken := map[*ir.Value][]valueUse{}
	var order []*ir.Value
	pos := map[*ir.Value]int{}
	for _, b := range f.Blocks {
		for i, v := range b.Insts {
			pos[v] = i
		}
	}
	note := func(a *ir.Value, at int, u valueUse) {
		if a.Block == nil || !dom.Reachable(u.b) {
			return
		}
		if a.Block == u.b && pos[a] < at || a.Block != u.b && dom.Dominates(a.Block, u.b) {
			return
		}
		if broken[a] == nil {
			order = append(order, a)
		}
		broken[a] = append(broken[a], u)
	}
	for _, b := range f.Blocks {
		for i, v := range b.Insts {
			for _, a := range v.Args {
				note(a, i, valueUse{v, b})
			}
		}
		if b.Term.Cond != nil {
			note(b.Term.Cond, len(b.Insts), valueUse{nil, b})
		}
	}
	if len(order) == 0 {
		return
	}
	e := NewEdits(f)
	for _, a := range order {
		repairValue(f, dom, e, u, a, broken[a])
	}
	e.Apply()
}

func repairValue(f *ir.Func, dom *ir.DomTree, e *Edits, undef *Undefs, a *ir.Value, uses []valueUse) {
	ref := &ir.Ref{Var: f.Module.NewVar(f, ir.Function, "ssa", a.Type)}
	top := a.Block
	loads := map[*ir.Block]*ir.Value{} // maps a block to the load that its terminator uses
	for _, u := range uses {
		for !dom.Dominates(top, u.b) {
			top = dom.Idom(top)
		}
		l := loads[u.b]
		if u.v != nil || l == nil {
			l = f.NewValue(ir.OpLoad, a.Type)
			l.Aux, l.Block = ref, u.b
		}
		if u.v != nil {
			e.Before[u.v] = append(e.Before[u.v], l)
			for i, x := range u.v.Args {
				if x == a {
					u.v.Args[i] = l
				}
			}
			continue
		}
		loads[u.b] = l
		e.End[u.b] = append(e.End[u.b], l)
		u.b.Term.Cond = l
	}
	store := func(v *ir.Value, b *ir.Block) *ir.Value {
		s := f.NewValue(ir.OpStore, ir.TypeVoid, v)
		s.Aux, s.Block = ref, b
		return s
	}
	e.After[a] = append(e.After[a], store(a, a.Block))
	if top != a.Block {
		e.End[top] = append(e.End[top], store(undef.undefOf(a.Type), top))
	}
}

// Edits collects instructions that Apply later inserts into the blocks of a function.
type Edits struct {
	f             *ir.Func
	Before, After map[*ir.Value][]*ir.Value
	Start, End    map[*ir.Block][]*ir.Value
}

// NewEdits returns an empty Edits for f.
func NewEdits(f *ir.Func) *Edits {
	return &Edits{f, map[*ir.Value][]*ir.Value{}, map[*ir.Value][]*ir.Value{}, map[*ir.Block][]*ir.Value{}, map[*ir.Block][]*ir.Value{}}
}

// Apply inserts the collected instructions into their blocks.
func (e *Edits) Apply() {
	for _, b := range e.f.Blocks {
		out := append(make([]*ir.Value, 0, len(b.Insts)), e.Start[b]...)
		for _, v := range b.Insts {
			out = append(out, e.Before[v]...)
			out = append(out, v)
			out = append(out, e.After[v]...)
		}
		b.Insts = append(out, e.End[b]...)
	}
}
