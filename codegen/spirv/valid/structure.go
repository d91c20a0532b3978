package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// This file checks SPIR-V's rules of structured control flow, which are in section 2.11.2 of the
// specification.

type constructKind uint8

const (
	wholeFunc constructKind = iota // the whole function
	selection
	switching
	caseOf
	loop
	continuing
)

// ctrlConstruct is a structured control-flow construct (2.11.2). A construct consists of the blocks that the header
// block dominates, except for the blocks that the merge block dominates. The blocks that a loop's continue target
// dominates form a separate construct.
type ctrlConstruct struct {
	kind    constructKind
	header  int
	entry   int // only block of the construct that branches from outside may have as their target
	merge   int
	cont    int // continue target of a loop
	back    int // block with the loop's back edge, or -1
	parent  int
	depth   int
	in, out int // interval of the construct in a depth-first walk; the intervals of nested constructs are nested
}

// The type `constructs` holds the control-flow constructs of a function. The index in the field
// `list` identifies a construct.
type constructs struct {
	c     *checker
	f     *funcInfo
	list  []ctrlConstruct
	inner []int // maps a block to its innermost construct
	outer []int // maps a header block to the construct that contains it
	heads []int // maps a header block to its construct; a loop's construct does not include the continue construct
	conts []int // maps a loop header to the continue construct
	next  map[int]int
}

// checkStructured checks the rules of structured control flow (2.11.2).
func (c *checker) checkStructured(f *funcInfo) {
	n := len(f.blocks)
	s := &constructs{c: c, f: f, inner: make([]int, n), outer: make([]int, n), heads: make([]int, n), conts: make([]int, n), next: map[int]int{}}
	s.list = []ctrlConstruct{{kind: wholeFunc, merge: -1, cont: -1, back: -1, parent: -1}}
	for i := range n {
		s.inner[i], s.outer[i], s.heads[i], s.conts[i] = -1, -1, -1, -1
	}
	s.checkMerges()
	s.nestConstructs()
	for u := range f.blocks {
		if !f.structuralTree.reached(u) {
			continue
		}
		c.in = f.blocks[u].term
		s.backEdges(u)
	}
	for u := range f.blocks {
		c.in = f.blocks[u].term
		if f.structuralTree.reached(u) {
			s.checkEdges(u)
			continue
		}
		for _, v := range f.blocks[u].succs {
			c.require(!f.structuralTree.reached(v), "a block that is never reached branches to %%%d, which is", f.blocks[v].label)
		}
	}
	for i := range s.list {
		if k := &s.list[i]; k.kind == continuing {
			c.in = f.blocks[k.header].merge
			c.require(k.back >= 0, "nothing branches back to the loop's header")
		}
	}
}

// checkMerges checks each merge instruction separately, without regard to other blocks.
func (s *constructs) checkMerges() {
	c, f := s.c, s.f
	header := map[int]int{}
	for i := range f.blocks {
		b := &f.blocks[i]
		if c.in = b.term; b.merge == nil {
			c.require(b.term.Op != spirv.OpSwitch, "no OpSelectionMerge stands before it")
			continue
		}
		c.in = b.merge
		m := f.labels[spirv.ID(b.merge.Words[0])]
		if f.structuralTree.reached(i) {
			_, ok := header[m]
			c.require(!ok, "%%%d is the merge block of another header, too", b.merge.Words[0])
			header[m] = i
			c.require(m != i && f.structuralTree.dominates(i, m), "the header does not dominate its merge block")
		}
		switch b.merge.Op {
		case spirv.OpSelectionMerge:
			c.require(b.term.Op == spirv.OpBranchConditional || b.term.Op == spirv.OpSwitch, "it does not stand before a conditional branch")
			c.require(b.merge.Words[1] < 3, "there is no such selection control")
		case spirv.OpLoopMerge:
			c.require(b.term.Op == spirv.OpBranchConditional || b.term.Op == spirv.OpBranch, "it does not stand before a branch")
			k := f.labels[spirv.ID(b.merge.Words[1])]
			c.require(k != m, "the merge block is the continue target")
			if f.structuralTree.reached(i) {
				c.require(f.structuralTree.dominates(i, k), "the header does not dominate its continue target")
			}
			const both = uint32(spirv.LoopControlUnroll | spirv.LoopControlDontUnroll)
			c.require(b.merge.Words[2] <= 0x1ff && b.merge.Words[2]&both != both, "there is no such loop control")
		}
	}
}

