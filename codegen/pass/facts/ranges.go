package facts

// This file computes an interval for each integer value, as a fixpoint over the function. In each
// block, the conditions of the branches that lead to the block narrow the intervals. Many passes
// use these intervals.

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

// Meet returns the intersection of p and q. If the intersection is empty, the code is never
// executed and any interval is correct. Meet then returns p.
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

// maxVisits is the number of times that an interval may grow before it becomes the full range of
// its type. After two growths, a growing bound of a phi jumps to the next constant that the kernel
// compares with. Other values grow because phis grow, so lateVisits more growths are allowed for
// them before their bounds jump.
const (
	maxVisits  = 24
	lateVisits = 40 // number of additional growths for values other than phis
)

// A fact is a relation that holds in all blocks that the block in field From dominates.
type fact struct {
	Rel   Relation
	Other *ir.Value
	From  *ir.Block
}

// Ranges contains the results of the interval analysis of a kernel.
type Ranges struct {
	Module *ir.Module
	f      *ir.Func
	Dom    *ir.DomTree
	noted  []*noted             // notes about values, indexed by the values' IDs
	rest   map[*ir.Value]*noted // notes about values whose element in noted belongs to another value with the same ID
	round  int                  // number of the current iteration of Solve, counted from 1
	steps  []int64              // sorted bounds to which growing intervals are widened
	length map[uint64]bool      // offsets of slice lengths in the launch block
	ints   map[uint64]bool      // offsets of arguments of type int in the launch block
	// The field divergent is the set of blocks whose branch conditions give no facts, because dead
	// lanes ignore these branches.
	divergent map[*ir.Block]bool
	// The field given maps a value to the interval that it has in small launches.
	given map[*ir.Value]Interval
	// The field later contains unsigned relations x < y and x <= y for which y is not yet known to be non-negative.
	later []lateFact
	vars  varRanges
	// Known caches results of At. The cache is nil while the intervals may still change.
	Known map[Place]Interval
}

// The type noted holds the facts about one value.
type noted struct {
	v     *ir.Value
	facts []fact
	sums  []*ir.Value // sums of the value and a constant about which there are facts
	// The field base is the value's interval in all blocks. The field visits counts the changes of base in the current
	// iteration of Solve. If the field round is not the number of that iteration, base is invalid.
	base          Interval
	round, visits int
}

// The method about returns the notes about v, or nil if there are none. Most notes are in a slice indexed by the
// values' IDs, because this lookup is the most frequent of the compiler.
func (a *Ranges) about(v *ir.Value) *noted {
	if uint(v.ID) < uint(len(a.noted)) {
		if n := a.noted[v.ID]; n == nil || n.v == v {
			return n
		}
	}
	return a.rest[v]
}

// noteOn returns the notes about v. If there are none, it first adds empty notes.
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

// The method known returns v's interval if the current iteration of Solve has computed it.
func (a *Ranges) known(v *ir.Value) (Interval, bool) {
	if n := a.about(v); n != nil && n.round == a.round {
		return n.base, true
	}
	return Interval{}, false
}

// The method each calls f for all notes, in any order.
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

// Place is a pair of a value and a block.
type Place struct {
	v *ir.Value
	b *ir.Block
}

// maxKnown is the largest number of intervals in a cache.
const maxKnown = 1 << 16

// A lateFact is the unsigned relation x < y or x <= y. The relation holds in the blocks that the block in field from
// dominates.
type lateFact struct {
	x, y *ir.Value
	rel  Relation
	from *ir.Block
}

// NewRanges returns an analysis of m's kernel. The caller must call Solve before it uses the
// intervals.
func NewRanges(m *ir.Module) *Ranges { return NewRangesOf(m, nil) }

