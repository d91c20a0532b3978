package lower

// This file lowers calls of package sync/atomic and of dsl's atomic functions.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/properties"
)

// atomicForm describes the IR op and the result of an atomic function.
type atomicForm struct {
	op     ir.Op
	result atomicResult
}

type atomicResult uint8

const (
	nothing atomicResult = iota
	oldValue
	newValue
	truth // the Go function returns the bool that is the result of the IR op
)

// atomics contains the lowerings of functions and methods of sync/atomic. Each key is the name of a
// function or method without the suffix for a type.
var atomics = map[string]atomicForm{
	"Add":            {ir.OpAtomicIAdd, newValue},
	"And":            {ir.OpAtomicAnd, oldValue},
	"Or":             {ir.OpAtomicOr, oldValue},
	"Swap":           {ir.OpAtomicExchange, oldValue},
	"CompareAndSwap": {ir.OpAtomicCompareAndSwap, truth},
	"Load":           {ir.OpAtomicLoad, oldValue},
	"Store":          {ir.OpAtomicStore, nothing},
}

func init() {
	for name, form := range atomics {
		for _, t := range []string{"Int32", "Uint32", "Int64", "Uint64"} {
			add("sync/atomic."+name+t, atomicFunc(form))
			add("(*sync/atomic."+t+")."+name, atomicFunc(form))
		}
		if name != "Add" && name != "And" && name != "Or" {
			add("(*sync/atomic.Bool)."+name, atomicFunc(form))
		}
	}
	for i, name := range []string{"AtomicAdd", "AtomicMin", "AtomicMax"} {
		add(dslPath+"."+name, func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
			if code := load.HalfCode(l.prog.SSA, fn); code != nil {
				return l.halfAtomic(in, code, load.HalfArg(fn), args)
			}
			op := genericAtomics[i].of(in.Type())
			if op == ir.OpAtomicFAdd && l.nativeAdd(in.Type(), args[0]) {
				op = ir.OpAtomicFAddNative
			}
			return atomicFunc(atomicForm{op, newValue})(l, in, fn, args)
		})
	}
	add(dslPath+".AtomicLoadRelaxed", atomicFunc(atomicForm{ir.OpAtomicLoadRelaxed, oldValue}))
	add(dslPath+".AtomicStoreRelaxed", atomicFunc(atomicForm{ir.OpAtomicStoreRelaxed, nothing}))
	add(dslPath+".AtomicAddRelaxed", atomicFunc(atomicForm{ir.OpAtomicIAddRelaxed, newValue}))
	add(dslPath+".AtomicFence", atomicFence)
}

// genericAtomics lists the IR ops of dsl's AtomicAdd, AtomicMin and AtomicMax, in this order.
var genericAtomics = []atomicRow{
	{ir.OpAtomicIAdd, ir.OpAtomicIAdd, ir.OpAtomicFAdd},
	{ir.OpAtomicSMin, ir.OpAtomicUMin, ir.OpAtomicFMin},
	{ir.OpAtomicSMax, ir.OpAtomicUMax, ir.OpAtomicFMax},
}

// atomicRow holds the IR ops of one atomic function, for signed integers, unsigned integers and
// floats.
type atomicRow struct{ signed, unsigned, float ir.Op }

func (row atomicRow) of(t types.Type) ir.Op {
	switch {
	case gotypes.IsFloat(t):
		return row.float
	case gotypes.IsUnsigned(t):
		return row.unsigned
	}
	return row.signed
}

// nativeAdd reports whether the kernel uses an atomic instruction of the device to add floats of
// type t at address p. The result is true only if the kernel's DeviceHas property lists the aspect
// for the instruction.
func (l *lowerer) nativeAdd(t types.Type, p val) bool {
	x, ok := p.(pointer)
	if !ok {
		return false
	}
	m, ok := x.ref.(mem)
	has, ok2 := l.k.Properties.Get(properties.KeyDeviceHas)
	if !ok || !ok2 || !m.device() {
		return false
	}
	want := properties.AtomicFloat32
	if regType(t) == ir.TypeF64 {
		want = properties.AtomicFloat64
	}
	return slices.Contains(has.Aspects(), want)
}

// atomicFunc returns the intrinsic for an atomic function or method. The first argument of an
// atomic function is a pointer, and all other arguments are values.
func atomicFunc(form atomicForm) intrinsic {
	return func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
		p, ok := args[0].(pointer)
		xs := scalarArgs(args[1:])
		if !ok || len(xs) != len(args)-1 {
			return l.reportLost(in.Type())
		}
		t := in.Call.Args[0].Type().Underlying().(*types.Pointer).Elem()
		r := l.deref(p)
		if st, ok := t.Underlying().(*types.Struct); ok {
			n := st.NumFields() - 1 // the last field of an atomic type holds the value
			t = st.Field(n).Type()
			switch x := r.(type) {
			case mem:
				r = x.atIndex(l.field(n))
			case *cell:
				r = x.fields[n]
			}
		}
		for i, x := range xs {
			if x.Type == ir.TypeBool { // an atomic.Bool is stored as a 32-bit word
				xs[i] = l.op(ir.OpSelect, ir.TypeI32, x, l.m.Int(ir.TypeI32, 1), l.m.Int(ir.TypeI32, 0))
			}
		}
		v := l.emitAtomic(form, r, t, xs)
		if gotypes.IsBoolean(in.Type()) && form.result == oldValue {
			v = l.op(ir.OpINe, ir.TypeBool, v, l.m.Int(ir.TypeI32, 0))
		}
		if v == nil {
			return nil
		}
		return v
	}
}

