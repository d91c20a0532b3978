package load

// This file follows values that the program converts to type error.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The type thrown describes values of type t that are converted to error. A program reaches the
// followed memory from the value by a number of loads, which the field depth holds.
type thrown struct {
	t     types.Type
	depth int
}

// The method throw follows a value of type t that an instruction converts to error. The uses of the
// resulting error are not followed. Instead, the method assumes that the methods of type t are
// called. The method also assumes that each assertion of an error to type t yields the converted
// value. It assumes, too, that packages that are not loaded do not write to memory through errors.
func (w *follower) throw(at flow, t types.Type, in ssa.Instruction) {
	known := func(o thrown) bool { return types.Identical(t, o.t) && o.depth <= at.depth }
	if !leads(t) || slices.ContainsFunc(w.errors, known) {
		return
	}
	w.errors = append(w.errors, thrown{t, at.depth})
	set := w.prog.MethodSets.MethodSet(t)
	for _, name := range []string{"Error", "Is", "As", "Unwrap"} {
		if sel := set.Lookup(nil, name); sel == nil {
			continue
		} else if fn := w.prog.MethodValue(sel); fn != nil && len(fn.Blocks) > 0 {
			w.add(fn.Params[0], at.depth)
		} else {
			w.escapes(in)
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
				w.add(a, at.depth)
			}
		}
		for _, c := range u.finds {
			if t, ok := c.Type().(*types.Tuple); ok { // a call of errors.AsType
				if is(t.At(0).Type()) {
					w.add(c, at.depth)
				}
			} else if m, ok := c.Call.Args[1].(*ssa.MakeInterface); !ok {
				w.escapes(c)
			} else if p, ok := m.X.Type().Underlying().(*types.Pointer); ok && is(p.Elem()) {
				for _, r := range w.referrers(m.X) {
					if r != m { // errors.As itself only stores the result through the pointer
						w.use(flow{m.X, at.depth + 1}, r)
					}
				}
			}
		}
	}
}

// throwHeld follows the values in an interface that is converted to error.
func (w *follower) throwHeld(at flow, in ssa.Instruction) {
	iface := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	for _, t := range slices.Clone(w.types) {
		if types.Implements(t, iface) {
			w.throw(at, t, in)
		}
	}
}

// The function finds reports whether a call is a call of errors.As or errors.AsType. Both functions
// search for an error of a given type.
func finds(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	return fn != nil && PackageOf(fn) == "errors" && (funcName(fn) == "As" || funcName(fn) == "AsType")
}
