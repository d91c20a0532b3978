package pass

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// evidence says what a proof rests on.
type evidence uint8

const (
	byRange     evidence = 1 << iota // intervals that hold everywhere
	byCondition                      // a branch on the way
	byInduction                      // what a loop keeps up
	byItem                           // that ids stay below the range
	byLength                         // how two lengths compare
)

// Limits of the search for one proof.
const (
	maxProofSteps = 600
	maxProofDepth = 24
	maxProofLinks = 60_000 // looked at: large kernels have many to the same length
)

// prover proves x <= y + c over what ranges knows: it follows the relations
// upward from x until it comes to y (Bodík, Gupta and Sarkar, "ABCD", PLDI 2000).
// A phi holds what all its arguments hold, by induction where it heads a loop.
type prover struct {
	a     *ranges
	terms map[*ir.Value]term
	links map[*ir.Value][]link
	// floors are the lower bounds among facts, of those values that were computed:
	// others are come to from x.
	floors map[*ir.Value][]link
	extra  []link // what holds on the edge or in the arm that is looked at
	under  []claim
	known  map[place]knownInterval // what at has found without extra
	backs  int                     // back edges on the way
	steps  int
	looked int // links that were looked at
}

type knownInterval struct {
	q   interval
	how evidence
}

// term is a value as base + k, exactly; a nil base is 0.
type term struct {
	base *ir.Value
	k    int64
}

// link is a relation of base + k to another value in the blocks under from, or
// for now if from is nil.
type link struct {
	base  *ir.Value
	k     int64
	rel   relation
	other *ir.Value
	o     term // other, taken apart
	from  *ir.Block
	how   evidence
}

// claim is what is being proved: x <= y + c.
type claim struct {
	x, y  *ir.Value
	c     int64
	phi   bool // by induction, and so wherever x is defined
	backs int
}

func newProver(a *ranges) *prover {
	p := &prover{a: a, terms: map[*ir.Value]term{}, links: map[*ir.Value][]link{}, floors: map[*ir.Value][]link{}, known: map[place]knownInterval{}}
	for _, b := range a.dom.Order {
		for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
			for _, v := range vs {
				p.link(v)
			}
		}
	}
	return p
}

// link files the bounds among v's facts under what v is made of.
func (p *prover) link(v *ir.Value) {
	for _, f := range p.a.facts[v] {
		if f.rel == above || f.rel == atLeast {
			t, o := p.term(v), p.term(f.other)
			if x := o.base; t.base != nil && x != nil && x.Block != nil && len(x.Args) == 2 && x.Op != ir.OpPhi {
				p.floors[t.base] = append(p.floors[t.base], link{t.base, t.k, f.rel, f.other, o, f.from, byCondition})
			}
		}
		if l, ok := p.newLink(v, f.rel, f.other, f.from); ok {
			p.links[l.base] = append(p.links[l.base], l)
		}
	}
}

func (p *prover) newLink(v *ir.Value, r relation, other *ir.Value, from *ir.Block) (link, bool) {
	t := p.term(v)
	if t.base == nil || r != below && r != atMost {
		return link{}, false
	}
	how, o := byCondition, p.term(other)
	if isRangeArg(o.base) {
		how = byItem
	} else if v.Op == ir.OpPhi && v.Block == from {
		how = byInduction // inherited
	}
	return link{t.base, t.k, r, other, o, from, how}, true
}

func isRangeArg(v *ir.Value) bool {
	return v != nil && v.Op == ir.OpArg && v.Bits >= abi.OffsetRange && v.Bits < abi.OffsetReserved
}

// le reports whether x <= y + c in block b, signed, and why.
func (p *prover) le(x, y *ir.Value, c int64, b *ir.Block) (evidence, bool) {
	p.steps, p.looked, p.backs = 0, 0, 0
	p.under, p.extra = p.under[:0], p.extra[:0]
	return p.compare(p.term(x), p.term(y), c, b)
}

func (p *prover) compare(x, y term, c int64, b *ir.Block) (evidence, bool) {
	c, over := add64(c, y.k)
	d, over2 := sub64(c, x.k)
	if over || over2 {
		return 0, false
	}
	return p.prove(x.base, y.base, d, b)
}

