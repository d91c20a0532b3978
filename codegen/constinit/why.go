package constinit

// This file finds the reasons why values are unknown.

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Reason describes a construct that could not be evaluated, so that a value is unknown.
type Reason struct {
	Pos  token.Pos
	Text string // description of the construct, for example "it calls os.Getenv"
	// Inner describes the construct inside a called function that could not be evaluated. If Inner
	// is set, Text names the call, and In is the name of the function that contains the construct
	// of Inner. The function in field In is the called function, or a function that the called
	// function calls directly or indirectly. Inner is nil if the construct that could not be
	// evaluated is not in a called function, or is not known.
	Inner *Reason
	In    string
}

// Describe returns the reason as text, for example "at a.go:3:9 it calls os.Getenv". Parameter
// `place` is a function that converts a position to text.
func (r *Reason) Describe(place func(token.Pos) string) string {
	text := fmt.Sprintf("at %s %s", place(r.Pos), r.Text)
	for r.Inner != nil {
		in := r.In
		r = r.Inner
		text += fmt.Sprintf(": in %s, at %s, %s", in, place(r.Pos), r.Text)
	}
	return text
}

// evaluationPoint identifies the instruction that the evaluation has reached.
type evaluationPoint struct {
	at      ssa.Instruction // last executed instruction of the package's own code; within is the frame of the call that executed it
	within  *runFrame
	inner   ssa.Instruction // last instruction that another package has executed since instruction `at`, or nil; innerOf is the frame of the call that executed it
	innerOf *runFrame
	stopped *Reason // reason why the evaluation ended, if known
}

// recordBegin records the instruction that is about to run. recordBegin keeps the last instruction
// in the package's own code and the last instruction in other packages. A Reason names the call of
// another package's function, because users understand the call better than the code of the other
// package.
func (f *runFrame) recordBegin(in ssa.Instruction) {
	if f.fn.Pkg == nil || f.fn.Pkg == f.r.pkg { // an instance of a generic function has no package, and counts as the package's own code
		f.r.at, f.r.within, f.r.inner, f.r.innerOf = in, f, nil, nil
		return
	}
	f.r.inner, f.r.innerOf = in, f
}

// tooLong returns the reason for an evaluation that has reached its limit of steps.
func (r *initRun) tooLong() *Reason {
	steps := maxSteps
	if r.limit == maxAllSteps {
		steps = maxAllSteps // maxAllSteps limits the steps for all variables of the package
	}
	return &Reason{Pos: r.at.Pos(), Text: fmt.Sprintf("it takes more than %d million steps", steps/1_000_000)}
}

// reasonFor returns the reason why an instruction of a package's initializer could not be run. The
// returned reason comes from the panic that ended the instruction, or from an unknown operand. If
// there was neither a panic nor an unknown operand, the reason is the last instruction that was
// run, which may be in a called function.
func (f *runFrame) reasonFor(in ssa.Instruction) *Reason {
	r, stopped := f.r, f.r.stopped
	if stopped != nil {
		return stopped
	}
	if w := f.unknownOperand(in); w != nil || r.at == nil {
		return w
	}
	if w := r.within.unknownOperand(r.at); w != nil {
		return w
	}
	w := &Reason{Pos: r.at.Pos(), Text: operationText(r.at)}
	if w.Text == "" {
		return nil
	}
	if !w.Pos.IsValid() {
		w.Pos = in.Pos()
	}
	w.Inner, w.In = r.innermostReason()
	return w
}

// innermostReason describes the end of the evaluation. If a construct in another package ended the
// evaluation, innermostReason returns the construct and the name of its function. If the evaluation
// ended in the package's own code, innermostReason returns nil.
func (r *initRun) innermostReason() (*Reason, string) {
	if r.inner == nil {
		return nil, ""
	}
	in := r.innerOf.fn.RelString(nil)
	if w := r.innerOf.unknownOperand(r.inner); w != nil {
		return w, in
	}
	w := &Reason{Pos: r.inner.Pos(), Text: operationText(r.inner)}
	if w.Text == "" || !w.Pos.IsValid() {
		return nil, ""
	}
	return w, in
}

// unknownOperand returns the reason why an operand of an instruction is unknown. If all operands
// are known, unknownOperand returns nil.
func (f *runFrame) unknownOperand(in ssa.Instruction) *Reason {
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		if *op == nil {
			continue
		}
		if x, ok := f.valueOrUnknown(*op).(Unknown); ok && x.Why != nil {
			return x.Why
		}
	}
	return nil
}

// operationText returns a text about the operation of an instruction that cannot be run, or "" if
// no text fits.
func operationText(in ssa.Instruction) string {
	overMap := func(t types.Type) bool { _, ok := t.Underlying().(*types.Map); return ok }
	switch in := in.(type) {
	case ssa.CallInstruction:
		if _, ok := in.(*ssa.Go); ok {
			return "it starts a goroutine"
		}
		switch fn := in.Common().Value.(type) {
		case *ssa.Builtin:
			if len(in.Common().Args) > 0 && overMap(in.Common().Args[0].Type()) {
				return "it uses a map"
			}
		case *ssa.Function:
			return "it calls " + fn.RelString(nil)
		}
	case *ssa.MakeMap, *ssa.MapUpdate:
		return "it uses a map"
	case *ssa.Lookup:
		if overMap(in.X.Type()) {
			return "it uses a map"
		}
	case *ssa.MakeChan, *ssa.Send, *ssa.Select:
		return "it uses a channel"
	case *ssa.Panic:
		return "it panics"
	}
	return ""
}

// whyAny returns the reason why a value in the list vs is unknown, or why a field or element of a
// value in vs is unknown. If all values are known, whyAny returns nil.
func whyAny(vs []any) *Reason {
	for _, v := range vs {
		var w *Reason
		switch v := v.(type) {
		case Unknown:
			w = v.Why
		case []any:
			w = whyAny(v)
		case Slice:
			for _, e := range v.elems { // whyAny does not search the elements of elements, because a slice may contain itself
				if u, ok := e.v.(Unknown); ok && u.Why != nil {
					return u.Why
				}
			}
		}
		if w != nil {
			return w
		}
	}
	return nil
}

// unknownFor returns the reason why a variable's value is unknown, or nil.
func (b *Var) unknownFor() *Reason {
	if w := whyAny([]any{b.v}); w != nil {
		return w
	}
	for _, e := range b.elems {
		if w := e.unknownFor(); w != nil {
			return w
		}
	}
	return nil
}
