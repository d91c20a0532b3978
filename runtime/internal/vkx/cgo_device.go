//go:build cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vkx

/*
#include "vkx.h"

#cgo noescape vkx_create_device
#cgo nocallback vkx_create_device
#cgo nocallback vkx_create_buffer
#cgo noescape vkx_get_buffer_requirements
#cgo nocallback vkx_get_buffer_requirements
#cgo nocallback vkx_get_buffer_address
#cgo nocallback vkx_allocate_memory
#cgo nocallback vkx_imports_host
#cgo nocallback vkx_create_host_buffer
#cgo noescape vkx_get_host_types
#cgo nocallback vkx_get_host_types
#cgo nocallback vkx_import_memory
#cgo nocallback vkx_create_exported_buffer
#cgo nocallback vkx_allocate_exported_memory
#cgo noescape vkx_export_memory
#cgo nocallback vkx_export_memory
#cgo nocallback vkx_create_timeline
#cgo noescape vkx_get_reached
#cgo nocallback vkx_get_reached
#cgo nocallback vkx_wait_reached
#cgo nocallback vkx_create_command_pool
#cgo nocallback vkx_allocate_command_buffer
#cgo nocallback vkx_create_query_pool
#cgo noescape vkx_get_timestamps
#cgo nocallback vkx_get_timestamps
#cgo noescape vkx_calibrate
#cgo nocallback vkx_calibrate
#cgo nocallback vkx_monotonic
#cgo noescape vkx_create_shader_module
#cgo nocallback vkx_create_shader_module
#cgo nocallback vkx_create_pipeline_layout
#cgo noescape vkx_create_pipeline_cache
#cgo nocallback vkx_create_pipeline_cache
#cgo noescape vkx_create_compute_pipeline
#cgo nocallback vkx_create_compute_pipeline
#cgo noescape vkx_submit
#cgo nocallback vkx_submit
#cgo noescape vkx_record
#cgo nocallback vkx_record
*/
import "C"

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// This file makes the cgo side's calls for a device, such as the calls that create buffers and
// pipelines. The file is for builds for Linux with cgo.

// Device is a logical device with its table of functions.
type Device struct {
	c      *C.vkx_device
	handle vk.Device
}

func createDevice(p PhysicalDevice, features uint64, exports bool, families []uint32) (*Device, string, Result) {
	var c *C.vkx_device
	var lacks *C.char
	r := C.vkx_create_device(C.uintptr_t(p), (*C.uint32_t)(unsafe.SliceData(families)),
		C.uint32_t(len(families)), C.uint64_t(features), cBool(exports), &c, &lacks)
	if r < 0 {
		return nil, C.GoString(lacks), Result(r)
	}
	return &Device{c, as[vk.Device](uintptr(C.vkx_device_handle(c)))}, "", Success
}

// Queue returns the device's queue of a family. The family must have been passed to CreateDevice.
func (d *Device) Queue(family uint32) Queue {
	var q vk.Queue
	vk.GetDeviceQueue(d.handle, family, 0, &q)
	return Queue(uintptr(unsafe.Pointer(q)))
}

// Destroy destroys the device. All objects of the device must have been destroyed before.
func (d *Device) Destroy() {
	vk.DestroyDevice(d.handle, nil)
	C.vkx_free_device(d.c)
	d.c = nil
}

// WaitIdle waits until the device is idle or lost. Tests inject no failure into WaitIdle, because
// WaitIdle is the last call before objects are destroyed.
func (d *Device) WaitIdle() Result { return Result(vk.DeviceWaitIdle(d.handle)) }

// DestroyBuffer destroys the buffer b, which no command may use any more.
func (d *Device) DestroyBuffer(b Buffer) { vk.DestroyBuffer(d.handle, as[vk.Buffer](b), nil) }

// FreeMemory unmaps and frees the memory m.
func (d *Device) FreeMemory(m DeviceMemory) { vk.FreeMemory(d.handle, as[vk.DeviceMemory](m), nil) }

// DestroySemaphore destroys the semaphore s, which no submission may use any more.
func (d *Device) DestroySemaphore(s Semaphore) {
	vk.DestroySemaphore(d.handle, as[vk.Semaphore](s), nil)
}

// DestroyCommandPool destroys a pool with its command buffers.
func (d *Device) DestroyCommandPool(p CommandPool) {
	vk.DestroyCommandPool(d.handle, as[vk.CommandPool](p), nil)
}

// DestroyQueryPool destroys a pool of queries.
func (d *Device) DestroyQueryPool(p QueryPool) {
	vk.DestroyQueryPool(d.handle, as[vk.QueryPool](p), nil)
}

// DestroyShaderModule destroys m. Pipelines that have been created do not need their shader module
// any more.
func (d *Device) DestroyShaderModule(m ShaderModule) {
	vk.DestroyShaderModule(d.handle, as[vk.ShaderModule](m), nil)
}

