package pass

import (
	"math"

	"github.com/kgen-go/kgen/codegen/ir"
)

// above looks at how x was computed for something that is at least x.
func (p *prover) above(x, y *ir.Value, c int64, b *ir.Block) (evidence, bool) {
	try := func(v *ir.Value, d int64) (evidence, bool) { return p.compare(p.term(v), term{y, 0}, d, b) }
	if x.Block == nil {
		return 0, false
	}
	switch x.Op {
	case ir.OpPhi:
		return p.phi(x, y, c)
	case ir.OpSelect:
		return p.arms(x, b, func(arm term) (evidence, bool) { return p.compare(arm, term{y, 0}, c, b) })
	case ir.OpIAdd:
		if how, ok := p.grid(x, y, c, b); ok {
			return how, true
		}
		if !p.exact(x) {
			return 0, false
		}
		for i, v := range x.Args {
			if d, over := sub64(c, p.a.at(x.Args[1-i], b).hi); !over {
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
		if p.exact(x) {
			if d, over := add64(c, p.a.at(x.Args[1], b).lo); !over {
				return try(x.Args[0], d)
			}
		}
	case ir.OpUMod:
		if p.a.at(x.Args[1], x.Block).lo > 0 && p.a.at(x.Args[0], x.Block).lo >= 0 {
			if how, ok := try(x.Args[0], c); ok {
				return how, true
			}
			return try(x.Args[1], c+1)
		}
	case ir.OpAnd:
		for _, v := range x.Args {
			if p.a.at(v, x.Block).lo >= 0 { // whatever the other one masks
				if how, ok := try(v, c); ok {
					return how, true
				}
			}
		}
	case ir.OpSDiv, ir.OpUDiv, ir.OpShrA, ir.OpShrL:
		return p.quotient(x, y, c, b)
	}
	return 0, false
}

// exact reports whether a sum, difference or product does not wrap.
func (p *prover) exact(v *ir.Value) bool {
	x, y := p.a.at(v.Args[0], v.Block), p.a.at(v.Args[1], v.Block)
	var r interval
	switch v.Op {
	case ir.OpIAdd:
		r = addRanges(x, y)
	case ir.OpISub:
		if y.lo == fullRange(ir.TypeI64).lo {
			return false
		}
		r = addRanges(x, interval{-y.hi, -y.lo})
	case ir.OpIMul:
		r = mulRanges(x, y)
	default:
		return false
	}
	full := fullRange(v.Type)
	return r.lo <= r.hi && r.lo >= full.lo && r.hi <= full.hi
}

// quotient is about x = v / n or v >> n with a v that is not negative: it is at
// most v. Half of a sum is at most the mean of what bounds the parts, as the
// middle of a binary search is below its end.
func (p *prover) quotient(x, y *ir.Value, c int64, b *ir.Block) (evidence, bool) {
	v, n := x.Args[0], x.Args[1]
	if p.a.at(v, x.Block).lo < 0 {
		return 0, false
	}
	shift := x.Op == ir.OpShrA || x.Op == ir.OpShrL
	if q := p.a.at(n, x.Block); !shift && q.lo < 1 || shift && (q.lo < 0 || q.hi >= int64(x.Type.Bits())) {
		return 0, false
	}
	half := n.IsConst() && (shift && n.Bits == 1 || !shift && n.Bits == 2)
	if s := v; half && s.Op == ir.OpIAdd && p.exact(s) {
		for i, lo := range s.Args {
			if c == math.MaxInt64 {
				break
			}
			// With lo <= y+c and hi <= y+c+1 the sum is at most 2*(y+c) + 1.
			how, ok := p.compare(p.term(s.Args[1-i]), term{y, 0}, c+1, b)
			if !ok {
				continue
			}
			if how2, ok := p.compare(p.term(lo), term{y, 0}, c, b); ok {
				return how | how2, true
			}
		}
	}
	if q := p.a.at(n, x.Block); c < math.MaxInt64 && p.a.at(v, x.Block).lo >= 1 && (shift && q.lo >= 1 || !shift && q.lo >= 2) {
		c++ // half of what is not zero is less
	}
	return p.compare(p.term(v), term{y, 0}, c, b)
}

// grid is about i*w + j <= h*w + c for i < h and 0 <= j < w: the index of an
// element in rows of w.
func (p *prover) grid(x, y *ir.Value, c int64, b *ir.Block) (evidence, bool) {
	if y == nil || y.Op != ir.OpIMul || c < -1 || !p.exact(y) || !p.exact(x) {
		return 0, false
	}
	for k, row := range x.Args {
		j := x.Args[1-k]
		if row.Op != ir.OpIMul || !p.exact(row) {
			continue
		}
		for m, i := range row.Args {
			w := row.Args[1-m]
			for n, h := range y.Args {
				if p.term(w) != p.term(y.Args[1-n]) || p.a.at(w, b).lo < 0 {
					continue
				}
				how, ok := p.compare(p.term(i), p.term(h), -1, b)
				if !ok {
					continue
				}
				if how2, ok := p.compare(p.term(j), p.term(w), -1, b); ok {
					return how | how2, true
				}
			}
		}
	}
	return 0, false
}

// beneath looks at how y was computed, and at what is known of it, for something
// that is at most y.
func (p *prover) beneath(x, y *ir.Value, c int64, b *ir.Block) (evidence, bool) {
	for _, l := range p.floors[y] {
		d, over := sub64(c, l.k)
		if l.rel == above && !over {
			d, over = add64(d, 1)
		}
		if over || !p.a.dom.Dominates(l.from, b) {
			continue
		}
		if how, ok := p.compare(term{x, 0}, l.o, d, b); ok {
			return how | l.how, true
		}
	}
	if y.Block == nil {
		return 0, false
	}
	switch y.Op {
	case ir.OpSelect:
		return p.arms(y, b, func(arm term) (evidence, bool) { return p.compare(term{x, 0}, arm, c, b) })
	case ir.OpIAdd:
		if !p.exact(y) {
			return 0, false
		}
		for i, v := range y.Args {
			if d, over := add64(c, p.a.at(y.Args[1-i], b).lo); !over {
				if how, ok := p.compare(term{x, 0}, p.term(v), d, b); ok {
					return how, true
				}
			}
		}
	case ir.OpISub:
		// x <= u - v + c where v <= u + c - x.
		if px, _ := p.at(x, b); p.exact(y) {
			if d, over := sub64(c, px.hi); !over {
				return p.compare(p.term(y.Args[1]), p.term(y.Args[0]), d, b)
			}
		}
	}
	return 0, false
}
