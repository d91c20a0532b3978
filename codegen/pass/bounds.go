package pass

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// bounds decides comparisons whose outcome follows from the ranges of their
// operands and from the branches that lead to them. Most checks of indices go
// this way, and with them the faults that would make lanes dead.
func bounds(m *ir.Module, r *Result) diag.List { return decideBounds(m, r, nil) }

// maxBoundsRounds bounds how often what was decided is simplified and looked at
// anew: the operands of a remainder are plain only after the first round.
const maxBoundsRounds = 3

// decideBounds is bounds; proved, if not nil, is called for every branch that is
// decided, before that happens, with the successor that it will not take.
func decideBounds(m *ir.Module, r *Result, proved func(d *decider, b, dead *ir.Block, how evidence)) diag.List {
	for range maxBoundsRounds {
		common, apart, u := commonBranches(m)
		ways := u.waysOut()
		d := newDecider(m, nil, r)
		var sure *decider // of what dead lanes know as well
		if len(common) > 0 {
			sure = newDecider(m, apart, r)
		}
		folded := d.conditions()
		changed := false
		for _, b := range d.a.dom.Order {
			if b.Term.Kind != ir.Branch || b.Term.Cond.IsConst() {
				continue
			}
			by := d
			if common[b] {
				by = sure
			}
			c, how := by.reduce(b.Term.Cond, b)
			if c == b.Term.Cond || c.IsConst() && !ways.spare(b, b.Term.Succs[c.Bits]) {
				continue
			}
			// A check that always fails would make its fault of what leads there, such as
			// the end of a loop, and a way to a fault is no end.
			if u != nil && c.IsConst() && faults(b.Term.Succs[1-c.Bits]) {
				continue
			}
			if proved != nil && c.IsConst() {
				proved(d, b, b.Term.Succs[c.Bits], how)
			}
			b.Term.Cond = c
			changed = true
		}
		if !changed && !folded {
			break
		}
		if diags := runSimplify(m); len(diags) > 0 {
			return diags
		}
		if diags := runDCE(m); len(diags) > 0 || !folded {
			return diags
		}
	}
	return nil
}

// commonBranches returns the blocks whose branches all work-items of a group take in the
// same way, where some may have left before, and those whose branches they may take in
// different ways. What such a branch says must not decide one of the former: where all
// work-items have left, it held for none of them, and dead lanes would go on to what only
// live ones may do.
func commonBranches(m *ir.Module) (common, apart map[*ir.Block]bool, u *Uniformity) {
	if !m.UsesGroup || m.Level != ir.Built {
		return nil, nil, nil
	}
	f := m.Kernel
	f.RemoveUnreachable()
	singleLatches(f)
	u = uniformity(f)
	common, apart = map[*ir.Block]bool{}, map[*ir.Block]bool{}
	leave := false
	for _, b := range u.order {
		switch {
		case b.Term.Kind != ir.Branch:
		case u.together(b):
			common[b] = true
		default:
			apart[b] = true
			e, ok := u.way(b)
			leave = leave || ok && u.leaving[e]
		}
	}
	if !leave {
		return nil, nil, nil
	}
	return common, apart, u
}

// waysOut returns the ways that dead lanes have out of loops.
func (u *Uniformity) waysOut() waysOut {
	if u == nil {
		return nil
	}
	var all waysOut
	for _, l := range u.loops {
		if u.Block(l.Head) {
			all = append(all, loopWays{l, u.ways(l)})
		}
	}
	return all
}

// waysOut has the blocks with ways out of each loop that all work-items of a group come
// to together.
type waysOut []loopWays

type loopWays struct {
	l      *ir.Loop
	blocks []*ir.Block
}

// spare takes the way from b to out off them, unless it is the last one of a loop: where
// some check fails in a round before, none that lives comes to it, but dead lanes do.
func (w waysOut) spare(b, out *ir.Block) bool {
	is := func(x *ir.Block) bool { return x == b }
	leaves := func(x loopWays) bool { return !x.l.Contains(out) && slices.ContainsFunc(x.blocks, is) }
	if slices.ContainsFunc(w, func(x loopWays) bool { return leaves(x) && len(x.blocks) == 1 }) {
		return false
	}
	for i, x := range w {
		if leaves(x) {
			w[i].blocks = slices.DeleteFunc(x.blocks, is)
		}
	}
	return true
}

// decider decides conditions.
type decider struct {
	m *ir.Module
	a *ranges
	p *prover
}

