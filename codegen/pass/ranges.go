package pass

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// interval is a range of signed integers, both ends included.
type interval struct{ lo, hi int64 }

// maxLength bounds the length of a slice: device addresses have 48 bits.
const maxLength = 1 << 48

func fullRange(t *ir.Type) interval {
	n := t.Bits() - 1
	return interval{-1 << n, 1<<n - 1}
}

func (p interval) union(q interval) interval { return interval{min(p.lo, q.lo), max(p.hi, q.hi)} }

// meet intersects; an empty result means code that is never reached, for which
// anything is true.
func (p interval) meet(q interval) interval {
	r := interval{max(p.lo, q.lo), min(p.hi, q.hi)}
	if r.lo > r.hi {
		return p
	}
	return r
}

// relation is what a fact says of a value beside another one, signed.
type relation uint8

const (
	below relation = iota
	atMost
	above
	atLeast
	unequal
)

// maxVisits bounds how often an interval may grow. Phis step over the constants
// that the kernel compares with, since loops grow through them; other values follow, and step
// only where they seem to have no end.
const (
	maxVisits  = 24
	lateVisits = 40 // what others may have before they step
)

// fact is a relation that holds in all blocks that from dominates.
type fact struct {
	rel   relation
	other *ir.Value
	from  *ir.Block
}

// ranges is an interval analysis of the kernel.
type ranges struct {
	m      *ir.Module
	f      *ir.Func
	dom    *ir.DomTree
	base   map[*ir.Value]interval
	facts  map[*ir.Value][]fact
	visits map[*ir.Value]int
	steps  []int64         // where growing bounds pause
	length map[uint64]bool // where lengths stand in the launch block
	ints   map[uint64]bool // and arguments of type int
	// apart are blocks whose branches say nothing, since dead lanes do not take them.
	apart map[*ir.Block]bool
	// given are intervals that small launches keep.
	given map[*ir.Value]interval
	// later holds unsigned relations to values that may turn out not to be
	// negative.
	later []lateFact
	// known holds what at has found since nothing changes any more.
	known map[place]interval
}

// place is a value in a block.
type place struct {
	v *ir.Value
	b *ir.Block
}

// maxKnown bounds what is kept of intervals and proofs.
const maxKnown = 1 << 16

// lateFact is x <u y, or x <=u y, under from.
type lateFact struct {
	x, y *ir.Value
	rel  relation
	from *ir.Block
}

func newRanges(m *ir.Module) *ranges { return newRangesOf(m, nil) }

// newRangesOf learns nothing from the branches of the blocks apart.
func newRangesOf(m *ir.Module, apart map[*ir.Block]bool) *ranges {
	a := &ranges{m: m, apart: apart, f: m.Kernel, dom: m.Kernel.Dominators(), base: map[*ir.Value]interval{},
		facts: map[*ir.Value][]fact{}, visits: map[*ir.Value]int{}, length: map[uint64]bool{}, ints: map[uint64]bool{},
		given: map[*ir.Value]interval{}}
	for _, p := range m.Params {
		if p.Kind == abi.Slice && p.Offset >= 0 {
			a.length[uint64(abi.OffsetArgs+p.Offset+8)] = true
		}
		if p.Kind == abi.Value && p.Type == "int" && p.Offset >= 0 {
			a.ints[uint64(abi.OffsetArgs+p.Offset)] = true
		}
	}
	a.steps = []int64{0, math.MaxInt32 - 1, math.MaxInt32, math.MaxUint32, maxLength - 1, maxLength, math.MaxInt64 - 1, math.MaxInt64}
	add := func(v *ir.Value) {
		if v.IsConst() && v.Type.IsInt() {
			a.steps = append(a.steps, v.Int(), v.Int()-1)
		}
	}
	for _, b := range a.dom.Order {
		for _, v := range b.Insts {
			if isCompare(v.Op) {
				add(v.Args[0])
				add(v.Args[1])
			}
		}
		a.branchFacts(b)
	}
	for _, s := range m.Specs {
		if s.Type.IsInt() {
			p := a.specRange(s)
			a.steps = append(a.steps, p.hi, p.hi-1)
		}
	}
	slices.Sort(a.steps)
	a.steps = slices.Compact(a.steps)
	return a
}

