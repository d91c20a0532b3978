package checks

// This file contains the pass `bounds`, which removes checks that always pass. The pass `gather`
// and the passes on loops run later, and handle the checks that `bounds` could not remove.

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// Bounds replaces comparisons by constants if their results follow from the intervals of the
// operands and from dominating branches. So Bounds removes most checks of indices, together with
// the faults that would end work-items early.
func Bounds(m *ir.Module, r *facts.Result) diag.List { return DecideBounds(m, r, nil) }

// maxBoundsRounds is the largest number of times that the code is examined and then simplified. For
// example, the operands of a remainder can be analysed only after the first simplification.
const maxBoundsRounds = 3

// DecideBounds implements Bounds. If onProved is not nil, DecideBounds calls onProved before it replaces a
// branch's condition by a constant. The argument `dead` of onProved is the successor block that the branch
// never takes.
func DecideBounds(m *ir.Module, r *facts.Result, onProved func(d *Decider, b, dead *ir.Block, how facts.Evidence)) diag.List {
	for range maxBoundsRounds {
		uniform.Arrange(m)
		common, divergent, u := uniform.CommonBranches(m)
		ways := u.WaysOut()
		d := NewDecider(m, nil, r)
		var forDead *Decider // decides conditions only by facts that also hold for dead lanes (work-items that have left their group)
		if len(common) > 0 {
			forDead = NewDecider(m, divergent, r)
		}
		folded := d.foldConditions()
		changed := false
		for _, b := range d.Ranges.Dom.Order {
			if b.Term.Kind != ir.Branch || b.Term.Cond.IsConst() {
				continue
			}
			by := d
			if common[b] {
				by = forDead
			}
			c, how := by.reduceCond(b.Term.Cond, b)
			if c == b.Term.Cond || c.IsConst() && !ways.Spare(b, b.Term.Succs[c.Bits]) {
				continue
			}
			// DecideBounds keeps a check that always fails. Without the check, an earlier branch,
			// such as a loop exit, would lead only to a fault. Package uniform does not treat a
			// path to a fault as an exit of a loop.
			if u != nil && c.IsConst() && uniform.Faults(b.Term.Succs[1-c.Bits]) {
				continue
			}
			if onProved != nil && c.IsConst() {
				onProved(d, b, b.Term.Succs[c.Bits], how)
			}
			b.Term.Cond = c
			changed = true
		}
		if !changed && !folded {
			break
		}
		if diags := simplify.Run(m); len(diags) > 0 {
			return diags
		}
		if diags := simplify.DCE(m); len(diags) > 0 || !folded {
			return diags
		}
	}
	return nil
}

// Decider finds the values of conditions that are known at compile time.
type Decider struct {
	Module *ir.Module
	Ranges *facts.Ranges
	Prover *facts.Prover
}

// NewDecider returns a Decider for m's kernel. The Decider derives no facts from the branches of
// blocks in the set "divergent", which may be nil. NewDecider records in r the sizes that it
// assumes to be small.
func NewDecider(m *ir.Module, divergent map[*ir.Block]bool, r *facts.Result) *Decider {
	a := facts.Solved(m, divergent, r)
	return &Decider{m, a, facts.NewProver(a)}
}

