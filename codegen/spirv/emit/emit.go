package emit

// This file emits the header, entry point and functions of a module.

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// Emit returns the 32-bit words of the SPIR-V module. The emitted words depend only on the operations in
// m, not on the ids or names of values.
//
// An error means that m is not Legal.
func Emit(m *ir.Module) ([]uint32, error) {
	sm, err := newEmitter(m).emitModule()
	if err != nil {
		return nil, err
	}
	return sm.Words(), nil
}

// emitModule writes the SPIR-V module.
func (e *emitter) emitModule() (*spirv.Module, error) {
	if e.m.Level != ir.Legal {
		return nil, fmt.Errorf("emit: %s is at level %v, want %v", e.m.Name, e.m.Level, ir.Legal)
	}
	e.module()
	if e.err != nil {
		return nil, fmt.Errorf("emit: %s: %w", e.m.Name, e.err)
	}
	sm, err := e.b.Module()
	if err != nil {
		return nil, fmt.Errorf("emit: %s: %w", e.m.Name, err)
	}
	return sm, nil
}

// emitter writes one SPIR-V module.
type emitter struct {
	m    *ir.Module
	b    *spirv.Builder
	err  error // first error
	caps map[spirv.Capability]bool

	// sharesMemory is true if invocations may communicate. If invocations communicate, accesses to
	// shared memory must be NonPrivatePointer, because barriers and atomics order only
	// NonPrivatePointer accesses.
	sharesMemory bool

	// oneDimension is true if work-groups have one dimension on the device. The comment of the method
	// localSize explains why some kernels need one dimension.
	oneDimension bool
	size         [3]spirv.ID // size of the kernel's work-groups

	plainTypes  map[*ir.Type]spirv.ID // maps a type to its SPIR-V type for variables, without a layout
	layoutTypes map[*ir.Type]spirv.ID // maps a type to its SPIR-V type in device memory, with gc's layout
	consts      map[*ir.Value]spirv.ID
	specs       map[uint32]spirv.ID // maps a SpecId to its specialization constant
	vars        map[*ir.Var]spirv.ID
	inputs      map[spirv.BuiltIn]spirv.ID
	push        launchBlock

	funcs map[*ir.Func]*spirv.FunctionBuilder

	origins *[]Origin // origins of instructions, indexed by their tags; nil if not requested
}

func newEmitter(m *ir.Module) *emitter {
	return &emitter{
		m: m, b: spirv.NewBuilder(), caps: map[spirv.Capability]bool{}, sharesMemory: m.UsesGroup || hasAtomics(m.Kernel),
		plainTypes: map[*ir.Type]spirv.ID{}, layoutTypes: map[*ir.Type]spirv.ID{},
		consts: map[*ir.Value]spirv.ID{}, specs: map[uint32]spirv.ID{}, vars: map[*ir.Var]spirv.ID{},
		inputs: map[spirv.BuiltIn]spirv.ID{}, funcs: map[*ir.Func]*spirv.FunctionBuilder{},
	}
}

// hasAtomics reports whether the kernel contains atomics that let work-items communicate in Go.
// hasAtomics ignores atomics in helpers. For example, the fault helper reserves the fault record by an
// atomic, but no work-item waits for the stores to the record. hasAtomics also ignores atomic loads of
// memory that only the host writes.
func hasAtomics(f *ir.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if v.Op.Has(ir.FlagAtomic) && v.Op != ir.OpAtomicLoadVolatile {
				return true
			}
		}
	}
	return false
}

func (e *emitter) errorf(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *emitter) module() {
	b := e.b
	e.needCapability(spirv.CapabilityShader)
	e.needCapability(spirv.CapabilityPhysicalStorageBufferAddresses)
	e.needCapability(spirv.CapabilityVulkanMemoryModel)
	b.MemoryModel(spirv.AddressingModelPhysicalStorageBuffer64, spirv.MemoryModelVulkan)
	e.localSize()
	funcs := calledFuncs(e.m.Kernel)
	e.push.planMembers(funcs)
	for _, f := range funcs {
		e.beginFunction(f)
	}
	main := e.funcs[e.m.Kernel].ID
	b.EntryPoint(spirv.ExecutionModelGLCompute, main, abi.EntryPoint)
	e.executionModes(main)
	for _, f := range funcs {
		e.emitFunction(f)
	}
	e.declareCapabilities()
}

