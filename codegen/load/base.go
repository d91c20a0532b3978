package load

// This file loads many small packages that import a common set of packages. The common packages are
// loaded only once.

import (
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/kgen-go/kgen/codegen/diag"
)

// Base is a set of packages that are loaded only once. The method Load loads one more package from
// memory within milliseconds, if the package imports only packages of the Base. Programs that
// compile many small packages, such as fuzzers, use a Base. A Base must not be used by several
// goroutines at once.
type Base struct {
	l      *loader
	u      *universe
	byPath map[string]*listedPackage
	usage  *usageIndex
}

// NewBase loads the packages that match the patterns of cfg, and all packages that they import.
func NewBase(ctx context.Context, cfg Config) (*Base, error) {
	dir, err := filepath.Abs(cmp.Or(cfg.Dir, "."))
	if err != nil {
		return nil, err
	}
	l := newLoader(dir, cfg)
	roots, err := l.listPackages(ctx, cfg.Patterns)
	if err != nil {
		return nil, err
	}
	b := &Base{l: l, byPath: map[string]*listedPackage{}}
	wanted := map[*listedPackage]bool{}
	var index func(p *listedPackage)
	index = func(p *listedPackage) {
		if b.byPath[p.path] != nil {
			return
		}
		b.byPath[p.path] = p
		wanted[p] = l.callsLikely(p) || p.std && seldomStd[p.path]
		for _, q := range p.imports {
			index(q)
		}
	}
	for _, p := range roots {
		index(p)
	}
	if b.u, err = l.newUniverse(roots, wanted); err != nil {
		return nil, err
	}
	if len(l.diags) > 0 {
		return nil, l.diags
	}
	b.usage = usageOf(b.u.sources, l.repaired)
	return b, nil
}

// Load loads a single package, which can import only packages of the base. The keys of the map
// `files` are the names of the package's files, and the values are their texts.
func (b *Base) Load(pkgPath string, files map[string]string) (*Program, diag.List, error) {
	l := newLoader(b.l.dir, Config{Intrinsic: b.l.known})
	l.fset = b.l.fset
	maps.Copy(l.files, b.l.files)
	p := &listedPackage{path: pkgPath, dir: "/" + pkgPath, imports: map[string]*listedPackage{}, inMain: true,
		modulePath: pkgPath, moduleDir: "/" + pkgPath}
	l.roots[p], l.own[p.dir] = true, true
	var trees []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(p.dir, name)
		f, err := parser.ParseFile(l.fset, full, files[name], parser.ParseComments|parser.SkipObjectResolution)
		l.syntaxErrors(p, err)
		if len(l.diags) > 0 {
			return nil, l.diags, nil
		}
		for _, spec := range f.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				p.imports[path] = b.byPath[path]
			}
		}
		l.files[full] = canonicalFile(p, full)
		trees = append(trees, f)
	}
	l.parsed[p] = trees
	l.dropMissing(p, trees)
	prog, err := b.programOf(l, p)
	if err != nil {
		return nil, nil, err
	}
	l.diags.Sort()
	return prog, l.diags, nil
}

// programOf type-checks package p, which imports packages of the base, and returns the Program for
// p.
func (b *Base) programOf(l *loader, p *listedPackage) (*Program, error) {
	u := *b.u
	u.l, u.sources, u.bySrc, u.types = l, nil, map[*listedPackage]*sourcePackage{}, maps.Clone(b.u.types)
	if _, err := u.checkSource(p); err != nil || len(l.diags) > 0 {
		return nil, err
	}
	s := u.bySrc[p]
	var create func(ts []*types.Package)
	create = func(ts []*types.Package) {
		for _, t := range ts {
			if u.prog.Package(t) == nil {
				u.prog.CreatePackage(t, nil, nil, true)
				create(t.Imports())
			}
		}
	}
	create(s.types.Imports())
	changed := u.indicesOnly(s)
	s.ssa = u.prog.CreatePackage(s.types, s.files, s.info, false)
	s.ssa.Build()
	putBack(changed)
	prog := &Program{Fset: l.fset, SSA: u.prog, dir: l.show, files: l.files, made: b.l.made, own: l.own, trees: append(l.trees(), b.l.trees()...), brokenBodies: l.broken,
		listed: b.byPath, universe: &u, fates: newFates(b.usage, usageOf([]*sourcePackage{s}, l.repaired))}
	f := &kernelFinder{l: l, u: &u, prog: prog}
	f.findKernels([]*listedPackage{p})
	l.reachAll(&u, f.reachedFrom())
	f.finishKernels([]*listedPackage{p})
	prog.Directives = l.readDirectives(&u)
	f.kernelDirectives()
	f.findMentions()
	return prog, nil
}
