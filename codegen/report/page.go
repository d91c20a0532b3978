package report

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/view"
)

// Compiled is a compiled kernel. The struct holds the kernel's description, and the SPIR-V words of
// its modules in the order of codegen.Module.
type Compiled struct {
	ABI      *abi.Kernel
	Words    []uint32
	Variants [][]uint32
	Lacks    []error // reasons why variants are missing
	// Late reports whether programs make the module of a variant at run time. Late may be nil.
	Late func(variant string) bool
}

// Compiler is the type of codegen.Compile, which compiles one kernel. The function in parameter
// after is called with the lowered module, with the module after each pass, and with each variant.
type Compiler func(k *load.Kernel, after func(form string, m *ir.Module)) (*Compiled, diag.List, error)

// Page returns the page that shows a program's kernels. Parameter diags holds the diagnostics of
// loading. The second result contains the diagnostics of loading and of compilation. Parameter prog
// is nil if loading failed.
func Page(ctx context.Context, title string, prog *load.Program, diags diag.List, compile Compiler) (*view.Page, diag.List, error) {
	page := &view.Page{Title: title}
	if prog == nil {
		page.Problems = (&viewer{}).problems(diags)
		return page, diags, nil
	}
	var kernels []*viewer
	for _, pkg := range prog.Packages {
		for _, k := range pkg.Kernels {
			kernels = append(kernels, &viewer{prog: prog, k: k, compile: compile})
		}
	}
	work := make(chan *viewer)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(kernels)) {
		wg.Go(func() {
			for v := range work {
				v.run(ctx, diags)
			}
		})
	}
	for _, v := range kernels {
		work <- v
	}
	close(work)
	wg.Wait()
	// The page does not repeat a kernel's diagnostics for the package.
	page.Problems = (&viewer{prog: prog}).problems(slices.DeleteFunc(slices.Clone(diags), func(d *diag.Diagnostic) bool {
		return slices.ContainsFunc(kernels, func(v *viewer) bool { return slices.Contains(v.loaded, d) })
	}))
	diags = slices.Clone(diags)
	var errs []error
	for _, v := range kernels {
		page.Kernels = append(page.Kernels, v.row)
		diags, errs = append(diags, v.diags...), append(errs, v.err)
	}
	diags.Sort()
	return page, diags, errors.Join(errs...)
}

// A viewer creates the part of the page that shows one kernel.
type viewer struct {
	prog    *load.Program
	k       *load.Kernel
	compile Compiler
	row     view.Kernel
	err     error
	diags   diag.List
	// The list loaded holds the diagnostics of loading that are about the kernel.
	loaded diag.List

	names map[string]string // maps a file name in diagnostics to the file name in the page's positions
}

// The method run compiles the kernel. Parameter loaded holds all diagnostics of loading.
func (v *viewer) run(ctx context.Context, loaded diag.List) {
	k := v.k
	v.row = view.Kernel{
		Name: k.Name, Package: k.Pkg.PkgPath, Pos: v.pos(v.prog.DiagPos(k.Pos)),
		Doc: strings.TrimSpace(k.Doc), Shape: shapeText(k), Body: &view.Body{},
	}
	defer func() {
		if p := recover(); p != nil {
			v.err = diag.InternalError(k.FullName(), fmt.Errorf("%v\n%s", p, debug.Stack()))
		}
		if v.err != nil {
			v.row.Failed = true
			v.row.Body = &view.Body{Problems: []view.Problem{{Pos: v.row.Pos, Message: v.err.Error()}}}
			v.excerpts()
		}
	}()
	if v.err = ctx.Err(); v.err != nil {
		return
	}
	for _, d := range loaded {
		if v.prog.Concerns(k, d.Pos) {
			v.loaded = append(v.loaded, d)
		}
	}
	if k.Fn == nil {
		v.fail()
		return
	}
	r := newRecorder(v)
	m, diags, err := v.compile(k, r.after)
	if v.diags = diags; err != nil {
		v.err = diag.InternalError(k.FullName(), err)
		return
	}
	if m == nil || len(v.loaded) > 0 {
		v.fail()
		return
	}
	if v.err = r.finish(m); v.err == nil {
		v.facts(m, r)
		v.excerpts()
	}
}

// The method fail adds to the page the diagnostics of a kernel that does not compile.
func (v *viewer) fail() {
	all := slices.Concat(v.loaded, v.diags)
	all.Sort()
	v.row.Failed = true
	v.row.Body = &view.Body{Problems: v.problems(all)}
	v.excerpts()
}

func (v *viewer) problems(diags diag.List) []view.Problem {
	var list []view.Problem
	for _, d := range diags {
		p := view.Problem{Pos: v.pos(d.Pos), Code: d.Code.String(), Message: d.Message, Hint: d.Hint}
		for _, r := range d.Related {
			p.Related = append(p.Related, view.Problem{Pos: v.pos(r.Pos), Message: r.Message})
		}
		list = append(list, p)
	}
	return list
}

// The method pos returns a position for the page. The position does not depend on the folder in
// which the module is stored.
func (v *viewer) pos(at diag.Pos) view.Pos {
	if at.Line == 0 {
		return view.Pos{}
	}
	name, ok := v.names[at.File]
	if !ok {
		if name = at.File; v.prog != nil {
			name = v.prog.Canonical(at.File)
		}
		if v.names == nil {
			v.names = map[string]string{}
		}
		v.names[at.File] = name
	}
	return view.Pos{File: name, Line: at.Line, Col: at.Col}
}

// shapeText returns a text for the kind of a kernel's launches and their rank, such as "range, 2
// dimensions".
func shapeText(k *load.Kernel) string {
	if k.Form == abi.Task || k.Formless {
		return "task"
	}
	text := "range"
	if k.Form == abi.NDRange {
		text = "nd-range"
	}
	if k.Rank == 1 {
		return text + ", 1 dimension"
	}
	return fmt.Sprintf("%s, %d dimensions", text, k.Rank)
}