// DestroyPipelineLayout destroys l.
func (d *Device) DestroyPipelineLayout(l PipelineLayout) {
	vk.DestroyPipelineLayout(d.handle, as[vk.PipelineLayout](l), nil)
}

// DestroyPipelineCache destroys c.
func (d *Device) DestroyPipelineCache(c PipelineCache) {
	vk.DestroyPipelineCache(d.handle, as[vk.PipelineCache](c), nil)
}

// DestroyPipeline destroys the pipeline p, which no command may use any more.
func (d *Device) DestroyPipeline(p Pipeline) {
	vk.DestroyPipeline(d.handle, as[vk.Pipeline](p), nil)
}

// unpackValue returns the handle and the result in v. A C function that creates an object has
// returned v.
func unpackValue[H ~uintptr](v C.vkx_value) (H, Result) { return H(v.value), Result(v.result) }

// cBool converts a bool to a C int.
func cBool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (d *Device) createBuffer(size uint64, usage BufferUsageFlags) (Buffer, Result) {
	return unpackValue[Buffer](C.vkx_create_buffer(d.c, C.uint64_t(size), C.uint32_t(usage)))
}

// BufferRequirements returns the memory requirements of the buffer b.
func (d *Device) BufferRequirements(b Buffer) Requirements {
	var size, alignment C.uint64_t
	var types C.uint32_t
	C.vkx_get_buffer_requirements(d.c, C.uintptr_t(b), &size, &alignment, &types)
	return Requirements{uint64(size), uint64(alignment), uint32(types)}
}

// BufferAddress returns the device address of b, which must have memory.
func (d *Device) BufferAddress(b Buffer) uint64 {
	return uint64(C.vkx_get_buffer_address(d.c, C.uintptr_t(b)))
}

func (d *Device) allocateMemory(size uint64, memoryType uint32, owner Buffer) (DeviceMemory, Result) {
	return unpackValue[DeviceMemory](C.vkx_allocate_memory(d.c, C.uint64_t(size), C.uint32_t(memoryType), C.uintptr_t(owner)))
}

// ImportsHost reports whether buffers can have memory of the host.
func (d *Device) ImportsHost() bool { return C.vkx_imports_host(d.c) != 0 }

func (d *Device) createHostBuffer(size uint64, usage BufferUsageFlags) (Buffer, Result) {
	return unpackValue[Buffer](C.vkx_create_host_buffer(d.c, C.uint64_t(size), C.uint32_t(usage)))
}

func (d *Device) hostTypes(p unsafe.Pointer) (uint32, Result) {
	var types C.uint32_t
	r := C.vkx_get_host_types(d.c, p, &types)
	return uint32(types), Result(r)
}

func (d *Device) importMemory(p unsafe.Pointer, size uint64, memoryType uint32) (DeviceMemory, Result) {
	return unpackValue[DeviceMemory](C.vkx_import_memory(d.c, p, C.uint64_t(size), C.uint32_t(memoryType)))
}

func (d *Device) createExportedBuffer(size uint64, usage BufferUsageFlags) (Buffer, Result) {
	return unpackValue[Buffer](C.vkx_create_exported_buffer(d.c, C.uint64_t(size), C.uint32_t(usage)))
}

func (d *Device) allocateExportedMemory(size uint64, memoryType uint32, b Buffer) (DeviceMemory, Result) {
	return unpackValue[DeviceMemory](C.vkx_allocate_exported_memory(d.c, C.uint64_t(size), C.uint32_t(memoryType), C.uintptr_t(b)))
}

func (d *Device) exportMemory(m DeviceMemory) (int, Result) {
	var fd C.int
	r := C.vkx_export_memory(d.c, C.uintptr_t(m), &fd)
	return int(fd), Result(r)
}

func (d *Device) bindBuffer(b Buffer, m DeviceMemory) Result {
	return Result(vk.BindBufferMemory(d.handle, as[vk.Buffer](b), as[vk.DeviceMemory](m), 0))
}

func (d *Device) mapMemory(m DeviceMemory) (p unsafe.Pointer, r Result) {
	r = Result(vk.MapMemory(d.handle, as[vk.DeviceMemory](m), 0, vk.DeviceSize(vk.WholeSize), 0, &p))
	return p, r
}

func (d *Device) createTimeline() (Semaphore, Result) {
	return unpackValue[Semaphore](C.vkx_create_timeline(d.c))
}

// Reached returns the value of a timeline semaphore. Tests inject no failure into Reached, because
// a polling wait calls Reached many times.
func (d *Device) Reached(s Semaphore) (uint64, Result) {
	var v C.uint64_t
	r := C.vkx_get_reached(d.c, C.uintptr_t(s), &v)
	return uint64(v), Result(r)
}

