package codegen

// This file compiles the kernels of packages and writes the stubs.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/gohost"
	"github.com/kgen-go/kgen/codegen/gostub"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass/quirks"
	"github.com/kgen-go/kgen/codegen/report"
)

// Config is the input of Generate.
type Config struct {
	Dir      string   // working directory; "" means the working directory of the process
	Patterns []string // package patterns in the go command's syntax; an empty list means "."
	Env      []string // environment of the go command; nil means the environment of the process
	Tags     []string // build tags for loading the packages
	// Show is the folder to which printed paths are relative. If Show is empty, printed paths are relative to Dir.
	Show string
	// Overlay maps absolute file names to contents that are not saved yet. Only Diagnose uses Overlay.
	Overlay map[string][]byte

	// Out is the root folder for generated files. By default Out is the folder "generated" in the module's root.
	Out string
	// Check compares the generated files with the existing files and writes nothing. If the
	// generated files differ from the existing files, the error is ErrStale.
	Check bool
	// Diff requests Result.Costs in a run with Check.
	Diff bool
	// Strict turns each note in Result.Notes into an error. A note reports that a kernel lacks a
	// variant or a host form (the kernel's code for the CPU).
	Strict bool
	// Modules is the folder for modules that stubs do not contain (see internal/modules). Stubs
	// contain neither the modules of packages with the directive //kgen:bare nor the modules that
	// programs make when they load a kernel. Even with Check, Generate writes the modules to the
	// folder Modules. If Modules is set without Check, Generate writes only the modules.
	Modules string

	// Disabled lists optimizations to omit from modules, such as "quirk/rotation". A quirk is a
	// workaround for a driver bug. To find out whether a driver still needs a quirk, compile a
	// kernel with the quirk disabled, and run the kernel. See package quirks.
	Disabled []string

	// Dump is the name of an intermediate form of kernels (see DumpNames), or "". If Dump is not
	// "", Generate prints the form Dump of each kernel to DumpTo, and writes no files.
	Dump   string
	DumpTo io.Writer

	onFollowUpPanic func(bug any) // function that is called for bugs in kgen that only occur because a kernel has errors; nil except in tests
	// alterFile changes the text of a generated Go file. Only tests set alterFile.
	alterFile func(name string, text []byte) []byte
}

// loadConfig returns the configuration for function Load of package load.
func (cfg *Config) loadConfig() load.Config {
	return load.Config{Dir: cfg.Dir, Patterns: cfg.Patterns, Env: cfg.Env, Tags: cfg.Tags, Show: cfg.Show, Overlay: cfg.Overlay, Intrinsic: lower.Intrinsic, Stubs: cfg.mayWrite}
}

// ModuleRoot returns the root folder of the Go module that contains folder dir, or "".
func ModuleRoot(dir string) string { return load.ModuleRoot(dir) }

// CheckDisabled returns an error unless each of the names is an optimization that can be disabled.
// The text of the error lists the valid names.
func CheckDisabled(names []string) error { return quirks.CheckDisabled(names) }

// ErrStale is the error of a run with Config.Check if generated files are out of date.
var ErrStale = errors.New("generated files are out of date")

// Result lists the files that Generate has written or compared, and Generate's notes and warnings.
// A path in a Result is relative to Config.Show if the relative path is shorter than the absolute
// path.
type Result struct {
	Packages int
	Kernels  int
	Written  []string
	Removed  []string
	Stale    []string // path and state of each file that differs; only with Check
	Costs    []report.CostChange
	Notes    []string // texts about variants and host forms that kernels lack
	Warnings []string // texts about variables that launches cannot check
	Tagged   []string // texts about packages with different files for kernels and for programs
	Timings  []Timing
	Trace    load.Trace
}

// Timing is the duration of one part of Generate's work.
type Timing struct {
	Name string
	Took time.Duration
}

