package ir

// This file checks the rules of SPIR-V's structured control flow (section 2.11). The rules use structural
// dominance. Structural dominance is dominance in a graph in which each header has additional edges to its
// merge block and its continue target.

// ctrlConstruct is a selection, loop or continue construct of SPIR-V's structured control flow.
type ctrlConstruct struct {
	kind   string // "selection", "loop" (including its continue construct) or "continue"
	header *Block // header, the only entry of the construct
	loop   *Block // loop header; for a continue construct, the header of its loop
	merge  *Block // merge block; the construct contains neither the merge block nor the blocks that the merge block dominates
}

type structure struct {
	*verifier
	f            *Func
	present      map[*Block]bool
	absent       map[*Block]*Block // loop header of each continue target that is not in the function
	dom          *DomTree          // structural dominator tree
	latch        map[*Block]*Block
	constructs   []ctrlConstruct
	constructsAt map[*Block][]int  // maps a block to the indices of the constructs that contain it
	inner        map[*Block]*Block // maps a block to the header of its innermost loop
}

func (x *verifier) structure(f *Func, dom *DomTree) {
	s := &structure{verifier: x, f: f, present: map[*Block]bool{}, absent: map[*Block]*Block{}, latch: map[*Block]*Block{}, constructsAt: map[*Block][]int{}, inner: map[*Block]*Block{}}
	found := len(x.errs)
	s.checkHeaders()
	if len(x.errs) > found {
		return
	}
	order, preds := s.structuralGraph()
	s.dom = dominators(order, func(b *Block) []*Block { return preds[b] })
	for _, b := range f.Blocks {
		if x.b = b; !s.dom.Reachable(b) {
			x.errorf(nil, "the block can neither be reached nor is it a merge block or continue target")
		}
	}
	if len(x.errs) > found {
		return
	}
	s.checkBlockOrder(dom)
	s.backEdges()
	for _, b := range f.Blocks {
		x.b = b
		s.addHeader(b)
	}
	for _, b := range f.Blocks {
		x.b = b
		s.checkLeaving(b)
	}
	x.b = nil
}

// checkHeaders checks the merge block and the continue target of each block, without the dominator
// tree. An unreachable merge block or continue target need not be in the function. A merge block
// that is missing is emitted as an unreachable block. A continue target that is missing is emitted
// as a jump to the header.
func (s *structure) checkHeaders() {
	merges := map[*Block]bool{}
	for _, b := range s.f.Blocks {
		s.present[b] = true
	}
	for _, b := range s.f.Blocks {
		if c := b.Continue; c != nil && !s.present[c] {
			if s.absent[c] != nil {
				s.b = b
				s.errorf(nil, "another loop has its continue target")
			}
			s.absent[c] = b
		}
	}
	for _, b := range s.f.Blocks {
		s.b = b
		switch {
		case b.Merge == nil && b.Continue == nil:
			continue
		case b.Merge == nil:
			s.errorf(nil, "a continue target without a merge block")
			continue
		case s.absent[b.Merge] != nil:
			s.errorf(nil, "the merge block is a continue target that is not in the function")
		case b.Merge == b || b.Merge == b.Continue:
			s.errorf(nil, "the merge block is the header or the continue target")
		case merges[b.Merge]:
			s.errorf(nil, "%s is the merge block of another header too", s.blockName(b.Merge))
		case b.Term.Kind != Branch && (b.Continue == nil || b.Term.Kind != Jump):
			s.errorf(nil, "a header ends in %v", b.Term.Kind)
		}
		merges[b.Merge] = true
	}
	s.b = nil
}

// structuralGraph returns the blocks of the structural control-flow graph in reverse postorder. The
// second result of structuralGraph maps a block to its predecessors in the graph.
func (s *structure) structuralGraph() ([]*Block, map[*Block][]*Block) {
	preds := map[*Block][]*Block{}
	seen := map[*Block]bool{}
	var post []*Block
	var visit func(b *Block)
	visit = func(b *Block) {
		seen[b] = true
		succs := b.Term.Succs
		if !s.present[b] {
			succs = nil
		}
		if h := s.absent[b]; h != nil {
			succs = []*Block{h}
		}
		if b.Merge != nil {
			succs = append(succs[:len(succs):len(succs)], b.Merge)
		}
		if b.Continue != nil {
			succs = append(succs[:len(succs):len(succs)], b.Continue)
		}
		for _, c := range succs {
			preds[c] = append(preds[c], b)
			if !seen[c] {
				visit(c)
			}
		}
		post = append(post, b)
	}
	visit(s.f.Blocks[0])
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post, preds
}

// checkBlockOrder checks that blocks come after their dominators, as SPIR-V requires.
func (s *structure) checkBlockOrder(dom *DomTree) {
	at := map[*Block]int{}
	for i, b := range s.f.Blocks {
		at[b] = i
		if d := dom.Idom(b); d != nil {
			if _, before := at[d]; !before {
				s.b = b
				s.errorf(nil, "the block stands before its dominator %s", s.blockName(d))
			}
		}
	}
	s.b = nil
}

