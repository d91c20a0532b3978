package gohost

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// flow is the control flow of the kernel, divided at cuts into regions.
type flow struct {
	nodes   []*node
	head    map[*ir.Block]*node
	splits  []*cutPoint
	regions []*region // all regions; regions[0] begins at the start of the kernel, and regions[k+1] begins after the cut splits[k]
	loops   bool      // whether the kernel has loops
	// lines is a division of the regions into sequences, which are called lines. Within a line, all
	// work-items that have not returned go from each region to the line's next region. Each region
	// of a line, except the first region, is entered only from the previous region of the line. If
	// the kernel has only one line, straight is true.
	lines    [][]*region
	straight bool
	rejoins  bool // whether some loop contains a cut
}

// A node is a block, or a part of a block that ends at a cut.
type node struct {
	index int
	block *ir.Block
	phis  []*ir.Value
	insts []*ir.Value
	split *cutPoint // cut at the end of the node; nil if the node ends with the block's terminator

	// An extra node represents an edge that leaves a part of a region. An extra node has no block,
	// but its fields `tail` and `of` are set. Field `tail` is the kind of the edge, and field `of`
	// is the node at the start of the edge.
	tail exitKind
	of   *node

	in  set // live values at the beginning of the node, without the node's phis
	end set // live values at the end of the node
}

// A cutPoint (cut) is an op at which the work-items of a group meet, such as a barrier.
type cutPoint struct {
	index int
	op    *ir.Value
	next  *node
	after set // live values after the cut, without the result of the cut's op
}

// A region is the code that work-items run from one cut to the next.
type region struct {
	index        int
	entry        *node
	nodes        []*node // nodes in reverse postorder: predecessors first, except along back edges
	in           map[*node]bool
	defs         map[*ir.Value]bool
	exits        []*node // nodes that end at a cut
	next         *region // next region of the same line; nil for the last region of a line
	mayReturn    bool    // whether some work-items may return in this region
	someReturned bool    // whether some work-items may have returned before this region

	partInfo // set if the region is only a part of a larger region
}

// cutFunc divides function f into regions at the cuts in f, and returns the resulting control flow.
func cutFunc(f *ir.Func) *flow {
	x := &flow{head: map[*ir.Block]*node{}}
	order := f.ReversePostorder()
	add := func(b *ir.Block) *node {
		n := &node{index: len(x.nodes), block: b}
		x.nodes = append(x.nodes, n)
		return n
	}
	for _, b := range order {
		n := add(b)
		n.phis = b.Phis
		x.head[b] = n
		for _, v := range b.Insts {
			if !isCut(v) {
				n.insts = append(n.insts, v)
				continue
			}
			s := &cutPoint{index: len(x.splits), op: v}
			x.splits = append(x.splits, s)
			n.split = s
			n = add(b)
			s.next = n
		}
	}
	x.addRegion(x.head[order[0]])
	for _, s := range x.splits {
		x.addRegion(s.next)
	}
	x.findDead()
	for i, b := range order {
		x.loops = x.loops || slices.ContainsFunc(b.Term.Succs, func(s *ir.Block) bool { return slices.Index(order, s) <= i })
	}
	x.findLines()
	x.rejoins = slices.ContainsFunc(x.splits, func(s *cutPoint) bool { return x.leadsTo(x.regions[s.index+1], s, map[*region]bool{}) })
	return x
}

// leadsTo reports whether work-items can reach cut s from region r. seen contains the regions already
// visited.
func (x *flow) leadsTo(r *region, s *cutPoint, seen map[*region]bool) bool {
	if seen[r] {
		return false
	}
	seen[r] = true
	return slices.ContainsFunc(r.exits, func(n *node) bool {
		return n.split == s || x.leadsTo(x.regions[n.split.index+1], s, seen)
	})
}

// succsOf returns the successors of node n in the region of n. A node that ends at a cut has no
// successors.
func (x *flow) succsOf(n *node) []*node {
	if n.split != nil {
		return nil
	}
	var out []*node
	for _, s := range n.block.Term.Succs {
		out = append(out, x.head[s])
	}
	return out
}

// addRegion appends the region that begins at node entry to the flow.
func (x *flow) addRegion(entry *node) {
	r := &region{index: len(x.regions), entry: entry, in: map[*node]bool{}, defs: map[*ir.Value]bool{}}
	x.regions = append(x.regions, r)
	var visit func(n *node)
	visit = func(n *node) {
		r.in[n] = true
		for _, s := range slices.Backward(x.succsOf(n)) {
			if !r.in[s] {
				visit(s)
			}
		}
		r.nodes = append(r.nodes, n)
	}
	visit(entry)
	slices.Reverse(r.nodes)
	nodes := r.nodes
	r.nodes = nil
	for _, n := range nodes {
		r.addNode(n)
		switch {
		case n.split != nil:
			r.exits = append(r.exits, n)
		case len(n.block.Term.Succs) == 0:
			r.mayReturn = true
		}
	}
	// Phis at the beginning of a region's entry belong to the region only if a node of the region
	// leads back to the entry.
	if entry.phis != nil && len(x.regions) == 1 {
		panic("BUG: the entry has phis")
	}
}

// findLines groups the regions into lines, and sets x.lines and x.straight.
func (x *flow) findLines() {
	from := map[*cutPoint][]*region{}
	for _, r := range x.regions {
		for _, n := range r.exits {
			if !slices.Contains(from[n.split], r) {
				from[n.split] = append(from[n.split], r)
			}
		}
	}
	follows := map[*region]bool{}
	for _, r := range x.regions {
		if len(r.exits) == 0 {
			continue
		}
		s := r.exits[0].split
		other := func(n *node) bool { return n.split != s }
		if next := x.regions[s.index+1]; len(from[s]) == 1 && !slices.ContainsFunc(r.exits, other) && next != r {
			r.next, follows[next] = next, true
		}
	}
	for _, r := range x.regions {
		if follows[r] {
			continue
		}
		var line []*region
		for ; r != nil; r = r.next {
			line = append(line, r)
		}
		x.lines = append(x.lines, line)
	}
	x.straight = len(x.lines) == 1
}

// findDead sets the field someReturned of each region that some work-items may enter after other
// work-items have returned.
func (x *flow) findDead() {
	var work []*region
	mark := func(r *region) {
		for _, n := range r.exits {
			if to := x.regions[n.split.index+1]; !to.someReturned {
				to.someReturned = true
				work = append(work, to)
			}
		}
	}
	for _, r := range x.regions {
		if r.mayReturn {
			mark(r)
		}
	}
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		mark(r)
	}
}

// set is a set of IR values. Each element of a set is the index of a value in valueTable.all.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }

// unite adds the elements of t to s and reports whether s grew.
func (s set) unite(t set) bool {
	changed := false
	for i, w := range t {
		if w&^s[i] != 0 {
			s[i] |= w
			changed = true
		}
	}
	return changed
}
