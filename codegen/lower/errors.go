package lower

// This file lowers functions of package errors.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Some functions of package errors inspect types at run time. In a kernel, the lowerer inspects the
// types when it lowers the calls.
func init() {
	add("errors.Is", lowerErrorsIs)
	add("errors.As", lowerErrorsAs)
	add("errors.AsType", lowerErrorsAsType)
	add("(*errors.joinError).Unwrap", lowerJoinedUnwrap)
}

// lowerJoinedUnwrap reports an error for calls that return the list of errors joined by
// errors.Join. In a kernel, the list of joined errors would also contain nil errors.
func lowerJoinedUnwrap(l *lowerer, in *ssa.Call, _ *ssa.Function, _ []val) val {
	l.errorf(diag.HostOnly, in.Pos(), "use errors.Is or errors.As", "the errors that errors.Join has joined are listed only on the host")
	return badVal{}
}

// maxWrapped is the largest length of a chain of wrapped errors.
const maxWrapped = 8

// lowerErrorsIs lowers errors.Is.
func lowerErrorsIs(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
	t := in.Call.Args[0].Type()
	target, ok := args[1].(iface)
	if !ok {
		return l.reportLost(in.Type())
	}
	if target.typ == nil {
		return l.lowerEqual(args[0], target, t)
	}
	return l.inChain(args[0], 0, func(e iface) *ir.Value {
		same := l.m.Bool(false)
		if types.Comparable(target.typ) {
			same, _ = l.lowerEqual(e, target, t).(*ir.Value)
		}
		return l.orMethod(e, "Is", same, target)
	})
}

// lowerErrorsAs lowers errors.As.
func lowerErrorsAs(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
	target, _ := args[1].(iface)
	p, ok := target.v.(pointer)
	if !ok || isNilShape(p) {
		return l.reportLost(in.Type())
	}
	return l.errorAs(args[0], target.typ.Underlying().(*types.Pointer).Elem(), p, target)
}

// lowerErrorsAsType lowers errors.AsType.
func lowerErrorsAsType(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
	want := fn.TypeArgs()[0]
	made := func(name string, n int) *cell {
		c := l.newCell(want, name)
		l.setKey(c, partKey{in, n})
		l.zeroCell(c)
		return c
	}
	// A method As may set the target and still return false. If method As returns false, errors.As
	// must not change the target. So the argument of method As is a pointer to a temporary
	// variable.
	set, found := made("set", -2), made("found", -3)
	p := pointer{ref: set}
	hit, ok := l.errorAs(args[0], want, p, iface{typ: types.NewPointer(want), v: p}).(*ir.Value)
	if !ok {
		return badVal{}
	}
	l.andThen(hit, func() val {
		l.storeCell(found, l.loadCell(set))
		return l.m.Bool(true)
	})
	return tuple{[]val{l.loadCell(found), hit}}
}

// errorAs searches the chain of err for the first error of type want, stores the error in *p, and
// reports whether it found an error.
func (l *lowerer) errorAs(err val, want types.Type, p pointer, target iface) val {
	u, isIface := want.Underlying().(*types.Interface)
	return l.inChain(err, 0, func(e iface) *ir.Value {
		switch {
		case isIface && types.Implements(e.typ, u):
			l.storeRef(l.deref(p), e, want)
			return l.m.Bool(true)
		case types.Identical(e.typ, want):
			l.storeRef(l.deref(p), e.v, want)
			return l.m.Bool(true)
		}
		return l.orMethod(e, "As", l.m.Bool(false), target)
	})
}

// inChain lowers a test of the error err and of the errors that it wraps. The test stops at the
// first error that passes.
func (l *lowerer) inChain(err val, depth int, test func(e iface) *ir.Value) val {
	if u, ok := err.(oneOf); ok {
		return l.eachAlt(u, types.Typ[types.Bool], func(alt val) val { return l.inChain(alt, depth, test) })
	}
	e, ok := err.(iface)
	if !ok {
		return l.reportLost(types.Typ[types.Bool])
	}
	if e.typ == nil {
		return l.m.Bool(false)
	}
	hit := test(e)
	unwrap := l.methodOf(e.typ, "Unwrap")
	if unwrap == nil || hit == nil || hit.IsConst() && hit.Bits == 1 {
		return hit
	}
	if depth == maxWrapped {
		l.errorf(diag.Recursion, token.NoPos, "compare the error itself, or what its Unwrap returns",
			"this error may wrap more than %d others, one in the other", maxWrapped)
		return badVal{}
	}
	return l.orElse(hit, func() val {
		wrapped := l.inlineCall(unwrap, []val{e.v}, nil, l.pos)
		if types.Identical(unwrap.Signature.Results().At(0).Type(), errorIface) {
			return l.inChain(wrapped, depth+1, test)
		}
		return l.inChains(wrapped, depth+1, test)
	})
}

