//go:build ((darwin || windows) && (amd64 || arm64)) || (!cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package vkx

import "unsafe"

// deviceFunctions contains the addresses of a device's functions.
type deviceFunctions struct {
	DestroyDevice, GetDeviceQueue, DeviceWaitIdle, QueueSubmit,
	CreateBuffer, DestroyBuffer, GetBufferMemoryRequirements, BindBufferMemory, GetBufferDeviceAddress,
	AllocateMemory, FreeMemory, MapMemory,
	CreateSemaphore, DestroySemaphore, GetSemaphoreCounterValue, WaitSemaphores,
	CreateCommandPool, DestroyCommandPool,
	AllocateCommandBuffers, BeginCommandBuffer, EndCommandBuffer,
	CreateQueryPool, DestroyQueryPool, GetQueryPoolResults,
	CreateShaderModule, DestroyShaderModule,
	CreatePipelineLayout, DestroyPipelineLayout,
	CreatePipelineCache, DestroyPipelineCache, GetPipelineCacheData, MergePipelineCaches,
	CreateComputePipelines, DestroyPipeline,
	CmdBindPipeline, CmdPushConstants, CmdDispatch, CmdDispatchBase, CmdCopyBuffer, CmdFillBuffer,
	CmdPipelineBarrier, CmdExecuteCommands, CmdResetQueryPool, CmdWriteTimestamp uintptr
}

// Device is a logical device with its table of functions.
type Device struct {
	fn                      deviceFunctions
	getCalibratedTimestamps uintptr // 0 without the extension
	getHostTypes            uintptr // vkGetMemoryHostPointerPropertiesEXT; 0 without the extension
	handle                  uintptr
	families                []uint32
	feedback                bool // pipelines report whether they came from the cache
}

// maxFamilies is the largest number of queue families of a device.
const maxFamilies = 2

func createDevice(p PhysicalDevice, enabled uint64, exports bool, families []uint32) (*Device, string, Result) {
	if len(families) > maxFamilies {
		return nil, "", ErrorInitializationFailed
	}
	if exports {
		return nil, "", ErrorExtensionNotPresent // Exports has returned false
	}
	properties := &physicalDeviceProperties2{sType: structureTypePhysicalDeviceProperties2}
	call(in.GetPhysicalDeviceProperties2, uintptr(p), uintptr(ptr(properties)))
	version := Version(properties.properties.apiVersion)
	set := extensionsOf(p, version)
	if set&hasExtCalibratedTimestamps != 0 && !isCalibrated(p) {
		set &^= hasExtCalibratedTimestamps
	}
	f := &features{}
	f.chainStructs(set)
	for n := range Feature(NumFeatures) {
		if enabled>>n&1 != 0 {
			*f.at(n) = 1
		}
	}
	var names []unsafe.Pointer
	for i, e := range extensions {
		if set>>i&1 != 0 && e.enabled && !version.atLeast(e.sinceMinor) {
			names = append(names, cString(e.name))
		}
	}
	priority := new(float32)
	*priority = 1
	queues := make([]deviceQueueCreateInfo, len(families))
	for i, family := range families {
		queues[i] = deviceQueueCreateInfo{
			sType: structureTypeDeviceQueueCreateInfo, queueFamilyIndex: family, queueCount: 1, pQueuePriorities: ptr(priority),
		}
	}
	handle, r := createObject[uintptr](in.CreateDevice, uintptr(p), ptr(&deviceCreateInfo{
		sType: structureTypeDeviceCreateInfo, pNext: ptr(&f.f2),
		queueCreateInfoCount: uint32(len(queues)), pQueueCreateInfos: ptr(unsafe.SliceData(queues)),
		enabledExtensionCount: uint32(len(names)), ppEnabledExtensionNames: ptr(unsafe.SliceData(names)),
	}))
	if r < 0 {
		return nil, "", r
	}
	d := &Device{handle: handle, families: append([]uint32(nil), families...), feedback: set&hasExtPipelineCreationFeedback != 0}
	find := func(name string) uintptr { return call(in.GetDeviceProcAddr, handle, uintptr(cString(name))) }
	if lacks := fillFunctions(&d.fn, find); lacks != "" {
		if d.fn.DestroyDevice != 0 {
			d.Destroy()
		}
		return nil, lacks, ErrorIncompatibleDriver
	}
	if set&hasExtCalibratedTimestamps != 0 {
		d.getCalibratedTimestamps = find("vkGetCalibratedTimestampsEXT")
	}
	if set&hasExtExternalMemoryHost != 0 {
		d.getHostTypes = find("vkGetMemoryHostPointerPropertiesEXT")
	}
	return d, "", Success
}

