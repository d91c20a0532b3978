package structurize

// This file contains the first step of structurize, which turns blocks and their dominator tree
// into a tree of statements.

import "github.com/kgen-go/kgen/codegen/ir"

// A stmt is a statement of the structured tree.
type stmt struct {
	kind      stmtKind
	block     *ir.Block   // block that has the statement's instructions, condition or flag; for a loop, the head
	flags     []*ir.Block // blocks whose flags an ifFlagsStmt tests
	thenStmts []*stmt     // statements of the first arm, of the list or of the loop
	els       []*stmt
}

type stmtKind uint8

const (
	listStmt    stmtKind = iota // executes the statements in thenStmts
	instsStmt                   // executes the block's instructions
	ifStmt                      // branches on the block's condition
	ifFlagsStmt                 // executes the statements in thenStmts if one of the flags is set
	loopStmt                    // repeats the statements in thenStmts
	setStmt                     // sets the block's flag
	resetStmt                   // clears the block's flag
	breakStmt
	continueStmt
	returnStmt
	unreachableStmt
)

// treePart is a list of statements in the tree. After the statements, control continues at one of
// outBlocks, which are in reverse postorder. If control never reaches the end of the statements,
// outBlocks is empty.
type treePart struct {
	code      []*stmt
	outBlocks []*ir.Block
	size      int // number of blocks that contain code
}

// loopCtx is a loop that is being built.
type loopCtx struct {
	loop    *ir.Loop
	breaks  []*ir.Block // blocks at which control may continue after a break out of this loop
	returns []*stmt     // return statements in this loop, but not in inner loops
}

// treeBuilder turns a reducible control flow graph without phis into statements.
type treeBuilder struct {
	f       *ir.Func
	dom     *ir.DomTree
	loops   *ir.Loops
	forward map[*ir.Block]int // maps each block to the number of forward edges that enter it
	// innerJoins maps a block to some of its children in the dominator tree. These children belong
	// to the same loop and have several incoming forward edges. In the tree of statements, their
	// code follows the code of the block. The map "after" contains, for the head of a loop, the
	// blocks that directly follow the loop.
	innerJoins, after map[*ir.Block][]*ir.Block
	// testedFlags is the set of blocks whose flags some statement tests.
	testedFlags map[*ir.Block]bool
}

func newTreeBuilder(f *ir.Func) *treeBuilder {
	f.RemoveUnreachable()
	dom := f.Dominators()
	t := &treeBuilder{f: f, dom: dom, loops: dom.Loops(), forward: map[*ir.Block]int{}, innerJoins: map[*ir.Block][]*ir.Block{}, after: map[*ir.Block][]*ir.Block{},
		testedFlags: map[*ir.Block]bool{}}
	t.placeBlocks()
	return t
}

// placeBlocks fills the maps forward, innerJoins and after, which determine the position of each
// block in the tree.
func (t *treeBuilder) placeBlocks() {
	for _, b := range t.dom.Order {
		for _, p := range b.Preds {
			if !t.dom.IsBackEdge(p, b) {
				t.forward[b]++
			}
		}
	}
	for _, b := range t.dom.Order[1:] {
		z := t.dom.Idom(b)
		switch l := t.loops.Of(z); {
		case t.isExit(b):
		case l == nil || l.Contains(b):
			if t.forward[b] > 1 {
				t.innerJoins[z] = append(t.innerJoins[z], b)
			}
		default:
			for l.Outer != nil && !l.Outer.Contains(b) {
				l = l.Outer
			}
			t.after[l.Head] = append(t.after[l.Head], b)
		}
	}
}

// isExit reports whether b ends the work-item and its code replaces each jump to b. The result is
// true for a return without instructions. The result is also true for a block with a fault, if only
// one edge leads to the block.
func (t *treeBuilder) isExit(b *ir.Block) bool {
	if len(b.Term.Succs) > 0 || b == t.dom.Order[0] {
		return false
	}
	if len(b.Insts) == 0 {
		return true
	}
	if t.forward[b] != 1 {
		return false
	}
	for _, v := range b.Insts {
		if v.Op == ir.OpFault {
			return true
		}
	}
	return false
}

// buildTree returns the whole function as a tree of statements.
func (t *treeBuilder) buildTree() *stmtTree {
	p := t.treeOf(t.dom.Order[0], nil)
	if len(p.outBlocks) > 0 {
		panic("BUG: a jump arrives nowhere")
	}
	return &stmtTree{bodyStmts: dropReturns(flattenInto(p.code, nil), true), tested: t.testedFlags, flagged: t.dom.Order}
}

// treeOf returns the code of x and of all blocks that x dominates. The argument ctx is the
// innermost loop around the code, or nil.
func (t *treeBuilder) treeOf(x *ir.Block, ctx *loopCtx) treePart {
	if l := t.loops.Of(x); l != nil && l.Head == x {
		return t.loopTree(l, ctx)
	}
	return t.bodyOf(x, ctx)
}

