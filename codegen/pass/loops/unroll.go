package loops

// This file contains the pass unroll, for small loops whose checks the pass ahead could not hoist.
// The pass runs between ahead and gather.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// These constants limit the number of iterations of an unrolled loop, and the number of
// instructions and checks after unrolling. The number of checks is limited because drivers for CPUs
// execute the code after each check even if no work-item needs it.
const (
	maxUnrolled       = 16
	maxUnrolledValues = 512
	maxUnrolledChecks = 16
)

// Unroll unrolls small loops with a constant number of iterations if they still contain checks.
// Unroll starts with the innermost loops. The pass gather can then combine the checks of all
// iterations. Loops without checks are not unrolled, because drivers can unroll them.
func Unroll(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		for tried := map[*ir.Block]bool{}; UnrollOne(f, tried, (*Loop).worthChecking); {
			if diags := simplify.Clean(m); len(diags) > 0 {
				return diags
			}
		}
	}
	return nil
}

// unrollLimits contains the largest number of iterations of an unrolled loop, and the largest
// number of its instructions after unrolling.
type unrollLimits struct{ rounds, values int }

// UnrollOne unrolls the first small loop of f for which isWorth returns true. UnrollOne reports
// whether it unrolled a loop.
func UnrollOne(f *ir.Func, tried map[*ir.Block]bool, isWorth func(l *Loop, trips int) bool) bool {
	f.RemoveUnreachable()
	return unrollFirst(f, innermostLoops(f), tried, unrollLimits{rounds: maxUnrolled, values: maxUnrolledValues}, isWorth)
}

// unrollFirst is like UnrollOne, but considers only the given loops and uses the given limits.
func unrollFirst(f *ir.Func, loops []*Loop, tried map[*ir.Block]bool, within unrollLimits, worth func(l *Loop, trips int) bool) bool {
	for _, l := range loops {
		if tried[l.head] || l.head.Cold {
			continue
		}
		tried[l.head] = true
		n := l.tripsWithin(within.rounds, f.Module)
		if n == 0 || n*l.countInsts() > within.values || !worth(l, n) {
			continue
		}
		l.unrollLoop(f, n)
		return true
	}
	return false
}

// Loop is a natural loop with exactly one back edge.
type Loop struct {
	head, latch *ir.Block
	blocks      []*ir.Block // blocks of the loop, ordered so that definitions precede uses
	in          map[*ir.Block]bool
	dom         *ir.DomTree // dominators of the function at the time when the loop was found
}

// innermostLoops returns the loops of f that have exactly one back edge and contain no
// other loop.
func innermostLoops(f *ir.Func) []*Loop {
	return innermostOf(f, func(*ir.Loop) bool { return true })
}

// innermostOf returns the wanted loops of f that have exactly one back edge. A loop is wanted if
// isWanted returns true. innermostOf omits loops that contain another wanted loop.
func innermostOf(f *ir.Func, isWanted func(*ir.Loop) bool) []*Loop {
	dom := f.Dominators()
	loops := dom.Loops()
	outer := map[*ir.Loop]bool{}
	for _, l := range loops.All {
		for o := l.Outer; o != nil && isWanted(l); o = o.Outer {
			outer[o] = true
		}
	}
	var found []*Loop
	for _, x := range loops.All {
		if outer[x] || !isWanted(x) || len(x.Latches) != 1 || rewrite.CountPreds(x.Head, x.Latches[0]) != 1 {
			continue
		}
		found = append(found, newLoop(x, dom))
	}
	return found
}

// newLoop returns the loop x as a Loop. The Loop also includes each block that records only faults
// of x. Each copy of the Loop therefore has its own blocks that record faults.
func newLoop(x *ir.Loop, dom *ir.DomTree) *Loop {
	l := &Loop{head: x.Head, latch: x.Latches[0], blocks: slices.Clone(x.Blocks), in: map[*ir.Block]bool{}, dom: dom}
	out := func(p *ir.Block) bool { return !x.Contains(p) }
	seen := map[*ir.Block]bool{}
	var faults []*ir.Block
	for _, b := range x.Blocks {
		for _, s := range b.Term.Succs {
			if !seen[s] && out(s) && rewrite.IsFault(s) && !slices.ContainsFunc(s.Preds, out) {
				faults = append(faults, s)
			}
			seen[s] = true
		}
	}
	slices.SortFunc(faults, func(a, b *ir.Block) int { return dom.Index(a) - dom.Index(b) })
	l.blocks = append(l.blocks, faults...)
	for _, b := range l.blocks {
		l.in[b] = true
	}
	return l
}

