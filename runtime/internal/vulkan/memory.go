//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// This file allocates the memory of a Vulkan device. Small allocations share blocks, and each large
// allocation has a block of its own.

const (
	firstBlock = 64 << 20
	lastBlock  = 256 << 20
	// An allocation larger than dedicatedSize, in bytes, gets its own block.
	dedicatedSize = 32 << 20

	bufferUsage = vkx.BufferUsageTransferSrcBit | vkx.BufferUsageTransferDstBit | vkx.BufferUsageStorageBufferBit |
		vkx.BufferUsageShaderDeviceAddressBit
)

// typeSet contains the memory types that the backend uses.
type typeSet struct {
	device int // memory type for kernels
	host   int // memory type for host and device, cached by the host
	upload int // memory type for memory that the host writes and kernels read
	// hostSpeed says that the host accesses device memory as fast as its own memory.
	hostSpeed bool
}

// memoryTypes chooses the memory types for the backend among the types in mask.
func memoryTypes(p *vkx.PhysicalDeviceInfo, mask uint32) (typeSet, bool) {
	const (
		local    = vkx.MemoryPropertyDeviceLocalBit
		visible  = vkx.MemoryPropertyHostVisibleBit | vkx.MemoryPropertyHostCoherentBit
		cached   = vkx.MemoryPropertyHostCachedBit
		ordinary = local | visible | cached
	)
	// The function `pick` returns a type that has all flags of `want`, and as few other flags as
	// possible. The function never returns types with special rules (protected, lazily allocated,
	// uncached).
	pick := func(want vkx.MemoryPropertyFlags) int {
		best, extra := -1, 0
		for i, t := range p.MemoryTypes {
			if mask>>i&1 == 0 || t.Flags&^ordinary != 0 || t.Flags&want != want {
				continue
			}
			n := 0
			for _, f := range []vkx.MemoryPropertyFlags{local, vkx.MemoryPropertyHostVisibleBit, cached} {
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
	if p.DeviceType != vkx.PhysicalDeviceTypeDiscreteGpu {
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

// A block is one allocation of device memory, with one buffer that covers it.
type block struct {
	buffer    vkx.Buffer
	memory    vkx.DeviceMemory
	addr      uint64 // address of the buffer's first usable byte, a multiple of granule
	pad       uint64 // offset of the first usable byte in the buffer
	size      uint64 // number of usable bytes
	allocated uint64 // size of the allocation, in bytes
	ptr       unsafe.Pointer
	arena     *arena      // division of the block into chunks; nil for a dedicated block
	host      []byte      // imported memory of the host, or nil
	pin       pinner      // keeps the field `host` in place
	exported  bool        // CUDA contexts can import the memory
	viewed    atomic.Bool // a CUDA context may have imported the memory
}

// A pool allocates memory of one memory type.
type pool struct {
	kind     int
	mapped   bool
	exported bool // CUDA contexts can import the memory
	heap     uint64
	next     uint64 // size of the next block, in bytes
	blocks   []*block
	// Dedicated blocks that are free, oldest first. They are kept because an allocation takes 0.5
	// ms on a GPU, and 17 ms more for each GiB.
	kept      []*block
	keptBytes uint64
	keepLimit uint64
}

// The type `allocator` allocates a device's memory.
//
// The allocator does not hold the mutex `mu` while it calls the driver. The allocator also does not
// hold the mutex `mu` while it calls the queue, which frees memory itself. So the allocator makes and
// destroys blocks without mu. The allocator holds the mutex `grow` while it makes a block. Several
// goroutines that need memory then share the new block. Free never locks the mutex `grow`.
type allocator struct {
	d         *device
	grow      sync.Mutex // held while a block is made; locked before mu
	mu        sync.Mutex
	pools     map[int]*pool
	types     typeSet
	own       map[*block]struct{} // dedicated blocks in use
	misplaced bool                // the driver's alignment is less than granule; guarded by the mutex `grow`
	live      int                 // number of memories that have not been freed
	count     int                 // number of blocks
	bytes     uint64              // size of all blocks, in bytes
	limit     uint64              // largest allowed value of the field `bytes`, for tests; 0 for no limit
}

// memory implements hal.Memory.
type memory struct {
	d     *device
	pool  *pool
	block *block
	chunk *chunk // chunk of the block; nil for a dedicated block
	off   uint64 // offset in the block's buffer
	size  uint64
	addr  uint64
	data  []byte
	freed bool
}

func (m *memory) Size() uint64    { return m.size }
func (m *memory) Address() uint64 { return m.addr }
func (m *memory) Bytes() []byte   { return m.data }

// Free frees the memory. If Free was called before, or the device is closed, Free does nothing. A
// lost device keeps the memory until the device is closed.
func (m *memory) Free() {
	a := &m.d.mem
	a.destroy(a.release(m))
}

// The method `release` frees the memory's chunk, and returns the blocks that the caller must
// destroy.
func (a *allocator) release(m *memory) []*block {
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.freed {
		return nil
	}
	m.freed, m.data = true, nil
	if a.pools == nil || m.d.lost.Load() != nil {
		return nil
	}
	a.live--
	p := m.pool
	if m.chunk == nil {
		delete(a.own, m.block)
		if m.block.host != nil {
			return []*block{m.block}
		}
		p.keptBytes += m.block.size
		p.kept = append(p.kept, m.block)
		return p.dropKept(p.keepLimit)
	}
	m.block.arena.release(m.chunk)
	if m.block.arena.used == 0 {
		return p.trim(1)
	}
	return nil
}

// init asks the device which memory types buffers can use.
func (a *allocator) init(d *device) error {
	a.d = d
	b, r := d.vk.CreateBuffer(granule, bufferUsage)
	if err := check("vkCreateBuffer", r); err != nil {
		return err
	}
	mask := d.vk.BufferRequirements(b).Types
	d.vk.DestroyBuffer(b)
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
		p.exported = d.peer.exports && kind == types.device
		if !types.hostSpeed {
			p.keepLimit = heap / 16
		}
		a.pools[kind] = p
	}
	return nil
}

// Alloc allocates memory, whose contents are unspecified.
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
	if err := a.d.lostErr(); err != nil {
		return nil, err
	}
	p := a.pool(kind)
	if p == nil {
		return nil, errClosed
	}
	if size > p.heap {
		return nil, fmt.Errorf("vulkan: %d bytes from a heap of %d: %w", size, p.heap, hal.ErrOutOfMemory)
	}
	rounded := max(granule, (size+granule-1)&^(granule-1))
	m := a.takeFromBlocks(p, rounded)
	if m == nil {
		var err error
		if m, err = a.enlarge(p, rounded); err != nil {
			return nil, err
		}
	}
	m.d, m.pool, m.size = a.d, p, size
	m.addr = m.block.addr + m.off - m.block.pad
	if p.mapped {
		m.data = unsafe.Slice((*byte)(unsafe.Add(m.block.ptr, m.off)), size)
	}
	return m, nil
}

// The method `pool` returns the pool of a memory type, or nil if the device is closed.
func (a *allocator) pool(kind int) *pool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pools[kind]
}

// `dedicated` reports whether memory of the given size gets a block of its own.
func (p *pool) dedicated(size uint64) bool { return size > dedicatedSize || size > p.next }

// takeFromBlocks returns memory in existing blocks, or nil if these blocks have too little free
// memory.
func (a *allocator) takeFromBlocks(p *pool, size uint64) *memory {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pools == nil {
		return nil
	}
	if p.dedicated(size) {
		for i, b := range p.kept {
			if b.size >= size && b.size-size <= size/4 {
				p.kept = slices.Delete(p.kept, i, i+1)
				p.keptBytes -= b.size
				a.own[b] = struct{}{}
				a.live++
				return &memory{block: b, off: b.pad}
			}
		}
		return nil
	}
	for _, b := range p.blocks {
		if c := b.arena.alloc(size); c != nil {
			a.live++
			return &memory{block: b, chunk: c, off: b.pad + c.off}
		}
	}
	return nil
}

// The method `enlarge` makes a block for memory of the given size, unless another block has enough
// free memory.
func (a *allocator) enlarge(p *pool, size uint64) (*memory, error) {
	a.grow.Lock()
	defer a.grow.Unlock()
	if m := a.takeFromBlocks(p, size); m != nil {
		return m, nil // another goroutine has made a block in the meantime
	}
	b, err := a.blockFor(p, size)
	if err != nil {
		if unused := a.unused(); len(unused) > 0 {
			a.destroy(unused)
			b, err = a.blockFor(p, size)
		}
	}
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	if a.pools == nil {
		a.mu.Unlock()
		a.destroy([]*block{b})
		return nil, errClosed
	}
	defer a.mu.Unlock()
	a.live++
	if b.arena == nil {
		a.own[b] = struct{}{}
		return &memory{block: b, off: b.pad}, nil
	}
	p.next = max(p.next, min(2*p.next, lastBlock, p.heap/32))
	p.blocks = append(p.blocks, b)
	c := b.arena.alloc(size)
	return &memory{block: b, chunk: c, off: b.pad + c.off}, nil
}

// blockFor makes a dedicated or a shared block for memory of the given size. A shared block is
// smaller than usual if the device has too little memory.
func (a *allocator) blockFor(p *pool, size uint64) (*block, error) {
	if p.dedicated(size) {
		return a.newBlock(p, size)
	}
	b, err := a.newBlock(p, p.next)
	for n := p.next / 2; err != nil && n >= max(size, 1<<20); n /= 2 {
		b, err = a.newBlock(p, n)
	}
	if err != nil {
		return nil, err
	}
	b.arena = newArena(b.size)
	return b, nil
}

// newBlock makes a block with at least size usable bytes.
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
		a.destroy([]*block{b})
		a.misplaced = true
	}
}