func (d *Device) waitReached(s Semaphore, value, timeout uint64) Result {
	return Result(C.vkx_wait_reached(d.c, C.uintptr_t(s), C.uint64_t(value), C.uint64_t(timeout)))
}

func (d *Device) createCommandPool(family uint32, shortLived bool) (CommandPool, Result) {
	return unpackValue[CommandPool](C.vkx_create_command_pool(d.c, C.uint32_t(family), cBool(shortLived)))
}

func (d *Device) allocateCommandBuffer(pool CommandPool, secondary bool) (CommandBuffer, Result) {
	return unpackValue[CommandBuffer](C.vkx_allocate_command_buffer(d.c, C.uintptr_t(pool), cBool(secondary)))
}

func (d *Device) createQueryPool(n uint32) (QueryPool, Result) {
	return unpackValue[QueryPool](C.vkx_create_query_pool(d.c, C.uint32_t(n)))
}

func (d *Device) timestamps(pool QueryPool, first uint32, ticks []uint64) Result {
	return Result(C.vkx_get_timestamps(d.c, C.uintptr_t(pool), C.uint32_t(first),
		C.uint32_t(len(ticks)), (*C.uint64_t)(unsafe.SliceData(ticks))))
}

func (d *Device) calibrate() (ticks, monotonic, deviation uint64, r Result) {
	var t, m, dev C.uint64_t
	r = Result(C.vkx_calibrate(d.c, &t, &m, &dev))
	return uint64(t), uint64(m), uint64(dev), r
}

// Monotonic reads CLOCK_MONOTONIC, in nanoseconds. CLOCK_MONOTONIC is the clock of package time.
func Monotonic() uint64 { return uint64(C.vkx_monotonic()) }

func (d *Device) createShaderModule(words []uint32) (ShaderModule, Result) {
	return unpackValue[ShaderModule](C.vkx_create_shader_module(d.c, (*C.uint32_t)(unsafe.SliceData(words)), C.size_t(len(words))))
}

func (d *Device) createPipelineLayout(pushBytes uint32) (PipelineLayout, Result) {
	return unpackValue[PipelineLayout](C.vkx_create_pipeline_layout(d.c, C.uint32_t(pushBytes)))
}

func (d *Device) createPipelineCache(data []byte) (PipelineCache, Result) {
	return unpackValue[PipelineCache](C.vkx_create_pipeline_cache(d.c, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))))
}

// pipelineCacheData copies the cache's contents to data. If data is nil, pipelineCacheData returns
// the length of the contents.
func (d *Device) pipelineCacheData(cache PipelineCache, data []byte) (int, Result) {
	n := uint(len(data))
	r := vk.GetPipelineCacheData(d.handle, as[vk.PipelineCache](cache), &n, unsafe.Pointer(unsafe.SliceData(data)))
	return int(n), Result(r)
}

func (d *Device) mergePipelineCaches(dst, src PipelineCache) Result {
	return Result(vk.MergePipelineCaches(d.handle, as[vk.PipelineCache](dst), 1, []vk.PipelineCache{as[vk.PipelineCache](src)}))
}

func (d *Device) createComputePipeline(cache PipelineCache, p *ComputePipeline) (Pipeline, Result) {
	var cached C.uint32_t
	v := C.vkx_create_compute_pipeline(d.c, C.uintptr_t(cache), C.uintptr_t(p.Module), C.uintptr_t(p.Layout),
		cBool(p.DispatchBase), C.uint32_t(p.SubgroupSize), cBool(p.FullSubgroups),
		(*C.uint32_t)(unsafe.SliceData(p.Spec)), C.uint32_t(len(p.Spec)/3),
		unsafe.Pointer(unsafe.SliceData(p.Data)), C.size_t(len(p.Data)), &cached)
	p.Cached = [...]string{"", "hit", "miss"}[cached]
	return unpackValue[Pipeline](v)
}

// noCommand is a variable whose address is passed to C if the list of commands is empty.
var noCommand [1]uint32

// The method `submit` records and submits a whole batch by one call into C.
func (d *Device) submit(s *Submission, commands Commands) Result {
	words := unsafe.SliceData(commands)
	switch {
	case s.Again:
		words = nil
	case words == nil:
		words = &noCommand[0]
	}
	wait := C.vkx_wait{semaphore: C.uintptr_t(s.Wait), value: C.uint64_t(s.After), stages: C.uint32_t(s.Stages)}
	return Result(C.vkx_submit(d.c, C.uintptr_t(s.Queue), C.uintptr_t(s.Buffer), C.uintptr_t(s.Timeline),
		C.uint64_t(s.Value), wait, (*C.uint32_t)(words), C.size_t(len(commands))))
}

func (d *Device) record(cb CommandBuffer, commands Commands) Result {
	return Result(C.vkx_record(d.c, C.uintptr_t(cb), (*C.uint32_t)(unsafe.SliceData(commands)), C.size_t(len(commands))))
}