// calledFuncs returns f and all functions that f calls directly or indirectly.
func calledFuncs(f *ir.Func) []*ir.Func {
	list := []*ir.Func{f}
	for i := 0; i < len(list); i++ {
		for _, b := range list[i].Blocks {
			for _, v := range b.Insts {
				if g, ok := v.Aux.(*ir.Func); ok && !slices.Contains(list, g) {
					list = append(list, g)
				}
			}
		}
	}
	return list
}

// beginFunction declares a function and creates its builder.
func (e *emitter) beginFunction(f *ir.Func) {
	var params []spirv.ID
	for _, p := range f.Params {
		params = append(params, e.registerType(p.Type))
	}
	void := e.b.TypeVoid()
	e.funcs[f] = e.b.Function(void, e.b.TypeFunction(void, params...), spirv.FunctionControlNone)
}

// executionModes declares the execution modes of the entry point. Execution mode LocalSize is only a default for the
// work-group size. The constant that localSize defines overrides execution mode LocalSize.
//
// Execution mode SignedZeroInfNanPreserve is added when a module is loaded on a device that
// supports the mode.
func (e *emitter) executionModes(main spirv.ID) {
	size := [3]uint32{1, 1, 1}
	for _, s := range e.m.Specs {
		if s.ID >= abi.SpecLocalSizeX && s.ID <= abi.SpecLocalSizeZ {
			size[s.ID-abi.SpecLocalSizeX] = uint32(s.Default)
		}
	}
	if e.oneDimension {
		size = [3]uint32{size[0] * size[1] * size[2], 1, 1}
	}
	e.b.ExecutionMode(main, spirv.ExecutionModeLocalSize, size[:]...)
}

// localSize defines the constant that contains the work-group size, and decorates it with
// WorkgroupSize. The components of the work-group size are reserved specialization constants.
//
// A sub-group consists of invocations with consecutive indices. Vulkan does not specify how a device
// divides a work-group into sub-groups, and lavapipe divides each row of a work-group separately.
// Therefore a kernel that uses sub-groups has work-groups of one dimension on the device. A kernel
// with barriers also has work-groups of one dimension on the device. The reason is that lavapipe
// adds invocations to fill the last sub-group, as pass partial explains. With one dimension, the
// invocations that lavapipe adds have larger indices than all invocations of the work-group. With
// several dimensions, the added invocations may have smaller indices.
func (e *emitter) localSize() {
	e.oneDimension = e.m.Rank > 1 && (e.m.UsesGroup || usesSubGroups(calledFuncs(e.m.Kernel)))
	for i := range e.size {
		s := &ir.Spec{ID: abi.SpecLocalSizeX + uint32(i), Type: ir.TypeI32, Default: 1}
		for _, t := range e.m.Specs {
			if t.ID == s.ID {
				s = t
			}
		}
		e.size[i] = e.specID(s)
	}
	parts := e.size
	if e.oneDimension {
		one := e.b.ConstU32(1)
		all := e.b.SpecConstOp(e.u32(), spirv.OpIMul, e.size[0], e.size[1])
		parts = [3]spirv.ID{e.b.SpecConstOp(e.u32(), spirv.OpIMul, all, e.size[2]), one, one}
	}
	size := e.b.SpecConstComposite(e.b.TypeVector(e.u32(), 3), parts[:]...)
	e.b.Decorate(size, spirv.DecorationBuiltIn, uint32(spirv.BuiltInWorkgroupSize))
}

// usesSubGroups reports whether functions use sub-groups.
func usesSubGroups(funcs []*ir.Func) bool {
	for _, f := range funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if v.Op == ir.OpBuiltIn && v.Aux.(ir.BuiltIn) >= ir.SubgroupSize || v.IsGroupOp() {
					return true
				}
			}
		}
	}
	return false
}
