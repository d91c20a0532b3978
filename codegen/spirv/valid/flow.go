package valid

// domTree is the dominator tree of a graph. Node 0 of the graph is the entry node.
type domTree struct {
	idom     []int // immediate dominator of each node; -1 for the entry and unreachable nodes
	order    []int // reachable nodes in reverse postorder
	rank     []int // index of each node in order; -1 for unreachable nodes
	children [][]int
	in, out  []int // interval of each node in a depth-first walk of the tree; used by the method `dominates`
}

func (t *domTree) reached(b int) bool { return t.rank[b] >= 0 }

// dominates() reports whether all paths from the entry node to node b contain node a. Node b must
// be reachable.
func (t *domTree) dominates(a, b int) bool {
	return t.reached(a) && t.in[a] <= t.in[b] && t.out[b] <= t.out[a]
}

// newTree computes dominators by the algorithm of Cooper, Harvey and Kennedy ("A simple, fast
// dominance algorithm", 2001).
func newTree(succs [][]int) domTree {
	n := len(succs)
	t := domTree{idom: make([]int, n), rank: make([]int, n), children: make([][]int, n), in: make([]int, n), out: make([]int, n)}
	for i := range n {
		t.idom[i], t.rank[i] = -1, -1
	}
	t.order = postorderFrom(succs, 0)
	for i, j := 0, len(t.order)-1; i < j; i, j = i+1, j-1 {
		t.order[i], t.order[j] = t.order[j], t.order[i]
	}
	preds := make([][]int, n)
	for i, b := range t.order {
		t.rank[b] = i
		for _, s := range succs[b] {
			preds[s] = append(preds[s], b)
		}
	}
	t.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for _, b := range t.order[1:] {
			best := -1
			for _, p := range preds[b] {
				switch {
				case t.idom[p] < 0:
				case best < 0:
					best = p
				default:
					best = t.meet(best, p)
				}
			}
			if t.idom[b] != best {
				t.idom[b], changed = best, true
			}
		}
	}
	t.idom[0] = -1
	for _, b := range t.order[1:] {
		t.children[t.idom[b]] = append(t.children[t.idom[b]], b)
	}
	t.numberNodes()
	return t
}

func (t *domTree) meet(a, b int) int {
	for a != b {
		for t.rank[a] > t.rank[b] {
			a = t.idom[a]
		}
		for t.rank[b] > t.rank[a] {
			b = t.idom[b]
		}
	}
	return a
}

// numberNodes sets the fields in and out of the tree.
func (t *domTree) numberNodes() {
	clock := 0
	type frame struct{ b, next int }
	stack := []frame{{0, 0}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == 0 {
			t.in[f.b] = clock
			clock++
		}
		if f.next < len(t.children[f.b]) {
			f.next++
			stack = append(stack, frame{t.children[f.b][f.next-1], 0})
			continue
		}
		t.out[f.b] = clock
		stack = stack[:len(stack)-1]
	}
}

// postorderFrom returns the nodes that are reachable from the start node. In postorder, each node comes
// after its successors, except along back edges.
func postorderFrom(succs [][]int, from int) []int {
	var order []int
	seen := make([]bool, len(succs))
	type frame struct{ b, next int }
	stack := []frame{{from, 0}}
	seen[from] = true
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next < len(succs[f.b]) {
			s := succs[f.b][f.next]
			f.next++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, frame{s, 0})
			}
			continue
		}
		order = append(order, f.b)
		stack = stack[:len(stack)-1]
	}
	return order
}
