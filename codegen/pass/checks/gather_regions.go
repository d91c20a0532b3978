package checks

// This file is part of the pass `gather`, and combines checks in code with branches.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// These constants limit the size of a region and the number of values that are hoisted to the
// region's start.
const (
	maxRegionBlocks = 32
	maxRegionValues = 200
	maxRegionHoists = 96
)

// checkRegion is a region. A region is a part of a function, and contains neither loops nor Sync
// ops. Control enters a region only from the end of block "start", and leaves the region only to
// block "exit" or by faults.
type checkRegion struct {
	f             *ir.Func
	dom           *ir.DomTree
	start, exit   *ir.Block
	blocks        []*ir.Block // blocks of the region, sorted so that definitions precede uses
	inRegion      map[*ir.Block]bool
	uniformChecks map[*ir.Block]bool // blocks whose check has the same result for all work-items of a group
	faultBlocks   []*ir.Block        // fault blocks that are reached only from the region
	reachConds    map[*ir.Block]*ir.Value
	hoisted       map[*ir.Value]*ir.Value
	newValues     []*ir.Value
}

// gatherRegions moves checks of a region to the region's start, if the conditions of the checks can
// be computed there without loads. A moved check also passes if control would not reach the block
// that contained the check. After the change, the region exists twice. Work-items that pass all
// moved checks run the region without the moved checks. The other work-items run a copy of the
// region with the original checks.
//
// The set "cold" contains the blocks of all copies so far. gatherRegions does not process the
// blocks of copies again. Checks in blocks of the set "together" have the same result for all
// work-items of a group and are not moved. gatherRegions reports whether it has changed a region.
func gatherRegions(f *ir.Func, cold, together map[*ir.Block]bool) bool {
	f.RemoveUnreachable()
	n := 0
	for _, b := range f.Blocks {
		if _, ok := rewrite.CheckOf(b); ok && !cold[b] {
			n++
		}
	}
	if n < 2 {
		return false
	}
	dom := f.Dominators()
	for _, b := range dom.Order {
		if rewrite.IsFault(b) || b.Term.Kind == ir.Return || cold[b] {
			continue
		}
		if r := findRegion(f, dom, b, cold, together); r != nil && r.versionRegion(cold) {
			return true
		}
	}
	return false
}

// findRegion returns the largest region that starts at the end of b, or nil if there is none.
func findRegion(f *ir.Func, dom *ir.DomTree, b *ir.Block, cold, together map[*ir.Block]bool) *checkRegion {
	var found *checkRegion
	r := &checkRegion{f: f, dom: dom, start: b, uniformChecks: together, inRegion: map[*ir.Block]bool{}}
	open := map[*ir.Block]bool{} // successors of the region's blocks that are not yet part of the region
	grow := func(x *ir.Block) {
		for _, s := range x.Term.Succs {
			if !rewrite.IsFault(s) {
				open[s] = true
			} else if !slices.Contains(r.faultBlocks, s) {
				r.faultBlocks = append(r.faultBlocks, s)
			}
		}
	}
	grow(b)
	values := 0
	for len(r.blocks) < maxRegionBlocks {
		if len(open) == 1 {
			n := *r
			n.blocks, n.faultBlocks = slices.Clone(r.blocks), slices.Clone(r.faultBlocks)
			for x := range open {
				n.exit = x
			}
			if found == nil || len(n.blocks) > len(found.blocks) {
				found = &n
			}
		}
		// The next block of the region must have all its predecessors in the region.
		var next *ir.Block
		for x := range open {
			if x != b && (next == nil || dom.Index(x) < dom.Index(next)) &&
				!slices.ContainsFunc(x.Preds, func(p *ir.Block) bool { return p != b && !r.inRegion[p] }) {
				next = x
			}
		}
		if next == nil || cold[next] || len(next.Term.Succs) == 0 || slices.ContainsFunc(next.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
			break
		}
		if values += len(next.Insts); values > maxRegionValues {
			break
		}
		delete(open, next)
		r.inRegion[next] = true
		r.blocks = append(r.blocks, next)
		grow(next)
	}
	if found == nil {
		return nil
	}
	found.inRegion = map[*ir.Block]bool{}
	for _, x := range found.blocks {
		found.inRegion[x] = true
	}
	for _, x := range found.faultBlocks {
		if slices.ContainsFunc(x.Preds, func(p *ir.Block) bool { return p != b && !found.inRegion[p] }) {
			return nil
		}
	}
	return found
}

// versionRegion moves checks to the region's start, if at least two checks can be computed there.
// versionRegion reports whether it changed the code.
func (r *checkRegion) versionRegion(cold map[*ir.Block]bool) bool {
	r.reachConds, r.hoisted = map[*ir.Block]*ir.Value{}, map[*ir.Value]*ir.Value{}
	m := r.f.Module
	n := len(r.start.Insts)
	all := m.Bool(true)
	var gathered []rewrite.Check
	for _, b := range append([]*ir.Block{r.start}, r.blocks...) {
		k, ok := rewrite.CheckOf(b)
		if !ok || r.uniformChecks[b] {
			continue
		}
		reach, holds := r.reachedCond(b), r.hoistValue(k.Holds)
		if reach == nil || holds == nil {
			continue
		}
		if !k.Want {
			holds = r.appendOp(ir.OpLNot, holds)
		}
		all = r.appendOp(ir.OpLAnd, all, r.appendOp(ir.OpLOr, r.appendOp(ir.OpLNot, reach), holds))
		gathered = append(gathered, k)
	}
	if len(gathered) < 2 || len(r.newValues) > maxRegionHoists {
		r.start.Insts = r.start.Insts[:n]
		return false
	}
	for _, b := range r.splitRegion(all, gathered) {
		cold[b] = true
	}
	return true
}

