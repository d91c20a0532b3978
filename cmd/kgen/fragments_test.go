package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// shownElsewhere has the kernels that pages launch, and parts of those that they show a method of.
// What pages show whole stands beside it in the same package.
const shownElsewhere = `package kernels

import "github.com/kgen-go/kgen/dsl"

type Mat[T any] struct {
	Data       []T
	Rows, Cols int
}

type (
	Twice  struct{ M Mat[float32] }
	Step   struct{ In, Out []float32 }
	Swap   struct{ In, Out []float32 }
	Other  struct{ N int }
	Root   struct{ X []float32 }
	Search struct{ X, Found []int }
)

func (k Twice) Kernel(it dsl.Item1) { k.M.Data[it.GlobalID()] *= 2 }
func (k Step) Kernel(it dsl.Item1)  { k.Out[it.GlobalID()] = k.In[it.GlobalID()] }
func (k Swap) Kernel(it dsl.Item1)  { k.Out[it.GlobalID()] = k.In[it.GlobalID()^1] }
func (k Other) Kernel(it dsl.Item1) {}
`

// fragmentImports are of each fragment in a function. Those that it does not use are no errors here.
const fragmentImports = `package fragments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/blas"
	"github.com/kgen-go/kgen/prim/fft"
	"github.com/kgen-go/kgen/prim/rand"
	"github.com/kgen-go/kgen/prim/sparse"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"

	gen "example.com/first/generated/kernels"
	aheadgen "example.com/first/generated/kernels"
	saxpygen "example.com/first/generated/saxpy"
	"example.com/first/kernels"
	"example.com/first/saxpy"
	"example.com/first/smooth"
)
`

// fragmentScope is what is in the scope of all fragments, and pageScopes what is in that of the
// fragments of a page, where it says so.
const fragmentScope = `ctx context.Context, dev *runtime.Device, q *runtime.Queue`

var pageScopes = map[string]string{
	"README.md": `xs, ys []float32, x, y *runtime.Buffer[float32], n int, r runtime.Range1,
		mat kernels.Mat[float32]`,
	"docs/fusion.md": `x, y runtime.View[float32], t *runtime.Buffer[float32], n runtime.Range1,
		k struct{ N int; In []float32 }, i, l int, it dsl.NDItem1, tile []float32`,
	"docs/graphs.md": `g *runtime.Graph, ex *runtime.ExecutableGraph, n int, r runtime.Range1,
		a, b, in, out, t, x, y *runtime.Buffer[float32], tmp runtime.View[float32],
		result, scale, sums []float32`,
	"docs/half.md":      `it dsl.NDItem1, x half.Float16, k struct{ Sum []half.Float16 }`,
	"docs/host.md":      `k struct{ X []float32 }, it dsl.Item1, sum float32`,
	"docs/prim.md":      `xs, values, x, y []float32, i, j []int32, v, out runtime.View[float32], zs, ws runtime.View[complex64], n runtime.View[int64]`,
	"docs/profiling.md": `x, y *runtime.Buffer[float32], n runtime.Range1`,
	"docs/tutorial.md":  `k smooth.Smooth, i, d, radius int, in, out []float32, sum float32`,
}

// TestFragments compiles all Go in README.md and docs: kernels by kgen, files as they are, and what
// is neither in a function, with variables for what it says nothing of. An ellipsis stands for
// nothing. README.md's whole files are those of TestInit.
func TestFragments(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := newModule(t)
	if code, out, errs := kgen(dir, "init", "saxpy"); code != 0 {
		t.Fatalf("status %d: %s%s", code, out, errs)
	}
	w := &fragments{t: t, dir: dir, kernels: []string{"./kernels"}}
	w.write("kernels/elsewhere.go", shownElsewhere)
	for _, page := range append([]string{"../../README.md"}, pages...) {
		name, err := filepath.Rel("../..", page)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocksOf(t, page) {
			if b.language == "go" {
				w.add(filepath.ToSlash(name), b)
			}
		}
	}
	if w.files < 5 || w.declarations < 5 || w.statements < 20 {
		t.Errorf("%d files, %d pieces with declarations, %d with statements: are they found?", w.files, w.declarations, w.statements)
	}
	if code, _, errs := kgen(dir, w.kernels...); code != 0 {
		t.Fatalf("status %d: %s", code, errs)
	}
	for _, err := range typeErrors(t, dir) {
		t.Error(err)
	}
}

// typeErrors returns the errors of all packages and tests below a folder, but for what fragments
// declare or import and do not use. The packages are type-checked here, with export data of what they
// import: go list would compile each of them, and their tests.
func typeErrors(t *testing.T, dir string) (errs []string) {
	t.Helper()
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	fset := token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, Tests: true, Fset: fset}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded) < 8 {
		t.Errorf("only %d packages", len(loaded))
	}
	imported := map[string]bool{}
	own := func(p *packages.Package) bool { return p.Module != nil && p.Module.Main }
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for path, q := range p.Imports {
			if own(p) && !own(q) && !strings.HasSuffix(p.ID, ".test") {
				imported[path] = true
			}
		}
	})
	others, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedTypes | packages.NeedExportFile, Dir: dir, Fset: fset},
		slices.Sorted(maps.Keys(imported))...)
	if err != nil {
		t.Fatal(err)
	}
	c := &typeChecker{fset: fset, dir: dir, others: map[string]*types.Package{}, done: map[*packages.Package]*types.Package{}}
	for _, p := range others {
		c.others[p.PkgPath] = p.Types
	}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if own(p) && !strings.HasSuffix(p.ID, ".test") { // not the program that go test makes
			c.check(p)
		}
	})
	return c.errs
}