// NewRangesOf is like NewRanges, but takes no facts from the branches at the ends of the divergent
// blocks.
func NewRangesOf(m *ir.Module, divergent map[*ir.Block]bool) *Ranges {
	a := &Ranges{Module: m, round: 1, divergent: divergent, f: m.Kernel, Dom: m.Kernel.Dominators(), noted: make([]*noted, m.Len()+1),
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

// branchFacts notes the facts that follow from b's branch condition in each successor that is
// entered only by one edge from b.
func (a *Ranges) branchFacts(b *ir.Block) {
	if a.divergent[b] || b.Term.Kind != ir.Branch || b.Term.Succs[0] == b.Term.Succs[1] {
		return
	}
	for i, s := range b.Term.Succs {
		if a.onlyFrom(b, s) {
			a.assume(b.Term.Cond, i == 0, s)
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

// The method assume notes the relations that follow if the condition c has the value want. These
// relations hold in the blocks that the block from dominates.
func (a *Ranges) assume(c *ir.Value, want bool, from *ir.Block) {
	EachRelation(c, want, func(x *ir.Value, r Relation, y *ir.Value, unsigned bool) {
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

// The method note adds facts about the value x.
func (a *Ranges) note(x *ir.Value, facts ...fact) {
	n := a.noteOn(x)
	n.facts = append(n.facts, facts...)
	if x.Op == ir.OpIAdd && x.Args[1].IsConst() {
		if n := a.noteOn(x.Args[0]); !slices.Contains(n.sums, x) {
			n.sums = append(n.sums, x)
		}
	}
}

// The method unsigned notes the facts that follow from the unsigned relation l, if l.y is known to
// be at least 0. The relation then also holds for signed integers, and l.x is not negative.
func (a *Ranges) unsigned(l lateFact) {
	zero := ir.Outside(l.x.Type, 0)
	a.note(l.x, fact{l.rel, l.y, l.from}, fact{AtLeast, zero, l.from})
	a.note(l.y, fact{Flip(l.rel), l.x, l.from})
}

// neverNegative reports whether v is a non-negative constant, the length of a slice, or an extent
// of the launch's range.
func (a *Ranges) neverNegative(v *ir.Value) bool {
	switch v.Op {
	case ir.OpConst:
		return v.Int() >= 0
	case ir.OpArg:
		return a.length[v.Bits] || v.Bits >= abi.OffsetRange && v.Bits < abi.OffsetReserved
	}
	return false
}

// Flip returns the relation with exchanged operands. For example, it returns Above for Below.
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

// Solve computes the intervals. Relations that phis inherit, and unsigned relations, depend on
// intervals. So each iteration of Solve computes the intervals and then derives more of these
// relations.
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

// The method fixpoint computes intervals that satisfy the known relations. It starts with empty
// intervals and extends them until nothing changes. A bound that keeps growing is set to the next
// element of a.steps.
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

// The method widen sets each bound of n that exceeds the bound of old to the next element of
// a.steps.
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
	if v.IsConst() { // relations cannot narrow the interval of a constant
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
	// In SSA form, the index v of a range loop over an array starts at -1, and the loop compares v
	// + 1. So the facts are about the sum v + 1. Only the facts about the sum narrow v's interval,
	// because the interval of the sum is itself derived from v's interval.
	for _, s := range about.sums {
		n := s.Args[1].Int()
		all := AddRanges(p, Interval{n, n})
		if !Fits32(n) || !all.Within(FullRange(v.Type)) {
			continue // the sum s may wrap
		}
		if q := AddRanges(a.applyFacts(all, a.about(s), b), Interval{-n, -n}); !q.Empty() {
			p = p.Meet(q)
		}
	}
	return p
}

// applyFacts narrows the interval p of a value by those facts about the value that hold in block b.
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

// Value returns the interval of v in all blocks, without the facts that hold only in some blocks.
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

// The method phi returns the union of the intervals that the arguments of the phi v have on their
// edges.
func (a *Ranges) phi(v *ir.Value) Interval {
	var p Interval
	first := true
	for i, x := range v.Args {
		if _, ok := a.known(x); !ok && x.Block != nil {
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
	if a.divergent[p] || p.Term.Kind != ir.Branch || p.Term.Succs[0] == p.Term.Succs[1] {
		return
	}
	EachRelation(p.Term.Cond, p.Term.Succs[0] == b, func(x *ir.Value, r Relation, y *ir.Value, unsigned bool) {
		if !unsigned {
			f(x, r, y)
			f(y, Flip(r), x)
		}
	})
}

// The method inherit notes a relation v < z for the phi v if x < z holds for each argument x of v
// on its edge. Such a relation bounds the counter of a loop that tests its condition at the end.
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

// belowOnEdge reports whether x < z holds on the edge from p to b.
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

// The method less decides whether x < y holds for signed integers in block b. It uses the intervals of x and y and the
// facts about both.
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
