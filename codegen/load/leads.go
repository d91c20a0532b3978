package load

// This file decides whether memory can be reached through a value of a type.

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// leadsToMemory reports whether memory can be reached through a value of type t. The bytes of
// strings do not count, because they are constant. For errors and functions, leadsToMemory returns
// false, because methods of type follower handle errors and functions separately. For interfaces,
// leadText is more precise than leadsToMemory.
func leadsToMemory(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Signature:
		return false
	case *types.Interface:
		return !gotypes.IsError(t)
	case *types.Array:
		return leadsToMemory(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if leadsToMemory(f.Type()) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range u.Variables() {
			if leadsToMemory(v.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// leadText describes the type through which a value of type t leads to memory. leadText returns ""
// if the value does not lead to memory. An interface leads to memory only if a value in the
// interface may lead to memory. The value in an interface may have any type that the loaded code
// converts to an interface. A value from code that is not loaded does not count as a value in the
// interface. If a variable contains a value from code that is not loaded, kgen cannot compute the
// variable's initial value anyway.
func (w *follower) leadText(t types.Type) string {
	if by, ok := w.known.At(t).(string); ok {
		return by
	}
	by := w.leadTextBy(t, nil)
	w.known.Set(t, by)
	return by
}

// leadTextBy computes the result of leadText. The list `visiting` contains the interfaces that are
// being visited, and prevents an endless recursion.
func (w *follower) leadTextBy(t types.Type, visiting []types.Type) string {
	if !leadsToMemory(t) {
		return ""
	}
	if _, generic := types.Unalias(t).(*types.TypeParam); generic {
		return w.typeText(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if slices.ContainsFunc(visiting, func(v types.Type) bool { return types.Identical(t, v) }) {
			return ""
		}
		visiting = append(slices.Clip(visiting), t)
		best := ""
		for _, in := range w.in {
			if in.boxesAny {
				return w.typeText(t) + ", which may hold what a method of a generic type is given"
			}
			for _, held := range in.boxedTypes.Keys() {
				if types.IsInterface(held) || !types.Implements(held, u) || w.leadTextBy(held, visiting) == "" {
					continue
				}
				if name := w.typeText(held); best == "" || name < best {
					best = name // the smallest name, so that the result does not depend on the order of the map's keys
				}
			}
		}
		if best == "" {
			return ""
		}
		return w.typeText(t) + ", which may hold " + best
	case *types.Array:
		return w.leadTextBy(u.Elem(), visiting)
	case *types.Struct:
		for f := range u.Fields() {
			if by := w.leadTextBy(f.Type(), visiting); by != "" {
				return fmt.Sprintf("%s, whose field %s is %s", w.typeText(t), f.Name(), by)
			}
		}
		return ""
	case *types.Tuple:
		for v := range u.Variables() {
			if by := w.leadTextBy(v.Type(), visiting); by != "" {
				return by
			}
		}
		return ""
	}
	return w.typeText(t)
}

// typeText returns the name of a type. Types of the variable's package are named without the
// package.
func (w *follower) typeText(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(w.g.Pkg.Pkg))
}

// outBy describes how an instruction makes the followed value available to unknown code.
func (w *follower) outBy(in ssa.Instruction) string {
	what := w.leadText(w.at.Type())
	if _, ok := w.at.(*ssa.Global); ok {
		what = "its address"
	}
	switch in := in.(type) {
	case *ssa.Return:
		fn := in.Parent()
		if obj := objectOf(fn); fn.Parent() != nil || obj == nil || !obj.Exported() {
			return fmt.Sprintf("a function that is used as a value returns %s", what)
		} else if fn.Signature.Recv() != nil {
			return fmt.Sprintf("the exported method %s returns %s", obj.Name(), what)
		}
		return fmt.Sprintf("the exported function %s returns %s", fn.Name(), what)
	case *ssa.Store:
		if g, ok := constinit.RootOf(in.Addr).(*ssa.Global); ok && token.IsExported(g.Name()) {
			return fmt.Sprintf("the exported variable %s gets %s", g.Name(), what)
		}
		return fmt.Sprintf("%s is stored in memory that kgen does not follow", what)
	case *ssa.MapUpdate:
		return fmt.Sprintf("%s is put into a map", what)
	case *ssa.Send, *ssa.Select, *ssa.UnOp:
		return fmt.Sprintf("%s goes through a channel", what)
	case *ssa.Convert, *ssa.MultiConvert:
		return "its address becomes a number"
	case ssa.CallInstruction:
		if c := in.Common(); c.IsInvoke() {
			return fmt.Sprintf("the method %s, of whatever the interface holds, is passed %s", c.Method.Name(), what)
		} else if fn := c.StaticCallee(); fn != nil {
			return fmt.Sprintf("%s, whose code kgen does not look into, is passed %s", fn.RelString(w.g.Pkg.Pkg), what)
		}
		return fmt.Sprintf("a function that is not known is passed %s", what)
	}
	return fmt.Sprintf("kgen does not follow %s", what)
}
