package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// inputRows has the type and the capability of each built-in variable that kernels may use. The field n
// is the number of components of the variable. The components are 32-bit integers. The field caps is
// the required capability.
var inputRows = map[spirv.BuiltIn]struct {
	n    uint64
	caps spirv.Capability
}{
	spirv.BuiltInNumWorkgroups:             {3, spirv.CapabilityShader},
	spirv.BuiltInWorkgroupId:               {3, spirv.CapabilityShader},
	spirv.BuiltInLocalInvocationId:         {3, spirv.CapabilityShader},
	spirv.BuiltInGlobalInvocationId:        {3, spirv.CapabilityShader},
	spirv.BuiltInLocalInvocationIndex:      {1, spirv.CapabilityShader},
	spirv.BuiltInSubgroupSize:              {1, spirv.CapabilityGroupNonUniform},
	spirv.BuiltInNumSubgroups:              {1, spirv.CapabilityGroupNonUniform},
	spirv.BuiltInSubgroupId:                {1, spirv.CapabilityGroupNonUniform},
	spirv.BuiltInSubgroupLocalInvocationId: {1, spirv.CapabilityGroupNonUniform},
	spirv.BuiltInSubgroupEqMask:            {4, spirv.CapabilityGroupNonUniformBallot},
	spirv.BuiltInSubgroupGeMask:            {4, spirv.CapabilityGroupNonUniformBallot},
	spirv.BuiltInSubgroupGtMask:            {4, spirv.CapabilityGroupNonUniformBallot},
	spirv.BuiltInSubgroupLeMask:            {4, spirv.CapabilityGroupNonUniformBallot},
	spirv.BuiltInSubgroupLtMask:            {4, spirv.CapabilityGroupNonUniformBallot},
}

// checkVariable checks an OpVariable (3.52.8) and defines its id.
func (c *checker) checkVariable(in *spirv.Instruction) *definition {
	t := c.typeID(in.Type)
	c.require(t.isPointer() && t.elem != nil, "its type is not a pointer")
	class := spirv.StorageClass(in.Words[0])
	c.require(class == t.class, "its storage class is not that of its type")
	c.require((class == spirv.StorageClassFunction) == (c.fn != nil), "a variable of this storage class does not stand here")
	e := t.elem
	c.require(!e.hasRuntimeArray, "it has no size")
	if len(in.Words) > 1 {
		d := c.lookupID(in.Words[1])
		c.require(d.kind == isConstant && d.typ == e, "the initial value is not a constant of its type")
		c.require(class == spirv.StorageClassFunction || class == spirv.StorageClassPrivate, "a variable of this storage class has an initial value")
	}
	switch class {
	case spirv.StorageClassPushConstant:
		c.require(e.isStruct() && c.hasDecoration(e.id, spirv.DecorationBlock), "push constants are not a structure with the decoration Block")
	case spirv.StorageClassInput:
		c.checkInput(in, e)
	case spirv.StorageClassPhysicalStorageBuffer:
		c.failRule("a variable cannot have this storage class")
	}
	c.checkAliased(in.Result, e)
	d := c.defs[in.Result]
	if d == nil { // global variable; outlineFunction has already defined the variables of functions
		d = c.defineID(in, &definition{kind: isValue, typ: t})
	}
	return d
}

// checkAliased checks the id of a pointer with an address. If memory contains such pointers,
// checkAliased checks the id of the memory, too. A decoration must declare whether the pointer may
// alias other pointers (SPV_KHR_physical_storage_buffer).
func (c *checker) checkAliased(id spirv.ID, t *typ) {
	if t.isPointer() && !t.hasAddress() {
		t = t.elem
	}
	if c.defs[id] != nil && c.defs[id].in.Op == spirv.OpFunctionParameter && t.hasAddress() {
		return // checkParameter checks the pointer
	}
	if innermostElem(t).hasAddress() {
		c.require(c.hasDecoration(id, spirv.DecorationAliasedPointer) != c.hasDecoration(id, spirv.DecorationRestrictPointer),
			"what holds a pointer with an address is AliasedPointer or RestrictPointer")
	}
}

// checkInput checks an Input variable, which must be a built-in.
func (c *checker) checkInput(in *spirv.Instruction, e *typ) {
	found := false
	for _, b := range c.decor[in.Result] {
		if b.kind != spirv.DecorationBuiltIn {
			continue
		}
		row, ok := inputRows[spirv.BuiltIn(b.words[0])]
		c.require(ok, "kernels have no input %v", spirv.BuiltIn(b.words[0]))
		c.require(c.caps[row.caps], "the input %v needs the capability %v", spirv.BuiltIn(b.words[0]), row.caps)
		c.require(e.ints() && e.is(32) && e.componentCount() == row.n, "the input %v has another type", spirv.BuiltIn(b.words[0]))
		found = true
	}
	c.require(found, "an input of a kernel is not built in")
}

// pointerOperand returns the type of an operand that must be a pointer.
func (c *checker) pointerOperand(id uint32) *typ {
	d := c.valueOf(id)
	c.require(d.typ.isPointer() && d.typ.elem != nil, "%%%d is not a pointer", id)
	c.recordUse(d)
	return d.typ
}

