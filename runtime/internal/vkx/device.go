//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

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

// Device is a logical device with its table of functions.
type Device struct {
	c      *C.vkx_device
	Handle vk.Device
}

// CreateDevice creates a device with the given features enabled and one queue of each of the
// given families, of which there are one or two. All of them may use each buffer.
func CreateDevice(p vk.PhysicalDevice, features uint64, families ...uint32) (*Device, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	d := &Device{}
	var c *C.vkx_device
	r := C.vkx_create_device(C.uintptr_t(uintptr(unsafe.Pointer(p))), (*C.uint32_t)(unsafe.SliceData(families)),
		C.uint32_t(len(families)), C.uint64_t(features), &c)
	if r < 0 {
		return nil, vk.Result(r)
	}
	d.c = c
	handle := C.vkx_device_handle(c)
	d.Handle = *(*vk.Device)(unsafe.Pointer(&handle))
	return d, vk.Success
}

// Queue returns the queue of a family that the device was created with.
func (d *Device) Queue(family uint32) (q vk.Queue) {
	vk.GetDeviceQueue(d.Handle, family, 0, &q)
	return q
}

// Destroy destroys the device; its children are destroyed already.
func (d *Device) Destroy() {
	vk.DestroyDevice(d.Handle, nil)
	C.vkx_free_device(d.c)
	d.c = nil
}

// WaitIdle waits until the device has nothing to do or is lost. No failure is
// injected here: it is the last call before things are destroyed.
func (d *Device) WaitIdle() vk.Result { return vk.DeviceWaitIdle(d.Handle) }

// handle unpacks the handle and the result of a creating call. H is one of the
// binding's handle types.
func handle[H any](v C.vkx_value) (H, vk.Result) {
	return *(*H)(unsafe.Pointer(&v.value)), vk.Result(v.result)
}

// CreateBuffer creates a buffer without memory.
func (d *Device) CreateBuffer(size uint64, usage vk.BufferUsageFlags) (vk.Buffer, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	return handle[vk.Buffer](C.vkx_create_buffer(d.c, C.uint64_t(size), C.uint32_t(usage)))
}

// Requirements says what memory a buffer needs.
type Requirements struct {
	Size, Alignment uint64
	Types           uint32 // bit per memory type
}

// BufferRequirements returns what memory b needs.
func (d *Device) BufferRequirements(b vk.Buffer) Requirements {
	var size, alignment C.uint64_t
	var types C.uint32_t
	C.vkx_get_buffer_requirements(d.c, C.uintptr_t(uintptr(unsafe.Pointer(b))), &size, &alignment, &types)
	return Requirements{uint64(size), uint64(alignment), uint32(types)}
}

// BufferAddress returns the device address of b, which has memory.
func (d *Device) BufferAddress(b vk.Buffer) uint64 {
	return uint64(C.vkx_get_buffer_address(d.c, C.uintptr_t(uintptr(unsafe.Pointer(b)))))
}

// AllocateMemory allocates memory that device addresses may point to.
func (d *Device) AllocateMemory(size uint64, memoryType int) (vk.DeviceMemory, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	return handle[vk.DeviceMemory](C.vkx_allocate_memory(d.c, C.uint64_t(size), C.uint32_t(memoryType)))
}

// BindBuffer gives b all of m.
func (d *Device) BindBuffer(b vk.Buffer, m vk.DeviceMemory) vk.Result {
	if r := injected(); r != vk.Success {
		return r
	}
	return vk.BindBufferMemory(d.Handle, b, m, 0)
}

// MapMemory maps all of m, until it is freed.
func (d *Device) MapMemory(m vk.DeviceMemory) (unsafe.Pointer, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	var p unsafe.Pointer
	r := vk.MapMemory(d.Handle, m, 0, vk.DeviceSize(vk.WholeSize), 0, &p)
	return p, r
}

// CreateTimeline creates a timeline semaphore of value 0.
func (d *Device) CreateTimeline() (vk.Semaphore, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	return handle[vk.Semaphore](C.vkx_create_timeline(d.c))
}

// Reached returns the value of a timeline semaphore. Nothing is injected here: it is asked as
// often as a wait polls.
func (d *Device) Reached(s vk.Semaphore) (uint64, vk.Result) {
	var v C.uint64_t
	r := C.vkx_get_reached(d.c, C.uintptr_t(uintptr(unsafe.Pointer(s))), &v)
	return uint64(v), vk.Result(r)
}

