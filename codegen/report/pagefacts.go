package report

// This file adds the results of kgen -explain to the page that Page makes.

import (
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/view"
)

// addFacts adds the results of kgen -explain, and other results of the compiler, to a kernel's data
// on the page.
func (v *kernelPage) addFacts(m *Compiled, r *recorder) {
	s, b := sourceText{v.prog, v.k}, v.row.Body
	var matrices []pass.MatrixUse
	if pass.HasMatrices(r.built) {
		matrices = pass.ExplainMatrices(r.built)
	}
	report, diags := pass.Explain(r.built)
	if len(diags) > 0 {
		v.err = diag.InternalError(v.k.FullName(), diags[0])
		return
	}
	report.Matrices, report.MatrixMemory = matrices, pass.ExplainMatrixMemory(r.built)
	b.Matrices = v.pageMatrices(s.matrixUses(report), matrixMemory(report))
	checks := s.checks(report)
	b.Checks = &view.Checks{Proved: []view.Proved{}, Remain: v.pageFindings(checks.Remain)}
	for _, p := range checks.Proved {
		b.Checks.Proved = append(b.Checks.Proved, view.Proved{By: string(p.By), Count: p.Count})
	}
	integers := s.integers(report)
	b.Integers = &view.Integers{Narrowed: integers.Narrowed, Remain: v.pageFindings(integers.Remain)}
	for _, u := range s.describeFusion(report) {
		b.Slices = append(b.Slices, view.Slice{Name: u.Slice, Use: u.String(), Pos: v.pagePos(u.Pos)})
	}
	b.Fused = v.pageFindings(s.fusedSums(r.fused))
	b.Float = r.built.Float.String()
	b.Args = argBlock(m.ABI)
	for _, use := range m.ABI.Uses {
		text := use.Aspect.String()
		if n := len(use.Chain); n > 0 {
			text += fmt.Sprintf(": %s, %s", use.Chain[n-1].Func, use.Chain[n-1].Pos)
		}
		b.Aspects = append(b.Aspects, text)
	}
	for _, lack := range m.Lacks {
		b.Lacks = append(b.Lacks, lack.Error())
	}
	v.row.Checks, v.row.Wide, v.row.Fused = times(checks.Remain), times(integers.Remain), len(r.fused)
	v.row.Spilled, v.row.Bytes = m.ABI.Spilled, 4*len(m.Words)
}

// pageMatrices returns the page's lines about the matrices of a kernel.
func (v *kernelPage) pageMatrices(uses []MatrixUse, memory []MatrixMemory) (lines []view.Matrix) {
	for _, m := range memory {
		lines = append(lines, view.Matrix{Text: m.String()})
	}
	for _, u := range uses {
		lines = append(lines, view.Matrix{Text: u.String()})
		for _, t := range u.Tiles {
			lines = append(lines, view.Matrix{Text: t.String(), Pos: v.pagePos(t.Pos)})
		}
	}
	return lines
}

// pageFindings converts a report's findings to the page's type.
func (v *kernelPage) pageFindings(fs []Finding) []view.Finding {
	list := []view.Finding{}
	for _, f := range fs {
		why := f.Why
		if f.Ahead {
			why += "; it is made once, ahead of its loops"
		}
		list = append(list, view.Finding{Pos: v.pagePos(f.Pos), Kind: f.Kind, Expr: f.Expr, Why: why, Hint: f.Hint, Times: f.Times})
	}
	return list
}

// fusedSums describes the sums that the compiler fused with a product.
func (s sourceText) fusedSums(at []ir.Pos) []Finding {
	var fs []Finding
	for _, pos := range at {
		e, ok := s.prog.Expr(pos)
		if !ok {
			e.Text = s.prog.Line(pos) // for example, x += y*z
		}
		fs = append(fs, Finding{Pos: s.pos(pos), Kind: "fused", Expr: e.Text, Times: 1,
			Why: "the product and the sum are one operation, which rounds once where the device has it"})
	}
	return mergeFindings(fs)
}

// argBlock describes the kernel's argument block.
func argBlock(k *abi.Kernel) view.Args {
	a := view.Args{Bytes: k.ArgSize, Spilled: k.Spilled}
	for _, p := range k.Params {
		text := p.Name + " " + p.Type
		switch {
		case p.Internal > 0:
			text += fmt.Sprintf(": internal, %d elements in variables of each work-item", p.Internal)
		case p.Kind == abi.LocalAccessor:
			text += ": work-group memory"
		case p.Offset < 0:
			text += ": never read, and no argument"
		default:
			text += fmt.Sprintf(": %d bytes at %d", p.Size, p.Offset)
		}
		a.Params = append(a.Params, text)
	}
	return a
}
