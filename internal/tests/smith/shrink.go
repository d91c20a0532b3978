package smith

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"time"
)

// Shrink removes parts of a source as long as stillFails returns true, and returns the smallest source found.
// Most sources that Shrink tries are not legal programs. stillFails must return false for illegal programs.
func Shrink(src string, stillFails func(src string) bool, limit time.Duration) string {
	until := time.Now().Add(limit)
	for changed := true; changed; {
		changed = false
		for n := 0; time.Now().Before(until); {
			text, done := nthEdit(src, n)
			if done {
				break
			}
			if text == "" || len(text) >= len(src) || !stillFails(text) {
				n++
				continue
			}
			src, changed = text, true // in the new source, change n is the next one to try
		}
	}
	return src
}

// sourceEditor numbers all possible changes to a source, and makes the n-th change.
type sourceEditor struct{ n int }

// countChange counts the current change, and reports whether it is the change to make.
func (e *sourceEditor) countChange() bool {
	e.n--
	return e.n == -1
}

// nthEdit returns the source with the n-th change. The result `done` is true if the source has fewer than n+1 possible
// changes.
func nthEdit(src string, n int) (text string, done bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		return "", true
	}
	e := &sourceEditor{n}
	file.Decls = e.decls(file.Decls)
	ast.Inspect(file, func(n ast.Node) bool {
		if e.n < 0 {
			return false
		}
		e.node(n)
		return true
	})
	if e.n >= 0 {
		return "", true
	}
	var out bytes.Buffer
	if format.Node(&out, fset, file) != nil {
		return "", false
	}
	return out.String(), false
}

func (e *sourceEditor) decls(list []ast.Decl) []ast.Decl {
	for i, d := range list {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		if e.countChange() {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
}

func (e *sourceEditor) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		n.List = e.editStmts(n.List)
	case *ast.CaseClause:
		n.Body = e.editStmts(n.Body)
		e.exprs(n.List)
	case *ast.IfStmt:
		if n.Else != nil && e.countChange() {
			n.Else = nil
		}
		if n.Init != nil && e.countChange() {
			n.Init = nil
		}
		e.editExpr(&n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			e.editExpr(&n.Cond)
		}
	case *ast.RangeStmt:
		e.editExpr(&n.X)
	case *ast.SwitchStmt:
		if n.Tag != nil {
			e.editExpr(&n.Tag)
		}
	case *ast.AssignStmt:
		e.exprs(n.Rhs)
		e.exprs(n.Lhs)
		if len(n.Lhs) == len(n.Rhs) && len(n.Lhs) > 1 && e.countChange() {
			n.Lhs, n.Rhs = n.Lhs[1:], n.Rhs[1:]
		}
	case *ast.ValueSpec:
		e.exprs(n.Values)
	case *ast.ReturnStmt:
		e.exprs(n.Results)
	case *ast.BinaryExpr:
		e.editExpr(&n.X)
		e.editExpr(&n.Y)
	case *ast.UnaryExpr:
		e.editExpr(&n.X)
	case *ast.ParenExpr:
		e.editExpr(&n.X)
	case *ast.CallExpr:
		e.exprs(n.Args)
		if f, ok := n.Fun.(*ast.SelectorExpr); ok {
			e.editExpr(&f.X)
		}
	case *ast.IndexExpr:
		e.editExpr(&n.Index)
	case *ast.CompositeLit:
		for i := range n.Elts {
			if e.countChange() {
				n.Elts = slices.Delete(n.Elts, i, i+1)
				break
			}
		}
		e.exprs(n.Elts)
	case *ast.KeyValueExpr:
		e.editExpr(&n.Value)
	case *ast.StructType:
		for i := range n.Fields.List {
			if e.countChange() {
				n.Fields.List = slices.Delete(n.Fields.List, i, i+1)
				break
			}
		}
	}
}

// editStmts removes a statement, or replaces it by the statements inside.
func (e *sourceEditor) editStmts(stmts []ast.Stmt) []ast.Stmt {
	for size := len(stmts); size > 0; size /= 2 {
		for i := 0; i+size <= len(stmts); i += size {
			if e.countChange() {
				return slices.Delete(stmts, i, i+size)
			}
		}
	}
	for i, s := range stmts {
		for _, in := range innerLists(s) {
			if e.countChange() {
				return slices.Concat(stmts[:i], in, stmts[i+1:])
			}
		}
	}
	return stmts
}

// innerLists returns the lists of statements in a statement.
func innerLists(s ast.Stmt) [][]ast.Stmt {
	var out [][]ast.Stmt
	switch s := s.(type) {
	case *ast.BlockStmt:
		out = append(out, s.List)
	case *ast.LabeledStmt:
		out = append(out, []ast.Stmt{s.Stmt})
	case *ast.IfStmt:
		out = append(out, s.Body.List)
		if b, ok := s.Else.(*ast.BlockStmt); ok {
			out = append(out, b.List)
		} else if s.Else != nil {
			out = append(out, []ast.Stmt{s.Else})
		}
	case *ast.ForStmt:
		out = append(out, s.Body.List)
	case *ast.RangeStmt:
		out = append(out, s.Body.List)
	case *ast.SwitchStmt:
		for _, c := range s.Body.List {
			out = append(out, c.(*ast.CaseClause).Body)
		}
	}
	return out
}

func (e *sourceEditor) exprs(list []ast.Expr) {
	for i := range list {
		e.editExpr(&list[i])
	}
}

// editExpr replaces an expression by a part of it, or by a constant.
func (e *sourceEditor) editExpr(at *ast.Expr) {
	var parts []ast.Expr
	switch x := (*at).(type) {
	case *ast.BinaryExpr:
		parts = []ast.Expr{x.X, x.Y}
	case *ast.UnaryExpr:
		parts = []ast.Expr{x.X}
	case *ast.ParenExpr:
		parts = []ast.Expr{x.X}
	case *ast.CallExpr:
		parts = x.Args
	case *ast.Ident, *ast.BasicLit:
		return
	}
	for _, p := range parts {
		if e.countChange() {
			*at = p
			return
		}
	}
	for _, text := range []string{"0", "1", "true", "false"} {
		if e.countChange() {
			*at = ast.NewIdent(text)
			return
		}
	}
}
