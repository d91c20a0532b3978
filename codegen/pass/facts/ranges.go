package facts

// This file computes an interval for each integer value, as a fixpoint over the function. In each
// block, the conditions of the branches that lead to the block narrow the intervals.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Interval is a range of signed integers, both ends included.
type Interval struct{ Lo, Hi int64 }

// MaxLength is an upper bound of the length of a slice, because device addresses have 48 bits.
const MaxLength = 1 << 48

// FullRange returns the interval of all values of type t.
func FullRange(t *ir.Type) Interval {
	n := t.Bits() - 1
	return Interval{-1 << n, 1<<n - 1}
}

// Union returns the smallest interval that contains both p and q.
func (p Interval) Union(q Interval) Interval { return Interval{min(p.Lo, q.Lo), max(p.Hi, q.Hi)} }

// Meet returns the intersection of p and q. If the intersection is empty, Meet returns p. An empty
// intersection means that the code is never executed, so any interval is correct.
func (p Interval) Meet(q Interval) Interval {
	r := Interval{max(p.Lo, q.Lo), min(p.Hi, q.Hi)}
	if r.Lo > r.Hi {
		return p
	}
	return r
}

// Relation is a signed comparison of a value with another value.
type Relation uint8

const (
	Below Relation = iota
	AtMost
	Above
	AtLeast
	Unequal
)

// maxVisits is the number of times that the interval of a value may grow before it becomes the full
// range of the value's type. If a bound of a phi's interval still grows after two extensions, the
// bound jumps. The new bound is the next constant that occurs in a comparison. The interval of a
// value other than a phi grows only because the interval of some phi grows. For a value other than
// a phi, the interval may be extended lateVisits more times before its bounds jump.
const (
	maxVisits  = 24
	lateVisits = 40 // number of additional extensions for values other than phis
)

// blockFact is a relation between two values that holds in all blocks that the block From
// dominates.
type blockFact struct {
	Rel   Relation
	Other *ir.Value
	From  *ir.Block
}

// Ranges contains the results of the interval analysis of a kernel.
type Ranges struct {
	Module        *ir.Module
	f             *ir.Func
	Dom           *ir.DomTree
	notesByID     []*valueNotes             // facts and intervals of values, indexed by the values' IDs
	otherNotes    map[*ir.Value]*valueNotes // notes about values that are not in notesByID, because another value has the same ID
	iteration     int                       // number of the current iteration of Solve, counted from 1
	widenBounds   []int64                   // sorted bounds to which growing intervals are widened
	lengthOffsets map[uint64]bool           // offsets of slice lengths in the launch block
	intOffsets    map[uint64]bool           // offsets of arguments of type int in the launch block
	// divergentBlocks is the set of blocks whose branch conditions give no facts, because dead
	// lanes (work-items that have returned early) ignore the conditions.
	divergentBlocks map[*ir.Block]bool
	// smallIntervals maps a value to the interval that it has in small launches.
	smallIntervals map[*ir.Value]Interval
	// lateFacts contains unsigned relations x < y and x <= y in which y may still be negative, as
	// far as Solve knows.
	lateFacts []unsignedFact
	vars      varRanges
	// Known caches results of At. Known is nil while the intervals may still change.
	Known map[Place]Interval
}

// valueNotes contains the facts about one value and the interval of the value.
type valueNotes struct {
	v        *ir.Value
	facts    []blockFact
	factSums []*ir.Value // sums "value plus constant" that have facts of their own
	// baseInterval is the value's interval in all blocks. changeCount counts the changes of baseInterval in the
	// current iteration of Solve. The field iteration is the number of the iteration of Solve that computed
	// baseInterval.
	baseInterval           Interval
	iteration, changeCount int
}

// notesOf returns the facts and the interval of v, or nil if there are none. Most notes are in a
// slice indexed by the values' IDs, because this is the most frequent lookup in the compiler.
func (a *Ranges) notesOf(v *ir.Value) *valueNotes {
	if uint(v.ID) < uint(len(a.notesByID)) {
		if n := a.notesByID[v.ID]; n == nil || n.v == v {
			return n
		}
	}
	return a.otherNotes[v]
}

