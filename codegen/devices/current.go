package devices

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/internal/kerneltext"
	"github.com/kgen-go/kgen/codegen/internal/stubtext"
	"github.com/kgen-go/kgen/internal/sources"
)

// freshness compares the kernels in the sources with the compiled kernels that kgen devices lists.
// The comparison finds kernels that are missing from the list, and kernels that have changed since
// their compilation.
type freshness struct {
	kernels []string                       // paths of packages with kernels
	stubs   []string                       // paths of packages with kernels and with stubs that kgen has written
	older   []string                       // kernels that have changed since they were compiled
	texts   map[string]*kerneltext.Package // maps a package path to the description of the package
}

// readAllTexts records the files and imports of all packages. readAllTexts records even packages
// that are not listed, because a kernel may get its Kernel method from a type of another package.
func (c *freshness) readAllTexts(all []*listedPackage) {
	c.texts = map[string]*kerneltext.Package{}
	for _, p := range all {
		t := &kerneltext.Package{Path: p.ImportPath, Name: p.Name, Imports: map[string]*kerneltext.Package{}}
		for _, name := range p.GoFiles {
			t.Files = append(t.Files, filepath.Join(p.Dir, name))
		}
		c.texts[p.ImportPath] = t
	}
	for _, p := range all {
		of := c.texts[p.ImportPath].Imports
		for _, path := range p.Imports {
			if q := c.texts[path]; q != nil {
				of[path] = q
			}
		}
		for written, path := range p.ImportMap {
			if q := c.texts[path]; q != nil {
				of[written] = q
			}
		}
	}
}

// addStubs records a stub package that kgen has written.
func (c *freshness) addStubs(p *listedPackage) {
	of := p.Imports // stubs import the package of their kernels
	defer func() { c.stubs = append(c.stubs, of...) }()
	for f := range p.parseFiles() {
		from, _ := stubtext.Sources(f)
		if from == nil {
			continue
		}
		of = []string{from.Package}
		var all []string
		for _, change := range sources.Changes(filepath.Join(p.Dir, filepath.FromSlash(from.Root)), from.Files) {
			all = append(all, change.String())
		}
		if len(all) > 0 {
			c.older = append(c.older, fmt.Sprintf("%s: %s", from, strings.Join(all, ", ")))
		}
	}
}

// addKernels records a package that may have kernels.
func (c *freshness) addKernels(p *listedPackage) {
	if p.Name == "main" {
		return
	}
	if slices.Contains(p.Imports, module+"/dsl") {
		for f := range p.parseFiles() {
			if slices.ContainsFunc(f.Decls, isKernel) {
				c.kernels = append(c.kernels, p.ImportPath)
				return
			}
		}
	}
	finder := kerneltext.Finder{Read: os.ReadFile}
	// An unreadable file must not prevent the printing of the list, so errors are ignored.
	if kernel, _, err := finder.Borrowed(c.texts[p.ImportPath]); err == nil && kernel {
		c.kernels = append(c.kernels, p.ImportPath)
	}
}

// parseFiles returns the syntax trees of the package's files. Files that cannot be read are
// skipped.
func (p *listedPackage) parseFiles() iter.Seq[*ast.File] {
	return func(yield func(*ast.File) bool) {
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err == nil && !yield(file) {
				return
			}
		}
	}
}

// isKernel reports whether declaration d is the Kernel method of a kernel that is not generic. A
// generic kernel does not count, because code is generated only for instances of a generic kernel,
// and there may be no instance.
func isKernel(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv == nil || f.Name.Name != "Kernel" || f.Type.Params.NumFields() != 1 {
		return false
	}
	recv := f.Recv.List[0].Type
	if p, ok := recv.(*ast.StarExpr); ok {
		recv = p.X
	}
	item, of := f.Type.Params.List[0].Type.(*ast.SelectorExpr)
	id, plain := recv.(*ast.Ident)
	return of && plain && id.IsExported() && slices.Contains(items, item.Sel.Name)
}

var items = []string{"Item1", "Item2", "Item3", "NDItem1", "NDItem2", "NDItem3", "Task"}

// staleNotes returns texts about kernels that are missing from the printed list, and about kernels
// that have changed since their compilation.
func (c *freshness) staleNotes() (notes []string) {
	var lack []string
	for _, path := range c.kernels {
		if !slices.Contains(c.stubs, path) {
			lack = append(lack, path)
		}
	}
	if len(lack) > 0 {
		what := "the kernels of 1 package are"
		if len(lack) > 1 {
			what = fmt.Sprintf("the kernels of %d packages are", len(lack))
		}
		notes = append(notes, fmt.Sprintf("%s not in the list, since kgen has written nothing for %s; run go generate ./... first", what, strings.Join(lack, ", ")))
	}
	for _, o := range c.older {
		notes = append(notes, fmt.Sprintf("%s since kgen compiled these kernels, so the list has what they were; run go generate ./... first", o))
	}
	return notes
}

// hasKernels reports whether the package declares a function Kernels. All stub packages declare a function Kernels.
func (p *listedPackage) hasKernels() bool {
	return slices.ContainsFunc(p.GoFiles, func(name string) bool {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		return err == nil && strings.Contains(string(text), "\nfunc Kernels() []*runtime.Kernel {")
	})
}

// isStubs reports whether the package is a stub package, which kgen has written.
func (p *listedPackage) isStubs() bool {
	return p.Name != "main" && slices.Contains(p.Imports, impl) && p.hasKernels()
}
