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
