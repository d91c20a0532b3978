//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

const (
	firstBlock = 64 << 20
	lastBlock  = 256 << 20
	// Allocations larger than this have a block of their own.
	dedicatedSize = 32 << 20

	bufferUsage = vk.BufferUsageFlags(vk.BufferUsageTransferSrcBit|vk.BufferUsageTransferDstBit|vk.BufferUsageStorageBufferBit) |
		0x20000 // VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, newer than the binding
)

// typeSet names the memory types that are used.
type typeSet struct {
	device int // for kernels
	host   int // for both sides, cached by the host
	upload int // for what the host writes and kernels read
	// hostSpeed: the host reads and writes device memory as fast as its own.
	hostSpeed bool
}

// memoryTypes chooses among the types in mask.
func memoryTypes(p *vkx.PhysicalDeviceInfo, mask uint32) (typeSet, bool) {
	const (
		local    = vk.MemoryPropertyFlags(vk.MemoryPropertyDeviceLocalBit)
		visible  = vk.MemoryPropertyFlags(vk.MemoryPropertyHostVisibleBit | vk.MemoryPropertyHostCoherentBit)
		cached   = vk.MemoryPropertyFlags(vk.MemoryPropertyHostCachedBit)
		ordinary = local | visible | cached
	)
	// Of the types that have all of want, the one with the least besides; kinds
	// with special rules (protected, lazily allocated, uncached) never.
	pick := func(want vk.MemoryPropertyFlags) int {
		best, extra := -1, 0
		for i, t := range p.MemoryTypes {
			if mask>>i&1 == 0 || t.Flags&^ordinary != 0 || t.Flags&want != want {
				continue
			}
			n := 0
			for _, f := range []vk.MemoryPropertyFlags{local, vk.MemoryPropertyFlags(vk.MemoryPropertyHostVisibleBit), cached} {
				if t.Flags&^want&f != 0 {
					n++
				}
			}
			if best < 0 || n < extra || n == extra && p.MemoryHeaps[t.Heap].Size > p.MemoryHeaps[p.MemoryTypes[best].Heap].Size {
				best, extra = i, n
			}
		}
		return best
	}
	first := func(list ...int) int {
		for _, i := range list {
			if i >= 0 {
				return i
			}
		}
		return -1
	}
	s := typeSet{host: first(pick(visible|cached), pick(visible))}
	if p.DeviceType != vk.PhysicalDeviceTypeDiscreteGpu {
		if s.device = pick(local | visible | cached); s.device >= 0 {
			s.hostSpeed = true
			s.upload = s.device
			return s, true
		}
	}
	s.device = first(pick(local), s.host)
	s.upload = first(pick(local|visible), s.host)
	return s, s.host >= 0
}

// block is one allocation of device memory with one buffer over all of it.
type block struct {
	buffer vk.Buffer
	memory vk.DeviceMemory
	addr   uint64 // of the buffer's first usable byte, a multiple of granule
	pad    uint64 // offset of that byte
	size   uint64 // usable bytes
	// allocated bytes of memory
	allocated uint64
	ptr       unsafe.Pointer
	arena     *arena // nil if the block is one allocation's own
}

// pool allocates from one memory type.
type pool struct {
	kind   int
	mapped bool
	heap   uint64
	next   uint64 // size of the next block
	blocks []*block
	// kept are dedicated blocks that are free: allocating takes 0.5 ms and 17 ms
	// for each GiB on a GPU.
	kept      []*block
	keptBytes uint64
	keepLimit uint64
}

// allocator is a device's memory.
type allocator struct {
	d         *device
	mu        sync.Mutex
	pools     map[int]*pool
	types     typeSet
	own       map[*block]struct{} // dedicated blocks in use
	misplaced bool                // the driver's memory is aligned to less than granule
	live      int                 // memories not freed
	count     int                 // blocks
	bytes     uint64              // of all blocks
	limit     uint64              // of bytes, for tests; 0: none
}

// memory implements hal.Memory.
type memory struct {
	d     *device
	pool  *pool
	block *block
	chunk *chunk // nil for a dedicated block
	off   uint64 // in the block's buffer
	size  uint64
	addr  uint64
	data  []byte
	freed bool
}

