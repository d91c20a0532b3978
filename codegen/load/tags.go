package load

import (
	"context"
	"fmt"
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

// Tagged is a package that has other files in kernels than in programs.
type Tagged struct {
	Package string
	Tag     string // the build tag that its files were chosen with, or "" for those of a port without assembly
	Func    string // a function that has no body in Go in programs, or "" where there is none
	Unsafe  bool   // whether its files in programs import package unsafe, if Func is ""
}

// folder is a package as programs have it, and what its files in kernels are chosen by.
type folder struct {
	path, name, dir string
	files           []string // absolute names of the Go files in programs
	std             bool
	own             bool // belongs to a main module
	unsafe          bool // the files import package unsafe
	tags            []string
	imports         func(path string) bool // reports whether the files import a package
	read            func(name string) ([]byte, error)
}

// folder returns what p's files in kernels are chosen by.
func (l *loader) folder(p *listed) *folder {
	return &folder{path: p.path, name: p.name, dir: p.dir, files: p.files, std: p.std, own: p.inMain, unsafe: p.imports["unsafe"] != nil,
		tags: l.tags, imports: func(path string) bool { return p.imports[path] != nil }, read: l.read}
}

// OtherFiles reports whether kernels have other files of a package than the given ones, which
// a program has. A package that is own belongs to a main module.
func OtherFiles(pkg *types.Package, files []string, std, own bool) bool {
	f := &folder{path: pkg.Path(), name: pkg.Name(), std: std, own: own, read: os.ReadFile}
	paths := map[string]bool{}
	for _, p := range pkg.Imports() {
		paths[p.Path()] = true
	}
	f.unsafe, f.imports = paths["unsafe"], func(path string) bool { return paths[path] }
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			f.files = append(f.files, name)
		}
	}
	if len(f.files) == 0 {
		return false
	}
	f.dir = filepath.Dir(f.files[0])
	return !sameFiles(f.kernelFiles(), f.files)
}

// kernelFiles returns the files that make up a package in kernels. Those of the standard
// library are chosen as on a 64-bit port that has no assembly. So are those of packages that
// have some, or that do without package unsafe there, if that brings no new imports. Where a
// function then lacks a body still, otherFiles looks further.
func (f *folder) kernelFiles() []string {
	ctx := build.Default
	ctx.GOARCH, ctx.CgoEnabled = "mips64le", false
	ctx.BuildTags = append(slices.Clone(ctx.BuildTags), f.tags...)
	if f.path == "internal/bytealg" {
		ctx.GOARCH = "sparc64" // it has assembly on all that Go runs on
	}
	if !f.std {
		if !f.hasAssembly() && (f.own || !f.unsafe) {
			return f.files
		}
		ctx.BuildTags = append(ctx.BuildTags, "purego", "appengine")
	}
	files := matching(&ctx, f.dir)
	if len(files) == 0 || !f.std && !f.canImport(files) {
		return f.files
	}
	return files
}

// hasAssembly reports whether there is assembly in the package's folder.
func (f *folder) hasAssembly() bool {
	found, err := filepath.Glob(filepath.Join(f.dir, "*.s"))
	return err == nil && len(found) > 0
}

// matching returns the Go files of a folder that a context takes.
func matching(ctx *build.Context, dir string) (files []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			if ok, err := ctx.MatchFile(dir, name); err == nil && ok {
				files = append(files, filepath.Join(dir, name))
			}
		}
	}
	return files
}

// canImport reports whether files of the package, of which there are some, import only what
// those in programs do: other packages were not listed.
func (f *folder) canImport(files []string) bool {
	for _, name := range files {
		src, err := f.read(name)
		if err != nil {
			return false
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil || tree.Name.Name != f.name {
			return false
		}
		for _, spec := range tree.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != "unsafe" && !f.imports(path) {
				return false
			}
		}
	}
	return len(files) > 0
}

// sameFiles reports whether two lists have the same files.
func sameFiles(a, b []string) bool {
	base := func(names []string) []string {
		var out []string
		for _, name := range names {
			out = append(out, filepath.Base(name))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(base(a), base(b))
}

// tagged returns how the package's files in kernels are told apart from those in programs.
func (f *folder) tagged(files []string) Tagged {
	t := Tagged{Package: f.path, Unsafe: f.unsafe}
	for _, c := range choices(f.tags) {
		if c.tag != "" && sameFiles(files, matching(&c.ctx, f.dir)) {
			t.Tag = c.tag
			break
		}
	}
	if program := readFiles(f.files, f.read); program != nil {
		for name, body := range program.funcs {
			if !body && (t.Func == "" || name < t.Func) {
				t.Func = name
			}
		}
	}
	return t
}

// choice is a way to choose a package's files.
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

// contents is what some Go files of a package have.
type contents struct {
	files   []string
	funcs   map[string]bool // whether a function has a body, by "Func" or "Type.Method"
	words   map[string]bool // all identifiers
	imports []string        // but unsafe
}

// readFiles returns what files have, or nil if they cannot be read.
func readFiles(files []string, read func(name string) ([]byte, error)) *contents {
	c := &contents{files: files, funcs: map[string]bool{}, words: map[string]bool{}}
	fset := token.NewFileSet()
	for _, name := range files {
		src, err := read(name)
		if err != nil {
			return nil
		}
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		for _, spec := range f.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && path != "unsafe" {
				c.imports = append(c.imports, path)
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				c.funcs[declName(fn)] = fn.Body != nil
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				c.words[id.Name] = true
			}
			return true
		})
	}
	slices.Sort(c.imports)
	c.imports = slices.Compact(c.imports)
	return c
}

