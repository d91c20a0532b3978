package structurize

// This file rewrites the tree of statements between the two steps of structurize. Returns in nested
// loops become breaks, because some drivers miscompile them. If a function has many returns, all
// returns become breaks.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// maxReturns is the largest number of returns outside of loops. Some drivers replace a return by an
// if statement that contains the code after the return. Lavapipe supports at most 80 nested ifs.
const maxReturns = 16 // also limits the forward jumps to one block (see loopAroundJumps)

// leaver replaces returns by breaks out of loops.
type leaver struct {
	left *ir.Block // artificial block; its flag is set while a returning work-item leaves loops
	used bool
	all  bool // whether all code is wrapped in a loop
}

// leaveByBreak replaces a return in nested loops by several breaks. Each break leaves one loop.
// Lavapipe miscompiles returns that leave several loops at once. If there are many returns,
// leaveByBreak also wraps all code in a loop with a single iteration. The returns then become
// breaks, which do not need nested ifs.
func leaveByBreak(f *ir.Func, t *stmtTree) {
	l := &leaver{left: f.NewBlock(), all: countReturns(t.bodyStmts) > maxReturns && !facts.Meets(f)}
	t.bodyStmts = l.rewriteList(t.bodyStmts, 0, true)
	if l.all {
		again := f.NewBlock()
		again.Term.Cond = neverTrue(again)
		t.bodyStmts = append(t.bodyStmts, &stmt{kind: instsStmt, block: again},
			&stmt{kind: ifStmt, block: again, thenStmts: []*stmt{{kind: continueStmt}}}, &stmt{kind: breakStmt})
		t.bodyStmts = []*stmt{{kind: loopStmt, block: f.NewBlock(), thenStmts: t.bodyStmts}}
	}
	if l.used {
		t.tested[l.left] = true
		t.flagged = append(t.flagged, l.left)
		t.bodyStmts = append([]*stmt{{kind: resetStmt, block: l.left}}, t.bodyStmts...)
	}
}

func countReturns(code []*stmt) int {
	n := 0
	for _, s := range code {
		if s.kind == returnStmt {
			n++
		}
		n += countReturns(s.thenStmts) + countReturns(s.els)
	}
	return n
}

// rewriteList rewrites statements that are inside the given number of loops. If isTail is true,
// the work-item returns after the statements.
func (l *leaver) rewriteList(code []*stmt, loops int, isTail bool) []*stmt {
	var out []*stmt
	for i, s := range code {
		switch {
		case s.kind == returnStmt && loops == 0 && l.all:
			out = append(out, &stmt{kind: breakStmt})
		case s.kind == returnStmt && (loops > 1 || loops == 1 && l.all):
			l.used = true
			out = append(out, &stmt{kind: setStmt, block: l.left}, &stmt{kind: breakStmt})
		case s.kind == loopStmt:
			out = append(out, s)
			returns, breaks := countReturns(s.thenStmts), hasBreak(s.thenStmts)
			deep := returns > 0 && (loops > 0 || l.all)
			if !deep {
				for _, in := range nestedLoops(s.thenStmts) {
					deep = deep || countReturns(in.thenStmts) > 0
				}
			}
			s.thenStmts = l.rewriteList(s.thenStmts, loops+1, false)
			if !deep {
				continue
			}
			// Each iteration clears the flag, so that later compiler passes know the value of the flag.
			s.thenStmts = append([]*stmt{{kind: resetStmt, block: l.left}}, s.thenStmts...)
			if isTail && !l.all && onlyReturns(code[i+1:]) {
				continue
			}
			leave := &stmt{kind: breakStmt}
			if loops == 0 && !l.all {
				leave.kind = returnStmt
			}
			if !breaks {
				out = append(out, leave)
				continue
			}
			// The flag is set a second time. So the flag is still a phi of constants after the next
			// loop. If the flag is not set again, lavapipe computes a wrong flag for work-items
			// that left the loop in earlier iterations.
			again := []*stmt{{kind: setStmt, block: l.left}, leave}
			out = append(out, &stmt{kind: ifFlagsStmt, flags: []*ir.Block{l.left}, thenStmts: again}, &stmt{kind: resetStmt, block: l.left})
		default:
			t := isTail && onlyReturns(code[i+1:])
			s.thenStmts, s.els = l.rewriteList(s.thenStmts, loops, t), l.rewriteList(s.els, loops, t)
			out = append(out, s)
		}
	}
	return out
}