func (m *memory) Size() uint64    { return m.size }
func (m *memory) Address() uint64 { return m.addr }
func (m *memory) Bytes() []byte   { return m.data }

// Free gives the memory back. It does nothing the second time, or when the
// device is closed. What a lost device has may still be in use until then.
func (m *memory) Free() {
	a := &m.d.mem
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.freed {
		return
	}
	m.freed, m.data = true, nil
	if a.pools == nil || m.d.lost.Load() != nil {
		return
	}
	a.live--
	p := m.pool
	if m.chunk == nil {
		delete(a.own, m.block)
		p.keptBytes += m.block.size
		p.kept = append(p.kept, m.block)
		for p.keptBytes > p.keepLimit {
			a.dropKept(p)
		}
		return
	}
	m.block.arena.release(m.chunk)
	if m.block.arena.used == 0 {
		a.trim(p, 1)
	}
}

// init asks the device which memory types buffers can have.
func (a *allocator) init(d *device) error {
	a.d = d
	b, r := d.vk.CreateBuffer(granule, bufferUsage)
	if err := check("vkCreateBuffer", r); err != nil {
		return err
	}
	mask := d.vk.BufferRequirements(b).Types
	vk.DestroyBuffer(d.vk.Handle, b, nil)
	types, ok := memoryTypes(d.phys, mask)
	if !ok {
		return fmt.Errorf("vulkan: %s has no memory for buffers that the host sees", d.phys.DeviceName)
	}
	a.types = types
	a.pools = make(map[int]*pool)
	a.own = make(map[*block]struct{})
	for _, kind := range []int{types.device, types.host, types.upload} {
		heap := d.phys.MemoryHeaps[d.phys.MemoryTypes[kind].Heap].Size
		p := &pool{kind: kind, heap: heap, next: max(1<<20, min(firstBlock, heap/32))}
		p.mapped = kind != types.device || types.hostSpeed || types.device == types.host
		if !types.hostSpeed {
			p.keepLimit = heap / 16
		}
		a.pools[kind] = p
	}
	return nil
}

