package uniform

// This file decides for each loop in uniform flow how dead lanes (work-items that have left their
// group) leave the loop. A loop may end by itself, test in each iteration whether a live lane
// remains, or be treated as divergent.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// decideLoops decides for each loop in uniform flow whether dead lanes might stay in the loop
// forever after all work-items have left their group. decideLoops distinguishes three kinds of
// loops:
//
//   - A loop of the first kind needs no change, because dead lanes are known to leave or bypass it,
//     or because all work-items are still in their group at each iteration.
//   - A loop of the second kind tests in each iteration whether a live lane remains. Such a test is
//     possible if exitsOf finds an exit. It is also possible if the loop contains Sync ops, and
//     work-items leave it only by faults and return statements.
//   - A loop of the third kind is treated as divergent if work-items leave their group in the loop.
//     The branch at which work-items leave a loop of the third kind counts as an exit of the
//     kernel.
//
// If no loop needs a change, decideLoops returns true. At the first loop that needs a change,
// decideLoops returns false, since the change affects the decisions about other loops.
func (u *Info) decideLoops() bool {
	for _, l := range u.loops {
		if !u.Block(l.Head) || u.AsksAt(l.Head) {
			continue
		}
		if given, ok := u.sureToEnd(l); ok && given == nil {
			continue
		}
		switch x, ends := u.leftFrom(l), len(u.exitsOf(l)) > 0; {
		case !x.leftBefore:
			continue
		case x.mayAsk() || ends && (x.hasSync || !u.isBypassed(l)):
			u.testedHeads = append(u.testedHeads, u.Index[l.Head])
		case ends || x.leaveIndex < 0 || u.addedExits[x.leaveIndex]:
			continue
		default:
			u.addedExits[x.leaveIndex] = true
		}
		return false
	}
	return true
}

// Together reports whether all remaining work-items reach b together and take the same edge of b's
// branch.
func (u *Info) Together(b *ir.Block) bool {
	return u.Block(b) && (b.Term.Cond == nil || u.Value(b.Term.Cond))
}

// AsksAt reports whether b is the head of a loop that tests in each iteration whether a live lane
// remains.
func (u *Info) AsksAt(b *ir.Block) bool { return slices.Contains(u.testedHeads, u.Index[b]) }

// Provisos maps the heads of certain loops to provisos (conditions on the loop's step). If the
// proviso of a loop holds, the loop does not need to test whether a live lane remains.
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

// leaveInfo describes how work-items leave the kernel from within a loop.
type leaveInfo struct {
	leaveIndex   int  // index of a block in which work-items leave the loop, preferably without a fault; -1 if there is none
	byStatements bool // whether work-items leave the loop only by faults and return statements
	hasSync      bool // whether the loop contains Sync ops
	leftBefore   bool // whether some work-items may have left the group before an iteration of the loop
}

// mayAsk reports whether the loop may get a test for live lanes in each iteration, even if the loop
// has no other exit.
func (x leaveInfo) mayAsk() bool { return x.leftBefore && x.hasSync && x.byStatements }

// leftFrom returns how work-items leave the kernel from within the loop l.
func (u *Info) leftFrom(l *ir.Loop) leaveInfo {
	x := leaveInfo{leaveIndex: -1, byStatements: true}
	leads := leadTo(l.Head)
	for i, b := range u.Order {
		in := l.Contains(b)
		x.hasSync = x.hasSync || in && u.hasSyncAt[i]
		e, ok := u.Way(b)
		if !ok || !u.splitsGroup(e) {
			continue
		}
		x.leftBefore = x.leftBefore || leads[b]
		if !in {
			continue
		}
		x.byStatements = x.byStatements && u.leavesByStatement(e, nil)
		if x.leaveIndex < 0 || Faults(u.leftTo(x.leaveIndex)) && !Faults(e.To) {
			x.leaveIndex = i
		}
	}
	return x
}

// leadTo returns the blocks from which b is reachable.
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

// askWhereStuck searches for a loop that never leads the remaining work-items to an exit of the
// kernel. The method mayAsk must return true for the loop. askWhereStuck adds the head of the loop
// to u.testedHeads. askWhereStuck reports whether it found a loop.
func (u *Info) askWhereStuck(ends []bool) bool {
	for _, l := range slices.Backward(u.loops) {
		if ends[u.Index[l.Head]] || u.AsksAt(l.Head) {
			continue
		}
		if u.leftFrom(l).mayAsk() {
			u.testedHeads = append(u.testedHeads, u.Index[l.Head])
			return true
		}
	}
	return false
}

func (u *Info) leftTo(i int) *ir.Block {
	e, _ := u.Way(u.Order[i])
	return e.To
}

// Faults reports whether b records the fault of a check. A panic in the source is not a check but
// an ordinary exit of the kernel.
func Faults(b *ir.Block) bool {
	return slices.ContainsFunc(b.Insts, func(v *ir.Value) bool {
		return v.Op == ir.OpFault && v.Aux.(*ir.Site).Kind != abi.FaultPanic
	})
}

// BypassLoops removes loops without Sync ops from the skeleton, which is the code that dead lanes
// execute. To remove a loop, BypassLoops marks the loop's blocks as divergent. Dead lanes skip the
// removed loops, so the loops need no test for live lanes. A loop remains in the skeleton if the
// rest of the skeleton uses the loop's values or stores.
func (u *Info) BypassLoops() {
	for _, l := range u.loops {
		if !u.Block(l.Head) || !u.isBypassed(l) {
			continue
		}
		for i, b := range u.Order {
			if l.Contains(b) {
				u.controlBlock[i] = l.Head
			}
		}
	}
}

// isBypassed reports whether BypassLoops removes the loop l, assuming that l is in uniform
// flow.
func (u *Info) isBypassed(l *ir.Loop) bool {
	if !u.leavesTogether(l) || u.fillsFor(l) {
		return false
	}
	for i, b := range u.Order {
		if l.Contains(b) && (u.hasSyncAt[i] || !u.Before[i]) || !l.Contains(b) && u.dependsOnLoop(b, l) {
			return false
		}
	}
	return true
}

// dependsOnLoop reports whether block b, which is outside the loop l, contains a uniform value
// that depends on the loop.
func (u *Info) dependsOnLoop(b *ir.Block, l *ir.Loop) bool {
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

// leavesTogether reports whether all work-items that stay in the group go to the same block after
// the loop l. This block must be in uniform flow.
func (u *Info) leavesTogether(l *ir.Loop) bool {
	var out *ir.Block
	for i, b := range u.Order {
		if !l.Contains(b) {
			continue
		}
		for _, s := range b.Term.Succs {
			if l.Contains(s) || u.splitsGroup(edge{b, s}) || !u.Before[i] {
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
