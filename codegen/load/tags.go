package load

// This file selects the Go files of packages that are compiled into kernels.

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

// noAssembly lists common build tags that exclude assembly from packages. kgen tries the tags of
// noAssembly in the order of the list.
var noAssembly = []string{"purego", "noasm", "safe", "appengine"}

// Tagged describes a package whose files differ between kernels and programs.
type Tagged struct {
	Package string
	Tag     string // build tag that selects the files in kernels, or "" for the files of a port without assembly
	Func    string // function without a Go body in programs, or "" if there is none
	Unsafe  bool   // whether the program's files import package unsafe, if Func is ""
}

// folderFiles holds a package's files for programs, and data for the selection of the files for
// kernels.
type folderFiles struct {
	path, name, dir string
	files           []string // absolute names of the Go files that programs use
	std             bool
	inMain          bool // whether the package belongs to a main module
	unsafe          bool // whether the program's files import package unsafe
	tags            []string
	imports         func(path string) bool // reports whether the program's files import a package
	read            func(name string) ([]byte, error)
}

// packageFiles returns the folderFiles of package p. The method kernelFiles of the result selects
// the files for kernels.
func (l *loader) packageFiles(p *listedPackage) *folderFiles {
	return &folderFiles{path: p.path, name: p.name, dir: p.dir, files: p.files, std: p.std, inMain: p.inMain, unsafe: p.imports["unsafe"] != nil,
		tags: l.tags, imports: func(path string) bool { return p.imports[path] != nil }, read: l.readFile}
}

