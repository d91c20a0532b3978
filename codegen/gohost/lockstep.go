package gohost

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// This file finds lockstep loops. In a lockstep loop, the work-items of a block execute each
// iteration together, as on a GPU. The Go code of each iteration is itself a loop over the
// work-items of the block. Many kernels contain loops like the following, which are fast only in
// lockstep:
//
//	for i := it.GlobalID(); i < len(k.X); i += it.GlobalRange() {
//		sum += k.X[i]
//	}
//
// In lockstep, neighbouring work-items load neighbouring elements in the same iteration. Without
// lockstep, one work-item after another runs the whole loop, and loads only one element from each
// of many cache lines. In kernels with work-groups, a block is the whole work-group. In kernels
// over ranges, a block consists of at most blockItems work-items of a row.
//
// A region with a lockstep loop is divided into three parts. The parts of the region are the prefix
// before the loop, the loop's iterations (called rounds in the code), and the rest after the loop's
// exit. The prefix and the loop have no side effects, so the order of work-items does not matter.
// If a work-item of the block does not reach the loop, the whole block runs the region's original
// code from the beginning.

// blockItems is the number of work-items of a range that execute a lockstep loop together.
const blockItems = 256

// lockstep describes a region with a lockstep loop.
type lockstep struct {
	r          *region
	loop       *ir.Loop
	latch      *ir.Block
	exit       *ir.Block
	inductions map[*ir.Value]*induction
	steps      []*induction // induction variables, in the order of the phis of the loop's head
	tops       []*loopExit  // exits at the beginning of an iteration
	bottom     *loopExit    // exit at the end of an iteration, or nil
	// arrays is a list of phis of the loop's head, whose values differ between work-items. The home
	// of each of these phis is a slice with an element per work-item.
	arrays []*ir.Value
	// next is a map from values to phis. For each phi in the list `arrays`, the key is the value
	// that the phi receives from the latch. At the end of an iteration, the value from the latch is
	// stored in the home of the phi.
	next    map[*ir.Value]*ir.Value
	through []*ir.Value // values that the prefix computes and that later parts use
	prefix  *region
	rounds  *region
	rest    *region
}

// induction describes an induction variable: a phi of the loop's head that grows by step in each
// iteration. The value of an induction variable is scale (0 or 1) times the work-item's index in
// the block, plus a value that all work-items share.
type induction struct {
	phi, init, step *ir.Value
	scale           int64
	global          bool // if scale is 1: whether init contains a global id instead of a local id
	offset          int64
	from            *ir.Value // loop-invariant addend of init, or nil
}

// A loopExit describes an exit of a lockstep loop, at the end of the IR block in field from. A
// work-item stays in the loop if all conditions in conds hold, and leaves the loop otherwise.
type loopExit struct {
	from  *ir.Block
	conds []condition
}

// condition compares an induction variable, plus a constant, with a loop-invariant value.
type condition struct {
	op    ir.Op
	i     *induction
	plus  int64
	bound *ir.Value
	left  bool // whether the induction variable is the left operand
	not   bool // whether work-items stay in the loop if the comparison is false; otherwise they stay if it is true
}

// An exitKind is the kind of an edge that leaves a part of a region, or noTail. Each edge that
// leaves a part of a region ends at an extra node.
type exitKind int

const (
	noTail   exitKind = iota // an ordinary node
	arrive                   // the work-item reaches the loop
	turnBack                 // the work-item must run the region's original code
	endRound
)

// partInfo contains the additional fields for a region that is only a part of a larger region, such
// as a prefix.
type partInfo struct {
	of    *region // complete region that contains this part; nil if this region is complete
	ls    *lockstep
	label string // suffix that makes the labels of the part's nodes unique
	succs map[*node][]*node
	tails []*node
	args  map[*ir.Value]*ir.Value // maps a phi at the beginning of the rest to the value of the phi when work-items leave the loop
}