// nestConstructs finds the constructs and the innermost construct of each block. nestConstructs visits
// the dominator tree from the root. A block is in the construct of its immediate dominator, unless the
// dominator's merge instruction names the block.
func (s *constructs) nestConstructs() {
	f := s.f
	type item struct{ b, at int }
	stack := []item{{0, 0}}
	for len(stack) > 0 {
		b, at := stack[len(stack)-1].b, stack[len(stack)-1].at
		stack = stack[:len(stack)-1]
		at = s.enterBlock(b, at)
		s.inner[b] = at
		m := f.blocks[b].merge
		for _, k := range f.structuralTree.children[b] {
			inside := at
			if m != nil {
				switch {
				case k == s.list[s.heads[b]].merge:
					inside = s.outer[b]
				case m.Op == spirv.OpLoopMerge && k == s.list[s.heads[b]].cont:
					inside = s.conts[b]
				case f.blocks[b].term.Op == spirv.OpSwitch:
					inside = s.caseAt(b, k, at)
				}
			}
			stack = append(stack, item{k, inside})
		}
	}
	// The next lines compute the intervals that the method `encloses` uses. In s.list, a nested
	// construct comes after the construct that contains it.
	kids := make([][]int, len(s.list))
	for i := 1; i < len(s.list); i++ {
		kids[s.list[i].parent] = append(kids[s.list[i].parent], i)
	}
	t := domTree{children: kids, in: make([]int, len(s.list)), out: make([]int, len(s.list))}
	t.numberNodes()
	for i := range s.list {
		s.list[i].in, s.list[i].out = t.in[i], t.out[i]
	}
}

// addConstruct adds a construct to s.list, and returns the construct's index.
func (s *constructs) addConstruct(k ctrlConstruct) int {
	k.depth = s.list[k.parent].depth + 1
	s.c.in = s.f.blocks[k.header].merge
	s.c.require(k.depth <= maxNesting, "control flow is nested deeper than %d", maxNesting)
	s.list = append(s.list, k)
	return len(s.list) - 1
}

// enterBlock returns the innermost construct of block b. For a header block, enterBlock adds the
// constructs that begin at the block. For a block that is no header block, enterBlock returns the
// surrounding construct.
func (s *constructs) enterBlock(b, surrounding int) int {
	f := s.f
	m := f.blocks[b].merge
	if m == nil {
		return surrounding
	}
	s.outer[b] = surrounding
	k := ctrlConstruct{kind: selection, header: b, entry: b, merge: f.labels[spirv.ID(m.Words[0])], cont: -1, back: -1, parent: surrounding}
	switch {
	case m.Op == spirv.OpLoopMerge:
		k.kind, k.cont = loop, f.labels[spirv.ID(m.Words[1])]
		s.heads[b] = s.addConstruct(k)
		k.kind, k.entry = continuing, k.cont
		s.conts[b] = s.addConstruct(k)
		if k.cont == b { // the header block is also the continue target
			return s.conts[b]
		}
		return s.heads[b]
	case f.blocks[b].term.Op == spirv.OpSwitch:
		k.kind = switching
	}
	s.heads[b] = s.addConstruct(k)
	return s.heads[b]
}

// caseAt returns the construct of a block k that is dominated by the switch in block b. Each target of the switch
// begins a separate case construct.
func (s *constructs) caseAt(b, k, at int) int {
	for _, t := range s.f.blocks[b].succs {
		if t == k {
			return s.addConstruct(ctrlConstruct{kind: caseOf, header: b, entry: k, merge: s.list[at].merge, cont: -1, back: -1, parent: at})
		}
	}
	return at
}

// encloses() reports whether construct a contains construct b, or is the same construct.
func (s *constructs) encloses(a, b int) bool {
	return s.list[a].in <= s.list[b].in && s.list[b].out <= s.list[a].out
}

// backEdges checks the back edges of block u. A back edge must lead from the loop's continue construct to the
// loop's header. A loop must have exactly one back edge.
func (s *constructs) backEdges(u int) {
	c, f := s.c, s.f
	for _, v := range f.blocks[u].succs {
		if f.structuralTree.rank[v] > f.structuralTree.rank[u] {
			continue
		}
		label := f.blocks[v].label
		c.require(s.conts[v] >= 0, "it branches back to %%%d, which is no loop's header", label)
		k := &s.list[s.conts[v]]
		c.require(k.back < 0, "two blocks branch back to %%%d", label)
		c.require(s.encloses(s.conts[v], s.inner[u]), "it branches back to %%%d from outside of the loop's continue construct", label)
		k.back = u
	}
}