func isCompare(op ir.Op) bool {
	switch op {
	case ir.OpSLt, ir.OpSLe, ir.OpULt, ir.OpULe, ir.OpIEq, ir.OpINe:
		return true
	}
	return false
}

// branchFacts notes what b's branch says in the blocks that only one of its
// edges leads into.
func (a *ranges) branchFacts(b *ir.Block) {
	if a.apart[b] || b.Term.Kind != ir.Branch || b.Term.Succs[0] == b.Term.Succs[1] {
		return
	}
	for i, s := range b.Term.Succs {
		if a.onlyFrom(b, s) {
			a.assume(b.Term.Cond, i == 0, s)
		}
	}
}

// onlyFrom reports whether s is entered from b alone. The back edges of a loop
// that s heads do not count: what its condition compares was there before.
func (a *ranges) onlyFrom(b, s *ir.Block) bool {
	for _, p := range s.Preds {
		if p != b && !a.dom.Dominates(s, p) {
			return false
		}
	}
	return !a.dom.Dominates(s, b)
}

// assume notes that c has the value is wherever from dominates.
func (a *ranges) assume(c *ir.Value, is bool, from *ir.Block) {
	eachRelation(c, is, func(x *ir.Value, r relation, y *ir.Value, unsigned bool) {
		if unsigned {
			if late := (lateFact{x, y, r, from}); r != below && r != atMost {
				return
			} else if a.neverNegative(y) {
				a.unsigned(late)
			} else {
				a.later = append(a.later, late)
			}
			return
		}
		a.facts[x] = append(a.facts[x], fact{r, y, from})
		a.facts[y] = append(a.facts[y], fact{flip(r), x, from})
	})
}

// unsigned notes an unsigned relation to a y that is at least 0: it holds signed,
// too, and x is not negative.
func (a *ranges) unsigned(l lateFact) {
	zero := ir.Outside(l.x.Type, 0)
	a.facts[l.x] = append(a.facts[l.x], fact{l.rel, l.y, l.from}, fact{atLeast, zero, l.from})
	a.facts[l.y] = append(a.facts[l.y], fact{flip(l.rel), l.x, l.from})
}

// neverNegative reports whether a value is at least 0 by its kind alone.
func (a *ranges) neverNegative(v *ir.Value) bool {
	switch v.Op {
	case ir.OpConst:
		return v.Int() >= 0
	case ir.OpArg:
		return a.length[v.Bits] || v.Bits >= abi.OffsetRange && v.Bits < abi.OffsetReserved
	}
	return false
}

func flip(r relation) relation {
	return [...]relation{below: above, atMost: atLeast, above: below, atLeast: atMost, unequal: unequal}[r]
}

// eachRelation calls f for every relation that follows from c being is.
func eachRelation(c *ir.Value, is bool, f func(x *ir.Value, r relation, y *ir.Value, unsigned bool)) {
	switch c.Op {
	case ir.OpLNot:
		eachRelation(c.Args[0], !is, f)
	case ir.OpLAnd, ir.OpLOr:
		if is == (c.Op == ir.OpLAnd) {
			eachRelation(c.Args[0], is, f)
			eachRelation(c.Args[1], is, f)
		}
	case ir.OpSLt, ir.OpULt:
		if is {
			f(c.Args[0], below, c.Args[1], c.Op == ir.OpULt)
		} else {
			f(c.Args[1], atMost, c.Args[0], c.Op == ir.OpULt)
		}
	case ir.OpSLe, ir.OpULe:
		if is {
			f(c.Args[0], atMost, c.Args[1], c.Op == ir.OpULe)
		} else {
			f(c.Args[1], below, c.Args[0], c.Op == ir.OpULe)
		}
	case ir.OpIEq, ir.OpINe:
		if is == (c.Op == ir.OpIEq) {
			f(c.Args[0], atMost, c.Args[1], false)
			f(c.Args[0], atLeast, c.Args[1], false)
		} else {
			f(c.Args[0], unequal, c.Args[1], false)
		}
	}
}

// maxRounds bounds how often relations that phis inherit start the analysis anew.
const maxRounds = 4

