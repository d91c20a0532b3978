package structurize

// This file contains the second step of structurize, which turns the tree of statements into blocks
// with merge blocks.

import "github.com/kgen-go/kgen/codegen/ir"

// stmtTree is a function as a tree of statements. The function returns if control reaches
// the end of bodyStmts.
type stmtTree struct {
	bodyStmts []*stmt
	tested    map[*ir.Block]bool
	flagged   []*ir.Block // all blocks, in the order in which their flags are created
}

// emitter turns a tree into blocks.
type emitter struct {
	f     *ir.Func
	out   []*ir.Block
	flags map[*ir.Block]*ir.Ref
	cur   *ir.Block // block to which code is appended; nil after a jump
	// loopHead is the header of the innermost loop that contains the current block.
	loopHead *ir.Block
}

// emitTree replaces the blocks of f by blocks made from the tree t.
func emitTree(f *ir.Func, t *stmtTree) {
	e := &emitter{f: f, flags: map[*ir.Block]*ir.Ref{}}
	for _, b := range t.flagged {
		if t.tested[b] {
			e.flags[b] = &ir.Ref{Var: f.Module.NewVar(f, ir.Function, "flag", ir.TypeBool)}
		}
	}
	e.startBlock(e.f.NewBlock())
	e.list(t.bodyStmts)
	if e.cur != nil {
		e.endBlock(ir.Term{Kind: ir.Return})
	}
	f.Blocks = e.out
	for i, b := range f.Blocks {
		b.ID = i
	}
}

// startBlock appends block b to the function and makes it the current block.
func (e *emitter) startBlock(b *ir.Block) {
	e.out = append(e.out, b)
	e.cur = b
}

// endBlock sets the terminator of the current block.
func (e *emitter) endBlock(t ir.Term) {
	e.cur.SetTerm(t)
	e.cur = nil
}

func (e *emitter) jump(to *ir.Block) { e.endBlock(ir.Term{Kind: ir.Jump, Succs: []*ir.Block{to}}) }

// startMerge starts the merge block b of a selection or loop. Block b ends with Unreachable if it
// has no predecessors.
func (e *emitter) startMerge(b *ir.Block) {
	e.startBlock(b)
	if len(b.Preds) == 0 {
		e.endBlock(ir.Term{Kind: ir.Unreachable})
	}
}

func (e *emitter) list(code []*stmt) {
	for _, s := range code {
		if e.cur == nil {
			return
		}
		e.stmt(s)
	}
}

func (e *emitter) stmt(s *stmt) {
	switch s.kind {
	case instsStmt:
		for _, v := range s.block.Insts {
			v.Block = e.cur
		}
		e.cur.Insts = append(e.cur.Insts, s.block.Insts...)
	case ifStmt:
		e.branch(s.block.Term.Cond, s.block.Term.Pos, s.thenStmts, s.els)
	case ifFlagsStmt:
		var cond *ir.Value
		for _, b := range s.flags {
			l := e.cur.Append(ir.OpLoad, ir.TypeBool)
			l.Aux = e.flags[b]
			if cond != nil {
				l = e.cur.Append(ir.OpLOr, ir.TypeBool, cond, l)
			}
			cond = l
		}
		e.branch(cond, ir.Pos{}, s.thenStmts, s.els)
	case loopStmt:
		e.loopStmt(s)
	case setStmt, resetStmt:
		if ref := e.flags[s.block]; ref != nil {
			v := e.cur.Append(ir.OpStore, ir.TypeVoid, e.f.Module.Bool(s.kind == setStmt))
			v.Aux = ref
		}
	case breakStmt:
		e.jump(e.loopHead.Merge)
	case continueStmt:
		e.jump(e.loopHead.Continue)
	case returnStmt:
		e.endBlock(ir.Term{Kind: ir.Return})
	case unreachableStmt:
		e.endBlock(ir.Term{Kind: ir.Unreachable})
	}
}

// isSilent reports whether control passes through the statements in the list "code" without
// executing any instruction.
func (e *emitter) isSilent(code []*stmt) bool {
	for _, s := range code {
		switch s.kind {
		case setStmt, resetStmt:
			if e.flags[s.block] != nil {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (e *emitter) branch(cond *ir.Value, pos ir.Pos, then, els []*stmt) {
	p := e.cur
	arms := [2][]*stmt{then, els}
	if e.isSilent(then) && e.isSilent(els) {
		return
	}
	m := e.f.NewBlock()
	to := [2]*ir.Block{m, m}
	for i, code := range arms {
		if !e.isSilent(code) {
			to[i] = e.f.NewBlock()
		}
	}
	p.Merge = m
	e.endBlock(ir.Term{Kind: ir.Branch, Cond: cond, Succs: to[:], Pos: pos})
	for i, code := range arms {
		if to[i] == m {
			continue
		}
		e.startBlock(to[i])
		e.list(code)
		if e.cur != nil {
			e.jump(m)
		}
	}
	e.startMerge(m)
}

func (e *emitter) loopStmt(s *stmt) {
	header, body := e.f.NewBlock(), e.f.NewBlock()
	header.Unroll, header.Cold, header.Loop = s.block.Unroll, s.block.Cold, s.block.Loop
	header.Merge, header.Continue = e.f.NewBlock(), e.f.NewBlock()
	e.jump(header)
	e.startBlock(header)
	e.jump(body)
	outer := e.loopHead
	e.loopHead = header
	e.startBlock(body)
	e.list(s.thenStmts)
	e.loopHead = outer
	if e.cur != nil {
		panic("BUG: a loop's body ends")
	}
	e.startBlock(header.Continue)
	e.jump(header)
	e.startMerge(header.Merge)
}