// Generate compiles the kernels of the packages and writes the stubs, which launch the kernels. The
// diagnostics are about the user's code. For a package with diagnostics, no files are written. If
// there is a problem that is not about the user's code, Generate returns an error.
func Generate(ctx context.Context, cfg Config) (res *Result, diags diag.List, err error) {
	res = &Result{}
	defer func() {
		if p := recover(); p != nil {
			err = diag.InternalError("", fmt.Errorf("%v\n%s", p, debug.Stack()))
		}
	}()
	if cfg.Dump != "" && !validDump(cfg.Dump) {
		return res, nil, fmt.Errorf("no form of kernels is called %q; there are %v", cfg.Dump, DumpNames())
	}
	if err := quirks.CheckDisabled(cfg.Disabled); err != nil {
		return res, nil, err
	}
	begin := time.Now()
	lap := func(name string) {
		now := time.Now()
		res.Timings = append(res.Timings, Timing{name, now.Sub(begin)})
		begin = now
	}
	prog, diags, err := load.Load(ctx, cfg.loadConfig())
	lap("load")
	if prog != nil {
		res.Trace, prog.Disabled = prog.Trace, cfg.Disabled
		for _, t := range prog.Tagged {
			res.Tagged = append(res.Tagged, t.String())
		}
	}
	if err != nil || prog == nil {
		return res, diags, err
	}
	sound := len(diags) == 0 // if sound is false, the kernels are compiled only to find more errors
	compiled := compileAll(ctx, prog, &cfg)
	lap("compile")
	var outputs []*stubOutput
	var errs []error
	for _, pkg := range prog.Packages {
		out := &stubOutput{pkg: pkg}
		ok := true
		for _, k := range pkg.Kernels {
			if k.Fn == nil {
				continue // package load reports the errors of this kernel
			}
			c := compiled[k]
			diags = append(diags, c.diags...)
			if c.err != nil {
				errs = append(errs, c.err)
			}
			ok = ok && c.err == nil && len(c.diags) == 0
			if cfg.DumpTo != nil {
				cfg.DumpTo.Write(c.dump.Bytes())
			}
			out.kernels = append(out.kernels, c.stub)
			if c.form != nil {
				out.forms = append(out.forms, c.form)
			}
			for _, lack := range c.lacks {
				res.Notes = append(res.Notes, fmt.Sprintf("%s has %v", k.FullName(), lack))
			}
			for _, name := range c.unwatchedVars {
				res.Warnings = append(res.Warnings, fmt.Sprintf("%s has the value of %s, which its stubs cannot import: a package that kgen does not load must not write that variable", k.FullName(), name))
			}
			if c.noForm != nil {
				res.Notes = append(res.Notes, fmt.Sprintf("%s has no host form: %v", k.FullName(), c.noForm))
			}
		}
		if !pkg.Main {
			diags.Add(diag.Load, prog.DiagPos(pkg.Kernels[0].Pos), "run kgen in that module",
				"package %s belongs to another module (%s)", pkg.PkgPath, cmp.Or(pkg.ModulePath, "none"))
			ok = false
		}
		if ok {
			outputs = append(outputs, out)
		}
		res.Packages++
		res.Kernels += len(pkg.Kernels)
	}
	diags.Sort()
	if cfg.Dump != "" || !sound {
		return res, diags, errors.Join(errs...)
	}
	dir, err := filepath.Abs(cmp.Or(cfg.Dir, "."))
	if err != nil {
		return res, diags, err
	}
	var checking time.Duration // duration of type-checking generated code
	check := func(p *load.Package, importPath string, texts []load.Text) []*load.TextError {
		begin := time.Now()
		defer func() { checking += time.Since(begin) }()
		return prog.CheckTexts(p, importPath, texts)
	}
	w := &stubWriter{dir: dir, shown: cfg.Show, cfg: &cfg, res: res, prog: prog, names: prog.PackageNames(), check: check}
	for _, out := range outputs {
		if err := w.writeOutput(out); err != nil {
			errs = append(errs, err)
		}
	}
	if len(diags) == 0 && len(errs) == 0 {
		if err := w.sweepModule(prog.Packages); err != nil {
			errs = append(errs, err)
		}
	}
	begin = begin.Add(checking)
	res.Timings = append(res.Timings, Timing{"check", checking})
	lap("write")
	if cfg.Strict && len(res.Notes) > 0 {
		errs = append(errs, errors.New(strings.Join(res.Notes, "\n")))
	}
	if cfg.Check && len(res.Stale) > 0 {
		errs = append(errs, ErrStale)
	}
	return res, diags, errors.Join(errs...)
}

// kernelResult holds the results of compiling one kernel.
type kernelResult struct {
	stub   gostub.Kernel
	form   *gohost.Form
	noForm error
	lacks  []error
	// unwatchedVars lists the variables in Module.Unwatched.
	unwatchedVars []string
	diags         diag.List
	err           error
	dump          bytes.Buffer
}

