package pass

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// ways returns the blocks with a uniform way out of the loop that depends on how often
// the loop went round, as what does not depend on that never changes, or one that dead
// lanes alone take in each round. A check is no such way.
func (u *Uniformity) ways(l *ir.Loop) []*ir.Block {
	var all []*ir.Block
	for _, b := range u.order {
		if c, _ := u.wayOut(b, l); c != nil && (counts(c, l, map[*ir.Value]bool{}) || u.sure(b, l)) {
			all = append(all, b)
		}
	}
	return all
}

// sureToEnd reports whether one of them is sure to be taken by dead lanes.
func (u *Uniformity) sureToEnd(l *ir.Loop) bool {
	return slices.ContainsFunc(u.order, func(b *ir.Block) bool { return u.sure(b, l) })
}

// wayOut returns the condition of a branch at b that work-items of a group leave the loop
// by together, and what it is where they do; or nil.
func (u *Uniformity) wayOut(b *ir.Block, l *ir.Loop) (*ir.Value, bool) {
	if !l.Contains(b) || b.Term.Kind != ir.Branch || !u.together(b) {
		return nil, false
	}
	for i, s := range b.Term.Succs {
		if !l.Contains(s) && (u.before[u.index[s]] || !faults(s)) {
			return b.Term.Cond, i == 0
		}
	}
	return nil, false
}

// sure reports whether b, which each round comes to, has a way out of the loop that dead
// lanes take some time.
func (u *Uniformity) sure(b *ir.Block, l *ir.Loop) bool {
	c, out := u.wayOut(b, l)
	if c == nil || slices.ContainsFunc(l.Latches, func(x *ir.Block) bool { return !u.dom.Dominates(b, x) }) {
		return false
	}
	if x := u.amongDead(c, map[*ir.Value]*ir.Value{}); x.IsConst() {
		return x.Bits != 0 == out
	}
	return u.comesToBe(c, out, l)
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

// comesToBe reports whether the condition, which each round computes, is sure to be what
// is asked some time, for a number that grows or shrinks in each round. Numbers count as
// unable to grow past the end of their type: no bound is so close to it.
func (u *Uniformity) comesToBe(c *ir.Value, is bool, l *ir.Loop) bool {
	switch c.Op {
	case ir.OpLNot:
		return u.comesToBe(c.Args[0], !is, l)
	case ir.OpLAnd, ir.OpLOr:
		return is == (c.Op == ir.OpLOr) &&
			(u.comesToBe(c.Args[0], is, l) || u.comesToBe(c.Args[1], is, l))
	case ir.OpIEq, ir.OpINe, ir.OpSLt, ir.OpSLe, ir.OpULt, ir.OpULe:
	default:
		return false
	}
	m := u.f.Module
	for i, v := range c.Args {
		p, at := plus(v)
		wide := (p.Op == ir.OpSConvert || p.Op == ir.OpUConvert) && p.Type.Bits() > p.Args[0].Type.Bits()
		if wide {
			p, _ = plus(p.Args[0])
		}
		if p.Op != ir.OpPhi || p.Block != l.Head || !invariant(c.Args[1-i], l) {
			continue
		}
		grow := is == (i == 1) // the direction in which an order comes to be so
		switch step, by := steps(p, l); {
		case step == byAdding && c.Op == ir.OpIEq:
			return !is || by == 1 || by == -1
		case step == byAdding && c.Op == ir.OpINe:
			return is || by == 1 || by == -1
		case step == byAdding:
			return by > 0 == grow
		case step == byAddingSome:
			return c.Op != ir.OpIEq && c.Op != ir.OpINe
		case step == byDoubling:
			return grow && at >= 0 && !wide && (c.Op == ir.OpSLt || c.Op == ir.OpSLe || c.Op == ir.OpULt || c.Op == ir.OpULe)
		case step == byHalving:
			// Shifts of negative numbers come to -1.
			return p == v && isAt(m, c, i, 0, is) && (by == 0 || isAt(m, c, i, -1, is))
		}
	}
	return false
}

// isAt reports whether the comparison is what is asked where its argument i is n.
func isAt(m *ir.Module, c *ir.Value, i int, n int64, is bool) bool {
	w := *c
	w.Args = slices.Clone(c.Args)
	w.Args[i] = m.Int(c.Args[i].Type, n)
	x := (&simplifier{m: m}).fold(&w)
	return x != nil && x.Bits != 0 == is
}

// plus returns v as the sum of a value and a constant.
func plus(v *ir.Value) (x *ir.Value, n int64) {
	for {
		switch {
		case v.Op == ir.OpIAdd && v.Args[1].IsConst():
			v, n = v.Args[0], n+v.Args[1].Int()
		case v.Op == ir.OpIAdd && v.Args[0].IsConst():
			v, n = v.Args[1], n+v.Args[0].Int()
		case v.Op == ir.OpISub && v.Args[1].IsConst():
			v, n = v.Args[0], n-v.Args[1].Int()
		default:
			return v, n
		}
	}
}

// invariant reports whether the loop does not change v.
func invariant(v *ir.Value, l *ir.Loop) bool { return v.Block == nil || !l.Contains(v.Block) }

// stepKind is how a number changes from round to round.
type stepKind int

const (
	byNothing    stepKind = iota
	byAdding              // a number that is not zero
	byAddingSome          // that the loop does not change; were it zero, live lanes would not come out either
	byDoubling            // or more, from a number greater than zero
	byHalving             // or less; by is -1 for shifts that keep the sign
)

// stepOf returns how v, of the end of a round, comes of the phi.
func stepOf(phi, v *ir.Value, l *ir.Loop) (stepKind, int64) {
	if x, n := plus(v); x == phi && n != 0 {
		return byAdding, n
	}
	if len(v.Args) != 2 {
		return byNothing, 0
	}
	x, y := v.Args[0], v.Args[1]
	if (v.Op == ir.OpIMul || v.Op == ir.OpIAdd) && y == phi {
		x, y = y, x
	}
	switch {
	case v.Op == ir.OpIAdd && x == phi && y == phi:
		return byDoubling, 0
	case (v.Op == ir.OpIAdd || v.Op == ir.OpISub) && x == phi && invariant(y, l) && !y.IsConst():
		return byAddingSome, 0
	case x != phi || !y.IsConst() || y.Int() <= 0 || y.Int() >= int64(phi.Type.Bits()):
		return byNothing, 0
	case v.Op == ir.OpShl || v.Op == ir.OpIMul && y.Int() > 1:
		return byDoubling, 0
	case v.Op == ir.OpShrL || (v.Op == ir.OpUDiv || v.Op == ir.OpSDiv) && y.Int() > 1:
		return byHalving, 0
	case v.Op == ir.OpShrA:
		return byHalving, -1
	}
	return byNothing, 0
}

// steps returns how the phi of the loop's head changes in each round, and by what.
func steps(phi *ir.Value, l *ir.Loop) (stepKind, int64) {
	how, by := byNothing, int64(0)
	for i, a := range phi.Args {
		if !slices.Contains(l.Latches, phi.Block.Preds[i]) {
			continue
		}
		s, n := stepOf(phi, a, l)
		if s == byNothing || how != byNothing && (s != how || n != by) {
			return byNothing, 0
		}
		how, by = s, n
	}
	if how != byDoubling {
		return how, by
	}
	for i, a := range phi.Args {
		// Zero stays zero.
		if !slices.Contains(l.Latches, phi.Block.Preds[i]) && (!a.IsConst() || a.Int() <= 0) {
			return byNothing, 0
		}
	}
	return how, by
}
