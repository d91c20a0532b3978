package rewrite

// This file restores SSA form after a pass has moved edges: by variables in place of phis
// (DemotePhis), or by phis for single values (RepairSSA).

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// DemotePhis turns each phi into a Function variable. The predecessors store to the variable at
// their ends, and the block loads it first. The variable's contents matter only between a
// predecessor's store and the load. DemotePhis returns the variables.
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
				// The store is needed even if the argument is the phi itself: the variable may hold
				// the value stored for another edge.
				p.Append(ir.OpStore, ir.TypeVoid, phi.Args[i]).Aux = ref
			}
			// The phi becomes the load, so its uses need no change.
			phi.Op, phi.Args, phi.Aux = ir.OpLoad, nil, ref
			loads = append(loads, phi)
			vars = append(vars, ref.Var)
		}
		// If the block is its own predecessor, it has just got the stores, and these read the
		// loaded values: the loads come first.
		b.Insts = slices.Concat(loads, u.Forget(b, vars), b.Insts)
		b.Phis = nil
		all = append(all, vars...)
	}
	return all
}

// use is a use of a value by the instruction v, or by block b's terminator if v is nil.
type use struct {
	v *ir.Value
	b *ir.Block
}

// RepairSSA makes loads of a Function variable from those uses of values that the definitions no
// longer dominate. f must have no phis. At run time such a use comes only after the definition, so
// the variable's contents do not matter on other paths. There the variable becomes undefined at the
// common dominator.
func RepairSSA(f *ir.Func, u *Undefs) {
	dom := f.Dominators()
	broken := map[*ir.Value][]use{}
	var order []*ir.Value
	pos := map[*ir.Value]int{}
	for _, b := range f.Blocks {
		for i, v := range b.Insts {
			pos[v] = i
		}
	}
	note := func(a *ir.Value, at int, u use) {
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
				note(a, i, use{v, b})
			}
		}
		if b.Term.Cond != nil {
			note(b.Term.Cond, len(b.Insts), use{nil, b})
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

func repairValue(f *ir.Func, dom *ir.DomTree, e *Edits, undef *Undefs, a *ir.Value, uses []use) {
	ref := &ir.Ref{Var: f.Module.NewVar(f, ir.Function, "ssa", a.Type)}
	top := a.Block
	loads := map[*ir.Block]*ir.Value{} // loads for the blocks' terminators
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
		e.End[top] = append(e.End[top], store(undef.of(a.Type), top))
	}
}

// Edits collects instructions to insert into blocks.
type Edits struct {
	f             *ir.Func
	Before, After map[*ir.Value][]*ir.Value
	Start, End    map[*ir.Block][]*ir.Value
}

// NewEdits returns an empty list of edits of f.
func NewEdits(f *ir.Func) *Edits {
	return &Edits{f, map[*ir.Value][]*ir.Value{}, map[*ir.Value][]*ir.Value{}, map[*ir.Block][]*ir.Value{}, map[*ir.Block][]*ir.Value{}}
}

// Apply inserts the instructions.
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
