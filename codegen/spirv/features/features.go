// Package features contains the table of optional features ([Rows]). A row of the table names the SPIR-V capability,
// the SPIR-V extension, the aspect and the Vulkan device feature. Package emit uses the table to declare capabilities,
// and package valid to check modules. Package back uses the table to find the aspects of a module, and the Vulkan
// backend uses it to find the aspects of a device.
package features

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/properties"
)

// Row describes a capability that kernels may declare.
type Row struct {
	Capability spirv.Capability
	Version    uint32            // first SPIR-V version that includes the capability; 0 if all versions do, Newer if no version does
	Extension  string            // name of the extension that is needed in earlier SPIR-V versions
	Implies    spirv.Capability  // capability that the row's capability implies; Matrix (the zero value) if it implies no other
	Aspect     properties.Aspect // aspect of modules that declare the capability, or AspectInvalid
	Device     string            // Vulkan's name of the required device feature or sub-group operation bit; "" if there is none
	Also       []string          // additional Vulkan device features that the aspect requires
	Required   bool              // whether kgen opens only devices with the feature
}

// Newer is greater than all SPIR-V versions. A capability with Newer in field Version always needs its extension.
const Newer = ^uint32(0)

const (
	storage16 = "SPV_KHR_16bit_storage"
	storage8  = "SPV_KHR_8bit_storage"
	modes     = "SPV_KHR_float_controls"
	addFloats = "SPV_EXT_shader_atomic_float_add"
	maxFloats = "SPV_EXT_shader_atomic_float_min_max"
)

// Rows is the table of features. Modules declare their capabilities in the order of the rows.
var Rows = []Row{
	// Features that all devices have.
	{Capability: spirv.CapabilityMatrix},
	{Capability: spirv.CapabilityShader, Implies: spirv.CapabilityMatrix},
	{Capability: spirv.CapabilityPhysicalStorageBufferAddresses, Version: spirv.Version15, Extension: "SPV_KHR_physical_storage_buffer",
		Device: "bufferDeviceAddress", Required: true},
	{Capability: spirv.CapabilityVulkanMemoryModel, Version: spirv.Version15, Extension: "SPV_KHR_vulkan_memory_model",
		Device: "vulkanMemoryModel", Required: true},
	{Capability: spirv.CapabilityVulkanMemoryModelDeviceScope, Version: spirv.Version15, Extension: "SPV_KHR_vulkan_memory_model",
		Device: "vulkanMemoryModelDeviceScope", Required: true},

	// Features for types of numbers.
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

	// Features for group algorithms of sub-groups.
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

	// Features for native matrices of sub-groups. Capabilities for native matrices are declared only by modules that
	// use native matrices.
	{Capability: spirv.CapabilityCooperativeMatrixKHR, Version: Newer, Extension: "SPV_KHR_cooperative_matrix", Device: "cooperativeMatrix"},
	{Capability: spirv.CapabilityBFloat16TypeKHR, Version: Newer, Extension: "SPV_KHR_bfloat16", Device: "shaderBFloat16Type"},
	{Capability: spirv.CapabilityBFloat16CooperativeMatrixKHR, Version: Newer, Extension: "SPV_KHR_bfloat16", Implies: spirv.CapabilityBFloat16TypeKHR,
		Device: "shaderBFloat16CooperativeMatrix"},

	// Features for sums of four products. Modules from package emit never contain dot-product
	// instructions. Package adapt replaces multiplications and additions by dot-product instructions.
	{Capability: spirv.CapabilityDotProduct, Version: spirv.Version16, Extension: "SPV_KHR_integer_dot_product", Device: "shaderIntegerDotProduct"},
	{Capability: spirv.CapabilityDotProductInput4x8BitPacked, Version: spirv.Version16, Extension: "SPV_KHR_integer_dot_product", Device: "shaderIntegerDotProduct"},

	// Features whose capabilities do not occur in the modules that kgen makes.
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
	// Features that devices report separately for each width of floats, as package adapt describes.
	{Capability: spirv.CapabilityDenormPreserve, Version: spirv.Version14, Extension: modes},
	{Capability: spirv.CapabilityDenormFlushToZero, Version: spirv.Version14, Extension: modes},
	{Capability: spirv.CapabilitySignedZeroInfNanPreserve, Version: spirv.Version14, Extension: modes},
	{Capability: spirv.CapabilityRoundingModeRTE, Version: spirv.Version14, Extension: modes},
	{Capability: spirv.CapabilityRoundingModeRTZ, Version: spirv.Version14, Extension: modes},
}

// Of returns the table row of a capability, or nil if the table has no such row.
func Of(c spirv.Capability) *Row {
	for i := range Rows {
		if Rows[i].Capability == c {
			return &Rows[i]
		}
	}
	return nil
}

// Used returns the sorted list of the aspects that belong to the capabilities of module m.
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

// Device returns the names of the Vulkan features that aspect a requires. The returned list is empty if no module can
// require the aspect.
func Device(a properties.Aspect) []string {
	var list []string
	for i := range Rows {
		if r := &Rows[i]; r.Aspect == a {
			list = append(append(list, r.Device), r.Also...)
		}
	}
	return list
}