// errorIface is the predeclared type error.
var errorIface = types.Universe.Lookup("error").Type()

// inChains lowers the same test as inChain for each error in a slice, until a test succeeds.
func (l *lowerer) inChains(errs val, depth int, test func(e iface) *ir.Value) val {
	switch errs := errs.(type) {
	case oneOf:
		return l.eachAlt(errs, types.Typ[types.Bool], func(alt val) val { return l.inChains(alt, depth, test) })
	case resolvedSlice:
		var hit val = l.m.Bool(false)
		for _, e := range l.elemValues(errs) {
			x, ok := hit.(*ir.Value)
			if !ok {
				return badVal{}
			}
			hit = l.orElse(x, func() val { return l.inChain(e, depth, test) })
		}
		return hit
	}
	if isNilShape(errs) {
		return l.m.Bool(false)
	}
	return l.reportLost(types.Typ[types.Bool])
}

// orMethod returns hit || e.name(target). If the error e has no method of that name, orMethod
// returns hit.
func (l *lowerer) orMethod(e iface, name string, hit *ir.Value, target iface) *ir.Value {
	fn := l.methodOf(e.typ, name)
	if fn == nil || hit == nil {
		return hit
	}
	v, _ := l.orElse(hit, func() val { return l.inlineCall(fn, []val{e.v, target}, nil, l.pos) }).(*ir.Value)
	return v
}

// methodOf returns the method of type t that package errors would call, or nil. Package errors
// calls only methods with one result. The methods Is and As have one argument, and the method
// Unwrap has no arguments.
func (w *builder) methodOf(t types.Type, name string) *ssa.Function {
	sel := types.NewMethodSet(t).Lookup(nil, name)
	if sel == nil {
		return nil
	}
	sig := sel.Type().(*types.Signature)
	anyType, errType := types.Universe.Lookup("any").Type(), types.Universe.Lookup("error").Type()
	of := map[string]types.Type{"Is": errType, "As": anyType}[name]
	switch {
	case sig.Results().Len() != 1 || sig.Variadic():
		return nil
	case name == "Unwrap":
		r := sig.Results().At(0).Type()
		if sig.Params().Len() != 0 || !types.Identical(r, errType) && !types.Identical(r, types.NewSlice(errType)) {
			return nil
		}
	case sig.Params().Len() != 1 || !types.Identical(sig.Params().At(0).Type(), of) || !types.Identical(sig.Results().At(0).Type(), types.Typ[types.Bool]):
		return nil
	}
	return w.prog.SSA.MethodValue(sel)
}

// orElse returns x || emitOther(). The code that emitOther emits runs only if x is false.
func (w *builder) orElse(x *ir.Value, emitOther func() val) val { return w.orConst(x, true, emitOther) }

// andThen returns x && emitOther(). The code that emitOther emits runs only if x is true.
func (w *builder) andThen(x *ir.Value, emitOther func() val) val {
	return w.orConst(x, false, emitOther)
}

// orConst returns x if x equals the constant constBool, and the result of emitOther otherwise. The
// code that emitOther emits runs only if x differs from constBool.
func (w *builder) orConst(x *ir.Value, constBool bool, emitOther func() val) val {
	if x.IsConst() {
		if (x.Bits == 1) == constBool {
			return x
		}
		return emitOther()
	}
	v := w.m.NewVar(w.f, ir.Function, "decided", ir.TypeBool)
	w.storeVar(v, x)
	more, out := w.newBlock(), w.newBlock()
	if constBool {
		w.b.Branch(x, out, more)
	} else {
		w.b.Branch(x, more, out)
	}
	w.b.Term.Pos = w.irPos(w.pos)
	w.b = more
	y, ok := emitOther().(*ir.Value)
	if !ok {
		return badVal{}
	}
	w.storeVar(v, y)
	w.b.Jump(out)
	w.b = out
	return w.loadVar(v)
}
