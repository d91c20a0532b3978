package valid

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/features"
)

// This file checks a module's capabilities, extensions, memory model, execution modes and entry
// point. The file also computes the work-group size and the memory that the module needs.

func (c *checker) capability(in *spirv.Instruction) {
	k := spirv.Capability(in.Words[0])
	c.require(features.Of(k) != nil, "kernels cannot use this capability")
	for k != 0 && !c.caps[k] {
		c.caps[k] = true
		k = features.Of(k).Implies
	}
	c.caps[spirv.CapabilityMatrix] = c.caps[spirv.CapabilityMatrix] || k == spirv.CapabilityMatrix
}

// extensionsKnown lists allowed extensions that features.Rows does not contain. The first extension in
// extensionsKnown is the older name of an extension in features.Rows. The other extensions in
// extensionsKnown do not affect the checks.
var extensionsKnown = []string{
	"SPV_EXT_physical_storage_buffer", "SPV_KHR_non_semantic_info", "SPV_KHR_storage_buffer_storage_class",
	"SPV_KHR_no_integer_wrap_decoration", "SPV_GOOGLE_decorate_string", "SPV_GOOGLE_hlsl_functionality1",
	"SPV_GOOGLE_user_type", "SPV_KHR_variable_pointers", "SPV_KHR_device_group",
}

func knownExtension(name string) bool {
	return slices.Contains(extensionsKnown, name) ||
		name != "" && slices.ContainsFunc(features.Rows, func(r features.Row) bool { return r.Extension == name })
}

func (c *checker) extension(in *spirv.Instruction) {
	name := spirv.String(in.Words)
	c.require(knownExtension(name), "kernels cannot use this extension")
	c.exts[name] = true
}

func (c *checker) imports(in *spirv.Instruction) {
	name := setName(in)
	c.require(name == spirv.GLSLstd450Name || len(name) > 12 && name[:12] == "NonSemantic.", "kernels cannot use this set of instructions")
	c.defineID(in, &definition{kind: isSet})
}

func setName(in *spirv.Instruction) string { return spirv.String(in.Words) }

// checkCapabilities checks that the module's version and extensions allow the declared capabilities.
func (c *checker) checkCapabilities() {
	for i := range c.m.Capabilities {
		c.in = &c.m.Capabilities[i]
		r := features.Of(spirv.Capability(c.in.Words[0]))
		has := r.Extension != "" && (c.exts[r.Extension] || c.exts["SPV_EXT_physical_storage_buffer"] && r.Extension == "SPV_KHR_physical_storage_buffer")
		c.require(c.m.Version >= r.Version || has, "it needs a newer version of SPIR-V, or the extension %s", r.Extension)
	}
	c.in = nil
	c.require(c.caps[spirv.CapabilityShader], "it does not declare the capability Shader")
}

func (c *checker) memoryModel(in *spirv.Instruction) {
	addressing, model := spirv.AddressingModel(in.Words[0]), spirv.MemoryModel(in.Words[1])
	switch addressing {
	case spirv.AddressingModelLogical:
		c.logical = true
	case spirv.AddressingModelPhysicalStorageBuffer64:
		c.physical = true
	default:
		c.failRule("kernels cannot use this addressing model")
	}
	c.require(c.physical == c.caps[spirv.CapabilityPhysicalStorageBufferAddresses],
		"the addressing model PhysicalStorageBuffer64 and the capability PhysicalStorageBufferAddresses need each other")
	switch model {
	case spirv.MemoryModelGLSL450:
	case spirv.MemoryModelVulkan:
		c.vulkan = true
	default:
		c.failRule("kernels cannot use this memory model")
	}
	c.require(c.vulkan == c.caps[spirv.CapabilityVulkanMemoryModel], "the memory model Vulkan and the capability VulkanMemoryModel need each other")
}

