package lower

// This file lowers defer statements.

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

// A deferStmt is a defer statement of an inlined call. Each defer statement runs at most once,
// because kernels cannot have defer statements in loops. The flag "armed" records whether the
// statement has run, and variables keep the statement's arguments until the function returns.
type deferStmt struct {
	in    *ssa.Defer
	armed *ir.Var
	fn    *cell // function value to call; nil if the source calls a function by its name
	args  []*cell

	reached bool
}

// armDefers creates a flag for each of f's defer statements. The flag of a defer statement records
// whether the statement has run.
func (w *builder) armDefers(f *frame, order []*ssa.BasicBlock) {
	for _, b := range order {
		for _, in := range b.Instrs {
			if d, ok := in.(*ssa.Defer); ok {
				v := w.m.NewVar(w.f, ir.Function, "armed", ir.TypeBool)
				w.storeVar(v, w.m.Bool(false))
				f.defers = append(f.defers, &deferStmt{in: d, armed: v})
			}
		}
	}
}

// deferCall lowers a defer statement.
func (l *lowerer) deferCall(f *frame, in *ssa.Defer) {
	seen := map[*ssa.BasicBlock]bool{}
	markReachable(in.Block(), nil, seen)
	if seen[in.Block()] || in.DeferStack != nil && in.Parent().Synthetic != "" {
		l.errorf(diag.Defer, in.Pos(), "call it at the end of the iteration, or defer it in a function that the loop calls",
			"a defer statement in a loop would need a stack of calls")
		return
	}
	if in.Call.IsInvoke() {
		l.notNil(l.valueOf(in.Call.Value)) // a nil interface value panics at the defer statement, but a nil function panics at its call
	}
	for _, d := range f.defers {
		if d.in != in {
			continue
		}
		keep := func(v ssa.Value) *cell {
			c := l.newCell(v.Type(), "deferred")
			l.setKey(c, in)
			l.storeCell(c, l.valueOf(v))
			return c
		}
		switch in.Call.Value.(type) {
		case *ssa.Function, *ssa.Builtin:
		default:
			d.fn = keep(in.Call.Value)
		}
		for _, a := range in.Call.Args {
			d.args = append(d.args, keep(a))
		}
		l.storeVar(d.armed, l.m.Bool(true))
		d.reached = true
	}
}

// notNil adds a check that an interface value is not nil.
func (l *lowerer) notNil(x val) {
	if u, ok := x.(oneOf); ok {
		l.eachAlt(u, nil, func(alt val) val {
			l.notNil(alt)
			return nil
		})
		return
	}
	if isNilCallee(x) {
		l.emitCheck(l.m.Bool(false), abi.FaultNil, nil, nil, "")
	}
}

// runDefers lowers the deferred calls. They run when a return statement is executed, before the
// function returns. runDefers visits the defer statements in postorder of their blocks. Outside of
// loops, postorder visits a statement after all statements that may run later.
func (l *lowerer) runDefers(f *frame) {
	pos := l.pos
	for i := len(f.defers) - 1; i >= 0; i-- {
		d := f.defers[i]
		if !d.reached {
			continue
		}
		run, next := l.newBlock(), l.newBlock()
		l.b.Branch(l.loadVar(d.armed), run, next)
		l.b = run
		l.pos = d.in.Pos()
		callee := l.valueOf(d.in.Call.Value)
		if d.fn != nil {
			callee = l.loadCell(d.fn)
		}
		args := make([]val, len(d.args))
		for i, c := range d.args {
			args[i] = l.loadCell(c)
		}
		l.callDeferred(d.in, callee, args)
		l.b.Jump(next)
		l.b = next
	}
	l.pos = pos
}

func (l *lowerer) callDeferred(in *ssa.Defer, callee val, args []val) {
	if u, ok := callee.(oneOf); ok {
		l.eachAlt(u, nil, func(alt val) val {
			l.callDeferred(in, alt, args)
			return nil
		})
		return
	}
	given := args
	f, args, ok := l.calleeOf(&in.Call, callee, args)
	if !ok {
		return
	}
	if f.builtin != nil || Known(origin(f.fn).RelString(nil)) {
		for i, a := range given {
			if u, ok := a.(oneOf); ok {
				l.eachAlt(u, nil, func(alt val) val {
					one := slices.Clone(given)
					one[i] = alt
					l.callDeferred(in, callee, one)
					return nil
				})
				return
			}
		}
	}
	site := &ssa.Call{Call: in.Call}
	if f.builtin != nil {
		l.lowerBuiltin(site, f.builtin, args)
		return
	}
	h, known := intrinsics[origin(f.fn).RelString(nil)]
	if !known {
		l.inlineCall(f.fn, args, f.bindings, in.Pos())
		return
	}
	if _, prints := fmtPrints[f.fn.RelString(nil)]; !prints && f.fn.Signature.Results().Len() > 0 {
		l.errorf(diag.Defer, in.Pos(), "defer a function literal that calls it", "the result of %s would be lost", load.FuncText(f.fn))
		return
	}
	if args, ok := l.replaceBad(&in.Call, args); ok && !l.mixedCall(f.fn, args) {
		h(l, site, f.fn, args)
	}
}