// emitAtomic emits the atomic operation described by `form`. The operation applies to the variable
// of type t to which r refers. emitAtomic returns the result of the Go function.
func (l *lowerer) emitAtomic(form atomicForm, r ref, t types.Type, xs []*ir.Value) *ir.Value {
	reg := regType(t)
	if form.op == ir.OpAtomicCompareAndSwap {
		xs = []*ir.Value{xs[1], xs[0]} // the op expects the new value before the old one
	}
	m, ok := r.(mem)
	if !ok || m.v != nil && m.v.Storage != ir.Workgroup {
		return l.ownAtomic(form, r, t, xs)
	}
	if form.op != ir.OpAtomicLoad && form.op != ir.OpAtomicLoadRelaxed {
		l.readonly.recordWrite(m)
	}
	typ := reg
	switch form.result {
	case nothing:
		typ = ir.TypeVoid
	case truth:
		typ = ir.TypeBool
	}
	v := l.op(form.op, typ, append(slices.Clone(xs), m.args()...)...)
	v.Aux = m.auxRef()
	switch form.result {
	case nothing:
		return nil
	case newValue:
		return l.newContents(form.op, v, xs[0])
	}
	return v
}

// ownAtomic lowers an atomic operation on a private variable, which no other work-item can access.
func (l *lowerer) ownAtomic(form atomicForm, r ref, t types.Type, xs []*ir.Value) *ir.Value {
	old, ok := l.loadRef(r, t).(*ir.Value)
	if !ok {
		return l.m.Const(regType(t), 0)
	}
	store := func(v *ir.Value) { l.storeRef(r, v, t) }
	switch form.op {
	case ir.OpAtomicLoad, ir.OpAtomicLoadRelaxed:
		return old
	case ir.OpAtomicCompareAndSwap:
		same := l.op(ir.OpIEq, ir.TypeBool, old, xs[1])
		store(l.op(ir.OpSelect, old.Type, same, xs[0], old))
		return same
	}
	v := l.newContents(form.op, old, xs[0])
	store(v)
	switch form.result {
	case nothing:
		return nil
	case newValue:
		return v
	}
	return old
}

// newContents returns the new contents of a memory location after the operation op. oldContents are
// the contents before the operation.
func (w *builder) newContents(op ir.Op, oldContents, x *ir.Value) *ir.Value {
	least := func(less ir.Op, p, q *ir.Value) *ir.Value {
		return w.op(ir.OpSelect, x.Type, w.op(less, ir.TypeBool, p, q), oldContents, x)
	}
	switch op {
	case ir.OpAtomicIAdd, ir.OpAtomicIAddRelaxed:
		return w.op(ir.OpIAdd, x.Type, oldContents, x)
	case ir.OpAtomicAnd:
		return w.op(ir.OpAnd, x.Type, oldContents, x)
	case ir.OpAtomicOr:
		return w.op(ir.OpOr, x.Type, oldContents, x)
	case ir.OpAtomicSMin:
		return least(ir.OpSLt, oldContents, x)
	case ir.OpAtomicUMin:
		return least(ir.OpULt, oldContents, x)
	case ir.OpAtomicSMax:
		return least(ir.OpSLt, x, oldContents)
	case ir.OpAtomicUMax:
		return least(ir.OpULt, x, oldContents)
	case ir.OpAtomicFAdd, ir.OpAtomicFAddNative:
		return w.op(ir.OpFAdd, x.Type, oldContents, x)
	case ir.OpAtomicFMin, ir.OpAtomicFMax:
		return w.floatMinMax(op == ir.OpAtomicFMin, oldContents, x)
	}
	return x // an exchange or a store replaces the old value by x
}

// atomicFence lowers dsl.AtomicFence(scope).
func atomicFence(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
	scope, ok := args[0].(*ir.Value)
	if !ok || !scope.IsConst() || scope.Bits > uint64(ir.ScopeDevice) {
		l.errorf(diag.DynamicCall, in.Pos(), "write the constant in the call", "the scope of a fence must be one of the constants of package dsl")
		return nil
	}
	of := [...]ir.Scope{ir.ScopeDevice, ir.ScopeWorkGroup, ir.ScopeSubGroup}[scope.Bits]
	if of == ir.ScopeSubGroup {
		l.noteAspect(properties.SubGroups)
	}
	l.op(ir.OpAtomicFence, ir.TypeVoid).Aux = of
	return nil
}
