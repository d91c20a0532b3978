package load

import (
	"context"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// noAssembly are the build tags by which packages are known to leave out their assembly, in
// the order in which they are tried.
var noAssembly = []string{"purego", "noasm", "safe", "appengine"}

// Tagged is a package that has other files in kernels than in programs, since in those a
// function has no body in Go.
type Tagged struct {
	Package string
	Tag     string // the build tag that its files were chosen with, or "" for those of a port without assembly
	Func    string // one of the functions
}

// choice is what a package's files are chosen with.
type choice struct {
	tag string // or "", for a port that nothing has assembly for
	ctx build.Context
}

// choices returns the ways to choose a package's files without assembly.
func choices(tags []string) (all []choice) {
	for _, tag := range append(slices.Clone(noAssembly), "") {
		ctx := build.Default
		ctx.BuildTags = slices.Concat(ctx.BuildTags, tags)
		ctx.CgoEnabled = false
		if tag == "" {
			ctx.GOARCH = "mips64le"
		} else {
			ctx.BuildTags = append(ctx.BuildTags, tag)
		}
		all = append(all, choice{tag, ctx})
	}
	return all
}

// chosen returns the Go files of a folder that a context takes, and the functions in them
// that have bodies.
func (c *choice) chosen(dir string, read func(name string) ([]byte, error)) (files []string, bodies map[string]bool, imports []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, nil
	}
	bodies = map[string]bool{}
	fset := token.NewFileSet()
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := c.ctx.MatchFile(dir, e.Name()); err != nil || !ok {
			continue
		}
		src, err := read(name)
		if err != nil {
			return nil, nil, nil
		}
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, nil
		}
		files = append(files, name)
		for _, spec := range f.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && path != "unsafe" {
				imports = append(imports, path)
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				bodies[declName(fn)] = true
			}
		}
	}
	slices.Sort(imports)
	return files, bodies, slices.Compact(imports)
}

// OtherBody reports whether a function without a body may have one in kernels: in files of its
// folder for which kgen sets a build tag.
func OtherBody(obj *types.Func, fset *token.FileSet) bool {
	name := obj.Name()
	if recv := obj.Signature().Recv(); recv != nil {
		name = TypeName(recv.Type()) + "." + name
	}
	return otherBodies.of(fset, filepath.Dir(fset.Position(obj.Pos()).Filename))[name]
}

// otherBodies remembers the functions that have bodies in files of other tags, by their folders,
// for the last file set that it was asked about: packages that import C have thousands of
// functions without bodies, and one folder.
var otherBodies bodiesOf

type bodiesOf struct {
	mu    sync.Mutex
	fset  *token.FileSet
	byDir map[string]map[string]bool
	reads int // folders that were read, for tests
}

func (b *bodiesOf) of(fset *token.FileSet, dir string) map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fset != fset {
		b.fset, b.byDir = fset, map[string]map[string]bool{}
	}
	all, ok := b.byDir[dir]
	if !ok {
		all = map[string]bool{}
		for _, c := range choices(nil) {
			_, bodies, _ := c.chosen(dir, os.ReadFile)
			maps.Copy(all, bodies)
		}
		b.byDir[dir] = all
		b.reads++
	}
	return all
}

// other has what a package consists of in kernels.
type other struct {
	files []string
	Tagged
}

// otherFiles chooses files for a package in which functions have bodies that they have not in
// those it has, and reports whether there are such files. It does so once for a package.
func (l *loader) otherFiles(ctx context.Context, p *listed, fns []*ssa.Function) (bool, error) {
	if _, tried := l.others[p]; tried || p.std || len(fns) == 0 {
		return false, nil
	}
	l.others[p] = nil
	for _, c := range choices(l.tags) {
		files, bodies, imports := c.chosen(p.dir, l.read)
		lacks := func(fn *ssa.Function) bool { return !bodies[funcName(fn)] }
		if len(files) == 0 || slices.ContainsFunc(fns, lacks) {
			continue
		}
		if ok, err := l.canImportAll(ctx, p, imports); err != nil {
			return false, err
		} else if !ok {
			continue
		}
		names := make([]string, len(fns))
		for i, fn := range fns {
			names[i] = funcName(fn)
		}
		l.others[p] = &other{files, Tagged{p.path, c.tag, slices.Min(names)}}
		delete(l.parsed, p)
		return true, nil
	}
	return false, nil
}

// canImportAll adds to what p imports, for which it asks the go command where a package is not
// known yet, and reports whether all is there.
func (l *loader) canImportAll(ctx context.Context, p *listed, imports []string) (bool, error) {
	var unknown []string
	for _, path := range imports {
		if path == "C" {
			return false, nil
		}
		if p.imports[path] == nil && l.byPath[path] == nil {
			unknown = append(unknown, path)
		}
	}
	if len(unknown) > 0 {
		pkgs, err := l.goList(ctx, full, unknown)
		if err != nil {
			return false, err
		}
		known := map[*packages.Package]*listed{}
		for _, q := range pkgs {
			l.listing(q, known)
		}
	}
	added := map[string]*listed{}
	for _, path := range imports {
		if p.imports[path] != nil {
			continue
		}
		q := l.byPath[path]
		if q.missing() || len(q.files) == 0 {
			return false, nil
		}
		added[path] = q
	}
	maps.Copy(p.imports, added)
	return true, nil
}

// tagged returns the packages that have other files, in order.
func (l *loader) tagged() (all []Tagged) {
	for _, o := range l.others {
		if o != nil {
			all = append(all, o.Tagged)
		}
	}
	slices.SortFunc(all, func(a, b Tagged) int { return strings.Compare(a.Package, b.Package) })
	return all
}
