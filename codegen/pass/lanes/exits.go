package lanes

// This file is the pass exits. A kernel that calls others has their returns in its middle:
//
//	Blur{…}.Kernel(it)      if i >= n { goto next }; …; barrier; …
//	                        next:
//	Norm{…}.Kernel(it)      if i >= n { return }; …; barrier; …
//
// A work-item that returns from Blur early misses the barrier. If it comes to no other one after
// that, as here, it has left its group for good, as one that returns from the kernel has, which
// DeadLanes makes a dead lane of:
//
//	                        if i >= n { return }; …; barrier; …; barrier; …
//
// So what is left for it to do is written for it alone, up to a return of its own. Work-items
// that come to a barrier behind next have missed one that others meet at: that is left to
// DeadLanes, which refuses it. The host's coroutines would take the one barrier for the other.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// Exits gives work-items that return early from a function that the kernel calls, past Sync ops
// and with none to come, code of their own from there to a return.
func Exits(m *ir.Module) diag.List {
	f := m.Kernel
	defer func() {
		for _, b := range f.Blocks {
			b.Term.Early = b.Term.Early && b.Term.Kind == ir.Return // nobody asks any more
		}
	}()
	if !m.UsesGroup || !slices.ContainsFunc(f.Blocks, syncs) {
		return nil
	}
	f.RemoveUnreachable()
	split(f)
	changed := false
	for again := true; again; {
		again = false
		e := &exits{f: f, dom: f.Dominators()}
		for _, p := range f.ReversePostorder() {
			if p.Term.Kind == ir.Jump && p.Term.Early && e.leaves(p) {
				again, changed = true, true
				break // dominators have changed
			}
		}
	}
	if changed {
		(&exits{f: f, dom: f.Dominators()}).decide()
	}
	return nil
}

// split gives each way to a return past Sync ops a return of its own, since each tells something
// else: if i >= n || i%3 == 1 { return } has two. A block with a Sync op stays one:
//
//	if i == 0 { post() }; it.Barrier(); return
func split(f *ir.Func) {
	e := &exits{f: f, dom: f.Dominators()}
	for _, p := range f.ReversePostorder() {
		if p.Term.Kind != ir.Jump || !p.Term.Early || !slices.ContainsFunc(e.around(p.Term.Succs[0]), syncs) {
			continue
		}
		if syncs(p) {
			continue // those that come to p meet there, and a copy of it would part them
		}
		to := p.Term.Succs[0]
		for _, q := range slices.Clone(p.Preds) {
			if len(p.Preds) == 1 || rewrite.CountPreds(p, q) > 1 {
				continue
			}
			c := rewrite.NewCloner(f)
			c.Copy([]*ir.Block{p})
			c.Entered(p, q)
			c.End([]*ir.Block{p}, c.Block)
			at := slices.Index(to.Preds, p)
			for _, phi := range to.Phis {
				phi.Args = append(phi.Args, c.Value(phi.Args[at]))
			}
		}
	}
}

// syncs reports whether work-items meet in b.
func syncs(b *ir.Block) bool {
	return slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) })
}

type exits struct {
	f   *ir.Func
	dom *ir.DomTree
}

// decide makes jumps of the branches whose conditions are known from branches before them.
func (e *exits) decide() {
	for _, b := range e.f.ReversePostorder() {
		if b.Term.Kind == ir.Branch {
			if yes, ok := known(b.Term.Cond, e.facts(b)); ok {
				settle(b, yes)
			}
		}
	}
	e.f.RemoveUnreachable()
}

// settle makes a jump of b's branch. The other successor may be unreachable then.
func settle(b *ir.Block, yes bool) {
	to, not := b.Term.Succs[0], b.Term.Succs[1]
	if to == not {
		return
	}
	if !yes {
		to, not = not, to
	}
	holder := b.Func.NewBlock() // takes the edge away
	b.Retarget(not, holder)
	holder.Preds = nil
	holder.SetTerm(ir.Term{Kind: ir.Unreachable})
	b.Term = ir.Term{Kind: ir.Jump, Succs: []*ir.Block{to}, Pos: b.Term.Pos}
}

// fact is what a branch tells of its condition.
type fact struct {
	cond *ir.Value
	is   bool
}

// facts returns what the branches that dominate b tell there.
func (e *exits) facts(b *ir.Block) []fact {
	var out []fact
	for {
		q := e.dom.Idom(b)
		if q == nil || q == b {
			return out
		}
		if len(b.Preds) == 1 && b.Preds[0] == q {
			out = append(out, taken(q, b)...)
		}
		b = q
	}
}

// taken returns what the edge from p to s tells.
func taken(p, s *ir.Block) []fact {
	if t := p.Term; t.Kind == ir.Branch && t.Succs[0] != t.Succs[1] {
		return []fact{{t.Cond, t.Succs[0] == s}}
	}
	return nil
}

