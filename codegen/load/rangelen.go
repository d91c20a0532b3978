package load

// This file changes range statements over arrays so that go/ssa compiles them as Go specifies.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// arrayRange is a range statement that uses only the indices of an array. The field "over" is the
// original range expression of the statement.
type arrayRange struct {
	loop *ast.RangeStmt
	over ast.Expr
}

// indicesOnly changes range statements that use only the indices of an array. A changed statement
// ranges over the length of the array, not over the array.
//
// Go does not evaluate the range expression if its length is constant ("For statements with range
// clause"). But go/ssa always evaluates the range expression, so a range over *p would fault if p
// is nil.
//
// indicesOnly returns the changed statements. The caller must undo the changes after the SSA form
// is built, because a package is type-checked several times but parsed only once.
func (u *universe) indicesOnly(s *sourcePackage) (changed []arrayRange) {
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			loop, ok := n.(*ast.RangeStmt)
			if !ok || loop.Value != nil || !mayFault(s.info, loop.X) {
				return true
			}
			t := s.info.TypeOf(loop.X)
			if t == nil {
				return true
			}
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			a, ok := t.Underlying().(*types.Array)
			if !ok {
				return true
			}
			tv, err := types.Eval(u.l.fset, nil, token.NoPos, fmt.Sprintf("int(%d)", a.Len()))
			if err != nil {
				return true
			}
			x := &ast.BasicLit{ValuePos: loop.X.Pos(), Kind: token.INT, Value: fmt.Sprint(a.Len())}
			s.info.Types[x] = tv
			changed = append(changed, arrayRange{loop, loop.X})
			loop.X = x
			return true
		})
	}
	return changed
}

func putBack(changed []arrayRange) {
	for _, c := range changed {
		c.loop.X = c.over
	}
}

// mayFault reports whether x contains no calls, and the evaluation of x may fault. Without calls in
// the array expression x, len(x) is constant.
func mayFault(info *types.Info, x ast.Expr) bool {
	faults, calls := false, false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.StarExpr, *ast.IndexExpr, *ast.SliceExpr:
			faults = true
		case *ast.SelectorExpr:
			if s := info.Selections[n]; s != nil && s.Indirect() {
				faults = true
			}
		case *ast.UnaryExpr:
			calls = calls || n.Op == token.ARROW
		case *ast.CallExpr:
			faults = true
			if tv := info.Types[n]; tv.Value == nil && !info.Types[n.Fun].IsType() {
				calls = true
			}
		}
		return true
	})
	return faults && !calls
}
