package gohost

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// valueTable records how the host form stores or recomputes each IR value of the kernel.
type valueTable struct {
	all   []*ir.Value // all phis and instructions, in the order of nodes
	index map[*ir.Value]int
	// perLaunch contains the values that depend only on the launch and the work-group. A region
	// computes a value in perLaunch once, before the region's loop over the work-items.
	perLaunch map[*ir.Value]bool
	// recomputed is the set of cheap values. If a region uses a cheap value, the work-items compute
	// the value again in the region.
	recomputed map[*ir.Value]bool
	// stored is the set of the values that have a home. storedList lists the same values in the
	// order of the field `all`.
	stored     map[*ir.Value]bool
	storedList []*ir.Value
	roots      map[*ir.Value]string // root of each address; the constant `dynamic` stands for a root that is not known before run time
	minmax     map[*ir.Value]minMax
}

// maxAgain is a number of ops. A value that can be computed with at most maxAgain ops is recomputed
// in each region instead of stored.
const maxAgain = 5

func (w *formWriter) analyse() {
	w.flow = cutFunc(w.m.Kernel)
	w.index = map[*ir.Value]int{}
	w.perLaunch, w.recomputed, w.stored = map[*ir.Value]bool{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}
	add := func(v *ir.Value) {
		w.index[v] = len(w.all)
		w.all = append(w.all, v)
	}
	for _, n := range w.nodes {
		for _, v := range n.phis {
			add(v)
		}
		for _, v := range n.insts {
			add(v)
		}
		if n.split != nil && n.split.op.Type != ir.TypeVoid {
			add(n.split.op)
		}
	}
	w.findMinMax()
	w.findRoots()
	w.placeMemory()
	w.findCheap()
	w.liveness()
	w.findHomes()
}

// operandsAtCut returns the arguments of a group op or matrix op. For other ops at cuts, such as
// barriers, operandsAtCut returns nil.
func operandsAtCut(op *ir.Value) []*ir.Value {
	if op.IsGroupOp() || op.Matrices() != nil {
		return op.Args
	}
	return nil
}

// findCheap finds the values that need no home, and records these values in w.perLaunch and
// w.recomputed.
func (w *formWriter) findCheap() {
	operands := map[*ir.Value]bool{}
	for _, s := range w.splits {
		for _, a := range operandsAtCut(s.op) {
			operands[a] = true
		}
	}
	cost := map[*ir.Value]int{}
	for _, v := range w.all {
		switch {
		case isCut(v) || v.Op == ir.OpPhi || !isHarmless(v):
		case v.Op == ir.OpBuiltIn && groupBuiltIn(v.Aux.(ir.BuiltIn)):
			w.perLaunch[v] = true
		case v.Op == ir.OpBuiltIn:
			w.recomputed[v], cost[v] = !operands[v], 1
		case !slices.ContainsFunc(w.operandsOf(v), func(a *ir.Value) bool { return !w.isLaunch(a) }):
			w.perLaunch[v] = true
		case !operands[v] && !slices.ContainsFunc(w.operandsOf(v), func(a *ir.Value) bool { return !w.isLaunch(a) && !w.recomputed[a] }):
			n := 1
			for _, a := range w.operandsOf(v) {
				n += cost[a]
			}
			if n <= maxAgain {
				w.recomputed[v], cost[v] = true, n
			}
		}
	}
}

func (w *formWriter) isLaunch(v *ir.Value) bool { return v.Block == nil || w.perLaunch[v] }

// groupBuiltIn reports whether the built-in is the same for all work-items of a group.
func groupBuiltIn(b ir.BuiltIn) bool {
	switch b {
	case ir.WorkgroupIDX, ir.WorkgroupIDY, ir.WorkgroupIDZ, ir.SubgroupSize, ir.NumSubgroups:
		return true
	}
	return false
}

// needsHome reports whether v must be stored in a home if another region uses v.
func (w *formWriter) needsHome(v *ir.Value) bool { return !w.isLaunch(v) && !w.recomputed[v] }