// noteOn returns the notes about v. If v has no notes, noteOn first adds empty notes.
func (a *Ranges) noteOn(v *ir.Value) *valueNotes {
	n := a.notesOf(v)
	if n != nil {
		return n
	}
	n = &valueNotes{v: v}
	if uint(v.ID) < uint(len(a.notesByID)) && a.notesByID[v.ID] == nil {
		a.notesByID[v.ID] = n
	} else {
		a.otherNotes[v] = n
	}
	return n
}

// knownInterval returns v's interval if the current iteration of Solve has computed it.
func (a *Ranges) knownInterval(v *ir.Value) (Interval, bool) {
	if n := a.notesOf(v); n != nil && n.iteration == a.iteration {
		return n.baseInterval, true
	}
	return Interval{}, false
}

// eachNote calls f for all notes, in any order.
func (a *Ranges) eachNote(f func(*valueNotes)) {
	for _, n := range a.notesByID {
		if n != nil {
			f(n)
		}
	}
	for _, n := range a.otherNotes {
		f(n)
	}
}

// Facts returns the facts about v.
func (a *Ranges) Facts(v *ir.Value) []blockFact {
	if n := a.notesOf(v); n != nil {
		return n.facts
	}
	return nil
}

// Place is a pair of a value and a block in which the value's interval may be known.
type Place struct {
	v *ir.Value
	b *ir.Block
}

// maxKnown is the largest number of intervals in a cache.
const maxKnown = 1 << 16

// unsignedFact is the unsigned relation x < y or x <= y. The relation holds in the blocks that fromBlock dominates.
type unsignedFact struct {
	x, y      *ir.Value
	rel       Relation
	fromBlock *ir.Block
}

// NewRanges returns an analysis of m's kernel. The caller must call Solve before it uses the
// intervals.
func NewRanges(m *ir.Module) *Ranges { return NewRangesOf(m, nil) }

// NewRangesOf is like NewRanges, but ignores the conditions of the branches at the ends of the
// divergent blocks.
func NewRangesOf(m *ir.Module, divergent map[*ir.Block]bool) *Ranges {
	a := &Ranges{Module: m, iteration: 1, divergentBlocks: divergent, f: m.Kernel, Dom: m.Kernel.Dominators(), notesByID: make([]*valueNotes, m.Len()+1),
		otherNotes: map[*ir.Value]*valueNotes{}, lengthOffsets: map[uint64]bool{}, intOffsets: map[uint64]bool{},
		smallIntervals: map[*ir.Value]Interval{}}
	for _, p := range m.Params {
		if p.Kind == abi.Slice && p.Offset >= 0 {
			a.lengthOffsets[uint64(abi.OffsetArgs+p.Offset+8)] = true
		}
		if p.Kind == abi.Value && p.Type == "int" && p.Offset >= 0 {
			a.intOffsets[uint64(abi.OffsetArgs+p.Offset)] = true
		}
	}
	a.findVars()
	a.widenBounds = []int64{0, math.MaxInt32 - 1, math.MaxInt32, math.MaxUint32, MaxLength - 1, MaxLength, math.MaxInt64 - 1, math.MaxInt64}
	add := func(v *ir.Value) {
		if v.IsConst() && v.Type.IsInt() {
			a.widenBounds = append(a.widenBounds, v.Int(), v.Int()-1)
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
			a.widenBounds = append(a.widenBounds, p.Hi, p.Hi-1)
		}
	}
	slices.Sort(a.widenBounds)
	a.widenBounds = slices.Compact(a.widenBounds)
	return a
}

// branchFacts records facts that follow from b's branch condition. The facts hold in a successor of
// b if an edge from b is the only way into the successor.
func (a *Ranges) branchFacts(b *ir.Block) {
	if a.divergentBlocks[b] || b.Term.Kind != ir.Branch || b.Term.Succs[0] == b.Term.Succs[1] {
		return
	}
	for i, s := range b.Term.Succs {
		if a.onlyFrom(b, s) {
			a.assumeCond(b.Term.Cond, i == 0, s)
		}
	}
}

