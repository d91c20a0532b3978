//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

import "unsafe"

// CreateDevice creates a device with the given features. The parameter `families` contains one or
// two queue families, and the device has one queue of each family. All families may use each
// buffer. If the driver lacks a function, the Result is ErrorIncompatibleDriver, and CreateDevice
// also returns the function's name. If `exports` is true, the device supports ExportMemory. The
// function Exports reports whether a physical device can export memory.
func CreateDevice(p PhysicalDevice, features uint64, exports bool, families ...uint32) (d *Device, lacks string, r Result) {
	if r := injected(); r != Success {
		return nil, "", r
	}
	return createDevice(p, features, exports, families)
}

// CreateBuffer creates a buffer without memory.
func (d *Device) CreateBuffer(size uint64, usage BufferUsageFlags) (Buffer, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createBuffer(size, usage)
}

// Requirements describes the memory that a buffer needs.
type Requirements struct {
	Size, Alignment uint64
	Types           uint32 // set of memory types, with one bit per type
}

// AllocateMemory allocates memory that device addresses may point to. If owner is not 0, the memory
// is a dedicated allocation for the buffer owner (VkMemoryDedicatedAllocateInfo). The size must be
// the size in the owner's memory requirements.
func (d *Device) AllocateMemory(size uint64, memoryType int, owner Buffer) (DeviceMemory, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.allocateMemory(size, uint32(memoryType), owner)
}

// CreateHostBuffer creates a buffer for memory that ImportMemory returns. ImportsHost reports
// whether the device supports buffers with memory of the host.
func (d *Device) CreateHostBuffer(size uint64, usage BufferUsageFlags) (Buffer, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createHostBuffer(size, usage)
}

// HostTypes returns the memory types that ImportMemory may use for the given host memory, as a set
// with one bit per type. The memory's address and size must be multiples of 64 KiB.
func (d *Device) HostTypes(p unsafe.Pointer) (types uint32, r Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.hostTypes(p)
}

// ImportMemory imports size bytes of the host's memory, for a buffer that CreateHostBuffer has
// created. The bytes must stay at their address until FreeMemory is called.
func (d *Device) ImportMemory(p unsafe.Pointer, size uint64, memoryType int) (DeviceMemory, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.importMemory(p, size, uint32(memoryType))
}

// CreateExportedBuffer creates a buffer for memory that AllocateExportedMemory returns.
func (d *Device) CreateExportedBuffer(size uint64, usage BufferUsageFlags) (Buffer, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createExportedBuffer(size, usage)
}

// AllocateExportedMemory allocates memory for one buffer that CreateExportedBuffer has created.
func (d *Device) AllocateExportedMemory(size uint64, memoryType int, b Buffer) (DeviceMemory, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.allocateExportedMemory(size, uint32(memoryType), b)
}

// ExportMemory returns a new file descriptor for memory that AllocateExportedMemory has returned.
// The caller must close the descriptor, or pass the descriptor to a library that closes it.
func (d *Device) ExportMemory(m DeviceMemory) (fd int, r Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.exportMemory(m)
}

// BindBuffer binds the whole memory m to the buffer b.
func (d *Device) BindBuffer(b Buffer, m DeviceMemory) Result {
	if r := injected(); r != Success {
		return r
	}
	return d.bindBuffer(b, m)
}

// MapMemory maps the whole memory m. The mapping ends when m is freed.
func (d *Device) MapMemory(m DeviceMemory) (unsafe.Pointer, Result) {
	if r := injected(); r != Success {
		return nil, r
	}
	return d.mapMemory(m)
}

// CreateTimeline creates a timeline semaphore with the value 0.
func (d *Device) CreateTimeline() (Semaphore, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createTimeline()
}

// WaitReached waits until a timeline semaphore has reached a value, for at most timeout
// nanoseconds.
func (d *Device) WaitReached(s Semaphore, value, timeout uint64) Result {
	if r := injected(); r != Success {
		return r
	}
	return d.waitReached(s, value, timeout)
}

// CreateCommandPool creates a pool for the queue of a family. If shortLived is set, the pool is for
// command buffers that Submit records again and again. If shortLived is not set, the pool is for
// command buffers that are recorded once and executed many times.
func (d *Device) CreateCommandPool(family uint32, shortLived bool) (CommandPool, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createCommandPool(family, shortLived)
}

