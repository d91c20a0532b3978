package codegen

// This file reports the costs of kernels, and the slice elements that several work-items use.

import (
	"context"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/report"
)

// ExplainPasses compiles kernels and reports the cost of their run-time checks and 64-bit integers.
// ExplainPasses also reports the slice elements that several work-items use. ExplainPasses returns
// the same diagnostics as Generate, but writes no files.
func ExplainPasses(ctx context.Context, cfg Config, what ...string) ([]report.Kernel, diag.List, error) {
	if err := report.CheckNames(what); err != nil {
		return nil, nil, err
	}
	prog, diags, err := load.Load(ctx, cfg.loadConfig())
	if err != nil || len(diags) > 0 {
		return nil, diags, err
	}
	var reports []report.Kernel
	for _, pkg := range prog.Packages {
		for _, k := range pkg.Kernels {
			r, d := explainKernel(prog, k, slices.Contains(what, report.Matrices))
			if diags = append(diags, d...); r == nil {
				continue
			}
			reports = append(reports, report.Of(prog, k, r, what))
		}
	}
	diags.Sort()
	return reports, diags, nil
}

func explainKernel(prog *load.Program, k *load.Kernel, matrices bool) (*pass.Report, diag.List) {
	if k.Fn == nil {
		return nil, nil // package load reports the errors of this kernel
	}
	m, diags := (&unit{prog: prog, k: k}).frontEnd()
	if len(diags) > 0 || k.Unsound {
		return nil, diags
	}
	var own []pass.MatrixUse
	if matrices {
		own = pass.ExplainMatrices(m)
	}
	r, diags := pass.Explain(m)
	if r != nil {
		r.Matrices, r.MatrixMemory = own, pass.ExplainMatrixMemory(m)
	}
	for _, d := range diags {
		placeDiag(prog, k, d)
	}
	return r, diags
}
