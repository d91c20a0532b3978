package ir

// This file has the order of blocks and the dominator tree.

// ReversePostorder returns the blocks that are reachable from the entry. Each block comes before
// its successors, except along back edges. A branch's first successor comes before its second one
// if both orders are possible.
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

// RemoveUnreachable removes the unreachable blocks and sorts the others in reverse postorder.
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
	Order []*Block // reachable blocks in reverse postorder
	place []int    // index in Order plus one, by block id
	other map[*Block]int
	nodes []domNode // nodes in the order of Order
}

type domNode struct {
	idom     int // index in Order; -1 for none
	children []*Block
	in, out  int // interval numbering of the tree
}

// Dominators returns the dominator tree of the reachable blocks (Cooper, Harvey
// and Kennedy, "A Simple, Fast Dominance Algorithm").
func (f *Func) Dominators() *DomTree {
	order := f.ReversePostorder()
	return dominators(order, func(b *Block) []*Block { return b.Preds })
}

func dominators(order []*Block, preds func(*Block) []*Block) *DomTree {
	d := &DomTree{Order: order, nodes: make([]domNode, len(order))}
	d.number()
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
				at := d.at(p)
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
			number(d.at(c))
		}
		d.nodes[i].out = n
	}
	number(0)
	return d
}

// number stores the index of each block in Order. It uses the block's id, which is a small number.
// The verifier may see a module in which two blocks have the same id; then number uses a map.
func (d *DomTree) number() {
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

// at returns b's index in Order, or -1.
func (d *DomTree) at(b *Block) int {
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

// node returns the node of b. For an unreachable block, the node is empty.
func (d *DomTree) node(b *Block) domNode {
	if i := d.at(b); i >= 0 {
		return d.nodes[i]
	}
	return domNode{idom: -1}
}

// Idom returns b's immediate dominator, or nil for the entry.
func (d *DomTree) Idom(b *Block) *Block {
	if i := d.node(b).idom; i >= 0 {
		return d.Order[i]
	}
	return nil
}

// Children returns the blocks that b immediately dominates, in reverse postorder.
func (d *DomTree) Children(b *Block) []*Block { return d.node(b).children }

// Index returns b's index in reverse postorder.
func (d *DomTree) Index(b *Block) int { return max(d.at(b), 0) }

// Reachable reports whether b is in the tree.
func (d *DomTree) Reachable(b *Block) bool { return d.at(b) >= 0 }

// Dominates reports whether a dominates b; a block dominates itself.
func (d *DomTree) Dominates(a, b *Block) bool {
	i, j := d.at(a), d.at(b)
	if i < 0 {
		return false
	}
	in := 0 // unreachable blocks
	if j >= 0 {
		in = d.nodes[j].in
	}
	return d.nodes[i].in <= in && in < d.nodes[i].out
}

// IsBackEdge reports whether the edge from p to b leads back in reverse postorder. In a reducible
// graph, b then dominates p and is the head of a loop.
func (d *DomTree) IsBackEdge(p, b *Block) bool { return d.Index(p) >= d.Index(b) }
