package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
)

// These are the import paths of the packages whose declarations have a special meaning for kgen.
const (
	modulePath     = "github.com/kgen-go/kgen"
	dslPath        = modulePath + "/dsl"
	propertiesPath = modulePath + "/properties"
)

// Config selects the packages for Load, and the conditions under which they are built.
type Config struct {
	Dir      string   // working directory; "" means that of the process
	Patterns []string // package patterns in the go command's syntax; an empty list means "."
	Env      []string // environment of the go command; nil means the environment of the process
	Tags     []string // build tags
	// Show is the base folder of relative file names in positions. If Show is empty, Dir is the
	// base folder.
	Show string
	// Overlay maps absolute file names to contents that are not saved yet.
	Overlay map[string][]byte
	// Intrinsic reports whether the compiler has its own code for a function. If the compiler has
	// its own code, the function's body is not needed. The parameter `name` has the form "Func" or
	// "Type.Method". Functions of dsl, properties and sync/atomic never need bodies.
	Intrinsic func(pkgPath, name string) bool
	// Stubs reports whether kgen may write the package with the given import path. If Stubs returns
	// true for a missing package, Load assumes that kgen has not written the package yet. If Stubs is
	// nil, kgen may write any package.
	Stubs func(modulePath, moduleDir, importPath string) bool
}

// loader is the state of one call of Load.
type loader struct {
	dir      string
	show     string // base folder of printed relative file names, from Config.Show or Config.Dir
	env      []string
	tags     []string
	overlay  map[string][]byte
	known    func(pkgPath, name string) bool
	stubs    func(modulePath, moduleDir, importPath string) bool
	fset     *token.FileSet
	trace    Trace
	matched  int  // number of packages that match the patterns
	below    bool // whether a pattern contains "..."
	roots    map[*listedPackage]bool
	byPath   map[string]*listedPackage
	others   map[*listedPackage]*kernelFileSet // maps a package to its files for kernels, if kernels and programs may use different files
	tried    map[*listedPackage]bool           // packages that otherFiles has searched for files without assembly
	parsed   map[*listedPackage][]*ast.File
	files    map[string]string
	made     map[string]string // texts of files that do not exist on disk; the keys are file names
	own      map[string]bool   // folders with packages of the main module
	repaired map[*ast.File]bool
	broken   map[*ast.FuncDecl]diag.List
	unsound  map[*listedPackage]bool               // packages with errors that repairPackage cannot remove
	removals map[*listedPackage]map[string]removal // maps a package and a declared name to the reason why the declaration was removed
	inBodies map[*listedPackage]diag.List
	diags    diag.List
	last     *diag.Diagnostic // last reported error of the type checker
}

// isFolder returns an error if name is not a folder.
func isFolder(name string) error {
	info, err := os.Stat(name)
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if err == nil && !info.IsDir() {
		return errors.New("it is none")
	}
	return err
}

// maxRounds is the largest number of universes that one Load builds. A universe is a consistent set
// of type-checked packages. Each further universe loads more packages from source than the previous
// universe.
const maxRounds = 10

// Load loads the packages of the patterns and finds their kernels. The diagnostics are about the
// user's code. If there are diagnostics, the program may be nil or incomplete, and callers may only
// use it to find more errors. In an incomplete program, incorrectly declared kernels have no
// function. The returned error is about the environment, such as a missing go command or an unknown
// pattern.
func Load(ctx context.Context, cfg Config) (*Program, diag.List, error) {
	dir, err := filepath.Abs(cmp.Or(cfg.Dir, "."))
	if err != nil {
		return nil, nil, err
	}
	if err := isFolder(dir); err != nil {
		return nil, nil, fmt.Errorf("the folder %s: %w", cfg.Dir, err)
	}
	for _, p := range cfg.Patterns {
		if strings.HasSuffix(p, ".go") && isFolder(filepath.Join(dir, p)) != nil {
			return nil, nil, fmt.Errorf("%s is a file; name its package, ./%s", p, path.Dir(filepath.ToSlash(p)))
		}
	}
	l := newLoader(dir, cfg)
	roots, err := l.listPackages(ctx, cfg.Patterns)
	if err != nil {
		return nil, nil, err
	}
	prog, err := l.buildProgram(ctx, roots)
	if err != nil {
		return nil, nil, err
	}
	l.diags.Sort()
	return prog, l.diags, nil
}

func newLoader(dir string, cfg Config) *loader {
	env := cfg.Env
	if env == nil {
		env = os.Environ()
	}
	return &loader{
		dir: dir, show: cmp.Or(cfg.Show, dir), below: strings.Contains(strings.Join(cfg.Patterns, " "), "..."), env: env, tags: cfg.Tags, overlay: cfg.Overlay, known: cfg.Intrinsic, stubs: cfg.Stubs, fset: token.NewFileSet(),
		roots:    map[*listedPackage]bool{},
		byPath:   map[string]*listedPackage{},
		others:   map[*listedPackage]*kernelFileSet{},
		tried:    map[*listedPackage]bool{},
		parsed:   map[*listedPackage][]*ast.File{},
		files:    map[string]string{},
		made:     map[string]string{},
		own:      map[string]bool{},
		repaired: map[*ast.File]bool{},
		broken:   map[*ast.FuncDecl]diag.List{},
		unsound:  map[*listedPackage]bool{},
		inBodies: map[*listedPackage]diag.List{},
		removals: map[*listedPackage]map[string]removal{},
	}
}

