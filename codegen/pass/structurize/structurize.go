package structurize

// This file contains the pass structurize, and the check that control flow is reducible.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Run gives every function SPIR-V's structured control flow.
//
// Run rebuilds the code from the dominator tree (Ramsey, "Beyond Relooper", 2022) as a tree of
// statements, and turns the tree into blocks again. SPIR-V has no jump out of several selections at
// once. So a jump to a later block sets that block's flag and continues at the end of the
// selection. Code between the jump and its target is guarded by flags. Phis temporarily become
// Function variables, which are promoted to values at the end.
func Run(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		f.RemoveUnreachable()
	}
	if ds := CheckReducible(m); len(ds) > 0 {
		return ds
	}
	for _, f := range rewrite.Bodies(m) {
		structurizeFunc(f)
	}
	return nil
}

func structurizeFunc(f *ir.Func) {
	splitTwinEdges(f)
	u := &rewrite.Undefs{}
	phis := rewrite.DemotePhis(f, u)
	loopAroundJumps(f)
	t := newTreeBuilder(f).buildTree()
	leaveByBreak(f, t)
	emitTree(f, t)
	rewrite.RepairSSA(f, u)
	u.Promote(f, phis)
	tidyArms(f)
}

// CheckReducible reports loops with more than one entry, which only goto can create.
func CheckReducible(m *ir.Module) diag.List {
	var ds diag.List
	for _, f := range rewrite.Bodies(m) {
		dom := f.Dominators()
		for _, b := range dom.Order {
			for _, s := range b.Term.Succs {
				if !dom.IsBackEdge(b, s) || dom.Dominates(s, b) {
					continue
				}
				ds.Add(diag.Irreducible, diag.Pos(entryPos(dom, b, s)),
					"write the loop as a for statement, or let every goto into it aim at its first statement",
					"goto makes a loop that can be entered in two places, which devices cannot run")
				break
			}
		}
	}
	ds.Sort()
	return ds
}

// entryPos returns the source position of the branch that leads to both entries of a loop. The loop
// has the back edge from b to s. If the branch has no position, entryPos returns the position of
// the back edge.
func entryPos(dom *ir.DomTree, b, s *ir.Block) ir.Pos {
	top := dom.Idom(b)
	for top != nil && !dom.Dominates(top, s) {
		top = dom.Idom(top)
	}
	preds := func(b *ir.Block) []*ir.Block { // returns the reachable predecessors of b
		return slices.DeleteFunc(slices.Clone(b.Preds), func(p *ir.Block) bool { return !slices.Contains(dom.Order, p) })
	}
	reach := func(from *ir.Block, next func(*ir.Block) []*ir.Block) map[*ir.Block]bool {
		seen := map[*ir.Block]bool{top: true, from: true}
		for work := []*ir.Block{from}; len(work) > 0; work = work[1:] {
			for _, n := range next(work[0]) {
				if !seen[n] {
					seen[n] = true
					work = append(work, n)
				}
			}
		}
		return seen
	}
	ahead := reach(s, func(b *ir.Block) []*ir.Block { return b.Term.Succs })
	behind := reach(b, preds)
	for _, n := range dom.Order {
		if n == top || !ahead[n] || !behind[n] {
			continue
		}
		for _, p := range preds(n) {
			if (p == top || !ahead[p] || !behind[p]) && p.Term.Kind == ir.Branch && p.Term.Pos.File != "" {
				return p.Term.Pos
			}
		}
	}
	return branchPos(b, s)
}

// branchPos returns the best known source position of the jump from b to s.
func branchPos(b, s *ir.Block) ir.Pos {
	if b.Term.Pos.File != "" {
		return b.Term.Pos
	}
	for i := len(b.Insts) - 1; i >= 0; i-- {
		if p := b.Insts[i].Pos; p.File != "" {
			return p
		}
	}
	for _, vs := range [3][]*ir.Value{b.Phis, s.Phis, s.Insts} {
		for _, v := range vs {
			if v.Pos.File != "" {
				return v.Pos
			}
		}
	}
	return s.Term.Pos
}

// splitTwinEdges rewrites each branch whose two edges lead to the same block. If the block has
// phis, splitTwinEdges inserts a new block into one edge. Otherwise the branch becomes a jump.
func splitTwinEdges(f *ir.Func) {
	for _, b := range f.Blocks {
		t := b.Term
		if t.Kind != ir.Branch || t.Succs[0] != t.Succs[1] {
			continue
		}
		s := t.Succs[0]
		if len(s.Phis) == 0 {
			b.ClearTerm()
			b.SetTerm(ir.Term{Kind: ir.Jump, Succs: []*ir.Block{s}, Pos: t.Pos})
			continue
		}
		// Block b is in the list of predecessors twice. The new block replaces b at the second
		// place, so the phi arguments keep their order.
		n := f.NewBlock()
		second := false
		for i, p := range s.Preds {
			if p == b && second {
				s.Preds[i] = n
			}
			second = second || p == b
		}
		b.Term.Succs[1] = n
		n.Preds = []*ir.Block{b}
		n.Term = ir.Term{Kind: ir.Jump, Succs: []*ir.Block{s}, Pos: t.Pos}
	}
}
