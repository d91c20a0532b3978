package emit

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// Emit returns the module's words. The words depend only on the module's contents, not on the
// numbers or names of its values.
//
// An error means that the module is not Legal.
func Emit(m *ir.Module) ([]uint32, error) {
	sm, err := newEmitter(m).emit()
	if err != nil {
		return nil, err
	}
	return sm.Words(), nil
}

// emit writes the module.
func (e *emitter) emit() (*spirv.Module, error) {
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

// emitter writes one module.
type emitter struct {
	m    *ir.Module
	b    *spirv.Builder
	err  error // the first error
	caps map[spirv.Capability]bool

	// shared says that invocations communicate. Accesses to memory that they share must then be
	// NonPrivatePointer, so that barriers and atomics order them.
	shared bool

	// flat says that the device gets work-groups of one dimension; see localSize.
	flat bool
	size [3]spirv.ID // the work-group size of the kernel

	plain  map[*ir.Type]spirv.ID // types of variables, without a layout
	layout map[*ir.Type]spirv.ID // types of device memory, with gc's layout
	consts map[*ir.Value]spirv.ID
	specs  map[uint32]spirv.ID // by SpecId
	vars   map[*ir.Var]spirv.ID
	inputs map[spirv.BuiltIn]spirv.ID
	push   launchBlock

	funcs map[*ir.Func]*spirv.FunctionBuilder

	origins *[]Origin // origins by the tags of instructions; nil if they are not wanted
}

func newEmitter(m *ir.Module) *emitter {
	return &emitter{
		m: m, b: spirv.NewBuilder(), caps: map[spirv.Capability]bool{}, shared: m.UsesGroup || hasAtomics(m.Kernel),
		plain: map[*ir.Type]spirv.ID{}, layout: map[*ir.Type]spirv.ID{},
		consts: map[*ir.Value]spirv.ID{}, specs: map[uint32]spirv.ID{}, vars: map[*ir.Var]spirv.ID{},
		inputs: map[spirv.BuiltIn]spirv.ID{}, funcs: map[*ir.Func]*spirv.FunctionBuilder{},
	}
}

// hasAtomics reports whether the kernel itself uses atomics, through which Go lets work-items
// communicate. Atomics in helpers do not count. The helper that records faults claims the record by
// an atomic, but no work-item reads the record. Flags that the host writes are not memory that
// work-items share, either.
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
	e.need(spirv.CapabilityShader)
	e.need(spirv.CapabilityPhysicalStorageBufferAddresses)
	e.need(spirv.CapabilityVulkanMemoryModel)
	b.MemoryModel(spirv.AddressingModelPhysicalStorageBuffer64, spirv.MemoryModelVulkan)
	e.localSize()
	funcs := called(e.m.Kernel)
	e.push.plan(funcs)
	for _, f := range funcs {
		e.begin(f)
	}
	main := e.funcs[e.m.Kernel].ID
	b.EntryPoint(spirv.ExecutionModelGLCompute, main, abi.EntryPoint)
	e.executionModes(main)
	for _, f := range funcs {
		e.function(f)
	}
	e.declare()
}

// called returns f and the functions that it calls, directly or indirectly.
func called(f *ir.Func) []*ir.Func {
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

// begin declares a function.
func (e *emitter) begin(f *ir.Func) {
	var params []spirv.ID
	for _, p := range f.Params {
		params = append(params, e.register(p.Type))
	}
	void := e.b.TypeVoid()
	e.funcs[f] = e.b.Function(void, e.b.TypeFunction(void, params...), spirv.FunctionControlNone)
}

// executionModes declares the modes of the entry point. The work-group size is the constant that
// localSize decorates; LocalSize is only its default.
//
// SignedZeroInfNanPreserve is added when a module is loaded, if the device has it.
func (e *emitter) executionModes(main spirv.ID) {
	size := [3]uint32{1, 1, 1}
	for _, s := range e.m.Specs {
		if s.ID >= abi.SpecLocalSizeX && s.ID <= abi.SpecLocalSizeZ {
			size[s.ID-abi.SpecLocalSizeX] = uint32(s.Default)
		}
	}
	if e.flat {
		size = [3]uint32{size[0] * size[1] * size[2], 1, 1}
	}
	e.b.ExecutionMode(main, spirv.ExecutionModeLocalSize, size[:]...)
}

// localSize decorates the work-group size, whose parts are the reserved specialization constants.
//
// Sub-groups are sequences of invocations with consecutive indices. But Vulkan does not define how
// a device divides a work-group, and lavapipe divides each row of a work-group with several
// dimensions. So if a kernel depends on sub-groups, the device gets a work-group of one dimension.
// The same holds for kernels with barriers: only then do the invocations with which lavapipe fills
// up a sub-group (see pass partial) have indices beyond the work-group.
func (e *emitter) localSize() {
	e.flat = e.m.Rank > 1 && (e.m.UsesGroup || usesSubGroups(called(e.m.Kernel)))
	for i := range e.size {
		s := &ir.Spec{ID: abi.SpecLocalSizeX + uint32(i), Type: ir.TypeI32, Default: 1}
		for _, t := range e.m.Specs {
			if t.ID == s.ID {
				s = t
			}
		}
		e.size[i] = e.spec(s)
	}
	parts := e.size
	if e.flat {
		one := e.b.ConstU32(1)
		all := e.b.SpecConstOp(e.u32(), spirv.OpIMul, e.size[0], e.size[1])
		parts = [3]spirv.ID{e.b.SpecConstOp(e.u32(), spirv.OpIMul, all, e.size[2]), one, one}
	}
	size := e.b.SpecConstComposite(e.b.TypeVector(e.u32(), 3), parts[:]...)
	e.b.Decorate(size, spirv.DecorationBuiltIn, uint32(spirv.BuiltInWorkgroupSize))
}

// usesSubGroups reports whether functions depend on sub-groups.
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
