package lanes

// This file removes tests of the dead flag if the flag's value is known (jump threading).

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// The type alive records whether a work-item at some point in the code is known to be live or dead.
type alive uint8

const (
	unvisited alive = iota
	isLive
	isDead
	either
)

func (a alive) join(b alive) alive {
	switch {
	case a == unvisited || a == b:
		return b
	case b == unvisited:
		return a
	}
	return either
}

// The method thread redirects edges past tests of the dead flag whose result is known. So a live
// lane goes directly from one part of the live lanes' code to the next. A dead lane skips several
// such parts at once.
func (d *deadLanes) thread() {
	for changed := true; changed; {
		changed = d.skipEmpty()
		known := d.known()
		dom := d.f.Dominators()
		for _, g := range d.f.Blocks {
			if !d.tests(g) || slices.ContainsFunc(g.Insts[:len(g.Insts)-1], d.matters) {
				continue
			}
			// A loop must keep its single entry.
			if slices.ContainsFunc(g.Preds, func(p *ir.Block) bool { return dom.Dominates(g, p) }) {
				continue
			}
			for _, p := range append([]*ir.Block{}, g.Preds...) {
				to := 0
				switch d.along(p, g, known[p]) {
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
		if slices.ContainsFunc(b.Insts, d.matters) || b.Term.Kind != ir.Jump || b.Term.Succs[0] == b {
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

// The method tests reports whether b ends with a test of the dead flag that is b's last
// instruction.
func (d *deadLanes) tests(b *ir.Block) bool {
	n := len(b.Insts)
	return b.Term.Kind == ir.Branch && n > 0 && b.Term.Cond == b.Insts[n-1] && d.loads(b.Term.Cond)
}

// The method matters reports whether v is anything but a store of an undefined value.
func (d *deadLanes) matters(v *ir.Value) bool {
	return v.Op != ir.OpStore || !d.undef.Is(v.Args[0])
}

func (d *deadLanes) loads(v *ir.Value) bool {
	return v.Op == ir.OpLoad && v.Ref().Var == d.dead.Var
}

// The method known returns the state of the dead flag at the start of each block.
func (d *deadLanes) known() map[*ir.Block]alive {
	known := map[*ir.Block]alive{d.f.Blocks[0]: either}
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
					at = at.join(d.along(p, b, known[p]))
				}
			}
			if at != known[b] {
				known[b], changed = at, true
			}
		}
	}
	return known
}

// The method along returns the state of the dead flag on the edge from p to b, given its state at the start of p.
func (d *deadLanes) along(p, b *ir.Block, at alive) alive {
	for _, v := range p.Insts {
		if v.Op == ir.OpStore && v.Ref().Var == d.dead.Var {
			at = isLive
			if v.Args[0].Bits != 0 {
				at = isDead
			}
		}
	}
	if d.tests(p) && p.Term.Succs[0] != p.Term.Succs[1] {
		if b == p.Term.Succs[0] {
			return isDead
		}
		return isLive
	}
	return at
}
