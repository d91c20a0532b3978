package facts

// This file proves relations between two values, such as i < len(s), that do not follow from
// intervals alone. The prover follows comparisons, loops and sums. The proofs allow passes to
// remove checks.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Evidence is a set of the kinds of facts that a proof uses.
type Evidence uint8

const (
	ByRange     Evidence = 1 << iota // intervals that hold everywhere
	ByCondition                      // conditions of branches that dominate the block of the inequality
	ByInduction                      // loop invariants
	ByItem                           // work-item ids are less than the launch's range
	ByLength                         // relations between lengths of two slices
)

// These constants limit the search for one proof.
const (
	maxProofSteps = 600
	maxProofDepth = 24
	maxProofLinks = 60_000 // largest number of relations examined; in large kernels, many relations lead to the same length
)

// Prover proves inequalities of the form x <= y + c from the facts in Ranges. Prover follows
// relations from x to greater values until it reaches y (Bodík, Gupta and Sarkar, "ABCD", PLDI
// 2000). An inequality of a phi is proved for each of the phi's arguments. For a phi at the head of
// a loop, the proof is a proof by induction.
type Prover struct {
	a       *Ranges
	terms   map[*ir.Value]baseTerm
	linksOf map[*ir.Value][]knownRelation
	// lowerBounds maps a value y to lower bounds of y. The map contains a lower bound only if the
	// bound is the result of an instruction with two operands. The prover finds other lower bounds
	// of y when it follows the relations of x to greater values.
	lowerBounds    map[*ir.Value][]knownRelation
	tempLinks      []knownRelation // relations that hold on the examined edge or for the examined operand of a select
	under          []claim
	knownIntervals map[Place]knownInterval // cached results of intervalAt, computed while tempLinks was empty
	backEdges      int                     // number of back edges crossed between the inequality to prove and the current inequality
	steps          int
	linkCount      int // number of relations examined in this proof
}

type knownInterval struct {
	q   Interval
	how Evidence
}

// baseTerm represents a value that equals Base + k without wrapping. If Base is nil, the value is
// k.
type baseTerm struct {
	Base *ir.Value
	k    int64
}

// knownRelation is a relation between base + k and another value. The relation holds in the blocks
// that fromBlock dominates. If fromBlock is nil, the relation is temporary and is part of
// Prover.tempLinks.
type knownRelation struct {
	base       *ir.Value
	k          int64
	rel        Relation
	otherValue *ir.Value
	o          baseTerm // otherValue as a base value plus a constant
	fromBlock  *ir.Block
	how        Evidence
}

// A claim is an inequality x <= y + c that is being proved.
type claim struct {
	x, y  *ir.Value
	c     int64
	phi   bool // whether x is a phi and the inequality is proved by induction over the arguments of x
	backs int
}

// NewProver returns a prover that uses the intervals and facts of a. The caller must have called
// a.Solve.
func NewProver(a *Ranges) *Prover {
	p := &Prover{a: a, terms: map[*ir.Value]baseTerm{}, linksOf: map[*ir.Value][]knownRelation{}, lowerBounds: map[*ir.Value][]knownRelation{}, knownIntervals: map[Place]knownInterval{}}
	for _, b := range a.Dom.Order {
		for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
			for _, v := range vs {
				p.linkFacts(v)
			}
		}
	}
	return p
}

// linkFacts writes v as base + k, and adds the facts about v to the relations and lower bounds of
// base.
func (p *Prover) linkFacts(v *ir.Value) {
	for _, f := range p.a.Facts(v) {
		if f.Rel == Above || f.Rel == AtLeast {
			t, o := p.Term(v), p.Term(f.Other)
			if x := o.Base; t.Base != nil && x != nil && x.Block != nil && len(x.Args) == 2 && x.Op != ir.OpPhi {
				p.lowerBounds[t.Base] = append(p.lowerBounds[t.Base], knownRelation{t.Base, t.k, f.Rel, f.Other, o, f.From, ByCondition})
			}
		}
		if l, ok := p.newLink(v, f.Rel, f.Other, f.From); ok {
			p.linksOf[l.base] = append(p.linksOf[l.base], l)
		}
	}
}

