package report

// This file records a kernel's module after each pass, for the page.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/emit"
	"github.com/kgen-go/kgen/codegen/view"
)

// A recorder receives a kernel's module after each pass, and each variant. A recorder converts the modules to the
// page's data.
type recorder struct {
	v      *kernelPage
	body   *view.Body
	places map[ir.Pos]int
	order  []ir.Pos // source positions in the order of their indices
	files  map[string]int
	names  *ir.Names // names of values and blocks in the listings of the first module

	built   *ir.Module // clone of the lowered module
	last    view.Listing
	general *emittedModule
	others  map[string]*emittedModule
	fmas    map[*ir.Value]bool // Fma instructions that existed before pass fuse
	fused   []ir.Pos
	err     error
}

// emittedModule holds one of the kernel's modules as SPIR-V, and the page's data about this
// module.
type emittedModule struct {
	view.Module
	spirv *spirv.Module
}

func newRecorder(v *kernelPage) *recorder {
	return &recorder{v: v, body: v.row.Body, places: map[ir.Pos]int{}, files: map[string]int{}, names: ir.NewNames(), others: map[string]*emittedModule{}}
}

// recordStage records the lowered module, the module after a pass, or a variant. The Compiler calls recordStage.
func (r *recorder) recordStage(form string, m *ir.Module) {
	passes := pass.Passes()
	i := slices.IndexFunc(passes, func(p pass.Pass) bool { return p.Name == form })
	switch {
	case form == ir.Built.String():
		r.built = m.Clone()
		r.last = r.toListing(m, m.Lines(r.names))
		r.body.Built = r.last
	case i < 0:
		r.recordVariant(form, m)
	default:
		now := r.toListing(m, m.Lines(r.names))
		if edits := view.Diff(r.last, now); len(edits) > 0 {
			r.body.Passes = append(r.body.Passes, view.Pass{Name: form, Doc: passes[i].Doc, Edits: edits})
		} else {
			r.body.Idle = append(r.body.Idle, form)
		}
		r.last = now
		if i == len(passes)-1 {
			r.general = r.emitAgain(m, m.Lines(r.names))
		}
	}
	switch form {
	case "floats":
		r.fmas = map[*ir.Value]bool{}
		eachFma(m, func(v *ir.Value) { r.fmas[v] = true })
	case pass.HostPoint:
		r.markUniform(m)
	case "fuse":
		eachFma(m, func(v *ir.Value) {
			if !r.fmas[v] {
				r.fused = append(r.fused, v.Pos)
			}
		})
	}
}

func eachFma(m *ir.Module, do func(v *ir.Value)) {
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if v.Op == ir.OpFma {
				do(v)
			}
		}
	}
}

// recordVariant records a finished variant. The values of the variant "words" keep their names from
// the first module, because the variant is made from that module.
func (r *recorder) recordVariant(name string, m *ir.Module) {
	names := ir.NewNames()
	if name == abi.VariantWords {
		names = r.names
	}
	lines := m.Lines(names)
	e := r.emitAgain(m, lines)
	if name == abi.VariantWords {
		e.Edits = view.Diff(r.last, r.toListing(m, lines))
	} else {
		ir := r.toListing(m, lines)
		e.IR = &ir
	}
	r.others[name] = e
}

// toListing converts the text of a module to a listing for the page.
func (r *recorder) toListing(m *ir.Module, lines []ir.Line) view.Listing {
	halves := halvesIn(m)
	l := view.Listing{Text: make([]string, len(lines)), At: make([]int, len(lines))}
	for i, line := range lines {
		l.Text[i], l.At[i] = line.Text+halves.lineNote(line.Value), r.posIndex(line.Pos)
	}
	return l
}

// posIndex returns the index of a source position in the page's list. For an empty position, posIndex returns -1.
func (r *recorder) posIndex(pos ir.Pos) int {
	if pos.File == "" {
		return -1
	}
	n, ok := r.places[pos]
	if !ok {
		file, ok := r.files[pos.File]
		if !ok {
			file = len(r.body.Files)
			r.files[pos.File] = file
			r.body.Files = append(r.body.Files, pos.File)
		}
		n = len(r.order)
		r.places[pos] = n
		r.order = append(r.order, pos)
		r.body.Places = append(r.body.Places, [3]int{file, pos.Line, pos.Col})
	}
	return n
}

