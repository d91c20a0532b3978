package lower

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/properties"
)

// noteOp notes the aspect that an op uses.
func (l *lowerer) noteOp(op ir.Op, t *ir.Type, args []*ir.Value) {
	if len(args) > 0 && (t.Kind == ir.Void || t.Kind == ir.Bool) {
		t = args[0].Type
	}
	if t.IsFloat() {
		l.use(t.Kind.Aspect())
	}
	if !op.Has(ir.FlagAtomic) {
		return
	}
	switch t.Kind {
	case ir.F32:
		l.use(properties.AtomicFloat32) // which counts where the kernel lists it
	case ir.F64:
		l.use(properties.AtomicFloat64)
		l.use(properties.Atomic64)
	case ir.I64:
		l.use(properties.Atomic64)
	}
}

// noteStorage notes the aspect that an access of device memory uses.
func (l *lowerer) noteStorage(t *ir.Type) {
	if t.IsInt() {
		l.use(t.Kind.Aspect())
	}
}

// use notes where a function first uses an aspect: the kernel, and each function
// that lists its aspects. It does nothing for AspectInvalid.
func (l *lowerer) use(a properties.Aspect) {
	f := l.frame
	if a == properties.AspectInvalid || f == nil || f.uses[a] {
		return
	}
	f.uses[a] = true
	note := func(fn string) {
		for _, u := range l.m.Uses {
			if u.Aspect == a && u.Func == fn && !u.Required {
				return
			}
		}
		l.m.Uses = append(l.m.Uses, ir.AspectUse{Aspect: a, Func: fn, Pos: l.irPos(l.pos), In: FuncName(l.frame.fn), Calls: l.chain()})
	}
	note("")
	if a == properties.AtomicFloat32 || a == properties.AtomicFloat64 {
		return // the kernel's DeviceHas decides whether they are used
	}
	for ; f != nil; f = f.caller {
		if list, ok := l.deviceHas(f.fn); ok && !slices.Contains(list.Aspects, a) && f.caller != nil {
			note(FuncName(f.fn))
		}
	}
}

// require notes the aspects that a called function's directive lists.
func (l *lowerer) require(fn *ssa.Function) {
	list, ok := l.deviceHas(fn)
	if !ok || l.frame.caller == nil {
		return
	}
	for _, a := range list.Aspects {
		if !slices.ContainsFunc(l.m.Uses, func(u ir.AspectUse) bool { return u.Aspect == a && u.Required }) {
			l.m.Uses = append(l.m.Uses, ir.AspectUse{Aspect: a, Required: true, Pos: l.irPos(list.Pos), In: FuncName(fn), Calls: l.chain()})
		}
	}
}

func (l *lowerer) deviceHas(fn *ssa.Function) (load.AspectList, bool) {
	if len(l.prog.DeviceHas) == 0 {
		return load.AspectList{}, false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return load.AspectList{}, false
	}
	list, ok := l.prog.DeviceHas[obj]
	return list, ok
}

// chain returns the calls that lead to the function being lowered, the innermost
// first.
func (l *lowerer) chain() []ir.CallSite {
	var out []ir.CallSite
	for f := l.frame; f != nil && f.caller != nil; f = f.caller {
		out = append(out, ir.CallSite{Caller: FuncName(f.caller.fn), Pos: l.irPos(f.callPos)})
	}
	return out
}
