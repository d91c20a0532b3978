//go:build ((darwin || windows) && (amd64 || arm64)) || (!cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package vkx

import "unsafe"

// extensionsOf returns the extensions that a device has. The result includes the extensions that
// are part of the device's version of Vulkan.
func extensionsOf(p PhysicalDevice, version Version) (set extensionSet) {
	for i, e := range extensions {
		if version.atLeast(e.sinceMinor) {
			set |= 1 << i
		}
	}
	n := new(uint32)
	if call(in.EnumerateDeviceExtensionProperties, uintptr(p), 0, uintptr(ptr(n)), 0) != 0 || *n == 0 {
		return set
	}
	list := make([]extensionProperties, *n)
	if Result(int32(call(in.EnumerateDeviceExtensionProperties, uintptr(p), 0, uintptr(ptr(n)), uintptr(ptr(&list[0]))))) < 0 {
		return set
	}
	for _, have := range list[:*n] {
		name := goString(have.extensionName[:])
		for i, e := range extensions {
			if e.name == name {
				set |= 1 << i
			}
		}
	}
	return set
}

// isCalibrated reports whether the device's clock and the clock of Monotonic can be read at the
// same time.
func isCalibrated(p PhysicalDevice) bool {
	if timeDomains == 0 {
		return false
	}
	domains, n := make([]uint32, 16), new(uint32)
	*n = uint32(len(domains))
	if Result(int32(call(timeDomains, uintptr(p), uintptr(ptr(n)), uintptr(ptr(&domains[0]))))) < 0 {
		return false
	}
	device, host := false, false
	for _, d := range domains[:*n] {
		device, host = device || d == timeDomainDeviceExt, host || d == hostTimeDomain
	}
	return device && host
}

// propertyStructs contains the structs that GetPhysicalDeviceInfo reads.
type propertyStructs struct {
	p2           physicalDeviceProperties2
	v11          physicalDeviceVulkan11Properties
	v12          physicalDeviceVulkan12Properties
	subgroupSize physicalDeviceSubgroupSizeControlProperties
	maintenance4 physicalDeviceMaintenance4Properties
	sm           physicalDeviceShaderSMBuiltinsPropertiesNV
	pci          physicalDevicePCIBusInfoPropertiesEXT
	dots         physicalDeviceShaderIntegerDotProductProperties
}

// queryDevice links the property structs for a device with the extensions in set, and asks the
// device to fill these structs.
func (q *propertyStructs) queryDevice(p PhysicalDevice, set extensionSet) {
	q.p2.pNext = ptr(&q.v11)
	q.v11.sType, q.v11.pNext = structureTypePhysicalDeviceVulkan11Properties, ptr(&q.v12)
	q.v12.sType = structureTypePhysicalDeviceVulkan12Properties
	q.subgroupSize.sType = structureTypePhysicalDeviceSubgroupSizeControlProperties
	q.maintenance4.sType = structureTypePhysicalDeviceMaintenance4Properties
	q.sm.sType = structureTypePhysicalDeviceShaderSmBuiltinsPropertiesNv
	q.pci.sType = structureTypePhysicalDevicePciBusInfoPropertiesExt
	q.dots.sType = structureTypePhysicalDeviceShaderIntegerDotProductProperties
	tail := &q.v12.pNext
	for _, s := range []struct {
		extension extensionSet
		at        unsafe.Pointer
		next      *unsafe.Pointer
	}{
		{hasExtSubgroupSizeControl, ptr(&q.subgroupSize), &q.subgroupSize.pNext},
		{hasKhrMaintenance4, ptr(&q.maintenance4), &q.maintenance4.pNext},
		{hasNvShaderSmBuiltins, ptr(&q.sm), &q.sm.pNext},
		{hasExtPciBusInfo, ptr(&q.pci), &q.pci.pNext},
		{hasKhrShaderIntegerDotProduct, ptr(&q.dots), &q.dots.pNext},
	} {
		if set&s.extension != 0 {
			*tail, tail = s.at, s.next
		}
	}
	call(in.GetPhysicalDeviceProperties2, uintptr(p), uintptr(ptr(&q.p2)))
}