// solve finds the intervals. Relations that phis inherit, and unsigned ones,
// follow from intervals that hold, so they are looked for in between, and the
// intervals found again.
func (a *ranges) solve() {
	for range maxRounds {
		clear(a.base)
		clear(a.visits)
		a.fixpoint()
		changed := false
		a.later = slices.DeleteFunc(a.later, func(l lateFact) bool {
			if a.at(l.y, l.from).lo < 0 {
				return false
			}
			a.unsigned(l)
			changed = true
			return true
		})
		for _, b := range a.dom.Order {
			for _, v := range b.Phis {
				changed = a.inherit(v) || changed
			}
		}
		if !changed {
			return
		}
	}
}

// fixpoint finds intervals that hold under the known relations: up from nothing,
// with bounds that keep growing stepping over the constants of the kernel.
func (a *ranges) fixpoint() {
	for changed := true; changed; {
		changed = false
		for _, b := range a.dom.Order {
			for _, v := range b.Phis {
				if v.Type.IsInt() {
					changed = a.update(v, a.phi(v)) || changed
				}
			}
			for _, v := range b.Insts {
				if v.Type.IsInt() {
					changed = a.update(v, a.eval(v)) || changed
				}
			}
		}
	}
}

func (a *ranges) update(v *ir.Value, n interval) bool {
	old, ok := a.base[v]
	if ok {
		n = n.union(old)
		if n == old {
			return false
		}
		a.visits[v]++
		visits := a.visits[v]
		if v.Op != ir.OpPhi {
			visits -= lateVisits
		}
		switch {
		case visits > maxVisits:
			full := fullRange(v.Type)
			if n.hi > old.hi {
				n.hi = full.hi
			}
			if n.lo < old.lo {
				n.lo = full.lo
			}
		case visits > 2:
			n = a.widen(old, n, v.Type)
		}
	}
	a.base[v] = n
	return true
}

// widen moves the ends that grew to the next step.
func (a *ranges) widen(old, n interval, t *ir.Type) interval {
	full := fullRange(t)
	if n.hi > old.hi {
		i, _ := slices.BinarySearch(a.steps, n.hi)
		n.hi = full.hi
		if i < len(a.steps) {
			n.hi = min(full.hi, a.steps[i])
		}
	}
	if n.lo < old.lo {
		i, ok := slices.BinarySearch(a.steps, n.lo)
		if !ok {
			i--
		}
		n.lo = full.lo
		if i >= 0 {
			n.lo = max(full.lo, a.steps[i])
		}
	}
	return n
}

// at returns the interval of v in block b.
func (a *ranges) at(v *ir.Value, b *ir.Block) interval {
	if a.known == nil || v.IsConst() {
		return a.find(v, b)
	}
	p, ok := a.known[place{v, b}]
	if !ok {
		if p = a.find(v, b); len(a.known) >= maxKnown {
			clear(a.known)
		}
		a.known[place{v, b}] = p
	}
	return p
}

func (a *ranges) find(v *ir.Value, b *ir.Block) interval {
	p := a.value(v)
	if v.IsConst() { // what is compared with it says no more of it
		return p
	}
	if v.Op == ir.OpUConvert || v.Op == ir.OpSConvert {
		if x := v.Args[0]; x.Block != nil && x.Type.IsInt() {
			p = p.meet(convertRange(v, a.at(x, b)))
		}
	}
	for _, r := range a.facts[v] {
		if !a.dom.Dominates(r.from, b) {
			continue
		}
		p = a.apply(p, r.rel, a.value(r.other))
	}
	return p
}

func (a *ranges) apply(p interval, r relation, q interval) interval {
	switch r {
	case below:
		if q.hi != math.MinInt64 {
			p = p.meet(interval{math.MinInt64, q.hi - 1})
		}
	case atMost:
		p = p.meet(interval{math.MinInt64, q.hi})
	case above:
		if q.lo != math.MaxInt64 {
			p = p.meet(interval{q.lo + 1, math.MaxInt64})
		}
	case atLeast:
		p = p.meet(interval{q.lo, math.MaxInt64})
	case unequal:
		if q.lo == q.hi && p.lo == q.lo && p.lo < p.hi {
			p.lo++
		} else if q.lo == q.hi && p.hi == q.hi && p.lo < p.hi {
			p.hi--
		}
	}
	return p
}

// value returns the interval of v wherever it is defined.
func (a *ranges) value(v *ir.Value) interval {
	if v.IsConst() {
		n := v.Int()
		return interval{n, n}
	}
	if p, ok := a.base[v]; ok {
		return p
	}
	if v.Block == nil || !v.Type.IsInt() {
		if v.Op == ir.OpSpecConst {
			return a.specRange(v.Aux.(*ir.Spec))
		}
		return fullRange(v.Type)
	}
	// Not reached yet: nothing is known, and it must not look like knowledge.
	return fullRange(v.Type)
}