// findLockstep returns the first loop of the region for which lockstep is possible and worthwhile,
// or nil if there is no such loop.
func (w *formWriter) findLockstep(r *region) *lockstep {
	if !w.isRanged() && w.m.Rank != 1 || w.m.Form == abi.Task || slices.ContainsFunc(w.all, readsLanes) {
		return nil
	}
	loops := w.m.Kernel.Dominators().Loops()
	for _, n := range r.nodes {
		for _, l := range loops.All {
			if n.block != l.Head || w.head[l.Head] != n || n == r.entry {
				continue
			}
			ls := &lockstep{r: r, loop: l, inductions: map[*ir.Value]*induction{}, next: map[*ir.Value]*ir.Value{}}
			q := w.newBody(r)
			if ls.isSimple(q, loops) && ls.findInductions(q) && ls.findEnds(q) && ls.isWorthwhile(q) && ls.splitRegion(w) && ls.findCarried(w) {
				return ls
			}
		}
	}
	return nil
}

// readsLanes reports whether op v reads a sub-group built-in. Kernels that read sub-group built-ins
// have no lockstep loops, because the loop over work-items must count sub-groups and lanes one
// work-item at a time.
func readsLanes(v *ir.Value) bool {
	if v.Op != ir.OpBuiltIn {
		return false
	}
	switch v.Aux.(ir.BuiltIn) {
	case ir.SubgroupID, ir.SubgroupLocalInvocationID, ir.SubgroupLocalRange:
		return true
	}
	return false
}

// isQuiet reports whether the node has no cut and no side effect. A quiet node only computes
// values, and loads from memory that the work-items share.
func (w *formWriter) isQuiet(n *node) bool { return n.split == nil && w.onlyComputes(n) }

// onlyComputes reports whether the instructions of the node have no side effects and use no private
// memory. onlyComputes ignores the cut at the node's end.
func (w *formWriter) onlyComputes(n *node) bool {
	return !slices.ContainsFunc(n.insts, func(v *ir.Value) bool {
		if r := v.Ref(); r != nil && r.Var != nil && r.Var.Storage == ir.Function {
			return true
		}
		return !v.Op.Has(ir.FlagPure) && v.Op != ir.OpLoad
	})
}

// isSimple reports whether the loop has one entry, one latch, no inner loop, and no side effects.
// isSimple also sets ls.latch to the latch of the loop.
func (ls *lockstep) isSimple(w *regionBody, loops *ir.Loops) bool {
	l := ls.loop
	if len(l.Latches) != 1 || len(l.Head.Preds) != 2 {
		return false
	}
	ls.latch = l.Latches[0]
	return !slices.ContainsFunc(l.Blocks, func(b *ir.Block) bool {
		n := w.head[b]
		return loops.Of(b) != l || !w.fullRegion().in[n] || !w.isQuiet(n)
	})
}

// phiEdges returns the two operands of a phi of the loop's head. The result entryArg is the operand for the loop's
// entry, and the result latchArg is the operand for the latch.
func (ls *lockstep) phiEdges(phi *ir.Value) (entryArg, latchArg *ir.Value) {
	if ls.loop.Head.Preds[0] == ls.latch {
		return phi.Args[1], phi.Args[0]
	}
	return phi.Args[0], phi.Args[1]
}

// isInvariant reports whether v is a constant, or computed before a loop over work-items.
func (w *regionBody) isInvariant(v *ir.Value) bool { return v.IsConst() || w.isAhead(v) }

// findInductions records the induction variables of the loop, and reports whether the loop has any
// induction variable.
func (ls *lockstep) findInductions(w *regionBody) bool {
	for _, phi := range ls.loop.Head.Phis {
		init, next := ls.phiEdges(phi)
		if next.Op != ir.OpIAdd || !phi.Type.IsInt() {
			continue
		}
		i := &induction{phi: phi, init: init}
		switch {
		case next.Args[0] == phi:
			i.step = next.Args[1]
		case next.Args[1] == phi:
			i.step = next.Args[0]
		}
		if i.step == nil || !w.isInvariant(i.step) {
			continue
		}
		from, id := w.splitSum(init)
		l, linear := w.linearOf(id)
		switch {
		case w.isInvariant(init):
		case linear && phi.Type == ir.TypeI64 && l.scale == 1 && (l.id == ir.GlobalInvocationIDX || l.id == ir.LocalInvocationIDX || l.id == ir.LocalInvocationIndex):
			i.scale, i.global, i.offset, i.from = 1, l.global, l.offset, from
		default:
			continue
		}
		ls.inductions[phi] = i
		ls.steps = append(ls.steps, i)
	}
	return len(ls.steps) > 0
}

