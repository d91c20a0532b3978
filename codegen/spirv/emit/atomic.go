package emit

// This file emits atomic operations and barriers.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

const (
	// sharedMemory selects the storage classes that invocations share. The bit UniformMemory includes device memory.
	sharedMemory = spirv.MemorySemanticsUniformMemory | spirv.MemorySemanticsWorkgroupMemory

	acquire        = spirv.MemorySemanticsAcquire | spirv.MemorySemanticsMakeVisible | sharedMemory
	acquireRelease = spirv.MemorySemanticsAcquireRelease | spirv.MemorySemanticsMakeAvailable |
		spirv.MemorySemanticsMakeVisible | sharedMemory
)

// Go's atomics are sequentially consistent, but Vulkan does not offer sequential consistency. The emitted operations
// are sequentially consistent, because every atomic operation reads, writes, acquires and releases. Each atomic
// operation therefore happens before the next operation on the same location. So there is a sequence of all atomic
// operations that agrees with the order of the code in each invocation. An atomic load is emitted as an addition of
// zero, and an atomic store is emitted as an exchange.

func emitAtomicLoad(f *function, v *ir.Value) spirv.ID {
	return f.readModifyWrite(spirv.OpAtomicIAdd, v, v.Type, f.e.m.Const(v.Type, 0))
}

// emitLooseLoad returns an emitter for a relaxed atomic load, which does not order other accesses.
func emitLooseLoad(s spirv.MemorySemantics) emitFunc {
	return func(f *function, v *ir.Value) spirv.ID {
		typ := f.e.register(v.Type)
		ptr, scope := f.atomic(v, v.Type)
		if ptr == 0 {
			return f.e.b.ConstNull(typ)
		}
		return f.Op(spirv.OpAtomicLoad, typ, ptr, scope, f.e.b.ConstU32(uint32(s)))
	}
}

func emitRelaxedStore(f *function, v *ir.Value) spirv.ID {
	x := v.Args[0]
	ptr, scope := f.atomic(v, x.Type)
	if ptr == 0 {
		return 0
	}
	return f.Op(spirv.OpAtomicStore, 0, ptr, scope, f.e.b.ConstU32(uint32(spirv.MemorySemanticsNone)), f.value(x))
}

func emitAtomicStore(f *function, v *ir.Value) spirv.ID {
	f.readModifyWrite(spirv.OpAtomicExchange, v, v.Args[0].Type, v.Args[0])
	return 0
}

// emitAtomic returns an emitter for a read-modify-write instruction.
func emitAtomic(op spirv.Op) emitFunc {
	return func(f *function, v *ir.Value) spirv.ID { return f.readModifyWrite(op, v, v.Type, v.Args[0]) }
}

func (f *function) readModifyWrite(op spirv.Op, v *ir.Value, t *ir.Type, x *ir.Value) spirv.ID {
	return f.readModifyWriteOrdered(op, v, t, x, acquireRelease)
}

func (f *function) readModifyWriteOrdered(op spirv.Op, v *ir.Value, t *ir.Type, x *ir.Value, s spirv.MemorySemantics) spirv.ID {
	typ := f.e.register(t)
	ptr, scope := f.atomic(v, t)
	if ptr == 0 {
		return f.e.b.ConstNull(typ)
	}
	return f.Op(op, typ, ptr, scope, f.order(s), f.value(x))
}

func emitRelaxedAdd(f *function, v *ir.Value) spirv.ID {
	return f.readModifyWriteOrdered(spirv.OpAtomicIAdd, v, v.Type, v.Args[0], spirv.MemorySemanticsNone)
}

func emitAtomicCompareExchange(f *function, v *ir.Value) spirv.ID {
	t := f.e.register(v.Type)
	ptr, scope := f.atomic(v, v.Type)
	if ptr == 0 {
		return f.e.b.ConstNull(t)
	}
	return f.Op(spirv.OpAtomicCompareExchange, t, ptr, scope,
		f.order(acquireRelease), f.order(acquire), f.value(v.Args[0]), f.value(v.Args[1]))
}

// The method order returns the memory semantics of an atomic operation. In a helper, atomic operations are relaxed.
// Relaxed operations are sufficient for fault records, which only the host reads. They are also sufficient for
// exchanges that replace a plain store to a part of a 32-bit word. Helpers avoid stronger operations because lavapipe
// miscompiles loops that contain memory barriers.
func (f *function) order(s spirv.MemorySemantics) spirv.ID {
	if f.helper {
		s = spirv.MemorySemanticsNone
	}
	return f.e.b.ConstU32(uint32(s))
}

// The method atomic returns the pointer and the scope of an atomic operation on a value of type t.
func (f *function) atomic(v *ir.Value, t *ir.Type) (ptr, scopeID spirv.ID) {
	p := f.place(v)
	if p.ptr == 0 {
		return 0, 0
	}
	scope := spirv.ScopeWorkgroup
	if p.device {
		scope = spirv.ScopeDevice
		f.e.need(spirv.CapabilityVulkanMemoryModelDeviceScope)
	}
	switch {
	case t.Kind == ir.I32:
	case t.Kind == ir.I64:
		f.e.need(spirv.CapabilityInt64Atomics)
	case t.Kind == ir.F32 && v.Op == ir.OpAtomicFAddNative:
		f.e.need(spirv.CapabilityAtomicFloat32AddEXT)
	case t.Kind == ir.F64 && v.Op == ir.OpAtomicFAddNative:
		f.e.need(spirv.CapabilityAtomicFloat64AddEXT)
	default:
		f.e.errorf("%v of %v", v.Op, t)
	}
	return p.ptr, f.e.b.ConstU32(uint32(scope))
}

func emitAtomicFence(f *function, v *ir.Value) spirv.ID {
	return f.Op(spirv.OpMemoryBarrier, 0, f.e.b.ConstU32(uint32(f.memoryScope(v.Aux.(ir.Scope)))), f.order(acquireRelease))
}

func (f *function) memoryScope(s ir.Scope) spirv.Scope {
	switch s {
	case ir.ScopeDevice:
		f.e.need(spirv.CapabilityVulkanMemoryModelDeviceScope)
		return spirv.ScopeDevice
	case ir.ScopeSubGroup:
		f.e.need(spirv.CapabilityGroupNonUniform)
		return spirv.ScopeSubgroup
	}
	return spirv.ScopeWorkgroup
}

func emitBarrier(s spirv.MemorySemantics) emitFunc {
	return func(f *function, v *ir.Value) spirv.ID {
		scope := f.e.b.ConstU32(uint32(f.memoryScope(v.Aux.(ir.Scope))))
		return f.Op(spirv.OpControlBarrier, 0, scope, scope, f.e.b.ConstU32(uint32(s)))
	}
}