// term takes v apart.
func (p *prover) term(v *ir.Value) term {
	if t, ok := p.terms[v]; ok {
		return t
	}
	t := term{v, 0}
	switch {
	case v.IsConst() && v.Type.IsInt():
		t = term{nil, v.Int()}
	case v.Block == nil || !v.Type.IsInt():
	case v.Op == ir.OpUConvert || v.Op == ir.OpSConvert:
		if x := v.Args[0]; x.Type.IsInt() && p.a.keeps(v) {
			t = p.term(x)
		}
	case v.Op == ir.OpIAdd || v.Op == ir.OpISub:
		t = p.sum(v)
	}
	p.terms[v] = t
	return t
}

// keeps reports whether a conversion does not change its argument's value.
func (a *ranges) keeps(v *ir.Value) bool {
	x := v.Args[0]
	q := a.at(x, v.Block)
	if v.Type.Bits() > x.Type.Bits() {
		return v.Op == ir.OpSConvert || q.lo >= 0
	}
	full := fullRange(v.Type)
	return q.lo >= full.lo && q.hi <= full.hi
}

// sum takes a sum or difference apart that is one value and a constant.
func (p *prover) sum(v *ir.Value) term {
	s := sumOf(v)
	base, k, ok := s.single()
	if !ok || base == v {
		return term{v, 0}
	}
	// Equal but for wrapping; neither wraps.
	full := fullRange(v.Type)
	r := addRanges(p.a.at(base, v.Block), interval{k, k})
	if r.lo > r.hi || r.lo < full.lo || r.hi > full.hi {
		return term{v, 0}
	}
	t := p.term(base)
	if k, over := add64(t.k, k); !over {
		return term{t.base, k}
	}
	return term{v, 0}
}

// at is the interval of v in b, under what is known of v plus a constant, and
// assumed, too.
func (p *prover) at(v *ir.Value, b *ir.Block) (interval, evidence) {
	if v == nil {
		return interval{}, byRange
	}
	if len(p.extra) > 0 {
		return p.find(v, b)
	}
	p.looked += len(p.links[v])
	k, ok := p.known[place{v, b}]
	if !ok {
		looked := p.looked
		k.q, k.how = p.find(v, b)
		if p.looked = looked; len(p.known) >= maxKnown {
			clear(p.known)
		}
		p.known[place{v, b}] = k
	}
	return k.q, k.how
}

func (p *prover) find(v *ir.Value, b *ir.Block) (interval, evidence) {
	q := p.a.at(v, b)
	how := byRange
	if q != p.a.value(v) {
		how = byCondition
	}
	for _, ls := range [2][]link{p.extra, p.links[v]} {
		p.looked += len(ls)
		for _, l := range ls {
			if l.base != v || l.from != nil && !p.a.dom.Dominates(l.from, b) {
				continue
			}
			hi, over := sub64(p.a.at(l.other, b).hi, l.k)
			if over || l.rel == below && hi == math.MinInt64 {
				continue
			}
			if l.rel == below {
				hi--
			}
			if hi < q.hi && hi >= q.lo {
				q.hi = hi
				how = l.how
			}
		}
	}
	return q, how
}

// prove reports whether x <= y + c in b, where nil stands for 0.
func (p *prover) prove(x, y *ir.Value, c int64, b *ir.Block) (evidence, bool) {
	if x == y {
		return byRange, c >= 0
	}
	if p.steps++; p.steps > maxProofSteps || p.looked > maxProofLinks || len(p.under) > maxProofDepth {
		return 0, false
	}
	px, ex := p.at(x, b)
	py, ey := p.at(y, b)
	if lo, over := add64(py.lo, c); !over && px.hi <= lo {
		return ex | ey, true
	}
	for _, u := range slices.Backward(p.under) {
		if u.x == x && u.y == y && (u.phi || u.backs == p.backs) {
			if u.phi && c >= u.c && p.backs > u.backs {
				return byInduction, true
			}
			return p.direct(x, y, c, b)
		}
	}
	p.under = append(p.under, claim{x: x, y: y, c: c, backs: p.backs})
	defer func() { p.under = p.under[:len(p.under)-1] }()
	if x != nil {
		if how, ok := p.follow(x, y, c, b); ok {
			return how, true
		}
		if how, ok := p.above(x, y, c, b); ok {
			return how, true
		}
	}
	if y != nil {
		return p.beneath(x, y, c, b)
	}
	return 0, false
}

