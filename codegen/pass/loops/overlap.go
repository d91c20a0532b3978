package loops

// This file is the pass overlap: loops with loads run four rounds at a time, so that their loads
// overlap. It runs after ahead and unroll, which leave fewer checks and loops. It also runs after
// narrow, since it computes the starting values of rounds that may not happen.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// overlapped is the number of rounds that run at a time.
const overlapped = 4

// These constants limit the loops that get a copy which runs four rounds at a time.
const (
	maxOverlapValues = 48 // instructions of one round; longer rounds showed no gain
	maxOverlapLoops  = 8  // loops in a function
	maxOverlapStages = 3  // length of a chain of loads of which each waits for the one before
)

// Overlap inserts, before a loop, a copy that runs four of its rounds at a time. The loop for i < n
// { sum += x[c[i]] }, with a check that c[i] is below len, becomes:
//
//	for i+3 < n {                        that is, for i < n && i+1 < n && i+2 < n && i+3 < n
//		c0, c1, c2, c3 := c[i], c[i+1], c[i+2], c[i+3]
//		if c0 >= len || c1 >= len || c2 >= len || c3 >= len {
//			break
//		}
//		x0, x1, x2, x3 := x[c0], x[c1], x[c2], x[c3]
//		sum += x0; sum += x1; sum += x2; sum += x3
//		i += 4
//	}
//	for i < n { sum += x[c[i]] }         the original loop, with its checks
//
// A load takes hundreds of cycles. If the check before a load depends on another load, the load
// cannot start before the other has ended. So each round takes the time of all its loads. Four
// rounds together wait only once for each load that another load's address or check needs.
//
// The loop's conditions and checks decide whether a round runs to its end. They are evaluated for
// all four rounds before any of these has an effect. If one of the four rounds would not run to its
// end, the original loop runs the rounds one by one. So it leaves and faults where it did, with the
// same stores before. The four rounds compute in the same order as the original loop.
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

// overlapOne transforms the first loop of f for which that is worthwhile, and reports whether there
// was one.
func overlapOne(f *ir.Func, tried, together map[*ir.Block]bool) bool {
	f.RemoveUnreachable()
	roots := (*facts.Roots)(nil)
	for _, l := range innermost(f) {
		if tried[l.head] || l.head.Cold {
			continue
		}
		tried[l.head] = true
		if l.values() > maxOverlapValues || !l.enteredOnce() || l.trips(f.Module) > 0 || !l.Movable(0) ||
			slices.ContainsFunc(l.blocks, func(b *ir.Block) bool { return together[b] }) {
			continue
		}
		if roots == nil {
			roots = facts.FindRoots(f.Module)
		}
		if o := newOverlapper(f, l, roots); o.find() {
			tried[o.build()] = true
			return true
		}
	}
	return false
}

// enteredOnce reports whether each predecessor of the loop's head has one edge to it.
func (l *Loop) enteredOnce() bool {
	return !slices.ContainsFunc(l.head.Preds, func(p *ir.Block) bool { return rewrite.CountPreds(l.head, p) > 1 })
}

// overlapper makes one loop run several rounds at a time.
type overlapper struct {
	*Loop
	f     *ir.Func
	roots *facts.Roots

	// stages tells when a value can be computed for all rounds: stage 0 is before any load, and
	// stage 1 is after the loads whose addresses have stage 0, and so on. A value without a stage
	// is known only in its own round.
	stages map[*ir.Value]int
	leaves []wayOut
	loads  []*ir.Value // loads that are made for all rounds at once, in the order of the code

	at  []*ir.Block // block in which the values of each stage are computed
	had [overlapped]map[*ir.Value]*ir.Value
}

// wayOut is a branch that leaves the loop, to a fault or to other code.
type wayOut struct {
	block *ir.Block
	stays bool      // whether the loop continues if the condition is true
	late  *ir.Value // the bound in the condition, if the condition's stage is above 0
}

func newOverlapper(f *ir.Func, l *Loop, roots *facts.Roots) *overlapper {
	o := &overlapper{Loop: l, f: f, roots: roots}
	for k := range o.had {
		o.had[k] = map[*ir.Value]*ir.Value{}
	}
	return o
}

// find finds the values that can be computed for all rounds at once, and reports whether that is
// worthwhile.
func (o *overlapper) find() bool {
	if !o.findLeaves() {
		return false
	}
	o.stage()
	ends := false // whether the loop has an exit other than faults
	for i, x := range o.leaves {
		s, ok := o.stages[x.block.Term.Cond]
		switch {
		case !ok:
			return false
		case s > 0:
			if o.leaves[i].late = o.late(x); o.leaves[i].late == nil {
				return false
			}
		default:
			ends = ends || !slices.ContainsFunc(x.block.Term.Succs, rewrite.IsFault)
		}
	}
	return ends && len(o.loads) > 0
}

// findLeaves finds the branches that leave the loop, and reports whether each round reaches all of
// them.
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

