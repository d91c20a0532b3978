package constinit

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Reason is the construct that could not be evaluated, so that a value is not known.
type Reason struct {
	Pos  token.Pos
	Text string // "it calls os.Getenv"
	// Inner is the construct within the function that Text names, and In the function which that
	// stands in: the same one, or one that it calls. Inner is nil if nothing is known of it.
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

// begun is what is run at the moment.
type begun struct {
	at      ssa.Instruction // the last one that was begun in the package, in the call within
	within  *runFrame
	inner   ssa.Instruction // the last one after at, of another package, in the call innerOf
	innerOf *runFrame
	stopped *Reason // why it could not be run, where that is said
}

// begin notes which instruction is the last that was begun. Users know the call that leads to
// another package better than what stands there, and so both are kept.
func (f *runFrame) begin(in ssa.Instruction) {
	if f.fn.Pkg == nil || f.fn.Pkg == f.r.pkg { // generic functions have none
		f.r.at, f.r.within, f.r.inner, f.r.innerOf = in, f, nil, nil
		return
	}
	f.r.inner, f.r.innerOf = in, f
}

// tooLong says that the limit of steps is reached.
func (r *initRun) tooLong() *Reason {
	steps := maxSteps
	if r.limit == maxAllSteps {
		steps = maxAllSteps // with those of other variables
	}
	return &Reason{Pos: r.at.Pos(), Text: fmt.Sprintf("it takes more than %d million steps", steps/1_000_000)}
}

// why returns why an instruction of a package's initializer could not be run: for what
// stopped it, for what an operand lacks, or for what the instruction does that was begun
// last, to which a call may have led.
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
// the name of the function that it stands in; or nil.
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

// lacks returns why an operand of an instruction is not known, if one is not.
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

// does says what an instruction does that cannot be run, or "".
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

// whyAny returns the reason for which one of some values, or a part of one, is not known, or nil.
func whyAny(vs []any) *Reason {
	for _, v := range vs {
		var w *Reason
		switch v := v.(type) {
		case Unknown:
			w = v.Why
		case []any:
			w = whyAny(v)
		case Slice:
			for _, e := range v.elems { // one level, since a slice may hold itself
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

// unknownFor returns the reason for which a variable is not known, or nil.
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