// buildProgram builds universes until a universe contains the body of every function that kernels
// reach.
func (l *loader) buildProgram(ctx context.Context, listing []*listedPackage) (*Program, error) {
	roots := l.withFiles(listing)
	if len(roots) == 0 && len(l.diags) > 0 {
		return nil, nil
	}
	byPath := l.byPath
	wanted := map[*listedPackage]bool{}
	for _, p := range roots {
		l.roots[p], wanted[p] = true, true
		for _, q := range p.imports {
			if l.callsLikely(q) {
				l.addWanted(wanted, q)
			}
		}
	}
	for range maxRounds {
		u, err := l.newUniverse(roots, wanted)
		if err != nil {
			return nil, err
		}
		l.bodiesToo()
		if n := len(roots); len(l.unsound) > 0 {
			if roots = l.soundRoots(roots); len(roots) == 0 {
				return nil, nil
			} else if len(roots) < n {
				continue // the remaining packages may have more errors
			}
		}
		prog := &Program{Fset: l.fset, SSA: u.prog, Trace: l.trace, dir: l.show, files: l.files, made: l.made, own: l.own, trees: l.trees(), brokenBodies: l.broken,
			listed: byPath, universe: u, fates: newFates(usageOf(u.sources, l.repaired))}
		before := l.diags
		f := &kernelFinder{l: l, u: u, prog: prog}
		f.findKernels(roots)
		more := false
		missing := l.reachAll(u, f.reachedFrom())
		for _, path := range slices.Sorted(maps.Keys(missing)) {
			p := byPath[path]
			if p == nil || p.std && !DeviceStd(path) || len(p.files) == 0 {
				continue // package lower reports a call of a function without a body
			}
			if !wanted[p] && p.export != "" {
				wanted[p], more = true, true
			} else if found, err := l.otherFiles(ctx, p, missing[path]); err != nil {
				return nil, err
			} else if found {
				wanted[p], more = true, true
			}
		}
		if more {
			l.diags = before // type-checking the next universe reports the same diagnostics again
			continue
		}
		f.finishKernels(roots)
		prog.Directives = l.readDirectives(u)
		f.kernelDirectives()
		f.bareKernels()
		f.findMentions()
		prog.Trace, prog.Tagged = l.trace, l.allTagged()
		return prog, nil
	}
	return nil, fmt.Errorf("calls through more than %d packages", maxRounds)
}

func (l *loader) trees() []*ast.File {
	return slices.Concat(slices.Collect(maps.Values(l.parsed))...)
}

// addWanted adds package p to the set `wanted`, which contains the packages to load from source. If
// p is a cryptography package, addWanted also adds the packages that p imports. Adding the imported
// packages early avoids further universes (type-checks of all packages).
func (l *loader) addWanted(wanted map[*listedPackage]bool, p *listedPackage) {
	if wanted[p] {
		return
	}
	wanted[p] = true
	if p.std && strings.HasPrefix(p.path, "crypto/") {
		for _, q := range p.imports {
			if l.callsLikely(q) {
				l.addWanted(wanted, q)
			}
		}
	}
}

// callsLikely reports whether a kernel package that imports p probably calls functions of p.
func (l *loader) callsLikely(p *listedPackage) bool {
	if p.isMissing() || len(p.files) == 0 {
		return false
	}
	if p.std {
		return deviceStd[p.path]
	}
	return p.path != dslPath && p.path != propertiesPath
}

// soundRoots returns the roots without dependencies on packages with errors. A root is a package
// that may contain kernels.
func (l *loader) soundRoots(roots []*listedPackage) []*listedPackage {
	known := map[*listedPackage]bool{}
	var check func(p *listedPackage) bool
	check = func(p *listedPackage) bool {
		ok, seen := known[p]
		if !seen {
			known[p] = true // this entry ends the recursion for an import cycle
			ok = !l.unsound[p]
			for _, q := range p.imports {
				ok = (q == nil || check(q)) && ok
			}
			known[p] = ok
		}
		return ok
	}
	var left []*listedPackage
	for _, p := range roots {
		if check(p) {
			left = append(left, p)
		}
	}
	return left
}

// withFiles returns the packages that have files. For packages without files, withFiles reports
// errors.
func (l *loader) withFiles(listing []*listedPackage) []*listedPackage {
	var roots []*listedPackage
	for _, p := range listing {
		if len(p.files) > 0 {
			roots = append(roots, p)
			continue
		}
		for _, e := range p.errs {
			at := l.folderPos(p)
			if file, rest, ok := strings.Cut(e.Pos, ":"); ok && file != "-" && file != "" {
				at.File = shortName(l.show, file)
				fmt.Sscanf(rest, "%d:%d", &at.Line, &at.Col)
			}
			l.diags.Add(diag.Load, at, "", "%s", e.Msg)
		}
	}
	return roots
}

func (l *loader) diagPos(pos token.Pos) diag.Pos {
	return (&Program{Fset: l.fset, dir: l.show}).DiagPos(pos)
}

// sortKernels sorts kernels by name.
func sortKernels(ks []*Kernel) {
	slices.SortFunc(ks, func(a, b *Kernel) int { return strings.Compare(a.Name, b.Name) })
}

// rootFuncs returns the Kernel and Properties methods. The search for reached functions starts at
// these methods.
func rootFuncs(ks []*kernelMethods) []*ssa.Function {
	var fns []*ssa.Function
	for _, k := range ks {
		fns = append(fns, k.kernel, k.properties)
	}
	return fns
}