// onlyFrom reports whether block s can only be entered by the edge from b. Back edges of a loop
// with head s are ignored, because the values that b's condition compares were computed before the
// loop.
func (a *Ranges) onlyFrom(b, s *ir.Block) bool {
	for _, p := range s.Preds {
		if p != b && !a.Dom.Dominates(s, p) {
			return false
		}
	}
	return !a.Dom.Dominates(s, b)
}

// assumeCond records the relations that follow if the condition c has the value want. The relations
// hold in the blocks that the argument "from" dominates.
func (a *Ranges) assumeCond(c *ir.Value, want bool, from *ir.Block) {
	EachRelation(c, want, func(x *ir.Value, r Relation, y *ir.Value, unsigned bool) {
		if unsigned {
			if late := (unsignedFact{x, y, r, from}); r != Below && r != AtMost {
				return
			} else if a.neverNegative(y) {
				a.addUnsigned(late)
			} else {
				a.lateFacts = append(a.lateFacts, late)
			}
			return
		}
		a.addFacts(x, blockFact{r, y, from})
		a.addFacts(y, blockFact{Flip(r), x, from})
	})
}

// addFacts adds facts about the value x.
func (a *Ranges) addFacts(x *ir.Value, facts ...blockFact) {
	n := a.noteOn(x)
	n.facts = append(n.facts, facts...)
	if x.Op == ir.OpIAdd && x.Args[1].IsConst() {
		if n := a.noteOn(x.Args[0]); !slices.Contains(n.factSums, x) {
			n.factSums = append(n.factSums, x)
		}
	}
}

// addUnsigned records the facts that follow from the unsigned relation l. addUnsigned requires that
// l.y is at least 0 as a signed integer. If l.y is not negative, the relation l also holds for
// signed integers, and l.x is not negative.
func (a *Ranges) addUnsigned(l unsignedFact) {
	zero := ir.Outside(l.x.Type, 0)
	a.addFacts(l.x, blockFact{l.rel, l.y, l.fromBlock}, blockFact{AtLeast, zero, l.fromBlock})
	a.addFacts(l.y, blockFact{Flip(l.rel), l.x, l.fromBlock})
}

// neverNegative reports whether v is a non-negative constant, the length of a slice, or an extent
// of the launch's range.
func (a *Ranges) neverNegative(v *ir.Value) bool {
	switch v.Op {
	case ir.OpConst:
		return v.Int() >= 0
	case ir.OpArg:
		return a.lengthOffsets[v.Bits] || v.Bits >= abi.OffsetRange && v.Bits < abi.OffsetReserved
	}
	return false
}

// Flip returns the relation with exchanged operands. For example, Flip returns Above for Below.
func Flip(r Relation) Relation {
	return [...]Relation{Below: Above, AtMost: AtLeast, Above: Below, AtLeast: AtMost, Unequal: Unequal}[r]
}

// EachRelation calls f for each relation between two values that follows if the condition c has the
// value want.
func EachRelation(c *ir.Value, want bool, f func(x *ir.Value, r Relation, y *ir.Value, unsigned bool)) {
	switch c.Op {
	case ir.OpLNot:
		EachRelation(c.Args[0], !want, f)
	case ir.OpLAnd, ir.OpLOr:
		if want == (c.Op == ir.OpLAnd) {
			EachRelation(c.Args[0], want, f)
			EachRelation(c.Args[1], want, f)
		}
	case ir.OpSLt, ir.OpULt:
		if want {
			f(c.Args[0], Below, c.Args[1], c.Op == ir.OpULt)
		} else {
			f(c.Args[1], AtMost, c.Args[0], c.Op == ir.OpULt)
		}
	case ir.OpSLe, ir.OpULe:
		if want {
			f(c.Args[0], AtMost, c.Args[1], c.Op == ir.OpULe)
		} else {
			f(c.Args[1], Below, c.Args[0], c.Op == ir.OpULe)
		}
	case ir.OpIEq, ir.OpINe:
		if want == (c.Op == ir.OpIEq) {
			f(c.Args[0], AtMost, c.Args[1], false)
			f(c.Args[0], AtLeast, c.Args[1], false)
		} else {
			f(c.Args[0], Unequal, c.Args[1], false)
		}
	}
}

