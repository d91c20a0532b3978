package loops

// This file is the pass overlap: loops that load run four rounds at a time, so that their loads
// are under way at once. It runs behind ahead and unroll, which leave fewer checks and loops to
// it, and behind narrow, since it computes the starting values of rounds that may not happen.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// overlapped is how many rounds run at a time.
const overlapped = 4

// Limits of the loops that get a copy which runs four rounds at a time.
const (
	maxOverlapValues = 48 // instructions of one round; longer ones showed no gain
	maxOverlapLoops  = 8  // in a function
	maxOverlapStages = 3  // loads of which each waits for the one before
)

// Overlap puts ahead of a loop one that runs four of its rounds at a time. Of the loop
// for i < n { sum += x[c[i]] } it makes, with a check whether c[i] is below len:
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
//	for i < n { sum += x[c[i]] }         as it was, with its checks
//
// A load waits for hundreds of cycles, and one that stands behind a check of what another has
// loaded cannot start before that one has ended, so that each round takes the time of all its
// loads. Four rounds together wait once for each load that another one's address or check needs.
//
// The loop's conditions and checks decide whether a round runs to its end. They are evaluated for
// all four rounds before any of these has an effect. If one of the four rounds does not run to its
// end, the original loop runs them one after the other, and so leaves and faults where it did, with
// the same stores before. The four rounds compute in the order in which the original loop does.
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

// overlapOne changes the first loop of f for which it is worth it, and reports whether there
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

// enteredOnce reports whether each block that leads into the loop does so by one edge.
func (l *Loop) enteredOnce() bool {
	return !slices.ContainsFunc(l.head.Preds, func(p *ir.Block) bool { return rewrite.CountPreds(l.head, p) > 1 })
}

// overlapper has one loop run several rounds at a time.
type overlapper struct {
	*Loop
	f     *ir.Func
	roots *facts.Roots

	// stages says when a value can be had for all rounds: at 0 before anything is loaded, at 1
	// behind the loads whose addresses are of stage 0, and so on. A value that it lacks is known
	// in its own round only.
	stages map[*ir.Value]int
	leaves []wayOut
	loads  []*ir.Value // those that are made for all rounds at once, in the order of the code

	at  []*ir.Block // where values of a stage are computed
	had [overlapped]map[*ir.Value]*ir.Value
}

// wayOut is a branch by which the loop is left, to a fault or not.
type wayOut struct {
	block *ir.Block
	stays bool      // whether the loop goes on where the condition holds
	late  *ir.Value // what it bounds, if the condition is of a later stage than 0
}

func newOverlapper(f *ir.Func, l *Loop, roots *facts.Roots) *overlapper {
	o := &overlapper{Loop: l, f: f, roots: roots}
	for k := range o.had {
		o.had[k] = map[*ir.Value]*ir.Value{}
	}
	return o
}

// find finds what can be done for all rounds at once, and reports whether it is worth it.
func (o *overlapper) find() bool {
	if !o.findLeaves() {
		return false
	}
	o.stage()
	ends := false // the loop is not left by faults alone
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

// findLeaves finds the branches by which the loop is left, and reports whether each round comes
// to all of them.
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

// stage fills in stages and loads. In later rounds a phi of the head is available as late as its
// argument from the round before; so stage begins with the phis at stage 0, and repeats until
// nothing changes. A value that depends on its own load of the round before gets a later stage each
// time, until it is none of the map's.
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
		behind := 0 // the latest stage of the conditions by which the loop is left up to here
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

// loadsEarly reports whether v, in block b, is a load of device memory that each round makes,
// and that sees what it did if it is made before the rounds ahead of its own.
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

// late returns what the condition of a branch bounds, if the condition is known behind loads
// only and is one that allows loads of later rounds to be made before it is known: x < n,
// unsigned, where x is what the round has loaded and n the same in all rounds; otherwise nil.
//
// That a later round's index is in range may have been proved by what is known of the rounds
// before it. By x < n nothing is known but of x, which no index that is known earlier depends on,
// and that n is not 0. The latter is tested ahead. Of other conditions, such as i < c[i], more
// may follow.
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

// loaded returns the load that v is, but for its size, or nil.
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

// build makes the loop of several rounds at a time, and returns its head.
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

// enter returns a block that all ways into the loop pass and that leads nowhere else.
func (o *overlapper) enter(entries []*ir.Block) *ir.Block {
	if len(entries) == 1 && entries[0].Term.Kind == ir.Jump {
		return entries[0]
	}
	return rewrite.NestJoin(o.head, entries)
}

// stagesAhead computes what is known of all rounds before they run, from block b on, and leads
// to block rest where one of them does not run to its end. It returns the block where all do.
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

// next returns what a phi of the head is in the round behind.
func (o *overlapper) next(phi *ir.Value) *ir.Value {
	return phi.Args[slices.Index(o.head.Preds, o.latch)]
}

// get returns what v is in round k.
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

// endRound ends the copies of the loop's blocks as these end, but that the loop is not left,
// and leads on to the block next.
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