func (a *allocator) tryBlock(p *pool, size uint64) (_ *block, err error) {
	if limit := a.d.phys.MaxBufferSize; limit != 0 && size > limit || size > p.heap {
		return nil, fmt.Errorf("vulkan: a buffer of %d bytes is larger than the device allows: %w", size, hal.ErrOutOfMemory)
	}
	b := &block{exported: p.exported}
	a.mu.Lock()
	a.count++
	a.mu.Unlock()
	defer func() {
		if err != nil {
			a.destroy([]*block{b})
		}
	}()
	v := a.d.vk
	var r vkx.Result
	create, allocate := v.CreateBuffer, v.AllocateMemory
	if b.exported {
		create, allocate = v.CreateExportedBuffer, v.AllocateExportedMemory
	}
	if b.buffer, r = create(size, bufferUsage); r < 0 {
		return nil, a.d.check("vkCreateBuffer", r)
	}
	need := v.BufferRequirements(b.buffer)
	if need.Size > p.heap || !a.reserve(need.Size) {
		return nil, fmt.Errorf("vulkan: %d bytes from a heap of %d: %w", need.Size, p.heap, hal.ErrOutOfMemory)
	}
	b.allocated = need.Size
	// On an H200, a dedicated allocation of 1 GiB takes 1.5 ms, and an allocation that is not
	// dedicated takes 44 ms.
	var owner vkx.Buffer
	if p.kind == a.types.device {
		owner = b.buffer
	}
	if b.memory, r = allocate(need.Size, p.kind, owner); r < 0 {
		return nil, a.d.check("vkAllocateMemory", r)
	}
	if r = v.BindBuffer(b.buffer, b.memory); r < 0 {
		return nil, a.d.check("vkBindBufferMemory", r)
	}
	if p.mapped {
		if b.ptr, r = v.MapMemory(b.memory); r < 0 {
			return nil, a.d.check("vkMapMemory", r)
		}
	}
	addr := v.BufferAddress(b.buffer)
	b.addr = (addr + granule - 1) &^ (granule - 1)
	b.pad = b.addr - addr
	b.size = size - min(b.pad, size)
	return b, nil
}

