package structurize

// This file rewrites the tree between the two steps of structurize. Some drivers miscompile many
// returns, and returns out of nested loops.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// maxReturns bounds the number of returns outside of loops. Drivers without returns nest the code
// after each return in an if, and lavapipe's ifs nest at most 80 deep.
const maxReturns = 16 // the limit also applies to jumps to one block

// leaver replaces returns by breaks out of loops.
type leaver struct {
	left *ir.Block // pseudo block whose flag says that the work-item is about to return
	used bool
	all  bool // whether a loop is put around all code
}

// leaveByBreak replaces returns in nested loops by breaks out of one loop after the other. The
// reason: lavapipe miscompiles returns out of several loops at once. If there are many returns, it
// puts a loop with a single round around everything, since leaving that loop needs no nesting.
func leaveByBreak(f *ir.Func, t *tree) {
	l := &leaver{left: f.NewBlock(), all: countReturns(t.code) > maxReturns && !facts.Meets(f)}
	t.code = l.list(t.code, 0, true)
	if l.all {
		again := f.NewBlock()
		again.Term.Cond = neverTrue(again)
		t.code = append(t.code, &stmt{kind: instsStmt, block: again},
			&stmt{kind: ifStmt, block: again, then: []*stmt{{kind: continueStmt}}}, &stmt{kind: breakStmt})
		t.code = []*stmt{{kind: loopStmt, block: f.NewBlock(), then: t.code}}
	}
	if l.used {
		t.tested[l.left] = true
		t.flagged = append(t.flagged, l.left)
		t.code = append([]*stmt{{kind: resetStmt, block: l.left}}, t.code...)
	}
}

func countReturns(code []*stmt) int {
	n := 0
	for _, s := range code {
		if s.kind == returnStmt {
			n++
		}
		n += countReturns(s.then) + countReturns(s.els)
	}
	return n
}

// list rewrites code inside the given number of loops. tail says that the work-item returns at the
// end of the code.
func (l *leaver) list(code []*stmt, loops int, tail bool) []*stmt {
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
			returns, breaks := countReturns(s.then), hasBreak(s.then)
			deep := returns > 0 && (loops > 0 || l.all)
			if !deep {
				for _, in := range nestedLoops(s.then) {
					deep = deep || countReturns(in.then) > 0
				}
			}
			s.then = l.list(s.then, loops+1, false)
			if !deep {
				continue
			}
			// The flag is cleared in each round, so that later passes know its value.
			s.then = append([]*stmt{{kind: resetStmt, block: l.left}}, s.then...)
			if tail && !l.all && onlyReturns(code[i+1:]) {
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
			// The flag is set once more, so that it is a phi of constants also after the next loop.
			// For work-items that left long ago, lavapipe computes wrong values unless these are
			// phis.
			again := []*stmt{{kind: setStmt, block: l.left}, leave}
			out = append(out, &stmt{kind: ifFlagsStmt, flags: []*ir.Block{l.left}, then: again}, &stmt{kind: resetStmt, block: l.left})
		default:
			t := tail && onlyReturns(code[i+1:])
			s.then, s.els = l.list(s.then, loops, t), l.list(s.els, loops, t)
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

// nestedLoops returns the loops in code, without the loops inside these.
func nestedLoops(code []*stmt) []*stmt {
	var out []*stmt
	for _, s := range code {
		if s.kind == loopStmt {
			out = append(out, s)
		} else {
			out = append(out, append(nestedLoops(s.then), nestedLoops(s.els)...)...)
		}
	}
	return out
}

// hasBreak reports whether code breaks the innermost loop around it.
func hasBreak(code []*stmt) bool {
	for _, s := range code {
		if s.kind == breakStmt || s.kind != loopStmt && (hasBreak(s.then) || hasBreak(s.els)) {
			return true
		}
	}
	return false
}

// neverTrue appends a condition to b that is false, without any driver knowing it: a driver would
// remove a loop that it knows to run once.
func neverTrue(b *ir.Block) *ir.Value {
	// After the branch, drivers know that the sign bit is zero, but nothing about the other bits.
	m := &rewrite.Maker{Func: b.Func, At: &ir.Value{Block: b}}
	never := m.Op(ir.OpINe, ir.TypeBool, m.Zeros(1<<31), b.Func.Module.Int(ir.TypeI32, 0))
	b.Insts = append(b.Insts, m.Made...)
	return never
}

// loopAroundJumps puts a loop with a single round around code that has many jumps to the block
// after it. The jumps become breaks; otherwise their targets would nest deeply. f must have no
// phis.
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
			var from *ir.Block // the last of the jumps
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
			// Blocks with a possible jump back belong to the loop; faults do, too.
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

// meetBetween reports whether work-items wait for each other in a block that z dominates and c does
// not.
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