// newDecider learns nothing from the branches of the blocks apart, which may be nil. It notes
// in the result what it takes to be small.
func newDecider(m *ir.Module, apart map[*ir.Block]bool, r *Result) *decider {
	a := solved(m, apart, r)
	return &decider{m, a, newProver(a)}
}

// conditions replaces the comparisons that are decided where they stand by
// constants, for what is no branch: selects, and parts of other conditions.
func (d *decider) conditions() bool {
	known := map[*ir.Value]*ir.Value{}
	for _, b := range d.a.dom.Order {
		for _, v := range b.Insts {
			for i, x := range v.Args {
				if x.Type != ir.TypeBool || x.IsConst() || x.Block == nil {
					continue
				}
				c, ok := known[x]
				if !ok {
					c = x
					if yes, is, _ := d.decide(x, x.Block); yes {
						c = d.m.Bool(is)
					}
					known[x] = c
				}
				v.Args[i] = c
			}
		}
	}
	for x, c := range known {
		if x != c {
			return true
		}
	}
	return false
}

// reduce returns what is left of a condition at the end of block b.
func (d *decider) reduce(c *ir.Value, b *ir.Block) (*ir.Value, evidence) {
	if known, is, how := d.decide(c, b); known {
		return d.m.Bool(is), how
	}
	if c.Op != ir.OpLAnd && c.Op != ir.OpLOr {
		return c, 0
	}
	for i, x := range c.Args {
		// The other one decides.
		if known, _, how := d.decide(x, b); known {
			return c.Args[1-i], how
		}
	}
	return c, 0
}

// decide returns whether the condition is known at the end of block b, what it
// is, and why.
func (d *decider) decide(c *ir.Value, b *ir.Block) (known, is bool, how evidence) {
	switch c.Op {
	case ir.OpLNot:
		known, is, how = d.decide(c.Args[0], b)
		return known, !is, how
	case ir.OpLAnd, ir.OpLOr:
		settles := c.Op == ir.OpLOr
		k0, is0, how0 := d.decide(c.Args[0], b)
		if k0 && is0 == settles {
			return true, settles, how0
		}
		k1, is1, how1 := d.decide(c.Args[1], b)
		if k1 && is1 == settles {
			return true, settles, how1
		}
		return k0 && k1, !settles, how0 | how1
	case ir.OpSLt:
		return d.order(c.Args[0], c.Args[1], b, -1)
	case ir.OpSLe:
		return d.order(c.Args[0], c.Args[1], b, 0)
	case ir.OpULt:
		return d.unsigned(c.Args[0], c.Args[1], b, -1)
	case ir.OpULe:
		return d.unsigned(c.Args[0], c.Args[1], b, 0)
	case ir.OpIEq, ir.OpINe:
		x, y := c.Args[0], c.Args[1]
		p, q := d.a.at(x, b), d.a.at(y, b)
		if p.hi < q.lo || q.hi < p.lo {
			return true, c.Op == ir.OpINe, d.ranged(x, y, b)
		}
		for _, f := range d.a.facts[x] {
			if f.rel == unequal && f.other == y && d.a.dom.Dominates(f.from, b) {
				return true, c.Op == ir.OpINe, byCondition
			}
		}
	}
	return false, false, 0
}

// ranged is the evidence of a proof by intervals alone.
func (d *decider) ranged(x, y *ir.Value, b *ir.Block) evidence {
	if d.a.at(x, b) != d.a.value(x) || d.a.at(y, b) != d.a.value(y) {
		return byCondition
	}
	return byRange
}

// order decides x <= y + c, signed.
func (d *decider) order(x, y *ir.Value, b *ir.Block, c int64) (known, is bool, how evidence) {
	if how, ok := d.p.le(x, y, c, b); ok {
		return true, true, how
	}
	if how, ok := d.p.le(y, x, -c-1, b); ok {
		return true, false, how
	}
	return false, false, 0
}

// unsigned decides x <= y + c, unsigned, where neither is negative as signed.
func (d *decider) unsigned(x, y *ir.Value, b *ir.Block, c int64) (known, is bool, how evidence) {
	zero := ir.Outside(x.Type, 0)
	if d.a.at(x, b).lo < 0 {
		if _, ok := d.p.le(zero, x, 0, b); !ok {
			return false, false, 0
		}
	}
	if how, ok := d.p.le(x, y, c, b); ok {
		return true, true, how
	}
	if d.a.at(y, b).lo < 0 {
		return false, false, 0
	}
	if how, ok := d.p.le(y, x, -c-1, b); ok {
		return true, false, how
	}
	return false, false, 0
}
