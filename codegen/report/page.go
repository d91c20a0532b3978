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

// Compiled holds the description of a compiled kernel, and the SPIR-V words of its modules in the
// order of codegen.Module.
type Compiled struct {
	ABI      *abi.Kernel
	Words    []uint32
	Variants [][]uint32
	Lacks    []error // reasons why variants are missing
	// Late reports whether programs make the module of a variant at run time. Late may be nil.
	Late func(variant string) bool
}

// Compiler is the type of codegen.Compile, which compiles one kernel. A Compiler calls onStage with the lowered module,
// with the module after each pass, and with each variant.
type Compiler func(k *load.Kernel, onStage func(form string, m *ir.Module)) (*Compiled, diag.List, error)

// Page returns the page that shows a program's kernels. The parameter diags holds the diagnostics of loading. The
// second result contains the diagnostics of loading and of compilation. The parameter prog is nil if loading failed.
func Page(ctx context.Context, title string, prog *load.Program, diags diag.List, compile Compiler) (*view.Page, diag.List, error) {
	page := &view.Page{Title: title}
	if prog == nil {
		page.Problems = (&kernelPage{}).problems(diags)
		return page, diags, nil
	}
	var kernels []*kernelPage
	for _, pkg := range prog.Packages {
		for _, k := range pkg.Kernels {
			kernels = append(kernels, &kernelPage{prog: prog, k: k, compile: compile})
		}
	}
	work := make(chan *kernelPage)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(kernels)) {
		wg.Go(func() {
			for v := range work {
				v.compileForPage(ctx, diags)
			}
		})
	}
	for _, v := range kernels {
		work <- v
	}
	close(work)
	wg.Wait()
	// A kernel's diagnostics are omitted from the diagnostics of its package, so that the page
	// shows each diagnostic only once.
	page.Problems = (&kernelPage{prog: prog}).problems(slices.DeleteFunc(slices.Clone(diags), func(d *diag.Diagnostic) bool {
		return slices.ContainsFunc(kernels, func(v *kernelPage) bool { return slices.Contains(v.loadDiags, d) })
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

// A kernelPage creates the part of the page that shows one kernel.
type kernelPage struct {
	prog    *load.Program
	k       *load.Kernel
	compile Compiler
	row     view.Kernel
	err     error
	diags   diag.List
	// loadDiags holds the diagnostics of loading that are about the kernel.
	loadDiags diag.List

	names map[string]string // maps the name of a file in diagnostics to its name in the page's positions
}

// compileForPage compiles the kernel. allDiags holds all diagnostics of loading.
func (v *kernelPage) compileForPage(ctx context.Context, allDiags diag.List) {
	k := v.k
	v.row = view.Kernel{
		Name: k.Name, Package: k.Pkg.PkgPath, Pos: v.pagePos(v.prog.DiagPos(k.Pos)),
		Doc: strings.TrimSpace(k.Doc), Shape: shapeText(k), Body: &view.Body{},
	}
	defer func() {
		if p := recover(); p != nil {
			v.err = diag.InternalError(k.FullName(), fmt.Errorf("%v\n%s", p, debug.Stack()))
		}
		if v.err != nil {
			v.row.Failed = true
			v.row.Body = &view.Body{Problems: []view.Problem{{Pos: v.row.Pos, Message: v.err.Error()}}}
			v.addExcerpts()
		}
	}()
	if v.err = ctx.Err(); v.err != nil {
		return
	}
	for _, d := range allDiags {
		if v.prog.Concerns(k, d.Pos) {
			v.loadDiags = append(v.loadDiags, d)
		}
	}
	if k.Fn == nil {
		v.addFailure()
		return
	}
	r := newRecorder(v)
	m, diags, err := v.compile(k, r.recordStage)
	if v.diags = diags; err != nil {
		v.err = diag.InternalError(k.FullName(), err)
		return
	}
	if m == nil || len(v.loadDiags) > 0 {
		v.addFailure()
		return
	}
	if v.err = r.addModules(m); v.err == nil {
		v.addFacts(m, r)
		v.addExcerpts()
	}
}

// addFailure adds to the page the diagnostics of a kernel that does not compile.
func (v *kernelPage) addFailure() {
	all := slices.Concat(v.loadDiags, v.diags)
	all.Sort()
	v.row.Failed = true
	v.row.Body = &view.Body{Problems: v.problems(all)}
	v.addExcerpts()
}

func (v *kernelPage) problems(diags diag.List) []view.Problem {
	var list []view.Problem
	for _, d := range diags {
		p := view.Problem{Pos: v.pagePos(d.Pos), Code: d.Code.String(), Message: d.Message, Hint: d.Hint}
		for _, r := range d.Related {
			p.Related = append(p.Related, view.Problem{Pos: v.pagePos(r.Pos), Message: r.Message})
		}
		list = append(list, p)
	}
	return list
}

// pagePos returns a position for the page. The position does not depend on the folder in
// which the module is stored.
func (v *kernelPage) pagePos(at diag.Pos) view.Pos {
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

// shapeText describes the launches of a kernel, such as "range, 2 dimensions".
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