// known returns what a condition is, given the facts.
func known(c *ir.Value, facts []fact) (is, ok bool) {
	if c.IsConst() {
		return c.Bits != 0, true
	}
	if c.Op == ir.OpLNot {
		is, ok = known(c.Args[0], facts)
		return !is, ok
	}
	for _, f := range facts {
		if alike(c, f.cond, maxAlike) {
			return f.is, true
		}
	}
	return false, false
}

// maxAlike bounds how deep values are compared.
const maxAlike = 8

// alike reports whether two values are the same wherever both are computed by one work-item.
func alike(v, w *ir.Value, depth int) bool {
	if v == w {
		return true
	}
	if depth == 0 || v.Op != w.Op || v.Type != w.Type || v.Bits != w.Bits || v.Aux != w.Aux || len(v.Args) != len(w.Args) ||
		v.Op == ir.OpPhi || !v.Op.Has(ir.FlagPure) {
		return false
	}
	for i := range v.Args {
		if !alike(v.Args[i], w.Args[i], depth-1) {
			return false
		}
	}
	return true
}

// leaves sees whether work-items that return at p have left their group for good, and gives them
// code of their own then.
func (e *exits) leaves(p *ir.Block) bool {
	to := p.Term.Succs[0]
	missed := e.around(to)
	if !slices.ContainsFunc(missed, syncs) {
		return false
	}
	w := &walk{e: e, p: p, facts: e.facts(p), seen: map[*ir.Block]bool{}, decided: map[*ir.Block]bool{}, zeroed: map[*ir.Var]bool{}}
	for _, v := range to.Phis {
		if is, ok := known(v.Args[slices.Index(to.Preds, p)], w.facts); ok && v.Type == ir.TypeBool {
			w.facts = append(w.facts, fact{v, is})
		}
	}
	if !w.visit(to) || len(w.zeroed) > 0 && (w.uses() || w.misses()) {
		return false
	}
	region := uniform.Reachable(to)
	c := rewrite.NewCloner(e.f)
	c.Copy(region)
	c.Entered(to, p)
	c.End(region, c.Block)
	c.Phis(region)
	p.Term.Early = false
	for _, b := range region {
		d := c.Block(b)
		if yes, ok := w.decided[b]; ok {
			settle(d, yes)
		}
		d.Term.Early = d.Term.Kind == ir.Return && !uniform.Faults(b)
		d.Insts = slices.DeleteFunc(d.Insts, func(v *ir.Value) bool { return v.Op == ir.OpZeroLocal })
	}
	e.f.RemoveUnreachable()
	return true
}

// around returns the blocks between b and what dominates it: what work-items that come to b on
// one way may miss of another.
func (e *exits) around(b *ir.Block) []*ir.Block {
	top := e.dom.Idom(b)
	in := map[*ir.Block]bool{b: true, top: true}
	var out []*ir.Block
	for todo := slices.Clone(b.Preds); len(todo) > 0; {
		x := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; !in[x] {
			in[x] = true
			out = append(out, x)
			todo = append(todo, x.Preds...)
		}
	}
	return out
}

// walk goes where work-items come that return at p.
type walk struct {
	e       *exits
	p       *ir.Block
	facts   []fact
	seen    map[*ir.Block]bool
	decided map[*ir.Block]bool // branches whose conditions are known there
	zeroed  map[*ir.Var]bool   // work-group memory that they call for
}

// visit reports whether work-items come from b on to ends of the kernel, and to no Sync op. They
// may call for work-group memory that they do not use: those that are left zero it without them.
func (w *walk) visit(b *ir.Block) bool {
	if w.seen[b] {
		return true
	}
	if w.seen[b] = true; w.e.dom.Dominates(b, w.p) {
		return false // the next round of a loop, in which the facts may be others
	}
	for _, v := range b.Insts {
		switch {
		case v.Op == ir.OpZeroLocal:
			w.zeroed[v.Ref().Var] = true
		case v.Op.Has(ir.FlagSync):
			return false
		}
	}
	t := b.Term
	if t.Kind == ir.Branch {
		if yes, ok := known(t.Cond, w.facts); ok {
			w.decided[b] = yes
			if yes {
				return w.visit(t.Succs[0])
			}
			return w.visit(t.Succs[1])
		}
	}
	return !slices.ContainsFunc(t.Succs, func(s *ir.Block) bool { return !w.visit(s) })
}

// uses reports whether work-items use memory on their way that they have called for there.
func (w *walk) uses() bool {
	for b := range w.seen {
		for _, v := range b.Insts {
			if r := v.Ref(); r != nil && w.zeroed[r.Var] && v.Op != ir.OpZeroLocal {
				return true
			}
		}
	}
	return false
}

// misses reports whether others call for work-group memory that they go past. On the host's
// coroutines a work-item's first such call is the first of all, so that one that calls must not
// have missed any.
func (w *walk) misses() bool {
	for b := range w.seen {
		for _, x := range w.e.around(b) {
			if !w.seen[x] && slices.ContainsFunc(x.Insts, func(v *ir.Value) bool { return v.Op == ir.OpZeroLocal }) {
				return true
			}
		}
	}
	return false
}
