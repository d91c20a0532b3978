package pass

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// demotePhis turns every phi into a Function variable that the predecessors
// store to and the block loads first. What it holds matters from a store to the
// load, and so neither after that nor where the ways to the block part. It returns
// the variables.
func demotePhis(f *ir.Func, u *undefs) []*ir.Var {
	var all []*ir.Var
	dom := f.Dominators()
	refs := map[*ir.Value]*ir.Ref{}
	for _, b := range f.Blocks {
		for _, phi := range b.Phis {
			v := f.Module.NewVar(f, ir.Function, "phi", phi.Type)
			refs[phi] = &ir.Ref{Var: v}
			if d := dom.Idom(b); dom.Reachable(b) && d != nil {
				d.Insts = append(d.Insts, u.forget(d, []*ir.Var{v})...)
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
				// Also where the argument is the phi itself: a store for another
				// edge may have come in between.
				p.Append(ir.OpStore, ir.TypeVoid, phi.Args[i]).Aux = ref
			}
			// The value stays the same one, so that its uses need no change.
			phi.Op, phi.Args, phi.Aux = ir.OpLoad, nil, ref
			loads = append(loads, phi)
			vars = append(vars, ref.Var)
		}
		// A block that is its own predecessor got its stores just now, and the
		// stores read what the loads read: the loads go first.
		b.Insts = slices.Concat(loads, u.forget(b, vars), b.Insts)
		b.Phis = nil
		all = append(all, vars...)
	}
	return all
}

// use is one use of a value: by an instruction, or by block b's terminator.
type use struct {
	v *ir.Value
	b *ir.Block
}

// repairSSA turns the values whose definitions no longer dominate their uses
// into Function variables. f has no phis. Such a use is only ever executed after
// the definition, so what the variable holds on other paths does not matter: it
// is nothing from where the paths part.
func repairSSA(f *ir.Func, u *undefs) {
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
	e := newEdits(f)
	for _, a := range order {
		repairValue(f, dom, e, u, a, broken[a])
	}
	e.apply()
}

func repairValue(f *ir.Func, dom *ir.DomTree, e *edits, undef *undefs, a *ir.Value, uses []use) {
	ref := &ir.Ref{Var: f.Module.NewVar(f, ir.Function, "ssa", a.Type)}
	top := a.Block
	loads := map[*ir.Block]*ir.Value{} // for terminators
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
			e.before[u.v] = append(e.before[u.v], l)
			for i, x := range u.v.Args {
				if x == a {
					u.v.Args[i] = l
				}
			}
			continue
		}
		loads[u.b] = l
		e.end[u.b] = append(e.end[u.b], l)
		u.b.Term.Cond = l
	}
	store := func(v *ir.Value, b *ir.Block) *ir.Value {
		s := f.NewValue(ir.OpStore, ir.TypeVoid, v)
		s.Aux, s.Block = ref, b
		return s
	}
	e.after[a] = append(e.after[a], store(a, a.Block))
	if top != a.Block {
		e.end[top] = append(e.end[top], store(undef.of(a.Type), top))
	}
}

// edits collects instructions to insert.
type edits struct {
	f             *ir.Func
	before, after map[*ir.Value][]*ir.Value
	start, end    map[*ir.Block][]*ir.Value
}

func newEdits(f *ir.Func) *edits {
	return &edits{f, map[*ir.Value][]*ir.Value{}, map[*ir.Value][]*ir.Value{}, map[*ir.Block][]*ir.Value{}, map[*ir.Block][]*ir.Value{}}
}

func (e *edits) apply() {
	for _, b := range e.f.Blocks {
		out := append(make([]*ir.Value, 0, len(b.Insts)), e.start[b]...)
		for _, v := range b.Insts {
			out = append(out, e.before[v]...)
			out = append(out, v)
			out = append(out, e.after[v]...)
		}
		b.Insts = append(out, e.end[b]...)
	}
}
