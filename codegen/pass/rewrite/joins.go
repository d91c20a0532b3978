package rewrite

// This file splits joins (blocks with several predecessors) for package uniform and the passes on
// lanes. After the split, paths that come from the same loop or the same branch join before they
// join other paths.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// nestJoins splits joins of paths that come from several branches. If some phi has the same
// argument for all paths of one branch, nestJoins inserts a block in which these paths join first.
// With the inserted block, later passes see that the phi's argument does not depend on the branch.
// If a phi has the same argument for all exits of a loop, nestJoins inserts a block in which these
// exits join first.
func nestJoins(f *ir.Func) {
	if !f.Module.UsesGroup {
		return
	}
	for again := true; again; {
		again = false
		dom := f.Dominators()
		loops := dom.Loops()
		for _, b := range dom.Order {
			if len(b.Phis) == 0 || len(b.Preds) < 2 || slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return CountPreds(b, p) > 1 }) {
				continue
			}
			ways := slices.DeleteFunc(groupPreds(b.Preds, func(p *ir.Block) any { return exitOf(loops, p, b) }), func(g []*ir.Block) bool {
				return len(g) == len(b.Preds) || !phiArgsAgree(b, g)
			})
			if len(ways) == 0 {
				forward := slices.DeleteFunc(slices.Clone(b.Preds), func(p *ir.Block) bool { return dom.Dominates(b, p) })
				ways = waysTo(dom, b, forward)
			}
			for _, preds := range ways {
				NestJoin(b, preds)
				again = true
			}
		}
	}
}

// groupPreds groups the predecessors that have the same key. A predecessor with the key nil is in
// no group.
func groupPreds(preds []*ir.Block, key func(p *ir.Block) any) [][]*ir.Block {
	var keys []any
	var groups [][]*ir.Block
	for _, p := range preds {
		k := key(p)
		if k == nil {
			continue
		}
		i := slices.Index(keys, k)
		if i < 0 {
			i = len(keys)
			keys, groups = append(keys, k), append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}

// phiArgsAgree reports whether some phi of b has the same argument for all predecessors in
// preds.
func phiArgsAgree(b *ir.Block, preds []*ir.Block) bool {
	return slices.ContainsFunc(b.Phis, func(phi *ir.Value) bool {
		arg := func(p *ir.Block) *ir.Value { return phi.Args[slices.Index(b.Preds, p)] }
		return !slices.ContainsFunc(preds, func(p *ir.Block) bool { return arg(p) != arg(preds[0]) })
	})
}

// exitOf returns the outermost loop that the edge from p to b leaves. exitOf returns nil if the edge
// leaves no loop.
func exitOf(loops *ir.Loops, p, b *ir.Block) any {
	l := loops.Of(p)
	if l == nil || l.Contains(b) {
		return nil
	}
	for l.Outer != nil && !l.Outer.Contains(b) {
		l = l.Outer
	}
	return l
}

// waysTo groups the given predecessors of b. A group contains the predecessors that control reaches
// from the same successor of their common dominator. waysTo returns a group if some phi of b has
// the same argument for the whole group (see phiArgsAgree). Otherwise, waysTo divides the group
// further.
func waysTo(dom *ir.DomTree, b *ir.Block, preds []*ir.Block) [][]*ir.Block {
	if len(preds) < 3 {
		return nil
	}
	top := preds[0]
	for _, p := range preds {
		for !dom.Dominates(top, p) {
			top = dom.Idom(top)
		}
	}
	var ways [][]*ir.Block
	for _, g := range groupPreds(preds, func(p *ir.Block) any {
		for p != top && dom.Idom(p) != top {
			p = dom.Idom(p)
		}
		if p == top {
			return nil
		}
		return p
	}) {
		switch {
		case len(g) == len(preds) || len(g) < 2:
		case phiArgsAgree(b, g):
			ways = append(ways, g)
		default:
			ways = append(ways, waysTo(dom, b, g)...)
		}
	}
	return ways
}

// NestJoin inserts a block between b and its predecessors preds, and returns that block. Each block
// of preds must have exactly one edge to b.
func NestJoin(b *ir.Block, preds []*ir.Block) *ir.Block {
	args := make([][]*ir.Value, len(b.Phis))
	for i, phi := range b.Phis {
		for _, p := range preds {
			args[i] = append(args[i], phi.Args[slices.Index(b.Preds, p)])
		}
	}
	j := b.Func.NewBlock()
	j.Cold = b.Cold
	for _, p := range preds {
		p.Retarget(b, j)
	}
	j.Jump(b)
	for i, phi := range b.Phis {
		a := args[i][0]
		if slices.ContainsFunc(args[i], func(x *ir.Value) bool { return x != a }) {
			a = j.NewPhi(phi.Type, args[i]...)
		}
		phi.Args = append(phi.Args, a)
	}
	return j
}
