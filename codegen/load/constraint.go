package load

// This file finds the build constraints of kernels.

import (
	"go/ast"
	"go/build/constraint"
	"slices"
)

// Constraint returns the //go:build condition under which package pkg declares its kernels. The
// result is the conjunction of the conditions of all files that declare kernels. If no file has a
// //go:build condition, Constraint returns "".
func (p *Program) Constraint(pkg *Package) string {
	var all constraint.Expr
	var seen []string
	for _, f := range p.trees {
		if !slices.ContainsFunc(pkg.Kernels, func(k *Kernel) bool { return f.FileStart <= k.Pos && k.Pos < f.FileEnd }) {
			continue
		}
		expr := constraintOf(f)
		if expr == nil || slices.Contains(seen, expr.String()) {
			continue
		}
		seen = append(seen, expr.String())
		if all == nil {
			all = expr
		} else {
			all = &constraint.AndExpr{X: all, Y: expr}
		}
	}
	if all == nil {
		return ""
	}
	return all.String()
}

// constraintOf returns the //go:build condition of a file, or nil.
func constraintOf(f *ast.File) constraint.Expr {
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) {
				if expr, err := constraint.Parse(c.Text); err == nil {
					return expr
				}
			}
		}
	}
	return nil
}
