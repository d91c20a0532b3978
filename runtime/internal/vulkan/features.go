//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/spirv/features"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// minVersion is the lowest Vulkan version of a usable device, because the modules use SPIR-V 1.5.
var minVersion = vkx.MakeVersion(1, 2, 0)

// subGroupBits maps Vulkan's names of sub-group operations to the bits of these
// operations.
var subGroupBits = map[string]vkx.SubgroupFeatureFlags{
	"VK_SUBGROUP_FEATURE_BASIC_BIT":            vkx.SubgroupFeatureBasicBit,
	"VK_SUBGROUP_FEATURE_VOTE_BIT":             vkx.SubgroupFeatureVoteBit,
	"VK_SUBGROUP_FEATURE_ARITHMETIC_BIT":       vkx.SubgroupFeatureArithmeticBit,
	"VK_SUBGROUP_FEATURE_BALLOT_BIT":           vkx.SubgroupFeatureBallotBit,
	"VK_SUBGROUP_FEATURE_SHUFFLE_BIT":          vkx.SubgroupFeatureShuffleBit,
	"VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT": vkx.SubgroupFeatureShuffleRelativeBit,
	"VK_SUBGROUP_FEATURE_CLUSTERED_BIT":        vkx.SubgroupFeatureClusteredBit,
	"VK_SUBGROUP_FEATURE_QUAD_BIT":             vkx.SubgroupFeatureQuadBit,
}

// hasFeature reports whether a device has the feature with the given name. Package vkx
// enables all features that it queries.
func hasFeature(i *vkx.PhysicalDeviceInfo, name string) bool {
	if bit, ok := subGroupBits[name]; ok {
		return i.SubgroupOperations&uint32(bit) != 0
	}
	f, ok := vkx.FeatureNamed(name)
	return ok && i.Has(f)
}

// The table also maps an aspect to a condition that is not a feature of Vulkan. The condition
// applies in addition to the aspect's features in the table.
var also = map[properties.Aspect]func(*vkx.PhysicalDeviceInfo) bool{
	properties.SubGroups:     hasSubGroups,
	properties.PrivateAlloca: anyDevice,
	properties.GraphFusion:   anyDevice,
	properties.CPU:           func(i *vkx.PhysicalDeviceInfo) bool { return i.DeviceType == vkx.PhysicalDeviceTypeCpu },
	properties.GPU:           isGPU,
}

func anyDevice(*vkx.PhysicalDeviceInfo) bool { return true }

func hasSubGroups(i *vkx.PhysicalDeviceInfo) bool {
	// The algorithms that combine the values of a work-group in several steps need sub-groups of at
	// least 4 work-items.
	const least = 4
	return i.SubgroupSize >= least && (i.MinSubgroupSize == 0 || i.MinSubgroupSize >= least) &&
		i.SubgroupStages&uint32(vkx.ShaderStageComputeBit) != 0
}

func isGPU(i *vkx.PhysicalDeviceInfo) bool {
	switch i.DeviceType {
	case vkx.PhysicalDeviceTypeDiscreteGpu, vkx.PhysicalDeviceTypeIntegratedGpu, vkx.PhysicalDeviceTypeVirtualGpu:
		return true
	}
	return false
}

// aspectsOf returns the aspects of a device, sorted.
func aspectsOf(i *vkx.PhysicalDeviceInfo) []properties.Aspect {
	lacks := func(name string) bool { return !hasFeature(i, name) }
	var list []properties.Aspect
	for _, a := range properties.Aspects() {
		if more := also[a]; (more == nil || more(i)) && !slices.ContainsFunc(features.Device(a), lacks) {
			list = append(list, a)
		}
	}
	slices.Sort(list)
	return list
}

// requiredFeatures returns the features that every device must have. Modules may use most of
// these features on every device. The queue needs the feature of timeline semaphores.
func requiredFeatures() []string {
	var list []string
	for _, r := range features.Rows {
		if r.Required {
			list = append(list, r.Device)
		}
	}
	return append(list, vkx.TimelineSemaphore.String())
}

// missingFeature returns the name of a feature that every module needs and the device does not
// have. missingFeature returns "" if the device has all features that every module needs.
func missingFeature(i *vkx.PhysicalDeviceInfo) string {
	var list []string
	if i.APIVersion < minVersion {
		list = append(list, fmt.Sprintf("Vulkan %v (it has %v)", minVersion, i.APIVersion))
	} else {
		for _, f := range requiredFeatures() {
			if !hasFeature(i, f) {
				list = append(list, f)
			}
		}
	}
	if _, ok := queueFamily(i); !ok {
		list = append(list, "a queue for compute")
	}
	if _, ok := memoryTypes(i, ^uint32(0)); !ok {
		list = append(list, "memory that the host sees")
	}
	return strings.Join(list, ", ")
}

// queueFamily returns a queue family for compute. queueFamily prefers a family without graphics.
func queueFamily(i *vkx.PhysicalDeviceInfo) (uint32, bool) {
	compute, graphics := vkx.QueueComputeBit, vkx.QueueGraphicsBit
	best, found := 0, false
	for n, flags := range i.QueueFamilies {
		if flags&compute == 0 {
			continue
		}
		if flags&graphics == 0 {
			return uint32(n), true
		}
		if !found {
			best, found = n, true
		}
	}
	return uint32(best), found
}