// specRange returns the interval of a specialization constant.
func (a *ranges) specRange(s *ir.Spec) interval {
	if s.ID >= abi.SpecLocalSizeX && s.ID <= abi.SpecLocalSizeZ {
		if n := a.m.WorkGroup[s.ID-abi.SpecLocalSizeX]; n > 0 {
			return interval{int64(n), int64(n)}
		}
		return interval{1, abi.MaxLocalSize}
	}
	p := fullRange(s.Type)
	if s.User == nil {
		return p
	}
	switch s.User.Type {
	case "int8":
		p = interval{math.MinInt8, math.MaxInt8}
	case "int16":
		p = interval{math.MinInt16, math.MaxInt16}
	case "uint8":
		p = interval{0, math.MaxUint8}
	case "uint16":
		p = interval{0, math.MaxUint16}
	}
	if s.User.Max > 0 { // the runtime sees to it
		p = interval{max(p.lo, int64(s.User.Min)), min(p.hi, int64(s.User.Max))}
	}
	return p
}

// phi unites the arguments as they are on their edges.
func (a *ranges) phi(v *ir.Value) interval {
	var p interval
	first := true
	for i, x := range v.Args {
		if _, ok := a.base[x]; !ok && x.Block != nil {
			continue // not reached yet
		}
		q := a.onEdge(x, v.Block.Preds[i], v.Block)
		if first {
			p, first = q, false
		} else {
			p = p.union(q)
		}
	}
	if first {
		return fullRange(v.Type)
	}
	return p
}

// onEdge returns the interval of x where the edge from p to b is taken.
func (a *ranges) onEdge(x *ir.Value, p, b *ir.Block) interval {
	q := a.at(x, p)
	a.edgeRelations(p, b, func(y *ir.Value, r relation, z *ir.Value) {
		if y == x {
			q = a.apply(q, r, a.value(z))
		}
	})
	return q
}

// edgeRelations calls f for the signed relations that the branch of p gives on
// its edge to b.
func (a *ranges) edgeRelations(p, b *ir.Block, f func(x *ir.Value, r relation, y *ir.Value)) {
	if a.apart[p] || p.Term.Kind != ir.Branch || p.Term.Succs[0] == p.Term.Succs[1] {
		return
	}
	eachRelation(p.Term.Cond, p.Term.Succs[0] == b, func(x *ir.Value, r relation, y *ir.Value, unsigned bool) {
		if !unsigned {
			f(x, r, y)
			f(y, flip(r), x)
		}
	})
}

// inherit gives a phi the relations to one value that all its arguments have on
// their edges, as the counter of a loop that is tested at its end.
func (a *ranges) inherit(v *ir.Value) bool {
	if !v.Type.IsInt() || len(v.Args) < 2 {
		return false
	}
	changed := false
	b := v.Block
	for i, x := range v.Args {
		a.edgeRelations(b.Preds[i], b, func(y *ir.Value, r relation, z *ir.Value) {
			if y != x || r != below || z.Block != nil && !a.dom.Dominates(z.Block, b) || z.Block == b {
				return
			}
			if slices.Contains(a.facts[v], fact{below, z, b}) {
				return
			}
			for j, w := range v.Args {
				if !a.belowOnEdge(w, z, b.Preds[j], b) {
					return
				}
			}
			a.facts[v] = append(a.facts[v], fact{below, z, b})
			a.facts[z] = append(a.facts[z], fact{above, v, b})
			changed = true
		})
	}
	return changed
}

// belowOnEdge reports whether x < z holds where the edge from p to b is taken.
func (a *ranges) belowOnEdge(x, z *ir.Value, p, b *ir.Block) bool {
	if known, is := a.less(x, z, p); known && is {
		return true
	}
	found := false
	a.edgeRelations(p, b, func(y *ir.Value, r relation, w *ir.Value) {
		found = found || y == x && r == below && w == z
	})
	return found || a.onEdge(x, p, b).hi < a.onEdge(z, p, b).lo
}

// less decides x < y, signed, by intervals and what is known of the two alone.
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