// floatModes contains the execution modes that apply to floats of one width. It maps each mode to
// the capability that the mode requires.
var floatModes = map[spirv.ExecutionMode]spirv.Capability{
	spirv.ExecutionModeDenormPreserve:           spirv.CapabilityDenormPreserve,
	spirv.ExecutionModeDenormFlushToZero:        spirv.CapabilityDenormFlushToZero,
	spirv.ExecutionModeSignedZeroInfNanPreserve: spirv.CapabilitySignedZeroInfNanPreserve,
	spirv.ExecutionModeRoundingModeRTE:          spirv.CapabilityRoundingModeRTE,
	spirv.ExecutionModeRoundingModeRTZ:          spirv.CapabilityRoundingModeRTZ,
}

func (c *checker) executionMode(in *spirv.Instruction) {
	c.require(slices.ContainsFunc(c.m.EntryPoints, func(e spirv.Instruction) bool { return e.Words[1] == in.Words[0] }), "%%%d is no entry point", in.Words[0])
	mode := spirv.ExecutionMode(in.Words[1])
	if in.Op == spirv.OpExecutionModeId {
		c.require(mode == spirv.ExecutionModeLocalSizeId && c.m.Version >= spirv.Version16, "kernels cannot use this mode")
		return // the method workGroup checks the work-group sizes
	}
	if mode == spirv.ExecutionModeLocalSize {
		c.require(in.Words[2] > 0 && in.Words[3] > 0 && in.Words[4] > 0, "the size of work-groups is zero")
		return
	}
	k, ok := floatModes[mode]
	c.require(ok, "kernels cannot use this mode")
	c.require(c.caps[k], "it needs the capability %v", k)
	w := in.Words[2]
	c.require(w == 16 || w == 32 || w == 64, "there are no floats of %d bits", w)
	for i := range c.m.ExecutionModes {
		if x := &c.m.ExecutionModes[i]; x != in && x.Words[0] == in.Words[0] && len(x.Words) > 2 && x.Words[2] == w {
			other := spirv.ExecutionMode(x.Words[1])
			same := func(a, b spirv.ExecutionMode) bool { return mode == a && other == b || mode == b && other == a }
			c.require(other != mode && !same(spirv.ExecutionModeDenormPreserve, spirv.ExecutionModeDenormFlushToZero) &&
				!same(spirv.ExecutionModeRoundingModeRTE, spirv.ExecutionModeRoundingModeRTZ), "another mode of the entry point excludes it")
		}
	}
}

// checkEntry checks the entry points and their interfaces, after all other checks.
func (c *checker) checkEntry(name string) {
	c.at = 0
	found := false
	for _, e := range c.m.EntryPointsInfo() {
		for i := range c.m.EntryPoints {
			if c.m.EntryPoints[i].Words[1] == uint32(e.Function) {
				c.in = &c.m.EntryPoints[i]
			}
		}
		c.require(e.Name == name && !found, "a module has one entry point, %s", name)
		found = true
		c.entryFunction(e)
		c.interfaceOf(e)
		c.workGroup(e)
	}
	c.in = nil
	c.require(found, "the module has no entry point %s", name)
}

// entryFunction checks the function of the entry point.
func (c *checker) entryFunction(e spirv.EntryPointInfo) {
	d := c.lookupID(uint32(e.Function))
	c.require(d.kind == isFunction, "%%%d is not a function", e.Function)
	f := d.fn
	t := f.typ
	c.require(t.elem.op == spirv.OpTypeVoid && len(t.members) == 0, "the entry point has parameters or a result")
	c.require(!f.called, "the entry point is called")
	c.require(len(f.blocks) > 0, "the entry point has no body")
}

