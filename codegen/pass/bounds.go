package pass

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// bounds decides comparisons whose outcome follows from the ranges of their
// operands and from the branches that lead to them. Most checks of indices go
// this way, and with them the faults that would make lanes dead.
func bounds(m *ir.Module) diag.List {
	a := newRanges(m)
	a.solve()
	changed := false
	for _, b := range a.dom.Order {
		if b.Term.Kind != ir.Branch || b.Term.Cond.IsConst() {
			continue
		}
		if known, is := a.decide(b.Term.Cond, b); known {
			b.Term.Cond = m.Bool(is)
			changed = true
		}
	}
	if !changed {
		return nil
	}
	runSimplify(m)
	return runDCE(m)
}

// decide returns whether the condition is known at the end of block b, and what
// it is.
func (a *ranges) decide(c *ir.Value, b *ir.Block) (known, is bool) {
	switch c.Op {
	case ir.OpLNot:
		known, is = a.decide(c.Args[0], b)
		return known, !is
	case ir.OpSLt:
		return a.less(c.Args[0], c.Args[1], b)
	case ir.OpSLe:
		known, is = a.less(c.Args[1], c.Args[0], b)
		return known, !is
	case ir.OpULt, ir.OpULe:
		x, y := c.Args[0], c.Args[1]
		p, q := a.at(x, b), a.at(y, b)
		if q.lo < 0 || p.lo < 0 {
			return false, false
		}
		if c.Op == ir.OpULt {
			return a.less(x, y, b)
		}
		known, is = a.less(y, x, b)
		return known, !is
	case ir.OpIEq, ir.OpINe:
		p, q := a.at(c.Args[0], b), a.at(c.Args[1], b)
		if p.hi < q.lo || q.hi < p.lo {
			return true, c.Op == ir.OpINe
		}
	}
	return false, false
}

// less decides x < y, signed.
func (a *ranges) less(x, y *ir.Value, b *ir.Block) (known, is bool) {
	p, q := a.at(x, b), a.at(y, b)
	switch {
	case p.hi < q.lo:
		return true, true
	case p.lo >= q.hi:
		return true, false
	}
	for _, r := range a.facts[x] {
		if r.other == y && a.dom.Dominates(r.from, b) {
			switch r.rel {
			case below:
				return true, true
			case atLeast:
				return true, false
			}
		}
	}
	return false, false
}
