package uniform

// This file finds the loop exits that dead lanes are known to take. A dead lane is a work-item that
// has left its group. In a loop without an exit for dead lanes, dead lanes would stay forever after
// all work-items have left the group.

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// exitsOf returns the blocks of the loop l that have an exit for dead lanes. Either dead lanes are
// known to take the exit, or the exit's condition is uniform and changes between iterations. A
// condition that never changes might keep the loop running forever. A failing check does not count
// as an exit.
func (u *Info) exitsOf(l *ir.Loop) []*ir.Block {
	var all []*ir.Block
	for _, b := range u.Order {
		c, _ := u.wayOut(b, l)
		if c == nil {
			continue
		}
		if given, ok := u.leavesBy(b, l); ok && given == nil || dependsOnHead(c, l, map[*ir.Value]bool{}) {
			all = append(all, b)
		}
	}
	return all
}

// sureToEnd reports whether dead lanes are known to leave the loop l by some exit. If sureToEnd
// returns a proviso (a condition on the loop's step), dead lanes leave the loop only under the
// proviso.
func (u *Info) sureToEnd(l *ir.Loop) (proviso *Proviso, ok bool) {
	for _, b := range u.Order {
		if p, is := u.leavesBy(b, l); is {
			if p == nil {
				return nil, true
			}
			proviso, ok = p, true
		}
	}
	return proviso, ok
}

// wayOut checks whether the work-items of a group leave the loop l together by b's branch. If they
// do, wayOut returns the condition of b's branch, and the value of the condition that ends the
// loop. Otherwise wayOut returns nil.
func (u *Info) wayOut(b *ir.Block, l *ir.Loop) (*ir.Value, bool) {
	if !l.Contains(b) || b.Term.Kind != ir.Branch || !u.Together(b) {
		return nil, false
	}
	for i, s := range b.Term.Succs {
		if !l.Contains(s) && (u.Before[u.Index[s]] || !Faults(s)) {
			return b.Term.Cond, i == 0
		}
	}
	return nil, false
}

// leavesBy reports whether dead lanes are known to leave the loop l by b's branch. leavesBy
// requires that each iteration reaches b. If leavesBy returns a proviso, the result of leavesBy is
// valid only under the proviso.
func (u *Info) leavesBy(b *ir.Block, l *ir.Loop) (*Proviso, bool) {
	c, out := u.wayOut(b, l)
	if c == nil || slices.ContainsFunc(l.Latches, func(x *ir.Block) bool { return !u.dom.Dominates(b, x) }) {
		return nil, false
	}
	if x := u.amongDead(c, l, map[*ir.Value]*ir.Value{}); x.IsConst() {
		return nil, x.Bits != 0 == out
	}
	return u.reachesCond(c, out, l)
}

// amongDead considers an iteration in which all lanes are dead. If v equals a constant in this
// iteration, amongDead returns the constant. Otherwise amongDead returns v. In an iteration in
// which all lanes are dead, all operands of group algorithms are neutral.
func (u *Info) amongDead(v *ir.Value, l *ir.Loop, known map[*ir.Value]*ir.Value) *ir.Value {
	if Invariant(v, l) || known[v] != nil {
		return cmp.Or(known[v], v)
	}
	known[v] = v
	m := u.foldModule
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
			w.Args = append(w.Args, u.amongDead(a, l, known))
		}
		if c := facts.FoldConst(m, &w); c != nil {
			known[v] = c
		}
	}
	return known[v]
}

// dependsOnHead reports whether v depends on a phi of the loop's head. dependsOnHead does not
// follow operands of group algorithms, because dead lanes do not contribute to the results of group
// algorithms.
func dependsOnHead(v *ir.Value, l *ir.Loop, seen map[*ir.Value]bool) bool {
	if v.Block == nil || !l.Contains(v.Block) || seen[v] || v.IsGroupOp() {
		return false
	}
	seen[v] = true
	if v.Op == ir.OpPhi && v.Block == l.Head {
		return true
	}
	return slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return dependsOnHead(a, l, seen) })
}

// reachesCond reports whether the condition c is known to equal want in some iteration of the loop
// l. Each iteration must compute c, and c must compare a count with an invariant value. If
// reachesCond returns a proviso, the result of reachesCond is valid only under the proviso.
func (u *Info) reachesCond(c *ir.Value, want bool, l *ir.Loop) (*Proviso, bool) {
	switch c.Op {
	case ir.OpLNot:
		return u.reachesCond(c.Args[0], !want, l)
	case ir.OpLAnd, ir.OpLOr:
		if want != (c.Op == ir.OpLOr) {
			return nil, false
		}
		p, ok := u.reachesCond(c.Args[0], want, l)
		if q, also := u.reachesCond(c.Args[1], want, l); also && (!ok || q == nil) {
			return q, true
		}
		return p, ok
	}
	if !c.Op.Has(ir.FlagCompare) {
		return nil, false
	}
	for i, v := range c.Args {
		end := c.Args[1-i]
		if !Invariant(end, l) {
			continue
		}
		n, ok := u.countOf(v, l)
		if !ok {
			continue
		}
		switch {
		case n.stepWay == byHalving:
			// Repeated right shifts change a negative number to -1, and any other number to 0.
			m := u.foldModule
			return nil, n.phi == v && isAt(m, c, i, 0, want) && (n.stepRange.Lo == 0 || isAt(m, c, i, -1, want))
		case c.Op == ir.OpIEq || c.Op == ir.OpINe:
			return nil, n.reachesValue(u.invariantRange(end, l), want == (c.Op == ir.OpIEq))
		default:
			return n.passesEnd(u.invariantRange(end, l), orderOf(c, i, want))
		}
	}
	return nil, false
}

// isAt reports whether the comparison c has the result want if operand i of c is n. The module m
// provides the constants for folding c.
func isAt(m *ir.Module, c *ir.Value, i int, n int64, want bool) bool {
	w := *c
	w.Args = slices.Clone(c.Args)
	w.Args[i] = m.Int(c.Args[i].Type, n)
	x := facts.FoldConst(m, &w)
	return x != nil && x.Bits != 0 == want
}
