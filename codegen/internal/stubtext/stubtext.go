// Package stubtext reads information from the text of stubs that kgen has written.
package stubtext

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/kgen-go/kgen/abi"
)

// Sources returns the list of sources in a file of stubs, and the position of the list. If the file contains no list,
// result from is nil.
func Sources(file *ast.File) (from *abi.Sources, at token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && isSources(lit.Type) && from == nil {
			from, at = &abi.Sources{}, lit.Pos()
			read(lit, func(key string, v ast.Expr) {
				switch key {
				case "Module":
					from.Module = text(v)
				case "Package":
					from.Package = text(v)
				case "Root":
					from.Root = text(v)
				case "Kernels":
					for _, e := range elements(v) {
						from.Kernels = append(from.Kernels, text(e))
					}
				case "Files":
					for _, e := range elements(v) {
						from.Files = append(from.Files, source(e))
					}
				}
			})
		}
		return from == nil
	})
	return from, at
}

// isSources reports whether a type is abi.Sources.
func isSources(t ast.Expr) bool {
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "abi" && sel.Sel.Name == "Sources"
}

func source(e ast.Expr) (s abi.Source) {
	read(e, func(key string, v ast.Expr) {
		switch key {
		case "File":
			s.File = text(v)
		case "Package":
			s.Package = text(v)
		case "Sum":
			if b, ok := v.(*ast.BasicLit); ok {
				n, _ := strconv.ParseUint(b.Value, 0, 32)
				s.Sum = uint32(n)
			}
		}
	})
	return s
}

func elements(e ast.Expr) []ast.Expr {
	if lit, ok := e.(*ast.CompositeLit); ok {
		return lit.Elts
	}
	return nil
}

// The function read calls f for each field of a composite literal.
func read(e ast.Expr, f func(key string, v ast.Expr)) {
	for _, e := range elements(e) {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				f(id.Name, kv.Value)
			}
		}
	}
}

// The function text returns the value of a string literal.
func text(e ast.Expr) string {
	if b, ok := e.(*ast.BasicLit); ok {
		s, _ := strconv.Unquote(b.Value)
		return s
	}
	return ""
}