// liveness finds the values that are live at the beginning and at the end of each node, and after
// each cut.
func (w *formWriter) liveness() {
	size := (len(w.all) + 63) / 64
	for _, n := range w.nodes {
		n.in, n.end = make(set, size), make(set, size)
		if n.split != nil {
			n.split.after = make(set, size)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(w.nodes) {
			changed = w.liveNode(n) || changed
		}
	}
}

func (w *formWriter) liveNode(n *node) bool {
	live := make(set, len(n.end))
	use := func(v *ir.Value) {
		if !w.isLaunch(v) {
			live.add(w.index[v])
		}
	}
	if s := n.split; s != nil {
		s.after.unite(s.next.in)
		if i, ok := w.index[s.op]; ok {
			s.after[i/64] &^= 1 << (i % 64)
		}
		live.unite(s.after)
		for _, a := range operandsAtCut(s.op) {
			use(a)
		}
	} else {
		for _, s := range w.succsOf(n) {
			live.unite(s.in)
			for _, phi := range s.phis {
				for i, p := range s.block.Preds {
					if p == n.block {
						use(phi.Args[i])
					}
				}
			}
		}
		if c := n.block.Term.Cond; c != nil {
			use(c)
		}
	}
	n.end.unite(live)
	for _, v := range slices.Backward(n.insts) {
		i := w.index[v]
		live[i/64] &^= 1 << (i % 64)
		for _, a := range w.readValues(v) {
			use(a)
		}
	}
	for _, v := range n.phis {
		i := w.index[v]
		live[i/64] &^= 1 << (i % 64)
	}
	return n.in.unite(live)
}

// findHomes gives homes to the values that are live across cuts, and to the arguments and results of group
// algorithms.
func (w *formWriter) findHomes() {
	for _, s := range w.splits {
		for i, v := range w.all {
			if s.after.has(i) && w.needsHome(v) {
				w.stored[v] = true
			}
		}
		if s.op.IsGroupOp() {
			w.stored[s.op] = true
		}
		for _, a := range operandsAtCut(s.op) {
			if w.needsHome(a) {
				w.stored[a] = true
			}
		}
	}
	for _, v := range w.all {
		if w.stored[v] {
			w.storedList = append(w.storedList, v)
		}
	}
}

// oneHome reports whether the home of v is one variable for the whole work-group.
func (w *formWriter) oneHome(v *ir.Value) bool { return w.u.Value(v) }

// minMax is a call of Go's min or max with float arguments. Several IR ops represent a call of min
// or max with float arguments.
type minMax struct {
	name string
	x, y *ir.Value
}

// findMinMax finds the ops that represent calls of min and max with float arguments. The host form
// calls min and max in place of these ops, because gc has instructions for min and max.
func (w *formWriter) findMinMax() {
	w.minmax = map[*ir.Value]minMax{}
	for _, v := range w.all {
		if v.Op != ir.OpSelect || !v.Type.IsFloat() {
			continue
		}
		nan, x := v.Args[0], v.Args[1]
		if nan.Op != ir.OpFNe || nan.Args[0] != x || nan.Args[1] != x || v.Args[2].Op != ir.OpSelect {
			continue
		}
		less, s := v.Args[2].Args[0], v.Args[2]
		if less.Op != ir.OpFLt || s.Args[1] != x || s.Args[2].Op != ir.OpSelect {
			continue
		}
		equal, y := s.Args[2].Args[0], s.Args[2].Args[2]
		both := s.Args[2].Args[1]
		if equal.Op != ir.OpFEq || !pair(equal, x, y) || both.Op != ir.OpBitcast {
			continue
		}
		bits := both.Args[0]
		if len(bits.Args) != 2 || bits.Args[0].Op != ir.OpBitcast || bits.Args[1].Op != ir.OpBitcast ||
			!(bits.Args[0].Args[0] == x && bits.Args[1].Args[0] == y || bits.Args[0].Args[0] == y && bits.Args[1].Args[0] == x) {
			continue
		}
		switch {
		case bits.Op == ir.OpOr && less.Args[0] == x && less.Args[1] == y:
			w.minmax[v] = minMax{"min", x, y}
		case bits.Op == ir.OpAnd && less.Args[0] == y && less.Args[1] == x:
			w.minmax[v] = minMax{"max", x, y}
		}
	}
}

func pair(v, x, y *ir.Value) bool {
	return v.Args[0] == x && v.Args[1] == y || v.Args[0] == y && v.Args[1] == x
}

// operandsOf returns the operands of v. If v represents a call of min or max, operandsOf returns
// the two arguments of the call.
func (w *formWriter) operandsOf(v *ir.Value) []*ir.Value {
	if mm, ok := w.minmax[v]; ok {
		return []*ir.Value{mm.x, mm.y}
	}
	return v.Args
}

// wideID reports whether v is a global id converted to int, and returns the id.
func wideID(v *ir.Value) (ir.BuiltIn, bool) {
	if v.Op != ir.OpUConvert || v.Type != ir.TypeI64 || v.Args[0].Op != ir.OpBuiltIn {
		return 0, false
	}
	id := v.Args[0].Aux.(ir.BuiltIn)
	return id, id <= ir.GlobalInvocationIDZ
}

// readValues returns the operands of v that the Go code of v reads from variables.
func (w *formWriter) readValues(v *ir.Value) []*ir.Value {
	if _, ok := wideID(v); ok {
		return nil // the code of v reads a counter of the loop over work-items, not the variable of an IR value
	}
	if v.Ref() == nil {
		return w.operandsOf(v)
	}
	// A linear index becomes part of the Go address expression and needs no variable.
	n := len(v.Args) - len(v.Path())
	return append(v.Args[:n:n], slices.DeleteFunc(slices.Clone(v.Path()), func(a *ir.Value) bool {
		_, ok := w.linearOf(a)
		return ok
	})...)
}
