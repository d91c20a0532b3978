// Package stubtext reads information from the text of stubs that kgen has written.
package stubtext

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/kgen-go/kgen/abi"
)

// Sources returns the abi.Sources literal in a file of stubs, and the literal's position. If the
// file does not contain an abi.Sources literal, sourceList is nil.
func Sources(file *ast.File) (sourceList *abi.Sources, at token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && isSources(lit.Type) && sourceList == nil {
			sourceList, at = &abi.Sources{}, lit.Pos()
			eachField(lit, func(key string, v ast.Expr) {
				switch key {
				case "Module":
					sourceList.Module = stringValue(v)
				case "Package":
					sourceList.Package = stringValue(v)
				case "Root":
					sourceList.Root = stringValue(v)
				case "Kernels":
					for _, e := range elements(v) {
						sourceList.Kernels = append(sourceList.Kernels, stringValue(e))
					}
				case "Files":
					for _, e := range elements(v) {
						sourceList.Files = append(sourceList.Files, source(e))
					}
				}
			})
		}
		return sourceList == nil
	})
	return sourceList, at
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
	eachField(e, func(key string, v ast.Expr) {
		switch key {
		case "File":
			s.File = stringValue(v)
		case "Package":
			s.Package = stringValue(v)
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

// eachField calls f for each field of a composite literal.
func eachField(e ast.Expr, f func(key string, v ast.Expr)) {
	for _, e := range elements(e) {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				f(id.Name, kv.Value)
			}
		}
	}
}

// stringValue returns the value of a string literal.
func stringValue(e ast.Expr) string {
	if b, ok := e.(*ast.BasicLit); ok {
		s, _ := strconv.Unquote(b.Value)
		return s
	}
	return ""
}
