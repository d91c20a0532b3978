//go:build cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vkx

/*
#cgo LDFLAGS: -ldl
#cgo CFLAGS: -std=gnu11 -O2
#include <stdlib.h>
#include "vkx.h"

#cgo noescape vkx_open
#cgo nocallback vkx_open
#cgo nocallback vkx_create_instance
#cgo noescape vkx_hide
#cgo nocallback vkx_hide
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
	"sync"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// This file makes the cgo side's calls that open the Vulkan loader, create an instance and query
// physical devices. The file is for builds for Linux with cgo.

// Open opens the Vulkan loader and passes it to the binding.
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
func InstanceVersion() Version { return Version(C.vkx_instance_version()) }

func createInstance(version Version, validate bool) (Instance, Result) {
	v := C.vkx_create_instance(C.uint32_t(version), cBool(validate))
	inst := Instance(v.value)
	if r := Result(v.result); r < 0 {
		return 0, r
	}
	if err := vk.InitInstance(as[vk.Instance](inst)); err != nil {
		DestroyInstance(inst)
		return 0, ErrorInitializationFailed
	}
	return inst, Success
}

// The function `as` converts a handle of package vkx to a handle of the vulkan-go binding.
func as[H any, T ~uintptr](handle T) H { return *(*H)(unsafe.Pointer(&handle)) }

// DestroyInstance destroys an instance and its messenger.
func DestroyInstance(inst Instance) {
	C.vkx_destroy_messenger(C.uintptr_t(inst))
	vk.DestroyInstance(as[vk.Instance](inst), nil)
}

// Messages returns the number of errors and warnings that the validation layer has printed.
func Messages() int { return int(C.vkx_messages()) }

// enumeratePhysicalDevices sets the elements of the list. If the list is nil,
// enumeratePhysicalDevices returns the number of devices.
func enumeratePhysicalDevices(inst Instance, list []PhysicalDevice) (int, Result) {
	n := uint32(len(list))
	devices := make([]vk.PhysicalDevice, n)
	if list == nil {
		devices = nil
	}
	r := vk.EnumeratePhysicalDevices(as[vk.Instance](inst), &n, devices)
	for i, d := range devices {
		list[i] = PhysicalDevice(uintptr(unsafe.Pointer(d)))
	}
	return int(n), Result(r)
}

// `unchained` returns the total size, in bytes, of the feature structs that are missing from the
// chain of a device with all extensions.
func unchained() int { return int(C.vkx_unchained()) }

// featureName returns the name of a feature according to the C shim.
func featureName(f Feature) string { return C.GoString(C.vkx_feature_name(C.uint32_t(f))) }

// Hide makes the shim treat a function as missing in drivers. Only tests call Hide. Hide("") ends
// the effect of an earlier call.
func Hide(name string) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	C.vkx_hide(c)
}

// Exports reports whether a device supports Device.ExportMemory for buffers with the given usage.
// Exports returns false in programs without cgo.
func Exports(p PhysicalDevice, usage BufferUsageFlags) bool {
	return C.vkx_exports(C.uintptr_t(p), C.uint32_t(usage)) != 0
}

// GetPhysicalDeviceInfo queries a physical device.
func GetPhysicalDeviceInfo(p PhysicalDevice) *PhysicalDeviceInfo {
	handle := C.uintptr_t(p)
	var c C.vkx_physical_device_info
	C.vkx_get_physical_device_info(handle, &c)
	info := &PhysicalDeviceInfo{
		APIVersion:    Version(c.apiVersion),
		DriverVersion: uint32(c.driverVersion), VendorID: uint32(c.vendorID), DeviceID: uint32(c.deviceID),
		DeviceType: PhysicalDeviceType(c.deviceType),
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
		Dots:                         Dots(c.dots),
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
		info.QueueFamilies = append(info.QueueFamilies, QueueFlags(f))
		info.TimestampBits = append(info.TimestampBits, uint32(bits[i]))
	}
	var m C.vkx_memory_properties
	C.vkx_get_memory_properties(handle, &m)
	for i := range m.types {
		info.MemoryTypes = append(info.MemoryTypes, MemoryType{MemoryPropertyFlags(m.typeFlags[i]), int(m.typeHeap[i])})
	}
	for i := range m.heaps {
		info.MemoryHeaps = append(info.MemoryHeaps, MemoryHeap{MemoryHeapFlags(m.heapFlags[i]), uint64(m.heapSize[i])})
	}
	return info
}