// splitSum splits a sum v into two addends. Result invariantAddend is loop-invariant, and result
// `varying` is not. If v is not the sum of two such addends, invariantAddend is nil and `varying`
// is v.
func (w *regionBody) splitSum(v *ir.Value) (invariantAddend, varying *ir.Value) {
	if v.Op == ir.OpIAdd && !v.Args[0].IsConst() && !v.Args[1].IsConst() {
		x, y := v.Args[0], v.Args[1]
		if w.isInvariant(y) {
			x, y = y, x
		}
		if w.isInvariant(x) && !w.isInvariant(y) {
			return x, y
		}
	}
	return nil, v
}

// findEnds finds the exits of the loop, and reports whether lockstep supports these exits. All
// exits of a lockstep loop must lead to the same block. Consecutive branches at the beginning of an
// iteration may be exits. The branch at the end of an iteration may also be an exit.
func (ls *lockstep) findEnds(w *regionBody) bool {
	leads := 0
	for _, b := range ls.loop.Blocks {
		for _, s := range b.Term.Succs {
			if ls.loop.Contains(s) {
				continue
			}
			if leads++; ls.exit != nil && ls.exit != s {
				return false
			}
			ls.exit = s
		}
	}
	for b := ls.loop.Head; ; {
		e, stay := ls.exitAt(b)
		if e == nil {
			break
		}
		leads--
		if stay == ls.loop.Head || stay == ls.latch && len(stay.Insts) == 0 {
			ls.bottom = e
			break
		}
		ls.tops = append(ls.tops, e)
		if len(stay.Preds) != 1 {
			break
		}
		b = stay
	}
	if ls.bottom == nil {
		// The latch may end with an exit of the loop. If the latch is empty, the predecessor of the
		// latch may end with an exit.
		b := ls.latch
		if len(b.Insts) == 0 && len(b.Preds) == 1 {
			b = b.Preds[0]
		}
		if e, _ := ls.exitAt(b); e != nil && !slices.ContainsFunc(ls.tops, func(t *loopExit) bool { return t.from == b }) {
			ls.bottom = e
			leads--
		}
	}
	if leads != 0 || ls.exit == nil {
		return false
	}
	for _, e := range ls.tops {
		if !ls.setConditions(w, e, false) {
			return false
		}
	}
	return ls.bottom == nil || ls.setConditions(w, ls.bottom, true)
}

// exitAt returns the exit of the loop at the end of block b, and the successor of b in the loop. If
// the loop has no exit at the end of b, both results are nil.
func (ls *lockstep) exitAt(b *ir.Block) (*loopExit, *ir.Block) {
	if b.Term.Kind == ir.Branch {
		for i, s := range b.Term.Succs {
			if stay := b.Term.Succs[1-i]; !ls.loop.Contains(s) && ls.loop.Contains(stay) {
				return &loopExit{from: b}, stay
			}
		}
	}
	return nil, nil
}

// setConditions sets e.conds, the conditions under which work-items stay in the loop at exit e.
// setConditions returns false if lockstep does not support the branch condition. Parameter atEnd is
// true if the exit is at the end of an iteration.
func (ls *lockstep) setConditions(w *regionBody, e *loopExit, atEnd bool) bool {
	var add func(v *ir.Value, holds bool) bool
	add = func(v *ir.Value, holds bool) bool {
		switch v.Op {
		case ir.OpLNot:
			return add(v.Args[0], !holds)
		case ir.OpLAnd, ir.OpLOr:
			return holds == (v.Op == ir.OpLAnd) && add(v.Args[0], holds) && add(v.Args[1], holds)
		}
		if !v.Op.Has(ir.FlagCompare) {
			return false
		}
		for k, x := range v.Args {
			c := condition{op: v.Op, bound: v.Args[1-k], left: k == 0, not: !holds}
			if !w.isInvariant(c.bound) {
				continue
			}
			if c.i, c.plus = ls.inductionPlus(x, atEnd); c.i != nil && (c.i.scale == 0 && c.plus == 0 || c.upperBoundOp() != "" && c.i.isGrowing()) {
				e.conds = append(e.conds, c)
				return true
			}
		}
		return false
	}
	return add(e.from.Term.Cond, e.from.Term.Succs[0] != ls.exit)
}

