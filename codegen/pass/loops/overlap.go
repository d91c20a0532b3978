package loops

// This file contains the pass overlap, which lets loops run four iterations at a time so that their
// loads overlap. The pass runs after ahead and unroll, when fewer checks and loops remain. Overlap
// runs after narrow, because overlap computes the starting values of iterations that may never run.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// overlapCount is the number of iterations that run at a time.
const overlapCount = 4

// These constants limit the work of overlap, which makes copies of loops. Such a copy runs four
// iterations at a time.
const (
	maxOverlapValues = 48 // largest number of instructions in an iteration; longer loops did not become faster
	maxOverlapLoops  = 8  // largest number of loops in a function that run four iterations at a time
	maxOverlapStages = 3  // largest length of a chain of dependent loads
)

// Overlap inserts a copy of a loop before the loop. The copy runs four iterations at a time. For
// example, consider the loop "for i < n { sum += x[c[i]] }", with a check that c[i] is less than
// len. Overlap turns this loop into:
//
//	for i+3 < n {                        that is, for i < n && i+1 < n && i+2 < n && i+3 < n
//		c0, c1, c2, c3 := c[i], c[i+1], c[i+2], c[i+3]
//		if c0 >= len || c1 >= len || c2 >= len || c3 >= len {
//			break
//		}
//		x0, x1, x2, x3 := x[c0], x[c1], x[c2], x[c3]
//		sum = sum + x0 + x1 + x2 + x3
//		i += 4
//	}
//	for i < n { sum += x[c[i]] }         the original loop, with its checks.
//
// A load takes hundreds of cycles. If the address or check of a load depends on an earlier load,
// the load cannot start before the earlier load has finished. An iteration takes the time of its
// longest chain of dependent loads. If four iterations run at a time, they wait once for each load
// of the chain, instead of four times.
//
// The loop's conditions and checks decide whether an iteration runs to its end. All conditions and
// checks of four iterations are evaluated before any of the four iterations has an effect. If one
// of the four iterations would not run to its end, the original loop runs the iterations one by
// one. Before each exit or fault, the same stores happen as in the original loop. The order of the
// computations, such as the additions to sum, does not change.
func Overlap(m *ir.Module) diag.List {
	if m.UsesGroup && !uniform.Stays(m, overlapAll) {
		return nil
	}
	return overlapAll(m)
}

func overlapAll(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		together := map[*ir.Block]bool{}
		if f == m.Kernel && m.UsesGroup {
			together = leaveTogether(f)
		}
		tried := map[*ir.Block]bool{}
		for n := 0; n < maxOverlapLoops && overlapOne(f, tried, together); n++ {
			if diags := simplify.Clean(m); len(diags) > 0 {
				return diags
			}
		}
	}
	return nil
}

// overlapOne transforms the first loop of f that is worth the transformation. overlapOne reports
// whether it transformed a loop.
func overlapOne(f *ir.Func, tried, together map[*ir.Block]bool) bool {
	f.RemoveUnreachable()
	roots := (*facts.Roots)(nil)
	for _, l := range innermostLoops(f) {
		if tried[l.head] || l.head.Cold {
			continue
		}
		tried[l.head] = true
		if l.countInsts() > maxOverlapValues || !l.enteredOnce() || l.tripCount(f.Module) > 0 || !l.Movable(0) ||
			slices.ContainsFunc(l.blocks, func(b *ir.Block) bool { return together[b] }) {
			continue
		}
		if roots == nil {
			roots = facts.FindRoots(f.Module)
		}
		if o := newOverlapper(f, l, roots); o.findValues() {
			tried[o.buildLoop()] = true
			return true
		}
	}
	return false
}

// enteredOnce reports whether each predecessor of the loop's head has only one edge to the head.
func (l *Loop) enteredOnce() bool {
	return !slices.ContainsFunc(l.head.Preds, func(p *ir.Block) bool { return rewrite.CountPreds(l.head, p) > 1 })
}

// overlapper transforms one loop so that several iterations run at a time.
type overlapper struct {
	*Loop
	f     *ir.Func
	roots *facts.Roots

	// stageOf maps a value to the stage at which it can be computed for all iterations at once.
	// Values of stage 0 are computed before any load. Values of stage 1 depend on loads whose
	// addresses have stage 0, and so on. A value that is not in the map can only be computed in its
	// own iteration.
	stageOf map[*ir.Value]int
	leaves  []wayOut
	loads   []*ir.Value // loads that are executed for all iterations at once, in the order of the code

	at  []*ir.Block // block in which the values of each stage are computed
	had [overlapCount]map[*ir.Value]*ir.Value
}

