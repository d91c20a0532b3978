package ir

// ReversePostorder returns the blocks reachable from the entry so that every
// block stands before its successors, but for back edges. Successors are
// visited so that a branch's first successor comes first.
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

// RemoveUnreachable drops the blocks that cannot be reached and orders the rest
// in reverse postorder.
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

// DomTree is a dominator tree.
type DomTree struct {
	Order    []*Block // reverse postorder
	idom     map[*Block]*Block
	index    map[*Block]int
	children map[*Block][]*Block
	in, out  map[*Block]int // interval numbering of the tree
}

// Dominators returns the dominator tree of the reachable blocks (Cooper, Harvey
// and Kennedy, "A Simple, Fast Dominance Algorithm").
func (f *Func) Dominators() *DomTree {
	order := f.ReversePostorder()
	return dominators(order, func(b *Block) []*Block { return b.Preds })
}

func dominators(order []*Block, preds func(*Block) []*Block) *DomTree {
	d := &DomTree{Order: order, index: make(map[*Block]int, len(order)), idom: make(map[*Block]*Block, len(order)),
		children: map[*Block][]*Block{}, in: map[*Block]int{}, out: map[*Block]int{}}
	for i, b := range order {
		d.index[b] = i
	}
	root := order[0]
	d.idom[root] = root
	intersect := func(a, b *Block) *Block {
		for a != b {
			for d.index[a] > d.index[b] {
				a = d.idom[a]
			}
			for d.index[b] > d.index[a] {
				b = d.idom[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			var n *Block
			for _, p := range preds(b) {
				if d.idom[p] == nil {
					continue
				}
				if n == nil {
					n = p
				} else {
					n = intersect(n, p)
				}
			}
			if d.idom[b] != n {
				d.idom[b] = n
				changed = true
			}
		}
	}
	d.idom[root] = nil
	for _, b := range order[1:] {
		d.children[d.idom[b]] = append(d.children[d.idom[b]], b)
	}
	n := 0
	var number func(b *Block)
	number = func(b *Block) {
		d.in[b] = n
		n++
		for _, c := range d.children[b] {
			number(c)
		}
		d.out[b] = n
	}
	number(root)
	return d
}

// Idom returns b's immediate dominator, or nil for the entry.
func (d *DomTree) Idom(b *Block) *Block { return d.idom[b] }

// Children returns the blocks that b immediately dominates, in reverse postorder.
func (d *DomTree) Children(b *Block) []*Block { return d.children[b] }

// Index returns b's place in reverse postorder.
func (d *DomTree) Index(b *Block) int { return d.index[b] }

// Reachable reports whether b is in the tree.
func (d *DomTree) Reachable(b *Block) bool {
	_, ok := d.index[b]
	return ok
}

// Dominates reports whether a dominates b; a block dominates itself.
func (d *DomTree) Dominates(a, b *Block) bool {
	return d.in[a] <= d.in[b] && d.in[b] < d.out[a]
}

// IsBackEdge reports whether the edge from p to b goes against reverse
// postorder. In a reducible graph b then dominates p and heads a loop.
func (d *DomTree) IsBackEdge(p, b *Block) bool { return d.index[p] >= d.index[b] }
