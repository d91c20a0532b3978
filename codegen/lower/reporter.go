package lower

// This file reports errors.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// A reporter reports errors in the kernel, but suppresses errors that are only consequences of
// other errors.
type reporter struct {
	*builder
	k       *load.Kernel
	diags   diag.List
	globals map[*ssa.Global]val      // values of package-level variables
	refused map[ssa.Instruction]bool // instructions that package check refuses
}

// errorf reports a diagnostic at p, or at the current instruction if p is not valid. If the current
// instruction uses a bad value, errorf reports nothing, because an error has been reported for that
// value.
func (r *reporter) errorf(code diag.Code, p token.Pos, hint, format string, args ...any) {
	if r.frame == nil || !r.usesBad(r.frame.cur) {
		r.addDiag(code, p, hint, format, args...)
	}
}

// addDiag adds a diagnostic even if the current instruction uses a bad value. The diagnostic
// includes the chain of calls that leads to the instruction.
func (r *reporter) addDiag(code diag.Code, p token.Pos, hint, format string, args ...any) {
	for i, a := range args {
		if t, ok := a.(types.Type); ok {
			args[i] = types.TypeString(t, r.qualifier)
		}
	}
	if !p.IsValid() {
		p = r.pos
	}
	// If the position p is still the position of the call, the error has the position of the called
	// function instead.
	if f := r.frame; f != nil && f.caller != nil && p == f.callPos && f.fn.Syntax() != nil && (p < f.fn.Syntax().Pos() || p >= f.fn.Syntax().End()) {
		p = f.fn.Pos()
	}
	r.addCalls(r.diags.Add(code, r.prog.DiagPos(p), hint, format, args...))
}

// qualifier returns the name of a package for messages. The name is empty for the kernel's own
// package.
func (r *reporter) qualifier(p *types.Package) string {
	if p == r.k.Pkg.Types {
		return ""
	}
	return p.Name()
}

// addCalls adds to d the calls that lead to the current instruction.
func (w *builder) addCalls(d *diag.Diagnostic) {
	for f := w.frame; f != nil && f.caller != nil; f = f.caller {
		d.Related = append(d.Related, diag.Related{Pos: w.prog.DiagPos(f.callPos),
			Message: "called here from " + load.FuncText(f.caller.fn)})
	}
	w.prog.AddSite(d)
}

// usesBad reports whether an operand of an instruction is bad.
func (r *reporter) usesBad(in ssa.Instruction) bool {
	if _, ok := in.(*ssa.If); ok || in == nil {
		return false // a branch is lowered even if its condition is bad
	}
	var ops [8]*ssa.Value
	return slices.ContainsFunc(in.Operands(ops[:0]), func(op *ssa.Value) bool {
		if g, ok := (*op).(*ssa.Global); ok {
			return isBad(r.globals[g])
		}
		if c := r.frame.outs[*op]; c != nil && c.bad {
			return true
		}
		return isBad(r.frame.vals[*op])
	})
}