// stage computes stages and loads. In later rounds, a phi of the head has the stage of its argument
// from the round before. So stage begins with the phis at stage 0, and repeats until nothing
// changes. A value that depends on its own load in the round before gets a later stage each time,
// until it is removed from the map.
func (o *overlapper) stage() {
	const never = maxOverlapStages + 1
	o.stages = map[*ir.Value]int{}
	of := func(v *ir.Value) int {
		if s, ok := o.stages[v]; ok || v.Block == nil || !o.in[v.Block] {
			return s
		}
		return never
	}
	for _, phi := range o.head.Phis {
		o.stages[phi] = 0
	}
	for changed := true; changed; {
		changed = false
		set := func(v *ir.Value, s int) {
			if old, ok := o.stages[v]; !ok || old < s {
				o.stages[v], changed = s, true
			}
		}
		behind := 0 // latest stage of the loop's exit conditions so far
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
			set(phi, of(o.next(phi)))
		}
	}
	for _, b := range o.blocks {
		for _, v := range b.Insts {
			if o.stages[v] < never && v.Op == ir.OpLoad {
				o.loads = append(o.loads, v)
			}
		}
	}
	for v, s := range o.stages {
		if s == never {
			delete(o.stages, v)
		}
	}
}

// loadsEarly reports whether v, in block b, is a load of device memory that each round makes and no
// instruction of the loop can affect. Such a load may be made before the preceding rounds.
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

// late handles a branch x whose condition is known only after loads. It returns n if the condition
// is x < n, unsigned, where the round has loaded x and n is the same in all rounds. Otherwise it
// returns nil. Only such a condition allows loads of later rounds to be made before it is known.
//
// The reason: the proof that a later round's index is in range may use conditions of earlier
// rounds. From x < n it can only use that n is not 0, and facts about x, on which no index known
// earlier depends. The code tests n ahead of the loop. From other conditions, such as i < c[i],
// more facts may follow.
func (o *overlapper) late(x wayOut) *ir.Value {
	c := x.block.Term.Cond
	if c.Op != ir.OpULt || !x.stays || !o.same(c.Args[1]) {
		return nil
	}
	if l := loaded(c.Args[0]); l == nil || !slices.Contains(o.loads, l) {
		return nil
	}
	return c.Args[1]
}

// loaded returns the load from which v was converted, v if it is a load, or nil.
func loaded(v *ir.Value) *ir.Value {
	for v.Op == ir.OpUConvert || v.Op == ir.OpSConvert {
		v = v.Args[0]
	}
	if v.Op != ir.OpLoad {
		return nil
	}
	return v
}

// same reports whether v is known to be the same in all rounds.
func (o *overlapper) same(v *ir.Value) bool {
	return v.Block == nil || !o.in[v.Block] || v.Op == ir.OpArg
}

// build makes the loop that runs several rounds at a time, and returns its head.
func (o *overlapper) build() *ir.Block {
	f := o.f
	var entries []*ir.Block
	for _, p := range o.head.Preds {
		if p != o.latch && !slices.Contains(entries, p) {
			entries = append(entries, p)
		}
	}
	pre := o.enter(entries)
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
	var copies [overlapped]*rewrite.Cloner
	for k := range copies {
		copies[k] = rewrite.NewCloner(f)
		copies[k].Copy(blocks)
	}
	last.Jump(copies[0].Block(o.head))
	for k, c := range copies {
		next := head
		if k+1 < overlapped {
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
				x = copies[k-1].Value(o.next(phi))
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
		x.Args = append(x.Args, copies[overlapped-1].Value(o.next(phi)))
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

// enter returns a block through which all entries into the loop pass and which has no other
// successor.
func (o *overlapper) enter(entries []*ir.Block) *ir.Block {
	if len(entries) == 1 && entries[0].Term.Kind == ir.Jump {
		return entries[0]
	}
	return rewrite.NestJoin(o.head, entries)
}

// stagesAhead computes, from block b on, the values known before the four rounds run. The code
// branches to block rest if one of the rounds does not run to its end. stagesAhead returns the
// block that is reached otherwise.
func (o *overlapper) stagesAhead(b, rest *ir.Block) *ir.Block {
	m := o.f.Module
	for s := 0; s <= maxOverlapStages; s++ {
		o.at = append(o.at, b)
		for _, v := range o.loads {
			if o.stages[v] == s {
				for k := range overlapped {
					o.get(v, k)
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
		for k := range overlapped {
			for _, x := range o.leaves {
				if s == 0 && k == 0 && x.late != nil {
					n := o.get(x.late, 0)
					and(b.Append(ir.OpULt, ir.TypeBool, m.Int(n.Type, 0), n))
				}
				if c := x.block.Term.Cond; o.stages[c] == s {
					ok := o.get(c, k)
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

// next returns the value of a phi of the head in the next round.
func (o *overlapper) next(phi *ir.Value) *ir.Value {
	return phi.Args[slices.Index(o.head.Preds, o.latch)]
}

// get returns the value of v in round k.
func (o *overlapper) get(v *ir.Value, k int) *ir.Value {
	if v.Block == nil || !o.in[v.Block] {
		return v
	}
	if x := o.had[k][v]; x != nil {
		return x
	}
	if v.Op == ir.OpPhi {
		x := o.get(o.next(v), k-1)
		o.had[k][v] = x
		return x
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = o.get(a, k)
	}
	x := o.at[o.stages[v]].Append(v.Op, v.Type, args...)
	x.Bits, x.Aux, x.Pos = v.Bits, v.Aux, v.Pos
	o.had[k][v] = x
	return x
}

// endRound ends the copies of the loop's blocks like the originals, but without the loop's exits.
// The back edge leads to the block next.
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
