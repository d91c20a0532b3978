package uniform

// This file decides for each loop in uniform flow what becomes of dead lanes in it: whether it
// ends, must ask whether a live lane is left, or is divergent.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// settle decides about each loop in uniform flow whether its dead lanes might go round for ever
// once all work-items have left their group. A loop is of one of three kinds:
//
//   - Nothing is to be done if dead lanes are sure to leave it, if no work-item has left its group
//     before one of its rounds, or if dead lanes bypass it.
//   - It polls: work-items ask in each round whether a live lane is left. That is a loop that
//     has Sync ops and that work-items leave by faults and return statements alone, or one
//     that has an exit which ways finds.
//   - Otherwise it is divergent, if work-items leave their group from it: the branch on which they
//     do counts as an end.
//
// settle stops at the first loop that it decides to be of the second or third kind, since other
// loops depend on that. It reports whether it found none.
func (u *Info) settle() bool {
	for _, l := range u.loops {
		if !u.Block(l.Head) || u.AsksAt(l.Head) {
			continue
		}
		if given, ok := u.sureToEnd(l); ok && given == nil {
			continue
		}
		switch x, ends := u.leftFrom(l), len(u.ways(l)) > 0; {
		case !x.before:
			continue
		case x.mayAsk() || ends && (x.sync || !u.bypassed(l)):
			u.asking = append(u.asking, u.Index[l.Head])
		case ends || x.leave < 0 || u.exits[x.leave]:
			continue
		default:
			u.exits[x.leave] = true
		}
		return false
	}
	return true
}

// Together reports whether all work-items that come to b do so together, and go on from
// there in one way.
func (u *Info) Together(b *ir.Block) bool {
	return u.Block(b) && (b.Term.Cond == nil || u.Value(b.Term.Cond))
}

// AsksAt reports whether work-items ask in each round whether any is left, at the head b
// of a loop.
func (u *Info) AsksAt(b *ir.Block) bool { return slices.Contains(u.asking, u.Index[b]) }

// Provisos returns the heads of loops that work-items ask in only if a proviso does not
// hold.
func (u *Info) Provisos() map[*ir.Block]*Proviso {
	all := map[*ir.Block]*Proviso{}
	for _, l := range u.loops {
		if !u.AsksAt(l.Head) {
			continue
		}
		if p, ok := u.sureToEnd(l); ok && p != nil && (p.Step.Block == nil || u.Block(p.Step.Block)) {
			all[l.Head] = p
		}
	}
	return all
}

// leftLoop says how work-items leave the kernel from a loop.
type leftLoop struct {
	leave  int  // the block of a branch on which they do, preferably to no fault, or -1
	stated bool // they do so by faults and return statements alone
	sync   bool // the loop has Sync ops
	before bool // some have left before one of its rounds
}

// mayAsk reports whether work-items may ask in each round whether any is left, though
// nothing else ends the loop.
func (x leftLoop) mayAsk() bool { return x.before && x.sync && x.stated }

// leftFrom returns how work-items leave from the loop.
func (u *Info) leftFrom(l *ir.Loop) leftLoop {
	x := leftLoop{leave: -1, stated: true}
	leads := leadTo(l.Head)
	for i, b := range u.Order {
		in := l.Contains(b)
		x.sync = x.sync || in && u.sync[i]
		e, ok := u.Way(b)
		if !ok || !u.parts(e) {
			continue
		}
		x.before = x.before || leads[b]
		if !in {
			continue
		}
		x.stated = x.stated && u.stated(e, nil)
		if x.leave < 0 || Faults(u.leftTo(x.leave)) && !Faults(e.To) {
			x.leave = i
		}
	}
	return x
}

// leadTo returns the blocks from which b is reached.
func leadTo(b *ir.Block) map[*ir.Block]bool {
	seen := map[*ir.Block]bool{b: true}
	for work := []*ir.Block{b}; len(work) > 0; {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range x.Preds {
			if !seen[p] {
				seen[p] = true
				work = append(work, p)
			}
		}
	}
	return seen
}

// askWhereStuck has the work-items ask in a loop from which those that stay never reach
// an end, if they may, and reports whether it found such a loop.
func (u *Info) askWhereStuck(ends []bool) bool {
	for _, l := range slices.Backward(u.loops) {
		if ends[u.Index[l.Head]] || u.AsksAt(l.Head) {
			continue
		}
		if u.leftFrom(l).mayAsk() {
			u.asking = append(u.asking, u.Index[l.Head])
			return true
		}
	}
	return false
}

func (u *Info) leftTo(i int) *ir.Block {
	e, _ := u.Way(u.Order[i])
	return e.To
}

// Faults reports whether b is where a check fails. A panic is as good an end as others.
func Faults(b *ir.Block) bool {
	return slices.ContainsFunc(b.Insts, func(v *ir.Value) bool {
		return v.Op == ir.OpFault && v.Aux.(*ir.Site).Kind != abi.FaultPanic
	})
}

// BypassLoops takes loops without Sync ops out of the skeleton, so that dead lanes
// go past them and live ones need not ask in each round whether any is left: it counts
// their blocks as divergent. A loop that computes values which the skeleton
// needs, or stores them, stays in.
func (u *Info) BypassLoops() {
	for _, l := range u.loops {
		if !u.Block(l.Head) || !u.bypassed(l) {
			continue
		}
		for i, b := range u.Order {
			if l.Contains(b) {
				u.control[i] = l.Head
			}
		}
	}
}

// bypassed reports whether BypassLoops takes out the loop, if it is in uniform flow.
func (u *Info) bypassed(l *ir.Loop) bool {
	if !u.leavesTogether(l) || u.fillsFor(l) {
		return false
	}
	for i, b := range u.Order {
		if l.Contains(b) && (u.sync[i] || !u.Before[i]) || !l.Contains(b) && u.needs(b, l) {
			return false
		}
	}
	return true
}

// needs reports whether block b, outside the loop, has a uniform value that
// depends on the loop.
func (u *Info) needs(b *ir.Block, l *ir.Loop) bool {
	used := func(a *ir.Value) bool { return a != nil && a.Block != nil && l.Contains(a.Block) && u.Value(a) }
	after := slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return l.Contains(p) })
	for _, v := range b.Phis {
		if after && u.Value(v) || slices.ContainsFunc(v.Args, used) {
			return true
		}
	}
	for _, v := range b.Insts {
		if slices.ContainsFunc(v.Args, used) {
			return true
		}
	}
	return used(b.Term.Cond)
}

// leavesTogether reports whether all work-items that stay come out of the loop
// at one block in uniform flow, and all do come out.
func (u *Info) leavesTogether(l *ir.Loop) bool {
	var out *ir.Block
	for i, b := range u.Order {
		if !l.Contains(b) {
			continue
		}
		for _, s := range b.Term.Succs {
			if l.Contains(s) || u.parts(edge{b, s}) || !u.Before[i] {
				continue
			}
			if out != nil && out != s {
				return false
			}
			out = s
		}
	}
	if out == nil || !u.Block(out) {
		return false
	}
	n := len(u.Order)
	for i := u.Index[l.Head]; i < n; i = u.ipdom[i] {
		if u.Order[i] == out {
			return true
		}
	}
	return false
}
