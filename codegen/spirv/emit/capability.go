package emit

import "github.com/kgen-go/kgen/codegen/spirv"

// feature is something that a module may need of a device.
type feature uint8

const (
	shader feature = iota
	addresses
	memoryModel
	deviceScope
	int64s
	int64Atomics
	float32Atomics
	float64Atomics
	float64s
	float16s
	int8s
	int16s
	storage8
	storage16
	groupNonUniform
	groupVote
	groupArithmetic
	groupBallot
	groupShuffle
	numFeatures
)

// capabilities has the row of every feature: what a module declares for it. An
// extension is named where SPIR-V 1.5 does not include it.
var capabilities = [numFeatures]struct {
	capability spirv.Capability
	extension  string
}{
	shader:          {capability: spirv.CapabilityShader},
	addresses:       {capability: spirv.CapabilityPhysicalStorageBufferAddresses},
	memoryModel:     {capability: spirv.CapabilityVulkanMemoryModel},
	deviceScope:     {capability: spirv.CapabilityVulkanMemoryModelDeviceScope},
	int64s:          {capability: spirv.CapabilityInt64},
	int64Atomics:    {capability: spirv.CapabilityInt64Atomics},
	float32Atomics:  {spirv.CapabilityAtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add"},
	float64Atomics:  {spirv.CapabilityAtomicFloat64AddEXT, "SPV_EXT_shader_atomic_float_add"},
	float64s:        {capability: spirv.CapabilityFloat64},
	float16s:        {capability: spirv.CapabilityFloat16},
	int8s:           {capability: spirv.CapabilityInt8},
	int16s:          {capability: spirv.CapabilityInt16},
	storage8:        {capability: spirv.CapabilityStorageBuffer8BitAccess},
	storage16:       {capability: spirv.CapabilityStorageBuffer16BitAccess},
	groupNonUniform: {capability: spirv.CapabilityGroupNonUniform},
	groupVote:       {capability: spirv.CapabilityGroupNonUniformVote},
	groupArithmetic: {capability: spirv.CapabilityGroupNonUniformArithmetic},
	groupBallot:     {capability: spirv.CapabilityGroupNonUniformBallot},
	groupShuffle:    {capability: spirv.CapabilityGroupNonUniformShuffle},
}

// features is the set of features that a module needs.
type features [numFeatures]bool

func (e *emitter) need(f feature) { e.caps[f] = true }

// declare writes the capabilities, in the table's order.
func (e *emitter) declare() {
	for f, needed := range e.caps {
		if !needed {
			continue
		}
		row := &capabilities[f]
		e.b.Capability(row.capability)
		if row.extension != "" {
			e.b.Extension(row.extension)
		}
	}
}