// countInsts returns the number of the loop's instructions.
func (l *Loop) countInsts() int {
	n := 0
	for _, b := range l.blocks {
		n += len(b.Insts) + 1
	}
	return n
}

// Movable reports whether the loop contains no Sync op, because Sync ops must not be moved or
// copied.
func (l *Loop) Movable(int) bool {
	for _, b := range l.blocks {
		if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
			return false
		}
	}
	return true
}

// maxUnrolledLeaving is the largest number of instructions of an unrolled loop with several exits,
// on the host. The limit is low because a loop with several exits is often a search that ends after
// a few iterations.
const maxUnrolledLeaving = 64

// WorthOnHost reports whether the loop should be unrolled in host forms, since Go's compiler does
// not unroll loops.
func (l *Loop) WorthOnHost(trips int) bool {
	leaves := 0
	for _, b := range l.blocks {
		if slices.ContainsFunc(b.Term.Succs, func(s *ir.Block) bool { return !l.in[s] && !rewrite.IsFault(s) }) {
			leaves++
		}
	}
	return l.Movable(trips) && (leaves <= 1 || trips*l.countInsts() <= maxUnrolledLeaving)
}

// worthChecking reports whether the loop contains checks that gather can combine. The result is
// false if unrolling would add more than maxUnrolledChecks checks.
func (l *Loop) worthChecking(trips int) bool {
	n := 0
	for _, b := range l.blocks {
		if slices.ContainsFunc(b.Term.Succs, rewrite.IsFault) {
			n++
		}
	}
	return n > 0 && n*(trips-1) <= maxUnrolledChecks && l.Movable(trips)
}

// tripCount returns the number of iterations of the loop if it is known to be small, or else 0.
// tripCount creates constants in the module consts. A caller that needs only the number of
// iterations passes a module other than the loop's own module.
func (l *Loop) tripCount(consts *ir.Module) int { return l.tripsWithin(maxUnrolled, consts) }

// tripsWithin is like tripCount, but returns 0 for loops of more than maxTrips iterations.
func (l *Loop) tripsWithin(maxTrips int, consts *ir.Module) int {
	for _, b := range l.blocks {
		if b.Term.Kind == ir.Branch && l.dom.Dominates(b, l.latch) {
			out := slices.IndexFunc(b.Term.Succs, func(s *ir.Block) bool { return !l.in[s] && !rewrite.IsFault(s) })
			if out >= 0 {
				if n := l.simulateHead(b.Term.Cond, out, maxTrips, consts); n > 0 {
					return n
				}
			}
		}
	}
	return 0
}

// simulateHead returns the number of times that the loop's head is executed until the condition
// cond chooses the successor with the index `out`. simulateHead returns 0 if cond is not known, or
// if the loop has more than maxTrips iterations.
func (l *Loop) simulateHead(cond *ir.Value, out, maxTrips int, consts *ir.Module) int {
	back := slices.Index(l.head.Preds, l.latch)
	env := map[*ir.Value]*ir.Value{}
	for _, phi := range l.head.Phis {
		var init *ir.Value
		for i, a := range phi.Args {
			if i != back && init != nil && a != init {
				init = nil
				break
			} else if i != back {
				init = a
			}
		}
		if init != nil && init.IsConst() {
			env[phi] = init
		}
	}
	for n := 1; n <= maxTrips+1; n++ {
		seen := map[*ir.Value]*ir.Value{}
		c := l.foldValue(consts, cond, env, seen)
		if c == nil {
			return 0
		}
		if (c.Bits == 0) == (out == 1) {
			return n
		}
		next := map[*ir.Value]*ir.Value{}
		for _, phi := range l.head.Phis {
			if x := l.foldValue(consts, phi.Args[back], env, seen); x != nil {
				next[phi] = x
			}
		}
		env = next
	}
	return 0
}

