package load

// This file runs the go command to list packages.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/kgen-go/kgen/codegen/internal/kerneltext"
)

// listedPackage holds the information that the go command gives about a package.
type listedPackage struct {
	path, name, dir string
	files           []string // absolute names of the Go files
	export          string   // name of the file with export data; empty if there is none
	imports         map[string]*listedPackage
	modulePath      string
	moduleDir       string
	goVersion       string // language version for types.Config, or ""
	inMain          bool   // whether the package belongs to a main module
	std             bool
	errs            []packages.Error
}

// listPackages runs the go command for the patterns, and returns the packages that may contain
// kernels. If a pattern contains "...", the go command runs twice. For patterns without "...", the
// go command runs once.
func (l *loader) listPackages(ctx context.Context, patterns []string) ([]*listedPackage, error) {
	if err := l.noModule(); err != nil {
		return nil, err
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	if slices.ContainsFunc(patterns, func(p string) bool { return strings.Contains(p, "...") }) {
		const cheap = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
		pkgs, err := l.goList(ctx, cheap, patterns)
		if err != nil {
			return nil, err
		}
		l.matched = len(pkgs)
		if patterns, err = l.kernelPaths(pkgs); err != nil || len(patterns) == 0 {
			return nil, err
		}
	}
	pkgs, err := l.goList(ctx, full, patterns)
	if err != nil {
		return nil, err
	}
	l.matched = max(l.matched, len(pkgs))
	known := map[*packages.Package]*listedPackage{}
	var roots []*listedPackage
	for _, p := range pkgs {
		roots = append(roots, l.convertPackage(p, known))
	}
	slices.SortFunc(roots, func(a, b *listedPackage) int { return strings.Compare(a.path, b.path) })
	return roots, nil
}

// full is the mode for packages with kernels and their imports. The mode selects the information
// that go/packages provides.
const full = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
	packages.NeedExportFile | packages.NeedModule

func (l *loader) goList(ctx context.Context, mode packages.LoadMode, patterns []string) ([]*packages.Package, error) {
	l.trace.GoList++
	cfg := &packages.Config{Context: ctx, Mode: mode, Dir: l.dir, Env: l.env, Overlay: l.overlay, BuildFlags: l.buildFlags()}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		if _, missing := exec.LookPath("go"); missing != nil {
			return nil, errors.New("the go command is not in the PATH; kgen runs it, so install Go (https://go.dev/dl), or add its folder bin to the PATH")
		}
		return nil, withAdvice(fmt.Errorf("load packages: %w", err))
	}
	if len(pkgs) == 0 {
		return nil, l.whyNone(ctx, patterns)
	}
	return pkgs, nil
}

// buildFlags returns the flags of the go command that affect the selection of files.
func (l *loader) buildFlags() []string {
	if len(l.tags) == 0 {
		return nil
	}
	return []string{"-tags=" + strings.Join(l.tags, ",")}
}

// whyNone is called if go/packages has returned neither packages nor an error. whyNone runs the go
// command again to get the error message. The usual cause of an empty result is a go.mod file that
// has to be updated.
func (l *loader) whyNone(ctx context.Context, patterns []string) error {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list"}, l.buildFlags(), []string{"--"}, patterns)...)
	cmd.Dir, cmd.Env = l.dir, l.env
	var text bytes.Buffer
	cmd.Stderr = &text
	if err := cmd.Run(); err != nil {
		return withAdvice(fmt.Errorf("load packages: %s (%w)", strings.TrimSpace(text.String()), err))
	}
	return nil
}

// convertPackage converts package p of go/packages, and all packages that p imports.
func (l *loader) convertPackage(p *packages.Package, known map[*packages.Package]*listedPackage) *listedPackage {
	if q := known[p]; q != nil {
		return q
	}
	if q := l.byPath[p.PkgPath]; q != nil {
		return q // the package is known from an earlier run of the go command
	}
	q := &listedPackage{path: p.PkgPath, name: p.Name, dir: p.Dir, files: p.GoFiles, export: p.ExportFile,
		imports: map[string]*listedPackage{}, errs: p.Errors}
	known[p], l.byPath[p.PkgPath] = q, q
	if m := p.Module; m != nil {
		q.modulePath, q.moduleDir, q.inMain = m.Path, m.Dir, m.Main
		if m.GoVersion != "" {
			q.goVersion = "go" + m.GoVersion
		}
	}
	if q.dir == "" && len(q.files) > 0 {
		q.dir = filepath.Dir(q.files[0])
	}
	if q.inMain {
		l.own[q.dir] = true
	}
	first, _, _ := strings.Cut(q.path, "/")
	q.std = p.Module == nil && !strings.Contains(first, ".") &&
		strings.HasSuffix(filepath.ToSlash(q.dir), "/src/"+q.path)
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		q.imports[path] = l.convertPackage(p.Imports[path], known)
	}
	return q
}