func onlyReturns(code []*stmt) bool {
	for _, s := range code {
		if s.kind != returnStmt {
			return false
		}
	}
	return true
}

// nestedLoops returns the outermost loops in the list "code".
func nestedLoops(code []*stmt) []*stmt {
	var out []*stmt
	for _, s := range code {
		if s.kind == loopStmt {
			out = append(out, s)
		} else {
			out = append(out, append(nestedLoops(s.thenStmts), nestedLoops(s.els)...)...)
		}
	}
	return out
}

// hasBreak reports whether the list "code" contains a break out of the innermost loop around it.
func hasBreak(code []*stmt) bool {
	for _, s := range code {
		if s.kind == breakStmt || s.kind != loopStmt && (hasBreak(s.thenStmts) || hasBreak(s.els)) {
			return true
		}
	}
	return false
}

// neverTrue appends to b a condition that is always false, but that no driver recognizes as false.
// A driver would remove a loop if it recognized that the loop has a single iteration.
func neverTrue(b *ir.Block) *ir.Value {
	// The condition uses only the sign bit of a reserved word in the launch block, so a driver
	// learns nothing about the other bits of the word.
	m := &rewrite.Maker{Func: b.Func, At: &ir.Value{Block: b}}
	never := m.Op(ir.OpINe, ir.TypeBool, m.Zeros(1<<31), b.Func.Module.Int(ir.TypeI32, 0))
	b.Insts = append(b.Insts, m.Made...)
	return never
}

// loopAroundJumps handles code that contains many jumps to the block after the code.
// loopAroundJumps wraps the code in a loop with a single iteration. The jumps become breaks, which
// do not need deeply nested selections. The blocks of f must not contain phis.
func loopAroundJumps(f *ir.Func) {
	done := map[*ir.Block]bool{}
	for again := true; again; {
		again = false
		dom := f.Dominators()
		for _, c := range dom.Order[1:] {
			if done[c] || len(c.Preds) <= maxReturns {
				continue
			}
			done[c] = true
			var from *ir.Block // block from which the last jump comes
			n, deepest := 0, 0
			for _, p := range c.Preds {
				if dom.IsBackEdge(p, c) {
					continue
				}
				depth := 0
				for b := p; b != nil; b = dom.Idom(b) {
					depth++
				}
				if n++; depth > deepest {
					from, deepest = p, depth
				}
			}
			z := dom.Idom(c)
			if n <= maxReturns || from == z || meetBetween(dom, z, c) {
				continue
			}
			h := f.NewBlock()
			t := z.Term
			z.ClearTerm()
			h.SetTerm(t)
			z.Jump(h)
			// A block belongs to the loop only if it can reach the head. So each block that jumps
			// to c, even a block that records a fault, gets a back edge that is never taken.
			for _, p := range slices.Clone(c.Preds) {
				if p == from || p.Term.Kind == ir.Jump && p != h && !dom.IsBackEdge(p, c) {
					back := f.NewBlock()
					p.Retarget(c, back)
					back.Branch(neverTrue(back), h, c)
				}
			}
			again = true
			break
		}
	}
}

// meetBetween reports whether a Sync op is in a block that is dominated by z but not by c.
func meetBetween(dom *ir.DomTree, z, c *ir.Block) bool {
	for _, b := range dom.Order {
		if !dom.Dominates(z, b) || dom.Dominates(c, b) {
			continue
		}
		for _, v := range b.Insts {
			if v.Op.Has(ir.FlagSync) {
				return true
			}
		}
	}
	return false
}