// wayOut is a branch by which control leaves the loop, to a fault or to other code.
type wayOut struct {
	block *ir.Block
	stays bool      // whether control stays in the loop if the branch's condition is true
	late  *ir.Value // the result of lateBound, if the exit condition's stage is above 0
}

func newOverlapper(f *ir.Func, l *Loop, roots *facts.Roots) *overlapper {
	o := &overlapper{Loop: l, f: f, roots: roots}
	for k := range o.had {
		o.had[k] = map[*ir.Value]*ir.Value{}
	}
	return o
}

// findValues finds the values that can be computed for all iterations at once. findValues reports
// whether the transformation is possible and worthwhile.
func (o *overlapper) findValues() bool {
	if !o.findLeaves() {
		return false
	}
	o.findStages()
	ends := false // whether the loop has an exit other than faults
	for i, x := range o.leaves {
		s, ok := o.stageOf[x.block.Term.Cond]
		switch {
		case !ok:
			return false
		case s > 0:
			if o.leaves[i].late = o.lateBound(x); o.leaves[i].late == nil {
				return false
			}
		default:
			ends = ends || !slices.ContainsFunc(x.block.Term.Succs, rewrite.IsFault)
		}
	}
	return ends && len(o.loads) > 0
}

// findLeaves finds the branches that may leave the loop. findLeaves reports whether each iteration reaches
// all branches that may leave the loop.
func (o *overlapper) findLeaves() bool {
	for _, b := range o.blocks {
		if rewrite.IsFault(b) {
			continue
		}
		for i, s := range b.Term.Succs {
			if o.in[s] && !rewrite.IsFault(s) {
				continue
			}
			if b.Term.Kind != ir.Branch || !o.dom.Dominates(b, o.latch) || rewrite.IsFault(b.Term.Succs[1-i]) || !o.in[b.Term.Succs[1-i]] {
				return false
			}
			o.leaves = append(o.leaves, wayOut{block: b, stays: i == 1})
		}
	}
	return len(o.leaves) > 0
}

// findStages computes the stages of values and the list of loads. In an iteration after the first,
// a phi of the head has the stage of the argument that the previous iteration computes. findStages
// starts with all phis at stage 0, and repeats the computation until nothing changes. If a value
// depends on its own load in the previous iteration, its stage increases until the value is removed
// from the map.
func (o *overlapper) findStages() {
	const never = maxOverlapStages + 1
	o.stageOf = map[*ir.Value]int{}
	of := func(v *ir.Value) int {
		if s, ok := o.stageOf[v]; ok || v.Block == nil || !o.in[v.Block] {
			return s
		}
		return never
	}
	for _, phi := range o.head.Phis {
		o.stageOf[phi] = 0
	}
	for changed := true; changed; {
		changed = false
		set := func(v *ir.Value, s int) {
			if old, ok := o.stageOf[v]; !ok || old < s {
				o.stageOf[v], changed = s, true
			}
		}
		behind := 0 // highest stage among the exit conditions of the blocks visited so far
		for _, b := range o.blocks {
			for _, v := range b.Insts {
				s := never
				switch {
				case facts.Speculative(v):
					s = 0
				case o.loadsEarly(v, b):
					s = behind
				}
				for _, a := range v.Args {
					s = max(s, of(a))
				}
				if v.Op == ir.OpLoad {
					s++
				}
				set(v, min(s, never))
			}
			if slices.ContainsFunc(o.leaves, func(x wayOut) bool { return x.block == b }) {
				behind = max(behind, of(b.Term.Cond))
			}
		}
		for _, phi := range o.head.Phis {
			set(phi, of(o.nextValue(phi)))
		}
	}
	for _, b := range o.blocks {
		for _, v := range b.Insts {
			if o.stageOf[v] < never && v.Op == ir.OpLoad {
				o.loads = append(o.loads, v)
			}
		}
	}
	for v, s := range o.stageOf {
		if s == never {
			delete(o.stageOf, v)
		}
	}
}