// Queue returns the device's queue of a family. The family must have been passed to CreateDevice.
func (d *Device) Queue(family uint32) Queue {
	q := new(Queue)
	call(d.fn.GetDeviceQueue, d.handle, uintptr(family), 0, uintptr(ptr(q)))
	return *q
}

// Destroy destroys the device. All objects of the device must have been destroyed before.
func (d *Device) Destroy() { call(d.fn.DestroyDevice, d.handle, 0) }

// WaitIdle waits until the device is idle or lost. Tests inject no failure into WaitIdle, because
// WaitIdle is the last call before objects are destroyed.
func (d *Device) WaitIdle() Result { return Result(int32(call(d.fn.DeviceWaitIdle, d.handle))) }

// DestroyBuffer destroys the buffer b, which no command may use any more.
func (d *Device) DestroyBuffer(b Buffer) { d.destroy(d.fn.DestroyBuffer, uintptr(b)) }

// FreeMemory unmaps and frees the memory m.
func (d *Device) FreeMemory(m DeviceMemory) { d.destroy(d.fn.FreeMemory, uintptr(m)) }

// DestroySemaphore destroys the semaphore s, which no submission may use any more.
func (d *Device) DestroySemaphore(s Semaphore) { d.destroy(d.fn.DestroySemaphore, uintptr(s)) }

// DestroyCommandPool destroys a pool with its command buffers.
func (d *Device) DestroyCommandPool(p CommandPool) { d.destroy(d.fn.DestroyCommandPool, uintptr(p)) }

// DestroyQueryPool destroys a pool of queries.
func (d *Device) DestroyQueryPool(p QueryPool) { d.destroy(d.fn.DestroyQueryPool, uintptr(p)) }

// DestroyShaderModule destroys m. Pipelines that have been created do not need their shader module
// any more.
func (d *Device) DestroyShaderModule(m ShaderModule) { d.destroy(d.fn.DestroyShaderModule, uintptr(m)) }

// DestroyPipelineLayout destroys l.
func (d *Device) DestroyPipelineLayout(l PipelineLayout) {
	d.destroy(d.fn.DestroyPipelineLayout, uintptr(l))
}

// DestroyPipelineCache destroys c.
func (d *Device) DestroyPipelineCache(c PipelineCache) {
	d.destroy(d.fn.DestroyPipelineCache, uintptr(c))
}

// DestroyPipeline destroys the pipeline p, which no command may use any more.
func (d *Device) DestroyPipeline(p Pipeline) { d.destroy(d.fn.DestroyPipeline, uintptr(p)) }

func (d *Device) destroy(fn, handle uintptr) {
	f := newFrame()
	f.call(fn, d.handle, handle, 0)
	f.free()
}

func (d *Device) createBuffer(size uint64, usage BufferUsageFlags) (Buffer, Result) {
	return d.createBufferWith(nil, size, usage)
}

// createBufferWith creates a buffer from a VkBufferCreateInfo with the pNext chain next.
func (d *Device) createBufferWith(next unsafe.Pointer, size uint64, usage BufferUsageFlags) (Buffer, Result) {
	info := &bufferCreateInfo{sType: structureTypeBufferCreateInfo, pNext: next, size: size, usage: uint32(usage)}
	if n := len(d.families); n > 1 {
		info.sharingMode = sharingModeConcurrent
		info.queueFamilyIndexCount, info.pQueueFamilyIndices = uint32(n), ptr(&d.families[0])
	}
	return createObject[Buffer](d.fn.CreateBuffer, d.handle, ptr(info))
}

