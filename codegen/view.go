package codegen

import (
	"cmp"
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
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/view"
)

// View compiles the kernels of the packages as Generate does, writes nothing, and returns the
// page that shows what became of them, and the folders of the sources in the main module, by
// absolute path. Only Dir, Patterns and Env of the configuration matter. The diagnostics are
// about the user's code; they stand in the page, too, beside the kernels that compile. The
// error is about everything else.
func View(ctx context.Context, cfg Config) (page *view.Page, folders []string, diags diag.List, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = internalError("", fmt.Errorf("%v\n%s", p, debug.Stack()))
		}
	}()
	prog, diags, err := load.Load(ctx, cfg.load())
	if err != nil {
		return nil, nil, diags, err
	}
	page = &view.Page{Title: cmp.Or(strings.Join(cfg.Patterns, " "), ".")}
	if prog == nil {
		page.Problems = (&viewer{}).problems(diags)
		return page, nil, diags, nil
	}
	var kernels []*viewer
	for _, pkg := range prog.Packages {
		for _, k := range pkg.Kernels {
			kernels = append(kernels, &viewer{prog: prog, k: k})
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
	// What a kernel shows is no problem of its package.
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
	return page, prog.Folders(), diags, errors.Join(errs...)
}

// viewer makes what the page has of one kernel.
type viewer struct {
	prog  *load.Program
	k     *load.Kernel
	row   view.Kernel
	err   error
	diags diag.List
	// loaded are the diagnostics of loading that concern the kernel.
	loaded diag.List

	names map[string]string // of files, as places have them, by what diagnostics print
}

// run compiles the kernel. loaded are all diagnostics of loading.
func (v *viewer) run(ctx context.Context, loaded diag.List) {
	k := v.k
	v.row = view.Kernel{
		Name: k.Name, Package: k.Pkg.PkgPath, Pos: v.pos(v.prog.DiagPos(k.Pos)),
		Doc: strings.TrimSpace(k.Doc), Shape: shapeText(k), Body: &view.Body{},
	}
	defer func() {
		if p := recover(); p != nil {
			v.err = internalError(k.FullName(), fmt.Errorf("%v\n%s", p, debug.Stack()))
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
	m, diags, err := (&unit{prog: v.prog, k: k}).compile(r.after)
	if v.diags = diags; err != nil {
		v.err = internalError(k.FullName(), err)
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

// fail shows what is wrong with a kernel in the place of what became of it.
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

// pos returns a position with the file as places have it, which is the same wherever the
// module lies.
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

// shapeText says what launches of a kernel look like.
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