// appendOp appends a bool op to the region's start and returns its result. appendOp folds ops with
// constant operands.
func (r *checkRegion) appendOp(op ir.Op, args ...*ir.Value) *ir.Value {
	m := r.f.Module
	switch {
	case op == ir.OpLNot && args[0].IsConst():
		return m.Bool(args[0].Bits == 0)
	case op == ir.OpLAnd && facts.IsOne(args[0]), op == ir.OpLOr && facts.IsZero(args[0]):
		return args[1]
	case op == ir.OpLAnd && facts.IsOne(args[1]), op == ir.OpLOr && facts.IsZero(args[1]):
		return args[0]
	}
	v := r.start.Append(op, ir.TypeBool, args...)
	r.newValues = append(r.newValues, v)
	return v
}

// hoistValue returns a copy of v that is computed at the region's start. If v cannot be computed at
// the region's start, hoistValue returns nil.
func (r *checkRegion) hoistValue(v *ir.Value) *ir.Value {
	if v.Block == nil || !r.inRegion[v.Block] {
		return v
	}
	if w, ok := r.hoisted[v]; ok {
		return w
	}
	r.hoisted[v] = nil
	if !facts.Speculative(v) || len(r.newValues) > maxRegionHoists {
		return nil
	}
	var args []*ir.Value
	for _, a := range v.Args {
		x := r.hoistValue(a)
		if x == nil {
			return nil
		}
		args = append(args, x)
	}
	w := r.start.Append(v.Op, v.Type, args...)
	w.Bits, w.Aux, w.Pos = v.Bits, v.Aux, v.Pos
	r.hoisted[v] = w
	r.newValues = append(r.newValues, w)
	return w
}

// reachedCond returns the condition under which control reaches b from the region's start if no
// check fails. If the condition cannot be computed at the region's start, reachedCond returns nil.
func (r *checkRegion) reachedCond(b *ir.Block) *ir.Value {
	if b == r.start {
		return r.f.Module.Bool(true)
	}
	if v, ok := r.reachConds[b]; ok {
		return v
	}
	r.reachConds[b] = nil
	if d := r.dom.Idom(b); r.alwaysReaches(d, b) {
		r.reachConds[b] = r.reachedCond(d)
		return r.reachConds[b]
	}
	any := r.f.Module.Bool(false)
	for _, p := range b.Preds {
		v := r.reachedCond(p)
		if v == nil {
			return nil
		}
		if t := p.Term; t.Kind == ir.Branch && !rewrite.IsFault(t.Succs[0]) && !rewrite.IsFault(t.Succs[1]) && t.Succs[0] != t.Succs[1] {
			c := r.hoistValue(t.Cond)
			if c == nil {
				return nil
			}
			if t.Succs[1] == b {
				c = r.appendOp(ir.OpLNot, c)
			}
			v = r.appendOp(ir.OpLAnd, v, c)
		}
		any = r.appendOp(ir.OpLOr, any, v)
	}
	r.reachConds[b] = any
	return any
}

// alwaysReaches reports whether each path from d leads to b or to a fault.
func (r *checkRegion) alwaysReaches(d, b *ir.Block) bool {
	seen := map[*ir.Block]bool{}
	var walk func(x *ir.Block) bool
	onward := func(x *ir.Block) bool {
		return !slices.ContainsFunc(x.Term.Succs, func(s *ir.Block) bool { return !walk(s) })
	}
	walk = func(x *ir.Block) bool {
		if x == b || rewrite.IsFault(x) || seen[x] {
			return true
		}
		seen[x] = true
		return r.inRegion[x] && onward(x) // false for the region's start, because a path may lead back to it
	}
	return onward(d)
}

// splitRegion duplicates the region. If allPass is true, the work-item runs the region without the
// gathered checks. Otherwise the work-item runs a copy with the checks, and one of the checks
// fails. splitRegion returns a map from each block of the region to its copy.
func (r *checkRegion) splitRegion(allPass *ir.Value, gathered []rewrite.Check) map[*ir.Block]*ir.Block {
	hot, cold := r.f.NewBlock(), r.f.NewBlock()
	t := r.start.Term
	c := rewrite.NewCloner(r.f)
	list := slices.Concat(r.blocks, r.faultBlocks)
	c.Copy(list)
	dead := r.f.NewBlock() // exit of the copy; never executed, because some check in the copy fails
	dead.SetTerm(ir.Term{Kind: ir.Return})
	c.Pair(r.start, cold)
	c.End(append([]*ir.Block{r.start}, list...), func(s *ir.Block) *ir.Block {
		if d := c.Blocks[s]; d != nil && s != r.start {
			return d
		}
		return dead
	})
	c.Phis(r.blocks)
	rewrite.MoveTerm(r.start, hot)
	r.uniformChecks[hot] = r.uniformChecks[r.start]
	delete(r.uniformChecks, r.start)
	r.start.SetTerm(ir.Term{Kind: ir.Branch, Cond: allPass, Succs: []*ir.Block{hot, cold}, Pos: t.Pos})
	for _, k := range gathered {
		b := k.Block
		if b == r.start {
			b = hot
		}
		rewrite.DropEdge(b, k.Fault)
	}
	r.f.RemoveUnreachable()
	return c.Blocks
}