// BufferRequirements returns the memory requirements of the buffer b.
func (d *Device) BufferRequirements(b Buffer) Requirements {
	m := &memoryRequirements{}
	call(d.fn.GetBufferMemoryRequirements, d.handle, uintptr(b), uintptr(ptr(m)))
	return Requirements{m.size, m.alignment, m.memoryTypeBits}
}

// BufferAddress returns the device address of b, which must have memory.
func (d *Device) BufferAddress(b Buffer) uint64 {
	info := &bufferDeviceAddressInfo{sType: structureTypeBufferDeviceAddressInfo, buffer: uintptr(b)}
	return uint64(call(d.fn.GetBufferDeviceAddress, d.handle, uintptr(ptr(info))))
}

func (d *Device) allocateMemory(size uint64, memoryType uint32, owner Buffer) (DeviceMemory, Result) {
	flags := &memoryAllocateFlagsInfo{sType: structureTypeMemoryAllocateFlagsInfo, flags: memoryAllocateDeviceAddressBit}
	if owner != 0 {
		flags.pNext = ptr(&memoryDedicatedAllocateInfo{sType: structureTypeMemoryDedicatedAllocateInfo, buffer: uintptr(owner)})
	}
	return createObject[DeviceMemory](d.fn.AllocateMemory, d.handle, ptr(&memoryAllocateInfo{
		sType: structureTypeMemoryAllocateInfo, pNext: ptr(flags), allocationSize: size, memoryTypeIndex: memoryType,
	}))
}

// ImportsHost reports whether buffers can have memory of the host.
func (d *Device) ImportsHost() bool { return d.getHostTypes != 0 }

func (d *Device) createHostBuffer(size uint64, usage BufferUsageFlags) (Buffer, Result) {
	host := &externalMemoryBufferCreateInfo{sType: structureTypeExternalMemoryBufferCreateInfo, handleTypes: externalMemoryHandleTypeHostAllocationBitExt}
	return d.createBufferWith(ptr(host), size, usage)
}

func (d *Device) hostTypes(p unsafe.Pointer) (uint32, Result) {
	info := &memoryHostPointerPropertiesEXT{sType: structureTypeMemoryHostPointerPropertiesExt}
	r := Result(int32(call(d.getHostTypes, d.handle, externalMemoryHandleTypeHostAllocationBitExt, uintptr(p), uintptr(ptr(info)))))
	return info.memoryTypeBits, r
}

func (d *Device) importMemory(p unsafe.Pointer, size uint64, memoryType uint32) (DeviceMemory, Result) {
	host := &importMemoryHostPointerInfoEXT{
		sType: structureTypeImportMemoryHostPointerInfoExt, handleType: externalMemoryHandleTypeHostAllocationBitExt, pHostPointer: p,
	}
	return createObject[DeviceMemory](d.fn.AllocateMemory, d.handle, ptr(&memoryAllocateInfo{
		sType: structureTypeMemoryAllocateInfo, pNext: ptr(host), allocationSize: size, memoryTypeIndex: memoryType,
	}))
}

// Exports reports whether a device supports Device.ExportMemory for buffers with the given usage.
// Exports returns false in programs without cgo.
func Exports(PhysicalDevice, BufferUsageFlags) bool { return false }

func (d *Device) createExportedBuffer(uint64, BufferUsageFlags) (Buffer, Result) {
	return 0, ErrorExtensionNotPresent
}

func (d *Device) allocateExportedMemory(uint64, uint32, Buffer) (DeviceMemory, Result) {
	return 0, ErrorExtensionNotPresent
}

func (d *Device) exportMemory(DeviceMemory) (int, Result) { return 0, ErrorExtensionNotPresent }

func (d *Device) bindBuffer(b Buffer, m DeviceMemory) Result {
	return Result(int32(call(d.fn.BindBufferMemory, d.handle, uintptr(b), uintptr(m), 0)))
}

func (d *Device) mapMemory(m DeviceMemory) (unsafe.Pointer, Result) {
	const whole = ^uintptr(0)
	p := new(unsafe.Pointer)
	r := Result(int32(call(d.fn.MapMemory, d.handle, uintptr(m), 0, whole, 0, uintptr(ptr(p)))))
	return *p, r
}

