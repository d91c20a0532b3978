package ir

// This file computes the order of blocks and the dominator tree.

// ReversePostorder returns the blocks that are reachable from the entry. In the returned order,
// each block comes before its successors, except along back edges. If reverse postorder allows both
// orders of a branch's successors, Succs[0] comes before Succs[1].
func (f *Func) ReversePostorder() []*Block {
	seen := make(map[*Block]bool, len(f.Blocks))
	var post []*Block
	type frame struct {
		b *Block
		i int
	}
	stack := []frame{{f.Blocks[0], 0}}
	seen[f.Blocks[0]] = true
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		n := len(t.b.Term.Succs)
		if t.i == n {
			post = append(post, t.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := t.b.Term.Succs[n-1-t.i]
		t.i++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, frame{s, 0})
		}
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// RemoveUnreachable removes the unreachable blocks of f and sorts the remaining blocks in reverse postorder.
func (f *Func) RemoveUnreachable() {
	order := f.ReversePostorder()
	keep := make(map[*Block]bool, len(order))
	for _, b := range order {
		keep[b] = true
	}
	for _, b := range f.Blocks {
		if !keep[b] {
			b.ClearTerm()
		}
	}
	f.Blocks = order
}

// DomTree is the dominator tree of the reachable blocks of a function.
type DomTree struct {
	Order []*Block // reachable blocks in reverse postorder
	place []int    // maps a block's id to the block's index in Order, plus one; 0 for an unreachable block
	other map[*Block]int
	nodes []domNode // tree nodes of the blocks, in the same order as Order
}

type domNode struct {
	idom     int // index of the immediate dominator in Order; -1 for the entry block
	children []*Block
	in, out  int // interval of the node in a depth-first numbering of the tree
}

// Dominators returns the dominator tree of the reachable blocks (Cooper, Harvey
// and Kennedy, "A Simple, Fast Dominance Algorithm").
func (f *Func) Dominators() *DomTree {
	order := f.ReversePostorder()
	return dominators(order, func(b *Block) []*Block { return b.Preds })
}

func dominators(order []*Block, preds func(*Block) []*Block) *DomTree {
	d := &DomTree{Order: order, nodes: make([]domNode, len(order))}
	d.indexBlocks()
	for i := range d.nodes {
		d.nodes[i].idom = -1
	}
	d.nodes[0].idom = 0
	intersect := func(a, b int) int {
		for a != b {
			for a > b {
				a = d.nodes[a].idom
			}
			for b > a {
				b = d.nodes[b].idom
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(order); i++ {
			n := -1
			for _, p := range preds(order[i]) {
				at := d.orderIndex(p)
				if at < 0 || d.nodes[at].idom < 0 {
					continue
				}
				if n < 0 {
					n = at
				} else {
					n = intersect(at, n)
				}
			}
			if d.nodes[i].idom != n {
				d.nodes[i].idom = n
				changed = true
			}
		}
	}
	d.nodes[0].idom = -1
	for i, b := range order {
		if up := d.nodes[i].idom; up >= 0 {
			d.nodes[up].children = append(d.nodes[up].children, b)
		}
	}
	n := 0
	var number func(i int)
	number = func(i int) {
		d.nodes[i].in = n
		n++
		for _, c := range d.nodes[i].children {
			number(d.orderIndex(c))
		}
		d.nodes[i].out = n
	}
	number(0)
	return d
}

// indexBlocks records the index of each block in Order. indexBlocks usually uses a slice indexed by
// block ids, because the ids are small. If two blocks of a broken module have the same id, indexBlocks
// uses a map, so that Verify can report the module.
func (d *DomTree) indexBlocks() {
	most := 0
	for _, b := range d.Order {
		most = max(most, b.ID)
	}
	d.place = make([]int, most+1)
	for i, b := range d.Order {
		if b.ID < 0 || d.place[b.ID] > 0 {
			d.place = nil
			break
		}
		d.place[b.ID] = i + 1
	}
	if d.place == nil {
		d.other = make(map[*Block]int, len(d.Order))
		for i, b := range d.Order {
			d.other[b] = i
		}
	}
}

// orderIndex returns b's index in Order, or -1 if b is unreachable.
func (d *DomTree) orderIndex(b *Block) int {
	if d.other != nil {
		if i, ok := d.other[b]; ok {
			return i
		}
		return -1
	}
	if b == nil || b.ID < 0 || b.ID >= len(d.place) {
		return -1
	}
	i := d.place[b.ID] - 1
	if i >= 0 && d.Order[i] != b {
		return -1
	}
	return i
}

// treeNode returns the tree node of b, or an empty node if b is unreachable.
func (d *DomTree) treeNode(b *Block) domNode {
	if i := d.orderIndex(b); i >= 0 {
		return d.nodes[i]
	}
	return domNode{idom: -1}
}

// Idom returns b's immediate dominator, or nil for the entry.
func (d *DomTree) Idom(b *Block) *Block {
	if i := d.treeNode(b).idom; i >= 0 {
		return d.Order[i]
	}
	return nil
}

// Children returns the blocks that b immediately dominates, in reverse postorder.
func (d *DomTree) Children(b *Block) []*Block { return d.treeNode(b).children }

// Index returns b's index in reverse postorder, or 0 if b is unreachable.
func (d *DomTree) Index(b *Block) int { return max(d.orderIndex(b), 0) }

// Reachable reports whether b is in the tree.
func (d *DomTree) Reachable(b *Block) bool { return d.orderIndex(b) >= 0 }

// Dominates reports whether a dominates b. A block dominates itself.
func (d *DomTree) Dominates(a, b *Block) bool {
	i, j := d.orderIndex(a), d.orderIndex(b)
	if i < 0 {
		return false
	}
	in := 0 // only the entry block counts as a dominator of an unreachable block
	if j >= 0 {
		in = d.nodes[j].in
	}
	return d.nodes[i].in <= in && in < d.nodes[i].out
}

// IsBackEdge reports whether the edge from p to b is a back edge, which means that b is p or comes
// before p in reverse postorder. The edge from p to b must exist. In a reducible graph, the target of a
// back edge dominates the edge's source and is the head of a loop.
func (d *DomTree) IsBackEdge(p, b *Block) bool { return d.Index(p) >= d.Index(b) }
