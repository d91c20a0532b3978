//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

import (
	"sync"
	"unsafe"
)

// Feature is a feature of a device. The file zdecl.go declares the features, with their names in
// Vulkan.
type Feature uint8

// featureByName maps the names of features in Vulkan to the features.
var featureByName = sync.OnceValue(func() map[string]Feature {
	all := map[string]Feature{}
	for f, name := range featureNames {
		all[name] = Feature(f)
	}
	return all
})

// FeatureNamed returns the feature with the given name in Vulkan, if package vkx queries that
// feature. Package vkx enables each feature that it queries, if the device has the feature.
func FeatureNamed(name string) (Feature, bool) {
	f, ok := featureByName()[name]
	return f, ok
}

// String returns the feature's name in Vulkan.
func (f Feature) String() string {
	if int(f) < len(featureNames) {
		return featureNames[f]
	}
	return "?"
}

// extensionSet is a set of extensions that package vkx uses or queries, with one bit per extension.
type extensionSet uint32

// extensionInfo is a Vulkan extension that vkx uses if a device has it.
type extensionInfo struct {
	name       string
	sinceMinor uint32 // minor version of Vulkan 1 that includes the extension
	enabled    bool   // whether devices are created with the extension; other extensions are only queried
}

// inNoVersion is the value of sinceMinor for extensions that no version of Vulkan
// includes.
const inNoVersion = 1000

// chainStructs links, by their pNext fields, the feature structs for a device with the extensions
// in set.
func (f *features) chainStructs(set extensionSet) {
	f.f2.sType, f.f2.pNext = structureTypePhysicalDeviceFeatures2, unsafe.Pointer(&f.v11)
	f.v11.sType, f.v11.pNext = structureTypePhysicalDeviceVulkan11Features, unsafe.Pointer(&f.v12)
	f.v12.sType = structureTypePhysicalDeviceVulkan12Features
	f.more(set, &f.v12.pNext)
}

// PhysicalDeviceInfo contains the properties, features and limits of a physical device.
type PhysicalDeviceInfo struct {
	APIVersion                         Version
	DriverVersion, VendorID, DeviceID  uint32
	DeviceType                         PhysicalDeviceType
	PipelineCacheUUID, DeviceUUID      [16]byte
	PCI                                *[4]uint32 // domain, bus, device, function; nil if unknown
	TimestampPeriod                    float64    // duration of a tick of the timestamp clock, in nanoseconds
	Calibrated                         bool       // the device supports Device.Calibrate
	DeviceName, DriverName, DriverInfo string
	Features                           uint64 // set of features, with one bit per Feature
	MaxComputeWorkGroupCount           [3]uint32
	MaxComputeWorkGroupSize            [3]uint32
	MaxComputeWorkGroupInvocations     uint32
	MaxComputeSharedMemorySize         uint32
	MaxPushConstantsSize               uint32
	MaxMemoryAllocationCount           uint32
	MaxMemoryAllocationSize            uint64
	MaxBufferSize                      uint64 // 0 if unknown
	SubgroupSize                       uint32
	SubgroupStages, SubgroupOperations uint32
	MinSubgroupSize, MaxSubgroupSize   uint32
	MaxComputeWorkgroupSubgroups       uint32
	RequiredSubgroupSizeStages         uint32
	DenormPreserveFloat32              bool
	SignedZeroInfNanPreserve           uint32 // sum of the float widths (16, 32 and 64) for which the device preserves signed zeros, infinities and NaNs
	ComputeUnits                       uint32 // 0 if unknown
	Dots                               Dots   // integer dot products that are fast on the device
	ResidentItems                      uint32 // number of work-items that run at once; 0 if unknown
	QueueFamilies                      []QueueFlags
	TimestampBits                      []uint32 // number of valid timestamp bits for each queue family; 0 means no timestamps
	MemoryTypes                        []MemoryType
	MemoryHeaps                        []MemoryHeap
}

// Has reports whether the device has feature f.
func (i *PhysicalDeviceInfo) Has(f Feature) bool { return i.Features>>f&1 != 0 }

// MemoryType is one of a device's memory types.
type MemoryType struct {
	Flags MemoryPropertyFlags
	Heap  int
}

// MemoryHeap is one of a device's memory heaps.
type MemoryHeap struct {
	Flags MemoryHeapFlags
	Size  uint64
}

// Dots is a set of operations that add four products of 8-bit numbers. The 8-bit numbers
// are packed in 32-bit words.
type Dots uint32

// The factors of a product are two unsigned numbers, two signed numbers, or a signed and an
// unsigned number (Mixed). An operation with Saturating in its name also adds a number to the sum,
// and clamps the result to the range of the type.
const (
	DotsUnsigned Dots = 1 << iota
	DotsSigned
	DotsMixed
	DotsUnsignedSaturating
	DotsSignedSaturating
	DotsMixedSaturating
	AllDots = 1<<iota - 1
)