// WaitReached waits until a timeline semaphore has a value, at most timeout nanoseconds.
func (d *Device) WaitReached(s vk.Semaphore, value, timeout uint64) vk.Result {
	if r := injected(); r != vk.Success {
		return r
	}
	return vk.Result(C.vkx_wait_reached(d.c, C.uintptr_t(uintptr(unsafe.Pointer(s))), C.uint64_t(value), C.uint64_t(timeout)))
}

// CreateCommandPool creates a pool for a family's queue, for short-lived command buffers or for others.
func (d *Device) CreateCommandPool(family uint32, shortLived bool) (vk.CommandPool, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	return handle[vk.CommandPool](C.vkx_create_command_pool(d.c, C.uint32_t(family), flag(shortLived)))
}

// AllocateCommandBuffer allocates a command buffer: one that is submitted, or a secondary one,
// which such a one executes.
func (d *Device) AllocateCommandBuffer(pool vk.CommandPool, secondary bool) (vk.CommandBuffer, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	return handle[vk.CommandBuffer](C.vkx_allocate_command_buffer(d.c, C.uintptr_t(uintptr(unsafe.Pointer(pool))), flag(secondary)))
}

// flag is a bool in C.
func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// CreateQueryPool creates a pool of n queries for timestamps.
func (d *Device) CreateQueryPool(n int) (vk.QueryPool, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	return handle[vk.QueryPool](C.vkx_create_query_pool(d.c, C.uint32_t(n)))
}

// Timestamps reads queries of a pool from first on. Work that has been submitted writes them all.
func (d *Device) Timestamps(pool vk.QueryPool, first int, ticks []uint64) vk.Result {
	if r := injected(); r != vk.Success {
		return r
	}
	return vk.Result(C.vkx_get_timestamps(d.c, C.uintptr_t(uintptr(unsafe.Pointer(pool))), C.uint32_t(first),
		C.uint32_t(len(ticks)), (*C.uint64_t)(unsafe.SliceData(ticks))))
}

// Calibrate reads the device's clock and, in nanoseconds, CLOCK_MONOTONIC, at times that are at
// most deviation nanoseconds apart.
func (d *Device) Calibrate() (ticks, monotonic, deviation uint64, r vk.Result) {
	if r := injected(); r != vk.Success {
		return 0, 0, 0, r
	}
	var t, m, dev C.uint64_t
	r = vk.Result(C.vkx_calibrate(d.c, &t, &m, &dev))
	return uint64(t), uint64(m), uint64(dev), r
}

// Monotonic reads CLOCK_MONOTONIC, in nanoseconds. It is the clock of package time.
func Monotonic() uint64 { return uint64(C.vkx_monotonic()) }

// CreateShaderModule creates a module from SPIR-V.
func (d *Device) CreateShaderModule(words []uint32) (vk.ShaderModule, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	return handle[vk.ShaderModule](C.vkx_create_shader_module(d.c, (*C.uint32_t)(unsafe.SliceData(words)), C.size_t(len(words))))
}

// CreatePipelineLayout creates a layout of one range of push constants.
func (d *Device) CreatePipelineLayout(pushBytes uint32) (vk.PipelineLayout, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	return handle[vk.PipelineLayout](C.vkx_create_pipeline_layout(d.c, C.uint32_t(pushBytes)))
}

// CreatePipelineCache creates a cache with the data of an earlier one.
func (d *Device) CreatePipelineCache(data []byte) (vk.PipelineCache, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	return handle[vk.PipelineCache](C.vkx_create_pipeline_cache(d.c, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))))
}

// PipelineCacheData returns the contents of a cache.
func (d *Device) PipelineCacheData(cache vk.PipelineCache) ([]byte, vk.Result) {
	for {
		if r := injected(); r != vk.Success {
			return nil, r
		}
		var n uint
		if r := vk.GetPipelineCacheData(d.Handle, cache, &n, nil); r < 0 || n == 0 {
			return nil, r
		}
		data := make([]byte, n)
		switch r := vk.GetPipelineCacheData(d.Handle, cache, &n, unsafe.Pointer(&data[0])); {
		case r == vk.Incomplete:
			continue // it has grown
		default:
			return data[:n], r
		}
	}
}