// without reports whether files do without a function in assembly: it has a body in them, or
// they neither declare nor mention it and have bodies for all exported functions of a program's
// files, which others may call.
func (c *contents) without(fn string, program *contents) bool {
	if body, declared := c.funcs[fn]; declared {
		return body
	}
	if _, name, method := strings.Cut(fn, "."); method && c.words[name] || c.words[fn] {
		return false
	}
	for name := range program.funcs {
		if token.IsExported(name[strings.LastIndexByte(name, '.')+1:]) && !c.funcs[name] {
			return false
		}
	}
	return true
}

// OtherBody reports whether kernels do without a function that has no body in a program: other
// files of its folder have a body for it, or do not mention it.
func OtherBody(obj *types.Func, fset *token.FileSet) bool {
	name := obj.Name()
	if recv := obj.Signature().Recv(); recv != nil {
		name = TypeName(recv.Type()) + "." + name
	}
	return otherBodies.of(fset, filepath.Dir(fset.Position(obj.Pos()).Filename), name)
}

// otherBodies remembers what the files of other tags have, by their folders, for the last file
// set that it was asked about: packages that import C have thousands of functions without
// bodies, and one folder.
var otherBodies bodiesOf

type bodiesOf struct {
	mu    sync.Mutex
	fset  *token.FileSet
	byDir map[string][]*contents // of a program, then of each choice
	reads int                    // folders that were read, for tests
}

func (b *bodiesOf) of(fset *token.FileSet, dir, fn string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fset != fset {
		b.fset, b.byDir = fset, map[string][]*contents{}
	}
	all, ok := b.byDir[dir]
	if !ok {
		ctx := build.Default
		all = []*contents{readFiles(matching(&ctx, dir), os.ReadFile)}
		for _, c := range choices(nil) {
			if files := matching(&c.ctx, dir); len(files) > 0 {
				all = append(all, readFiles(files, os.ReadFile))
			}
		}
		b.byDir[dir] = all
		b.reads++
	}
	return all[0] != nil && slices.ContainsFunc(all[1:], func(c *contents) bool { return c != nil && c.without(fn, all[0]) })
}

// other has what a package consists of in kernels.
type other struct {
	files   []string
	reached bool // kernels call something in a file that programs have not
	Tagged
}

// kernelFiles returns the files that make up p in kernels.
func (l *loader) kernelFiles(p *listed) []string {
	if o := l.others[p]; o != nil {
		return o.files
	}
	f := l.folder(p)
	files := f.kernelFiles()
	if !p.std && !sameFiles(files, p.files) {
		l.others[p] = &other{files, false, f.tagged(files)}
	}
	return files
}

// reaches notes that kernels call fn.
func (l *loader) reaches(fn *ssa.Function) {
	p := l.byPath[PackageOf(fn)]
	if o := l.others[p]; o != nil && !o.reached && fn.Pos().IsValid() {
		o.reached = !slices.Contains(p.files, l.fset.Position(fn.Pos()).Filename)
	}
}

// otherFiles chooses files for a package that do without functions that have no body in those
// it has, and reports whether there are such files. It does so once for a package.
func (l *loader) otherFiles(ctx context.Context, p *listed, fns []*ssa.Function) (bool, error) {
	if l.tried[p] || p.std || len(fns) == 0 {
		return false, nil
	}
	l.tried[p] = true
	program := readFiles(l.kernelFiles(p), l.read)
	if program == nil {
		return false, nil
	}
	for _, c := range choices(l.tags) {
		found := readFiles(matching(&c.ctx, p.dir), l.read)
		if found == nil || len(found.files) == 0 || slices.ContainsFunc(fns, func(fn *ssa.Function) bool { return !found.without(funcName(fn), program) }) {
			continue
		}
		if ok, err := l.canImportAll(ctx, p, found.imports); err != nil {
			return false, err
		} else if !ok {
			continue
		}
		names := make([]string, len(fns))
		for i, fn := range fns {
			names[i] = funcName(fn)
		}
		l.others[p] = &other{found.files, true, Tagged{Package: p.path, Tag: c.tag, Func: slices.Min(names)}}
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
		if o.reached {
			all = append(all, o.Tagged)
		}
	}
	slices.SortFunc(all, func(a, b Tagged) int { return strings.Compare(a.Package, b.Package) })
	return all
}

// String says how the package is compiled, and why.
func (t Tagged) String() string {
	how, why := "as with the build tag "+t.Tag, "it has assembly"
	if t.Tag == "" {
		how = "as on a port without assembly"
	}
	switch {
	case t.Func != "":
		why = "its function " + t.Func + " has no body in Go"
	case t.Unsafe:
		why = "it uses package unsafe"
	}
	return fmt.Sprintf("package %s is compiled %s, since %s otherwise", t.Package, how, why)
}
