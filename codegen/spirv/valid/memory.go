package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// The table inputs maps each built-in variable that kernels may use to its type and capability. Field n is the number
// of components, which are 32-bit integers. Field caps is the required capability.
var inputs = map[spirv.BuiltIn]struct {
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

// The method variable checks an OpVariable (3.52.8) and defines its id.
func (c *checker) variable(in *spirv.Instruction) *def {
	t := c.typeID(in.Type)
	c.need(t.isPointer() && t.elem != nil, "its type is not a pointer")
	class := spirv.StorageClass(in.Words[0])
	c.need(class == t.class, "its storage class is not that of its type")
	c.need((class == spirv.StorageClassFunction) == (c.fn != nil), "a variable of this storage class does not stand here")
	e := t.elem
	c.need(!e.runtime, "it has no size")
	if len(in.Words) > 1 {
		d := c.lookup(in.Words[1])
		c.need(d.kind == isConstant && d.typ == e, "the initial value is not a constant of its type")
		c.need(class == spirv.StorageClassFunction || class == spirv.StorageClassPrivate, "a variable of this storage class has an initial value")
	}
	switch class {
	case spirv.StorageClassPushConstant:
		c.need(e.isStruct() && c.has(e.id, spirv.DecorationBlock), "push constants are not a structure with the decoration Block")
	case spirv.StorageClassInput:
		c.input(in, e)
	case spirv.StorageClassPhysicalStorageBuffer:
		c.fail("a variable cannot have this storage class")
	}
	c.aliased(in.Result, e)
	d := c.defs[in.Result]
	if d == nil { // global variable; method outline has already defined the variables of functions
		d = c.define(in, &def{kind: isValue, typ: t})
	}
	return d
}

// aliased checks an id whose type is a pointer with an address, or memory that contains pointers with an address. A
// decoration must say whether the pointer may alias other pointers (SPV_KHR_physical_storage_buffer).
func (c *checker) aliased(id spirv.ID, t *typ) {
	if t.isPointer() && !t.hasAddress() {
		t = t.elem
	}
	if c.defs[id] != nil && c.defs[id].in.Op == spirv.OpFunctionParameter && t.hasAddress() {
		return // method parameter checks the pointer
	}
	if strip(t).hasAddress() {
		c.need(c.has(id, spirv.DecorationAliasedPointer) != c.has(id, spirv.DecorationRestrictPointer),
			"what holds a pointer with an address is AliasedPointer or RestrictPointer")
	}
}

// The method input checks an Input variable, which must be a built-in.
func (c *checker) input(in *spirv.Instruction, e *typ) {
	found := false
	for _, b := range c.decor[in.Result] {
		if b.kind != spirv.DecorationBuiltIn {
			continue
		}
		row, ok := inputs[spirv.BuiltIn(b.words[0])]
		c.need(ok, "kernels have no input %v", spirv.BuiltIn(b.words[0]))
		c.need(c.caps[row.caps], "the input %v needs the capability %v", spirv.BuiltIn(b.words[0]), row.caps)
		c.need(e.ints() && e.is(32) && e.count() == row.n, "the input %v has another type", spirv.BuiltIn(b.words[0]))
		found = true
	}
	c.need(found, "an input of a kernel is not built in")
}

// pointerOperand returns the type of an operand that must be a pointer.
func (c *checker) pointerOperand(id uint32) *typ {
	d := c.value(id)
	c.need(d.typ.isPointer() && d.typ.elem != nil, "%%%d is not a pointer", id)
	c.used(d)
	return d.typ
}

// The method access checks the memory operands of a load or store, and returns the words after these operands.
func (c *checker) access(t *typ, words []uint32, load, store bool) []uint32 {
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
	c.need(mask <= 0x3f, "there are no such memory operands")
	c.need(mask&aligned != 0 || !t.hasAddress(), "an access by address has no alignment")
	if mask&aligned != 0 {
		// The compiler glslc writes alignment 0 if it cannot determine the alignment.
		c.need(words[0]&(words[0]-1) == 0, "the alignment %d is no power of two", words[0])
		words = words[1:]
	}
	for _, x := range []struct {
		bit uint32
		may bool
	}{{available, store}, {visible, load}} {
		if mask&x.bit != 0 {
			c.need(x.may, "a load makes available, or a store visible")
			c.need(mask&nonPrivate != 0, "what is made available or visible is not NonPrivatePointer")
			c.scope(words[0], memoryScope)
			words = words[1:]
		}
	}
	c.need(mask&nonPrivate == 0 || t.hasAddress() || t.class == spirv.StorageClassWorkgroup, "only memory that work-items share is NonPrivatePointer")
	c.need(mask&(available|visible|nonPrivate) == 0 || c.vulkan, "such memory operands need the memory model Vulkan")
	return words
}

func loads(c *checker, in *spirv.Instruction, t *typ) {
	p := c.pointerOperand(in.Words[0])
	c.need(p.elem == t, "the pointer is to another type")
	rest := c.access(p, in.Words[1:], true, false)
	c.need(len(rest) == 0, "it has too many operands")
}

func stores(c *checker, in *spirv.Instruction, _ *typ) {
	p := c.pointerOperand(in.Words[0])
	c.writable(p)
	c.concrete(p.elem)
	c.need(c.operand(in.Words[1]) == p.elem, "the pointer is to another type")
	rest := c.access(p, in.Words[2:], false, true)
	c.need(len(rest) == 0, "it has too many operands")
}

func (c *checker) writable(p *typ) {
	c.need(p.class != spirv.StorageClassInput && p.class != spirv.StorageClassPushConstant, "the memory cannot be written to")
}

func copyMemory(c *checker, in *spirv.Instruction, _ *typ) {
	to, from := c.pointerOperand(in.Words[0]), c.pointerOperand(in.Words[1])
	c.writable(to)
	c.concrete(to.elem)
	c.need(to.elem == from.elem, "the pointers are to different types")
	rest := in.Words[2:]
	if len(rest) == 0 {
		c.access(to, nil, false, true)
		c.access(from, nil, true, false)
		return
	}
	both := rest
	if rest = c.access(to, both, true, true); len(rest) == 0 {
		c.access(from, both, true, true)
		return
	}
	c.need(c.m.Version >= spirv.Version14, "memory operands for each pointer need version 1.4")
	c.access(to, both, false, true)
	rest = c.access(from, rest, true, false)
	c.need(len(rest) == 0, "it has too many operands")
}

// accessChain checks an OpAccessChain, whose indices lead from a pointer to a component of its target.
func accessChain(c *checker, in *spirv.Instruction, t *typ) {
	p := c.pointerOperand(in.Words[0])
	c.chain(p, in.Words[1:], t)
}

// ptrAccessChain checks an OpPtrAccessChain, whose first index selects another element of the same array.
func ptrAccessChain(c *checker, in *spirv.Instruction, t *typ) {
	p := c.pointerOperand(in.Words[0])
	c.need(p.hasAddress(), "the pointer has no address")
	stride := c.stride(p)
	c.need(stride > 0 && stride < maxBytes && stride >= c.sizeOf(p.elem), "the pointer's type has no ArrayStride that fits")
	c.index(in.Words[1], 0)
	c.chain(p, in.Words[2:], t)
}

func (c *checker) chain(p *typ, indices []uint32, t *typ) {
	c.need(len(indices) <= maxTypeDepth, "there are %d indices", len(indices))
	e := p.elem
	for _, id := range indices {
		switch {
		case e.isStruct():
			i := c.constant(id)
			c.need(i < uint64(len(e.members)), "there is no member %d", i)
			e = e.members[i]
		case e.isVector(), e.isMatrix():
			c.index(id, e.n)
			e = e.elem
		case e.isArray(), e.op == spirv.OpTypeRuntimeArray:
			c.index(id, 0)
			e = e.elem
		default:
			c.fail("an index into what has no parts")
		}
	}
	c.need(t.isPointer() && t.class == p.class && t.elem == e, "the result is not a pointer to that part, in that storage class")
}

var memoryRules = map[spirv.Op]rule{
	spirv.OpLoad: loads, spirv.OpStore: stores, spirv.OpCopyMemory: copyMemory,
	spirv.OpAccessChain: accessChain, spirv.OpInBoundsAccessChain: accessChain,
	spirv.OpPtrAccessChain: ptrAccessChain, spirv.OpInBoundsPtrAccessChain: ptrAccessChain,
}