// MergePipelineCaches adds what src holds to dst, which nobody else uses meanwhile.
func (d *Device) MergePipelineCaches(dst, src vk.PipelineCache) vk.Result {
	if r := injected(); r != vk.Success {
		return r
	}
	return vk.MergePipelineCaches(d.Handle, dst, 1, []vk.PipelineCache{src})
}

// ComputePipeline describes a compute pipeline.
type ComputePipeline struct {
	Module        vk.ShaderModule
	Layout        vk.PipelineLayout
	DispatchBase  bool     // for vkCmdDispatchBase
	SubgroupSize  uint32   // required size, or 0
	FullSubgroups bool     // require full sub-groups
	Spec          []uint32 // id, offset in Data and size of each specialization constant
	Data          []byte
	Cached        string // set by CreateComputePipeline: "hit", "miss", or "" if the driver does not say
}

// CreateComputePipeline creates a compute pipeline.
func (d *Device) CreateComputePipeline(cache vk.PipelineCache, p *ComputePipeline) (vk.Pipeline, vk.Result) {
	if r := injected(); r != vk.Success {
		return nil, r
	}
	var cached C.uint32_t
	v := C.vkx_create_compute_pipeline(d.c, C.uintptr_t(uintptr(unsafe.Pointer(cache))),
		C.uintptr_t(uintptr(unsafe.Pointer(p.Module))), C.uintptr_t(uintptr(unsafe.Pointer(p.Layout))),
		flag(p.DispatchBase), C.uint32_t(p.SubgroupSize), flag(p.FullSubgroups),
		(*C.uint32_t)(unsafe.SliceData(p.Spec)), C.uint32_t(len(p.Spec)/3),
		unsafe.Pointer(unsafe.SliceData(p.Data)), C.size_t(len(p.Data)), &cached)
	p.Cached = [...]string{"", "hit", "miss"}[cached]
	return handle[vk.Pipeline](v)
}

// Submission is where commands go.
type Submission struct {
	Queue    vk.Queue
	Pool     vk.CommandPool
	Buffer   vk.CommandBuffer // the pool's
	Timeline vk.Semaphore     // gets the value when the commands have completed
	Value    uint64
	// Wait, if not nil, is a timeline that the stages, and all that comes behind the
	// submission, wait for to have the value After.
	Wait   vk.Semaphore
	After  uint64
	Stages vk.PipelineStageFlagBits
	// Again says that the command buffer has the commands already.
	Again bool
}

// noCommand is where empty commands are.
var noCommand [1]uint32

// Submit resets the pool, records the commands into its command buffer, and submits that: one call
// into C for a whole batch.
func (d *Device) Submit(s *Submission, commands Commands) vk.Result {
	if r := injected(); r != vk.Success {
		return r
	}
	words := unsafe.SliceData(commands)
	switch {
	case s.Again:
		words = nil
	case words == nil:
		words = &noCommand[0]
	}
	wait := C.vkx_wait{semaphore: C.uintptr_t(uintptr(unsafe.Pointer(s.Wait))), value: C.uint64_t(s.After), stages: C.uint32_t(s.Stages)}
	return vk.Result(C.vkx_submit(d.c, C.uintptr_t(uintptr(unsafe.Pointer(s.Queue))), C.uintptr_t(uintptr(unsafe.Pointer(s.Pool))),
		C.uintptr_t(uintptr(unsafe.Pointer(s.Buffer))), C.uintptr_t(uintptr(unsafe.Pointer(s.Timeline))), C.uint64_t(s.Value), wait,
		(*C.uint32_t)(words), C.size_t(len(commands))))
}

// Record records the commands into a secondary command buffer that nothing has been recorded
// into. It may be executed again once what executed it has completed.
func (d *Device) Record(cb vk.CommandBuffer, commands Commands) vk.Result {
	if r := injected(); r != vk.Success {
		return r
	}
	return vk.Result(C.vkx_record(d.c, C.uintptr_t(uintptr(unsafe.Pointer(cb))),
		(*C.uint32_t)(unsafe.SliceData(commands)), C.size_t(len(commands))))
}
