package facts

// This file solves for the interval that each integer lies in: a fixpoint over the function,
// sharpened in each block by the branches that lead there. All rooms behind ask it.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Interval is a range of signed integers, both ends included.
type Interval struct{ Lo, Hi int64 }

// MaxLength bounds the length of a slice: device addresses have 48 bits.
const MaxLength = 1 << 48

// FullRange returns the interval of all values of type t.
func FullRange(t *ir.Type) Interval {
	n := t.Bits() - 1
	return Interval{-1 << n, 1<<n - 1}
}

// Union returns the least interval that has both.
func (p Interval) Union(q Interval) Interval { return Interval{min(p.Lo, q.Lo), max(p.Hi, q.Hi)} }

// Meet intersects; an empty result means code that is never reached, for which
// anything is true.
func (p Interval) Meet(q Interval) Interval {
	r := Interval{max(p.Lo, q.Lo), min(p.Hi, q.Hi)}
	if r.Lo > r.Hi {
		return p
	}
	return r
}

// Relation is what a fact says of a value beside another one, signed.
type Relation uint8

const (
	Below Relation = iota
	AtMost
	Above
	AtLeast
	Unequal
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
	Rel   Relation
	Other *ir.Value
	From  *ir.Block
}

// Ranges is an interval analysis of the kernel.
type Ranges struct {
	Module *ir.Module
	f      *ir.Func
	Dom    *ir.DomTree
	noted  []*noted             // notes, by the values' IDs
	rest   map[*ir.Value]*noted // notes about values whose ID another has in noted
	round  int                  // number of Solve's round, from 1 on
	steps  []int64              // where growing bounds pause
	length map[uint64]bool      // where lengths stand in the launch block
	ints   map[uint64]bool      // and arguments of type int
	// apart are blocks whose branches say nothing, since dead lanes do not take them.
	apart map[*ir.Block]bool
	// given are intervals that small launches keep.
	given map[*ir.Value]Interval
	// later holds unsigned relations to values that may turn out not to be
	// negative.
	later []lateFact
	vars  varRanges
	// known holds what at has found since nothing changes any more.
	Known map[Place]Interval
}

// noted is what the analysis knows of one value.
type noted struct {
	v     *ir.Value
	facts []fact
	sums  []*ir.Value // sums of the value with constants that facts are about
	// base is the interval of the value wherever it is defined. It has changed visits times
	// since this round of Solve began; base of an earlier round does not hold.
	base          Interval
	round, visits int
}

// about returns the notes about v, or nil. IDs index a slice: this is the busiest lookup of the compiler.
func (a *Ranges) about(v *ir.Value) *noted {
	if uint(v.ID) < uint(len(a.noted)) {
		if n := a.noted[v.ID]; n == nil || n.v == v {
			return n
		}
	}
	return a.rest[v]
}

// noteOn returns the notes about v, which are new if there are none.
func (a *Ranges) noteOn(v *ir.Value) *noted {
	n := a.about(v)
	if n != nil {
		return n
	}
	n = &noted{v: v}
	if uint(v.ID) < uint(len(a.noted)) && a.noted[v.ID] == nil {
		a.noted[v.ID] = n
	} else {
		a.rest[v] = n
	}
	return n
}

// known returns v's interval of this round, if it has one.
func (a *Ranges) known(v *ir.Value) (Interval, bool) {
	if n := a.about(v); n != nil && n.round == a.round {
		return n.base, true
	}
	return Interval{}, false
}

// each calls f for all notes, in no order.
func (a *Ranges) each(f func(*noted)) {
	for _, n := range a.noted {
		if n != nil {
			f(n)
		}
	}
	for _, n := range a.rest {
		f(n)
	}
}

// Facts returns the facts about v.
func (a *Ranges) Facts(v *ir.Value) []fact {
	if n := a.about(v); n != nil {
		return n.facts
	}
	return nil
}

// Place is a value in a block.
type Place struct {
	v *ir.Value
	b *ir.Block
}

// maxKnown bounds what is kept of intervals and proofs.
const maxKnown = 1 << 16

