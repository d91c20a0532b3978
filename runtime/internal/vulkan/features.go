//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"fmt"
	"slices"
	"strings"

	vk "github.com/vulkan-go/vulkan"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// minVersion is the least version of a device: modules are SPIR-V 1.5.
var minVersion = vk.Version(vk.MakeVersion(1, 2, 0))

// required are the features that every module uses, and the one that the queue waits by.
var required = []vkx.Feature{vkx.BufferDeviceAddress, vkx.VulkanMemoryModel, vkx.VulkanMemoryModelDeviceScope, vkx.TimelineSemaphore}

// aspects says what each aspect takes. Features that a device has are enabled
// whether or not a row names them.
var aspects = []struct {
	aspect   properties.Aspect
	features []vkx.Feature
	also     func(*vkx.PhysicalDeviceInfo) bool
}{
	{properties.FP16, []vkx.Feature{vkx.ShaderFloat16, vkx.StorageBuffer16BitAccess}, nil},
	{properties.FP64, []vkx.Feature{vkx.ShaderFloat64}, nil},
	{properties.Int8, []vkx.Feature{vkx.StorageBuffer8BitAccess, vkx.ShaderInt8}, nil},
	{properties.Int16, []vkx.Feature{vkx.StorageBuffer16BitAccess, vkx.ShaderInt16}, nil},
	{properties.Int64, []vkx.Feature{vkx.ShaderInt64}, nil},
	{properties.Atomic64, []vkx.Feature{vkx.ShaderInt64, vkx.ShaderBufferInt64Atomics, vkx.ShaderSharedInt64Atomics}, nil},
	{properties.AtomicFloat32, []vkx.Feature{vkx.ShaderBufferFloat32AtomicAdd}, nil},
	{properties.AtomicFloat64, []vkx.Feature{vkx.ShaderFloat64, vkx.ShaderBufferFloat64AtomicAdd}, nil},
	{properties.SubGroups, nil, hasSubGroups},
	{properties.PrivateAlloca, nil, nil},
	{properties.GraphFusion, nil, nil},
	{properties.CPU, nil, func(i *vkx.PhysicalDeviceInfo) bool { return i.DeviceType == vk.PhysicalDeviceTypeCpu }},
	{properties.GPU, nil, isGPU},
}

func hasSubGroups(i *vkx.PhysicalDeviceInfo) bool {
	const operations = uint32(vk.SubgroupFeatureBasicBit | vk.SubgroupFeatureVoteBit | vk.SubgroupFeatureArithmeticBit |
		vk.SubgroupFeatureBallotBit | vk.SubgroupFeatureShuffleBit | vk.SubgroupFeatureShuffleRelativeBit)
	// Work-groups are combined in rounds that need sub-groups of some size.
	const least = 4
	return i.SubgroupSize >= least && (i.MinSubgroupSize == 0 || i.MinSubgroupSize >= least) &&
		i.SubgroupStages&uint32(vk.ShaderStageComputeBit) != 0 && i.SubgroupOperations&operations == operations
}

func isGPU(i *vkx.PhysicalDeviceInfo) bool {
	switch i.DeviceType {
	case vk.PhysicalDeviceTypeDiscreteGpu, vk.PhysicalDeviceTypeIntegratedGpu, vk.PhysicalDeviceTypeVirtualGpu:
		return true
	}
	return false
}

// aspectsOf returns the aspects of a device, sorted.
func aspectsOf(i *vkx.PhysicalDeviceInfo) []properties.Aspect {
	var list []properties.Aspect
	for _, row := range aspects {
		ok := row.also == nil || row.also(i)
		for _, f := range row.features {
			ok = ok && i.Has(f)
		}
		if ok {
			list = append(list, row.aspect)
		}
	}
	slices.Sort(list)
	return list
}

// lacks says what a device lacks that every module needs, or "".
func lacks(i *vkx.PhysicalDeviceInfo) string {
	var list []string
	if i.APIVersion < minVersion {
		list = append(list, fmt.Sprintf("Vulkan %v (it has %v)", minVersion, i.APIVersion))
	} else {
		for _, f := range required {
			if !i.Has(f) {
				list = append(list, f.String())
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

// queueFamily prefers a family for compute without graphics.
func queueFamily(i *vkx.PhysicalDeviceInfo) (uint32, bool) {
	compute, graphics := vk.QueueFlags(vk.QueueComputeBit), vk.QueueFlags(vk.QueueGraphicsBit)
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
