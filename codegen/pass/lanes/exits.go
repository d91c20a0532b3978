package lanes

// This file contains the pass exits, which handles early returns from called kernels. If a kernel
// calls another kernel, a return from the called kernel becomes a jump to the code after the call:
//
//	Blur{…}.Kernel(it)      if i >= n { goto next } … barrier …
//	                        (label next)
//	Norm{…}.Kernel(it)      if i >= n { return } … barrier …
//
// A work-item that returns early from Blur misses a barrier. If the work-item reaches no later
// barrier, it has left its group permanently, like a work-item that returns from the kernel. Exits
// turns "goto next" into a return from the whole kernel, which DeadLanes can handle:
//
//	                        if i >= n { return } … barrier … barrier …
//
// If other work-items also execute the code after the label "next", Exits copies the code for the
// work-items that return early. A work-item may also return early from a called kernel, miss a
// barrier, and still reach a later barrier. DeadLanes rejects a kernel with a missed barrier and a
// later barrier, because the host's coroutines would confuse the two barriers.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// Exits handles early returns from functions that the kernel calls. The returning work-items must
// skip Sync ops and reach no later Sync op. Exits copies the code that the returning work-items
// execute from their return to the end of the kernel.
func Exits(m *ir.Module) diag.List {
	f := m.Kernel
	defer func() {
		for _, b := range f.Blocks {
			b.Term.Early = b.Term.Early && b.Term.Kind == ir.Return // later passes use Early only for returns
		}
	}()
	if !m.UsesGroup || !slices.ContainsFunc(f.Blocks, hasSync) {
		return nil
	}
	f.RemoveUnreachable()
	splitReturns(f)
	changed := false
	for again := true; again; {
		again = false
		e := &exits{f: f, dom: f.Dominators()}
		for _, p := range f.ReversePostorder() {
			if p.Term.Kind == ir.Jump && p.Term.Early && e.leavesGroup(p) {
				again, changed = true, true
				break // the dominators have changed, so the search starts again
			}
		}
	}
	if changed {
		(&exits{f: f, dom: f.Dominators()}).foldBranches()
	}
	return nil
}

// splitReturns copies the block of an early return for each of its predecessors, if the return
// skips Sync ops. Each path to the return implies different facts about branch conditions. For
// example, if i >= n || i%3 == 1 { return } has two paths to the return. A block with a Sync op,
// such as a barrier, is not copied.
func splitReturns(f *ir.Func) {
	e := &exits{f: f, dom: f.Dominators()}
	for _, p := range f.ReversePostorder() {
		if p.Term.Kind != ir.Jump || !p.Term.Early || !slices.ContainsFunc(e.blocksBetween(p.Term.Succs[0]), hasSync) {
			continue
		}
		if hasSync(p) {
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

// hasSync reports whether b has a Sync op.
func hasSync(b *ir.Block) bool {
	return slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) })
}

type exits struct {
	f   *ir.Func
	dom *ir.DomTree
}

// foldBranches turns branches into jumps if their conditions follow from dominating branches.
func (e *exits) foldBranches() {
	for _, b := range e.f.ReversePostorder() {
		if b.Term.Kind == ir.Branch {
			if yes, ok := knownCond(b.Term.Cond, e.condFacts(b)); ok {
				foldBranch(b, yes)
			}
		}
	}
	e.f.RemoveUnreachable()
}

// foldBranch replaces b's branch by a jump. The branch's condition is known to have the value
// condTrue. The successor that b no longer reaches may become unreachable.
func foldBranch(b *ir.Block, condTrue bool) {
	to, not := b.Term.Succs[0], b.Term.Succs[1]
	if to == not {
		return
	}
	if !condTrue {
		to, not = not, to
	}
	holder := b.Func.NewBlock() // unreachable block to which the removed edge is redirected
	b.Retarget(not, holder)
	holder.Preds = nil
	holder.SetTerm(ir.Term{Kind: ir.Unreachable})
	b.Term = ir.Term{Kind: ir.Jump, Succs: []*ir.Block{to}, Pos: b.Term.Pos}
}

// condFact records that the condition cond has the value isTrue.
type condFact struct {
	cond   *ir.Value
	isTrue bool
}

