package structurize

// This file is the first step of structurize: it turns blocks and their dominator tree into a tree
// of statements.

import "github.com/kgen-go/kgen/codegen/ir"

// stmt is a statement of the structured tree.
type stmt struct {
	kind  stmtKind
	block *ir.Block   // block that has the instructions, the condition, the flag, or the loop's head
	flags []*ir.Block // the flags of an ifFlagsStmt, of which any suffices
	then  []*stmt     // first arm, or the statements of a list or loop
	els   []*stmt
}

type stmtKind uint8

const (
	listStmt    stmtKind = iota // the statements in then
	instsStmt                   // the block's instructions
	ifStmt                      // a branch on the block's condition
	ifFlagsStmt                 // a branch that is taken if any of flags is set
	loopStmt                    // a loop headed by block
	setStmt                     // sets the block's flag
	resetStmt                   // clears the block's flag
	breakStmt
	continueStmt
	returnStmt
	unreachableStmt
)

// piece is code with the blocks to which control may be on its way when the code ends, in reverse
// postorder. Code whose end is never reached has no such blocks.
type piece struct {
	code []*stmt
	out  []*ir.Block
	size int // number of blocks that contain code
}

// loopCtx is a loop that is being built.
type loopCtx struct {
	loop    *ir.Loop
	breaks  []*ir.Block // targets to which breaks are on their way
	returns []*stmt     // returns directly in this loop
}

// treeBuilder turns a reducible control flow graph without phis into statements.
type treeBuilder struct {
	f       *ir.Func
	dom     *ir.DomTree
	loops   *ir.Loops
	forward map[*ir.Block]int // number of forward edges into each block
	// inner maps a block to the blocks that follow, in its loop, the code that it dominates. after
	// maps the head of a loop to the blocks that follow the loop.
	inner, after map[*ir.Block][]*ir.Block
	// tested has the blocks whose flags some statement tests.
	tested map[*ir.Block]bool
}

func newTreeBuilder(f *ir.Func) *treeBuilder {
	f.RemoveUnreachable()
	dom := f.Dominators()
	t := &treeBuilder{f: f, dom: dom, loops: dom.Loops(), forward: map[*ir.Block]int{}, inner: map[*ir.Block][]*ir.Block{}, after: map[*ir.Block][]*ir.Block{},
		tested: map[*ir.Block]bool{}}
	t.place()
	return t
}

// place decides the position of each block in the tree.
func (t *treeBuilder) place() {
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
		case t.exit(b):
		case l == nil || l.Contains(b):
			if t.forward[b] > 1 {
				t.inner[z] = append(t.inner[z], b)
			}
		default:
			for l.Outer != nil && !l.Outer.Contains(b) {
				l = l.Outer
			}
			t.after[l.Head] = append(t.after[l.Head], b)
		}
	}
}