// AllocateCommandBuffer allocates a command buffer. A primary command buffer is submitted. A
// secondary command buffer is executed by a primary one.
func (d *Device) AllocateCommandBuffer(pool CommandPool, secondary bool) (CommandBuffer, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.allocateCommandBuffer(pool, secondary)
}

// CreateQueryPool creates a pool of n queries for timestamps.
func (d *Device) CreateQueryPool(n int) (QueryPool, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createQueryPool(uint32(n))
}

// Timestamps reads the results of a pool's queries, beginning with the query that has the number
// `first`. Timestamps waits until submitted commands have written all these results.
func (d *Device) Timestamps(pool QueryPool, first int, ticks []uint64) Result {
	if r := injected(); r != Success {
		return r
	}
	return d.timestamps(pool, uint32(first), ticks)
}

// Calibrate reads the device's clock, and the clock of Monotonic in nanoseconds. The two readings
// are at most `deviation` nanoseconds apart.
func (d *Device) Calibrate() (ticks, monotonic, deviation uint64, r Result) {
	if r := injected(); r != Success {
		return 0, 0, 0, r
	}
	return d.calibrate()
}

// CreateShaderModule creates a module from SPIR-V.
func (d *Device) CreateShaderModule(words []uint32) (ShaderModule, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createShaderModule(words)
}

// CreatePipelineLayout creates a layout with one range of push constants.
func (d *Device) CreatePipelineLayout(pushBytes uint32) (PipelineLayout, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createPipelineLayout(pushBytes)
}

// CreatePipelineCache creates a cache that contains the data of an earlier cache.
func (d *Device) CreatePipelineCache(data []byte) (PipelineCache, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createPipelineCache(data)
}

// PipelineCacheData returns the contents of a cache.
func (d *Device) PipelineCacheData(cache PipelineCache) ([]byte, Result) {
	for {
		if r := injected(); r != Success {
			return nil, r
		}
		n, r := d.pipelineCacheData(cache, nil)
		if r < 0 || n == 0 {
			return nil, r
		}
		data := make([]byte, n)
		n, r = d.pipelineCacheData(cache, data)
		if r == Incomplete {
			continue // the cache has grown
		}
		return data[:n], r
	}
}

// MergePipelineCaches adds the contents of src to dst. No other call may use dst at the same time.
func (d *Device) MergePipelineCaches(dst, src PipelineCache) Result {
	if r := injected(); r != Success {
		return r
	}
	return d.mergePipelineCaches(dst, src)
}

// ComputePipeline describes a compute pipeline.
type ComputePipeline struct {
	Module        ShaderModule
	Layout        PipelineLayout
	DispatchBase  bool     // allows vkCmdDispatchBase
	SubgroupSize  uint32   // required sub-group size, or 0
	FullSubgroups bool     // require full sub-groups
	Spec          []uint32 // three numbers for each specialization constant: id, offset in Data, size
	Data          []byte
	Cached        string // set by CreateComputePipeline: "hit", "miss", or "" if the driver does not say
}

// CreateComputePipeline creates a compute pipeline.
func (d *Device) CreateComputePipeline(cache PipelineCache, p *ComputePipeline) (Pipeline, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return d.createComputePipeline(cache, p)
}

// Submission describes the submission of commands.
type Submission struct {
	Queue    Queue
	Buffer   CommandBuffer // command buffer from a pool for short-lived command buffers
	Timeline Semaphore     // timeline semaphore, set to the value when the commands have completed
	Value    uint64
	// Wait is a timeline semaphore, or 0. The pipeline stages of this and all later submissions wait
	// until the semaphore has the value After.
	Wait   Semaphore
	After  uint64
	Stages PipelineStageFlags
	// Again says that the command buffer already contains the commands.
	Again bool
}

// Submit records the commands into the command buffer, replacing its old contents. Then Submit
// submits the command buffer.
func (d *Device) Submit(s *Submission, commands Commands) Result {
	if r := injected(); r != Success {
		return r
	}
	return d.submit(s, commands)
}

// Record records the commands into an empty secondary command buffer. A caller may execute the
// command buffer again once its last execution has completed.
func (d *Device) Record(cb CommandBuffer, commands Commands) Result {
	if r := injected(); r != Success {
		return r
	}
	return d.record(cb, commands)
}
