package lower

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// reason is why a value is not known: what could not be run.
type reason struct {
	pos  token.Pos
	what string // "it calls os.Getenv"
}

// begun is what is run at the moment.
type begun struct {
	at      ssa.Instruction // the last one that was begun, in the call within
	within  *runFrame
	stopped *reason // why it could not be run, where that is said
}

// begin notes which instruction is the last that was begun. That of another package
// would say less than the call that leads to it.
func (f *runFrame) begin(in ssa.Instruction) {
	if f.fn.Pkg == nil || f.fn.Pkg == f.r.pkg { // generic functions have none
		f.r.at, f.r.within = in, f
	}
}

// tooLong says that the limit of steps is reached.
func (r *initRun) tooLong() *reason {
	steps := maxSteps
	if r.limit == maxAllSteps {
		steps = maxAllSteps // with those of other variables
	}
	return &reason{r.at.Pos(), fmt.Sprintf("it takes more than %d million steps", steps/1_000_000)}
}

// why returns why an instruction of a package's initializer could not be run: for what
// stopped it, for what an operand lacks, or for what the instruction does that was begun
// last, to which a call may have led.
func (f *runFrame) why(in ssa.Instruction) *reason {
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
	w := &reason{r.at.Pos(), does(r.at)}
	if w.what == "" {
		return nil
	}
	if !w.pos.IsValid() {
		w.pos = in.Pos()
	}
	return w
}

// lacks returns why an operand of an instruction is not known, if one is not.
func (f *runFrame) lacks(in ssa.Instruction) *reason {
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		if *op == nil {
			continue
		}
		if x, ok := f.known(*op).(unknown); ok && x.why != nil {
			return x.why
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

// unknownFor returns why a variable is not known, if that is known.
func (b *box) unknownFor() *reason {
	if x, ok := b.v.(unknown); ok && x.why != nil {
		return x.why
	}
	for _, e := range b.elems {
		if w := e.unknownFor(); w != nil {
			return w
		}
	}
	return nil
}

// unknownFor returns what a diagnostic says of why a variable is not known: "" or text
// that begins with a colon.
func (l *lowerer) unknownFor(g *ssa.Global) string {
	b := l.choices.run.boxes[g]
	if b == nil {
		return ""
	}
	w := b.unknownFor()
	if w == nil {
		return ""
	}
	return fmt.Sprintf(": at %v %s", l.prog.DiagPos(w.pos), w.what)
}