// upperBoundOp returns the operator "<" or "<=" if the condition compares the induction variable
// with an upper bound. If the condition is not an upper bound of the induction variable,
// upperBoundOp returns "".
func (c *condition) upperBoundOp() string {
	switch {
	case c.op == ir.OpSLt && c.left && !c.not, c.op == ir.OpSLe && !c.left && c.not:
		return "<"
	case c.op == ir.OpSLe && c.left && !c.not, c.op == ir.OpSLt && !c.left && c.not:
		return "<="
	}
	return ""
}

// isGrowing reports whether the step of the induction variable is positive, and so small that the
// variable cannot overflow in a few iterations. For a step that is not constant, isGrowing returns
// true, and the generated code checks the step at run time.
func (i *induction) isGrowing() bool {
	return !i.step.IsConst() || i.step.Int() > 0 && i.step.Int() < 1<<59
}

// inductionPlus decomposes v into an induction variable plus a constant. If v is not the sum of an induction variable
// and a constant, inductionPlus returns nil and 0. Parameter atEnd is true if v is used at the end of an iteration,
// after the increment.
func (ls *lockstep) inductionPlus(v *ir.Value, atEnd bool) (*induction, int64) {
	for _, i := range ls.steps {
		_, next := ls.phiEdges(i.phi)
		switch {
		case v == i.phi && !atEnd, v == next && atEnd:
			return i, 0
		case v.Op == ir.OpIAdd && v.Args[0] == i.phi && v.Args[1].IsConst() && !atEnd:
			if n := v.Args[1].Int(); n > -1<<31 && n < 1<<31 {
				return i, n
			}
		}
	}
	return nil, 0
}

// splitRegion divides the region into prefix, iterations and rest. splitRegion returns false if the region cannot be
// divided.
func (ls *lockstep) splitRegion(w *formWriter) bool {
	head := w.head[ls.loop.Head]
	inLoop := func(n *node) bool { return n.split == nil && ls.loop.Contains(n.block) }
	// The map `leads` contains every node with a path to the lockstep loop. The following loop
	// visits the nodes in reverse order, so the successors of a node come before the node.
	leads := map[*node]bool{head: true}
	for _, n := range slices.Backward(ls.r.nodes) {
		if !inLoop(n) && slices.ContainsFunc(w.succsOf(n), func(s *node) bool { return leads[s] }) {
			leads[n] = true
		}
	}
	at := map[*node]int{}
	for i, n := range ls.r.nodes {
		at[n] = i
	}
	rest, ok := map[*node]bool{}, true
	var visit func(n *node)
	visit = func(n *node) {
		if rest[n] = true; leads[n] || inLoop(n) {
			ok = false
			return
		}
		for _, s := range w.succsOf(n) {
			if !rest[s] {
				visit(s)
			}
		}
	}
	visit(w.head[ls.exit])
	if !ok || !leads[ls.r.entry] {
		return false
	}
	ls.prefix, ls.rounds, ls.rest = ls.newPart(ls.r.entry, "p"), ls.newPart(head, "l"), ls.newPart(w.head[ls.exit], "c")
	for _, n := range ls.r.nodes {
		switch {
		case inLoop(n):
			ls.rounds.addNode(n)
			for _, v := range n.phis {
				if n == head {
					delete(ls.rounds.defs, v) // the iterations read the phi from its home, so they do not define the phi
				}
			}
			var to []*node
			for _, s := range w.succsOf(n) {
				if s == head {
					to = append(to, ls.addExitNode(w, ls.rounds, n, endRound))
				} else if inLoop(s) {
					to = append(to, s)
				}
			}
			ls.rounds.succs[n] = to
		case leads[n]:
			if !w.isQuiet(n) {
				return false
			}
			ls.prefix.addNode(n)
			var to []*node
			for _, s := range w.succsOf(n) {
				switch {
				case s == head:
					to = append(to, ls.addExitNode(w, ls.prefix, n, arrive))
				case !leads[s]:
					to = append(to, ls.addExitNode(w, ls.prefix, n, turnBack))
				case at[s] <= at[n]:
					return false
				default:
					to = append(to, s)
				}
			}
			ls.prefix.succs[n] = to
		case rest[n]:
			ls.rest.addNode(n)
		}
	}
	for _, p := range []*region{ls.prefix, ls.rounds, ls.rest} {
		p.nodes = append(p.nodes, p.tails...)
	}
	return true
}