// exit reports whether b ends the work-item and is copied to every jump to it: a bare return, or a
// fault with a single jump to it.
func (t *treeBuilder) exit(b *ir.Block) bool {
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

// build returns the whole function as statements.
func (t *treeBuilder) build() *tree {
	p := t.tree(t.dom.Order[0], nil)
	if len(p.out) > 0 {
		panic("BUG: a jump arrives nowhere")
	}
	return &tree{code: dropReturns(flatten(p.code, nil), true), tested: t.tested, flagged: t.dom.Order}
}

// tree returns the code of x and of all blocks that x dominates, inside loop ctx.
func (t *treeBuilder) tree(x *ir.Block, ctx *loopCtx) piece {
	if l := t.loops.Of(x); l != nil && l.Head == x {
		return t.loopTree(l, ctx)
	}
	return t.body(x, ctx)
}

// body is tree without the loop around x.
func (t *treeBuilder) body(x *ir.Block, ctx *loopCtx) piece {
	p := piece{size: 1}
	for _, c := range t.inner[x] {
		p.code = append(p.code, &stmt{kind: resetStmt, block: c})
	}
	p.code = append(p.code, &stmt{kind: instsStmt, block: x})
	switch x.Term.Kind {
	case ir.Jump:
		t.then(&p, t.edge(x, x.Term.Succs[0], ctx))
	case ir.Branch:
		t.branch(&p, x, ctx)
	default:
		p.code = append(p.code, t.leave(x, ctx))
	}
	for _, c := range t.inner[x] {
		t.join(&p, c, ctx)
	}
	return p
}

// then appends q to p.
func (t *treeBuilder) then(p *piece, q piece) {
	p.code = append(p.code, &stmt{kind: listStmt, then: q.code})
	p.out = q.out
	p.size += q.size
}

func (t *treeBuilder) branch(p *piece, x *ir.Block, ctx *loopCtx) {
	yes, no := t.edge(x, x.Term.Succs[0], ctx), t.edge(x, x.Term.Succs[1], ctx)
	s := &stmt{kind: ifStmt, block: x}
	p.code = append(p.code, s)
	// If an arm never ends normally, the code after the selection needs no nesting: it becomes the
	// other arm. If both arms never end normally, the smaller one is nested. An exception is a bare
	// return: if it comes last, the other arm needs no return of its own.
	less := yes.size <= no.size
	if ctx == nil && min(yes.size, no.size) == 0 {
		less = !less
	}
	// In a loop the faulting arm must be nested. With the opposite order, lavapipe may lose values
	// after the loop for work-items that have left it.
	if a, b := t.exit(x.Term.Succs[0]), t.exit(x.Term.Succs[1]); ctx != nil && a != b {
		less = a
	}
	switch y, n := len(yes.out) == 0, len(no.out) == 0; {
	case y && (!n || less):
		s.then = yes.code
		p.size += yes.size
		t.then(p, no)
	case n:
		s.els = no.code
		p.size += no.size
		t.then(p, yes)
	default:
		s.then, s.els = yes.code, no.code
		p.size += yes.size + no.size
		p.out = t.union(yes.out, no.out)
	}
}

// leave returns the statement for a block that ends the work-item.
func (t *treeBuilder) leave(x *ir.Block, ctx *loopCtx) *stmt {
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

// edge returns the code of the jump from x to y. This is the code of y itself if there is no other
// jump to y; otherwise it sets y's flag.
func (t *treeBuilder) edge(x, y *ir.Block, ctx *loopCtx) piece {
	set := &stmt{kind: setStmt, block: y}
	switch back := t.dom.IsBackEdge(x, y); {
	case t.exit(y):
		return piece{code: []*stmt{{kind: instsStmt, block: y}, t.leave(y, ctx)}, size: min(1, len(y.Insts))}
	case back && ctx != nil && y == ctx.loop.Head:
		return piece{code: []*stmt{{kind: continueStmt}}}
	case back || ctx != nil && !ctx.loop.Contains(y):
		ctx.breaks = t.union(ctx.breaks, []*ir.Block{y})
		return piece{code: []*stmt{set, {kind: breakStmt}}}
	case t.forward[y] == 1:
		return t.tree(y, ctx)
	default:
		return piece{code: []*stmt{set}, out: []*ir.Block{y}}
	}
}

// join appends block c's tree to p, from which some paths lead to c.
func (t *treeBuilder) join(p *piece, c *ir.Block, ctx *loopCtx) {
	rest := make([]*ir.Block, 0, len(p.out))
	for _, b := range p.out {
		if b != c {
			rest = append(rest, b)
		}
	}
	if len(rest) == len(p.out) {
		panic("BUG: no jump arrives at a block")
	}
	q := t.tree(c, ctx)
	if len(rest) == 0 {
		t.then(p, q)
		return
	}
	p.size += q.size
	p.code = append(p.code, t.ifFlags(q.code, c))
	p.out = t.union(rest, q.out)
}

// ifFlags returns code guarded by the flags of the given blocks.
func (t *treeBuilder) ifFlags(code []*stmt, flags ...*ir.Block) *stmt {
	for _, b := range flags {
		t.tested[b] = true
	}
	return &stmt{kind: ifFlagsStmt, flags: flags, then: code}
}

// union returns the union of two lists in reverse postorder.
func (t *treeBuilder) union(a, b []*ir.Block) []*ir.Block {
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
func (t *treeBuilder) loopTree(l *ir.Loop, outer *loopCtx) piece {
	x, ctx := l.Head, &loopCtx{loop: l}
	body := t.body(x, ctx)
	if len(body.out) > 0 {
		panic("BUG: a jump leaves a loop sideways")
	}
	p := piece{size: body.size}
	for _, c := range t.after[x] {
		p.code = append(p.code, &stmt{kind: resetStmt, block: c})
	}
	// When an iteration starts, no jump is on its way, so the flags are cleared there. A flag set
	// in the previous iteration must not count, and a cleared flag need not be carried around the
	// loop.
	var code []*stmt
	for _, b := range ctx.breaks {
		code = append(code, &stmt{kind: resetStmt, block: b})
	}
	code = append(code, body.code...)
	p.code = append(p.code, &stmt{kind: loopStmt, block: x, then: code})
	if len(ctx.breaks) == 0 {
		// No other code follows the loop, so the returns may.
		if len(ctx.returns) > 0 {
			for _, s := range ctx.returns {
				s.kind = breakStmt
			}
			p.code = append(p.code, newReturn(outer))
		}
		return p
	}
	p.out = ctx.breaks
	if outer != nil {
		t.dispatch(&p, outer)
	}
	for _, c := range t.after[x] {
		t.join(&p, c, outer)
	}
	return p
}

// dispatch adds, directly after an inner loop, the jumps that continue or leave the loop ctx.
func (t *treeBuilder) dispatch(p *piece, ctx *loopCtx) {
	var here, leave []*ir.Block
	again := false
	for _, b := range p.out {
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
		ctx.breaks = t.union(ctx.breaks, leave)
		s := &stmt{kind: breakStmt}
		if !last {
			s = t.ifFlags([]*stmt{s}, leave...)
		}
		p.code = append(p.code, s)
	}
	p.out = here
}

// flatten appends the code to out, without lists and empty blocks.
func flatten(code, out []*stmt) []*stmt {
	for _, s := range code {
		switch {
		case s.kind == listStmt:
			out = flatten(s.then, out)
		case s.kind == instsStmt && len(s.block.Insts) == 0:
		default:
			s.then, s.els = flatten(s.then, nil), flatten(s.els, nil)
			out = append(out, s)
		}
	}
	return out
}

// dropReturns removes returns that are followed only by a return. code must have no lists. tail
// says that the function returns at the end of code.
func dropReturns(code []*stmt, tail bool) []*stmt {
	var last *stmt
	for n := len(code); n > 0 && code[n-1].kind == returnStmt; n-- {
		last = code[n-1]
		code = code[:n-1]
	}
	for i, s := range code {
		t := i == len(code)-1 && (tail || last != nil) && s.kind != loopStmt
		s.then, s.els = dropReturns(s.then, t), dropReturns(s.els, t)
	}
	if last != nil && !tail {
		code = append(code, last)
	}
	return code
}