// typeChecker type-checks the packages of a module, each after those that it imports.
type typeChecker struct {
	fset   *token.FileSet
	dir    string
	others map[string]*types.Package // packages of other modules, by path
	done   map[*packages.Package]*types.Package
	errs   []string
}

func (c *typeChecker) fail(err error) { c.errs = append(c.errs, inPages(c.dir, err.Error())) }

func (c *typeChecker) check(p *packages.Package) {
	for _, err := range p.Errors {
		c.fail(err)
	}
	var files []*ast.File
	for _, name := range p.CompiledGoFiles {
		file, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			c.fail(err)
			return
		}
		files = append(files, file)
	}
	cfg := types.Config{
		GoVersion: "go" + p.Module.GoVersion,
		Error: func(err error) {
			if e := (types.Error{}); !errors.As(err, &e) || !e.Soft || p.Name != "fragments" {
				c.fail(err)
			}
		},
		Importer: importer(func(path string) (*types.Package, error) {
			q := p.Imports[path]
			if q == nil {
				return nil, fmt.Errorf("no package %s", path)
			}
			if pkg := c.done[q]; pkg != nil {
				return pkg, nil
			}
			if pkg := c.others[q.PkgPath]; pkg != nil {
				return pkg, nil
			}
			return nil, fmt.Errorf("package %s is not there", path)
		}),
	}
	c.done[p], _ = cfg.Check(p.PkgPath, c.fset, files, nil)
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// inPages takes the folders out of the names of pages and files in an error.
func inPages(dir, text string) string {
	for _, of := range []string{"fragments", "kernels", "."} {
		text = strings.ReplaceAll(text, filepath.Join(dir, of)+string(filepath.Separator), "")
	}
	return text
}

// fragments writes the Go of pages into a module.
type fragments struct {
	t                               *testing.T
	dir                             string
	kernels                         []string // packages that have some
	files, declarations, statements int
}

func (w *fragments) write(name, text string) { write(w.t, w.dir, name, text) }

// add writes a block of a page.
func (w *fragments) add(page string, b block) {
	w.t.Helper()
	if file, err := parser.ParseFile(token.NewFileSet(), "", b.text, parser.PackageClauseOnly); err == nil {
		w.file(page, b, file.Name.Name)
		return
	}
	text := strings.ReplaceAll(b.text, "…", "")
	line := fmt.Sprintf("//line %s:%d\n", page, b.line+1)
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	if err == nil {
		w.declare(text, line, len(file.Imports) > 0)
		return
	}
	w.statements++
	scope := fragmentScope
	if more := pageScopes[page]; more != "" {
		scope += ", " + more
	}
	if page == "README.md" {
		k := "k saxpygen.SAXPY"
		if strings.Contains(text, "it.") { // it is of the kernel
			k = "k saxpy.SAXPY, it dsl.Item1"
		}
		scope += ", " + k
	}
	result, end := "", ""
	if strings.Contains(text, "return err\n") {
		result, end = "error", "return nil\n"
	}
	w.write(fmt.Sprintf("fragments/s%d.go", w.statements),
		fmt.Sprintf("%s\nfunc _(%s) %s {\n{\n%s%s}\n%s}\n", fragmentImports, scope, result, line, text, end))
}

// declare writes declarations: those of a kernel, or imports.
func (w *fragments) declare(text, line string, imports bool) {
	w.declarations++
	if imports {
		w.write(fmt.Sprintf("fragments/d%d.go", w.declarations), "package fragments\n"+line+text)
		return
	}
	head := "package kernels\nimport \"github.com/kgen-go/kgen/dsl\"\n"
	if strings.Contains(text, "fmt.") {
		head += "import \"fmt\"\n"
	}
	if strings.Contains(text, "half.") {
		head += "import \"github.com/kgen-go/kgen/dsl/half\"\n"
	}
	w.write(fmt.Sprintf("kernels/d%d.go", w.declarations), head+line+text)
}

// file writes a whole file, by the name that stands before it, or that of its package.
func (w *fragments) file(page string, b block, pkg string) {
	if page == "README.md" {
		return
	}
	w.files++
	name := pkg + "/kernel.go"
	if names := goFile.FindAllStringSubmatch(b.before, -1); names != nil {
		name = names[len(names)-1][1]
	}
	w.write(name, strings.ReplaceAll(b.text, "example.com/hello/", "example.com/first/"))
	if strings.Contains(b.text, "//go:generate go tool kgen") {
		w.kernels = append(w.kernels, "./"+filepath.Dir(name))
	}
}
