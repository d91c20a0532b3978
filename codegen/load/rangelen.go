package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// unevaluated is a statement that ranges over an array for its indices alone, and what it
// ranges over.
type unevaluated struct {
	loop *ast.RangeStmt
	over ast.Expr
}

// indicesOnly has statements range over the length of an array that range over the array for
// its indices alone. Go does not evaluate what they range over if its length is a constant
// ("For statements with range clause"), and go/ssa does, so that
//
//	for i := range *p
//
// would fault where p is nil. It returns what it has changed, to be put back once there is
// SSA form: packages are type-checked more often than parsed.
func (u *universe) indicesOnly(s *source) (changed []unevaluated) {
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
			changed = append(changed, unevaluated{loop, loop.X})
			loop.X = x
			return true
		})
	}
	return changed
}

func putBack(changed []unevaluated) {
	for _, c := range changed {
		c.loop.X = c.over
	}
}

// mayFault reports whether x, which may fault if it is evaluated, is of constant length if it
// is an array or points to one: it has no calls.
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
