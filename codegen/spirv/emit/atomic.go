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

// Go's atomics are sequentially consistent, but Vulkan does not offer sequential consistency. The
// emitted operations are sequentially consistent, because every atomic operation reads, writes, acquires
// and releases. Each atomic operation therefore happens before the next operation on the same location.
// So all atomic operations have one total order, which agrees with the program order of each invocation.
// An atomic load is emitted as an addition of zero, and an atomic store is emitted as an exchange.

func emitAtomicLoad(f *funcEmitter, v *ir.Value) spirv.ID {
	return f.readModifyWrite(spirv.OpAtomicIAdd, v, v.Type, f.e.m.Const(v.Type, 0))
}

// emitLooseLoad returns an emitter for a relaxed atomic load, which does not order other accesses.
func emitLooseLoad(s spirv.MemorySemantics) emitFunc {
	return func(f *funcEmitter, v *ir.Value) spirv.ID {
		typ := f.e.registerType(v.Type)
		ptr, scope := f.atomicPointer(v, v.Type)
		if ptr == 0 {
			return f.e.b.ConstNull(typ)
		}
		return f.Op(spirv.OpAtomicLoad, typ, ptr, scope, f.e.b.ConstU32(uint32(s)))
	}
}

func emitRelaxedStore(f *funcEmitter, v *ir.Value) spirv.ID {
	x := v.Args[0]
	ptr, scope := f.atomicPointer(v, x.Type)
	if ptr == 0 {
		return 0
	}
	return f.Op(spirv.OpAtomicStore, 0, ptr, scope, f.e.b.ConstU32(uint32(spirv.MemorySemanticsNone)), f.valueID(x))
}

func emitAtomicStore(f *funcEmitter, v *ir.Value) spirv.ID {
	f.readModifyWrite(spirv.OpAtomicExchange, v, v.Args[0].Type, v.Args[0])
	return 0
}

// emitAtomic returns an emitter for a read-modify-write instruction.
func emitAtomic(op spirv.Op) emitFunc {
	return func(f *funcEmitter, v *ir.Value) spirv.ID { return f.readModifyWrite(op, v, v.Type, v.Args[0]) }
}

func (f *funcEmitter) readModifyWrite(op spirv.Op, v *ir.Value, t *ir.Type, x *ir.Value) spirv.ID {
	return f.readModifyWriteOrdered(op, v, t, x, acquireRelease)
}

func (f *funcEmitter) readModifyWriteOrdered(op spirv.Op, v *ir.Value, t *ir.Type, x *ir.Value, s spirv.MemorySemantics) spirv.ID {
	typ := f.e.registerType(t)
	ptr, scope := f.atomicPointer(v, t)
	if ptr == 0 {
		return f.e.b.ConstNull(typ)
	}
	return f.Op(op, typ, ptr, scope, f.atomicSemantics(s), f.valueID(x))
}

func emitRelaxedAdd(f *funcEmitter, v *ir.Value) spirv.ID {
	return f.readModifyWriteOrdered(spirv.OpAtomicIAdd, v, v.Type, v.Args[0], spirv.MemorySemanticsNone)
}

func emitAtomicCompareExchange(f *funcEmitter, v *ir.Value) spirv.ID {
	t := f.e.registerType(v.Type)
	ptr, scope := f.atomicPointer(v, v.Type)
	if ptr == 0 {
		return f.e.b.ConstNull(t)
	}
	return f.Op(spirv.OpAtomicCompareExchange, t, ptr, scope,
		f.atomicSemantics(acquireRelease), f.atomicSemantics(acquire), f.valueID(v.Args[0]), f.valueID(v.Args[1]))
}

// atomicSemantics returns the memory semantics of an atomic operation. In a helper, atomic operations
// are relaxed. Relaxed operations are sufficient for fault records, which only the host reads.
// Relaxed operations are also sufficient for exchanges that implement a plain store of less than 32
// bits. Helpers avoid stronger operations because lavapipe miscompiles loops that contain memory
// barriers.
func (f *funcEmitter) atomicSemantics(s spirv.MemorySemantics) spirv.ID {
	if f.helper {
		s = spirv.MemorySemanticsNone
	}
	return f.e.b.ConstU32(uint32(s))
}

// atomicPointer returns the pointer and the scope of an atomic operation on a value of type t.
func (f *funcEmitter) atomicPointer(v *ir.Value, t *ir.Type) (ptr, scopeID spirv.ID) {
	p := f.accessedPlace(v)
	if p.ptr == 0 {
		return 0, 0
	}
	scope := spirv.ScopeWorkgroup
	if p.device {
		scope = spirv.ScopeDevice
		f.e.needCapability(spirv.CapabilityVulkanMemoryModelDeviceScope)
	}
	switch {
	case t.Kind == ir.I32:
	case t.Kind == ir.I64:
		f.e.needCapability(spirv.CapabilityInt64Atomics)
	case t.Kind == ir.F32 && v.Op == ir.OpAtomicFAddNative:
		f.e.needCapability(spirv.CapabilityAtomicFloat32AddEXT)
	case t.Kind == ir.F64 && v.Op == ir.OpAtomicFAddNative:
		f.e.needCapability(spirv.CapabilityAtomicFloat64AddEXT)
	default:
		f.e.errorf("%v of %v", v.Op, t)
	}
	return p.ptr, f.e.b.ConstU32(uint32(scope))
}

func emitAtomicFence(f *funcEmitter, v *ir.Value) spirv.ID {
	return f.Op(spirv.OpMemoryBarrier, 0, f.e.b.ConstU32(uint32(f.memoryScope(v.Aux.(ir.Scope)))), f.atomicSemantics(acquireRelease))
}

func (f *funcEmitter) memoryScope(s ir.Scope) spirv.Scope {
	switch s {
	case ir.ScopeDevice:
		f.e.needCapability(spirv.CapabilityVulkanMemoryModelDeviceScope)
		return spirv.ScopeDevice
	case ir.ScopeSubGroup:
		f.e.needCapability(spirv.CapabilityGroupNonUniform)
		return spirv.ScopeSubgroup
	}
	return spirv.ScopeWorkgroup
}

func emitBarrier(s spirv.MemorySemantics) emitFunc {
	return func(f *funcEmitter, v *ir.Value) spirv.ID {
		scope := f.e.b.ConstU32(uint32(f.memoryScope(v.Aux.(ir.Scope))))
		return f.Op(spirv.OpControlBarrier, 0, scope, scope, f.e.b.ConstU32(uint32(s)))
	}
}