// interfaceOf checks the list of interface variables (3.52.4, OpEntryPoint).
func (c *checker) interfaceOf(e spirv.EntryPointInfo) {
	listed := map[spirv.ID]bool{}
	for _, id := range e.Interface {
		d := c.lookupID(uint32(id))
		c.require(d.in.Op == spirv.OpVariable && d.fn == nil, "%%%d of the interface is no variable of the module", id)
		c.require(!listed[id], "%%%d stands twice in the interface", id)
		listed[id] = true
		if c.m.Version < spirv.Version14 {
			class := d.typ.class
			c.require(class == spirv.StorageClassInput || class == spirv.StorageClassOutput, "%%%d of the interface is no input", id)
		}
	}
	push := 0
	seen := map[uint32]bool{}
	for _, g := range c.globals {
		class := g.typ.class
		if class == spirv.StorageClassPushConstant {
			push++
			c.require(push == 1, "it has two blocks of push constants")
			c.facts.Launch = c.sizeOf(g.typ.elem)
		}
		for _, b := range c.decor[g.in.Result] {
			if b.kind == spirv.DecorationBuiltIn {
				c.require(!seen[b.words[0]], "two variables are the built-in %v", spirv.BuiltIn(b.words[0]))
				seen[b.words[0]] = true
			}
		}
		if g.typ.class == spirv.StorageClassInput || c.m.Version >= spirv.Version14 {
			c.require(listed[g.in.Result] || !c.reachesVariable(e.Function, g.in.Result), "%%%d is used and not in the interface", g.in.Result)
		}
	}
}

// reachesVariable reports whether function fn, or a function that fn calls, uses the variable.
func (c *checker) reachesVariable(fn, variable spirv.ID) bool {
	seen := map[*funcInfo]bool{}
	var visit func(f *funcInfo) bool
	visit = func(f *funcInfo) bool {
		if seen[f] {
			return false
		}
		seen[f] = true
		if f.uses[variable] {
			return true
		}
		return slices.ContainsFunc(f.calls, visit)
	}
	return visit(c.defs[fn].fn)
}

// workGroup computes the size of work-groups, and the number of bytes of memory that the module needs.
func (c *checker) workGroup(e spirv.EntryPointInfo) {
	sized := false
	for _, m := range e.Modes {
		if m.Mode != spirv.ExecutionModeLocalSize && m.Mode != spirv.ExecutionModeLocalSizeId {
			continue
		}
		c.require(!sized, "the size of work-groups is stated twice")
		sized = true
		for i, n := range m.Operands {
			if c.facts.Local[i] = uint64(n); m.IDs {
				d := c.lookupID(n)
				c.require(d.kind == isConstant && d.typ.isInt() && d.typ.width == 32, "the size %%%d is not a constant of 32 bits", n)
				var ok bool
				c.facts.Local[i], ok = c.values[spirv.ID(n)]
				c.require(ok, "the size %%%d has no value", n)
			}
		}
	}
	for id, list := range c.decor {
		for _, b := range list {
			if b.kind != spirv.DecorationBuiltIn || spirv.BuiltIn(b.words[0]) != spirv.BuiltInWorkgroupSize {
				continue
			}
			sized = true
			d := c.defs[id]
			for i := range 3 {
				c.facts.Local[i] = c.values[spirv.ID(d.in.Words[i])]
			}
		}
	}
	c.require(sized, "the entry point has no work-group size")
	for _, n := range c.facts.Local {
		c.require(n > 0, "the size of work-groups is zero")
	}
	private, function := uint64(0), uint64(0)
	for _, g := range c.globals {
		switch g.typ.class {
		case spirv.StorageClassWorkgroup:
			c.facts.Shared = addSizes(c.facts.Shared, g.typ.elem.bytes)
		case spirv.StorageClassPrivate:
			private = addSizes(private, g.typ.elem.bytes)
		}
	}
	for _, f := range c.functions {
		function = max(function, f.private)
	}
	c.facts.Private = addSizes(private, function)
}

// addSizes returns the sum of two sizes. If the sum of the sizes overflows, the result is the largest uint64.
func addSizes(a, b uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return ^uint64(0)
	}
	return s
}

func mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return ^uint64(0)
	}
	return lo
}