// checkEdges checks the branches of block u.
func (s *constructs) checkEdges(u int) {
	c, f := s.c, s.f
	b := &f.blocks[u]
	at := s.inner[u]
	for _, v := range b.succs {
		to := s.inner[v]
		// This loop checks each construct that the branch leaves.
		for k := at; !s.encloses(k, to) || s.isSelfLoop(k, u, v); k = s.list[k].parent {
			c.require(s.mayExit(k, u, v), "it branches to %%%d out of a construct, of which that is no exit", f.blocks[v].label)
			if s.isSelfLoop(k, u, v) {
				break
			}
		}
		// This loop checks each construct that the branch enters.
		for k := to; !s.encloses(k, at); k = s.list[k].parent {
			c.require(s.list[k].entry == v, "it branches to %%%d into a construct, past its header", f.blocks[v].label)
		}
	}
	switch b.term.Op {
	case spirv.OpBranchConditional:
		if b.merge == nil || b.merge.Op == spirv.OpLoopMerge {
			stay := 0
			for _, v := range b.succs {
				if s.encloses(at, s.inner[v]) && !s.isSelfLoop(at, u, v) {
					stay++
				}
			}
			c.require(stay < 2, "no OpSelectionMerge stands before it, and neither way leaves a construct")
		}
	case spirv.OpReturn, spirv.OpReturnValue, spirv.OpUnreachable:
		for k := at; k > 0; k = s.list[k].parent {
			c.require(s.list[k].kind != continuing, "the function ends in a loop's continue construct")
		}
	}
}

// isSelfLoop reports whether the branch from u to v is the back edge of a loop whose header is also its
// continue target. A back edge in a loop of one block leaves the loop's continue construct and enters
// the construct again.
func (s *constructs) isSelfLoop(k, u, v int) bool {
	x := &s.list[k]
	return x.kind == continuing && x.header == v && x.entry == v && x.back == u
}

// mayExit reports whether a branch from block u to block v may leave construct k (2.11.2). Block u is inside
// construct k, and block v is outside.
func (s *constructs) mayExit(k, u, v int) bool {
	x := &s.list[k]
	switch x.kind {
	case loop:
		return v == x.merge || v == x.cont
	case continuing:
		// The source of the back edge post-dominates the continue construct. Therefore only the source of the back edge
		// may leave the continue construct.
		return u == x.back && (v == x.header || v == x.merge)
	case caseOf:
		if s.fallsTo(k, v) {
			return true
		}
	}
	return v == x.merge && x.kind != caseOf || s.mayBreak(k, v)
}

// fallsTo reports whether case construct k may fall through to the case that begins at block v.
func (s *constructs) fallsTo(k, v int) bool {
	x := &s.list[k]
	to := s.inner[v]
	for to > 0 && !(s.list[to].kind == caseOf && s.list[to].entry == v) {
		to = s.list[to].parent
	}
	if to <= 0 || s.list[to].header != x.header {
		return false
	}
	if old, ok := s.next[k]; ok {
		return old == to
	}
	for _, other := range s.next {
		if other == to {
			return false // two cases fall through to the same case
		}
	}
	s.next[k] = to
	return s.areAdjacent(x.header, x.entry, v)
}

// areAdjacent reports whether target b may directly follow target a in the switch's list of targets. The
// default target may be anywhere in the list of targets.
func (s *constructs) areAdjacent(header, a, b int) bool {
	term := s.f.blocks[header].term
	standard := s.f.labels[spirv.ID(term.Words[1])]
	var list []int
	s.c.eachCase(term, func(_ uint64, id uint32) {
		if t := s.f.labels[spirv.ID(id)]; len(list) == 0 || list[len(list)-1] != t {
			list = append(list, t)
		}
	})
	if a == standard || b == standard {
		return true
	}
	for i := 1; i < len(list); i++ {
		if list[i-1] == a && list[i] == b {
			return true
		}
	}
	return false
}

// mayBreak reports whether a break or continue that leaves construct k may branch to block v. The allowed
// targets are the merge block of the enclosing switch or loop, and the continue target of the loop.
func (s *constructs) mayBreak(k, v int) bool {
	past := s.list[k].kind == switching
	for p := s.list[k].parent; p > 0; p = s.list[p].parent {
		x := &s.list[p]
		switch x.kind {
		case loop:
			return v == x.merge || v == x.cont
		case continuing:
			return v == x.merge || v == x.header
		case switching:
			if !past && v == x.merge {
				return true
			}
			past = true
		}
	}
	return false
}
