package codegen

// This file compiles kernels only to find errors.

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// Diagnose compiles the kernels of the packages and returns the same diagnostics as Generate, but
// writes nothing. Diagnose uses only the fields Dir, Patterns, Env, Tags, Show and Overlay of the
// configuration.
func Diagnose(ctx context.Context, cfg Config) (diags diag.List, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = diag.InternalError("", fmt.Errorf("%v\n%s", p, debug.Stack()))
		}
	}()
	prog, diags, err := load.Load(ctx, cfg.loadConfig())
	if err != nil || prog == nil {
		return diags, err
	}
	var errs []error
	for _, c := range compileAll(ctx, prog, &Config{onFollowUpPanic: cfg.onFollowUpPanic}) {
		diags = append(diags, c.diags...)
		errs = append(errs, c.err)
	}
	diags.Sort()
	return diags, errors.Join(errs...)
}
