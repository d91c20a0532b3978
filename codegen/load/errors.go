package load

// This file follows values that the program converts to the interface type `error`.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// thrownValue describes values of type t that are converted to error. The field `depth` is the
// number of loads that lead from the value to the followed memory.
type thrownValue struct {
	t     types.Type
	depth int
}

// followThrown follows a value of type t that an instruction converts to error. The uses of the
// resulting error are not followed. Instead, followThrown assumes that the methods of type t are
// called, and that each assertion of an error to type t yields the followed value. followThrown
// also assumes that no code outside of the loaded packages writes to memory through errors.
func (w *follower) followThrown(at valueFlow, t types.Type, in ssa.Instruction) {
	known := func(o thrownValue) bool { return types.Identical(t, o.t) && o.depth <= at.depth }
	if !leadsToMemory(t) || slices.ContainsFunc(w.errors, known) {
		return
	}
	w.errors = append(w.errors, thrownValue{t, at.depth})
	set := w.prog.MethodSets.MethodSet(t)
	for _, name := range []string{"Error", "Is", "As", "Unwrap"} {
		if sel := set.Lookup(nil, name); sel == nil {
			continue
		} else if fn := w.prog.MethodValue(sel); fn != nil && len(fn.Blocks) > 0 {
			w.followValue(fn.Params[0], at.depth)
		} else {
			w.recordEscape(in)
		}
	}
	is := func(u types.Type) bool {
		if _, generic := types.Unalias(u).(*types.TypeParam); generic {
			return false // the instances of the generic function are checked instead
		}
		i, ok := u.Underlying().(*types.Interface)
		return types.Identical(t, u) || ok && types.Implements(t, i)
	}
	for _, u := range w.in {
		for _, a := range u.asserts {
			if is(a.AssertedType) {
				w.followValue(a, at.depth)
			}
		}
		for _, c := range u.finds {
			if t, ok := c.Type().(*types.Tuple); ok { // a call of errors.AsType
				if is(t.At(0).Type()) {
					w.followValue(c, at.depth)
				}
			} else if m, ok := c.Call.Args[1].(*ssa.MakeInterface); !ok {
				w.recordEscape(c)
			} else if p, ok := m.X.Type().Underlying().(*types.Pointer); ok && is(p.Elem()) {
				for _, r := range w.referrers(m.X) {
					if r != m { // errors.As itself only stores the result through the pointer
						w.followUse(valueFlow{m.X, at.depth + 1}, r)
					}
				}
			}
		}
	}
}

// throwHeld follows the values that may be in an interface when an instruction converts the
// interface to error.
func (w *follower) throwHeld(at valueFlow, in ssa.Instruction) {
	iface := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	for _, t := range slices.Clone(w.types) {
		if types.Implements(t, iface) {
			w.followThrown(at, t, in)
		}
	}
}

// isErrorsAs reports whether a call is a call of errors.As or errors.AsType. The functions As and
// AsType search for an error of a given type.
func isErrorsAs(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	return fn != nil && PackageOf(fn) == "errors" && (funcName(fn) == "As" || funcName(fn) == "AsType")
}
