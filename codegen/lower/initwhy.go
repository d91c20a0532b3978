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

// why returns why an instruction of a package's initializer could not be run: for what
// an operand lacks, or for what the instruction that was last begun does, which a call
// may have led to.
func (f *runFrame) why(in ssa.Instruction) *reason {
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		if *op == nil {
			continue
		}
		if x, ok := f.known(*op).(unknown); ok && x.why != nil {
			return x.why
		}
	}
	if f.r.at == nil {
		return nil
	}
	w := &reason{f.r.at.Pos(), f.r.does(f.r.at)}
	if w.what == "" {
		return nil
	}
	if !w.pos.IsValid() {
		w.pos = in.Pos()
	}
	return w
}

// does says what an instruction does that cannot be run, or "".
func (r *initRun) does(in ssa.Instruction) string {
	if r.steps > r.limit {
		return fmt.Sprintf("it takes more than %d million steps", maxSteps/1_000_000)
	}
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