func (d *Device) createTimeline() (Semaphore, Result) {
	kind := &semaphoreTypeCreateInfo{sType: structureTypeSemaphoreTypeCreateInfo, semaphoreType: semaphoreTypeTimeline}
	return createObject[Semaphore](d.fn.CreateSemaphore, d.handle, ptr(&semaphoreCreateInfo{
		sType: structureTypeSemaphoreCreateInfo, pNext: ptr(kind),
	}))
}

// Reached returns the value of a timeline semaphore. Tests inject no failure into Reached, because
// a polling wait calls Reached many times.
func (d *Device) Reached(s Semaphore) (uint64, Result) {
	f := newFrame()
	r := f.callResult(d.fn.GetSemaphoreCounterValue, d.handle, uintptr(s), uintptr(ptr(&f.waitedAt)))
	v := f.waitedAt
	f.free()
	return v, r
}

func (d *Device) waitReached(s Semaphore, value, timeout uint64) Result {
	f := newFrame()
	f.waited, f.waitedAt = uintptr(s), value
	r := f.callResult(d.fn.WaitSemaphores, d.handle, uintptr(ptr(&f.wait)), uintptr(timeout))
	f.free()
	return r
}

func (d *Device) createCommandPool(family uint32, shortLived bool) (CommandPool, Result) {
	return createObject[CommandPool](d.fn.CreateCommandPool, d.handle, ptr(&commandPoolCreateInfo{
		sType: structureTypeCommandPoolCreateInfo, flags: bool32(shortLived) * (commandPoolCreateTransientBit | commandPoolCreateResetCommandBufferBit), queueFamilyIndex: family,
	}))
}

func (d *Device) allocateCommandBuffer(pool CommandPool, secondary bool) (CommandBuffer, Result) {
	info := &commandBufferAllocateInfo{
		sType: structureTypeCommandBufferAllocateInfo, commandPool: uintptr(pool), commandBufferCount: 1,
		level: bool32(secondary) * commandBufferLevelSecondary,
	}
	cb := new(CommandBuffer)
	if r := Result(int32(call(d.fn.AllocateCommandBuffers, d.handle, uintptr(ptr(info)), uintptr(ptr(cb))))); r < 0 {
		return 0, r
	}
	return *cb, Success
}

func (d *Device) createQueryPool(n uint32) (QueryPool, Result) {
	return createObject[QueryPool](d.fn.CreateQueryPool, d.handle, ptr(&queryPoolCreateInfo{
		sType: structureTypeQueryPoolCreateInfo, queryType: queryTypeTimestamp, queryCount: n,
	}))
}

func (d *Device) timestamps(pool QueryPool, first uint32, ticks []uint64) Result {
	return Result(int32(call(d.fn.GetQueryPoolResults, d.handle, uintptr(pool), uintptr(first), uintptr(len(ticks)),
		uintptr(8*len(ticks)), uintptr(ptr(unsafe.SliceData(ticks))), 8, queryResult64Bit|queryResultWaitBit)))
}

func (d *Device) calibrate() (ticks, monotonic, deviation uint64, r Result) {
	if d.getCalibratedTimestamps == 0 {
		return 0, 0, 0, ErrorInitializationFailed
	}
	info := &[2]calibratedTimestampInfoEXT{
		{sType: structureTypeCalibratedTimestampInfoExt, timeDomain: timeDomainDeviceExt},
		{sType: structureTypeCalibratedTimestampInfoExt, timeDomain: hostTimeDomain},
	}
	t := new([3]uint64)
	r = Result(int32(call(d.getCalibratedTimestamps, d.handle, 2, uintptr(ptr(info)), uintptr(ptr(t)), uintptr(ptr(&t[2])))))
	return t[0], hostTime(t[1]), t[2], r
}

func (d *Device) createShaderModule(words []uint32) (ShaderModule, Result) {
	return createObject[ShaderModule](d.fn.CreateShaderModule, d.handle, ptr(&shaderModuleCreateInfo{
		sType: structureTypeShaderModuleCreateInfo, codeSize: uintptr(4 * len(words)), pCode: ptr(unsafe.SliceData(words)),
	}))
}

