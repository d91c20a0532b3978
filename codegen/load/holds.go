package load

// This file finds the values that an interface may hold.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// heldValues describes the values that an interface may hold.
type heldValues struct {
	types []types.Type
	// anyHash is set if the interface may also hold a hash from a constructor whose code is not
	// loaded.
	anyHash bool
	// anyValue is set if the interface may hold any value. An interface may hold any value if, for
	// example, it is the result of a function in a package that is not loaded.
	anyValue bool
}

// A holder finds the values that an interface may hold. A holder searches backwards from the uses
// of the interface to the stored values.
type holder struct {
	w    *follower
	seen map[ssa.Value]bool
	heldValues
}

// heldBy returns a description of the values that the interface v may hold.
func (w *follower) heldBy(v ssa.Value) heldValues {
	h, ok := w.held[v]
	if !ok {
		f := &holder{w: w, seen: map[ssa.Value]bool{}}
		f.addValue(v)
		h = f.heldValues
		w.held[v] = h
	}
	return h
}

// addValue adds to h the values that v may hold.
func (h *holder) addValue(v ssa.Value) {
	if h.anyValue || h.seen[v] {
		return
	}
	h.seen[v] = true
	switch v := v.(type) {
	case *ssa.Const: // constant nil
	case *ssa.MakeInterface:
		h.concrete(v.X.Type())
	case *ssa.ChangeInterface:
		h.addValue(v.X)
	case *ssa.ChangeType:
		h.addValue(v.X)
	case *ssa.TypeAssert:
		h.addValue(v.X)
	case *ssa.Phi:
		for _, e := range v.Edges {
			h.addValue(e)
		}
	case *ssa.Call:
		h.addResult(v, 0)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Call:
			h.addResult(t, v.Index)
		case *ssa.TypeAssert:
			h.addValue(t.X)
		default:
			h.anyValue = true
		}
	case *ssa.Parameter:
		h.addParam(v)
	case *ssa.FreeVar:
		h.eachCaptured(v, h.addValue)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			h.anyValue = true
			return
		}
		h.addContents(v.X)
	default:
		h.anyValue = true
	}
}

func (h *holder) concrete(t types.Type) {
	if types.IsInterface(t) { // a type parameter
		h.anyValue = true
	} else if !slices.ContainsFunc(h.types, func(u types.Type) bool { return types.Identical(t, u) }) {
		h.types = append(h.types, t)
	}
}

// addResult adds to h the values that a call may return as its result number i.
func (h *holder) addResult(call *ssa.Call, i int) {
	fn := call.Call.StaticCallee()
	switch {
	case fn == nil || h.w.isPartial(packageOf(fn)):
		h.anyValue = true
	case len(fn.Blocks) > 0:
		for _, b := range fn.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				h.addValue(r.Results[i])
			}
		}
	case makesHash(fn):
		h.anyHash = true
	default:
		h.anyValue = true
	}
}

// addParam adds to h the values that callers may pass for parameter p. If some calls of the
// function are not known, addParam sets the field anyValue.
func (h *holder) addParam(p *ssa.Parameter) {
	fn := p.Parent()
	i := slices.Index(fn.Params, p)
	obj := objectOf(fn)
	if fn.TypeParams().Len() > 0 || h.w.isPartial(packageOf(fn)) || fn.Synthetic != "" ||
		fn.Parent() == nil && (obj == nil || obj.Exported() || fn.Name() == "main") {
		h.anyValue = true
		return
	}
	calls := h.callsOf(fn)
	for _, c := range h.w.invokesOf(fn) {
		calls = append(calls, c.Common())
	}
	h.anyValue = h.anyValue || len(calls) == 0
	for _, c := range calls {
		n := i
		if c.IsInvoke() {
			n-- // Args does not contain the receiver of a method call
		}
		if n < 0 || n >= len(c.Args) || !types.IsInterface(c.Args[n].Type()) {
			h.anyValue = true // the call is in generic code
			return
		}
		h.addValue(c.Args[n])
	}
}

