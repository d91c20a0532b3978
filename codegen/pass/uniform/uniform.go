package uniform

// This file contains the main analysis, a fixpoint over values and control flow. The analysis
// starts from the work-item ids and marks all values and blocks that depend on them.

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// Info records which values are the same for all work-items of a work-group, and which blocks these
// work-items reach together.
//
// A work-item that returns early or faults leaves its group and continues as a dead lane (see
// lanes/deadlanes.go). So a branch at which some work-items leave does not make the code after the
// branch divergent. Work-items leave the group on an edge of a branch. A Sync op is reachable from
// the block of the branch, but not from the end of the edge. Some work-items take the edge, and
// others stay in the group. If both sides of a branch meet again after a Sync op, the branch is an
// if around the Sync op, not an early return.
type Info struct {
	f     *ir.Func
	roots *facts.Roots
	Order []*ir.Block
	Index map[*ir.Block]int
	// Before reports for each block, by index, whether a Sync op is reachable from the block.
	Before    []bool
	hasSyncAt []bool

	varyingOperands map[*ir.Value]*ir.Value // maps each varying value to the operand that makes it vary, or to itself
	varyingVars     map[*ir.Var]*ir.Value   // maps each varying variable to the value that makes its contents differ
	controlBlock    []*ir.Block             // maps a block, by index, to the block whose branch makes it divergent; nil if uniform
	Leaving         map[edge]bool           // edges on which some work-items leave their group
	keptEdges       map[edge]bool           // edges on which, according to the analysis, no work-items leave their group
	dom             *ir.DomTree
	loops           []*ir.Loop
	addedExits      map[int]bool // blocks that count as exits of the kernel (see decideLoops)
	// testedHeads contains the indices of the heads of loops that test in each iteration whether a
	// live lane remains. In the graph for postdominators, the test for a live lane is an additional
	// node before the loop head.
	testedHeads []int
	ranges      *facts.Ranges // intervals for intervalAt, or nil if not yet computed
	// foldModule is a module for the constants that the analysis creates by folding. The
	// analysis must not add constants to the module that it analyses.
	foldModule *ir.Module
	ipdom      []int // immediate postdominator of each node (see nodeSuccs), for the remaining work-items
	ShortLoops map[*ir.Block]bool
}

type edge struct{ from, To *ir.Block }

// Of analyses the function f, which must not have unreachable blocks.
func Of(f *ir.Func) *Info {
	u := &Info{
		f: f, roots: facts.FindRoots(f.Module), Order: f.ReversePostorder(), Index: map[*ir.Block]int{},
		varyingOperands: map[*ir.Value]*ir.Value{}, varyingVars: map[*ir.Var]*ir.Value{}, Leaving: map[edge]bool{}, foldModule: ir.NewModule(""),
	}
	for i, b := range u.Order {
		u.Index[b] = i
	}
	n := len(u.Order)
	u.Before, u.hasSyncAt, u.controlBlock = make([]bool, n), make([]bool, n), make([]*ir.Block, n)
	for i, b := range u.Order {
		u.hasSyncAt[i] = slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) })
		u.Before[i] = u.hasSyncAt[i]
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			for _, s := range u.Order[i].Term.Succs {
				if u.Before[u.Index[s]] && !u.Before[i] {
					u.Before[i], changed = true, true
				}
			}
		}
	}
	for _, b := range u.Order {
		// Work-items that take an edge to a fault never meet the other work-items again.
		if e, ok := u.Way(b); ok && isFailTarget(e.To) {
			u.Leaving[e] = true
		}
	}
	u.dom = f.Dominators()
	u.loops = u.dom.Loops().All
	for u.markValues() {
		u.findDivergent()
	}
	if u.ipdom == nil {
		u.findDivergent()
	}
	return u
}

// Value reports whether v is uniform, that is, whether all work-items that compute v together get
// the same result.
func (u *Info) Value(v *ir.Value) bool { return u.varyingOperands[v] == nil }

// Short reports whether the loop with head b is known to end after few iterations. Short uses the
// field ShortLoops, which only package pass sets, for host forms.
func (u *Info) Short(b *ir.Block) bool { return u.ShortLoops[b] }

// Block reports whether all work-items that remain in the group reach b together.
func (u *Info) Block(b *ir.Block) bool { return u.controlBlock[u.Index[b]] == nil }

// Explain returns the branch that leads some work-items past b, and the value that is the origin of
// the divergence. The block b must be divergent.
func (u *Info) Explain(b *ir.Block) (branch *ir.Block, cause *ir.Value) {
	branch = u.partingBranch(b)
	return branch, u.rootCause(branch.Term.Cond)
}

// rootCause follows the reasons why v varies, and returns the value from which the divergence
// originates.
func (u *Info) rootCause(v *ir.Value) *ir.Value {
	for chain := map[*ir.Value]bool{}; v != nil && !chain[v]; {
		chain[v] = true
		if w := u.varyingOperands[v]; w != nil {
			v = w
		}
	}
	return v
}

