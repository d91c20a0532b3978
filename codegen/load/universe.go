package load

// This file type-checks packages and builds their SSA form.

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/ssa"
)

// universe is a consistent set of type-checked packages.
type universe struct {
	l       *loader
	prog    *ssa.Program
	sources []*sourcePackage
	bySrc   map[*listedPackage]*sourcePackage
	types   map[string]*types.Package // maps a path to a package; some packages may be incomplete
	done    map[*listedPackage]*types.Package
	touches map[*listedPackage]bool // maps a package to true if one of its direct or indirect imports is loaded from source
	err     error
}

// sourcePackage is a package that is loaded from source.
type sourcePackage struct {
	*listedPackage
	files []*ast.File
	types *types.Package
	info  *types.Info
	ssa   *ssa.Package
}

// newUniverse type-checks the roots and the packages that they import. Packages in the set
// "wanted", and packages without export data, are loaded from source. All other packages are loaded
// from export data. newUniverse also builds the SSA form of the packages that are loaded from
// source.
func (l *loader) newUniverse(roots []*listedPackage, wanted map[*listedPackage]bool) (*universe, error) {
	u := &universe{
		l:       l,
		prog:    ssa.NewProgram(l.fset, ssa.GlobalDebug|ssa.InstantiateGenerics),
		bySrc:   map[*listedPackage]*sourcePackage{},
		types:   map[string]*types.Package{"unsafe": types.Unsafe},
		done:    map[*listedPackage]*types.Package{},
		touches: map[*listedPackage]bool{},
	}
	l.trace.Rounds++
	var visit func(p *listedPackage) bool
	visit = func(p *listedPackage) bool {
		if t, ok := u.touches[p]; ok {
			return t
		}
		u.touches[p] = false
		t := false
		for _, q := range p.imports {
			t = visit(q) || t
		}
		u.touches[p] = t
		return t || wanted[p] || p.export == "" && !p.isMissing()
	}
	for _, p := range roots {
		visit(p)
	}
	for _, p := range roots {
		u.loadPackage(p, wanted)
	}
	if u.err != nil {
		return nil, u.err
	}
	if len(l.soundRoots(roots)) < len(roots) {
		return u, nil // go/ssa accepts only packages without type errors
	}
	u.buildSSA()
	return u, nil
}

// loadPackage returns the package p with complete type information.
func (u *universe) loadPackage(p *listedPackage, wanted map[*listedPackage]bool) *types.Package {
	if t, ok := u.done[p]; ok {
		return t
	}
	if p.path == "unsafe" {
		return types.Unsafe
	}
	u.done[p] = nil // this entry ends the recursion for an import cycle
	fromSource := wanted[p] || p.export == ""
	if fromSource || u.touches[p] {
		// Export data refers to other packages, which must be loaded before the data is read.
		for _, q := range sortedImports(p) {
			if fromSource || u.touches[q] || wanted[q] || q.export == "" {
				if !q.isMissing() {
					u.loadPackage(q, wanted)
				}
			}
		}
	}
	var t *types.Package
	var err error
	if fromSource {
		t, err = u.checkSource(p)
	} else {
		t, err = u.readExport(p)
	}
	if err != nil && u.err == nil {
		u.err = err
	}
	u.done[p] = t
	return t
}

func sortedImports(p *listedPackage) []*listedPackage {
	var all []*listedPackage
	for _, q := range p.imports {
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b *listedPackage) int { return strings.Compare(a.path, b.path) })
	return all
}

// readExport reads the export data of package p.
func (u *universe) readExport(p *listedPackage) (*types.Package, error) {
	f, err := os.Open(p.export)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", p.path, err)
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", p.path, err)
	}
	t, err := gcexportdata.Read(r, u.l.fset, u.types, p.path)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", p.path, err)
	}
	return t, nil
}

// checkSource type-checks package p from source. Function bodies with errors are removed. For
// example, a body may use stubs that kgen has not written yet. An error in a removed body is
// reported only if a kernel reaches the function.
func (u *universe) checkSource(p *listedPackage) (*types.Package, error) {
	files, err := u.l.parseFiles(p)
	if err != nil {
		return nil, err
	}
	s := &sourcePackage{listedPackage: p, files: files}
	u.sources = append(u.sources, s)
	u.bySrc[p] = s
	for range maxRepairs {
		var errs []types.Error
		cfg := &types.Config{
			GoVersion: p.goVersion,
			Sizes:     Sizes,
			Error: func(err error) {
				var e types.Error
				if errors.As(err, &e) {
					errs = append(errs, e)
				}
			},
			Importer: importerFunc(func(path string) (*types.Package, error) {
				q := p.imports[path]
				if path == "unsafe" {
					return types.Unsafe, nil
				}
				if t := u.done[q]; q != nil && t != nil {
					return t, nil
				}
				return nil, fmt.Errorf("package %s cannot be imported", path)
			}),
		}
		s.info = &types.Info{
			Types:        map[ast.Expr]types.TypeAndValue{},
			Defs:         map[*ast.Ident]types.Object{},
			Uses:         map[*ast.Ident]types.Object{},
			Implicits:    map[ast.Node]types.Object{},
			Selections:   map[*ast.SelectorExpr]*types.Selection{},
			Scopes:       map[ast.Node]*types.Scope{},
			Instances:    map[*ast.Ident]types.Instance{},
			FileVersions: map[*ast.File]string{},
		}
		s.types, _ = cfg.Check(p.path, u.l.fset, s.files, s.info)
		if !u.l.repairPackage(s, errs) {
			break
		}
	}
	u.types[p.path] = s.types
	return s.types, nil
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// parseFiles returns the syntax trees of package p. Each package is parsed once, and all
// type-checks of the package use the same trees.
func (l *loader) parseFiles(p *listedPackage) ([]*ast.File, error) {
	if files, ok := l.parsed[p]; ok {
		return files, nil
	}
	var files []*ast.File
	for _, name := range l.kernelFiles(p) {
		src, err := l.readFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(l.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if f == nil {
			return nil, err
		}
		l.files[name] = canonicalFile(p, name)
		l.syntaxErrors(p, err)
		files = append(files, f)
	}
	files = l.replaceFuncs(p, files)
	l.parsed[p] = files
	if !p.std {
		l.dropMissing(p, files)
	}
	return files, nil
}

// buildSSA builds the SSA form of the packages that are loaded from source.
func (u *universe) buildSSA() {
	seen := map[*types.Package]bool{}
	for _, s := range u.sources {
		seen[s.types] = true
	}
	var create func(ts []*types.Package)
	create = func(ts []*types.Package) {
		for _, t := range ts {
			if !seen[t] {
				seen[t] = true
				u.l.trace.Exported++
				u.prog.CreatePackage(t, nil, nil, true)
				create(t.Imports())
			}
		}
	}
	u.l.trace.Sources, u.l.trace.Exported = nil, 0
	var changed []arrayRange
	for _, s := range u.sources {
		changed = append(changed, u.indicesOnly(s)...)
		create(s.types.Imports())
		s.ssa = u.prog.CreatePackage(s.types, s.files, s.info, true)
		u.l.trace.Sources = append(u.l.trace.Sources, s.path)
	}
	for _, s := range u.sources {
		s.ssa.Build()
	}
	putBack(changed)
}