// loadsEarly reports whether v in block b is a load from device memory that may be executed before
// the preceding iterations. Each iteration must execute the load, and no instruction of the loop
// may write the loaded memory.
func (o *overlapper) loadsEarly(v *ir.Value, b *ir.Block) bool {
	if v.Op != ir.OpLoad || v.Ref().Var != nil || !o.dom.Dominates(b, o.latch) {
		return false
	}
	m := o.f.Module
	from := v.Path()[0]
	if m.NoAlias && o.roots.NeverWritten(from) {
		return true
	}
	for _, b := range o.blocks {
		if rewrite.IsFault(b) {
			continue
		}
		for _, w := range b.Insts {
			switch {
			case w.Op.Has(ir.FlagSync), w.Op.Has(ir.FlagAtomic), w.Op == ir.OpCall:
				return false
			case w.Op.Has(ir.FlagWrites) && w.Ref() != nil && w.Ref().Var == nil:
				if !m.NoAlias || !o.roots.Apart(from, w.Path()[0]) {
					return false
				}
			}
		}
	}
	return true
}

// lateBound returns the bound n if the exit condition is i < n, and i is known only after loads.
// The comparison must be unsigned, the iteration must have loaded i, and n must be invariant. For
// any other condition, lateBound returns nil. Loads of later iterations may be executed before the
// condition i < n is known, but not before any other condition that depends on loads.
//
// An index of a later iteration may be in range only because of conditions in earlier iterations.
// The condition i < n implies that n is not 0, which the code tests ahead of the loop. The
// condition i < n also implies facts about i, but indices that are known earlier than i do not
// depend on i. Other conditions that depend on loads, such as i < c[i], may imply more facts.
func (o *overlapper) lateBound(x wayOut) *ir.Value {
	c := x.block.Term.Cond
	if c.Op != ir.OpULt || !x.stays || !o.isSame(c.Args[1]) {
		return nil
	}
	if l := loadBehind(c.Args[0]); l == nil || !slices.Contains(o.loads, l) {
		return nil
	}
	return c.Args[1]
}

// loadBehind returns v if v is a load. If v is a conversion of a loaded integer, loadBehind returns
// the load. For any other v, loadBehind returns nil.
func loadBehind(v *ir.Value) *ir.Value {
	for v.Op == ir.OpUConvert || v.Op == ir.OpSConvert {
		v = v.Args[0]
	}
	if v.Op != ir.OpLoad {
		return nil
	}
	return v
}

// isSame reports whether v is known to be the same in all iterations.
func (o *overlapper) isSame(v *ir.Value) bool {
	return v.Block == nil || !o.in[v.Block] || v.Op == ir.OpArg
}

// buildLoop creates the loop that runs several iterations at a time, and returns its head.
func (o *overlapper) buildLoop() *ir.Block {
	f := o.f
	var entries []*ir.Block
	for _, p := range o.head.Preds {
		if p != o.latch && !slices.Contains(entries, p) {
			entries = append(entries, p)
		}
	}
	pre := o.entryBlock(entries)
	head, rest := f.NewBlock(), f.NewBlock()
	head.Loop = o.head.Loop
	at := slices.Index(o.head.Preds, pre)
	for _, phi := range o.head.Phis {
		o.had[0][phi] = head.NewPhi(phi.Type, phi.Args[at])
	}
	pre.ClearTerm()
	pre.Jump(head)

	last := o.stagesAhead(head, rest)
	rest.Jump(o.head)
	for _, phi := range o.head.Phis {
		phi.Args = append(phi.Args, o.had[0][phi])
	}

	blocks := slices.DeleteFunc(slices.Clone(o.blocks), rewrite.IsFault)
	var copies [overlapCount]*rewrite.Cloner
	for k := range copies {
		copies[k] = rewrite.NewCloner(f)
		copies[k].Copy(blocks)
	}
	last.Jump(copies[0].Block(o.head))
	for k, c := range copies {
		next := head
		if k+1 < overlapCount {
			next = copies[k+1].Block(o.head)
		}
		o.endRound(c, blocks, next)
	}
	repl := map[*ir.Value]*ir.Value{}
	for k, c := range copies {
		c.Phis(blocks)
		first := c.Block(o.head)
		first.Loop = ir.Pos{}
		for i, phi := range o.head.Phis {
			x := o.had[0][phi]
			if k > 0 {
				x = copies[k-1].Value(o.nextValue(phi))
			}
			first.Phis[i].Args = append(first.Phis[i].Args, x)
		}
		for v, x := range o.had[k] {
			if v.Op != ir.OpPhi {
				repl[c.Value(v)] = x
			}
		}
	}
	for _, phi := range o.head.Phis {
		x := o.had[0][phi]
		x.Args = append(x.Args, copies[overlapCount-1].Value(o.nextValue(phi)))
	}
	gone := func(v *ir.Value) bool { return repl[v] != nil }
	for _, c := range copies {
		for _, b := range blocks {
			c.Block(b).Insts = slices.DeleteFunc(c.Block(b).Insts, gone)
		}
	}
	rewrite.ReplaceUses(f, func(v *ir.Value) *ir.Value {
		if x := repl[v]; x != nil {
			return x
		}
		return v
	})
	rewrite.OnePred(f)
	f.RemoveUnreachable()
	return head
}

