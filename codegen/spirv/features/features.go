// Package features is the one table of optional features: the capability and extension that
// SPIR-V has for each, the aspect that kernels know it by, and the feature that a Vulkan
// device has. Package emit declares capabilities by it, package valid checks modules by it,
// package back finds the aspects of a module in it, and the Vulkan backend the aspects of a device.
package features

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/properties"
)

// Row is a capability that kernels may declare.
type Row struct {
	Capability spirv.Capability
	Version    uint32            // first version of SPIR-V that needs no extension for it: 0 if all, Newer if none
	Extension  string            // extension for versions before
	Implies    spirv.Capability  // capability that is declared with it; the zero value is Matrix
	Aspect     properties.Aspect // aspect that a module uses by declaring it, or AspectInvalid
	Device     string            // Vulkan's name of the feature that lets modules declare it, or of a bit of sub-groups' operations; "" if nothing is asked
	Also       []string          // further features of devices that have the aspect
	Required   bool              // mark of features that devices without are not opened
}

// Newer is no version of SPIR-V yet: the capability needs its extension.
const Newer = ^uint32(0)

const (
	storage16 = "SPV_KHR_16bit_storage"
	storage8  = "SPV_KHR_8bit_storage"
	modes     = "SPV_KHR_float_controls"
	addFloats = "SPV_EXT_shader_atomic_float_add"
	maxFloats = "SPV_EXT_shader_atomic_float_min_max"
)

