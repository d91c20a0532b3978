package pass

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// natural is a natural loop.
type natural struct {
	head *ir.Block
	body map[*ir.Block]bool
}

func (u *Uniformity) findLoops() {
	dom := u.f.Dominators()
	for _, h := range u.order {
		l := natural{h, map[*ir.Block]bool{h: true}}
		var work []*ir.Block
		add := func(b *ir.Block) {
			if !l.body[b] {
				l.body[b] = true
				work = append(work, b)
			}
		}
		for _, p := range h.Preds {
			if dom.Dominates(h, p) {
				add(p)
				work = append(work, h) // so that a loop of one block counts
			}
		}
		if len(work) == 0 {
			continue
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if b != h {
				for _, p := range b.Preds {
					add(p)
				}
			}
		}
		u.loops = append(u.loops, l)
	}
}

// settle looks for loops in uniform flow that some work-items leave for good,
// and that nothing else is sure to end: their dead lanes would go on for ever.
// Such a loop is as divergent as its condition; it counts the branch as an end.
// settle reports whether it found none.
func (u *Uniformity) settle() bool {
	for _, l := range u.loops {
		if !u.Block(l.head) || u.ends(l) {
			continue
		}
		leave := -1
		for i, b := range u.order {
			e, ok := u.way(b)
			if !ok || !l.body[b] || !u.leaving[e] {
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

func (u *Uniformity) leftTo(i int) *ir.Block {
	e, _ := u.way(u.order[i])
	return e.to
}

func faults(b *ir.Block) bool {
	return slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op == ir.OpFault })
}

// ends reports whether the loop has a uniform way out that depends on how often
// the loop went round. What does not depend on that never changes.
func (u *Uniformity) ends(l natural) bool {
	for _, b := range u.order {
		if !l.body[b] || b.Term.Kind != ir.Branch || !u.Block(b) || !u.Value(b.Term.Cond) {
			continue
		}
		for _, s := range b.Term.Succs {
			if !l.body[s] && !faults(s) && counts(b.Term.Cond, l, map[*ir.Value]bool{}) {
				return true
			}
		}
	}
	return false
}

// counts reports whether v depends on a phi of the loop's head.
func counts(v *ir.Value, l natural, seen map[*ir.Value]bool) bool {
	if v.Block == nil || !l.body[v.Block] || seen[v] {
		return false
	}
	seen[v] = true
	if v.Op == ir.OpPhi && v.Block == l.head {
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
		if !u.Block(l.head) || !u.leavesTogether(l) {
			continue
		}
		keep := false
		for i, b := range u.order {
			if l.body[b] {
				keep = keep || u.sync[i] || !u.before[i]
				continue
			}
			keep = keep || u.needs(b, l)
		}
		if keep {
			continue
		}
		for i, b := range u.order {
			if l.body[b] {
				u.control[i] = l.head
			}
		}
	}
}

// needs reports whether block b, outside the loop, has a uniform value that
// depends on the loop.
func (u *Uniformity) needs(b *ir.Block, l natural) bool {
	used := func(a *ir.Value) bool { return a != nil && a.Block != nil && l.body[a.Block] && u.Value(a) }
	after := slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return l.body[p] })
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
// at one block in uniform flow.
func (u *Uniformity) leavesTogether(l natural) bool {
	var out *ir.Block
	for i, b := range u.order {
		if !l.body[b] {
			continue
		}
		for _, s := range b.Term.Succs {
			if l.body[s] || u.leaving[edge{b, s}] || !u.before[i] {
				continue
			}
			if out != nil && out != s {
				return false
			}
			out = s
		}
	}
	return out != nil && u.Block(out)
}