func (p *Prover) newLink(v *ir.Value, r Relation, other *ir.Value, from *ir.Block) (knownRelation, bool) {
	t := p.Term(v)
	if t.Base == nil || r != Below && r != AtMost {
		return knownRelation{}, false
	}
	how, o := ByCondition, p.Term(other)
	if IsRangeArg(o.Base) {
		how = ByItem
	} else if v.Op == ir.OpPhi && v.Block == from {
		how = ByInduction // the phi has inherited the relation, see Ranges.inheritBounds
	}
	return knownRelation{t.Base, t.k, r, other, o, from, how}, true
}

// IsRangeArg reports whether v is the extent of the launch's range along some dimension.
func IsRangeArg(v *ir.Value) bool {
	return v != nil && v.Op == ir.OpArg && v.Bits >= abi.OffsetRange && v.Bits < abi.OffsetReserved
}

// Le tries to prove x <= y + c for signed integers in block b. Le returns the evidence, and whether
// there is a proof.
func (p *Prover) Le(x, y *ir.Value, c int64, b *ir.Block) (Evidence, bool) {
	p.steps, p.linkCount, p.backEdges = 0, 0, 0
	p.under, p.tempLinks = p.under[:0], p.tempLinks[:0]
	return p.compare(p.Term(x), p.Term(y), c, b)
}

func (p *Prover) compare(x, y baseTerm, c int64, b *ir.Block) (Evidence, bool) {
	c, over := add64(c, y.k)
	d, over2 := Sub64(c, x.k)
	if over || over2 {
		return 0, false
	}
	return p.proveLe(x.Base, y.Base, d, b)
}

// Term returns v as the sum of a base value and a constant.
func (p *Prover) Term(v *ir.Value) baseTerm {
	if t, ok := p.terms[v]; ok {
		return t
	}
	t := baseTerm{v, 0}
	switch {
	case v.IsConst() && v.Type.IsInt():
		t = baseTerm{nil, v.Int()}
	case v.Block == nil || !v.Type.IsInt():
	case v.Op == ir.OpUConvert || v.Op == ir.OpSConvert:
		if x := v.Args[0]; x.Type.IsInt() && p.a.keepsValue(v) {
			t = p.Term(x)
		}
	case v.Op == ir.OpIAdd || v.Op == ir.OpISub:
		t = p.sumTerm(v)
	}
	p.terms[v] = t
	return t
}

// keepsValue reports whether the integer conversion v never changes the value of its
// argument.
func (a *Ranges) keepsValue(v *ir.Value) bool {
	x := v.Args[0]
	q := a.At(x, v.Block)
	if v.Type.Bits() > x.Type.Bits() {
		return v.Op == ir.OpSConvert || q.Lo >= 0
	}
	full := FullRange(v.Type)
	return q.Lo >= full.Lo && q.Hi <= full.Hi
}

// sumTerm writes v, which is a sum or difference, as a base value plus a constant. If the addition
// of the constant may wrap, or v has several summands, sumTerm returns v itself as the base.
func (p *Prover) sumTerm(v *ir.Value) baseTerm {
	s := sumOf(v)
	base, k, ok := s.singleValue()
	if !ok || base == v {
		return baseTerm{v, 0}
	}
	// The value v equals base + k, unless the addition wraps. The interval of base shows whether
	// base + k can wrap.
	full := FullRange(v.Type)
	r := AddRanges(p.a.At(base, v.Block), Interval{k, k})
	if r.Lo > r.Hi || r.Lo < full.Lo || r.Hi > full.Hi {
		return baseTerm{v, 0}
	}
	t := p.Term(base)
	if k, over := add64(t.k, k); !over {
		return baseTerm{t.Base, k}
	}
	return baseTerm{v, 0}
}