// entryBlock returns a block through which all paths enter the loop. The only successor of the
// block is the loop's head.
func (o *overlapper) entryBlock(entries []*ir.Block) *ir.Block {
	if len(entries) == 1 && entries[0].Term.Kind == ir.Jump {
		return entries[0]
	}
	return rewrite.NestJoin(o.head, entries)
}

// stagesAhead adds code that computes the values of all stages for the four iterations. The code is
// in block b and in new blocks. If one of the four iterations would not run to its end, the code
// branches to block "rest". Otherwise, the code branches to the block that stagesAhead returns.
func (o *overlapper) stagesAhead(b, rest *ir.Block) *ir.Block {
	m := o.f.Module
	for s := 0; s <= maxOverlapStages; s++ {
		o.at = append(o.at, b)
		for _, v := range o.loads {
			if o.stageOf[v] == s {
				for k := range overlapCount {
					o.valueIn(v, k)
				}
			}
		}
		all := m.Bool(true)
		and := func(x *ir.Value) {
			if facts.IsOne(all) {
				all = x
			} else {
				all = b.Append(ir.OpLAnd, ir.TypeBool, all, x)
			}
		}
		for k := range overlapCount {
			for _, x := range o.leaves {
				if s == 0 && k == 0 && x.late != nil {
					n := o.valueIn(x.late, 0)
					and(b.Append(ir.OpULt, ir.TypeBool, m.Int(n.Type, 0), n))
				}
				if c := x.block.Term.Cond; o.stageOf[c] == s {
					ok := o.valueIn(c, k)
					if !x.stays {
						ok = b.Append(ir.OpLNot, ir.TypeBool, ok)
					}
					and(ok)
				}
			}
		}
		if !facts.IsOne(all) {
			on := o.f.NewBlock()
			b.SetTerm(ir.Term{Kind: ir.Branch, Cond: all, Succs: []*ir.Block{on, rest}, Pos: o.head.Term.Pos})
			b = on
		}
	}
	return b
}

// nextValue returns the value of a phi of the head in the next iteration.
func (o *overlapper) nextValue(phi *ir.Value) *ir.Value {
	return phi.Args[slices.Index(o.head.Preds, o.latch)]
}

// valueIn returns the value of v in iteration k of the four iterations.
func (o *overlapper) valueIn(v *ir.Value, k int) *ir.Value {
	if v.Block == nil || !o.in[v.Block] {
		return v
	}
	if x := o.had[k][v]; x != nil {
		return x
	}
	if v.Op == ir.OpPhi {
		x := o.valueIn(o.nextValue(v), k-1)
		o.had[k][v] = x
		return x
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = o.valueIn(a, k)
	}
	x := o.at[o.stageOf[v]].Append(v.Op, v.Type, args...)
	x.Bits, x.Aux, x.Pos = v.Bits, v.Aux, v.Pos
	o.had[k][v] = x
	return x
}

// endRound copies the terminators of the loop's blocks to their copies in c, without the loop's
// exits. The back edge of the copy leads to the block `next`.
func (o *overlapper) endRound(c *rewrite.Cloner, blocks []*ir.Block, next *ir.Block) {
	lead := func(s *ir.Block) *ir.Block {
		if s == o.head {
			return next
		}
		return c.Block(s)
	}
	for _, b := range blocks {
		t := b.Term
		for _, x := range o.leaves {
			if x.block == b {
				stay := t.Succs[1]
				if x.stays {
					stay = t.Succs[0]
				}
				t = ir.Term{Kind: ir.Jump, Succs: []*ir.Block{stay}, Pos: t.Pos}
			}
		}
		if t.Cond != nil {
			t.Cond = c.Value(t.Cond)
		}
		t.Succs = slices.Clone(t.Succs)
		for i, s := range t.Succs {
			t.Succs[i] = lead(s)
		}
		c.Block(b).SetTerm(t)
	}
}
