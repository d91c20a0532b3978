package pass

import "github.com/kgen-go/kgen/codegen/ir"

// demotePhis turns every phi into a Function variable that the predecessors
// store to and the block loads first.
func demotePhis(f *ir.Func) {
	for _, b := range f.Blocks {
		if len(b.Phis) == 0 {
			continue
		}
		loads := make([]*ir.Value, 0, len(b.Phis)+len(b.Insts))
		for _, phi := range b.Phis {
			ref := &ir.Ref{Var: f.Module.NewVar(f, ir.Function, "phi", phi.Type)}
			for i, p := range b.Preds {
				// Also where the argument is the phi itself: a store for another
				// edge may have come in between.
				p.Append(ir.OpStore, ir.TypeVoid, phi.Args[i]).Aux = ref
			}
			// The value stays the same one, so that its uses need no change.
			phi.Op, phi.Args, phi.Aux = ir.OpLoad, nil, ref
			loads = append(loads, phi)
		}
		// A block that is its own predecessor got its stores just now, and the
		// stores read what the loads read: the loads go first.
		b.Insts = append(loads, b.Insts...)
		b.Phis = nil
	}
}

// use is one use of a value: by an instruction, or by block b's terminator.
type use struct {
	v *ir.Value
	b *ir.Block
}

// repairSSA turns the values whose definitions no longer dominate their uses
// into Function variables. f has no phis. Such a use is only ever executed after
// the definition, so what the variable holds on other paths does not matter; it
// is zeroed where the paths part, which keeps it from being carried around loops.
func repairSSA(f *ir.Func) {
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
		repairValue(f, dom, e, a, broken[a])
	}
	e.apply()
}

func repairValue(f *ir.Func, dom *ir.DomTree, e *edits, a *ir.Value, uses []use) {
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
		e.end[top] = append(e.end[top], store(f.Module.Const(a.Type, 0), top))
	}
}

// edits collects instructions to insert.
type edits struct {
	f             *ir.Func
	before, after map[*ir.Value][]*ir.Value
	end           map[*ir.Block][]*ir.Value
}

func newEdits(f *ir.Func) *edits {
	return &edits{f, map[*ir.Value][]*ir.Value{}, map[*ir.Value][]*ir.Value{}, map[*ir.Block][]*ir.Value{}}
}

func (e *edits) apply() {
	for _, b := range e.f.Blocks {
		out := make([]*ir.Value, 0, len(b.Insts))
		for _, v := range b.Insts {
			out = append(out, e.before[v]...)
			out = append(out, v)
			out = append(out, e.after[v]...)
		}
		b.Insts = append(out, e.end[b]...)
	}
}
