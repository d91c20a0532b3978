package load

// This file finds the values that an interface may hold.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The type held describes the values that an interface may hold.
type held struct {
	types []types.Type
	// The field hashes is set if the interface may also hold a hash from a constructor whose code is
	// not loaded.
	hashes bool
	// The field unknown is set if the interface may hold any value. An example is a result of a
	// function in a package that is not loaded.
	unknown bool
}

// A holder finds the values that an interface may hold. It searches backwards from the uses of the
// interface to the stored values.
type holder struct {
	w    *follower
	seen map[ssa.Value]bool
	held
}

// The method holds returns a description of the values that the interface v may hold.
func (w *follower) holds(v ssa.Value) held {
	h, ok := w.held[v]
	if !ok {
		f := &holder{w: w, seen: map[ssa.Value]bool{}}
		f.value(v)
		h = f.held
		w.held[v] = h
	}
	return h
}

// The method value adds to h the values that v may hold.
func (h *holder) value(v ssa.Value) {
	if h.unknown || h.seen[v] {
		return
	}
	h.seen[v] = true
	switch v := v.(type) {
	case *ssa.Const: // constant nil
	case *ssa.MakeInterface:
		h.concrete(v.X.Type())
	case *ssa.ChangeInterface:
		h.value(v.X)
	case *ssa.ChangeType:
		h.value(v.X)
	case *ssa.TypeAssert:
		h.value(v.X)
	case *ssa.Phi:
		for _, e := range v.Edges {
			h.value(e)
		}
	case *ssa.Call:
		h.result(v, 0)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Call:
			h.result(t, v.Index)
		case *ssa.TypeAssert:
			h.value(t.X)
		default:
			h.unknown = true
		}
	case *ssa.Parameter:
		h.parameter(v)
	case *ssa.FreeVar:
		h.captured(v, h.value)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			h.unknown = true
			return
		}
		h.cell(v.X)
	default:
		h.unknown = true
	}
}

func (h *holder) concrete(t types.Type) {
	if types.IsInterface(t) { // a type parameter
		h.unknown = true
	} else if !slices.ContainsFunc(h.types, func(u types.Type) bool { return types.Identical(t, u) }) {
		h.types = append(h.types, t)
	}
}

// The method result adds to h the values that result i of a call may hold.
func (h *holder) result(call *ssa.Call, i int) {
	fn := call.Call.StaticCallee()
	switch {
	case fn == nil || h.w.partial(packageOf(fn)):
		h.unknown = true
	case len(fn.Blocks) > 0:
		for _, b := range fn.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				h.value(r.Results[i])
			}
		}
	case makesHash(fn):
		h.hashes = true
	default:
		h.unknown = true
	}
}

// The method parameter adds to h the values that callers may pass for parameter p. If some calls of
// the function are not known, the method sets the field unknown.
func (h *holder) parameter(p *ssa.Parameter) {
	fn := p.Parent()
	i := slices.Index(fn.Params, p)
	obj := object(fn)
	if fn.TypeParams().Len() > 0 || h.w.partial(packageOf(fn)) || fn.Synthetic != "" ||
		fn.Parent() == nil && (obj == nil || obj.Exported() || fn.Name() == "main") {
		h.unknown = true
		return
	}
	calls := h.calls(fn)
	for _, c := range h.w.invokes(fn) {
		calls = append(calls, c.Common())
	}
	h.unknown = h.unknown || len(calls) == 0
	for _, c := range calls {
		n := i
		if c.IsInvoke() {
			n-- // Args does not contain the receiver of a method call
		}
		if n < 0 || n >= len(c.Args) || !types.IsInterface(c.Args[n].Type()) {
			h.unknown = true // the call is in generic code
			return
		}
		h.value(c.Args[n])
	}
}

// The method calls returns the calls of function fn. If fn has uses that are not calls, the method
// sets the field unknown.
func (h *holder) calls(fn *ssa.Function) (all []*ssa.CallCommon) {
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
		h.unknown = true
	}
	for _, in := range h.w.uses(fn) {
		add(fn, in)
	}
	return all
}

// The method captured calls its function argument for each value that is bound to the free variable
// v of a function literal.
func (h *holder) captured(v *ssa.FreeVar, do func(ssa.Value)) {
	fn := v.Parent()
	i := slices.Index(fn.FreeVars, v)
	bound := false
	for _, in := range h.w.uses(fn) {
		if c, ok := in.(*ssa.MakeClosure); ok && c.Fn == ssa.Value(fn) {
			bound = true
			do(c.Bindings[i])
		}
	}
	h.unknown = h.unknown || !bound
}

// The method cell adds to h the values that the variable or field at address addr may hold.
func (h *holder) cell(addr ssa.Value) {
	if h.unknown || h.seen[addr] {
		return
	}
	h.seen[addr] = true
	switch a := addr.(type) {
	case *ssa.Alloc:
		h.stored(a, *a.Referrers())
	case *ssa.FreeVar:
		h.captured(a, h.cell)
	case *ssa.Global:
		if token.IsExported(a.Name()) || noInit(a.Pkg) || h.w.partial(a.Pkg) {
			h.unknown = true
			return
		}
		h.stored(a, h.w.uses(a))
	case *ssa.FieldAddr:
		f, ok := fieldOf(a)
		if !ok || !h.w.sound(f.pkg) {
			h.unknown = true
			return
		}
		for _, u := range h.w.in {
			for _, b := range u.fields[f] {
				h.stored(b, *b.Referrers())
			}
		}
	default:
		h.unknown = true
	}
}

// The method stored adds to h the values that are stored at an address. If the address has other
// uses than loads and stores, the method sets the field unknown.
func (h *holder) stored(addr ssa.Value, uses []ssa.Instruction) {
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
				h.value(in.Val)
				continue
			}
		case *ssa.MakeClosure:
			fn := in.Fn.(*ssa.Function)
			for i, b := range in.Bindings {
				if b == addr {
					h.stored(fn.FreeVars[i], *fn.FreeVars[i].Referrers())
				}
			}
			continue
		}
		h.unknown = true
	}
}

// The type field identifies an unexported field by package and name. The struct type is omitted,
// because a conversion between struct types copies the values of fields with the same name.
type field struct {
	pkg  *types.Package
	name string
}

// fieldOf returns the package and name of the field at address a. The second result is false if
// other packages can write the field.
func fieldOf(a *ssa.FieldAddr) (field, bool) {
	p, ok := a.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return field{}, false
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return field{}, false
	}
	f := s.Field(a.Field)
	return field{f.Pkg(), f.Name()}, !f.Exported() && f.Pkg() != nil
}

// The method sound reports whether package pkg is loaded completely from source and does not import
// unsafe. A package without unsafe writes fields only through addresses of fields.
func (w *follower) sound(pkg *types.Package) bool {
	if slices.Contains(pkg.Imports(), types.Unsafe) {
		return false
	}
	p := w.prog.Package(pkg)
	return p != nil && !noInit(p) && !w.partial(p)
}

// packageOf returns the package of a function. For an instance of a generic function, the result is
// the package of the generic function.
func packageOf(fn *ssa.Function) *ssa.Package {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.Pkg
}

// The method partial reports whether code was removed from package p because of errors.
func (w *follower) partial(p *ssa.Package) bool {
	return slices.ContainsFunc(w.in, func(u *usage) bool { return u.partial[p] })
}
