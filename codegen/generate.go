package codegen

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

// Config says what to generate.
type Config struct {
	Dir      string   // working directory; "" is the process's
	Patterns []string // packages, as the go command takes them; none is "."
	Env      []string // environment of the go command; nil is the process's
	Tags     []string // build tags, with which the packages are loaded
	// Show is the folder that printed paths are relative to, instead of Dir.
	Show string
	// Overlay has, for Diagnose, what files contain that are not saved yet, by their
	// absolute names.
	Overlay map[string][]byte

	// Out is the root of what is written, instead of the folder "generated" in
	// the module's root.
	Out string
	// Check writes nothing, and fails with ErrStale if anything would change.
	Check bool
	// Diff, with Check, fills Result.Costs.
	Diff bool
	// Strict makes an error of what Result.Notes would say: a kernel that lacks a variant or
	// its host form.
	Strict bool
	// Modules is where the modules of packages with the directive //kgen:bare are written
	// to, also by Check, and modules that programs make when they load them; see internal/modules.
	// Without Check, nothing else is written.
	Modules string

	// Disabled has what modules are made without, such as "quirk/rotation": workarounds for
	// drivers' bugs, to find out whether a driver still needs them; see package quirks.
	Disabled []string

	// Dump names a form of the kernels to print to DumpTo instead of writing
	// anything: one of DumpNames.
	Dump   string
	DumpTo io.Writer

	onFollowUpPanic func(bug any) // see unit
	// alter, of tests, changes a Go file that is to be written.
	alter func(name string, text []byte) []byte
}

// load returns how the packages are to be loaded.
func (cfg *Config) load() load.Config {
	return load.Config{Dir: cfg.Dir, Patterns: cfg.Patterns, Env: cfg.Env, Tags: cfg.Tags, Show: cfg.Show, Overlay: cfg.Overlay, Intrinsic: lower.Intrinsic, Stubs: cfg.mayWrite}
}

// ModuleRoot returns the folder of the go.mod file that a folder belongs to, or "".
func ModuleRoot(dir string) string { return load.ModuleRoot(dir) }

// CheckDisabled returns an error, which lists the names that there are, unless modules can be
// made without what each of the names stands for.
func CheckDisabled(names []string) error { return quirks.CheckDisabled(names) }

// ErrStale is the error of a check that found files to be out of date.
var ErrStale = errors.New("generated files are out of date")

// Result says what was done. Paths are to print.
type Result struct {
	Packages int
	Kernels  int
	Written  []string
	Removed  []string
	Stale    []string // of a check: a path and what is wrong with it
	Costs    []report.CostChange
	Notes    []string // what is worth knowing of kernels
	Warnings []string // what they rely on that nothing checks
	Tagged   []string // packages that come from other files than in programs, and why
	Timings  []Timing
	Trace    load.Trace
}

// Timing is how long a part of the work took.
type Timing struct {
	Name string
	Took time.Duration
}

// Generate compiles the kernels of the packages and writes the packages that
// launch them. The diagnostics are about the user's code; nothing is written for
// a package that has any. The error is about everything else.
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
	prog, diags, err := load.Load(ctx, cfg.load())
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
	sound := len(diags) == 0 // else the kernels are compiled for what else is wrong
	compiled := compileAll(ctx, prog, &cfg)
	lap("compile")
	var outputs []*output
	var errs []error
	for _, pkg := range prog.Packages {
		out := &output{pkg: pkg}
		ok := true
		for _, k := range pkg.Kernels {
			if k.Fn == nil {
				continue // load says why
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
			for _, name := range c.unwatched {
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
	var checking time.Duration // of what is written
	check := func(p *load.Package, importPath string, texts []load.Text) []*load.TextError {
		begin := time.Now()
		defer func() { checking += time.Since(begin) }()
		return prog.CheckTexts(p, importPath, texts)
	}
	w := &writer{dir: dir, shown: cfg.Show, cfg: &cfg, res: res, prog: prog, names: prog.PackageNames(), check: check}
	for _, out := range outputs {
		if err := w.output(out); err != nil {
			errs = append(errs, err)
		}
	}
	if len(diags) == 0 && len(errs) == 0 {
		if err := w.sweep(prog.Packages); err != nil {
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

// compiled is what became of one kernel.
type compiled struct {
	stub   gostub.Kernel
	form   *gohost.Form
	noForm error
	lacks  []error
	// unwatched is what Module has.
	unwatched []string
	diags     diag.List
	err       error
	dump      bytes.Buffer
}

// compileAll compiles the kernels in parallel. What comes out depends on the
// kernels alone.
func compileAll(ctx context.Context, prog *load.Program, cfg *Config) map[*load.Kernel]*compiled {
	all := map[*load.Kernel]*compiled{}
	work := make(chan *load.Kernel)
	var wg sync.WaitGroup
	for _, pkg := range prog.Packages {
		for _, k := range pkg.Kernels {
			if k.Fn != nil {
				all[k] = &compiled{}
			}
		}
	}
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		wg.Go(func() {
			for k := range work {
				all[k].run(ctx, &unit{prog, k, cfg.onFollowUpPanic}, cfg.Dump)
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

// run compiles one kernel. A bug in kgen, which panics, does not keep it from
// going on with the others.
func (c *compiled) run(ctx context.Context, u *unit, dump string) {
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
	m, diags, err := u.compile(func(form string, m *ir.Module) { c.dumpModule(k, m, dump, form) })
	if c.diags = diags; err != nil {
		c.err = diag.InternalError(k.FullName(), err)
	}
	if m == nil {
		return
	}
	c.lacks, c.unwatched = m.Lacks, m.Unwatched
	c.dumpSPIRV(k, m.Words, dump)
	c.stub = gostub.Kernel{ABI: m.ABI, Doc: k.Doc, Words: m.Words, Variants: m.Variants, Pointer: k.Pointer, RunOnly: !u.prog.Views(k)}
	if c.stub.Late, err = u.late(m); err != nil {
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
		c.stub.Args = append(c.stub.Args, argument(&k.Leaves[i]))
	}
}

// argument describes a leaf to gostub.
func argument(l *load.Leaf) gostub.Arg {
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

// resolve turns positions as modules have them, which passes report, into ones
// that the user can open.
func resolve(prog *load.Program, d *diag.Diagnostic) {
	d.Pos.File = prog.Abs(d.Pos.File)
	for i := range d.Related {
		d.Related[i].Pos.File = prog.Abs(d.Related[i].Pos.File)
	}
}

// place is resolve for what passes report, who know no calls: it adds those that
// lead there.
func place(prog *load.Program, k *load.Kernel, d *diag.Diagnostic) {
	resolve(prog, d)
	calls := prog.Chain(k, d.Pos)
	if d.Code == diag.Divergent && len(calls) > 0 && len(d.Related) > 0 && prog.Returns(d.Related[0].Pos) {
		d.Hint = "guard the loads and stores alone, or return from all that is called behind at the same condition: a return from a function that the kernel calls leads to the code behind the call, and there to other barriers"
	}
	d.Related = append(d.Related, calls...)
}
