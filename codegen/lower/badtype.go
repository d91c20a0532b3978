package lower

// This file reports types that a kernel cannot use.

import (
	"go/token"
	"go/types"

	"github.com/kgen-go/kgen/codegen/diag"
)

// badType returns the diagnostic code and the hint for a value of a type that kernels do not
// support.
func badType(t types.Type) (diag.Code, string) {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return diag.Map, "use a slice, or a table indexed by a number"
	case *types.Chan:
		return diag.Channel, "use work-group memory and barriers"
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return diag.Unsafe, "index slices"
		}
		if t.Info()&types.IsString != 0 {
			return diag.String, "make the text on the host, or keep bytes in a slice"
		}
	case *types.Interface, *types.Signature:
		return diag.DynamicCall, "use a type parameter, or a branch for each type or function"
	}
	return diag.Type, "keep numbers there, such as an index"
}

// isDeferStack reports whether t is the type of a defer stack. A defer stack is an argument that
// go/ssa adds to the body of a range-over-func loop with defer statements.
func isDeferStack(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if ok {
		t = p.Elem()
	}
	return t.String() == "$ssa.deferStack"
}

// reportLost returns a badVal for an expression that could not be lowered. If no error has been
// reported yet, reportLost reports an error, because every badVal must have a diagnostic.
func (l *lowerer) reportLost(t types.Type) val {
	if isDeferStack(t) { // the reason is reported by package check
		return l.zeroValue(t)
	}
	if len(l.diags) == 0 && len(l.refused) == 0 && !l.foresight.repeat {
		code, hint := badType(t)
		l.errorf(code, token.NoPos, hint, "what this value of type %v is cannot be known when the kernel is generated", t)
	}
	return badVal{}
}