// partingBranch returns the branch that keeps work-items from reaching b together. Among
// the branches that control b, the returned branch is the nearest with a varying condition. If that
// branch is a check in a loop that work-items leave in different iterations, partingBranch returns
// the branch by which they leave. For example, if a loop with a varying bound contains s[i] and a
// barrier, the cause is the loop's bound, and not the bounds check of s[i].
func (u *Info) partingBranch(b *ir.Block) *ir.Block {
	var branch *ir.Block
	seen := map[*ir.Block]bool{}
	for !seen[b] {
		seen[b] = true
		c := u.controlBlock[u.Index[b]]
		if c == nil {
			break
		}
		branch = c
		if !u.Value(c.Term.Cond) {
			break
		}
		b = c
	}
	if branch == nil || !slices.ContainsFunc(branch.Term.Succs, Faults) {
		return branch
	}
	for _, l := range u.loops {
		for _, x := range u.Order {
			leaves := slices.ContainsFunc(x.Term.Succs, func(s *ir.Block) bool { return !l.Contains(s) })
			if l.Contains(branch) && l.Contains(x) && x.Term.Cond != nil && !u.Value(x.Term.Cond) && leaves && !slices.ContainsFunc(x.Term.Succs, Faults) {
				return x
			}
		}
	}
	return branch
}

// markValues marks varying values, given the divergent blocks, and reports whether any value was
// marked. An instruction varies if an operand varies. A phi in divergent flow varies, even if its
// arguments do not. For example, the counter of a loop varies after the loop if work-items leave
// the loop in different iterations.
func (u *Info) markValues() bool {
	any := false
	mark := func(v, why *ir.Value) bool {
		if u.varyingOperands[v] != nil || v.Block == nil {
			return false
		}
		u.varyingOperands[v] = why
		any = true
		return true
	}
	for changed := true; changed; {
		changed = false
		for _, b := range u.Order {
			for _, v := range b.Phis {
				if why := u.varyingPhi(v); why != nil {
					changed = mark(v, why) || changed
				}
			}
			for _, v := range b.Insts {
				if why := u.varyingOperand(v); why != nil {
					changed = mark(v, why) || changed
				}
				if u.markContents(v) {
					changed, any = true, true
				}
			}
		}
	}
	return any
}

// varyingPhi returns the value that makes the phi v vary, or nil if v is uniform.
func (u *Info) varyingPhi(v *ir.Value) *ir.Value {
	for _, a := range v.Args {
		if a.Block != nil && !u.Value(a) {
			return a
		}
	}
	b := v.Block
	if len(b.Preds) == 1 {
		return nil
	}
	if c := u.partingBranch(b); c != nil {
		return c.Term.Cond
	}
	for i, p := range b.Preds {
		if c := u.partingBranch(p); c != nil {
			return c.Term.Cond
		}
		if slices.Contains(b.Preds[:i], p) && !u.Value(p.Term.Cond) {
			return p.Term.Cond
		}
	}
	return nil
}

// varyingOperand returns the value that makes the instruction v vary, or nil if v is uniform.
func (u *Info) varyingOperand(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpBuiltIn:
		switch v.Aux.(ir.BuiltIn) {
		case ir.WorkgroupIDX, ir.WorkgroupIDY, ir.WorkgroupIDZ, ir.SubgroupSize, ir.NumSubgroups:
			return nil
		}
		return v
	case ir.OpLoad:
		r := v.Ref()
		switch {
		case r.Var == nil && u.roots.NeverWritten(v.Args[0]), r.Var != nil && r.Var.Storage == ir.Private && r.Var.Init != nil:
		case r.Var != nil && r.Var.Storage == ir.Function:
			return u.varyingLoad(v)
		default:
			return v
		}
	case ir.OpGroupSelect:
		if v.GroupScope() == ir.ScopeWorkGroup && u.Value(v.Args[1]) {
			return nil
		}
		return v
	default:
		if v.Op.Has(ir.FlagSame) && v.GroupScope() == ir.ScopeWorkGroup {
			return nil
		}
		if !v.Op.Has(ir.FlagPure) && v.Type.Kind != ir.Void {
			return v
		}
	}
	for _, a := range v.Args {
		if !u.Value(a) {
			return a
		}
	}
	return nil
}

