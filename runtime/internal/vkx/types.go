//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

import "fmt"

//go:generate go run ./_gen -o zdecl.go

// Handles of Vulkan's objects. The handle 0 means that there is no object.
type (
	Instance       uintptr
	PhysicalDevice uintptr
	Queue          uintptr
	CommandBuffer  uintptr
	Buffer         uintptr
	DeviceMemory   uintptr
	Semaphore      uintptr
	CommandPool    uintptr
	QueryPool      uintptr
	ShaderModule   uintptr
	PipelineLayout uintptr
	PipelineCache  uintptr
	Pipeline       uintptr
)

// Version is a version of Vulkan.
type Version uint32

// MakeVersion returns the version with the given numbers.
func MakeVersion(major, minor, patch uint32) Version { return Version(major<<22 | minor<<12 | patch) }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v>>22, v.minor(), v&0xfff) }

func (v Version) minor() uint32 { return uint32(v) >> 12 & 0x3ff }

// atLeast reports whether v is Vulkan 1.minor or later.
func (v Version) atLeast(minor uint32) bool { return v>>22 > 1 || v.minor() >= minor }

// Sets of bits, and enumerations, with Vulkan's names and values.
type (
	PhysicalDeviceType   uint32
	QueueFlags           uint32
	MemoryPropertyFlags  uint32
	MemoryHeapFlags      uint32
	BufferUsageFlags     uint32
	PipelineStageFlags   uint32
	AccessFlags          uint32
	SubgroupFeatureFlags uint32
)

const (
	PhysicalDeviceTypeIntegratedGpu PhysicalDeviceType = 1
	PhysicalDeviceTypeDiscreteGpu   PhysicalDeviceType = 2
	PhysicalDeviceTypeVirtualGpu    PhysicalDeviceType = 3
	PhysicalDeviceTypeCpu           PhysicalDeviceType = 4

	QueueGraphicsBit      QueueFlags = 1 << 0
	QueueComputeBit       QueueFlags = 1 << 1
	QueueTransferBit      QueueFlags = 1 << 2
	QueueSparseBindingBit QueueFlags = 1 << 3
	QueueProtectedBit     QueueFlags = 1 << 4

	MemoryPropertyDeviceLocalBit  MemoryPropertyFlags = 1 << 0
	MemoryPropertyHostVisibleBit  MemoryPropertyFlags = 1 << 1
	MemoryPropertyHostCoherentBit MemoryPropertyFlags = 1 << 2
	MemoryPropertyHostCachedBit   MemoryPropertyFlags = 1 << 3

	BufferUsageTransferSrcBit         BufferUsageFlags = 1 << 0
	BufferUsageTransferDstBit         BufferUsageFlags = 1 << 1
	BufferUsageStorageBufferBit       BufferUsageFlags = 1 << 5
	BufferUsageShaderDeviceAddressBit BufferUsageFlags = 1 << 17

	PipelineStageTopOfPipeBit     PipelineStageFlags = 1 << 0
	PipelineStageComputeShaderBit PipelineStageFlags = 1 << 11
	PipelineStageTransferBit      PipelineStageFlags = 1 << 12
	PipelineStageBottomOfPipeBit  PipelineStageFlags = 1 << 13
	PipelineStageHostBit          PipelineStageFlags = 1 << 14

	AccessShaderReadBit    AccessFlags = 1 << 5
	AccessShaderWriteBit   AccessFlags = 1 << 6
	AccessTransferReadBit  AccessFlags = 1 << 11
	AccessTransferWriteBit AccessFlags = 1 << 12
	AccessHostReadBit      AccessFlags = 1 << 13

	ShaderStageComputeBit = shaderStageComputeBit

	SubgroupFeatureBasicBit           SubgroupFeatureFlags = 1 << 0
	SubgroupFeatureVoteBit            SubgroupFeatureFlags = 1 << 1
	SubgroupFeatureArithmeticBit      SubgroupFeatureFlags = 1 << 2
	SubgroupFeatureBallotBit          SubgroupFeatureFlags = 1 << 3
	SubgroupFeatureShuffleBit         SubgroupFeatureFlags = 1 << 4
	SubgroupFeatureShuffleRelativeBit SubgroupFeatureFlags = 1 << 5
	SubgroupFeatureClusteredBit       SubgroupFeatureFlags = 1 << 6
	SubgroupFeatureQuadBit            SubgroupFeatureFlags = 1 << 7
)

// Result is the result of a Vulkan call. Negative results are errors.
type Result int32

// Results that package vulkan handles.
const (
	Success                   Result = 0
	NotReady                  Result = 1
	Timeout                   Result = 2
	Incomplete                Result = 5
	ErrorOutOfHostMemory      Result = -1
	ErrorOutOfDeviceMemory    Result = -2
	ErrorInitializationFailed Result = -3
	ErrorDeviceLost           Result = -4
	ErrorMemoryMapFailed      Result = -5
	ErrorLayerNotPresent      Result = -6
	ErrorExtensionNotPresent  Result = -7
	ErrorFeatureNotPresent    Result = -8
	ErrorIncompatibleDriver   Result = -9
	ErrorTooManyObjects       Result = -10
	ErrorFragmentedPool       Result = -12
	ErrorOutOfPoolMemory      Result = -1000069000
)

var resultNames = map[Result]string{
	NotReady: "VK_NOT_READY", Timeout: "VK_TIMEOUT", Incomplete: "VK_INCOMPLETE",
	ErrorOutOfHostMemory: "VK_ERROR_OUT_OF_HOST_MEMORY", ErrorOutOfDeviceMemory: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
	ErrorInitializationFailed: "VK_ERROR_INITIALIZATION_FAILED", ErrorDeviceLost: "VK_ERROR_DEVICE_LOST",
	ErrorMemoryMapFailed: "VK_ERROR_MEMORY_MAP_FAILED", ErrorLayerNotPresent: "VK_ERROR_LAYER_NOT_PRESENT",
	ErrorExtensionNotPresent: "VK_ERROR_EXTENSION_NOT_PRESENT", ErrorFeatureNotPresent: "VK_ERROR_FEATURE_NOT_PRESENT",
	ErrorIncompatibleDriver: "VK_ERROR_INCOMPATIBLE_DRIVER", ErrorTooManyObjects: "VK_ERROR_TOO_MANY_OBJECTS",
	ErrorFragmentedPool: "VK_ERROR_FRAGMENTED_POOL", -1000012000: "VK_ERROR_INVALID_SHADER_NV",
	-13: "VK_ERROR_UNKNOWN", -1000257000: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS",
}

// ResultName returns Vulkan's name of a result code.
func ResultName(r Result) string {
	if s, ok := resultNames[r]; ok {
		return s
	}
	return fmt.Sprintf("VkResult(%d)", int32(r))
}
