package vet

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// This file reports methods that look like a kernel's Properties method but have another name.
// Package load does not find the properties that such a method returns.

const (
	propertiesPath   = "github.com/kgen-go/kgen/properties"
	propertiesMethod = "Properties"
)

// misnamedAnalyzer reports methods that have the signature of a kernel's Properties method, but
// another name.
func misnamedAnalyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "kgenproperties",
		Doc:  fmt.Sprintf("report kernels whose properties kgen does not see (%v)\n\n%s", diag.Misnamed, diag.Summary(diag.Misnamed)),
		Run: func(pass *analysis.Pass) (any, error) {
			used := map[types.Object]bool{}
			for _, obj := range pass.TypesInfo.Uses {
				if fn, ok := obj.(*types.Func); ok {
					used[fn.Origin()] = true
				}
			}
			seen := map[token.Pos]bool{} // methods already reported, since several kernels may share a method
			for _, kernel := range load.KernelMethods(pass.Pkg) {
				named := types.Unalias(kernel.Recv())
				if p, ok := named.(*types.Pointer); ok {
					named = types.Unalias(p.Elem())
				}
				for _, m := range misnamedMethods(pass.Pkg, named) {
					if used[m] || m.Pkg() != pass.Pkg || seen[m.Pos()] {
						continue // the package calls the method, so the name is probably intended
					}
					seen[m.Pos()] = true
					pass.Report(analysis.Diagnostic{Pos: m.Pos(), Category: diag.Misnamed.String(),
						Message: fmt.Sprintf("%v: kernel %s has no method Properties, and kgen does not look at %s, which returns a properties.List; name it Properties",
							diag.Misnamed, named.(*types.Named).Obj().Name(), m.Name())})
				}
			}
			return nil, nil
		},
	}
}

// misnamedMethods returns the methods of a kernel that have the signature of a Properties method.
// Only kernels without a Properties method are passed to misnamedMethods.
func misnamedMethods(pkg *types.Package, named types.Type) (found []*types.Func) {
	methods := types.NewMethodSet(types.NewPointer(named))
	if methods.Lookup(pkg, propertiesMethod) != nil {
		return nil
	}
	for i := range methods.Len() {
		m := methods.At(i).Obj().(*types.Func)
		sig := m.Signature()
		if sig.Params().Len() > 0 || sig.Results().Len() != 1 {
			continue
		}
		t, ok := types.Unalias(sig.Results().At(0).Type()).(*types.Named)
		if ok && t.Obj().Name() == "List" && t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == propertiesPath {
			found = append(found, m.Origin())
		}
	}
	return found
}
