package load

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// listed is what the go command says about a package.
type listed struct {
	path, name, dir string
	files           []string // absolute names of the Go files
	export          string   // file of export data, if it could be made
	imports         map[string]*listed
	modulePath      string
	moduleDir       string
	goVersion       string // as types.Config wants it, or empty
	inMain          bool   // belongs to a main module
	std             bool
	errs            []packages.Error
}

// list runs the go command over the patterns: once, or twice where a pattern
// names more than one package. It returns the packages that may hold kernels.
func (l *loader) list(ctx context.Context, patterns []string) ([]*listed, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	if slices.ContainsFunc(patterns, func(p string) bool { return strings.Contains(p, "...") }) {
		const cheap = packages.NeedName | packages.NeedFiles | packages.NeedImports
		pkgs, err := l.goList(ctx, cheap, patterns)
		if err != nil {
			return nil, err
		}
		l.matched = len(pkgs)
		if patterns, err = candidates(pkgs); err != nil || len(patterns) == 0 {
			return nil, err
		}
	}
	const full = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedExportFile | packages.NeedModule
	pkgs, err := l.goList(ctx, full, patterns)
	if err != nil {
		return nil, err
	}
	l.matched = max(l.matched, len(pkgs))
	known := map[*packages.Package]*listed{}
	var roots []*listed
	for _, p := range pkgs {
		roots = append(roots, l.listing(p, known))
	}
	slices.SortFunc(roots, func(a, b *listed) int { return strings.Compare(a.path, b.path) })
	return roots, nil
}

func (l *loader) goList(ctx context.Context, mode packages.LoadMode, patterns []string) ([]*packages.Package, error) {
	l.trace.GoList++
	cfg := &packages.Config{Context: ctx, Mode: mode, Dir: l.dir, Env: l.env}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	return pkgs, nil
}

// listing converts p and everything that it imports.
func (l *loader) listing(p *packages.Package, known map[*packages.Package]*listed) *listed {
	if q := known[p]; q != nil {
		return q
	}
	q := &listed{path: p.PkgPath, name: p.Name, dir: p.Dir, files: p.GoFiles, export: p.ExportFile,
		imports: map[string]*listed{}, errs: p.Errors}
	known[p] = q
	if m := p.Module; m != nil {
		q.modulePath, q.moduleDir, q.inMain = m.Path, m.Dir, m.Main
		if m.GoVersion != "" {
			q.goVersion = "go" + m.GoVersion
		}
	}
	if q.dir == "" && len(q.files) > 0 {
		q.dir = filepath.Dir(q.files[0])
	}
	first, _, _ := strings.Cut(q.path, "/")
	q.std = p.Module == nil && !strings.Contains(first, ".") &&
		strings.HasSuffix(filepath.ToSlash(q.dir), "/src/"+q.path)
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		q.imports[path] = l.listing(p.Imports[path], known)
	}
	return q
}

// missing reports whether the package cannot be had at all, as a package that
// kgen has yet to write.
func (p *listed) missing() bool {
	return p == nil || p.path != "unsafe" && p.export == "" && len(p.files) == 0
}

var (
	kernelMethod = regexp.MustCompile(`(?m)^func\s*\([^)]*\)\s*Kernel\s*\(`)
	// aliasOrEmbed finds what can give a type a Kernel method from another
	// package: an alias of an instance, or an embedded field.
	aliasOrEmbed = regexp.MustCompile(`(?m)^\s*(type\s+)?\w+\s*=\s*\w+\.\w+\[|^\s+\*?\w+\.\w+\s*$`)
)

// hasAliasOrEmbed reports whether a file declares such a type, rather than assign
// an element of another package's slice, say.
func hasAliasOrEmbed(src []byte) bool {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return true // what is wrong with it is said later
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			switch t := s.(*ast.TypeSpec).Type.(type) {
			case *ast.IndexExpr, *ast.IndexListExpr:
				return true
			case *ast.StructType:
				if slices.ContainsFunc(t.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 }) {
					return true
				}
			}
		}
	}
	return false
}

// candidates returns the paths of those packages whose text could hold a kernel.
func candidates(pkgs []*packages.Package) ([]string, error) {
	found := map[string]bool{}
	var maybe []*packages.Package
	for _, p := range pkgs {
		borrows := false
		for _, f := range p.GoFiles {
			src, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			if kernelMethod.Match(src) && bytes.Contains(src, []byte(dslPath)) {
				found[p.PkgPath] = true
			}
			borrows = borrows || aliasOrEmbed.Match(src) && hasAliasOrEmbed(src)
		}
		if borrows && !found[p.PkgPath] {
			maybe = append(maybe, p)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range maybe {
			for path := range p.Imports {
				if found[path] && !found[p.PkgPath] {
					found[p.PkgPath], changed = true, true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