// Alloc allocates memory. What it holds is unspecified.
func (d *device) Alloc(size uint64, kind hal.MemoryKind) (hal.Memory, error) {
	t := d.mem.types.device
	if kind == hal.HostMemory {
		t = d.mem.types.host
	}
	m, err := d.mem.alloc(size, t)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (a *allocator) alloc(size uint64, kind int) (*memory, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pools == nil {
		return nil, errClosed
	}
	if err := a.d.lostErr(); err != nil {
		return nil, err
	}
	p := a.pools[kind]
	if size > p.heap {
		return nil, fmt.Errorf("vulkan: %d bytes from a heap of %d: %w", size, p.heap, hal.ErrOutOfMemory)
	}
	rounded := max(granule, (size+granule-1)&^(granule-1))
	m, err := a.allocFrom(p, rounded)
	if err != nil && a.trimAll() {
		m, err = a.allocFrom(p, rounded)
	}
	if err != nil {
		return nil, err
	}
	a.live++
	m.d, m.pool, m.size = a.d, p, size
	m.addr = m.block.addr + m.off - m.block.pad
	if p.mapped {
		m.data = unsafe.Slice((*byte)(unsafe.Add(m.block.ptr, m.off)), size)
	}
	return m, nil
}

func (a *allocator) allocFrom(p *pool, size uint64) (*memory, error) {
	if size > dedicatedSize || size > p.next {
		for i, b := range p.kept {
			if b.size >= size && b.size-size <= size/4 {
				p.kept = slices.Delete(p.kept, i, i+1)
				p.keptBytes -= b.size
				a.own[b] = struct{}{}
				return &memory{block: b, off: b.pad}, nil
			}
		}
		b, err := a.newBlock(p, size)
		if err != nil {
			return nil, err
		}
		a.own[b] = struct{}{}
		return &memory{block: b, off: b.pad}, nil
	}
	for _, b := range p.blocks {
		if c := b.arena.alloc(size); c != nil {
			return &memory{block: b, chunk: c, off: b.pad + c.off}, nil
		}
	}
	b, err := a.newBlock(p, p.next)
	for n := p.next / 2; err != nil && n >= max(size, 1<<20); n /= 2 {
		b, err = a.newBlock(p, n)
	}
	if err != nil {
		return nil, err
	}
	p.next = max(p.next, min(2*p.next, lastBlock, p.heap/32))
	b.arena = newArena(b.size)
	p.blocks = append(p.blocks, b)
	c := b.arena.alloc(size)
	return &memory{block: b, chunk: c, off: b.pad + c.off}, nil
}

// newBlock allocates a block of at least size usable bytes.
func (a *allocator) newBlock(p *pool, size uint64) (*block, error) {
	for {
		total := size
		if a.misplaced {
			total += granule
		}
		b, err := a.tryBlock(p, total)
		if err != nil {
			return nil, err
		}
		if b.size >= size {
			return b, nil
		}
		a.destroy(b)
		a.misplaced = true
	}
}

func (a *allocator) tryBlock(p *pool, size uint64) (_ *block, err error) {
	if limit := a.d.phys.MaxBufferSize; limit != 0 && size > limit || size > p.heap {
		return nil, fmt.Errorf("vulkan: a buffer of %d bytes is larger than the device allows: %w", size, hal.ErrOutOfMemory)
	}
	b := &block{}
	a.count++
	defer func() {
		if err != nil {
			a.destroy(b)
		}
	}()
	v := a.d.vk
	var r vk.Result
	if b.buffer, r = v.CreateBuffer(size, bufferUsage); r < 0 {
		return nil, check("vkCreateBuffer", r)
	}
	need := v.BufferRequirements(b.buffer)
	if need.Size > p.heap || a.limit != 0 && a.bytes+need.Size > a.limit {
		return nil, fmt.Errorf("vulkan: %d bytes from a heap of %d: %w", need.Size, p.heap, hal.ErrOutOfMemory)
	}
	if b.memory, r = v.AllocateMemory(need.Size, p.kind); r < 0 {
		return nil, check("vkAllocateMemory", r)
	}
	b.allocated = need.Size
	a.bytes += need.Size
	if r = v.BindBuffer(b.buffer, b.memory); r < 0 {
		return nil, check("vkBindBufferMemory", r)
	}
	if p.mapped {
		if b.ptr, r = v.MapMemory(b.memory); r < 0 {
			return nil, check("vkMapMemory", r)
		}
	}
	addr := v.BufferAddress(b.buffer)
	b.addr = (addr + granule - 1) &^ (granule - 1)
	b.pad = b.addr - addr
	b.size = size - min(b.pad, size)
	return b, nil
}

func (a *allocator) destroy(b *block) {
	a.count--
	a.bytes -= b.allocated
	a.d.queue.settle()
	vk.DestroyBuffer(a.d.vk.Handle, b.buffer, nil)
	vk.FreeMemory(a.d.vk.Handle, b.memory, nil)
}

func (a *allocator) dropKept(p *pool) {
	b := p.kept[0]
	p.kept = slices.Delete(p.kept, 0, 1)
	p.keptBytes -= b.size
	a.destroy(b)
}

// trim destroys the pool's empty blocks but for keep of them.
func (a *allocator) trim(p *pool, keep int) (freed bool) {
	p.blocks = slices.DeleteFunc(p.blocks, func(b *block) bool {
		if b.arena.used > 0 {
			return false
		}
		if keep > 0 {
			keep--
			return false
		}
		a.destroy(b)
		freed = true
		return true
	})
	return freed
}

// trimAll gives all unused memory back to the driver.
func (a *allocator) trimAll() (freed bool) {
	for _, p := range a.pools {
		for len(p.kept) > 0 {
			a.dropKept(p)
			freed = true
		}
		freed = a.trim(p, 0) || freed
	}
	return freed
}

// close destroys all blocks, those in use too.
func (a *allocator) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.trimAll()
	for _, p := range a.pools {
		for _, b := range p.blocks {
			a.destroy(b)
		}
	}
	for b := range a.own {
		a.destroy(b)
	}
	a.pools, a.own = nil, nil
}
