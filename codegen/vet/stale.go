package vet

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/stubtext"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/internal/sources"
)

// staleAnalyzer reports generated code that is older than its kernels. If kgen wrote the code to the default folder,
// staleAnalyzer reports the error at the kernel. For other folders, staleAnalyzer reports the error in the generated
// code.
func staleAnalyzer() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name: "kgenstale",
		Doc: fmt.Sprintf("report kernels that have changed since kgen compiled them (%v)\n\n%s", diag.Stale, diag.Summary(diag.Stale)) +
			" It looks at what is saved.",
		Run: func(pass *analysis.Pass) (any, error) {
			if len(pass.Files) == 0 {
				return nil, nil
			}
			if len(load.KernelMethods(pass.Pkg)) > 0 {
				staleKernels(pass)
			} else {
				staleStubs(pass)
			}
			return nil, nil
		},
	}
	a.Flags.String("state", "", "any text that changes with the generated files, so that go vet does not repeat old findings")
	return a
}

// staleKernels examines the stubs in the default folder for the kernels of this package.
func staleKernels(pass *analysis.Pass) {
	dir := filepath.Dir(pass.Fset.Position(pass.Files[0].FileStart).Filename)
	root := load.ModuleRoot(dir)
	rel, err := filepath.Rel(root, dir)
	if root == "" || err != nil {
		return
	}
	stubs := filepath.Join(codegen.StubFolder(root, filepath.ToSlash(rel), pass.Pkg.Name()), pass.Pkg.Name()+"_kgen.go")
	text, err := os.ReadFile(stubs)
	if err != nil {
		return
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, stubs, text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	if from, _ := stubtext.Sources(file); from != nil && from.Package == pass.Pkg.Path() {
		if changes := sources.Changes(root, from.Files); len(changes) > 0 {
			report(pass, kernelIn(pass, root, changes[0].File), from, root, changes)
		}
	}
}

// staleStubs examines the stubs in this package. staleStubs skips stubs in their default folder,
// because staleKernels examines these stubs with their kernels.
func staleStubs(pass *analysis.Pass) {
	for _, file := range pass.Files {
		name := pass.Fset.Position(file.FileStart).Filename
		if !strings.HasSuffix(name, "_kgen.go") {
			continue
		}
		from, at := stubtext.Sources(file)
		if from == nil || len(from.Files) == 0 {
			continue
		}
		root := filepath.Join(filepath.Dir(name), filepath.FromSlash(from.Root))
		rel := strings.TrimPrefix(strings.TrimPrefix(from.Package, from.Module), "/")
		if codegen.StubFolder(root, cmp.Or(rel, "."), strings.TrimSuffix(filepath.Base(name), "_kgen.go")) == filepath.Dir(name) {
			continue
		}
		if changes := sources.Changes(root, from.Files); len(changes) > 0 {
			report(pass, at, from, root, changes)
		}
	}
}

func report(pass *analysis.Pass, at token.Pos, from *abi.Sources, root string, changes []sources.Change) {
	var all []string
	for _, c := range changes {
		all = append(all, c.String())
	}
	pass.Report(analysis.Diagnostic{Pos: at, Category: diag.Stale.String(), Message: fmt.Sprintf("%v: %s since kgen compiled the kernels of %v; run %s",
		diag.Stale, strings.Join(all, ", "), from, sources.Command(root))})
}

// kernelIn returns the position of a kernel's type. kernelIn prefers a type in the given file.
func kernelIn(pass *analysis.Pass, root, file string) token.Pos {
	var all []token.Pos
	scope := pass.Pkg.Scope()
	for _, sel := range load.KernelMethods(pass.Pkg) {
		for _, name := range scope.Names() {
			if obj := scope.Lookup(name); load.TypeName(sel.Recv()) == name && obj.Pos().IsValid() {
				all = append(all, obj.Pos())
			}
		}
	}
	slices.Sort(all)
	for _, at := range all {
		if pass.Fset.Position(at).Filename == filepath.Join(root, filepath.FromSlash(file)) {
			return at
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return pass.Files[0].Package // the package has only kernels that are instances of another package's generic types
}