// maxRounds is the largest number of iterations of Solve.
const maxRounds = 4

// Solve computes the intervals of all integers of the kernel. Relations that phis inherit, and
// unsigned relations, depend on intervals. So each iteration of Solve computes the intervals and
// then derives more relations.
func (a *Ranges) Solve() {
	for range maxRounds {
		a.iteration++
		a.vars.intervalOf, a.vars.growCount = map[varInts]Interval{}, map[varInts]int{}
		a.solveIntervals()
		changed := false
		a.lateFacts = slices.DeleteFunc(a.lateFacts, func(l unsignedFact) bool {
			if a.At(l.y, l.fromBlock).Lo < 0 {
				return false
			}
			a.addUnsigned(l)
			changed = true
			return true
		})
		for _, b := range a.Dom.Order {
			for _, v := range b.Phis {
				changed = a.inheritBounds(v) || changed
			}
		}
		if !changed {
			return
		}
	}
}

// solveIntervals computes intervals that satisfy the known relations. solveIntervals starts with
// empty intervals and extends them until nothing changes. A bound that keeps growing is set to the
// next element of a.widenBounds.
func (a *Ranges) solveIntervals() {
	for changed := true; changed; {
		changed = false
		for _, b := range a.Dom.Order {
			for _, v := range b.Phis {
				if v.Type.IsInt() {
					changed = a.update(v, a.phiInterval(v)) || changed
				}
			}
			for _, v := range b.Insts {
				if v.Type.IsInt() {
					changed = a.update(v, a.evalInterval(v)) || changed
				} else if v.Op == ir.OpStore {
					changed = a.addStored(v) || changed
				}
			}
		}
	}
}

func (a *Ranges) update(v *ir.Value, n Interval) bool {
	known := a.noteOn(v)
	if known.iteration == a.iteration {
		old := known.baseInterval
		n = n.Union(old)
		if n == old {
			return false
		}
		known.changeCount++
		visits := known.changeCount
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
			n = a.widenBoundsOf(old, n, v.Type)
		}
	} else {
		known.iteration, known.changeCount = a.iteration, 0
	}
	known.baseInterval = n
	return true
}

