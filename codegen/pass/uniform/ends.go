package uniform

// This file finds exits of a loop that dead lanes are known to take. Without such an exit they
// would stay in the loop for ever after all work-items have left.

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// ways returns the blocks with a usable exit of the loop: a uniform exit whose condition changes
// from round to round, or an exit that dead lanes are known to take. A condition that never changes
// may keep the loop running for ever. A check is not an exit.
func (u *Info) ways(l *ir.Loop) []*ir.Block {
	var all []*ir.Block
	for _, b := range u.Order {
		c, _ := u.wayOut(b, l)
		if c == nil {
			continue
		}
		if given, ok := u.leavesBy(b, l); ok && given == nil || counts(c, l, map[*ir.Value]bool{}) {
			all = append(all, b)
		}
	}
	return all
}

// sureToEnd reports whether dead lanes are known to leave the loop by some exit. If given is not
// nil, that holds only under this proviso.
func (u *Info) sureToEnd(l *ir.Loop) (given *Proviso, ok bool) {
	for _, b := range u.Order {
		if p, is := u.leavesBy(b, l); is {
			if p == nil {
				return nil, true
			}
			given, ok = p, true
		}
	}
	return given, ok
}

// wayOut returns the condition of b's branch, and its value on the way out, if the work-items of a
// group leave the loop there together. Otherwise it returns nil.
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

// leavesBy reports whether dead lanes are known to leave the loop by block b, which every round
// must reach. If the returned proviso is not nil, that holds only under the proviso.
func (u *Info) leavesBy(b *ir.Block, l *ir.Loop) (*Proviso, bool) {
	c, out := u.wayOut(b, l)
	if c == nil || slices.ContainsFunc(l.Latches, func(x *ir.Block) bool { return !u.dom.Dominates(b, x) }) {
		return nil, false
	}
	if x := u.amongDead(c, l, map[*ir.Value]*ir.Value{}); x.IsConst() {
		return nil, x.Bits != 0 == out
	}
	return u.becomes(c, out, l)
}

// amongDead returns the constant that v equals in a round in which all lanes are dead, or else v.
// In such a round group algorithms have only neutral operands.
func (u *Info) amongDead(v *ir.Value, l *ir.Loop, known map[*ir.Value]*ir.Value) *ir.Value {
	if Invariant(v, l) || known[v] != nil {
		return cmp.Or(known[v], v)
	}
	known[v] = v
	m := u.outside
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

// counts reports whether v depends on a phi of the loop's head. A dependence by operands of group
// algorithms does not count, since only live lanes contribute to them.
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

// becomes reports whether condition c is known to equal is in some iteration. Each iteration computes c, which
// compares a number that grows or shrinks from one to the next. If the returned proviso is not nil, that holds
// only under the proviso.
func (u *Info) becomes(c *ir.Value, is bool, l *ir.Loop) (*Proviso, bool) {
	switch c.Op {
	case ir.OpLNot:
		return u.becomes(c.Args[0], !is, l)
	case ir.OpLAnd, ir.OpLOr:
		if is != (c.Op == ir.OpLOr) {
			return nil, false
		}
		p, ok := u.becomes(c.Args[0], is, l)
		if q, also := u.becomes(c.Args[1], is, l); also && (!ok || q == nil) {
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
		n, ok := u.count(v, l)
		if !ok {
			continue
		}
		switch {
		case n.how == byHalving:
			// Right shifts of negative numbers end at -1, others at 0.
			m := u.outside
			return nil, n.phi == v && isAt(m, c, i, 0, is) && (n.by.Lo == 0 || isAt(m, c, i, -1, is))
		case c.Op == ir.OpIEq || c.Op == ir.OpINe:
			return nil, n.equals(u.within(end, l), is == (c.Op == ir.OpIEq))
		default:
			return n.passes(u.within(end, l), orderOf(c, i, is))
		}
	}
	return nil, false
}

// isAt reports whether comparison c is is when its argument i is n. Module m only holds the
// constants.
func isAt(m *ir.Module, c *ir.Value, i int, n int64, is bool) bool {
	w := *c
	w.Args = slices.Clone(c.Args)
	w.Args[i] = m.Int(c.Args[i].Type, n)
	x := facts.FoldConst(m, &w)
	return x != nil && x.Bits != 0 == is
}