// foldConditions replaces each bool operand of an instruction by a constant, if the operand's value
// is known in the block that computes the operand. foldConditions changes the operands of selects
// and conditions, but not the conditions of branches. foldConditions reports whether it replaced
// any operand.
func (d *Decider) foldConditions() bool {
	known := map[*ir.Value]*ir.Value{}
	for _, b := range d.Ranges.Dom.Order {
		for _, v := range b.Insts {
			for i, x := range v.Args {
				if x.Type != ir.TypeBool || x.IsConst() || x.Block == nil {
					continue
				}
				c, ok := known[x]
				if !ok {
					c = x
					if yes, is, _ := d.Decide(x, x.Block); yes {
						c = d.Module.Bool(is)
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

// reduceCond simplifies the condition c at the end of block b. If the value of c is known, the
// result is a constant. If one operand of c does not affect c, the result is the other operand. For
// any other condition c, the result is c itself. reduceCond also returns the evidence, that is, the
// kinds of facts that the proof uses.
func (d *Decider) reduceCond(c *ir.Value, b *ir.Block) (*ir.Value, facts.Evidence) {
	if known, is, how := d.Decide(c, b); known {
		return d.Module.Bool(is), how
	}
	if c.Op != ir.OpLAnd && c.Op != ir.OpLOr {
		return c, 0
	}
	for i, x := range c.Args {
		// If x is known but does not decide the conjunction or disjunction c, then c equals its
		// other operand.
		if known, _, how := d.Decide(x, b); known {
			return c.Args[1-i], how
		}
	}
	return c, 0
}

// Decide reports whether the condition c is known at the end of block b. If c is known, Decide also
// returns the value of c and the evidence (the kinds of facts that the proof uses).
func (d *Decider) Decide(c *ir.Value, b *ir.Block) (known, is bool, how facts.Evidence) {
	switch c.Op {
	case ir.OpLNot:
		known, is, how = d.Decide(c.Args[0], b)
		return known, !is, how
	case ir.OpLAnd, ir.OpLOr:
		settles := c.Op == ir.OpLOr
		k0, is0, how0 := d.Decide(c.Args[0], b)
		if k0 && is0 == settles {
			return true, settles, how0
		}
		k1, is1, how1 := d.Decide(c.Args[1], b)
		if k1 && is1 == settles {
			return true, settles, how1
		}
		return k0 && k1, !settles, how0 | how1
	case ir.OpSLt:
		return d.decideSigned(c.Args[0], c.Args[1], b, -1)
	case ir.OpSLe:
		return d.decideSigned(c.Args[0], c.Args[1], b, 0)
	case ir.OpULt:
		return d.decideUnsigned(c.Args[0], c.Args[1], b, -1)
	case ir.OpULe:
		return d.decideUnsigned(c.Args[0], c.Args[1], b, 0)
	case ir.OpIEq, ir.OpINe:
		x, y := c.Args[0], c.Args[1]
		p, q := d.Ranges.At(x, b), d.Ranges.At(y, b)
		if p.Hi < q.Lo || q.Hi < p.Lo {
			return true, c.Op == ir.OpINe, d.rangeEvidence(x, y, b)
		}
		for _, f := range d.Ranges.Facts(x) {
			if f.Rel == facts.Unequal && f.Other == y && d.Ranges.Dom.Dominates(f.From, b) {
				return true, c.Op == ir.OpINe, facts.ByCondition
			}
		}
	}
	return false, false, 0
}

// rangeEvidence returns the evidence for a proof that uses only the intervals of x and y in
// block b.
func (d *Decider) rangeEvidence(x, y *ir.Value, b *ir.Block) facts.Evidence {
	if d.Ranges.At(x, b) != d.Ranges.Value(x) || d.Ranges.At(y, b) != d.Ranges.Value(y) {
		return facts.ByCondition
	}
	return facts.ByRange
}

// decideSigned finds out whether x <= y + c is always true or always false for signed integers.
func (d *Decider) decideSigned(x, y *ir.Value, b *ir.Block, c int64) (isKnown, isTrue bool, how facts.Evidence) {
	if how, ok := d.Prover.Le(x, y, c, b); ok {
		return true, true, how
	}
	if how, ok := d.Prover.Le(y, x, -c-1, b); ok {
		return true, false, how
	}
	return false, false, 0
}

// decideUnsigned is like decideSigned for unsigned integers. decideUnsigned requires that x and y
// are known to be non-negative as signed integers.
func (d *Decider) decideUnsigned(x, y *ir.Value, b *ir.Block, c int64) (isKnown, isTrue bool, how facts.Evidence) {
	zero := ir.Outside(x.Type, 0)
	if d.Ranges.At(x, b).Lo < 0 {
		if _, ok := d.Prover.Le(zero, x, 0, b); !ok {
			return false, false, 0
		}
	}
	if how, ok := d.Prover.Le(x, y, c, b); ok {
		return true, true, how
	}
	if d.Ranges.At(y, b).Lo < 0 {
		return false, false, 0
	}
	if how, ok := d.Prover.Le(y, x, -c-1, b); ok {
		return true, false, how
	}
	return false, false, 0
}