// GetPhysicalDeviceInfo queries a physical device.
func GetPhysicalDeviceInfo(p PhysicalDevice) *PhysicalDeviceInfo {
	q := &propertyStructs{}
	q.p2.sType = structureTypePhysicalDeviceProperties2
	call(in.GetPhysicalDeviceProperties2, uintptr(p), uintptr(ptr(&q.p2)))
	o, limits := &q.p2.properties, &q.p2.properties.limits
	info := &PhysicalDeviceInfo{
		APIVersion:    Version(o.apiVersion),
		DriverVersion: o.driverVersion, VendorID: o.vendorID, DeviceID: o.deviceID,
		DeviceType:                     PhysicalDeviceType(o.deviceType),
		PipelineCacheUUID:              o.pipelineCacheUUID,
		DeviceName:                     goString(o.deviceName[:]),
		MaxComputeWorkGroupCount:       limits.maxComputeWorkGroupCount,
		MaxComputeWorkGroupSize:        limits.maxComputeWorkGroupSize,
		TimestampPeriod:                float64(limits.timestampPeriod),
		MaxComputeWorkGroupInvocations: limits.maxComputeWorkGroupInvocations,
		MaxComputeSharedMemorySize:     limits.maxComputeSharedMemorySize,
		MaxPushConstantsSize:           limits.maxPushConstantsSize,
		MaxMemoryAllocationCount:       limits.maxMemoryAllocationCount,
	}
	info.setFamilies(p)
	info.setMemory(p)
	if info.APIVersion < MakeVersion(1, 2, 0) {
		return info // the structs below need Vulkan 1.2
	}
	set := extensionsOf(p, info.APIVersion)
	info.Calibrated = set&hasExtCalibratedTimestamps != 0 && isCalibrated(p)
	f := &features{}
	f.chainStructs(set)
	call(in.GetPhysicalDeviceFeatures2, uintptr(p), uintptr(ptr(&f.f2)))
	for n := range Feature(NumFeatures) {
		if *f.at(n) != 0 {
			info.Features |= 1 << n
		}
	}
	q.queryDevice(p, set)
	info.DriverName, info.DriverInfo = goString(q.v12.driverName[:]), goString(q.v12.driverInfo[:])
	info.MaxMemoryAllocationSize = q.v11.maxMemoryAllocationSize
	info.MaxBufferSize = q.maintenance4.maxBufferSize
	info.SubgroupSize = q.v11.subgroupSize
	info.SubgroupStages, info.SubgroupOperations = q.v11.subgroupSupportedStages, q.v11.subgroupSupportedOperations
	info.MinSubgroupSize, info.MaxSubgroupSize = q.subgroupSize.minSubgroupSize, q.subgroupSize.maxSubgroupSize
	if info.MinSubgroupSize == 0 {
		info.MinSubgroupSize = info.SubgroupSize
	}
	if info.MaxSubgroupSize == 0 {
		info.MaxSubgroupSize = info.SubgroupSize
	}
	info.MaxComputeWorkgroupSubgroups = q.subgroupSize.maxComputeWorkgroupSubgroups
	info.RequiredSubgroupSizeStages = q.subgroupSize.requiredSubgroupSizeStages
	info.DenormPreserveFloat32 = q.v12.shaderDenormPreserveFloat32 != 0
	for width, kept := range map[uint32]uint32{16: q.v12.shaderSignedZeroInfNanPreserveFloat16,
		32: q.v12.shaderSignedZeroInfNanPreserveFloat32, 64: q.v12.shaderSignedZeroInfNanPreserveFloat64} {
		if kept != 0 {
			info.SignedZeroInfNanPreserve |= width
		}
	}
	info.ComputeUnits, info.ResidentItems = q.sm.shaderSMCount, q.sm.shaderSMCount*q.sm.shaderWarpsPerSM*32
	for i, fast := range []uint32{q.dots.integerDotProduct4x8BitPackedUnsignedAccelerated, q.dots.integerDotProduct4x8BitPackedSignedAccelerated,
		q.dots.integerDotProduct4x8BitPackedMixedSignednessAccelerated, q.dots.integerDotProductAccumulatingSaturating4x8BitPackedUnsignedAccelerated,
		q.dots.integerDotProductAccumulatingSaturating4x8BitPackedSignedAccelerated,
		q.dots.integerDotProductAccumulatingSaturating4x8BitPackedMixedSignednessAccelerated} {
		if fast != 0 {
			info.Dots |= 1 << i
		}
	}
	info.DeviceUUID = q.v11.deviceUUID
	if set&hasExtPciBusInfo != 0 {
		info.PCI = &[4]uint32{q.pci.pciDomain, q.pci.pciBus, q.pci.pciDevice, q.pci.pciFunction}
	}
	return info
}

// setFamilies sets the fields about the queue families.
func (i *PhysicalDeviceInfo) setFamilies(p PhysicalDevice) {
	list, n := make([]queueFamilyProperties, 32), new(uint32)
	*n = uint32(len(list))
	call(in.GetPhysicalDeviceQueueFamilyProperties, uintptr(p), uintptr(ptr(n)), uintptr(ptr(&list[0])))
	for _, q := range list[:*n] {
		if q.queueCount == 0 {
			q.queueFlags = 0
		}
		i.QueueFamilies = append(i.QueueFamilies, QueueFlags(q.queueFlags))
		i.TimestampBits = append(i.TimestampBits, q.timestampValidBits)
	}
}

// setMemory sets the fields about the memory types and memory heaps.
func (i *PhysicalDeviceInfo) setMemory(p PhysicalDevice) {
	m := &physicalDeviceMemoryProperties{}
	call(in.GetPhysicalDeviceMemoryProperties, uintptr(p), uintptr(ptr(m)))
	for _, t := range m.memoryTypes[:m.memoryTypeCount] {
		i.MemoryTypes = append(i.MemoryTypes, MemoryType{MemoryPropertyFlags(t.propertyFlags), int(t.heapIndex)})
	}
	for _, h := range m.memoryHeaps[:m.memoryHeapCount] {
		i.MemoryHeaps = append(i.MemoryHeaps, MemoryHeap{MemoryHeapFlags(h.flags), h.size})
	}
}
