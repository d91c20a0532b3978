package constinit

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Reason is the construct that could not be evaluated, and because of which a value is not known.
type Reason struct {
	Pos  token.Pos
	Text string // "it calls os.Getenv"
	// Inner is the construct within the function that Text names. In is the name of the function
	// that contains Inner: the same function, or one that it calls. Inner is nil if it is not
	// known.
	Inner *Reason
	In    string
}

// Describe returns the reason as text, with places as place prints them: "at a.go:3:9 it calls b.F:
// in b.G, at b.go:7:2, it uses a map".
func (r *Reason) Describe(place func(token.Pos) string) string {
	text := fmt.Sprintf("at %s %s", place(r.Pos), r.Text)
	for r.Inner != nil {
		in := r.In
		r = r.Inner
		text += fmt.Sprintf(": in %s, at %s, %s", in, place(r.Pos), r.Text)
	}
	return text
}

// begun records the instructions in progress.
type begun struct {
	at      ssa.Instruction // the last instruction begun in the package, in the call within
	within  *runFrame
	inner   ssa.Instruction // the last instruction of another package after at, in the call innerOf
	innerOf *runFrame
	stopped *Reason // reason why the instruction could not be run, if one was given
}

// begin records the last instruction that was begun. For users the call that leads to another
// package is clearer than the instruction in that package, so both are kept.
func (f *runFrame) begin(in ssa.Instruction) {
	if f.fn.Pkg == nil || f.fn.Pkg == f.r.pkg { // generic functions have no package
		f.r.at, f.r.within, f.r.inner, f.r.innerOf = in, f, nil, nil
		return
	}
	f.r.inner, f.r.innerOf = in, f
}

// tooLong returns the reason for reaching the limit of steps.
func (r *initRun) tooLong() *Reason {
	steps := maxSteps
	if r.limit == maxAllSteps {
		steps = maxAllSteps // including the steps of other variables
	}
	return &Reason{Pos: r.at.Pos(), Text: fmt.Sprintf("it takes more than %d million steps", steps/1_000_000)}
}

// why returns the reason why an instruction of a package's initializer could not be run. The reason
// is the construct that stopped it, an unknown operand, or the instruction that was begun last,
// possibly in a call.
func (f *runFrame) why(in ssa.Instruction) *Reason {
	r, stopped := f.r, f.r.stopped
	if stopped != nil {
		return stopped
	}
	if w := f.lacks(in); w != nil || r.at == nil {
		return w
	}
	if w := r.within.lacks(r.at); w != nil {
		return w
	}
	w := &Reason{Pos: r.at.Pos(), Text: does(r.at)}
	if w.Text == "" {
		return nil
	}
	if !w.Pos.IsValid() {
		w.Pos = in.Pos()
	}
	w.Inner, w.In = r.innermost()
	return w
}

// innermost returns the construct at which the evaluation of a call of another package ended, and
// the name of the function that contains it; or nil.
func (r *initRun) innermost() (*Reason, string) {
	if r.inner == nil {
		return nil, ""
	}
	in := r.innerOf.fn.RelString(nil)
	if w := r.innerOf.lacks(r.inner); w != nil {
		return w, in
	}
	w := &Reason{Pos: r.inner.Pos(), Text: does(r.inner)}
	if w.Text == "" || !w.Pos.IsValid() {
		return nil, ""
	}
	return w, in
}

// lacks returns the reason for an unknown operand of an instruction, if there is one.
func (f *runFrame) lacks(in ssa.Instruction) *Reason {
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		if *op == nil {
			continue
		}
		if x, ok := f.known(*op).(Unknown); ok && x.Why != nil {
			return x.Why
		}
	}
	return nil
}

// does describes an instruction that cannot be run, or returns "".
func does(in ssa.Instruction) string {
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

// whyAny returns the reason why a value, or a part of a value, is not known, or nil.
func whyAny(vs []any) *Reason {
	for _, v := range vs {
		var w *Reason
		switch v := v.(type) {
		case Unknown:
			w = v.Why
		case []any:
			w = whyAny(v)
		case Slice:
			for _, e := range v.elems { // only one level, since a slice may contain itself
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

// unknownFor returns the reason why a variable is not known, or nil.
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
