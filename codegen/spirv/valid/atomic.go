package valid

import (
	"math/bits"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// These constants are the sets of scopes that Vulkan allows for memory, barriers and sub-group
// operations.
const (
	memoryScope = 1<<spirv.ScopeDevice | 1<<spirv.ScopeWorkgroup | 1<<spirv.ScopeSubgroup | 1<<spirv.ScopeInvocation | 1<<spirv.ScopeQueueFamily
	barrier     = 1<<spirv.ScopeWorkgroup | 1<<spirv.ScopeSubgroup
	subgroup    = 1 << spirv.ScopeSubgroup
)

// checkScope checks the id of a scope. The scope must be a constant. The parameter `allowed` is the
// set of possible values.
func (c *checker) checkScope(id uint32, allowed uint) {
	v := c.intConstant(id)
	c.require(c.defs[id].typ.width == 32, "the scope is not of 32 bits")
	c.require(v < 16 && allowed>>v&1 != 0, "it cannot have the scope %d", v)
	c.require(v != uint64(spirv.ScopeQueueFamily) || c.vulkan, "the scope QueueFamily needs the memory model Vulkan")
	if c.vulkan && v == uint64(spirv.ScopeDevice) {
		c.require(c.caps[spirv.CapabilityVulkanMemoryModelDeviceScope], "the scope Device needs the capability VulkanMemoryModelDeviceScope")
	}
}

// Groups of bits in an operand for memory semantics (3.26).
const (
	acquire = uint64(spirv.MemorySemanticsAcquire)
	release = uint64(spirv.MemorySemanticsRelease)
	acqRel  = uint64(spirv.MemorySemanticsAcquireRelease)
	seqCst  = uint64(spirv.MemorySemanticsSequentiallyConsistent)
	orders  = acquire | release | acqRel | seqCst
	areas   = uint64(spirv.MemorySemanticsUniformMemory | spirv.MemorySemanticsWorkgroupMemory | spirv.MemorySemanticsImageMemory)
	// Bits of memory semantics without meaning in Vulkan. Each bit stands for a storage class that
	// Vulkan does not have.
	ignored = uint64(spirv.MemorySemanticsSubgroupMemory | spirv.MemorySemanticsCrossWorkgroupMemory | spirv.MemorySemanticsAtomicCounterMemory)
	makes   = uint64(spirv.MemorySemanticsMakeAvailable | spirv.MemorySemanticsMakeVisible)
)

// checkSemantics checks the id of an operand for memory semantics, and returns the value of the operand.
// notOrders is the set of memory orders that the instruction must not have.
func (c *checker) checkSemantics(id uint32, notOrders uint64) uint64 {
	v := c.intConstant(id)
	c.require(c.defs[id].typ.width == 32, "the semantics are not of 32 bits")
	known := orders | areas | ignored
	if c.vulkan {
		known |= makes | uint64(spirv.MemorySemanticsVolatile)
		c.require(v&seqCst == 0, "the memory model Vulkan has no order SequentiallyConsistent")
	}
	c.require(v&^known == 0, "there are no such semantics in this memory model")
	c.require(bits.OnesCount64(v&orders) <= 1, "the semantics have several orders")
	c.require(v&notOrders == 0, "it cannot have this order")
	c.require(v&orders == 0 || v&areas != 0, "the semantics order no memory")
	c.require(v&uint64(spirv.MemorySemanticsMakeAvailable) == 0 || v&(release|acqRel) != 0, "MakeAvailable without a release")
	c.require(v&uint64(spirv.MemorySemanticsMakeVisible) == 0 || v&(acquire|acqRel) != 0, "MakeVisible without an acquire")
	return v
}

// atomicPointer checks the pointer of an atomic operation, and returns the type of its target.
func (c *checker) atomicPointer(id uint32) *typ {
	p := c.pointerOperand(id)
	c.require(p.class == spirv.StorageClassWorkgroup || p.hasAddress(), "atomic operations have memory of work-groups or of buffers")
	t := p.elem
	switch {
	case t.isInt():
		c.require(t.width == 32 || t.width == 64 && c.caps[spirv.CapabilityInt64Atomics], "there are no atomic operations on integers of %d bits", t.width)
	case t.isFloat():
		c.require(t.width == 32 || t.width == 64, "there are no atomic operations on floats of %d bits", t.width)
	default:
		c.failRule("atomic operations are on numbers")
	}
	return t
}

func atomicLoad(c *checker, in *spirv.Instruction, t *typ) {
	c.require(c.atomicPointer(in.Words[0]) == t, "the pointer is to another type")
	c.checkScope(in.Words[1], memoryScope)
	c.checkSemantics(in.Words[2], release|acqRel|seqCst)
}

func atomicStore(c *checker, in *spirv.Instruction, _ *typ) {
	t := c.atomicPointer(in.Words[0])
	c.checkScope(in.Words[1], memoryScope)
	c.checkSemantics(in.Words[2], acquire|acqRel|seqCst)
	c.require(c.operandType(in.Words[3]) == t, "the pointer is to another type")
}

// atomicOp returns a rule for atomic operations. The rule requires that the function `ok` returns
// true for the type of the operation.
func atomicOp(ok func(c *checker, t *typ) bool) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.require(c.atomicPointer(in.Words[0]) == t, "the pointer is to another type")
		c.require(ok(c, t), "there is no such operation on this type")
		c.checkScope(in.Words[1], memoryScope)
		c.checkSemantics(in.Words[2], 0)
		for _, id := range in.Words[3:] {
			c.require(c.operandType(id) == t, "%%%d has not the result's type", id)
		}
	}
}