// intervalAt returns the interval of v in block b, with the evidence for it. Besides the facts
// about v, intervalAt uses the relations in linksOf and tempLinks. A relation in linksOf or
// tempLinks may be about v plus a constant, instead of v itself.
func (p *Prover) intervalAt(v *ir.Value, b *ir.Block) (Interval, Evidence) {
	if v == nil {
		return Interval{}, ByRange
	}
	if len(p.tempLinks) > 0 {
		return p.find(v, b)
	}
	p.linkCount += len(p.linksOf[v])
	k, ok := p.knownIntervals[Place{v, b}]
	if !ok {
		looked := p.linkCount
		k.q, k.how = p.find(v, b)
		if p.linkCount = looked; len(p.knownIntervals) >= maxKnown {
			clear(p.knownIntervals)
		}
		p.knownIntervals[Place{v, b}] = k
	}
	return k.q, k.how
}

func (p *Prover) find(v *ir.Value, b *ir.Block) (Interval, Evidence) {
	q := p.a.At(v, b)
	how := ByRange
	if q != p.a.Value(v) {
		how = ByCondition
	}
	for _, ls := range [2][]knownRelation{p.tempLinks, p.linksOf[v]} {
		p.linkCount += len(ls)
		for _, l := range ls {
			if l.base != v || l.fromBlock != nil && !p.a.Dom.Dominates(l.fromBlock, b) {
				continue
			}
			hi, over := Sub64(p.a.At(l.otherValue, b).Hi, l.k)
			if over || l.rel == Below && hi == math.MinInt64 {
				continue
			}
			if l.rel == Below {
				hi--
			}
			if hi < q.Hi && hi >= q.Lo {
				q.Hi = hi
				how = l.how
			}
		}
	}
	return q, how
}

// proveLe tries to prove the inequality x <= y + c in block b. If x or y is nil, it represents 0.
func (p *Prover) proveLe(x, y *ir.Value, c int64, b *ir.Block) (Evidence, bool) {
	if x == y {
		return ByRange, c >= 0
	}
	if p.steps++; p.steps > maxProofSteps || p.linkCount > maxProofLinks || len(p.under) > maxProofDepth {
		return 0, false
	}
	px, ex := p.intervalAt(x, b)
	py, ey := p.intervalAt(y, b)
	if lo, over := add64(py.Lo, c); !over && px.Hi <= lo {
		return ex | ey, true
	}
	for _, u := range slices.Backward(p.under) {
		if u.x == x && u.y == y && (u.phi || u.backs == p.backEdges) {
			if u.phi && c >= u.c && p.backEdges > u.backs {
				return ByInduction, true
			}
			return p.proveDirectly(x, y, c, b)
		}
	}
	p.under = append(p.under, claim{x: x, y: y, c: c, backs: p.backEdges})
	defer func() { p.under = p.under[:len(p.under)-1] }()
	if x != nil {
		if how, ok := p.proveByLinks(x, y, c, b); ok {
			return how, true
		}
		if how, ok := p.proveByUpper(x, y, c, b); ok {
			return how, true
		}
	}
	if y != nil {
		return p.proveByLower(x, y, c, b)
	}
	return 0, false
}

// proveByLinks tries to prove x <= y + c by relations between x and other values. Relations between
// x and y themselves are tried first.
func (p *Prover) proveByLinks(x, y *ir.Value, c int64, b *ir.Block) (Evidence, bool) {
	for _, direct := range [2]bool{true, false} {
		for _, ls := range [2][]knownRelation{p.tempLinks, p.linksOf[x]} {
			p.linkCount += len(ls)
			for _, l := range ls {
				o := l.o
				if l.base != x || o.Base == nil || direct != (o.Base == y) || l.fromBlock != nil && !p.a.Dom.Dominates(l.fromBlock, b) {
					continue
				}
				// The relation l means x + l.k <= o.Base + o.k, or "<" if l.rel is Below.
				d, over := Sub64(o.k, l.k)
				e, over2 := Sub64(c, d)
				if l.rel == Below && !over2 {
					e, over2 = add64(e, 1)
				}
				if over || over2 {
					continue
				}
				how, ok := p.proveLe(o.Base, y, e, b)
				if !ok {
					continue
				}
				if how |= l.how; !direct && p.a.IsLength(o.Base) && p.a.IsLength(y) {
					how |= ByLength
				}
				return how, true
			}
		}
	}
	return 0, false
}

