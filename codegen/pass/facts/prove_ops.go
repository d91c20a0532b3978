package facts

// This file contains the prover's rules for certain ops, such as quotients, remainders and shifts.
// The file also contains rules for indices such as i*w + j.

import (
	"math"

	"github.com/kgen-go/kgen/codegen/ir"
)

// proveByUpper tries to prove x <= y + c by an upper bound of x that follows from x's operands.
func (p *Prover) proveByUpper(x, y *ir.Value, c int64, b *ir.Block) (Evidence, bool) {
	try := func(v *ir.Value, d int64) (Evidence, bool) { return p.compare(p.Term(v), baseTerm{y, 0}, d, b) }
	if x.Block == nil {
		return 0, false
	}
	switch x.Op {
	case ir.OpPhi:
		return p.provePhi(x, y, c)
	case ir.OpSelect:
		return p.proveSelect(x, b, func(arm baseTerm) (Evidence, bool) { return p.compare(arm, baseTerm{y, 0}, c, b) })
	case ir.OpIAdd:
		if how, ok := p.proveGridIndex(x, y, c, b); ok {
			return how, true
		}
		if !p.neverWraps(x) {
			return 0, false
		}
		for i, v := range x.Args {
			if d, over := Sub64(c, p.a.At(x.Args[1-i], b).Hi); !over {
				if how, ok := try(v, d); ok {
					return how, true
				}
			}
		}
	case ir.OpISub:
		if r, d := p.a.remainderOf(x); r != nil {
			if how, ok := try(r, c); ok {
				return how, true
			}
			return try(d, c+1)
		}
		if p.neverWraps(x) {
			if d, over := add64(c, p.a.At(x.Args[1], b).Lo); !over {
				return try(x.Args[0], d)
			}
		}
	case ir.OpUMod:
		if p.a.At(x.Args[1], x.Block).Lo > 0 && p.a.At(x.Args[0], x.Block).Lo >= 0 {
			if how, ok := try(x.Args[0], c); ok {
				return how, true
			}
			return try(x.Args[1], c+1)
		}
	case ir.OpAnd:
		for _, v := range x.Args {
			if p.a.At(v, x.Block).Lo >= 0 { // since v is not negative, the result is at most v
				if how, ok := try(v, c); ok {
					return how, true
				}
			}
		}
	case ir.OpSDiv, ir.OpUDiv, ir.OpShrA, ir.OpShrL:
		return p.proveQuotient(x, y, c, b)
	}
	return 0, false
}

// neverWraps reports whether the sum, difference or product v never wraps.
func (p *Prover) neverWraps(v *ir.Value) bool {
	x, y := p.a.At(v.Args[0], v.Block), p.a.At(v.Args[1], v.Block)
	var r Interval
	switch v.Op {
	case ir.OpIAdd:
		r = AddRanges(x, y)
	case ir.OpISub:
		if y.Lo == FullRange(ir.TypeI64).Lo {
			return false
		}
		r = AddRanges(x, Interval{-y.Hi, -y.Lo})
	case ir.OpIMul:
		r = MulRanges(x, y)
	default:
		return false
	}
	full := FullRange(v.Type)
	return r.Lo <= r.Hi && r.Lo >= full.Lo && r.Hi <= full.Hi
}