// widenBoundsOf compares the intervals n and old. If a bound of n is outside old, widenBoundsOf
// replaces that bound by the next element of a.widenBounds.
func (a *Ranges) widenBoundsOf(old, n Interval, t *ir.Type) Interval {
	full := FullRange(t)
	if n.Hi > old.Hi {
		i, _ := slices.BinarySearch(a.widenBounds, n.Hi)
		n.Hi = full.Hi
		if i < len(a.widenBounds) {
			n.Hi = min(full.Hi, a.widenBounds[i])
		}
	}
	if n.Lo < old.Lo {
		i, ok := slices.BinarySearch(a.widenBounds, n.Lo)
		if !ok {
			i--
		}
		n.Lo = full.Lo
		if i >= 0 {
			n.Lo = max(full.Lo, a.widenBounds[i])
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
	if v.IsConst() { // relations cannot narrow the interval of a constant
		return p
	}
	if v.Op == ir.OpUConvert || v.Op == ir.OpSConvert {
		if x := v.Args[0]; x.Block != nil && x.Type.IsInt() {
			p = p.Meet(ConvertRange(v, a.At(x, b)))
		}
	}
	about := a.notesOf(v)
	if about == nil {
		return p
	}
	p = a.applyFacts(p, about, b)
	// In SSA form, the index v of a range loop over an array starts at -1, and the loop compares v
	// + 1. So the facts from the loop's condition concern the sum v + 1. Facts about the sum v + 1
	// also narrow the interval of v. The interval of v + 1 is derived from v's interval, and cannot
	// narrow v's interval in turn.
	for _, s := range about.factSums {
		n := s.Args[1].Int()
		all := AddRanges(p, Interval{n, n})
		if !Fits32(n) || !all.Within(FullRange(v.Type)) {
			continue // the sum s may wrap
		}
		if q := AddRanges(a.applyFacts(all, a.notesOf(s), b), Interval{-n, -n}); !q.Empty() {
			p = p.Meet(q)
		}
	}
	return p
}

// applyFacts narrows the interval p of a value. It applies the facts about the value that hold in
// block b.
func (a *Ranges) applyFacts(p Interval, about *valueNotes, b *ir.Block) Interval {
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

// Value returns the interval of v in all blocks, without the facts that hold only in some blocks.
func (a *Ranges) Value(v *ir.Value) Interval {
	if v.IsConst() {
		n := v.Int()
		return Interval{n, n}
	}
	if p, ok := a.knownInterval(v); ok {
		return p
	}
	if v.Block == nil || !v.Type.IsInt() {
		if v.Op == ir.OpSpecConst {
			return a.specRange(v.Aux.(*ir.Spec))
		}
		return FullRange(v.Type)
	}
	// The value v was not visited yet, so its interval is the full range.
	return FullRange(v.Type)
}

// specRange returns the interval of the specialization constant s.
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
	if s.User.Max > 0 { // the runtime rejects values outside these bounds
		p = Interval{max(p.Lo, int64(s.User.Min)), min(p.Hi, int64(s.User.Max))}
	}
	return p
}

// phiInterval returns the union of the intervals that the arguments of the phi v have on their
// edges.
func (a *Ranges) phiInterval(v *ir.Value) Interval {
	var p Interval
	first := true
	for i, x := range v.Args {
		if _, ok := a.knownInterval(x); !ok && x.Block != nil {
			continue // the argument x was not visited yet
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

// OnEdge returns the interval of x on the edge from p to b.
func (a *Ranges) OnEdge(x *ir.Value, p, b *ir.Block) Interval {
	q := a.At(x, p)
	a.edgeRelations(p, b, func(y *ir.Value, r Relation, z *ir.Value) {
		if y == x {
			q = a.apply(q, r, a.Value(z))
		}
	})
	return q
}

// edgeRelations calls f for each signed relation that follows from p's branch condition on the edge
// to b.
func (a *Ranges) edgeRelations(p, b *ir.Block, f func(x *ir.Value, r Relation, y *ir.Value)) {
	if a.divergentBlocks[p] || p.Term.Kind != ir.Branch || p.Term.Succs[0] == p.Term.Succs[1] {
		return
	}
	EachRelation(p.Term.Cond, p.Term.Succs[0] == b, func(x *ir.Value, r Relation, y *ir.Value, unsigned bool) {
		if !unsigned {
			f(x, r, y)
			f(y, Flip(r), x)
		}
	})
}

// inheritBounds records relations v < z of phis v. The relation x < z must hold for each argument x
// of v, on the argument's edge. The relation v < z bounds the counter of a loop that tests its
// condition at the end.
func (a *Ranges) inheritBounds(v *ir.Value) bool {
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
			if slices.Contains(a.Facts(v), blockFact{Below, z, b}) {
				return
			}
			for j, w := range v.Args {
				if !a.belowOnEdge(w, z, b.Preds[j], b) {
					return
				}
			}
			n, m := a.noteOn(v), a.noteOn(z)
			n.facts, m.facts = append(n.facts, blockFact{Below, z, b}), append(m.facts, blockFact{Above, v, b})
			changed = true
		})
	}
	return changed
}

// belowOnEdge reports whether x < z holds on the edge from p to b.
func (a *Ranges) belowOnEdge(x, z *ir.Value, p, b *ir.Block) bool {
	if known, is := a.isLess(x, z, p); known && is {
		return true
	}
	found := false
	a.edgeRelations(p, b, func(y *ir.Value, r Relation, w *ir.Value) {
		found = found || y == x && r == Below && w == z
	})
	return found || a.OnEdge(x, p, b).Hi < a.OnEdge(z, p, b).Lo
}

// isLess decides whether x < y holds for signed integers in block b. isLess uses the intervals of x and y and
// the facts about both.
func (a *Ranges) isLess(x, y *ir.Value, b *ir.Block) (isKnown, isTrue bool) {
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