// The method `reserve` adds n to the total size of all blocks, unless that would exceed the limit.
// The method `reserve` reports whether it added n.
func (a *allocator) reserve(n uint64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limit != 0 && a.bytes+n > a.limit {
		return false
	}
	a.bytes += n
	return true
}

// The method `destroy` returns blocks to the driver. The caller may hold the mutex `grow`, but no
// other lock of the allocator.
func (a *allocator) destroy(blocks []*block) {
	if len(blocks) == 0 {
		return
	}
	a.d.gone.Add(1)
	for _, b := range blocks {
		b.forget()
		a.d.vk.DestroyBuffer(b.buffer)
		a.d.vk.FreeMemory(b.memory)
		b.unpin()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range blocks {
		a.count--
		a.bytes -= b.allocated
	}
}

// dropKept removes the oldest kept blocks until at most limit bytes are kept, and returns the
// removed blocks.
func (p *pool) dropKept(limit uint64) (out []*block) {
	for p.keptBytes > limit {
		out = append(out, p.kept[0])
		p.keptBytes -= p.kept[0].size
		p.kept = slices.Delete(p.kept, 0, 1)
	}
	return out
}

// The method `trim` removes empty blocks of the pool, and returns the removed blocks. The parameter
// `keep` is the number of empty blocks that stay in the pool.
func (p *pool) trim(keep int) (out []*block) {
	p.blocks = slices.DeleteFunc(p.blocks, func(b *block) bool {
		if b.arena.used > 0 {
			return false
		}
		if keep > 0 {
			keep--
			return false
		}
		out = append(out, b)
		return true
	})
	return out
}

// The method `unused` removes all blocks that contain no memory, and returns these blocks.
func (a *allocator) unused() (out []*block) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.pools {
		out = append(out, p.dropKept(0)...)
		out = append(out, p.trim(0)...)
	}
	return out
}

// The method `close` destroys all blocks, including those in use.
func (a *allocator) close() {
	out := a.unused()
	a.mu.Lock()
	for _, p := range a.pools {
		out = append(out, p.blocks...)
	}
	for b := range a.own {
		out = append(out, b)
	}
	a.pools, a.own = nil, nil
	a.mu.Unlock()
	a.destroy(out)
}