// proveDirectly tries to prove x <= y + c by a relation between x and y themselves. For example,
// the test at the end of a loop relates x and y in the next iteration.
func (p *Prover) proveDirectly(x, y *ir.Value, c int64, b *ir.Block) (Evidence, bool) {
	if x == nil || y == nil {
		return 0, false
	}
	for _, ls := range [2][]knownRelation{p.tempLinks, p.linksOf[x]} {
		for _, l := range ls {
			o := l.o
			if l.base != x || o.Base != y || l.fromBlock != nil && !p.a.Dom.Dominates(l.fromBlock, b) {
				continue
			}
			d, over := Sub64(o.k, l.k)
			if l.rel == Below && !over {
				d, over = Sub64(d, 1)
			}
			if !over && d <= c {
				return l.how, true
			}
		}
	}
	return 0, false
}

// IsLength reports whether v is the length of a slice, or the length of a slice minus other values.
func (a *Ranges) IsLength(v *ir.Value) bool {
	if v == nil {
		return false
	}
	if v.Op == ir.OpISub {
		return a.IsLength(v.Args[0])
	}
	return v.Op == ir.OpArg && v.Type == ir.TypeI64 && a.lengthOffsets[v.Bits]
}

// provePhi tries to prove x <= y + c for a phi x by proving the inequality for each argument
// of x.
func (p *Prover) provePhi(x, y *ir.Value, c int64) (Evidence, bool) {
	dom, at := p.a.Dom, x.Block
	if y != nil && y.Block != nil && (y.Block == at || !dom.Dominates(y.Block, at)) {
		return 0, false // the value of y may have changed since x was computed
	}
	me := len(p.under) - 1
	p.under[me].phi = true
	extra, backs := p.tempLinks, p.backEdges
	defer func() { p.tempLinks, p.backEdges, p.under[me].phi = extra, backs, false }()
	var how Evidence
	for i, w := range x.Args {
		pred := at.Preds[i]
		p.tempLinks, p.backEdges = nil, backs
		if dom.IsBackEdge(pred, at) {
			if !dom.Dominates(at, pred) {
				return 0, false
			}
			p.backEdges++
			how |= ByInduction
		}
		p.assumeEdge(pred, at)
		e, ok := p.compare(p.Term(w), baseTerm{y, 0}, c, pred)
		if !ok {
			return 0, false
		}
		how |= e
	}
	return how, true
}

// assumeEdge adds to p.tempLinks the relations that follow from pred's branch condition on the edge to
// b.
func (p *Prover) assumeEdge(pred, b *ir.Block) {
	p.a.edgeRelations(pred, b, func(x *ir.Value, r Relation, y *ir.Value) {
		if l, ok := p.newLink(x, r, y, nil); ok {
			p.tempLinks = append(p.tempLinks, l)
		}
	})
}

// proveSelect proves an inequality of the select v by proving it for both operands that v may
// choose. proveSelect calls proveArm for each operand.
func (p *Prover) proveSelect(v *ir.Value, b *ir.Block, proveArm func(arm baseTerm) (Evidence, bool)) (Evidence, bool) {
	var how Evidence
	for i, is := range [2]bool{true, false} {
		n := len(p.tempLinks)
		EachRelation(v.Args[0], is, func(x *ir.Value, r Relation, y *ir.Value, unsigned bool) {
			if unsigned && (p.a.At(x, b).Lo < 0 || p.a.At(y, b).Lo < 0) {
				return
			}
			for _, side := range [2]struct {
				v *ir.Value
				r Relation
				o *ir.Value
			}{{x, r, y}, {y, Flip(r), x}} {
				if l, ok := p.newLink(side.v, side.r, side.o, nil); ok {
					p.tempLinks = append(p.tempLinks, l)
				}
			}
		})
		e, ok := proveArm(p.Term(v.Args[1+i]))
		p.tempLinks = p.tempLinks[:n:n]
		if !ok {
			return 0, false
		}
		how |= e
	}
	return how, true
}