// OtherFiles reports whether kernels and programs use different files of package pkg. The list
// `files` contains the files that programs use. The parameter `own` is true if the package belongs
// to a main module.
func OtherFiles(pkg *types.Package, files []string, std, own bool) bool {
	f := &folderFiles{path: pkg.Path(), name: pkg.Name(), std: std, inMain: own, read: os.ReadFile}
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

// kernelFiles selects a package's files for kernels. Files of the standard library are selected as
// for a 64-bit port of Go without assembly. Other packages need files without assembly only if they
// contain assembly, or belong to a library and import unsafe. The selected files may import only
// unsafe and packages that the program's files import. If a function still lacks a body, the method
// otherFiles tries further ways to select files without assembly.
func (f *folderFiles) kernelFiles() []string {
	ctx := build.Default
	ctx.GOARCH, ctx.CgoEnabled = "mips64le", false
	ctx.BuildTags = append(slices.Clone(ctx.BuildTags), f.tags...)
	if f.path == "internal/bytealg" {
		ctx.GOARCH = "sparc64" // sparc64 is not a port of Go, so no package has assembly for it
	}
	if !f.std {
		if !f.hasAssembly() && (f.inMain || !f.unsafe) {
			return f.files
		}
		ctx.BuildTags = append(ctx.BuildTags, "purego", "appengine")
	}
	files := matchingFiles(&ctx, f.dir)
	if len(files) == 0 || !f.std && !f.canImport(files) {
		return f.files
	}
	return files
}

// hasAssembly reports whether the package's folder contains assembly.
func (f *folderFiles) hasAssembly() bool {
	found, err := filepath.Glob(filepath.Join(f.dir, "*.s"))
	return err == nil && len(found) > 0
}

// matchingFiles returns the Go files in folder dir that the build context ctx selects.
func matchingFiles(ctx *build.Context, dir string) (files []string) {
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

// canImport reports whether the given files import only packages that the program's files import.
// Files with other imports are rejected, because the go command has not listed the other imported
// packages. Imports of unsafe are always accepted. For an empty list of files, canImport returns
// false.
func (f *folderFiles) canImport(files []string) bool {
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

// sameFiles reports whether two lists contain the same files.
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

// describeTagged describes the difference between a package's files for kernels and its files for
// programs.
func (f *folderFiles) describeTagged(files []string) Tagged {
	t := Tagged{Package: f.path, Unsafe: f.unsafe}
	for _, c := range fileChoices(f.tags) {
		if c.tag != "" && sameFiles(files, matchingFiles(&c.ctx, f.dir)) {
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

// fileChoice is one way to select a package's files without assembly.
type fileChoice struct {
	tag string // build tag, or "" for a port of Go for which no package has assembly
	ctx build.Context
}

// fileChoices returns the ways to select a package's files without assembly.
func fileChoices(tags []string) (all []fileChoice) {
	for _, tag := range append(slices.Clone(noAssembly), "") {
		ctx := build.Default
		ctx.BuildTags = slices.Concat(ctx.BuildTags, tags)
		ctx.CgoEnabled = false
		if tag == "" {
			ctx.GOARCH = "mips64le"
		} else {
			ctx.BuildTags = append(ctx.BuildTags, tag)
		}
		all = append(all, fileChoice{tag, ctx})
	}
	return all
}

// fileContents summarizes some Go files of a package.
type fileContents struct {
	files   []string
	funcs   map[string]bool // whether a function has a body, by "Func" or "Type.Method"
	words   map[string]bool // all identifiers in the files
	imports []string        // imported packages, without unsafe
}

// readFiles returns the contents of files, or nil if they cannot be read.
func readFiles(files []string, read func(name string) ([]byte, error)) *fileContents {
	c := &fileContents{files: files, funcs: map[string]bool{}, words: map[string]bool{}}
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

// replacesAsm reports whether files make the assembly function fn unnecessary. replacesAsm returns
// true if the files contain a Go body for fn. replacesAsm also returns true if the files neither
// declare nor mention fn, and have bodies for all exported functions of the program's files. The
// exported functions need bodies because other packages may call them.
func (c *fileContents) replacesAsm(fn string, program *fileContents) bool {
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

// OtherBody reports whether kernels can use function obj although the function has no Go body in
// programs. Other files of the function's folder must contain a body for the function, or must not
// mention the function.
func OtherBody(obj *types.Func, fset *token.FileSet) bool {
	name := obj.Name()
	if recv := obj.Signature().Recv(); recv != nil {
		name = TypeName(recv.Type()) + "." + name
	}
	return otherBodies.of(fset, filepath.Dir(fset.Position(obj.Pos()).Filename), name)
}

// otherBodies caches the contents of folders, including files that are excluded by build tags. The
// cache holds the data of only one file set. Without the cache, checks would be slow, because a
// package that imports C may have thousands of functions without bodies.
var otherBodies bodiesOf

type bodiesOf struct {
	mu    sync.Mutex
	fset  *token.FileSet
	byDir map[string][]*fileContents // contents of each folder's files: first the files of the program, then each choice of files without assembly
	reads int                        // number of folders that were read, for tests
}

func (b *bodiesOf) of(fset *token.FileSet, dir, fn string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fset != fset {
		b.fset, b.byDir = fset, map[string][]*fileContents{}
	}
	all, ok := b.byDir[dir]
	if !ok {
		ctx := build.Default
		all = []*fileContents{readFiles(matchingFiles(&ctx, dir), os.ReadFile)}
		for _, c := range fileChoices(nil) {
			if files := matchingFiles(&c.ctx, dir); len(files) > 0 {
				all = append(all, readFiles(files, os.ReadFile))
			}
		}
		b.byDir[dir] = all
		b.reads++
	}
	return all[0] != nil && slices.ContainsFunc(all[1:], func(c *fileContents) bool { return c != nil && c.replacesAsm(fn, all[0]) })
}

// kernelFileSet describes a package's files for kernels.
type kernelFileSet struct {
	files   []string
	reached bool // whether kernels call a function in a file that programs do not use
	Tagged
}

// kernelFiles returns package p's files for kernels.
func (l *loader) kernelFiles(p *listedPackage) []string {
	if o := l.others[p]; o != nil {
		return o.files
	}
	f := l.packageFiles(p)
	files := f.kernelFiles()
	if !p.std && !sameFiles(files, p.files) {
		l.others[p] = &kernelFileSet{files, false, f.describeTagged(files)}
	}
	return files
}

// recordReached records that kernels call fn.
func (l *loader) recordReached(fn *ssa.Function) {
	p := l.byPath[PackageOf(fn)]
	if o := l.others[p]; o != nil && !o.reached && fn.Pos().IsValid() {
		o.reached = !slices.Contains(p.files, l.fset.Position(fn.Pos()).Filename)
	}
}

// otherFiles selects other files for package p if the functions in list fns have no body in the
// current files. otherFiles reports whether it found suitable files. The search runs only once for
// each package.
func (l *loader) otherFiles(ctx context.Context, p *listedPackage, fns []*ssa.Function) (bool, error) {
	if l.tried[p] || p.std || len(fns) == 0 {
		return false, nil
	}
	l.tried[p] = true
	program := readFiles(l.kernelFiles(p), l.readFile)
	if program == nil {
		return false, nil
	}
	for _, c := range fileChoices(l.tags) {
		found := readFiles(matchingFiles(&c.ctx, p.dir), l.readFile)
		if found == nil || len(found.files) == 0 || slices.ContainsFunc(fns, func(fn *ssa.Function) bool { return !found.replacesAsm(funcName(fn), program) }) {
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
		l.others[p] = &kernelFileSet{found.files, true, Tagged{Package: p.path, Tag: c.tag, Func: slices.Min(names)}}
		delete(l.parsed, p)
		return true, nil
	}
	return false, nil
}

// canImportAll adds imports to package p. For packages that are not listed yet, canImportAll runs
// the go command. canImportAll returns false if an imported package is missing.
func (l *loader) canImportAll(ctx context.Context, p *listedPackage, imports []string) (bool, error) {
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
		known := map[*packages.Package]*listedPackage{}
		for _, q := range pkgs {
			l.convertPackage(q, known)
		}
	}
	added := map[string]*listedPackage{}
	for _, path := range imports {
		if p.imports[path] != nil {
			continue
		}
		q := l.byPath[path]
		if q.isMissing() || len(q.files) == 0 {
			return false, nil
		}
		added[path] = q
	}
	maps.Copy(p.imports, added)
	return true, nil
}

// allTagged returns all packages whose files differ between kernels and programs, sorted by path.
func (l *loader) allTagged() (all []Tagged) {
	for _, o := range l.others {
		if o.reached {
			all = append(all, o.Tagged)
		}
	}
	slices.SortFunc(all, func(a, b Tagged) int { return strings.Compare(a.Package, b.Package) })
	return all
}

// String describes the package's files for kernels, and the reason for the choice of these files.
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