// foldValue returns the constant that equals v in the current iteration, or nil if v is not known.
// foldValue creates the constant in the module consts. The map env contains the values of the known
// phis.
func (l *Loop) foldValue(consts *ir.Module, v *ir.Value, env, seen map[*ir.Value]*ir.Value) *ir.Value {
	if v.IsConst() {
		return v
	}
	if x := env[v]; x != nil {
		return x
	}
	if x, ok := seen[v]; ok {
		return x
	}
	seen[v] = nil
	if v.Op == ir.OpPhi || !v.Op.Has(ir.FlagPure) || v.Block == nil || !l.in[v.Block] || len(v.Args) == 0 {
		return nil
	}
	w := *v
	w.Args = make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		if w.Args[i] = l.foldValue(consts, a, env, seen); w.Args[i] == nil {
			return nil
		}
	}
	if x := facts.FoldConst(consts, &w); x != nil && x.IsConst() {
		seen[v] = x
	}
	return seen[v]
}

// unrollLoop inserts n copies of the loop before it. Simplification then folds the exit conditions
// of the copies and removes the original loop.
func (l *Loop) unrollLoop(f *ir.Func, n int) {
	u := &rewrite.Undefs{}
	cells := append(l.demoteUses(f, u), rewrite.DemotePhis(f, u)...)
	entries := slices.DeleteFunc(slices.Clone(l.head.Preds), func(p *ir.Block) bool { return p == l.latch })
	copies := make([]*rewrite.Cloner, n)
	for i := range copies {
		copies[i] = rewrite.NewCloner(f)
		copies[i].Copy(l.blocks)
	}
	for i, c := range copies {
		next := l.head
		if i+1 < n {
			next = copies[i+1].Block(l.head)
		}
		c.End(l.blocks, func(s *ir.Block) *ir.Block {
			if s == l.head {
				return next
			}
			return c.Block(s)
		})
	}
	for _, p := range entries {
		p.Retarget(l.head, copies[0].Block(l.head))
	}
	f.RemoveUnreachable()
	u.Promote(f, cells)
}

// demoteUses stores values of the loop in new variables if they are used after the loop, because
// each value will have several copies. demoteUses returns the variables.
func (l *Loop) demoteUses(f *ir.Func, u *rewrite.Undefs) []*ir.Var {
	e := rewrite.NewEdits(f)
	refs := map[*ir.Value]*ir.Ref{}
	var vars []*ir.Var
	load := func(a *ir.Value, b *ir.Block) *ir.Value {
		if a.Block == nil || !l.in[a.Block] || l.in[b] {
			return nil
		}
		r := refs[a]
		if r == nil {
			r = &ir.Ref{Var: f.Module.NewVar(f, ir.Function, "out", a.Type)}
			refs[a], vars = r, append(vars, r.Var)
			s := f.NewValue(ir.OpStore, ir.TypeVoid, a)
			s.Aux, s.Block = r, a.Block
			if a.Op == ir.OpPhi {
				e.Start[a.Block] = append(e.Start[a.Block], s)
			} else {
				e.After[a] = append(e.After[a], s)
			}
		}
		x := f.NewValue(ir.OpLoad, a.Type)
		x.Aux, x.Block = r, b
		return x
	}
	for _, b := range f.Blocks {
		for _, phi := range b.Phis {
			for i, a := range phi.Args {
				if p := b.Preds[i]; !l.in[p] {
					if x := load(a, p); x != nil {
						e.End[p] = append(e.End[p], x)
						phi.Args[i] = x
					}
				}
			}
		}
		for _, v := range b.Insts {
			for i, a := range v.Args {
				if x := load(a, b); x != nil {
					e.Before[v] = append(e.Before[v], x)
					v.Args[i] = x
				}
			}
		}
		if c := b.Term.Cond; c != nil {
			if x := load(c, b); x != nil {
				e.End[b] = append(e.End[b], x)
				b.Term.Cond = x
			}
		}
	}
	e.Apply()
	return vars
}