// lateFact is x <u y, or x <=u y, under from.
type lateFact struct {
	x, y *ir.Value
	rel  Relation
	from *ir.Block
}

// NewRanges returns the ranges of a module that are still to be solved for.
func NewRanges(m *ir.Module) *Ranges { return NewRangesOf(m, nil) }

// NewRangesOf learns nothing from the branches of the blocks apart.
func NewRangesOf(m *ir.Module, apart map[*ir.Block]bool) *Ranges {
	a := &Ranges{Module: m, round: 1, apart: apart, f: m.Kernel, Dom: m.Kernel.Dominators(), noted: make([]*noted, m.Len()+1),
		rest: map[*ir.Value]*noted{}, length: map[uint64]bool{}, ints: map[uint64]bool{},
		given: map[*ir.Value]Interval{}}
	for _, p := range m.Params {
		if p.Kind == abi.Slice && p.Offset >= 0 {
			a.length[uint64(abi.OffsetArgs+p.Offset+8)] = true
		}
		if p.Kind == abi.Value && p.Type == "int" && p.Offset >= 0 {
			a.ints[uint64(abi.OffsetArgs+p.Offset)] = true
		}
	}
	a.findVars()
	a.steps = []int64{0, math.MaxInt32 - 1, math.MaxInt32, math.MaxUint32, MaxLength - 1, MaxLength, math.MaxInt64 - 1, math.MaxInt64}
	add := func(v *ir.Value) {
		if v.IsConst() && v.Type.IsInt() {
			a.steps = append(a.steps, v.Int(), v.Int()-1)
		}
	}
	for _, b := range a.Dom.Order {
		for _, v := range b.Insts {
			if v.Op.Has(ir.FlagCompare) {
				add(v.Args[0])
				add(v.Args[1])
			}
		}
		a.branchFacts(b)
	}
	for _, s := range m.Specs {
		if s.Type.IsInt() {
			p := a.specRange(s)
			a.steps = append(a.steps, p.Hi, p.Hi-1)
		}
	}
	slices.Sort(a.steps)
	a.steps = slices.Compact(a.steps)
	return a
}

