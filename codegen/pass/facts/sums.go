package facts

// This file writes an integer as a sum of products with constant coefficients. The prover uses sums
// to compare two values.

import "github.com/kgen-go/kgen/codegen/ir"

// linearSum represents an integer as a sum of products and a constant k. Different computations of
// the same integer give the same sum, up to wrapping. For example, the difference (y+1)*w - y*w
// becomes the sum w.
type linearSum struct {
	k     uint64
	terms []coefProduct
}

// coefProduct is coef * a * b, or coef * a if b is nil.
type coefProduct struct {
	a, b *ir.Value
	coef uint64
}

const (
	maxProducts = 6
	sumDepth    = 5
)

// sumOf returns the integer v as a sum of products. If the sum would have too many products or if
// its operands were nested too deeply, sumOf returns the single product 1*v.
func sumOf(v *ir.Value) linearSum {
	s, ok := sumAt(v, sumDepth)
	if !ok {
		return linearSum{terms: []coefProduct{{v, nil, 1}}}
	}
	return s
}

func sumAt(v *ir.Value, depth int) (s linearSum, ok bool) {
	whole := linearSum{terms: []coefProduct{{v, nil, 1}}}
	if v.IsConst() {
		return linearSum{k: uint64(v.Int())}, true
	}
	if v.Block == nil || depth == 0 {
		return whole, true
	}
	part := func(i int) linearSum {
		x, ok := sumAt(v.Args[i], depth-1)
		if !ok {
			return linearSum{terms: []coefProduct{{v.Args[i], nil, 1}}}
		}
		return x
	}
	switch v.Op {
	case ir.OpIAdd:
		return part(0).plusTimes(part(1), 1)
	case ir.OpISub:
		return part(0).plusTimes(part(1), ^uint64(0))
	case ir.OpIMul:
		if s, ok := part(0).times(part(1)); ok {
			return s, true
		}
	}
	return whole, true
}

// plusTimes returns s + f*t.
func (s linearSum) plusTimes(t linearSum, f uint64) (linearSum, bool) {
	r := linearSum{k: s.k + f*t.k}
	r.terms = append(r.terms, s.terms...)
	for _, p := range t.terms {
		p.coef *= f
		if !r.add(p) {
			return linearSum{}, false
		}
	}
	return r, true
}

func (s *linearSum) add(p coefProduct) bool {
	for i, q := range s.terms {
		if q.a == p.a && q.b == p.b {
			if s.terms[i].coef += p.coef; s.terms[i].coef == 0 {
				s.terms = append(s.terms[:i:i], s.terms[i+1:]...)
			}
			return true
		}
	}
	if p.coef != 0 {
		s.terms = append(s.terms, p)
	}
	return len(s.terms) <= maxProducts
}

func (s linearSum) times(t linearSum) (linearSum, bool) {
	r := linearSum{k: s.k * t.k}
	for _, p := range s.terms {
		if !r.add(coefProduct{p.a, p.b, p.coef * t.k}) {
			return linearSum{}, false
		}
		for _, q := range t.terms {
			if p.b != nil || q.b != nil {
				return linearSum{}, false
			}
			a, b := p.a, q.a
			if a.ID > b.ID {
				a, b = b, a
			}
			if !r.add(coefProduct{a, b, p.coef * q.coef}) {
				return linearSum{}, false
			}
		}
	}
	for _, q := range t.terms {
		if !r.add(coefProduct{q.a, q.b, q.coef * s.k}) {
			return linearSum{}, false
		}
	}
	return r, true
}

// singleValue returns v and k if the sum s is v + k for a single value v.
func (s linearSum) singleValue() (v *ir.Value, k int64, ok bool) {
	if len(s.terms) != 1 || s.terms[0].coef != 1 || s.terms[0].b != nil {
		return nil, 0, false
	}
	return s.terms[0].a, int64(s.k), true
}