// memoryOperands checks the memory operands of a load or store, and returns the words after these operands.
func (c *checker) memoryOperands(t *typ, words []uint32, load, store bool) []uint32 {
	mask := uint32(0)
	if len(words) > 0 {
		mask, words = words[0], words[1:]
	}
	const (
		aligned    = uint32(spirv.MemoryAccessAligned)
		available  = uint32(spirv.MemoryAccessMakePointerAvailable)
		visible    = uint32(spirv.MemoryAccessMakePointerVisible)
		nonPrivate = uint32(spirv.MemoryAccessNonPrivatePointer)
	)
	c.require(mask <= 0x3f, "there are no such memory operands")
	c.require(mask&aligned != 0 || !t.hasAddress(), "an access by address has no alignment")
	if mask&aligned != 0 {
		// The compiler glslc writes alignment 0 if it cannot determine the alignment.
		c.require(words[0]&(words[0]-1) == 0, "the alignment %d is no power of two", words[0])
		words = words[1:]
	}
	for _, x := range []struct {
		bit uint32
		may bool
	}{{available, store}, {visible, load}} {
		if mask&x.bit != 0 {
			c.require(x.may, "a load makes available, or a store visible")
			c.require(mask&nonPrivate != 0, "what is made available or visible is not NonPrivatePointer")
			c.checkScope(words[0], memoryScope)
			words = words[1:]
		}
	}
	c.require(mask&nonPrivate == 0 || t.hasAddress() || t.class == spirv.StorageClassWorkgroup, "only memory that work-items share is NonPrivatePointer")
	c.require(mask&(available|visible|nonPrivate) == 0 || c.vulkan, "such memory operands need the memory model Vulkan")
	return words
}

func loads(c *checker, in *spirv.Instruction, t *typ) {
	p := c.pointerOperand(in.Words[0])
	c.require(p.elem == t, "the pointer is to another type")
	rest := c.memoryOperands(p, in.Words[1:], true, false)
	c.require(len(rest) == 0, "it has too many operands")
}

func stores(c *checker, in *spirv.Instruction, _ *typ) {
	p := c.pointerOperand(in.Words[0])
	c.writable(p)
	c.checkConcrete(p.elem)
	c.require(c.operandType(in.Words[1]) == p.elem, "the pointer is to another type")
	rest := c.memoryOperands(p, in.Words[2:], false, true)
	c.require(len(rest) == 0, "it has too many operands")
}

func (c *checker) writable(p *typ) {
	c.require(p.class != spirv.StorageClassInput && p.class != spirv.StorageClassPushConstant, "the memory cannot be written to")
}

func copyMemory(c *checker, in *spirv.Instruction, _ *typ) {
	to, from := c.pointerOperand(in.Words[0]), c.pointerOperand(in.Words[1])
	c.writable(to)
	c.checkConcrete(to.elem)
	c.require(to.elem == from.elem, "the pointers are to different types")
	rest := in.Words[2:]
	if len(rest) == 0 {
		c.memoryOperands(to, nil, false, true)
		c.memoryOperands(from, nil, true, false)
		return
	}
	both := rest
	if rest = c.memoryOperands(to, both, true, true); len(rest) == 0 {
		c.memoryOperands(from, both, true, true)
		return
	}
	c.require(c.m.Version >= spirv.Version14, "memory operands for each pointer need version 1.4")
	c.memoryOperands(to, both, false, true)
	rest = c.memoryOperands(from, rest, true, false)
	c.require(len(rest) == 0, "it has too many operands")
}

// accessChain checks an OpAccessChain, whose indices select a component of the memory to which a
// pointer points.
func accessChain(c *checker, in *spirv.Instruction, t *typ) {
	p := c.pointerOperand(in.Words[0])
	c.chain(p, in.Words[1:], t)
}

// ptrAccessChain checks an OpPtrAccessChain, whose first index selects another element of the same array.
func ptrAccessChain(c *checker, in *spirv.Instruction, t *typ) {
	p := c.pointerOperand(in.Words[0])
	c.require(p.hasAddress(), "the pointer has no address")
	stride := c.arrayStride(p)
	c.require(stride > 0 && stride < maxBytes && stride >= c.sizeOf(p.elem), "the pointer's type has no ArrayStride that fits")
	c.checkIndex(in.Words[1], 0)
	c.chain(p, in.Words[2:], t)
}

func (c *checker) chain(p *typ, indices []uint32, t *typ) {
	c.require(len(indices) <= maxTypeDepth, "there are %d indices", len(indices))
	e := p.elem
	for _, id := range indices {
		switch {
		case e.isStruct():
			i := c.intConstant(id)
			c.require(i < uint64(len(e.members)), "there is no member %d", i)
			e = e.members[i]
		case e.isVector(), e.isMatrix():
			c.checkIndex(id, e.n)
			e = e.elem
		case e.isArray(), e.op == spirv.OpTypeRuntimeArray:
			c.checkIndex(id, 0)
			e = e.elem
		default:
			c.failRule("an index into what has no parts")
		}
	}
	c.require(t.isPointer() && t.class == p.class && t.elem == e, "the result is not a pointer to that part, in that storage class")
}

var memoryRules = map[spirv.Op]checkRule{
	spirv.OpLoad: loads, spirv.OpStore: stores, spirv.OpCopyMemory: copyMemory,
	spirv.OpAccessChain: accessChain, spirv.OpInBoundsAccessChain: accessChain,
	spirv.OpPtrAccessChain: ptrAccessChain, spirv.OpInBoundsPtrAccessChain: ptrAccessChain,
}
