//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vkx

/*
#cgo LDFLAGS: -ldl
#cgo CFLAGS: -std=gnu11 -O2
#include "vkx.h"

#cgo noescape vkx_open
#cgo nocallback vkx_open
#cgo nocallback vkx_create_instance
#cgo nocallback vkx_destroy_messenger
#cgo noescape vkx_get_physical_device_info
#cgo nocallback vkx_get_physical_device_info
#cgo noescape vkx_get_memory_properties
#cgo nocallback vkx_get_memory_properties
#cgo noescape vkx_get_queue_families
#cgo nocallback vkx_get_queue_families
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Open opens the Vulkan loader and makes it known to the binding.
var Open = sync.OnceValue(func() error {
	var text [512]C.char
	gipa := C.vkx_open(&text[0], C.size_t(len(text)))
	if gipa == nil {
		return errors.New(C.GoString(&text[0]))
	}
	vk.SetGetInstanceProcAddr(gipa)
	return vk.Init()
})

// InstanceVersion returns the version of Vulkan that the loader offers.
func InstanceVersion() vk.Version { return vk.Version(C.vkx_instance_version()) }

// CreateInstance creates an instance; there is at most one at a time. With
// validate, the Khronos validation layer is on and what it says is printed and
// counted.
func CreateInstance(version vk.Version, validate bool) (vk.Instance, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	on := C.int(0)
	if validate {
		on = 1
	}
	v := C.vkx_create_instance(C.uint32_t(version), on)
	inst := *(*vk.Instance)(unsafe.Pointer(&v.value))
	if r := vk.Result(v.result); r < 0 {
		return nil, r
	}
	if err := vk.InitInstance(inst); err != nil {
		DestroyInstance(inst)
		return nil, vk.ErrorInitializationFailed
	}
	return inst, vk.Success
}

// DestroyInstance destroys an instance and its messenger.
func DestroyInstance(inst vk.Instance) {
	C.vkx_destroy_messenger(C.uintptr_t(uintptr(unsafe.Pointer(inst))))
	vk.DestroyInstance(inst, nil)
}

// Messages returns how many errors and warnings the validation layer has printed.
func Messages() int { return int(C.vkx_messages()) }

// EnumeratePhysicalDevices returns the physical devices in the loader's order.
func EnumeratePhysicalDevices(inst vk.Instance) ([]vk.PhysicalDevice, vk.Result) {
	for {
		if r := injected(); r != vk.Success {
			return nil, r
		}
		var n uint32
		if r := vk.EnumeratePhysicalDevices(inst, &n, nil); r < 0 || n == 0 {
			return nil, r
		}
		list := make([]vk.PhysicalDevice, n)
		r := vk.EnumeratePhysicalDevices(inst, &n, list)
		if r == vk.Incomplete {
			continue // one more has come
		}
		return list[:n], r
	}
}

// Feature is a feature of a device by its name in Vulkan.
type Feature uint8

// The features that Go code asks for by these constants. FeatureNamed finds them all.
const (
	TimelineSemaphore    = Feature(C.VKX_timelineSemaphore)
	SubgroupSizeControl  = Feature(C.VKX_subgroupSizeControl)
	ComputeFullSubgroups = Feature(C.VKX_computeFullSubgroups)
	NumFeatures          = int(C.VKX_NUM_FEATURES)
)

// named returns the features by their names in Vulkan.
var named = sync.OnceValue(func() map[string]Feature {
	all := map[string]Feature{}
	for f := range Feature(NumFeatures) {
		all[f.String()] = f
	}
	return all
})

// FeatureNamed returns the feature with a name in Vulkan, if it is one of those that are
// queried, and enabled where a device has them.
func FeatureNamed(name string) (Feature, bool) {
	f, ok := named()[name]
	return f, ok
}

// unchained returns how many bytes of the structs of features no chain leads to.
func unchained() int { return int(C.vkx_unchained()) }

// String returns the feature's name in Vulkan.
func (f Feature) String() string { return C.GoString(C.vkx_feature_name(C.uint32_t(f))) }

// PhysicalDeviceInfo says what a physical device is, can and allows.
type PhysicalDeviceInfo struct {
	APIVersion                         vk.Version
	DriverVersion, VendorID, DeviceID  uint32
	DeviceType                         vk.PhysicalDeviceType
	PipelineCacheUUID, DeviceUUID      [16]byte
	PCI                                *[4]uint32 // domain, bus, device, function; nil if unknown
	TimestampPeriod                    float64    // nanoseconds of a tick
	Calibrated                         bool       // Device.Calibrate works
	DeviceName, DriverName, DriverInfo string
	Features                           uint64 // bit per Feature
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
	SignedZeroInfNanPreserve           uint32 // widths of floats: the sum of 16, 32 and 64
	ComputeUnits                       uint32 // 0 if unknown
	ResidentItems                      uint32 // work-items that run at once; 0 if unknown
	QueueFamilies                      []vk.QueueFlags
	TimestampBits                      []uint32 // of each family; 0: it has no timestamps
	MemoryTypes                        []MemoryType
	MemoryHeaps                        []MemoryHeap
}

// Has reports whether the device has feature f.
func (i *PhysicalDeviceInfo) Has(f Feature) bool { return i.Features>>f&1 != 0 }

// MemoryType is one of a device's memory types.
type MemoryType struct {
	Flags vk.MemoryPropertyFlags
	Heap  int
}

// MemoryHeap is one of a device's memory heaps.
type MemoryHeap struct {
	Flags vk.MemoryHeapFlags
	Size  uint64
}

// GetPhysicalDeviceInfo queries a physical device.
func GetPhysicalDeviceInfo(p vk.PhysicalDevice) *PhysicalDeviceInfo {
	handle := C.uintptr_t(uintptr(unsafe.Pointer(p)))
	var c C.vkx_physical_device_info
	C.vkx_get_physical_device_info(handle, &c)
	info := &PhysicalDeviceInfo{
		APIVersion:    vk.Version(c.apiVersion),
		DriverVersion: uint32(c.driverVersion), VendorID: uint32(c.vendorID), DeviceID: uint32(c.deviceID),
		DeviceType: vk.PhysicalDeviceType(c.deviceType),
		DeviceName: C.GoString(&c.deviceName[0]), DriverName: C.GoString(&c.driverName[0]),
		DriverInfo:                     C.GoString(&c.driverInfo[0]),
		Features:                       uint64(c.features),
		MaxComputeWorkGroupInvocations: uint32(c.maxComputeWorkGroupInvocations),
		MaxComputeSharedMemorySize:     uint32(c.maxComputeSharedMemorySize),
		MaxPushConstantsSize:           uint32(c.maxPushConstantsSize),
		MaxMemoryAllocationCount:       uint32(c.maxMemoryAllocationCount),
		MaxMemoryAllocationSize:        uint64(c.maxMemoryAllocationSize),
		MaxBufferSize:                  uint64(c.maxBufferSize),
		SubgroupSize:                   uint32(c.subgroupSize),
		SubgroupStages:                 uint32(c.subgroupStages), SubgroupOperations: uint32(c.subgroupOperations),
		MinSubgroupSize: uint32(c.minSubgroupSize), MaxSubgroupSize: uint32(c.maxSubgroupSize),
		MaxComputeWorkgroupSubgroups: uint32(c.maxComputeWorkgroupSubgroups),
		RequiredSubgroupSizeStages:   uint32(c.requiredSubgroupSizeStages),
		DenormPreserveFloat32:        c.denormPreserveFloat32 != 0,
		SignedZeroInfNanPreserve:     uint32(c.signedZeroInfNanPreserve),
		ComputeUnits:                 uint32(c.computeUnits),
		ResidentItems:                uint32(c.residentItems),
		TimestampPeriod:              float64(c.timestampPeriod), Calibrated: c.calibrated != 0,
	}
	if c.hasPCI != 0 {
		info.PCI = &[4]uint32{uint32(c.pci[0]), uint32(c.pci[1]), uint32(c.pci[2]), uint32(c.pci[3])}
	}
	for i := range 3 {
		info.MaxComputeWorkGroupCount[i] = uint32(c.maxComputeWorkGroupCount[i])
		info.MaxComputeWorkGroupSize[i] = uint32(c.maxComputeWorkGroupSize[i])
	}
	for i, b := range c.pipelineCacheUUID {
		info.PipelineCacheUUID[i] = byte(b)
		info.DeviceUUID[i] = byte(c.deviceUUID[i])
	}
	var flags, bits [32]C.uint32_t
	for i, f := range flags[:C.vkx_get_queue_families(handle, &flags[0], &bits[0], C.uint32_t(len(flags)))] {
		info.QueueFamilies = append(info.QueueFamilies, vk.QueueFlags(f))
		info.TimestampBits = append(info.TimestampBits, uint32(bits[i]))
	}
	var m C.vkx_memory_properties
	C.vkx_get_memory_properties(handle, &m)
	for i := range m.types {
		info.MemoryTypes = append(info.MemoryTypes, MemoryType{vk.MemoryPropertyFlags(m.typeFlags[i]), int(m.typeHeap[i])})
	}
	for i := range m.heaps {
		info.MemoryHeaps = append(info.MemoryHeaps, MemoryHeap{vk.MemoryHeapFlags(m.heapFlags[i]), uint64(m.heapSize[i])})
	}
	return info
}

// injection is a countdown in the high half and a result in the low half.
var (
	injection atomic.Int64
	began     atomic.Bool // the failure has been returned
)

// Inject makes the n-th fallible call from now, counted from 1, fail with r, and
// every later one too if r is ErrorDeviceLost, as a driver would; n == 0 ends it.
// It is for tests.
func Inject(n int32, r vk.Result) {
	began.Store(false)
	if n == 0 {
		injection.Store(0)
		return
	}
	injection.Store(int64(n)<<32 | int64(uint32(r)))
}

func injected() vk.Result {
	if injection.Load() == 0 {
		return vk.Success
	}
	for {
		v := injection.Load()
		n, r := int32(v>>32), vk.Result(int32(uint32(v)))
		switch {
		case v == 0:
			return vk.Success
		case n > 1:
			if injection.CompareAndSwap(v, int64(n-1)<<32|int64(uint32(r))) {
				return vk.Success
			}
		case r == vk.ErrorDeviceLost:
			began.Store(true)
			return r
		default:
			if injection.CompareAndSwap(v, 0) {
				return r
			}
		}
	}
}

// Pending reports whether the injected failure is still to come.
func Pending() bool {
	v := injection.Load()
	return v != 0 && !began.Load()
}

var resultNames = map[vk.Result]string{
	vk.NotReady: "VK_NOT_READY", vk.Timeout: "VK_TIMEOUT", vk.Incomplete: "VK_INCOMPLETE",
	vk.ErrorOutOfHostMemory: "VK_ERROR_OUT_OF_HOST_MEMORY", vk.ErrorOutOfDeviceMemory: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
	vk.ErrorInitializationFailed: "VK_ERROR_INITIALIZATION_FAILED", vk.ErrorDeviceLost: "VK_ERROR_DEVICE_LOST",
	vk.ErrorMemoryMapFailed: "VK_ERROR_MEMORY_MAP_FAILED", vk.ErrorLayerNotPresent: "VK_ERROR_LAYER_NOT_PRESENT",
	vk.ErrorExtensionNotPresent: "VK_ERROR_EXTENSION_NOT_PRESENT", vk.ErrorFeatureNotPresent: "VK_ERROR_FEATURE_NOT_PRESENT",
	vk.ErrorIncompatibleDriver: "VK_ERROR_INCOMPATIBLE_DRIVER", vk.ErrorTooManyObjects: "VK_ERROR_TOO_MANY_OBJECTS",
	vk.ErrorFragmentedPool: "VK_ERROR_FRAGMENTED_POOL", vk.ErrorInvalidShaderNv: "VK_ERROR_INVALID_SHADER_NV",
	-13: "VK_ERROR_UNKNOWN", -1000257000: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS",
}

// ResultName returns the name of a result code in Vulkan.
func ResultName(r vk.Result) string {
	if s, ok := resultNames[r]; ok {
		return s
	}
	return fmt.Sprintf("VkResult(%d)", int32(r))
}
