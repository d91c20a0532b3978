package lower

// This file records the aspects (optional device features) that the kernel's code uses.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/properties"
)

// noteOp records the aspect that a device needs to execute op.
func (w *builder) noteOp(op ir.Op, t *ir.Type, args []*ir.Value) {
	if len(args) > 0 && (t.Kind == ir.Void || t.Kind == ir.Bool) {
		t = args[0].Type
	}
	if t.IsFloat() {
		w.noteAspect(t.Kind.Aspect())
	}
	if !op.Has(ir.FlagAtomic) {
		return
	}
	switch t.Kind {
	case ir.F32:
		w.noteAspect(properties.AtomicFloat32) // a kernel needs AtomicFloat32 only if its DeviceHas property lists the aspect
	case ir.F64:
		w.noteAspect(properties.AtomicFloat64)
		w.noteAspect(properties.Atomic64)
	case ir.I64:
		w.noteAspect(properties.Atomic64)
	}
}

// noteStorage records the aspect that a device needs to load and store values of type t in device
// memory.
func (w *builder) noteStorage(t *ir.Type) {
	if t.IsInt() {
		w.noteAspect(t.Kind.Aspect())
	}
}

// noteAspect records where the kernel first uses an aspect. For each inlined function whose
// directive lists aspects, noteAspect also records the first use inside the function. AspectInvalid
// is ignored.
func (w *builder) noteAspect(a properties.Aspect) {
	f := w.frame
	if a == properties.AspectInvalid || f == nil || f.uses[a] {
		return
	}
	f.uses[a] = true
	note := func(fn string) {
		for _, u := range w.m.Uses {
			if u.Aspect == a && u.Func == fn && !u.Required {
				return
			}
		}
		w.m.Uses = append(w.m.Uses, ir.AspectUse{Aspect: a, Func: fn, Pos: w.irPos(w.pos), In: FuncName(w.frame.fn), Calls: w.callChain()})
	}
	note("")
	if a == properties.AtomicFloat32 || a == properties.AtomicFloat64 {
		return // a kernel needs an atomic float aspect only if its DeviceHas property lists the aspect
	}
	for ; f != nil; f = f.caller {
		if list, ok := w.deviceHas(f.fn); ok && !slices.Contains(list.Aspects, a) && f.caller != nil {
			note(FuncName(f.fn))
		}
	}
}

// noteRequired records the aspects that the directive of the called function fn lists.
func (w *builder) noteRequired(fn *ssa.Function) {
	list, ok := w.deviceHas(fn)
	if !ok || w.frame.caller == nil {
		return
	}
	for _, a := range list.Aspects {
		if !slices.ContainsFunc(w.m.Uses, func(u ir.AspectUse) bool { return u.Aspect == a && u.Required }) {
			w.m.Uses = append(w.m.Uses, ir.AspectUse{Aspect: a, Required: true, Pos: w.irPos(list.Pos), In: FuncName(fn), Calls: w.callChain()})
		}
	}
}

func (w *builder) deviceHas(fn *ssa.Function) (load.AspectList, bool) {
	if len(w.prog.DeviceHas) == 0 {
		return load.AspectList{}, false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return load.AspectList{}, false
	}
	list, ok := w.prog.DeviceHas[obj]
	return list, ok
}

// callChain returns the calls that lead to the function being lowered. The innermost call is first.
func (w *builder) callChain() []ir.CallSite {
	var out []ir.CallSite
	for f := w.frame; f != nil && f.caller != nil; f = f.caller {
		out = append(out, ir.CallSite{Caller: FuncName(f.caller.fn), Pos: w.irPos(f.callPos)})
	}
	return out
}