// isMissing reports whether the package does not exist. A missing package may be a stub package
// that kgen has not written yet.
func (p *listedPackage) isMissing() bool {
	return p == nil || p.path != "unsafe" && p.export == "" && len(p.files) == 0
}

var (
	kernelMethod = regexp.MustCompile(`(?m)^func\s*\([^)]*\)\s*Kernel\s*\(`)
	// nearKernel matches functions that the user may have intended as Kernel methods.
	nearKernel = regexp.MustCompile(`(?m)^func\s*(\([^)]*\)\s*)?[Kk]ernel\s*\(`)
)

// readFile returns the content of a file. Contents in the overlay replace files on disk.
func (l *loader) readFile(name string) ([]byte, error) {
	if src, ok := l.overlay[name]; ok {
		return src, nil
	}
	return os.ReadFile(name)
}

// kernelPaths returns the paths of the packages whose text may contain a kernel. A kernel may be an
// alias of a generic type in any package, also in another module or outside the patterns. If no
// package can contain a kernel, kernelPaths returns packages with functions that the user may have
// intended as kernels.
func (l *loader) kernelPaths(pkgs []*packages.Package) ([]string, error) {
	found, near := map[string]bool{}, map[string]bool{}
	texts := l.kernelTexts(pkgs)
	finder := kerneltext.Finder{Read: l.readFile}
	for _, p := range pkgs {
		for _, f := range p.GoFiles {
			src, err := l.readFile(f)
			if err != nil {
				return nil, err
			}
			if kerneltext.IsGenerated(src) {
				continue // stub packages contain no kernels and may not compile
			}
			if kernelMethod.Match(src) && bytes.Contains(src, []byte(dslPath)) {
				found[p.PkgPath] = true
			} else if nearKernel.Match(src) {
				near[p.PkgPath] = true
			}
		}
		if found[p.PkgPath] {
			continue
		}
		kernel, generic, err := finder.Borrowed(texts[p])
		if err != nil {
			return nil, err
		}
		if kernel || generic {
			found[p.PkgPath] = true
		}
	}
	if len(found) == 0 {
		found = near
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// mayWrite reports whether kgen may write the package with the given import path. The import path
// must belong to the given module.
func (l *loader) mayWrite(modulePath, moduleDir, path string) bool {
	return strings.HasPrefix(path+"/", modulePath+"/") && (l.stubs == nil || l.stubs(modulePath, moduleDir, path))
}

// kernelTexts converts packages of go/packages, and all packages that they import, to the types of
// package kerneltext.
func (l *loader) kernelTexts(pkgs []*packages.Package) map[*packages.Package]*kerneltext.Package {
	mayWrite := func(path string) bool {
		return slices.ContainsFunc(pkgs, func(p *packages.Package) bool {
			return p.Module != nil && p.Module.Main && l.mayWrite(p.Module.Path, p.Module.Dir, path)
		})
	}
	all := map[*packages.Package]*kerneltext.Package{}
	var convert func(p *packages.Package) *kerneltext.Package
	convert = func(p *packages.Package) *kerneltext.Package {
		if q := all[p]; q != nil {
			return q
		}
		q := &kerneltext.Package{Path: p.PkgPath, Name: p.Name, Files: p.GoFiles, Imports: map[string]*kerneltext.Package{}}
		all[p] = q
		// The missing package may be generated code that kgen has not written yet.
		q.Missing = len(p.GoFiles) == 0 && len(p.Errors) > 0 && !mayWrite(p.PkgPath)
		for path, i := range p.Imports {
			q.Imports[path] = convert(i)
		}
		return q
	}
	for _, p := range pkgs {
		convert(p)
	}
	return all
}