// Rows is the table. Modules declare their capabilities in its order.
var Rows = []Row{
	// Every device has these.
	{Capability: spirv.CapabilityMatrix},
	{Capability: spirv.CapabilityShader, Implies: spirv.CapabilityMatrix},
	{Capability: spirv.CapabilityPhysicalStorageBufferAddresses, Version: spirv.Version15, Extension: "SPV_KHR_physical_storage_buffer",
		Device: "bufferDeviceAddress", Required: true},
	{Capability: spirv.CapabilityVulkanMemoryModel, Version: spirv.Version15, Extension: "SPV_KHR_vulkan_memory_model",
		Device: "vulkanMemoryModel", Required: true},
	{Capability: spirv.CapabilityVulkanMemoryModelDeviceScope, Version: spirv.Version15, Extension: "SPV_KHR_vulkan_memory_model",
		Device: "vulkanMemoryModelDeviceScope", Required: true},

	// Types of numbers.
	{Capability: spirv.CapabilityInt64, Aspect: properties.Int64, Device: "shaderInt64"},
	{Capability: spirv.CapabilityInt64Atomics, Implies: spirv.CapabilityInt64, Aspect: properties.Atomic64,
		Device: "shaderBufferInt64Atomics", Also: []string{"shaderInt64", "shaderSharedInt64Atomics"}},
	{Capability: spirv.CapabilityAtomicFloat32AddEXT, Version: Newer, Extension: addFloats, Aspect: properties.AtomicFloat32,
		Device: "shaderBufferFloat32AtomicAdd"},
	{Capability: spirv.CapabilityAtomicFloat64AddEXT, Version: Newer, Extension: addFloats, Aspect: properties.AtomicFloat64,
		Device: "shaderBufferFloat64AtomicAdd", Also: []string{"shaderFloat64"}},
	{Capability: spirv.CapabilityFloat64, Aspect: properties.FP64, Device: "shaderFloat64"},
	{Capability: spirv.CapabilityFloat16, Aspect: properties.FP16, Device: "shaderFloat16", Also: []string{"storageBuffer16BitAccess"}},
	{Capability: spirv.CapabilityInt8, Aspect: properties.Int8, Device: "shaderInt8"},
	{Capability: spirv.CapabilityInt16, Aspect: properties.Int16, Device: "shaderInt16"},
	{Capability: spirv.CapabilityStorageBuffer8BitAccess, Version: spirv.Version15, Extension: storage8, Aspect: properties.Int8,
		Device: "storageBuffer8BitAccess"},
	{Capability: spirv.CapabilityStorageBuffer16BitAccess, Version: spirv.Version13, Extension: storage16, Aspect: properties.Int16,
		Device: "storageBuffer16BitAccess"},

	// Algorithms of sub-groups.
	{Capability: spirv.CapabilityGroupNonUniform, Version: spirv.Version13, Aspect: properties.SubGroups,
		Device: "VK_SUBGROUP_FEATURE_BASIC_BIT"},
	{Capability: spirv.CapabilityGroupNonUniformVote, Version: spirv.Version13, Implies: spirv.CapabilityGroupNonUniform,
		Aspect: properties.SubGroups, Device: "VK_SUBGROUP_FEATURE_VOTE_BIT"},
	{Capability: spirv.CapabilityGroupNonUniformArithmetic, Version: spirv.Version13, Implies: spirv.CapabilityGroupNonUniform,
		Aspect: properties.SubGroups, Device: "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT"},
	{Capability: spirv.CapabilityGroupNonUniformBallot, Version: spirv.Version13, Implies: spirv.CapabilityGroupNonUniform,
		Aspect: properties.SubGroups, Device: "VK_SUBGROUP_FEATURE_BALLOT_BIT"},
	{Capability: spirv.CapabilityGroupNonUniformShuffle, Version: spirv.Version13, Implies: spirv.CapabilityGroupNonUniform,
		Aspect: properties.SubGroups, Device: "VK_SUBGROUP_FEATURE_SHUFFLE_BIT"},
	{Capability: spirv.CapabilityGroupNonUniformShuffleRelative, Version: spirv.Version13, Implies: spirv.CapabilityGroupNonUniform,
		Aspect: properties.SubGroups, Device: "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT"},

	// Matrices of sub-groups, in modules that are made for a device's own ones.
	{Capability: spirv.CapabilityCooperativeMatrixKHR, Version: Newer, Extension: "SPV_KHR_cooperative_matrix", Device: "cooperativeMatrix"},
	{Capability: spirv.CapabilityBFloat16TypeKHR, Version: Newer, Extension: "SPV_KHR_bfloat16", Device: "shaderBFloat16Type"},
	{Capability: spirv.CapabilityBFloat16CooperativeMatrixKHR, Version: Newer, Extension: "SPV_KHR_bfloat16", Implies: spirv.CapabilityBFloat16TypeKHR,
		Device: "shaderBFloat16CooperativeMatrix"},

	// Sums of four products, which package adapt puts in the place of code.
	{Capability: spirv.CapabilityDotProduct, Version: spirv.Version16, Extension: "SPV_KHR_integer_dot_product", Device: "shaderIntegerDotProduct"},
	{Capability: spirv.CapabilityDotProductInput4x8BitPacked, Version: spirv.Version16, Extension: "SPV_KHR_integer_dot_product", Device: "shaderIntegerDotProduct"},

	// Modules that somebody else has written may declare these, too.
	{Capability: spirv.CapabilityGroupNonUniformClustered, Version: spirv.Version13, Implies: spirv.CapabilityGroupNonUniform,
		Device: "VK_SUBGROUP_FEATURE_CLUSTERED_BIT"},
	{Capability: spirv.CapabilityGroupNonUniformQuad, Version: spirv.Version13, Implies: spirv.CapabilityGroupNonUniform,
		Device: "VK_SUBGROUP_FEATURE_QUAD_BIT"},
	{Capability: spirv.CapabilityUniformAndStorageBuffer16BitAccess, Version: spirv.Version13, Extension: storage16,
		Implies: spirv.CapabilityStorageBuffer16BitAccess, Device: "uniformAndStorageBuffer16BitAccess"},
	{Capability: spirv.CapabilityStoragePushConstant16, Version: spirv.Version13, Extension: storage16, Device: "storagePushConstant16"},
	{Capability: spirv.CapabilityUniformAndStorageBuffer8BitAccess, Version: spirv.Version15, Extension: storage8,
		Implies: spirv.CapabilityStorageBuffer8BitAccess, Device: "uniformAndStorageBuffer8BitAccess"},
	{Capability: spirv.CapabilityStoragePushConstant8, Version: spirv.Version15, Extension: storage8, Device: "storagePushConstant8"},
	{Capability: spirv.CapabilityAtomicFloat32MinMaxEXT, Version: Newer, Extension: maxFloats, Device: "shaderBufferFloat32AtomicMinMax"},
	{Capability: spirv.CapabilityAtomicFloat64MinMaxEXT, Version: Newer, Extension: maxFloats, Device: "shaderBufferFloat64AtomicMinMax"},
	// Devices state these by the widths of floats, see package adapt.
	{Capability: spirv.CapabilityDenormPreserve, Version: spirv.Version14, Extension: modes},
	{Capability: spirv.CapabilityDenormFlushToZero, Version: spirv.Version14, Extension: modes},
	{Capability: spirv.CapabilitySignedZeroInfNanPreserve, Version: spirv.Version14, Extension: modes},
	{Capability: spirv.CapabilityRoundingModeRTE, Version: spirv.Version14, Extension: modes},
	{Capability: spirv.CapabilityRoundingModeRTZ, Version: spirv.Version14, Extension: modes},
}

// Of returns the row of a capability, or nil.
func Of(c spirv.Capability) *Row {
	for i := range Rows {
		if Rows[i].Capability == c {
			return &Rows[i]
		}
	}
	return nil
}

// Used returns the aspects that a module uses by its capabilities, sorted.
func Used(m *spirv.Module) []properties.Aspect {
	var list []properties.Aspect
	for i := range Rows {
		if r := &Rows[i]; r.Aspect != properties.AspectInvalid && m.HasCapability(r.Capability) {
			list = append(list, r.Aspect)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Device returns Vulkan's names of the features that a device with an aspect has. There are
// none for aspects that are not about modules.
func Device(a properties.Aspect) []string {
	var list []string
	for i := range Rows {
		if r := &Rows[i]; r.Aspect == a {
			list = append(append(list, r.Device), r.Also...)
		}
	}
	return list
}
