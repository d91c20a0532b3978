package emit

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// Emit returns the module's words. The words depend on the module's contents
// only, not on the numbers of its values or on their names.
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
	err  error // the first
	caps map[spirv.Capability]bool

	// shared says that invocations communicate, so that accesses to what they
	// share must be NonPrivatePointer for barriers and atomics to order them.
	shared bool

	// flat says that the device sees work-groups of one dimension, see localSize.
	flat bool
	size [3]spirv.ID // of the kernel's work-groups

	plain  map[*ir.Type]spirv.ID // of variables, without a layout
	layout map[*ir.Type]spirv.ID // of device memory, with gc's
	consts map[*ir.Value]spirv.ID
	specs  map[uint32]spirv.ID // by SpecId
	vars   map[*ir.Var]spirv.ID
	inputs map[spirv.BuiltIn]spirv.ID
	push   launchBlock

	funcs map[*ir.Func]*spirv.FunctionBuilder

	origins *[]Origin // by the tags of instructions; nil if nobody asks
}

func newEmitter(m *ir.Module) *emitter {
	return &emitter{
		m: m, b: spirv.NewBuilder(), caps: map[spirv.Capability]bool{}, shared: m.UsesGroup || hasAtomics(m.Kernel),
		plain: map[*ir.Type]spirv.ID{}, layout: map[*ir.Type]spirv.ID{},
		consts: map[*ir.Value]spirv.ID{}, specs: map[uint32]spirv.ID{}, vars: map[*ir.Var]spirv.ID{},
		inputs: map[spirv.BuiltIn]spirv.ID{}, funcs: map[*ir.Func]*spirv.FunctionBuilder{},
	}
}

// hasAtomics reports whether the kernel itself uses atomics, through which Go
// lets work-items communicate. Helpers are not asked: the one that records
// faults claims the record by an atomic, and nobody waits for what it writes. Nor is what
// the host writes about what work-items share.
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

// called returns f and the functions that it calls, directly or not.
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

// executionModes declares the modes of the entry point. The work-group size is
// the constant that localSize decorates; LocalSize is only its default.
//
// SignedZeroInfNanPreserve is added when a module is loaded, where the device has it.
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

// localSize decorates the work-group size, whose parts are the reserved
// specialization constants.
//
// Sub-groups are runs of invocations with neighbouring indices, but Vulkan leaves
// open how a device cuts a work-group, and lavapipe cuts each row of one with
// several dimensions. So where a kernel has any to do with sub-groups, the device
// gets a work-group of one dimension. Also where it has barriers: only so do the
// invocations that lavapipe fills up a sub-group with, see pass partial, have indices
// past the work-group's.
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

// usesSubGroups reports whether functions have anything to do with sub-groups.
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
