package lower

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// reporter says what is wrong with the kernel, but nothing that follows from something else
// that is.
type reporter struct {
	*builder
	k       *load.Kernel
	diags   diag.List
	globals map[*ssa.Global]val      // the values of package-level variables
	refused map[ssa.Instruction]bool // the instructions that package check refuses
}

// errorf reports a diagnostic at p, or at the current instruction if p is not
// valid, unless it follows from another one.
func (r *reporter) errorf(code diag.Code, p token.Pos, hint, format string, args ...any) {
	if r.frame == nil || !r.follows(r.frame.cur) {
		r.report(code, p, hint, format, args...)
	}
}

// report is errorf for what is wrong whatever the current instruction works on. It adds
// the calls that lead there.
func (r *reporter) report(code diag.Code, p token.Pos, hint, format string, args ...any) {
	for i, a := range args {
		if t, ok := a.(types.Type); ok {
			args[i] = types.TypeString(t, r.qualifier)
		}
	}
	if !p.IsValid() {
		p = r.pos
	}
	// Before the first position within a function, it is the call's.
	if f := r.frame; f != nil && f.caller != nil && p == f.callPos && f.fn.Syntax() != nil && (p < f.fn.Syntax().Pos() || p >= f.fn.Syntax().End()) {
		p = f.fn.Pos()
	}
	r.chained(r.diags.Add(code, r.prog.DiagPos(p), hint, format, args...))
}

// qualifier names packages in messages: the kernel's own not at all.
func (r *reporter) qualifier(p *types.Package) string {
	if p == r.k.Pkg.Types {
		return ""
	}
	return p.Name()
}

// chained adds the calls that lead to what a diagnostic is about.
func (w *builder) chained(d *diag.Diagnostic) {
	for f := w.frame; f != nil && f.caller != nil; f = f.caller {
		d.Related = append(d.Related, diag.Related{Pos: w.prog.DiagPos(f.callPos),
			Message: "called here from " + load.FuncText(f.caller.fn)})
	}
	w.prog.AddSite(d)
}

// follows reports whether an instruction works on a value that is bad.
func (r *reporter) follows(in ssa.Instruction) bool {
	if _, ok := in.(*ssa.If); ok || in == nil {
		return false // where it leads is known
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
