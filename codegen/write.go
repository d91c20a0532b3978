package codegen

// This file writes the files of generated packages.

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/gohost"
	"github.com/kgen-go/kgen/codegen/gostub"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/report"
	"github.com/kgen-go/kgen/internal/modules"
)

// stubOutput is a stub package to write.
type stubOutput struct {
	pkg     *load.Package
	kernels []gostub.Kernel
	forms   []*gohost.Form
}

// A view type replaces a struct type in stubs. sharedViews returns the view types that the
// stubs of the package share, and sets the field Views of each kernel.
func (o *stubOutput) sharedViews(prog *load.Program) (all []gostub.View) {
	views, uses := prog.SharedViews(o.pkg)
	for i := range o.kernels {
		for k, members := range uses {
			if k.Name == o.kernels[i].ABI.Name {
				o.kernels[i].Views = members
			}
		}
	}
	for _, v := range views {
		view := gostub.View{Name: v.Name, Of: v.Of, Params: v.Params, Args: v.Args, Source: v.Source, Slices: v.Slices, Values: v.Values}
		for _, f := range v.Fields {
			view.Fields = append(view.Fields, gostub.ViewField(f))
		}
		all = append(all, view)
	}
	return all
}

// stubWriter writes stub packages, or compares them with existing files.
type stubWriter struct {
	dir   string // working directory
	shown string // folder to which printed paths are relative; dir by default
	cfg   *Config
	res   *Result
	prog  *load.Program
	names map[string]string
	check func(p *load.Package, importPath string, texts []load.Text) []*load.TextError
}

// placeOf returns the folder and import path of the generated package for p. If p is below an internal folder, the
// generated package is beside p. Then every package that may import p may also import the generated
// package.
func (w *stubWriter) placeOf(p *load.Package) (dir, importPath string) {
	rel := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, p.ModulePath), "/")
	if isInternal(p.PkgPath) {
		name := gostub.Name(p.Name)
		return filepath.Join(p.Dir, name), path.Join(p.PkgPath, name)
	}
	root := w.cfg.outputRoot(w.dir, p.ModuleDir)
	return filepath.Join(root, filepath.FromSlash(rel)), path.Join(importBase(p.ModulePath, p.ModuleDir, root), rel)
}

// importBase returns the import path of the output folder `root`.
func importBase(modulePath, moduleDir, root string) string {
	if r, err := filepath.Rel(moduleDir, root); err == nil && filepath.IsLocal(r) {
		return path.Join(modulePath, filepath.ToSlash(r))
	}
	return path.Join(modulePath, outFolder)
}

// mayWrite reports whether kgen may generate a package with the given import path. kgen may
// generate a package only at an import path that placeOf can return. The output folder may be the
// default folder or Config.Out.
func (cfg *Config) mayWrite(modulePath, moduleDir, importPath string) bool {
	if isInternal(importPath) && strings.HasSuffix(importPath, gostub.Name("")) {
		return true
	}
	dir, err := filepath.Abs(cfg.Dir)
	for _, root := range []string{filepath.Join(moduleDir, outFolder), cfg.outputRoot(dir, moduleDir)} {
		if err == nil && strings.HasPrefix(importPath+"/", importBase(modulePath, moduleDir, root)+"/") {
			return true
		}
	}
	return false
}

// isInternal reports whether a package is below a folder named internal.
func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// StubFolder returns the folder of the generated package if Config.Out is not set. The kernels'
// package has the given name and is in the folder rel, relative to the module's root.
func StubFolder(root, rel, name string) string {
	if isInternal(rel) {
		return filepath.Join(root, filepath.FromSlash(rel), gostub.Name(name))
	}
	return filepath.Join(root, outFolder, filepath.FromSlash(rel))
}

// outFolder is the name of the folder for generated files in a module's root.
const outFolder = "generated"

// outputRoot returns the folder below which kgen writes a module's generated packages.
// Parameter dir is the working directory.
func (cfg *Config) outputRoot(dir, moduleDir string) string {
	if cfg.Out == "" {
		return filepath.Join(moduleDir, outFolder)
	}
	if filepath.IsAbs(cfg.Out) {
		return cfg.Out
	}
	return filepath.Join(dir, cfg.Out)
}

// writeOutput writes the files of one stub package, and removes old files.
func (w *stubWriter) writeOutput(out *stubOutput) error {
	dir, importPath := w.placeOf(out.pkg)
	bare := w.prog.Bare(out.pkg)
	if w.cfg.Modules != "" {
		if err := w.writeModules(out, bare); err != nil {
			return err
		}
	}
	if w.cfg.Modules != "" && !w.cfg.Check {
		return nil
	}
	from, err := w.describeSources(out.pkg, dir)
	if err != nil {
		return err
	}
	pkg := &gostub.Package{Path: out.pkg.PkgPath, Name: out.pkg.Name, Kernels: out.kernels, Views: out.sharedViews(w.prog), Sources: from, Constraint: w.prog.Constraint(out.pkg), Bare: bare}
	files, err := w.stubFiles(out, pkg, importPath)
	if err != nil {
		return err
	}
	if w.cfg.Diff && !bare {
		changes, err := report.CompareCosts(out.pkg.PkgPath, dir, out.kernels, files)
		if err != nil {
			return err
		}
		w.res.Costs = append(w.res.Costs, changes...)
	}
	keep := map[string]bool{}
	for _, f := range files {
		keep[f.Name] = true
		if err := w.writeFile(filepath.Join(dir, f.Name), f.Data); err != nil {
			return err
		}
	}
	return w.cleanFolder(dir, keep)
}

