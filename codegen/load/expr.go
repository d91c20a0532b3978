package load

// This file finds the source expression at a position.

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Expr describes an expression of the source for fault messages. An Expr holds the source texts of
// the operands. If the expression lacks an operand, the text of this operand is empty.
type Expr struct {
	Text           string
	Base           string // indexed or sliced expression
	Index          string
	Low, High, Max string
	X, Y           string // operands of an operator or conversion
	Op             string
}

// Expr returns the expression or statement whose operator or bracket is at a given position. If no
// expression or statement has an operator or bracket at the position, the second result of Expr is
// false.
func (p *Program) Expr(at ir.Pos) (Expr, bool) {
	for _, f := range p.trees {
		tf := p.Fset.File(f.FileStart)
		if tf == nil || p.files[tf.Name()] != at.File || at.Line < 1 || at.Line > tf.LineCount() {
			continue
		}
		return p.exprAt(f, tf.LineStart(at.Line)+token.Pos(at.Col-1))
	}
	return Expr{}, false
}

func (p *Program) exprAt(f *ast.File, pos token.Pos) (e Expr, found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || pos >= n.End() {
			return false
		}
		// The node visited last is the innermost node.
		if x, ok := p.exprOf(n, pos); ok {
			e, found = x, true
		}
		return true
	})
	return e, found
}

// exprOf returns the Expr for syntax node n. The second result of exprOf is true if the operator or
// bracket of n is at pos.
func (p *Program) exprOf(n ast.Node, pos token.Pos) (Expr, bool) {
	e := Expr{Text: p.printNode(n)}
	switch n := n.(type) {
	case *ast.IndexExpr:
		e.Base, e.Index = p.printNode(n.X), p.printNode(n.Index)
		return e, n.Lbrack == pos
	case *ast.SliceExpr:
		e.Base, e.Low, e.High, e.Max = p.printNode(n.X), p.printNode(n.Low), p.printNode(n.High), p.printNode(n.Max)
		return e, n.Lbrack == pos
	case *ast.BinaryExpr:
		e.X, e.Y, e.Op = p.printNode(n.X), p.printNode(n.Y), n.Op.String()
		return e, n.OpPos == pos
	case *ast.AssignStmt:
		if n.TokPos == pos && len(n.Lhs) == 1 && n.Tok != token.DEFINE && n.Tok != token.ASSIGN {
			e.X, e.Y, e.Op = p.printNode(n.Lhs[0]), p.printNode(n.Rhs[0]), n.Tok.String()
			return e, true
		}
	case *ast.IncDecStmt:
		e.X, e.Op = p.printNode(n.X), n.Tok.String()
		return e, n.TokPos == pos
	case *ast.CallExpr:
		if len(n.Args) > 0 && (n.Lparen == pos || n.Args[0].Pos() == pos) {
			e.X = p.printNode(n.Args[0])
			return e, true
		}
	case *ast.StarExpr:
		e.X = p.printNode(n.X)
		return e, n.Star == pos
	case *ast.SelectorExpr:
		e.X = p.printNode(n.X)
		return e, n.Sel.Pos() == pos
	case *ast.RangeStmt:
		if n.For == pos || n.X.Pos() <= pos && pos < n.X.End() {
			e.Base = p.printNode(n.X)
			e.Text, e.Index = "range "+e.Base, p.printNode(n.Key)
			return e, true
		}
	}
	return Expr{}, false
}

const maxExprText = 60

// printNode prints a syntax node on one line. A long text is shortened.
func (p *Program) printNode(n ast.Node) string {
	switch n.(type) {
	case ast.Expr, *ast.AssignStmt, *ast.IncDecStmt:
	default:
		return ""
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, p.Fset, n); err != nil {
		return ""
	}
	s := strings.Join(strings.Fields(b.String()), " ")
	if r := []rune(s); len(r) > maxExprText {
		s = string(r[:maxExprText-1]) + "…"
	}
	return s
}
