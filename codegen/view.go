package codegen

// This file creates the page that shows compiled kernels.

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/report"
	"github.com/kgen-go/kgen/codegen/view"
)

// View compiles the kernels of the packages in the same way as Generate, but writes no files. The
// results are the page that shows the compiled kernels, and the absolute paths of the main module's
// source folders. View uses only Dir, Patterns and Env of the configuration. The diagnostics are
// about the user's code. The page shows the kernels that compile, and the diagnostics of the
// others. For a problem that is not a diagnostic, View returns an error.
func View(ctx context.Context, cfg Config) (page *view.Page, folders []string, diags diag.List, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = diag.InternalError("", fmt.Errorf("%v\n%s", p, debug.Stack()))
		}
	}()
	prog, diags, err := load.Load(ctx, cfg.loadConfig())
	if err != nil {
		return nil, nil, diags, err
	}
	page, diags, err = report.Page(ctx, cmp.Or(strings.Join(cfg.Patterns, " "), "."), prog, diags, func(k *load.Kernel, after func(form string, m *ir.Module)) (*report.Compiled, diag.List, error) {
		m, diags, err := Compile(prog, k, after)
		if m == nil {
			return nil, diags, err
		}
		return &report.Compiled{ABI: m.ABI, Words: m.Words, Variants: m.Variants, Lacks: m.Lacks, Late: (&unit{prog: prog, k: k}).isLate}, diags, err
	})
	if prog != nil {
		folders = prog.Folders()
	}
	return page, folders, diags, err
}