// proveQuotient tries to prove x <= y + c for x = v / n or x = v >> n. If v is not negative, x is
// at most v. If v is a sum and x is half of v, x is at most the mean of the upper bounds of v's
// operands. For example, the middle index of a binary search is less than the end index.
func (p *Prover) proveQuotient(x, y *ir.Value, c int64, b *ir.Block) (Evidence, bool) {
	v, n := x.Args[0], x.Args[1]
	if p.a.At(v, x.Block).Lo < 0 {
		return 0, false
	}
	shift := x.Op == ir.OpShrA || x.Op == ir.OpShrL
	if q := p.a.At(n, x.Block); !shift && q.Lo < 1 || shift && (q.Lo < 0 || q.Hi >= int64(x.Type.Bits())) {
		return 0, false
	}
	half := n.IsConst() && (shift && n.Bits == 1 || !shift && n.Bits == 2)
	if s := v; half && s.Op == ir.OpIAdd && p.neverWraps(s) {
		for i, lo := range s.Args {
			if c == math.MaxInt64 {
				break
			}
			// If the operand lo is at most y+c and the other operand is at most y+c+1, the sum is at most 2*(y+c) + 1.
			// Half of 2*(y+c) + 1, rounded down, is y+c.
			how, ok := p.compare(p.Term(s.Args[1-i]), baseTerm{y, 0}, c+1, b)
			if !ok {
				continue
			}
			if how2, ok := p.compare(p.Term(lo), baseTerm{y, 0}, c, b); ok {
				return how | how2, true
			}
		}
	}
	if q := p.a.At(n, x.Block); c < math.MaxInt64 && p.a.At(v, x.Block).Lo >= 1 && (shift && q.Lo >= 1 || !shift && q.Lo >= 2) {
		c++ // x is at most half of the positive v, so x is less than v
	}
	return p.compare(p.Term(v), baseTerm{y, 0}, c, b)
}

// proveGridIndex tries to prove x <= y + c if x is i*w + j and y is h*w, with i < h and j < w. For
// example, x may be an index into a matrix that has h rows of w elements.
func (p *Prover) proveGridIndex(x, y *ir.Value, c int64, b *ir.Block) (Evidence, bool) {
	if y == nil || y.Op != ir.OpIMul || c < -1 || !p.neverWraps(y) || !p.neverWraps(x) {
		return 0, false
	}
	for k, row := range x.Args {
		j := x.Args[1-k]
		if row.Op != ir.OpIMul || !p.neverWraps(row) {
			continue
		}
		for m, i := range row.Args {
			w := row.Args[1-m]
			for n, h := range y.Args {
				if p.Term(w) != p.Term(y.Args[1-n]) || p.a.At(w, b).Lo < 0 {
					continue
				}
				how, ok := p.compare(p.Term(i), p.Term(h), -1, b)
				if !ok {
					continue
				}
				if how2, ok := p.compare(p.Term(j), p.Term(w), -1, b); ok {
					return how | how2, true
				}
			}
		}
	}
	return 0, false
}

// proveByLower tries to prove x <= y + c by a lower bound of y. The lower bounds follow from the
// facts about y and from y's operands.
func (p *Prover) proveByLower(x, y *ir.Value, c int64, b *ir.Block) (Evidence, bool) {
	for _, l := range p.lowerBounds[y] {
		d, over := Sub64(c, l.k)
		if l.rel == Above && !over {
			d, over = add64(d, 1)
		}
		if over || !p.a.Dom.Dominates(l.fromBlock, b) {
			continue
		}
		if how, ok := p.compare(baseTerm{x, 0}, l.o, d, b); ok {
			return how | l.how, true
		}
	}
	if y.Block == nil {
		return 0, false
	}
	switch y.Op {
	case ir.OpSelect:
		return p.proveSelect(y, b, func(arm baseTerm) (Evidence, bool) { return p.compare(baseTerm{x, 0}, arm, c, b) })
	case ir.OpIAdd:
		if !p.neverWraps(y) {
			return 0, false
		}
		for i, v := range y.Args {
			if d, over := add64(c, p.a.At(y.Args[1-i], b).Lo); !over {
				if how, ok := p.compare(baseTerm{x, 0}, p.Term(v), d, b); ok {
					return how, true
				}
			}
		}
	case ir.OpISub:
		// x <= u - v + c holds if v <= u + c - x.
		if px, _ := p.intervalAt(x, b); p.neverWraps(y) {
			if d, over := Sub64(c, px.Hi); !over {
				return p.compare(p.Term(y.Args[1]), p.Term(y.Args[0]), d, b)
			}
		}
	}
	return 0, false
}
