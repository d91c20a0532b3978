package lower

// This file finds the positions of loops.

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// loopPos returns the source position of a loop of fn. loopPos returns the position of the smallest
// loop statement around all instructions of the loop. go/ssa does not provide the positions of
// loops. A loop made by goto has the position of its first instruction. A loop without instructions
// has the position of the function.
func loopPos(fn *ssa.Function, loop map[*ssa.BasicBlock]bool) token.Pos {
	first, last := token.NoPos, token.NoPos
	for b := range loop {
		for _, in := range b.Instrs {
			if _, ok := in.(*ssa.Phi); ok {
				continue // an Alloc has the position of its variable's declaration, not of a loop statement
			}
			p := in.Pos()
			if !p.IsValid() || !inSource(fn, p) {
				continue
			}
			if !first.IsValid() || p < first {
				first = p
			}
			last = max(last, p)
		}
	}
	if !first.IsValid() {
		return fn.Pos()
	}
	pos := first
	if fn.Syntax() == nil {
		return pos
	}
	ast.Inspect(fn.Syntax(), func(n ast.Node) bool {
		if n == nil || n.Pos() > first || n.End() <= last {
			return false
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			pos = n.Pos()
		case *ast.FuncLit:
			return n == fn.Syntax()
		}
		return true
	})
	return pos
}
