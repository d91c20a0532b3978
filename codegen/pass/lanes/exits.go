package lanes

// This file contains the pass exits. If a kernel calls other kernels, a return from a called kernel
// is in the middle of the code:
//
//	Blur{…}.Kernel(it)      if i >= n { goto next } … barrier …
//	                        (label next)
//	Norm{…}.Kernel(it)      if i >= n { return } … barrier …
//
// A work-item that returns early from Blur misses a barrier. If it reaches no later barrier, as in
// this example, it has left its group permanently, like a work-item that returns from the kernel.
// The pass changes the code to the following form, in which DeadLanes can turn the work-item into a
// dead lane:
//
//	                        if i >= n { return } … barrier … barrier …
//
// So the pass copies the remaining code, up to a return, for the work-items that return early. If
// such a work-item reaches a barrier after the label next, it has missed a barrier at which other
// work-items meet. DeadLanes rejects such kernels, since the host's coroutines would confuse the
// two barriers.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// Exits handles work-items that return early from a function that the kernel calls, if they thereby
// skip Sync ops and reach no later Sync op. It copies the code that these work-items execute from
// their return to the end of the kernel.
func Exits(m *ir.Module) diag.List {
	f := m.Kernel
	defer func() {
		for _, b := range f.Blocks {
			b.Term.Early = b.Term.Early && b.Term.Kind == ir.Return // later passes use Early only for returns
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
				break // the dominators have changed, so the search starts again
			}
		}
	}
	if changed {
		(&exits{f: f, dom: f.Dominators()}).decide()
	}
	return nil
}

// The function split copies the block of an early return for each of its predecessors, if the
// return skips Sync ops. The reason is that each path to the return implies different facts. For
// example, if i >= n || i%3 == 1 { return } has two paths to the return. A block with a Sync op is
// not copied. An example is the block with the statement it.Barrier() after an if.
func split(f *ir.Func) {
	e := &exits{f: f, dom: f.Dominators()}
	for _, p := range f.ReversePostorder() {
		if p.Term.Kind != ir.Jump || !p.Term.Early || !slices.ContainsFunc(e.around(p.Term.Succs[0]), syncs) {
			continue
		}
		if syncs(p) {
			continue // p contains a Sync op, which all work-items must execute together
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

// The function syncs reports whether b has a Sync op.
func syncs(b *ir.Block) bool {
	return slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) })
}

type exits struct {
	f   *ir.Func
	dom *ir.DomTree
}

// The method decide turns branches into jumps if their conditions follow from dominating branches.
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

// The function settle turns b's branch into a jump to the successor that the branch takes if its
// condition has the value yes. The other successor may become unreachable.
func settle(b *ir.Block, yes bool) {
	to, not := b.Term.Succs[0], b.Term.Succs[1]
	if to == not {
		return
	}
	if !yes {
		to, not = not, to
	}
	holder := b.Func.NewBlock() // unreachable block from which the removed edge starts instead
	b.Retarget(not, holder)
	holder.Preds = nil
	holder.SetTerm(ir.Term{Kind: ir.Unreachable})
	b.Term = ir.Term{Kind: ir.Jump, Succs: []*ir.Block{to}, Pos: b.Term.Pos}
}

// A fact records that the condition in field cond has the value in field is.
type fact struct {
	cond *ir.Value
	is   bool
}

// The method facts returns the facts about conditions that follow in b from dominating branches.
func (e *exits) facts(b *ir.Block) []fact {
	var out []fact
	for {
		q := e.dom.Idom(b)
		if q == nil || q == b {
			return out
		}
		if len(b.Preds) == 1 && b.Preds[0] == q {
			out = append(out, edgeFacts(q, b)...)
		}
		b = q
	}
}

// edgeFacts returns the facts that hold on the edge from p to s.
func edgeFacts(p, s *ir.Block) []fact {
	if t := p.Term; t.Kind == ir.Branch && t.Succs[0] != t.Succs[1] {
		return []fact{{t.Cond, t.Succs[0] == s}}
	}
	return nil
}

// The function known returns the value of the condition c if it follows from the given facts.
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

// maxAlike is the largest depth of expressions that alike compares.
const maxAlike = 8

// The function alike reports whether v and w are equal whenever the same work-item computes both.
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

// The method leaves reports whether work-items that return early at p have left their group
// permanently. If so, it creates a copy of the remaining code for these work-items.
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

// The method around returns the blocks on paths from b's immediate dominator to b, except these two
// blocks. A work-item on one path to b may miss some of these blocks.
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

// A walk follows the paths of work-items that return early at p.
type walk struct {
	e       *exits
	p       *ir.Block
	facts   []fact
	seen    map[*ir.Block]bool
	decided map[*ir.Block]bool // maps a block to the value of its branch condition, if known on these paths
	zeroed  map[*ir.Var]bool   // variables in work-group memory that are declared on these paths
}

// The method visit reports whether all paths from b end the kernel without a Sync op. This method
// does not consider declarations of work-group memory to be Sync ops. The work-items that remain in
// the group can zero the memory alone if the work-items that leave do not use it.
func (w *walk) visit(b *ir.Block) bool {
	if w.seen[b] {
		return true
	}
	if w.seen[b] = true; w.e.dom.Dominates(b, w.p) {
		return false // b starts the next iteration of a loop, in which other facts may hold
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

// The method uses reports whether the work-items use work-group memory that is declared on their
// paths.
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

// The method misses reports whether the work-items skip a declaration of work-group memory on
// another path. The host's coroutines use the same memory for the n-th declaration that each
// work-item executes. So a work-item must not skip a declaration if it executes a later
// declaration.
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