// condFacts returns the conditions whose values are known in b because of branches that dominate b.
func (e *exits) condFacts(b *ir.Block) []condFact {
	var out []condFact
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
func edgeFacts(p, s *ir.Block) []condFact {
	if t := p.Term; t.Kind == ir.Branch && t.Succs[0] != t.Succs[1] {
		return []condFact{{t.Cond, t.Succs[0] == s}}
	}
	return nil
}

// knownCond returns the value of the condition c, if this value follows from the given facts.
func knownCond(c *ir.Value, facts []condFact) (isTrue, ok bool) {
	if c.IsConst() {
		return c.Bits != 0, true
	}
	if c.Op == ir.OpLNot {
		isTrue, ok = knownCond(c.Args[0], facts)
		return !isTrue, ok
	}
	for _, f := range facts {
		if equalExprs(c, f.cond, maxEqualDepth) {
			return f.isTrue, true
		}
	}
	return false, false
}

// maxEqualDepth is the largest depth of expressions that equalExprs compares.
const maxEqualDepth = 8

// equalExprs reports whether v and w are equal whenever the same work-item computes both.
func equalExprs(v, w *ir.Value, depth int) bool {
	if v == w {
		return true
	}
	if depth == 0 || v.Op != w.Op || v.Type != w.Type || v.Bits != w.Bits || v.Aux != w.Aux || len(v.Args) != len(w.Args) ||
		v.Op == ir.OpPhi || !v.Op.Has(ir.FlagPure) {
		return false
	}
	for i := range v.Args {
		if !equalExprs(v.Args[i], w.Args[i], depth-1) {
			return false
		}
	}
	return true
}

// leavesGroup reports whether work-items that return early at p have left their group permanently.
// leavesGroup also creates a copy of the remaining code for work-items that have left.
func (e *exits) leavesGroup(p *ir.Block) bool {
	to := p.Term.Succs[0]
	missed := e.blocksBetween(to)
	if !slices.ContainsFunc(missed, hasSync) {
		return false
	}
	w := &exitWalk{e: e, p: p, facts: e.condFacts(p), seen: map[*ir.Block]bool{}, knownBranch: map[*ir.Block]bool{}, zeroedVars: map[*ir.Var]bool{}}
	for _, v := range to.Phis {
		if is, ok := knownCond(v.Args[slices.Index(to.Preds, p)], w.facts); ok && v.Type == ir.TypeBool {
			w.facts = append(w.facts, condFact{v, is})
		}
	}
	if !w.allPathsEnd(to) || len(w.zeroedVars) > 0 && (w.usesZeroed() || w.skipsZeroed()) {
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
		if yes, ok := w.knownBranch[b]; ok {
			foldBranch(d, yes)
		}
		d.Term.Early = d.Term.Kind == ir.Return && !uniform.Faults(b)
		d.Insts = slices.DeleteFunc(d.Insts, func(v *ir.Value) bool { return v.Op == ir.OpZeroLocal })
	}
	e.f.RemoveUnreachable()
	return true
}

// blocksBetween returns the blocks on paths from b's immediate dominator to b, without the
// dominator and b. A work-item that takes one path to b may miss the blocks of another path.
func (e *exits) blocksBetween(b *ir.Block) []*ir.Block {
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

// exitWalk follows the paths of work-items that return early at p.
type exitWalk struct {
	e           *exits
	p           *ir.Block
	facts       []condFact
	seen        map[*ir.Block]bool
	knownBranch map[*ir.Block]bool // maps a block to the value of its branch condition, if known on the walked paths
	zeroedVars  map[*ir.Var]bool   // variables in work-group memory that are declared on the walked paths
}

// allPathsEnd reports whether all paths from b end the kernel without a Sync op. allPathsEnd does
// not treat declarations of work-group memory as Sync ops. If the work-items that leave do not use
// the declared memory, the remaining work-items of the group can zero the memory alone.
func (w *exitWalk) allPathsEnd(b *ir.Block) bool {
	if w.seen[b] {
		return true
	}
	if w.seen[b] = true; w.e.dom.Dominates(b, w.p) {
		return false // b starts the next iteration of a loop, where other facts may hold
	}
	for _, v := range b.Insts {
		switch {
		case v.Op == ir.OpZeroLocal:
			w.zeroedVars[v.Ref().Var] = true
		case v.Op.Has(ir.FlagSync):
			return false
		}
	}
	t := b.Term
	if t.Kind == ir.Branch {
		if yes, ok := knownCond(t.Cond, w.facts); ok {
			w.knownBranch[b] = yes
			if yes {
				return w.allPathsEnd(t.Succs[0])
			}
			return w.allPathsEnd(t.Succs[1])
		}
	}
	return !slices.ContainsFunc(t.Succs, func(s *ir.Block) bool { return !w.allPathsEnd(s) })
}

// usesZeroed reports whether the work-items that return early use work-group memory that is
// declared on their paths.
func (w *exitWalk) usesZeroed() bool {
	for b := range w.seen {
		for _, v := range b.Insts {
			if r := v.Ref(); r != nil && w.zeroedVars[r.Var] && v.Op != ir.OpZeroLocal {
				return true
			}
		}
	}
	return false
}

// skipsZeroed reports whether the work-items that return early skip a declaration of work-group
// memory on another path. In the host's coroutines, the n-th declaration that a work-item executes
// gets the same memory as the n-th declaration of every other work-item. So a work-item that
// executes a declaration must not have skipped an earlier declaration.
func (w *exitWalk) skipsZeroed() bool {
	for b := range w.seen {
		for _, x := range w.e.blocksBetween(b) {
			if !w.seen[x] && slices.ContainsFunc(x.Insts, func(v *ir.Value) bool { return v.Op == ir.OpZeroLocal }) {
				return true
			}
		}
	}
	return false
}