// branchFacts notes what b's branch says in the blocks that only one of its
// edges leads into.
func (a *Ranges) branchFacts(b *ir.Block) {
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
func (a *Ranges) onlyFrom(b, s *ir.Block) bool {
	for _, p := range s.Preds {
		if p != b && !a.Dom.Dominates(s, p) {
			return false
		}
	}
	return !a.Dom.Dominates(s, b)
}

// assume notes that c has the value is wherever from dominates.
func (a *Ranges) assume(c *ir.Value, is bool, from *ir.Block) {
	EachRelation(c, is, func(x *ir.Value, r Relation, y *ir.Value, unsigned bool) {
		if unsigned {
			if late := (lateFact{x, y, r, from}); r != Below && r != AtMost {
				return
			} else if a.neverNegative(y) {
				a.unsigned(late)
			} else {
				a.later = append(a.later, late)
			}
			return
		}
		a.note(x, fact{r, y, from})
		a.note(y, fact{Flip(r), x, from})
	})
}

// note adds facts about x.
func (a *Ranges) note(x *ir.Value, facts ...fact) {
	n := a.noteOn(x)
	n.facts = append(n.facts, facts...)
	if x.Op == ir.OpIAdd && x.Args[1].IsConst() {
		if n := a.noteOn(x.Args[0]); !slices.Contains(n.sums, x) {
			n.sums = append(n.sums, x)
		}
	}
}

// unsigned notes an unsigned relation to a y that is at least 0: it holds signed,
// too, and x is not negative.
func (a *Ranges) unsigned(l lateFact) {
	zero := ir.Outside(l.x.Type, 0)
	a.note(l.x, fact{l.rel, l.y, l.from}, fact{AtLeast, zero, l.from})
	a.note(l.y, fact{Flip(l.rel), l.x, l.from})
}

// neverNegative reports whether a value is at least 0 by its kind alone.
func (a *Ranges) neverNegative(v *ir.Value) bool {
	switch v.Op {
	case ir.OpConst:
		return v.Int() >= 0
	case ir.OpArg:
		return a.length[v.Bits] || v.Bits >= abi.OffsetRange && v.Bits < abi.OffsetReserved
	}
	return false
}

// Flip returns the relation of y to x for that of x to y.
func Flip(r Relation) Relation {
	return [...]Relation{Below: Above, AtMost: AtLeast, Above: Below, AtLeast: AtMost, Unequal: Unequal}[r]
}

// EachRelation calls f for every relation that follows from c being is.
func EachRelation(c *ir.Value, is bool, f func(x *ir.Value, r Relation, y *ir.Value, unsigned bool)) {
	switch c.Op {
	case ir.OpLNot:
		EachRelation(c.Args[0], !is, f)
	case ir.OpLAnd, ir.OpLOr:
		if is == (c.Op == ir.OpLAnd) {
			EachRelation(c.Args[0], is, f)
			EachRelation(c.Args[1], is, f)
		}
	case ir.OpSLt, ir.OpULt:
		if is {
			f(c.Args[0], Below, c.Args[1], c.Op == ir.OpULt)
		} else {
			f(c.Args[1], AtMost, c.Args[0], c.Op == ir.OpULt)
		}
	case ir.OpSLe, ir.OpULe:
		if is {
			f(c.Args[0], AtMost, c.Args[1], c.Op == ir.OpULe)
		} else {
			f(c.Args[1], Below, c.Args[0], c.Op == ir.OpULe)
		}
	case ir.OpIEq, ir.OpINe:
		if is == (c.Op == ir.OpIEq) {
			f(c.Args[0], AtMost, c.Args[1], false)
			f(c.Args[0], AtLeast, c.Args[1], false)
		} else {
			f(c.Args[0], Unequal, c.Args[1], false)
		}
	}
}

// maxRounds bounds how often relations that phis inherit start the analysis anew.
const maxRounds = 4

// Solve finds the intervals. Relations that phis inherit, and unsigned ones,
// follow from intervals that hold, so they are looked for in between, and the
// intervals found again.
func (a *Ranges) Solve() {
	for range maxRounds {
		a.round++
		a.vars.of, a.vars.grown = map[leaves]Interval{}, map[leaves]int{}
		a.fixpoint()
		changed := false
		a.later = slices.DeleteFunc(a.later, func(l lateFact) bool {
			if a.At(l.y, l.from).Lo < 0 {
				return false
			}
			a.unsigned(l)
			changed = true
			return true
		})
		for _, b := range a.Dom.Order {
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
func (a *Ranges) fixpoint() {
	for changed := true; changed; {
		changed = false
		for _, b := range a.Dom.Order {
			for _, v := range b.Phis {
				if v.Type.IsInt() {
					changed = a.update(v, a.phi(v)) || changed
				}
			}
			for _, v := range b.Insts {
				if v.Type.IsInt() {
					changed = a.update(v, a.eval(v)) || changed
				} else if v.Op == ir.OpStore {
					changed = a.stored(v) || changed
				}
			}
		}
	}
}

func (a *Ranges) update(v *ir.Value, n Interval) bool {
	known := a.noteOn(v)
	if known.round == a.round {
		old := known.base
		n = n.Union(old)
		if n == old {
			return false
		}
		known.visits++
		visits := known.visits
		if v.Op != ir.OpPhi {
			visits -= lateVisits
		}
		switch {
		case visits > maxVisits:
			full := FullRange(v.Type)
			if n.Hi > old.Hi {
				n.Hi = full.Hi
			}
			if n.Lo < old.Lo {
				n.Lo = full.Lo
			}
		case visits > 2:
			n = a.widen(old, n, v.Type)
		}
	} else {
		known.round, known.visits = a.round, 0
	}
	known.base = n
	return true
}

// widen moves the ends that grew to the next step.
func (a *Ranges) widen(old, n Interval, t *ir.Type) Interval {
	full := FullRange(t)
	if n.Hi > old.Hi {
		i, _ := slices.BinarySearch(a.steps, n.Hi)
		n.Hi = full.Hi
		if i < len(a.steps) {
			n.Hi = min(full.Hi, a.steps[i])
		}
	}
	if n.Lo < old.Lo {
		i, ok := slices.BinarySearch(a.steps, n.Lo)
		if !ok {
			i--
		}
		n.Lo = full.Lo
		if i >= 0 {
			n.Lo = max(full.Lo, a.steps[i])
		}
	}
	return n
}

// At returns the interval of v in block b.
func (a *Ranges) At(v *ir.Value, b *ir.Block) Interval {
	if a.Known == nil || v.IsConst() {
		return a.find(v, b)
	}
	p, ok := a.Known[Place{v, b}]
	if !ok {
		if p = a.find(v, b); len(a.Known) >= maxKnown {
			clear(a.Known)
		}
		a.Known[Place{v, b}] = p
	}
	return p
}

func (a *Ranges) find(v *ir.Value, b *ir.Block) Interval {
	p := a.Value(v)
	if v.IsConst() { // what is compared with it says no more of it
		return p
	}
	if v.Op == ir.OpUConvert || v.Op == ir.OpSConvert {
		if x := v.Args[0]; x.Block != nil && x.Type.IsInt() {
			p = p.Meet(ConvertRange(v, a.At(x, b)))
		}
	}
	about := a.about(v)
	if about == nil {
		return p
	}
	p = a.applyFacts(p, about, b)
	// In a loop over an array, which begins at -1 in SSA form, the comparison is of v + 1. The
	// sum's own range follows from v's, and must not be taken for a reason here.
	for _, s := range about.sums {
		n := s.Args[1].Int()
		all := AddRanges(p, Interval{n, n})
		if !Fits32(n) || !all.Within(FullRange(v.Type)) {
			continue // it may wrap around
		}
		if q := AddRanges(a.applyFacts(all, a.about(s), b), Interval{-n, -n}); !q.Empty() {
			p = p.Meet(q)
		}
	}
	return p
}

// applyFacts sharpens an interval of a value by the facts about it that hold in b.
func (a *Ranges) applyFacts(p Interval, about *noted, b *ir.Block) Interval {
	for _, r := range about.facts {
		if a.Dom.Dominates(r.From, b) {
			p = a.apply(p, r.Rel, a.Value(r.Other))
		}
	}
	return p
}

func (a *Ranges) apply(p Interval, r Relation, q Interval) Interval {
	switch r {
	case Below:
		if q.Hi != math.MinInt64 {
			p = p.Meet(Interval{math.MinInt64, q.Hi - 1})
		}
	case AtMost:
		p = p.Meet(Interval{math.MinInt64, q.Hi})
	case Above:
		if q.Lo != math.MaxInt64 {
			p = p.Meet(Interval{q.Lo + 1, math.MaxInt64})
		}
	case AtLeast:
		p = p.Meet(Interval{q.Lo, math.MaxInt64})
	case Unequal:
		if q.Lo == q.Hi && p.Lo == q.Lo && p.Lo < p.Hi {
			p.Lo++
		} else if q.Lo == q.Hi && p.Hi == q.Hi && p.Lo < p.Hi {
			p.Hi--
		}
	}
	return p
}

// Value returns the interval of v wherever it is defined.
func (a *Ranges) Value(v *ir.Value) Interval {
	if v.IsConst() {
		n := v.Int()
		return Interval{n, n}
	}
	if p, ok := a.known(v); ok {
		return p
	}
	if v.Block == nil || !v.Type.IsInt() {
		if v.Op == ir.OpSpecConst {
			return a.specRange(v.Aux.(*ir.Spec))
		}
		return FullRange(v.Type)
	}
	// Not reached yet: nothing is known, and it must not look like knowledge.
	return FullRange(v.Type)
}

// specRange returns the interval of a specialization constant.
func (a *Ranges) specRange(s *ir.Spec) Interval {
	if s.ID >= abi.SpecLocalSizeX && s.ID <= abi.SpecLocalSizeZ {
		if n := a.Module.WorkGroup[s.ID-abi.SpecLocalSizeX]; n > 0 {
			return Interval{int64(n), int64(n)}
		}
		return Interval{1, abi.MaxLocalSize}
	}
	p := FullRange(s.Type)
	if s.User == nil {
		return p
	}
	switch s.User.Type {
	case "int8":
		p = Interval{math.MinInt8, math.MaxInt8}
	case "int16":
		p = Interval{math.MinInt16, math.MaxInt16}
	case "uint8":
		p = Interval{0, math.MaxUint8}
	case "uint16":
		p = Interval{0, math.MaxUint16}
	}
	if s.User.Max > 0 { // the runtime sees to it
		p = Interval{max(p.Lo, int64(s.User.Min)), min(p.Hi, int64(s.User.Max))}
	}
	return p
}

// phi unites the arguments as they are on their edges.
func (a *Ranges) phi(v *ir.Value) Interval {
	var p Interval
	first := true
	for i, x := range v.Args {
		if _, ok := a.known(x); !ok && x.Block != nil {
			continue // not reached yet
		}
		q := a.OnEdge(x, v.Block.Preds[i], v.Block)
		if first {
			p, first = q, false
		} else {
			p = p.Union(q)
		}
	}
	if first {
		return FullRange(v.Type)
	}
	return p
}

// OnEdge returns the interval of x where the edge from p to b is taken.
func (a *Ranges) OnEdge(x *ir.Value, p, b *ir.Block) Interval {
	q := a.At(x, p)
	a.edgeRelations(p, b, func(y *ir.Value, r Relation, z *ir.Value) {
		if y == x {
			q = a.apply(q, r, a.Value(z))
		}
	})
	return q
}

// edgeRelations calls f for the signed relations that the branch of p gives on
// its edge to b.
func (a *Ranges) edgeRelations(p, b *ir.Block, f func(x *ir.Value, r Relation, y *ir.Value)) {
	if a.apart[p] || p.Term.Kind != ir.Branch || p.Term.Succs[0] == p.Term.Succs[1] {
		return
	}
	EachRelation(p.Term.Cond, p.Term.Succs[0] == b, func(x *ir.Value, r Relation, y *ir.Value, unsigned bool) {
		if !unsigned {
			f(x, r, y)
			f(y, Flip(r), x)
		}
	})
}

// inherit gives a phi the relations to one value that all its arguments have on
// their edges, as the counter of a loop that is tested at its end.
func (a *Ranges) inherit(v *ir.Value) bool {
	if !v.Type.IsInt() || len(v.Args) < 2 {
		return false
	}
	changed := false
	b := v.Block
	for i, x := range v.Args {
		a.edgeRelations(b.Preds[i], b, func(y *ir.Value, r Relation, z *ir.Value) {
			if y != x || r != Below || z.Block != nil && !a.Dom.Dominates(z.Block, b) || z.Block == b {
				return
			}
			if slices.Contains(a.Facts(v), fact{Below, z, b}) {
				return
			}
			for j, w := range v.Args {
				if !a.belowOnEdge(w, z, b.Preds[j], b) {
					return
				}
			}
			n, m := a.noteOn(v), a.noteOn(z)
			n.facts, m.facts = append(n.facts, fact{Below, z, b}), append(m.facts, fact{Above, v, b})
			changed = true
		})
	}
	return changed
}

// belowOnEdge reports whether x < z holds where the edge from p to b is taken.
func (a *Ranges) belowOnEdge(x, z *ir.Value, p, b *ir.Block) bool {
	if known, is := a.less(x, z, p); known && is {
		return true
	}
	found := false
	a.edgeRelations(p, b, func(y *ir.Value, r Relation, w *ir.Value) {
		found = found || y == x && r == Below && w == z
	})
	return found || a.OnEdge(x, p, b).Hi < a.OnEdge(z, p, b).Lo
}

// less decides x < y, signed, by intervals and what is known of the two alone.
func (a *Ranges) less(x, y *ir.Value, b *ir.Block) (known, is bool) {
	p, q := a.At(x, b), a.At(y, b)
	switch {
	case p.Hi < q.Lo:
		return true, true
	case p.Lo >= q.Hi:
		return true, false
	}
	for _, r := range a.Facts(x) {
		if r.Other == y && a.Dom.Dominates(r.From, b) {
			switch r.Rel {
			case Below:
				return true, true
			case AtLeast:
				return true, false
			}
		}
	}
	return false, false
}
