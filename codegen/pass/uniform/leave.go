package uniform

// This file finds the edges on which work-items leave their group, by a return or a fault. An edge
// that only skips a barrier does not count as leaving.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Way checks whether a Sync op is reachable from exactly one edge of b's branch. If so, Way returns
// the other edge. Otherwise Way returns false.
func (u *Info) Way(b *ir.Block) (edge, bool) {
	if b.Term.Kind == ir.Branch {
		x, y := b.Term.Succs[0], b.Term.Succs[1]
		switch bx, by := u.Before[u.Index[x]], u.Before[u.Index[y]]; {
		case bx && !by:
			return edge{b, y}, true
		case by && !bx:
			return edge{b, x}, true
		}
	}
	return edge{}, false
}

// splitsGroup reports whether some work-items leave the group on the edge e while others
// stay.
func (u *Info) splitsGroup(e edge) bool {
	return u.Leaving[e] && !u.Together(e.from)
}

// meetsLater reports whether work-items that take the edge e can later meet work-items that have
// passed a Sync op. meetsLater assumes that work-items leave the group on all edges of the list
// "leaving". Work-items that only share the block of a return statement do not count as meeting.
func (u *Info) meetsLater(e edge, leaving []edge) bool {
	if u.leavesByStatement(e, leaving) {
		return false
	}
	// The search for a Sync op follows edges backward. The search starts in the code after e, which
	// is usually short.
	work := Reachable(e.To)
	seen := map[*ir.Block]bool{e.from: true}
	for _, b := range work {
		seen[b] = true
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == e.from {
			continue
		}
		for _, p := range b.Preds {
			d := edge{p, b}
			if u.Leaving[d] || slices.Contains(leaving, d) {
				continue
			}
			if p == e.from {
				// Work-items that stayed in the loop in an earlier iteration reach the branch
				// again.
				if d != e && u.meetsAgain(e, leaving) {
					return true
				}
				continue
			}
			if u.hasSyncAt[u.Index[p]] {
				return true
			}
			if !seen[p] {
				seen[p] = true
				work = append(work, p)
			}
		}
	}
	return false
}

// meetsAgain reports whether work-items that do not take e can pass a Sync op and then reach e's
// branch again. meetsAgain assumes that work-items leave the group on all edges of the list
// "leaving".
func (u *Info) meetsAgain(e edge, leaving []edge) bool {
	type place struct {
		b    *ir.Block
		sync bool // whether the path to b contains a Sync op
	}
	seen := map[place]bool{}
	for work := []place{{e.from, u.hasSyncAt[u.Index[e.from]]}}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range at.b.Term.Succs {
			if d := (edge{at.b, s}); d == e || u.Leaving[d] || slices.Contains(leaving, d) {
				continue
			}
			next := place{s, at.sync || u.hasSyncAt[u.Index[s]]}
			if s == e.from && next.sync {
				return true
			}
			if !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return false
}

// leavesByStatement reports whether work-items that take the edge e leave the group only by faults
// and return statements. The result is true only if the other work-items can also reach another
// exit of the kernel. The faults and return statements after e do not count as other exits. So the
// result is false for a return statement that all work-items reach after a loop.
func (u *Info) leavesByStatement(e edge, leaving []edge) bool {
	region := Reachable(e.To)
	if !endsInStatements(region) {
		return false
	}
	if isFailTarget(e.To) {
		return true
	}
	// After a barrier, a failing check ends all work-items that reached the barrier.
	stops := func(s *ir.Block) bool { return !u.Before[u.Index[s]] && isFailTarget(s) }
	seen := map[*ir.Block]bool{e.from: true}
	for _, b := range region {
		seen[b] = true
	}
	work := []*ir.Block{e.from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		// A block is also an exit of the kernel if each of its successors is the target of a
		// failing check.
		if b.Term.Kind == ir.Return || !slices.ContainsFunc(b.Term.Succs, func(s *ir.Block) bool { return !stops(s) }) {
			return true
		}
		for _, s := range b.Term.Succs {
			if seen[s] || u.Before[u.Index[b]] && stops(s) {
				continue
			}
			if d := (edge{b, s}); u.Leaving[d] || slices.Contains(leaving, d) {
				if to := Reachable(s); endsInStatements(to) && !onlyFaults(to) {
					continue
				}
			}
			seen[s] = true
			work = append(work, s)
		}
	}
	return false
}

// Returns lists the blocks at which some work-items return from the kernel while others go on to a
// Sync op.
func (u *Info) Returns() []*ir.Block {
	var out []*ir.Block
	for _, b := range u.Order {
		if e, ok := u.Way(b); ok && u.splitsGroup(e) && !onlyFaults(Reachable(e.To)) {
			out = append(out, b)
		}
	}
	return out
}

// SubGroups reports whether v is known to be uniform within each sub-group. A value is uniform if
// all work-items that compute it together get the same result.
func (u *Info) SubGroups(v *ir.Value) bool {
	const most = 64 // largest number of values that SubGroups examines
	seen := map[*ir.Value]bool{}
	var same func(v *ir.Value) bool
	same = func(v *ir.Value) bool {
		if u.Value(v) || seen[v] {
			return true
		}
		if seen[v] = true; len(seen) > most {
			return false
		}
		switch {
		case v.Op == ir.OpBuiltIn:
			return v.Aux.(ir.BuiltIn) == ir.SubgroupID
		case v.Op.Has(ir.FlagSame):
			return true
		}
		return v.Op.Has(ir.FlagPure) && v.Op != ir.OpPhi && !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !same(a) })
	}
	return same(v)
}

// isFailTarget reports whether b is the block to which a failing check jumps.
func isFailTarget(b *ir.Block) bool { return (Faults(b) || b.Cold) && onlyFaults(Reachable(b)) }

// endsInStatements reports whether each kernel exit in the given region is a fault, a panic or a
// return statement.
func endsInStatements(region []*ir.Block) bool {
	return !slices.ContainsFunc(region, func(b *ir.Block) bool {
		return b.Term.Kind == ir.Return && !b.Term.Early &&
			!slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op == ir.OpFault })
	})
}

// onlyFaults reports whether each kernel exit in the given region is a fault.
func onlyFaults(region []*ir.Block) bool {
	return !slices.ContainsFunc(region, func(b *ir.Block) bool { return b.Term.Kind == ir.Return && !Faults(b) })
}

// Reachable returns the blocks reachable from b, starting with b.
func Reachable(b *ir.Block) []*ir.Block {
	seen := map[*ir.Block]bool{b: true}
	out := []*ir.Block{b}
	for i := 0; i < len(out); i++ {
		for _, s := range out[i].Term.Succs {
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}