// callsOf returns the calls of function fn. If fn has uses that are not calls, callsOf sets the
// field anyValue.
func (h *holder) callsOf(fn *ssa.Function) (all []*ssa.CallCommon) {
	var add func(callee ssa.Value, in ssa.Instruction)
	add = func(callee ssa.Value, in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.DebugRef:
			return
		case *ssa.MakeClosure:
			for _, r := range *in.Referrers() {
				add(in, r)
			}
			return
		case ssa.CallInstruction:
			if c := in.Common(); c.Value == callee && !slices.Contains(c.Args, callee) {
				all = append(all, c)
				return
			}
		}
		h.anyValue = true
	}
	for _, in := range h.w.usesOf(fn) {
		add(fn, in)
	}
	return all
}

// eachCaptured calls do(x) for each value x that a function literal captures as its free variable
// v.
func (h *holder) eachCaptured(v *ssa.FreeVar, do func(ssa.Value)) {
	fn := v.Parent()
	i := slices.Index(fn.FreeVars, v)
	bound := false
	for _, in := range h.w.usesOf(fn) {
		if c, ok := in.(*ssa.MakeClosure); ok && c.Fn == ssa.Value(fn) {
			bound = true
			do(c.Bindings[i])
		}
	}
	h.anyValue = h.anyValue || !bound
}

// addContents adds to h the values that the variable or field at address addr may hold.
func (h *holder) addContents(addr ssa.Value) {
	if h.anyValue || h.seen[addr] {
		return
	}
	h.seen[addr] = true
	switch a := addr.(type) {
	case *ssa.Alloc:
		h.addStored(a, *a.Referrers())
	case *ssa.FreeVar:
		h.eachCaptured(a, h.addContents)
	case *ssa.Global:
		if token.IsExported(a.Name()) || noInit(a.Pkg) || h.w.isPartial(a.Pkg) {
			h.anyValue = true
			return
		}
		h.addStored(a, h.w.usesOf(a))
	case *ssa.FieldAddr:
		f, ok := fieldOf(a)
		if !ok || !h.w.noUnsafe(f.pkg) {
			h.anyValue = true
			return
		}
		for _, u := range h.w.in {
			for _, b := range u.fields[f] {
				h.addStored(b, *b.Referrers())
			}
		}
	default:
		h.anyValue = true
	}
}

// addStored adds to h the values that are stored at an address. If the address has other uses than
// loads and stores, addStored sets the field anyValue.
func (h *holder) addStored(addr ssa.Value, uses []ssa.Instruction) {
	for _, in := range uses {
		switch in := in.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.UnOp:
			if in.Op == token.MUL {
				continue
			}
		case *ssa.Store:
			if in.Val != addr {
				h.addValue(in.Val)
				continue
			}
		case *ssa.MakeClosure:
			fn := in.Fn.(*ssa.Function)
			for i, b := range in.Bindings {
				if b == addr {
					h.addStored(fn.FreeVars[i], *fn.FreeVars[i].Referrers())
				}
			}
			continue
		}
		h.anyValue = true
	}
}

// fieldKey identifies an unexported field by package and name. A fieldKey omits the struct type,
// because a conversion between struct types copies the values of fields with the same name.
type fieldKey struct {
	pkg  *types.Package
	name string
}

// fieldOf returns the package and name of the field at address a. The second result of fieldOf is
// false if other packages can write the field.
func fieldOf(a *ssa.FieldAddr) (fieldKey, bool) {
	p, ok := a.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return fieldKey{}, false
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return fieldKey{}, false
	}
	f := s.Field(a.Field)
	return fieldKey{f.Pkg(), f.Name()}, !f.Exported() && f.Pkg() != nil
}

// noUnsafe reports whether package pkg is loaded completely from source and does not import unsafe.
// A package that does not import unsafe writes fields only through addresses of fields.
func (w *follower) noUnsafe(pkg *types.Package) bool {
	if slices.Contains(pkg.Imports(), types.Unsafe) {
		return false
	}
	p := w.prog.Package(pkg)
	return p != nil && !noInit(p) && !w.isPartial(p)
}

// packageOf returns the package of a function. For an instance of a generic function, packageOf
// returns the package of the generic function.
func packageOf(fn *ssa.Function) *ssa.Package {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.Pkg
}

// isPartial reports whether code was removed from package p because of errors.
func (w *follower) isPartial(p *ssa.Package) bool {
	return slices.ContainsFunc(w.in, func(u *usageIndex) bool { return u.partial[p] })
}