func (d *Device) createPipelineLayout(pushBytes uint32) (PipelineLayout, Result) {
	constants := &pushConstantRange{stageFlags: shaderStageComputeBit, size: pushBytes}
	return createObject[PipelineLayout](d.fn.CreatePipelineLayout, d.handle, ptr(&pipelineLayoutCreateInfo{
		sType: structureTypePipelineLayoutCreateInfo, pushConstantRangeCount: 1, pPushConstantRanges: ptr(constants),
	}))
}

func (d *Device) createPipelineCache(data []byte) (PipelineCache, Result) {
	return createObject[PipelineCache](d.fn.CreatePipelineCache, d.handle, ptr(&pipelineCacheCreateInfo{
		sType: structureTypePipelineCacheCreateInfo, initialDataSize: uintptr(len(data)), pInitialData: ptr(unsafe.SliceData(data)),
	}))
}

// pipelineCacheData copies the cache's contents to data. If data is nil, pipelineCacheData returns
// the length of the contents.
func (d *Device) pipelineCacheData(cache PipelineCache, data []byte) (int, Result) {
	n := new(uintptr)
	*n = uintptr(len(data))
	r := Result(int32(call(d.fn.GetPipelineCacheData, d.handle, uintptr(cache), uintptr(ptr(n)), uintptr(ptr(unsafe.SliceData(data))))))
	return int(*n), r
}

func (d *Device) mergePipelineCaches(dst, src PipelineCache) Result {
	list := &[1]PipelineCache{src}
	return Result(int32(call(d.fn.MergePipelineCaches, d.handle, uintptr(dst), 1, uintptr(ptr(list)))))
}

func (d *Device) createComputePipeline(cache PipelineCache, p *ComputePipeline) (Pipeline, Result) {
	info := &computePipelineCreateInfo{
		sType: structureTypeComputePipelineCreateInfo, flags: bool32(p.DispatchBase) * pipelineCreateDispatchBaseBit,
		layout: uintptr(p.Layout), basePipelineIndex: -1,
	}
	info.stage = pipelineShaderStageCreateInfo{
		sType: structureTypePipelineShaderStageCreateInfo, stage: shaderStageComputeBit,
		flags:  bool32(p.FullSubgroups) * pipelineShaderStageCreateRequireFullSubgroupsBit,
		module: uintptr(p.Module), pName: cString("main"),
	}
	if p.SubgroupSize != 0 {
		info.stage.pNext = ptr(&pipelineShaderStageRequiredSubgroupSizeCreateInfo{
			sType: structureTypePipelineShaderStageRequiredSubgroupSizeCreateInfo, requiredSubgroupSize: p.SubgroupSize,
		})
	}
	if n := len(p.Spec) / 3; n > 0 {
		entries := make([]specializationMapEntry, n)
		for i := range entries {
			entries[i] = specializationMapEntry{constantID: p.Spec[3*i], offset: p.Spec[3*i+1], size: uintptr(p.Spec[3*i+2])}
		}
		info.stage.pSpecializationInfo = ptr(&specializationInfo{
			mapEntryCount: uint32(n), pMapEntries: ptr(&entries[0]),
			dataSize: uintptr(len(p.Data)), pData: ptr(unsafe.SliceData(p.Data)),
		})
	}
	all := &pipelineCreationFeedback{}
	if d.feedback {
		info.pNext = ptr(&pipelineCreationFeedbackCreateInfo{
			sType: structureTypePipelineCreationFeedbackCreateInfo, pPipelineCreationFeedback: ptr(all),
			pipelineStageCreationFeedbackCount: 1, pPipelineStageCreationFeedbacks: ptr(&pipelineCreationFeedback{}),
		})
	}
	out := new(Pipeline)
	r := Result(int32(call(d.fn.CreateComputePipelines, d.handle, uintptr(cache), 1, uintptr(ptr(info)), 0, uintptr(ptr(out)))))
	switch {
	case all.flags&pipelineCreationFeedbackValidBit == 0:
		p.Cached = ""
	case all.flags&pipelineCreationFeedbackApplicationPipelineCacheHitBit != 0:
		p.Cached = "hit"
	default:
		p.Cached = "miss"
	}
	if r < 0 {
		return 0, r
	}
	return *out, r
}