// bodyOf is like treeOf, but does not create the loop if x is the head of a loop.
func (t *treeBuilder) bodyOf(x *ir.Block, ctx *loopCtx) treePart {
	p := treePart{size: 1}
	for _, c := range t.innerJoins[x] {
		p.code = append(p.code, &stmt{kind: resetStmt, block: c})
	}
	p.code = append(p.code, &stmt{kind: instsStmt, block: x})
	switch x.Term.Kind {
	case ir.Jump:
		t.appendPart(&p, t.edgeCode(x, x.Term.Succs[0], ctx))
	case ir.Branch:
		t.branch(&p, x, ctx)
	default:
		p.code = append(p.code, t.leaveStmt(x, ctx))
	}
	for _, c := range t.innerJoins[x] {
		t.joinTree(&p, c, ctx)
	}
	return p
}

// appendPart appends the statements of q to the statements of p.
func (t *treeBuilder) appendPart(p *treePart, q treePart) {
	p.code = append(p.code, &stmt{kind: listStmt, thenStmts: q.code})
	p.outBlocks = q.outBlocks
	p.size += q.size
}

func (t *treeBuilder) branch(p *treePart, x *ir.Block, ctx *loopCtx) {
	yes, no := t.edgeCode(x, x.Term.Succs[0], ctx), t.edgeCode(x, x.Term.Succs[1], ctx)
	s := &stmt{kind: ifStmt, block: x}
	p.code = append(p.code, s)
	// If control never reaches the end of one arm, only that arm is nested in the selection, and
	// the other arm follows the selection. If control reaches the end of neither arm, the smaller
	// arm is nested in the selection. Outside of loops, a return without instructions is not
	// nested, because a return at the end of the function can be removed.
	less := yes.size <= no.size
	if ctx == nil && min(yes.size, no.size) == 0 {
		less = !less
	}
	// In a loop, an arm that ends the work-item must be nested. Otherwise, after the loop, lavapipe
	// may lose the values of work-items that have left the loop.
	if a, b := t.isExit(x.Term.Succs[0]), t.isExit(x.Term.Succs[1]); ctx != nil && a != b {
		less = a
	}
	switch y, n := len(yes.outBlocks) == 0, len(no.outBlocks) == 0; {
	case y && (!n || less):
		s.thenStmts = yes.code
		p.size += yes.size
		t.appendPart(p, no)
	case n:
		s.els = no.code
		p.size += no.size
		t.appendPart(p, yes)
	default:
		s.thenStmts, s.els = yes.code, no.code
		p.size += yes.size + no.size
		p.outBlocks = t.unionOf(yes.outBlocks, no.outBlocks)
	}
}

// leaveStmt returns the return statement or Unreachable statement at the end of block x.
func (t *treeBuilder) leaveStmt(x *ir.Block, ctx *loopCtx) *stmt {
	if x.Term.Kind == ir.Unreachable {
		return &stmt{kind: unreachableStmt}
	}
	return newReturn(ctx)
}

func newReturn(ctx *loopCtx) *stmt {
	s := &stmt{kind: returnStmt}
	if ctx != nil {
		ctx.returns = append(ctx.returns, s)
	}
	return s
}

// edgeCode returns the code for the jump from x to y. If no other forward edge leads to y, the code
// for the jump is the code of y itself. If other forward edges lead to y, the code for the jump
// sets y's flag.
func (t *treeBuilder) edgeCode(x, y *ir.Block, ctx *loopCtx) treePart {
	set := &stmt{kind: setStmt, block: y}
	switch back := t.dom.IsBackEdge(x, y); {
	case t.isExit(y):
		return treePart{code: []*stmt{{kind: instsStmt, block: y}, t.leaveStmt(y, ctx)}, size: min(1, len(y.Insts))}
	case back && ctx != nil && y == ctx.loop.Head:
		return treePart{code: []*stmt{{kind: continueStmt}}}
	case back || ctx != nil && !ctx.loop.Contains(y):
		ctx.breaks = t.unionOf(ctx.breaks, []*ir.Block{y})
		return treePart{code: []*stmt{set, {kind: breakStmt}}}
	case t.forward[y] == 1:
		return t.treeOf(y, ctx)
	default:
		return treePart{code: []*stmt{set}, outBlocks: []*ir.Block{y}}
	}
}

// joinTree appends to p the statements for block c. At least one path in p leads to c.
func (t *treeBuilder) joinTree(p *treePart, c *ir.Block, ctx *loopCtx) {
	rest := make([]*ir.Block, 0, len(p.outBlocks))
	for _, b := range p.outBlocks {
		if b != c {
			rest = append(rest, b)
		}
	}
	if len(rest) == len(p.outBlocks) {
		panic("BUG: no jump arrives at a block")
	}
	q := t.treeOf(c, ctx)
	if len(rest) == 0 {
		t.appendPart(p, q)
		return
	}
	p.size += q.size
	p.code = append(p.code, t.ifFlags(q.code, c))
	p.outBlocks = t.unionOf(rest, q.outBlocks)
}