// backEdges finds the back edge of each loop.
func (s *structure) backEdges() {
	for _, b := range s.f.Blocks {
		s.b = b
		if c := b.Continue; s.absent[c] == b {
			s.latch[b] = c
		}
		for _, t := range b.Term.Succs {
			switch {
			case !s.dom.IsBackEdge(b, t):
			case !s.dom.Dominates(t, b) || t.Continue == nil:
				s.errorf(nil, "a back edge to %s, which is no loop header", s.blockName(t))
			case s.latch[t] != nil:
				s.errorf(nil, "a second back edge to %s", s.blockName(t))
			default:
				s.latch[t] = b
			}
		}
	}
}

// addHeader checks a header block against the structural dominator tree, and adds the constructs of the block.
func (s *structure) addHeader(b *Block) {
	if b.Merge == nil {
		return
	}
	if !s.dom.Dominates(b, b.Merge) {
		s.errorf(nil, "the header does not dominate its merge block %s", s.blockName(b.Merge))
		return
	}
	kind := "selection"
	if b.Continue != nil {
		kind = "loop"
		l := s.latch[b]
		switch {
		case l == nil:
			s.errorf(nil, "a loop header without a back edge")
			return
		case !s.dom.Dominates(b, b.Continue):
			s.errorf(nil, "the loop header does not dominate its continue target %s", s.blockName(b.Continue))
			return
		case !s.dom.Dominates(b.Continue, l):
			s.errorf(nil, "the continue target %s does not dominate the back edge", s.blockName(b.Continue))
			return
		}
		s.addConstruct(ctrlConstruct{"continue", b.Continue, b, b.Merge})
		s.eachDominated(b, b.Merge, func(c *Block) {
			// If two loops contain a block, the header of the outer loop dominates the header of the inner loop.
			if h := s.inner[c]; h == nil || s.dom.Dominates(h, b) {
				s.inner[c] = b
			}
		})
	}
	s.addConstruct(ctrlConstruct{kind, b, b, b.Merge})
}

// addConstruct records a construct, and adds its index to constructsAt for each of its blocks. All
// calls of addConstruct together take time proportional to the number of blocks multiplied by their
// nesting depth.
func (s *structure) addConstruct(c ctrlConstruct) {
	s.eachDominated(c.header, c.merge, func(b *Block) { s.constructsAt[b] = append(s.constructsAt[b], len(s.constructs)) })
	s.constructs = append(s.constructs, c)
}

// eachDominated calls f for each block that is dominated by header but not by merge.
func (s *structure) eachDominated(header, merge *Block, f func(b *Block)) {
	if s.dom.Dominates(merge, header) {
		return
	}
	for work := []*Block{header}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == merge {
			continue
		}
		f(b)
		work = append(work, s.dom.Children(b)...)
	}
}

func (s *structure) in(c *ctrlConstruct, b *Block) bool {
	return s.dom.Dominates(c.header, b) && !s.dom.Dominates(c.merge, b)
}

// checkLeaving checks the edges from block b that leave or enter a construct.
func (s *structure) checkLeaving(b *Block) {
	l := s.inner[b]
	if b.Term.Kind == Branch && b.Term.Succs[0] == b.Term.Succs[1] {
		s.errorf(nil, "both arms of a branch lead to one block")
	}
	if b.Term.Kind == Branch && b.Merge == nil {
		ok := false
		for _, t := range b.Term.Succs {
			ok = ok || l != nil && (t == l.Merge || t == l.Continue || t == l && s.latch[l] == b)
		}
		if !ok {
			s.errorf(nil, "a branch without a merge block that neither leaves nor continues a loop")
		}
	}
	for _, i := range s.constructsAt[b] {
		c := &s.constructs[i]
		if c.kind == "continue" && len(b.Term.Succs) == 0 {
			s.errorf(nil, "%v in the continue construct of %s", b.Term.Kind, s.blockName(c.loop))
		}
		for _, t := range b.Term.Succs {
			if !s.in(c, t) && !s.mayLeave(c, b, t) {
				s.errorf(nil, "a branch to %s, out of the %s construct of %s", s.blockName(t), c.kind, s.blockName(c.header))
			}
		}
	}
	for _, t := range b.Term.Succs {
		for _, i := range s.constructsAt[t] {
			if c := &s.constructs[i]; t != c.header && !s.in(c, b) {
				s.errorf(nil, "a branch to %s, into the %s construct of %s", s.blockName(t), c.kind, s.blockName(c.header))
			}
		}
	}
}

// mayLeave reports whether the rules permit an edge that leaves construct c. The source b of the edge is
// in construct c, and the target t is outside.
func (s *structure) mayLeave(c *ctrlConstruct, b, t *Block) bool {
	switch c.kind {
	case "loop":
		return t == c.merge
	case "continue":
		return s.latch[c.loop] == b && (t == c.loop || t == c.merge)
	}
	l := s.inner[b]
	return t == c.merge || l != nil && (t == l.Merge || t == l.Continue)
}