// findDivergent finds the divergent blocks. When findDivergent finds an edge on which work-items
// leave the group, it removes the edge from the graph and starts again. After the removal of an
// edge, other blocks may depend on the edge's branch.
func (u *Info) findDivergent() {
	u.keptEdges, u.addedExits, u.testedHeads = map[edge]bool{}, map[int]bool{}, nil
	back := map[edge]bool{}
	for {
		u.findPostdominators()
		pending := u.spreadDivergence()
		if len(pending) == 0 {
			if u.retractExits(back) {
				continue
			}
			if u.decideLoops() {
				return
			}
			continue
		}
		// findDivergent decides for each edge whether work-items leave on it. First it decides
		// about all edges of branches with varying conditions together. For other branches, it
		// decides about one edge at a time. Such a branch may seem divergent only because an edge
		// nearer to the varying branch is still undecided.
		n := len(u.Order)
		distance := func(e edge) int { return (u.Index[e.from] - u.originIndex(e.from) + n) % n }
		slices.SortFunc(pending, func(x, y edge) int {
			return cmp.Or(distance(x)-distance(y), u.Index[x.from]-u.Index[y.from])
		})
		now := slices.DeleteFunc(slices.Clone(pending), func(e edge) bool { return u.Value(e.from.Term.Cond) })
		if len(now) == 0 {
			now = slices.DeleteFunc(slices.Clone(pending), func(e edge) bool { return !u.leavesByStatement(e, pending) })
		}
		if len(now) == 0 {
			now = pending
		}
		if u.Value(now[0].from.Term.Cond) {
			now = now[:1]
		}
		for {
			i := slices.IndexFunc(now, func(e edge) bool { return u.meetsLater(e, pending) })
			if i < 0 {
				break
			}
			e := now[i]
			u.keptEdges[e] = true
			is := func(x edge) bool { return x == e }
			now, pending = slices.DeleteFunc(slices.Clone(now), is), slices.DeleteFunc(slices.Clone(pending), is)
		}
		for _, e := range now {
			u.Leaving[e] = true
		}
	}
}

// retractExits removes an edge from u.Leaving if no work-items leave on the edge, given the other
// edges in u.Leaving. No work-items leave on an edge if all work-items take the edge together. The
// same holds if the work-items that take the edge meet the staying work-items again. An edge that
// all work-items take together is removed no more than once. retractExits reports whether it
// removed any edge.
func (u *Info) retractExits(back map[edge]bool) bool {
	n := len(u.Leaving)
	maps.DeleteFunc(u.Leaving, func(e edge, _ bool) bool {
		if back[e] || !u.Together(e.from) {
			return false
		}
		back[e] = true
		return true
	})
	for again := true; again; {
		again = false
		for _, b := range u.Order {
			if e, ok := u.Way(b); ok && u.Leaving[e] && u.meetsLater(e, nil) {
				delete(u.Leaving, e)
				u.keptEdges[e], again = true, true
			}
		}
	}
	if len(u.Leaving) == n {
		return false
	}
	clear(u.addedExits)
	u.testedHeads = nil
	return true
}

// originIndex returns the index of the block whose varying branch makes b divergent.
func (u *Info) originIndex(b *ir.Block) int {
	for range u.Order {
		c := u.controlBlock[u.Index[b]]
		if c == nil || !u.Value(b.Term.Cond) {
			break
		}
		if b = c; !u.Value(c.Term.Cond) {
			break
		}
	}
	return u.Index[b]
}

// spreadDivergence marks the blocks that depend on divergent branches. An edge is undecided if
// work-items may leave on it. spreadDivergence ignores branches with an undecided edge. It returns
// the undecided edges of divergent branches.
func (u *Info) spreadDivergence() []edge {
	n := len(u.Order)
	clear(u.controlBlock)
	u.ranges = nil
	depends := make([][]int, n) // for each block, the blocks that depend on its branch
	for i, b := range u.Order {
		if len(b.Term.Succs) < 2 && !u.addedExits[i] {
			continue
		}
		for _, s := range u.nodeSuccs(i) {
			for j := s; j != u.ipdom[i] && j != n; {
				if j > n {
					if j = u.testedHeads[j-n-1]; slices.Contains(depends[i], j) {
						break
					}
					continue
				}
				depends[i] = append(depends[i], j)
				j = u.ipdom[j]
			}
		}
	}
	var pending []edge
	var work []int
	for i, b := range u.Order {
		if b.Term.Cond != nil && !u.Value(b.Term.Cond) {
			work = append(work, i)
		}
	}
	done := make([]bool, n)
	for len(work) > 0 {
		i := work[0]
		work = work[1:]
		if done[i] {
			continue
		}
		done[i] = true
		b := u.Order[i]
		if e, ok := u.Way(b); ok && !u.Leaving[e] && !u.keptEdges[e] {
			pending = append(pending, e)
			continue
		}
		why := b
		if b.Term.Cond == nil { // b is in an endless loop and was made an exit of the kernel
			why = u.controlBlock[i]
		}
		mark := func(j int) {
			if u.controlBlock[j] == nil {
				u.controlBlock[j] = why
				work = append(work, j)
			}
		}
		for _, j := range depends[i] {
			mark(j)
			// If only some work-items run another iteration, the work-items of the group are no
			// longer in the same iteration of the loop.
			for _, l := range u.loops {
				if l.Head == u.Order[j] {
					for k, x := range u.Order {
						if l.Contains(x) {
							mark(k)
						}
					}
				}
			}
		}
	}
	return pending
}