// writeModules writes to the folder Config.Modules all modules that stub packages do not contain.
func (w *stubWriter) writeModules(out *stubOutput, bare bool) error {
	if !bare {
		files := map[string][]byte{}
		for i := range out.kernels {
			for _, f := range out.kernels[i].LateFiles() {
				files[f.Name] = f.Data
			}
		}
		if len(files) == 0 {
			return nil
		}
		return modules.WriteFiles(w.cfg.Modules, out.pkg.PkgPath, files)
	}
	var kernels []*abi.Kernel
	for i := range out.kernels {
		kernels = append(kernels, out.kernels[i].Complete())
	}
	return modules.Write(w.cfg.Modules, out.pkg.ModuleDir, out.pkg.PkgPath, kernels)
}

// describeSources describes the source files of a package's kernels, for stubs in folder dir. If the stubs are outside
// of the module, no relative path leads to the sources, and describeSources returns nil.
func (w *stubWriter) describeSources(p *load.Package, dir string) (*abi.Sources, error) {
	rel, err := filepath.Rel(p.ModuleDir, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, nil
	}
	root, err := filepath.Rel(dir, p.ModuleDir)
	if err != nil {
		return nil, err
	}
	files, err := w.prog.Sources(p)
	if err != nil {
		return nil, err
	}
	return &abi.Sources{Module: p.ModulePath, Package: p.PkgPath, Root: filepath.ToSlash(root), Files: files}, nil
}

// writeFile writes a file, unless the file already has these contents.
func (w *stubWriter) writeFile(name string, data []byte) error {
	old, err := os.ReadFile(name)
	switch {
	case err == nil && (bytes.Equal(old, data) || isText(name) && bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), data)):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case w.cfg.Check && err != nil:
		w.stale(name, "is missing")
		return nil
	case w.cfg.Check:
		w.stale(name, "is out of date")
		return nil
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	// The file is replaced by a rename, so other processes see either the old or the new file.
	tmp, err := os.CreateTemp(dir, ".kgen-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), name); err != nil {
		return err
	}
	w.res.Written = append(w.res.Written, w.shownPath(name))
	return nil
}

// isText reports whether git may convert the line ends of the file to line ends of Windows.
func isText(name string) bool { return filepath.Ext(name) == ".go" || filepath.Ext(name) == ".kir" }

// cleanFolder removes the files that kgen has written in a folder, except the files in keep.
func (w *stubWriter) cleanFolder(dir string, keep map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if !e.Type().IsRegular() || keep[e.Name()] || !isOurs(name) {
			continue
		}
		if w.cfg.Check {
			w.stale(name, "belongs to no kernel")
			continue
		}
		if err := os.Remove(name); err != nil {
			return err
		}
		w.res.Removed = append(w.res.Removed, w.shownPath(name))
	}
	return nil
}

// isOurs reports whether kgen has written a file. The files of kgen are modules and
// texts with kgen's header.
func isOurs(name string) bool {
	switch filepath.Ext(name) {
	case ".spv":
		return true
	case ".go":
		return firstLine(name) == gostub.Header
	case ".data":
		return firstLine(name) == strings.TrimSpace(abi.DataHeader)
	case ".kir":
		return firstLine(name) == strings.TrimSpace(abi.IRHeader)
	}
	return false
}

func firstLine(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n')
	return strings.TrimSpace(line)
}

// If the patterns cover the whole module, sweepModule removes the generated packages of
// kernels that do not exist any more.
func (w *stubWriter) sweepModule(pkgs []*load.Package) error {
	if w.cfg.Modules != "" && !w.cfg.Check || len(pkgs) == 0 || pkgs[0].ModuleDir != w.dir || !slices.Contains(w.cfg.Patterns, "./...") {
		return nil
	}
	live := map[string]bool{}
	for _, p := range pkgs {
		dir, _ := w.placeOf(p)
		live[dir] = true
	}
	root := w.cfg.outputRoot(w.dir, pkgs[0].ModuleDir)
	var dead []string
	err := filepath.WalkDir(root, func(dir string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && dir == root {
			return fs.SkipDir
		}
		if err != nil || !e.IsDir() || live[dir] {
			return err
		}
		stubs, err := filepath.Glob(filepath.Join(dir, "*_kgen.go"))
		if slices.ContainsFunc(stubs, isOurs) && !slices.ContainsFunc(stubs, w.otherTags) {
			dead = append(dead, dir)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, dir := range dead {
		if w.cfg.Diff {
			changes, err := report.LostCosts(dir)
			if err != nil {
				return err
			}
			w.res.Costs = append(w.res.Costs, changes...)
		}
		if err := w.cleanFolder(dir, nil); err != nil {
			return err
		}
	}
	if !w.cfg.Check {
		for _, dir := range slices.Backward(dead) {
			os.Remove(dir) // fails if the folder is not empty
		}
	}
	return nil
}

// otherTags reports whether the current build tags exclude a Go file of a generated package. If the tags exclude a
// generated file, they probably also exclude the kernels, so the kernels may still exist.
func (w *stubWriter) otherTags(name string) bool {
	in := build.Default
	in.BuildTags = w.cfg.Tags
	match, err := in.MatchFile(filepath.Split(name))
	return err == nil && !match
}

func (w *stubWriter) stale(name, what string) {
	w.res.Stale = append(w.res.Stale, fmt.Sprintf("%s %s", w.shownPath(name), what))
}

// shownPath returns the path to print for a file.
func (w *stubWriter) shownPath(name string) string {
	if rel, err := filepath.Rel(cmp.Or(w.shown, w.dir), name); err == nil && len(rel) < len(name) {
		return rel
	}
	return name
}