// atExit returns a value that equals v at an exit of the loop. atExit returns v itself if v is
// loop-invariant, or else a phi of the loop's head. Parameter inIteration is true if the exit is at
// the end of an iteration.
func (ls *lockstep) atExit(v *ir.Value, inIteration bool) (*ir.Value, bool) {
	switch phi := ls.next[v]; {
	case !ls.loop.Contains(v.Block):
		return v, true
	case inIteration:
		return phi, phi != nil
	}
	return v, v.Block == ls.loop.Head && v.Op == ir.OpPhi
}

// addNode appends a node to the region, and adds the node's phis and instructions to the region's definitions.
func (r *region) addNode(n *node) {
	r.in[n] = true
	r.nodes = append(r.nodes, n)
	for _, v := range n.phis {
		r.defs[v] = true
	}
	for _, v := range n.insts {
		r.defs[v] = true
	}
}

func (ls *lockstep) newPart(entry *node, label string) *region {
	return &region{index: ls.r.index, entry: entry, in: map[*node]bool{}, defs: map[*ir.Value]bool{},
		partInfo: partInfo{of: ls.r, ls: ls, label: label, succs: map[*node][]*node{}, args: map[*ir.Value]*ir.Value{}}}
}

// addExitNode adds an extra node for an edge of the given kind that leaves part r of a region.
// Parameter `of` is the node at the start of the edge.
func (ls *lockstep) addExitNode(w *formWriter, r *region, of *node, kind exitKind) *node {
	t := &node{index: len(w.nodes) + len(r.tails), of: of, tail: kind}
	r.tails = append(r.tails, t)
	return t
}

// findCarried finds the values that one part of the region computes and a later part uses, and
// gives a home to each of these values. A home is a slice or variable that keeps a value across
// regions and parts. findCarried returns false if it cannot give a home to a value.
func (ls *lockstep) findCarried(w *formWriter) bool {
	for _, phi := range ls.loop.Head.Phis {
		if ls.inductions[phi] == nil {
			_, next := ls.phiEdges(phi)
			ls.next[next] = phi
		}
	}
	for _, phi := range ls.exit.Phis {
		for k, p := range ls.exit.Preds {
			if !ls.loop.Contains(p) {
				continue
			}
			a, ok := ls.atExit(phi.Args[k], ls.bottom != nil && p == ls.bottom.from)
			if x := ls.rest.args[phi]; !ok || x != nil && x != a {
				return false
			}
			ls.rest.args[phi] = a
		}
	}
	crosses := map[*ir.Value]bool{}
	add := func(v *ir.Value) bool {
		switch {
		case crosses[v] || !ls.r.defs[v] || w.recomputed[v]:
			return true
		case ls.inductions[v] != nil || w.oneHome(v) || v.Type.Kind == ir.Addr:
			return false
		case ls.loop.Contains(v.Block) && v.Op == ir.OpPhi:
			ls.arrays = append(ls.arrays, v)
		case ls.prefix.defs[v]:
			ls.through = append(ls.through, v)
		default:
			return false
		}
		crosses[v] = true
		return true
	}
	x := w.newBody(ls.rest)
	x.markNeeded()
	for _, n := range ls.rest.nodes {
		if n.split != nil {
			for _, v := range w.storedList {
				if ls.r.defs[v] && !ls.rest.defs[v] && !x.isAhead(v) && n.end.has(w.index[v]) {
					x.foreign = append(x.foreign, v)
				}
			}
		}
	}
	for _, v := range x.foreign {
		// If an iteration has exits both at the beginning and at the end, only phis of the exit
		// block can use values of the loop.
		v, ok := ls.atExit(v, ls.bottom != nil)
		if !ok || ls.loop.Contains(v.Block) && ls.bottom != nil && len(ls.tops) > 0 || !add(v) {
			return false
		}
	}
	if slices.ContainsFunc(x.entered, func(v *ir.Value) bool { return !add(v) }) || len(ls.arrays) == 0 {
		return false
	}
	for n := 0; n < len(ls.arrays); {
		n = len(ls.arrays)
		x := w.newBody(ls.rounds)
		x.markNeeded()
		for _, v := range x.foreign {
			if ls.inductions[v] == nil && !add(v) {
				return false
			}
		}
	}
	for _, v := range append(ls.arrays, ls.through...) {
		if !w.stored[v] {
			w.stored[v] = true
			w.storedList = append(w.storedList, v)
		}
	}
	return true
}