// ifFlags returns a statement that executes code if one of the flags of the given blocks is set.
func (t *treeBuilder) ifFlags(code []*stmt, flags ...*ir.Block) *stmt {
	for _, b := range flags {
		t.testedFlags[b] = true
	}
	return &stmt{kind: ifFlagsStmt, flags: flags, thenStmts: code}
}

// unionOf returns the union of two lists in reverse postorder.
func (t *treeBuilder) unionOf(a, b []*ir.Block) []*ir.Block {
	out := make([]*ir.Block, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch i, j := t.dom.Index(a[0]), t.dom.Index(b[0]); {
		case i < j:
			out, a = append(out, a[0]), a[1:]
		case j < i:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// loopTree returns the loop and the code that follows it.
func (t *treeBuilder) loopTree(l *ir.Loop, outer *loopCtx) treePart {
	x, ctx := l.Head, &loopCtx{loop: l}
	body := t.bodyOf(x, ctx)
	if len(body.outBlocks) > 0 {
		panic("BUG: a jump leaves a loop sideways")
	}
	p := treePart{size: body.size}
	for _, c := range t.after[x] {
		p.code = append(p.code, &stmt{kind: resetStmt, block: c})
	}
	// The flags are cleared at the start of each iteration, because no jump out of the loop is
	// pending there. So a flag that was set in the previous iteration has no effect, and no flag is
	// live across the back edge.
	var code []*stmt
	for _, b := range ctx.breaks {
		code = append(code, &stmt{kind: resetStmt, block: b})
	}
	code = append(code, body.code...)
	p.code = append(p.code, &stmt{kind: loopStmt, block: x, thenStmts: code})
	if len(ctx.breaks) == 0 {
		// If no other code follows the loop, returns in the loop become breaks, and one return
		// follows the loop.
		if len(ctx.returns) > 0 {
			for _, s := range ctx.returns {
				s.kind = breakStmt
			}
			p.code = append(p.code, newReturn(outer))
		}
		return p
	}
	p.outBlocks = ctx.breaks
	if outer != nil {
		t.dispatchJumps(&p, outer)
	}
	for _, c := range t.after[x] {
		t.joinTree(&p, c, outer)
	}
	return p
}

// dispatchJumps adds jumps after the code of an inner loop. The jumps continue or leave the outer
// loop ctx.
func (t *treeBuilder) dispatchJumps(p *treePart, ctx *loopCtx) {
	var here, leave []*ir.Block
	again := false
	for _, b := range p.outBlocks {
		switch {
		case b == ctx.loop.Head:
			again = true
		case ctx.loop.Contains(b):
			here = append(here, b)
		default:
			leave = append(leave, b)
		}
	}
	last := len(here) == 0
	if again {
		s := &stmt{kind: continueStmt}
		if !last || len(leave) > 0 {
			s = t.ifFlags([]*stmt{s}, ctx.loop.Head)
		}
		p.code = append(p.code, s)
	}
	if len(leave) > 0 {
		ctx.breaks = t.unionOf(ctx.breaks, leave)
		s := &stmt{kind: breakStmt}
		if !last {
			s = t.ifFlags([]*stmt{s}, leave...)
		}
		p.code = append(p.code, s)
	}
	p.outBlocks = here
}

// flattenInto appends the statements of the list "code" to the list "out". flattenInto replaces
// lists by their statements and omits blocks without instructions.
func flattenInto(code, out []*stmt) []*stmt {
	for _, s := range code {
		switch {
		case s.kind == listStmt:
			out = flattenInto(s.thenStmts, out)
		case s.kind == instsStmt && len(s.block.Insts) == 0:
		default:
			s.thenStmts, s.els = flattenInto(s.thenStmts, nil), flattenInto(s.els, nil)
			out = append(out, s)
		}
	}
	return out
}

// dropReturns removes a return statement if the function would return without it, too. If isTail is
// true, the function returns after the given code. The code must not contain list statements.
func dropReturns(code []*stmt, isTail bool) []*stmt {
	var last *stmt
	for n := len(code); n > 0 && code[n-1].kind == returnStmt; n-- {
		last = code[n-1]
		code = code[:n-1]
	}
	for i, s := range code {
		t := i == len(code)-1 && (isTail || last != nil) && s.kind != loopStmt
		s.thenStmts, s.els = dropReturns(s.thenStmts, t), dropReturns(s.els, t)
	}
	if last != nil && !isTail {
		code = append(code, last)
	}
	return code
}