func compareExchange(c *checker, in *spirv.Instruction, t *typ) {
	c.require(c.atomicPointer(in.Words[0]) == t && t.isInt(), "the pointer is to another type")
	c.checkScope(in.Words[1], memoryScope)
	equal := c.checkSemantics(in.Words[2], 0)
	unequal := c.checkSemantics(in.Words[3], release|acqRel)
	const volatile = uint64(spirv.MemorySemanticsVolatile)
	c.require(unequal&orders == 0 || equal&orders != 0, "the order where the values differ is the stronger one")
	c.require(equal&volatile == unequal&volatile, "one of the semantics is volatile")
	for _, id := range in.Words[4:] {
		c.require(c.operandType(id) == t, "%%%d has not the result's type", id)
	}
}

func intOp(_ *checker, t *typ) bool { return t.isInt() }
func anyNumber(*checker, *typ) bool { return true }
func floatAdd(c *checker, t *typ) bool {
	return t.isFloat() && (t.width == 32 && c.caps[spirv.CapabilityAtomicFloat32AddEXT] || t.width == 64 && c.caps[spirv.CapabilityAtomicFloat64AddEXT])
}
func floatMinMax(c *checker, t *typ) bool {
	return t.isFloat() && (t.width == 32 && c.caps[spirv.CapabilityAtomicFloat32MinMaxEXT] || t.width == 64 && c.caps[spirv.CapabilityAtomicFloat64MinMaxEXT])
}

func controlBarrier(c *checker, in *spirv.Instruction, _ *typ) {
	c.checkScope(in.Words[0], barrier)
	c.checkScope(in.Words[1], memoryScope)
	c.checkSemantics(in.Words[2], 0)
}

func memoryBarrier(c *checker, in *spirv.Instruction, _ *typ) {
	c.checkScope(in.Words[0], memoryScope)
	c.require(c.checkSemantics(in.Words[1], 0)&orders != 0, "it orders nothing")
}

var atomicRules = map[spirv.Op]checkRule{
	spirv.OpAtomicLoad: atomicLoad, spirv.OpAtomicStore: atomicStore, spirv.OpAtomicExchange: atomicOp(anyNumber), spirv.OpAtomicCompareExchange: compareExchange,
	spirv.OpAtomicIIncrement: atomicOp(intOp), spirv.OpAtomicIDecrement: atomicOp(intOp), spirv.OpAtomicIAdd: atomicOp(intOp), spirv.OpAtomicISub: atomicOp(intOp),
	spirv.OpAtomicSMin: atomicOp(intOp), spirv.OpAtomicUMin: atomicOp(intOp), spirv.OpAtomicSMax: atomicOp(intOp), spirv.OpAtomicUMax: atomicOp(intOp),
	spirv.OpAtomicAnd: atomicOp(intOp), spirv.OpAtomicOr: atomicOp(intOp), spirv.OpAtomicXor: atomicOp(intOp),
	spirv.OpAtomicFAddEXT: atomicOp(floatAdd), spirv.OpAtomicFMinEXT: atomicOp(floatMinMax), spirv.OpAtomicFMaxEXT: atomicOp(floatMinMax),
	spirv.OpControlBarrier: controlBarrier, spirv.OpMemoryBarrier: memoryBarrier,
}
