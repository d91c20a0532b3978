package loops

// This file contains the pass ahead, which duplicates loops to hoist their checks. The file
// corners.go finds the checks that can be tested ahead of a loop.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// These constants limit the loops that are duplicated.
const (
	maxAheadValues = 400 // largest number of instructions in a loop nest
	maxAheadTests  = 48  // largest number of tests ahead of one loop nest
	maxAheadNests  = 12  // largest number of duplicated loop nests in a kernel
)

// Ahead inserts tests before a loop. The tests choose between the original loop and a copy without
// the hoisted checks. Suppose that an index changes by a constant step. If the index is in bounds
// in the first and the last iteration, it is in bounds in all iterations.
func Ahead(m *ir.Module, r *facts.Result) diag.List {
	if m.UsesGroup && !uniform.Stays(m, func(m *ir.Module) diag.List { return checkAhead(m, nil) }) {
		return nil
	}
	return checkAhead(m, r)
}

func checkAhead(m *ir.Module, r *facts.Result) diag.List {
	f := m.Kernel
	p := &planner{f: f}
	if m.UsesGroup {
		p.together = leaveTogether(f)
	}
	p.a = facts.Solved(m, nil, r)
	p.loops = p.a.Dom.Loops()
	for _, l := range p.loops.All {
		if l.Outer == nil {
			p.planLoop(l)
		}
	}
	if len(p.plans) == 0 {
		return nil
	}
	p.applyPlans()
	return simplify.Clean(m)
}

// planner finds the loop nests to duplicate.
type planner struct {
	f        *ir.Func
	a        *facts.Ranges
	loops    *ir.Loops
	together map[*ir.Block]bool // result of leaveTogether
	plans    []*nest
}

// leaveTogether returns the blocks whose uniform branch may let all work-items of a group leave the
// group together before a Sync op. A loop that contains one of the returned blocks is not
// duplicated, because the work-items would leave the duplicated loop one by one. A work-item that
// leaves alone would become a dead lane and execute code that is only for the remaining work-items.
func leaveTogether(f *ir.Func) map[*ir.Block]bool {
	f.RemoveUnreachable()
	rewrite.SingleLatches(f)
	u := uniform.Of(f)
	together := map[*ir.Block]bool{}
	for _, b := range u.Order {
		if _, ok := u.Way(b); ok && u.Block(b) && u.Value(b.Term.Cond) {
			together[b] = true
		}
	}
	return together
}

// mayCopy reports whether the loop l may be duplicated.
func (p *planner) mayCopy(l *Loop) bool {
	return l.Movable(0) && l.countInsts() <= maxAheadValues && !slices.ContainsFunc(l.blocks, func(b *ir.Block) bool { return p.together[b] })
}

// planLoop adds the loop l to p.plans. If more checks can be hoisted from the loops inside l,
// planLoop adds these inner loops instead. planLoop returns the number of hoisted checks.
func (p *planner) planLoop(l *ir.Loop) int {
	var n *nest
	own := 0
	if x := newLoop(l, p.a.Dom); p.mayCopy(x) {
		n = &nest{nestEnds: newCorners(p.a, p.loops, l), Loop: x}
		if !slices.ContainsFunc(l.Head.Phis, func(phi *ir.Value) bool { return n.entry[phi] == nil }) {
			own = n.collectChecks()
		}
	}
	before, inside := len(p.plans), 0
	for _, in := range p.loops.All {
		if in.Outer == l {
			inside += p.planLoop(in)
		}
	}
	if own == 0 || own < inside {
		return inside
	}
	p.plans = p.plans[:before]
	if before == maxAheadNests {
		return 0
	}
	p.plans = append(p.plans, n)
	return own
}

// A nest is a loop nest, which consists of a loop and all loops inside it.
type nest struct {
	*nestEnds
	*Loop
	hoisted []rewrite.Check // checks that always pass if the tests succeed
	tests   []aheadTest
}

// aheadTest describes a test ahead of a loop nest. The test makes a check in the nest unnecessary.
// The test either compares x with y in the first and last iterations, or is an invariant condition.
type aheadTest struct {
	x, y     *ir.Value
	equal    bool      // whether the test is x <= y instead of x < y
	unsigned bool      // whether the comparison is unsigned, which requires that y is not negative
	same     *ir.Value // the invariant condition, or nil
	is       bool      // the value that the invariant condition must have
}

// collectChecks finds the checks that can be hoisted, and returns their number.
func (n *nest) collectChecks() int {
	size := 0
	for _, b := range n.blocks {
		k, ok := rewrite.CheckOf(b)
		if !ok {
			continue
		}
		tests := len(n.tests)
		mark := n.markAssumed()
		more := 0
		if ok = n.addTests(k.Holds, k.Want, b); ok {
			for _, t := range n.tests[tests:] {
				more += len(n.endsOf(t))
			}
		}
		if ok && size+more <= maxAheadTests && !n.alwaysFails() {
			size += more
			n.hoisted = append(n.hoisted, k)
		} else {
			n.tests = n.tests[:tests]
			n.resetAssumed(mark)
		}
	}
	return len(n.hoisted)
}