// nodeSuccs returns the successors of node i in the graph of the work-items that stay. Nodes below
// len(Order) are blocks, and node len(Order) is the kernel's end. Nodes above len(Order) are the
// tests for live lanes at the loop heads in u.testedHeads.
func (u *Info) nodeSuccs(i int) []int {
	n := len(u.Order)
	if i > n {
		return []int{u.testedHeads[i-n-1], n}
	}
	b := u.Order[i]
	var out []int
	for _, s := range b.Term.Succs {
		j := u.Index[s]
		if k := slices.Index(u.testedHeads, j); k >= 0 {
			j = n + 1 + k
		}
		if !u.Leaving[edge{b, s}] && !slices.Contains(out, j) {
			out = append(out, j)
		}
	}
	if len(out) == 0 || u.addedExits[i] {
		out = append(out, n)
	}
	return out
}

// findPostdominators computes u.ipdom in the graph of the work-items that stay (see nodeSuccs). In
// a loop without other exits, the edges on which work-items leave count as exits.
func (u *Info) findPostdominators() {
	n := len(u.Order)
	for {
		ends := u.reachEnd()
		if u.askWhereStuck(ends) {
			continue
		}
		stuck := -1
		for i := n - 1; i >= 0; i-- {
			if ends[i] {
				continue
			}
			if stuck < 0 {
				stuck = i
			}
			if e, ok := u.Way(u.Order[i]); ok && u.Leaving[e] {
				stuck = i
				break
			}
		}
		if stuck < 0 {
			break
		}
		u.addedExits[stuck] = true
	}
	// findPostdominators uses the algorithm of Cooper, Harvey and Kennedy on the reversed graph.
	// The nodes are visited in the order of a depth-first search from the kernel's end.
	nodes := n + 1 + len(u.testedHeads)
	preds := make([][]int, nodes)
	succs := make([][]int, nodes)
	for i := range nodes {
		if i == n {
			continue
		}
		succs[i] = u.nodeSuccs(i)
		for _, s := range succs[i] {
			preds[s] = append(preds[s], i)
		}
	}
	post := postorderFrom(n, preds)
	rank := make([]int, nodes)
	for k, i := range post {
		rank[i] = k
	}
	u.ipdom = make([]int, nodes)
	for i := range u.ipdom {
		u.ipdom[i] = -1
	}
	u.ipdom[n] = n
	for changed := true; changed; {
		changed = false
		for k := len(post) - 2; k >= 0; k-- {
			i := post[k]
			d := -1
			for _, s := range succs[i] {
				if u.ipdom[s] < 0 {
					continue
				}
				if d < 0 {
					d = s
					continue
				}
				for a := s; a != d; {
					for rank[a] < rank[d] {
						a = u.ipdom[a]
					}
					for rank[d] < rank[a] {
						d = u.ipdom[d]
					}
				}
			}
			if u.ipdom[i] != d {
				u.ipdom[i], changed = d, true
			}
		}
	}
}

// postorderFrom returns the nodes reachable from root in postorder.
func postorderFrom(root int, succs [][]int) []int {
	seen := make([]bool, len(succs))
	var out []int
	type frame struct{ node, next int }
	stack := []frame{{root, 0}}
	seen[root] = true
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.next == len(succs[t.node]) {
			out = append(out, t.node)
			stack = stack[:len(stack)-1]
			continue
		}
		s := succs[t.node][t.next]
		t.next++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, frame{s, 0})
		}
	}
	return out
}

// reachEnd returns a bool for each node. The bool is true if the work-items that stay in the group
// can reach an exit of the kernel from the node.
func (u *Info) reachEnd() []bool {
	n := len(u.Order)
	ends := make([]bool, n+1+len(u.testedHeads))
	ends[n] = true
	for k := range u.testedHeads {
		ends[n+1+k] = true
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			if !ends[i] && slices.ContainsFunc(u.nodeSuccs(i), func(s int) bool { return ends[s] }) {
				ends[i], changed = true, true
			}
		}
	}
	return ends
}

// Join returns the first block in uniform flow at which all remaining work-items meet after b. If
// the work-items do not meet again before the kernel's end, Join returns nil.
func (u *Info) Join(b *ir.Block) *ir.Block {
	n := len(u.Order)
	for i := u.ipdom[u.Index[b]]; i != n; i = u.ipdom[i] {
		at := i
		if i > n {
			at = u.testedHeads[i-n-1]
		}
		if u.controlBlock[at] == nil {
			return u.Order[at]
		}
	}
	return nil
}