// compileAll compiles the kernels in parallel. The order of compilation does not affect the
// results.
func compileAll(ctx context.Context, prog *load.Program, cfg *Config) map[*load.Kernel]*kernelResult {
	all := map[*load.Kernel]*kernelResult{}
	work := make(chan *load.Kernel)
	var wg sync.WaitGroup
	for _, pkg := range prog.Packages {
		for _, k := range pkg.Kernels {
			if k.Fn != nil {
				all[k] = &kernelResult{}
			}
		}
	}
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		wg.Go(func() {
			for k := range work {
				all[k].runKernel(ctx, &unit{prog, k, cfg.onFollowUpPanic}, cfg.Dump)
			}
		})
	}
	for _, pkg := range prog.Packages {
		for _, k := range pkg.Kernels {
			if all[k] != nil {
				work <- k
			}
		}
	}
	close(work)
	wg.Wait()
	return all
}

// runKernel compiles one kernel. runKernel converts a panic (a bug in kgen) to an error, so that the other kernels are
// still compiled.
func (c *kernelResult) runKernel(ctx context.Context, u *unit, dump string) {
	k := u.k
	defer func() {
		if p := recover(); p != nil {
			c.err = diag.InternalError(k.FullName(), fmt.Errorf("%v\n%s", p, debug.Stack()))
		}
	}()
	if c.err = ctx.Err(); c.err != nil {
		return
	}
	c.dumpSSA(k, dump)
	if dump == dumpSSA {
		return
	}
	m, diags, err := u.compileLoaded(func(form string, m *ir.Module) { c.dumpModule(k, m, dump, form) })
	if c.diags = diags; err != nil {
		c.err = diag.InternalError(k.FullName(), err)
	}
	if m == nil {
		return
	}
	c.lacks, c.unwatchedVars = m.Lacks, m.Unwatched
	c.dumpSPIRV(k, m.Words, dump)
	c.stub = gostub.Kernel{ABI: m.ABI, Doc: k.Doc, Words: m.Words, Variants: m.Variants, Pointer: k.Pointer, RunOnly: !u.prog.Views(k)}
	if c.stub.Late, err = u.lateVariants(m); err != nil {
		c.err = diag.InternalError(k.FullName(), err)
	}
	if c.form, c.noForm = m.Form, m.NoForm; m.Form != nil {
		c.stub.Form = m.Form.New()
	}
	c.dumpForm(k, m, dump)
	for i, s := range m.ABI.Specs {
		if i == 0 || s.Name != m.ABI.Specs[i-1].Name {
			dot := strings.LastIndexByte(s.Name, '.')
			c.stub.Specs = append(c.stub.Specs, gostub.SpecVar{Path: s.Name[:dot], Name: s.Name[dot+1:]})
		}
	}
	for _, s := range k.Shapes() {
		c.stub.Shapes = append(c.stub.Shapes, gostub.Shape(s))
	}
	for i := range k.Leaves {
		c.stub.Args = append(c.stub.Args, argOf(&k.Leaves[i]))
	}
}

// argOf returns the gostub.Arg for a leaf. A leaf is a member of a kernel's receiver that is one
// argument.
func argOf(l *load.Leaf) gostub.Arg {
	t := l.GoType
	if l.Elem != nil {
		t = l.Elem
	}
	a := gostub.Arg{Type: load.TypeExpr(t)}
	for _, s := range l.Path {
		if s.Field != nil {
			a.Path = append(a.Path, gostub.Step{Field: s.Field.Name()})
		} else {
			a.Path = append(a.Path, gostub.Step{Index: s.Index})
		}
	}
	return a
}

// resolvePos converts the file names in a diagnostic of a pass. In diagnostics of passes, file
// names are relative to Go modules. resolvePos replaces them by file names that the user can open.
func resolvePos(prog *load.Program, d *diag.Diagnostic) {
	d.Pos.File = prog.Abs(d.Pos.File)
	for i := range d.Related {
		d.Related[i].Pos.File = prog.Abs(d.Related[i].Pos.File)
	}
}

// placeDiag converts the file names in a diagnostic of a pass, like resolvePos. placeDiag also adds
// the calls that lead to the diagnostic's position, because passes do not report calls.
func placeDiag(prog *load.Program, k *load.Kernel, d *diag.Diagnostic) {
	resolvePos(prog, d)
	calls := prog.Chain(k, d.Pos)
	if d.Code == diag.Divergent && len(calls) > 0 && len(d.Related) > 0 && prog.Returns(d.Related[0].Pos) {
		d.Hint = "guard the loads and stores alone, or return from all that is called behind at the same condition: a return from a function that the kernel calls leads to the code behind the call, and there to other barriers"
	}
	d.Related = append(d.Related, calls...)
}