// addTests adds tests ahead of the loops. If the tests succeed, the condition c equals want in all
// iterations that execute block b. addTests returns false if it finds no such tests.
func (n *nest) addTests(c *ir.Value, want bool, b *ir.Block) bool {
	if n.varyingLoops(c) == 0 {
		n.tests = append(n.tests, aheadTest{same: c, is: want})
		return true
	}
	switch c.Op {
	case ir.OpLNot:
		return n.addTests(c.Args[0], !want, b)
	case ir.OpLAnd, ir.OpLOr:
		return want == (c.Op == ir.OpLAnd) && n.addTests(c.Args[0], want, b) && n.addTests(c.Args[1], want, b)
	case ir.OpSLt, ir.OpSLe, ir.OpULt, ir.OpULe:
	default:
		return false
	}
	t := aheadTest{x: c.Args[0], y: c.Args[1], equal: c.Op == ir.OpSLe || c.Op == ir.OpULe}
	if !want {
		t = aheadTest{x: t.y, y: t.x, equal: !t.equal}
	}
	if !n.runsInLoops(b, n.varyingLoops(t.x)|n.varyingLoops(t.y)) || !n.isExact(t.x) || !n.isExact(t.y) {
		return false
	}
	if c.Op == ir.OpULt || c.Op == ir.OpULe {
		if t.unsigned = n.intervalOf(t.y).Lo >= 0; !t.unsigned {
			n.tests = append(n.tests, aheadTest{x: n.a.Module.Const(t.x.Type, 0), y: t.x, equal: true})
		}
	}
	n.tests = append(n.tests, t)
	return true
}

// endsOf returns the combinations of first and last iterations in which the test t must succeed.
func (n *nest) endsOf(t aheadTest) []variance {
	if t.same != nil {
		return []variance{0}
	}
	bits := n.varyingLoops(t.x) | n.varyingLoops(t.y)
	var all []variance
	for e := variance(0); e <= bits; e++ {
		if e&^bits == 0 {
			all = append(all, e)
		}
	}
	return all
}

// alwaysFails reports whether the tests are known to always fail, so that the copy without checks
// would never run. alwaysFails emits the tests into a temporary block and simplifies them.
func (n *nest) alwaysFails() bool {
	f := n.head.Func
	b := &ir.Block{Func: f} // the temporary block, which is not part of the kernel
	ok := n.emitTests(b)
	s := &simplify.Simplifier{Module: f.Module, Func: f, Repl: map[*ir.Value]*ir.Value{}}
	for _, v := range b.Insts {
		for i, a := range v.Args {
			v.Args[i] = s.Resolve(a)
		}
		if w, _ := s.Pure(v); w != v {
			s.Repl[v] = w
		}
	}
	ok = s.Resolve(ok)
	return ok.IsConst() && ok.Bits == 0
}

// emitTests adds the tests at the end of block b and returns whether all of them succeed.
func (n *nest) emitTests(b *ir.Block) *ir.Value {
	n.setBlock(b)
	m := b.Func.Module
	all := n.testAssumed()
	for _, t := range n.tests {
		for _, e := range n.endsOf(t) {
			var ok *ir.Value
			if t.same != nil {
				if ok = n.hoistValue(t.same); !t.is {
					ok = b.Append(ir.OpLNot, ir.TypeBool, ok)
				}
			} else {
				op := ir.OpSLt
				switch {
				case t.unsigned && t.equal:
					op = ir.OpULe
				case t.unsigned:
					op = ir.OpULt
				case t.equal:
					op = ir.OpSLe
				}
				ok = b.Append(op, ir.TypeBool, n.valueAt(t.x, e), n.valueAt(t.y, e))
			}
			all = append(all, ok)
		}
	}
	ok := m.Bool(true)
	for _, x := range all {
		ok = b.Append(ir.OpLAnd, ir.TypeBool, ok, x)
	}
	return ok
}

// applyPlans duplicates the planned loop nests.
func (p *planner) applyPlans() {
	fast := make([]*ir.Block, len(p.plans))
	for i, n := range p.plans {
		pre := enterBy(n.l)
		fast[i] = p.f.NewBlock()
		pre.Branch(n.emitTests(pre), fast[i], n.head)
		fast[i].Jump(n.head)
		for _, phi := range n.head.Phis {
			init := n.entry[phi]
			phi.Args = append(phi.Args, init, init)
		}
	}
	u := &rewrite.Undefs{}
	var cells []*ir.Var
	for _, n := range p.plans {
		cells = append(cells, n.demoteUses(p.f, u)...)
	}
	cells = append(cells, rewrite.DemotePhis(p.f, u)...)
	for i, n := range p.plans {
		n.copyUnchecked(p.f, fast[i])
	}
	p.f.RemoveUnreachable()
	u.Promote(p.f, cells)
}

// copyUnchecked creates a copy of the loop nest n without the hoisted checks. copyUnchecked
// redirects the edge from pre to the copy.
func (n *nest) copyUnchecked(f *ir.Func, pre *ir.Block) {
	c := rewrite.NewCloner(f)
	c.Copy(n.blocks)
	c.End(n.blocks, c.Block)
	for _, k := range n.hoisted {
		rewrite.DropEdge(c.Block(k.Block), c.Block(k.Fault))
	}
	for _, b := range n.blocks {
		b.Cold = true
	}
	pre.Retarget(n.head, c.Block(n.head))
}

// enterBy returns a new block to which all edges that enter the loop l are redirected. The block
// has no terminator yet. The caller adds an edge from the new block to the loop's head, and the phi
// arguments for that edge.
func enterBy(l *ir.Loop) *ir.Block {
	pre := l.Head.Func.NewBlock()
	for _, p := range slices.Clone(l.Head.Preds) {
		if !l.Contains(p) {
			p.Retarget(l.Head, pre)
		}
	}
	return pre
}