// emitAgain emits a finished module as SPIR-V a second time, and finds the line of IR for each
// instruction.
func (r *recorder) emitAgain(m *ir.Module, lines []ir.Line) *emittedModule {
	sm, origins, err := emit.EmitWithOrigins(m)
	if err != nil {
		r.err = err
		return &emittedModule{}
	}
	at := map[emit.Origin]int{}
	for i, l := range lines {
		if l.Value != nil || l.Block != nil {
			at[emit.Origin{Value: l.Value, Block: l.Block, Ends: l.Ends}] = i
		}
	}
	e := &emittedModule{spirv: sm}
	for _, o := range origins {
		line, ok := at[o]
		if !ok {
			line = -1
		}
		e.From = append(e.From, line)
	}
	e.Text = spirv.Lines(sm)
	return e
}

// markUniform marks values that are equal for all work-items of a work-group, and blocks that
// all these work-items reach.
func (r *recorder) markUniform(m *ir.Module) {
	clone, u := pass.Common(m)
	values, blocks := map[int]*ir.Value{}, map[int]*ir.Block{}
	for _, b := range clone.Kernel.Blocks {
		blocks[b.ID] = b
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			values[v.ID] = v
		}
	}
	mark := func(marks string, number int, same bool) string {
		if number < 0 {
			return marks
		}
		if n := number + 1 - len(marks); n > 0 {
			marks += strings.Repeat(".", n)
		}
		sign := "d"
		if same {
			sign = "u"
		}
		return marks[:number] + sign + marks[number+1:]
	}
	for _, b := range m.Kernel.Blocks {
		if c := blocks[b.ID]; c != nil {
			r.body.Blocks = mark(r.body.Blocks, r.names.Block(b), u.Block(c))
		}
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			if w := values[v.ID]; w != nil && v.Type != ir.TypeVoid {
				r.body.Values = mark(r.body.Values, r.names.Value(v), u.Value(w))
			}
		}
	}
}

// addModules adds the modules of the compiled kernel m to the page.
func (r *recorder) addModules(m *Compiled) error {
	if r.err == nil && !slices.Equal(r.general.spirv.Words(), m.Words) {
		r.err = fmt.Errorf("the page would have another module")
	}
	for i, row := range m.ABI.Variants {
		e := r.others[row.Name]
		if e == nil {
			e = &emittedModule{} // the variant is derived from another variant; the page shows only its size
		} else if r.err == nil && !slices.Equal(e.spirv.Words(), m.Variants[i]) {
			r.err = fmt.Errorf("the page would have another module %s", row.Name)
		}
		r.others[row.Name] = e
	}
	if r.err != nil {
		return diag.InternalError(r.v.k.FullName(), r.err)
	}
	r.general.Bytes = 4 * len(m.Words)
	r.body.Modules = append(r.body.Modules, r.general.Module)
	for i, row := range m.ABI.Variants {
		e := r.others[row.Name]
		e.Name, e.Bytes = row.Name, 4*len(m.Variants[i])
		e.Late = m.Late != nil && m.Late(row.Name)
		for _, a := range row.Without {
			e.Without = append(e.Without, a.String())
		}
		r.body.Modules = append(r.body.Modules, e.Module)
	}
	return nil
}

// addExcerpts adds the source of all positions on the page. The declarations of the kernel
// itself are listed before all others.
func (v *kernelPage) addExcerpts() {
	at := []ir.Pos{v.prog.Pos(v.k.Pos)}
	if v.k.Fn != nil {
		at = append(at, v.prog.Pos(v.k.Fn.Pos()))
	}
	b := v.row.Body
	for _, p := range b.Places {
		at = append(at, ir.Pos{File: b.Files[p[0]], Line: p[1], Col: p[2]})
	}
	add := func(p view.Pos) { at = append(at, ir.Pos(p)) }
	for _, p := range b.Problems {
		add(p.Pos)
		for _, r := range p.Related {
			add(r.Pos)
		}
	}
	for _, s := range b.Slices {
		add(s.Pos)
	}
	for _, e := range v.prog.Excerpts(at) {
		b.Source = append(b.Source, view.Excerpt{File: e.File, Line: e.Line, Text: e.Lines})
	}
}