// follow tries the relations of x to other values, those to y first.
func (p *prover) follow(x, y *ir.Value, c int64, b *ir.Block) (evidence, bool) {
	for _, direct := range [2]bool{true, false} {
		for _, ls := range [2][]link{p.extra, p.links[x]} {
			p.looked += len(ls)
			for _, l := range ls {
				o := l.o
				if l.base != x || o.base == nil || direct != (o.base == y) || l.from != nil && !p.a.dom.Dominates(l.from, b) {
					continue
				}
				// x + k <= o.base + o.k, or one less.
				d, over := sub64(o.k, l.k)
				e, over2 := sub64(c, d)
				if l.rel == below && !over2 {
					e, over2 = add64(e, 1)
				}
				if over || over2 {
					continue
				}
				how, ok := p.prove(o.base, y, e, b)
				if !ok {
					continue
				}
				if how |= l.how; !direct && p.a.isLength(o.base) && p.a.isLength(y) {
					how |= byLength
				}
				return how, true
			}
		}
	}
	return 0, false
}

// direct looks for a relation of x to y itself: of a loop that tests at its end,
// what the test says of the next iteration.
func (p *prover) direct(x, y *ir.Value, c int64, b *ir.Block) (evidence, bool) {
	if x == nil || y == nil {
		return 0, false
	}
	for _, ls := range [2][]link{p.extra, p.links[x]} {
		for _, l := range ls {
			o := l.o
			if l.base != x || o.base != y || l.from != nil && !p.a.dom.Dominates(l.from, b) {
				continue
			}
			d, over := sub64(o.k, l.k)
			if l.rel == below && !over {
				d, over = sub64(d, 1)
			}
			if !over && d <= c {
				return l.how, true
			}
		}
	}
	return 0, false
}

// isLength reports whether v is a length by its kind: a slice's, or what is left
// of one.
func (a *ranges) isLength(v *ir.Value) bool {
	if v == nil {
		return false
	}
	if v.Op == ir.OpISub {
		return a.isLength(v.Args[0])
	}
	return v.Op == ir.OpArg && v.Type == ir.TypeI64 && a.length[v.Bits]
}

// phi proves a claim of a phi by its arguments.
func (p *prover) phi(x, y *ir.Value, c int64) (evidence, bool) {
	dom, at := p.a.dom, x.Block
	if y != nil && y.Block != nil && (y.Block == at || !dom.Dominates(y.Block, at)) {
		return 0, false // y may be another one when x was made
	}
	me := len(p.under) - 1
	p.under[me].phi = true
	extra, backs := p.extra, p.backs
	defer func() { p.extra, p.backs, p.under[me].phi = extra, backs, false }()
	var how evidence
	for i, w := range x.Args {
		pred := at.Preds[i]
		p.extra, p.backs = nil, backs
		if dom.IsBackEdge(pred, at) {
			if !dom.Dominates(at, pred) {
				return 0, false
			}
			p.backs++
			how |= byInduction
		}
		p.assumeEdge(pred, at)
		e, ok := p.compare(p.term(w), term{y, 0}, c, pred)
		if !ok {
			return 0, false
		}
		how |= e
	}
	return how, true
}

// assumeEdge adds what the branch of pred says on its edge to b.
func (p *prover) assumeEdge(pred, b *ir.Block) {
	p.a.edgeRelations(pred, b, func(x *ir.Value, r relation, y *ir.Value) {
		if l, ok := p.newLink(x, r, y, nil); ok {
			p.extra = append(p.extra, l)
		}
	})
}

// arms proves a claim for both arms of a select; claim gets the arm's value.
func (p *prover) arms(v *ir.Value, b *ir.Block, claim func(arm term) (evidence, bool)) (evidence, bool) {
	var how evidence
	for i, is := range [2]bool{true, false} {
		n := len(p.extra)
		eachRelation(v.Args[0], is, func(x *ir.Value, r relation, y *ir.Value, unsigned bool) {
			if unsigned && (p.a.at(x, b).lo < 0 || p.a.at(y, b).lo < 0) {
				return
			}
			for _, side := range [2]struct {
				v *ir.Value
				r relation
				o *ir.Value
			}{{x, r, y}, {y, flip(r), x}} {
				if l, ok := p.newLink(side.v, side.r, side.o, nil); ok {
					p.extra = append(p.extra, l)
				}
			}
		})
		e, ok := claim(p.term(v.Args[1+i]))
		p.extra = p.extra[:n:n]
		if !ok {
			return 0, false
		}
		how |= e
	}
	return how, true
}
