package pass

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// settle looks for loops in uniform flow that some work-items leave for good,
// and that nothing else is sure to end: their dead lanes would go on for ever.
// Such a loop is as divergent as its condition; it counts the branch as an end.
// settle reports whether it found none.
func (u *Uniformity) settle() bool {
	for _, l := range u.loops {
		if !u.Block(l.Head) || u.ends(l) {
			continue
		}
		leave := -1
		for i, b := range u.order {
			e, ok := u.way(b)
			if !ok || !l.Contains(b) || !u.leaving[e] || u.together(b) {
				continue
			}
			if leave < 0 || faults(u.leftTo(leave)) && !faults(e.to) {
				leave = i
			}
		}
		if leave >= 0 && !u.exits[leave] {
			u.exits[leave] = true
			return false
		}
	}
	return true
}

// together reports whether all work-items that come to b do so together, and go on from
// there in one way.
func (u *Uniformity) together(b *ir.Block) bool {
	return u.Block(b) && (b.Term.Cond == nil || u.Value(b.Term.Cond))
}

func (u *Uniformity) leftTo(i int) *ir.Block {
	e, _ := u.way(u.order[i])
	return e.to
}

// faults reports whether b is where a check fails. A panic is as good an end as others.
func faults(b *ir.Block) bool {
	return slices.ContainsFunc(b.Insts, func(v *ir.Value) bool {
		return v.Op == ir.OpFault && v.Aux.(*ir.Site).Kind != abi.FaultPanic
	})
}

// ends reports whether the loop has a uniform way out that depends on how often
// the loop went round, or that dead lanes alone take. What does not depend on that never
// changes.
func (u *Uniformity) ends(l *ir.Loop) bool {
	for _, b := range u.order {
		if !l.Contains(b) || b.Term.Kind != ir.Branch || !u.Block(b) || !u.Value(b.Term.Cond) {
			continue
		}
		c := u.amongDead(b.Term.Cond, map[*ir.Value]*ir.Value{})
		for i, s := range b.Term.Succs {
			if c.IsConst() && c.Bits == uint64(i) {
				continue
			}
			if !l.Contains(s) && (u.before[u.index[s]] || !faults(s)) && (c.IsConst() || counts(b.Term.Cond, l, map[*ir.Value]bool{})) {
				return true
			}
		}
	}
	return false
}

// amongDead returns the constant that v is where all lanes are dead, or else v: group
// algorithms combine nothing then.
func (u *Uniformity) amongDead(v *ir.Value, known map[*ir.Value]*ir.Value) *ir.Value {
	if v.Block == nil || known[v] != nil {
		return cmp.Or(known[v], v)
	}
	known[v] = v
	m := u.f.Module
	switch {
	case v.Op == ir.OpPhi || !u.Value(v):
	case v.IsGroupOp():
		if n := v.Neutral(m, 0); n.IsConst() {
			known[v] = n
		}
	case v.Op.Has(ir.FlagPure):
		w := *v
		w.Args = nil
		for _, a := range v.Args {
			w.Args = append(w.Args, u.amongDead(a, known))
		}
		if c := (&simplifier{m: m}).fold(&w); c != nil {
			known[v] = c
		}
	}
	return known[v]
}

// counts reports whether v depends on a phi of the loop's head, by more than what live
// lanes put into group algorithms.
func counts(v *ir.Value, l *ir.Loop, seen map[*ir.Value]bool) bool {
	if v.Block == nil || !l.Contains(v.Block) || seen[v] || v.IsGroupOp() {
		return false
	}
	seen[v] = true
	if v.Op == ir.OpPhi && v.Block == l.Head {
		return true
	}
	return slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return counts(a, l, seen) })
}

// bypassLoops takes loops without Sync ops out of the skeleton, so that dead
// lanes go past them and live ones need not ask in each round whether they are:
// it counts their blocks as divergent. What the skeleton needs of a loop keeps it
// in.
func (u *Uniformity) bypassLoops() {
	for _, l := range u.loops {
		if !u.Block(l.Head) || !u.leavesTogether(l) {
			continue
		}
		keep := false
		for i, b := range u.order {
			if l.Contains(b) {
				keep = keep || u.sync[i] || !u.before[i]
				continue
			}
			keep = keep || u.needs(b, l)
		}
		if keep {
			continue
		}
		for i, b := range u.order {
			if l.Contains(b) {
				u.control[i] = l.Head
			}
		}
	}
}

// needs reports whether block b, outside the loop, has a uniform value that
// depends on the loop.
func (u *Uniformity) needs(b *ir.Block, l *ir.Loop) bool {
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
func (u *Uniformity) leavesTogether(l *ir.Loop) bool {
	var out *ir.Block
	for i, b := range u.order {
		if !l.Contains(b) {
			continue
		}
		for _, s := range b.Term.Succs {
			if l.Contains(s) || u.leaving[edge{b, s}] || !u.before[i] {
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
	n := len(u.order)
	for i := u.index[l.Head]; i != n; i = u.ipdom[i] {
		if u.order[i] == out {
			return true
		}
	}
	return false
}
