package lanes

// This file removes tests of the dead flag if the flag's value is known (jump threading).

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// deadState records whether a work-item is known to be live, or known to be dead, at a point in the
// code.
type deadState uint8

const (
	unvisited deadState = iota
	isLive
	isDead
	either
)

func (a deadState) join(b deadState) deadState {
	switch {
	case a == unvisited || a == b:
		return b
	case b == unvisited:
		return a
	}
	return either
}

// threadJumps redirects edges past a test of the dead flag if the test's result is known. After
// threadJumps, a live lane goes directly from one part of the live lanes' code to the next. A dead
// lane skips several parts of the live lanes' code with one jump.
func (d *deadLanes) threadJumps() {
	for changed := true; changed; {
		changed = d.skipEmpty()
		known := d.deadAtStart()
		dom := d.f.Dominators()
		for _, g := range d.f.Blocks {
			if !d.testsDead(g) || slices.ContainsFunc(g.Insts[:len(g.Insts)-1], d.hasEffect) {
				continue
			}
			// A loop must keep its single entry, so edges into loop heads are not redirected.
			if slices.ContainsFunc(g.Preds, func(p *ir.Block) bool { return dom.Dominates(g, p) }) {
				continue
			}
			for _, p := range append([]*ir.Block{}, g.Preds...) {
				to := 0
				switch d.deadOnEdge(p, g, known[p]) {
				case isLive:
					to = 1
				case isDead:
				default:
					continue
				}
				if s := g.Term.Succs[to]; s != g && rewrite.CountPreds(g, p) == 1 {
					p.Retarget(g, s)
					changed = true
				}
			}
		}
		d.f.RemoveUnreachable()
	}
}

// skipEmpty redirects edges past blocks that only jump, because the state of the dead flag is lost
// where live and dead lanes join.
func (d *deadLanes) skipEmpty() bool {
	changed := false
	for _, b := range d.f.Blocks[1:] {
		if slices.ContainsFunc(b.Insts, d.hasEffect) || b.Term.Kind != ir.Jump || b.Term.Succs[0] == b {
			continue
		}
		to := b.Term.Succs[0]
		for _, p := range append([]*ir.Block{}, b.Preds...) {
			if rewrite.CountPreds(b, p) == 1 && rewrite.CountPreds(to, p) == 0 {
				p.Retarget(b, to)
				changed = true
			}
		}
	}
	return changed
}

// testsDead reports whether b's last instruction loads the dead flag and b's branch depends on the
// flag.
func (d *deadLanes) testsDead(b *ir.Block) bool {
	n := len(b.Insts)
	return b.Term.Kind == ir.Branch && n > 0 && b.Term.Cond == b.Insts[n-1] && d.loadsDead(b.Term.Cond)
}

// hasEffect reports whether v is anything but a store of an undefined value.
func (d *deadLanes) hasEffect(v *ir.Value) bool {
	return v.Op != ir.OpStore || !d.undef.Is(v.Args[0])
}

func (d *deadLanes) loadsDead(v *ir.Value) bool {
	return v.Op == ir.OpLoad && v.Ref().Var == d.dead.Var
}

// deadAtStart returns the state of the dead flag at the start of each block.
func (d *deadLanes) deadAtStart() map[*ir.Block]deadState {
	known := map[*ir.Block]deadState{d.f.Blocks[0]: either}
	order := d.f.ReversePostorder()
	for changed := true; changed; {
		changed = false
		for _, b := range order {
			at := unvisited
			if b == d.f.Blocks[0] {
				at = either
			}
			for _, p := range b.Preds {
				if known[p] != unvisited {
					at = at.join(d.deadOnEdge(p, b, known[p]))
				}
			}
			if at != known[b] {
				known[b], changed = at, true
			}
		}
	}
	return known
}

// deadOnEdge returns the state of the dead flag on the edge from p to b, given the flag's state at
// the start of p.
func (d *deadLanes) deadOnEdge(p, b *ir.Block, at deadState) deadState {
	for _, v := range p.Insts {
		if v.Op == ir.OpStore && v.Ref().Var == d.dead.Var {
			at = isLive
			if v.Args[0].Bits != 0 {
				at = isDead
			}
		}
	}
	if d.testsDead(p) && p.Term.Succs[0] != p.Term.Succs[1] {
		if b == p.Term.Succs[0] {
			return isDead
		}
		return isLive
	}
	return at
}
