package host

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// A memory is device memory. Large memory is mapped from the operating system, and Free unmaps it. If
// memory is short, the system refuses a mapping, while an allocation on the Go heap would end the
// process. The garbage collector frees memory that is not mapped.
type memory struct {
	ptr   unsafe.Pointer
	size  uint64
	addr  uint64
	dev   *device
	pages []byte // pages of the mapping, or nil for Go memory; guarded by the budget
}

func (m *memory) Size() uint64    { return m.size }
func (m *memory) Address() uint64 { return m.addr }

func (m *memory) Bytes() []byte { return unsafe.Slice((*byte)(m.ptr), m.size) }

// Free frees the memory. Free does nothing if the device is closed and has freed the memory.
func (m *memory) Free() {
	m.ptr = nil
	if m.dev != nil {
		m.dev.budget.unmapMemory(m)
	}
}

// Addresses are never reused, so a kernel that uses the address of freed memory is detected.
var nextAddress atomic.Uint64

func address(size uint64) uint64 {
	const align = 256
	size = (size + 2*align - 1) &^ (align - 1)
	return 1<<40 + nextAddress.Add(size) - size
}

// mapSize is the least size of mapped memory. A mapping costs two system calls and page faults. The
// use of so much memory costs far more.
const mapSize = 1 << 20

// is64 says that addresses have 64 bits. If addresses have 32 bits, the Go heap may use the
// addresses of former mappings. The garbage collector would then treat a forgotten pointer into a
// former mapping as a pointer into the heap.
const is64 = ^uint(0)>>63 == 1

// canMap says that large memory is mapped. The race detector watches only Go memory.
const canMap = hasPages && is64 && !raceEnabled

func (d *device) Alloc(size uint64, _ hal.MemoryKind) (hal.Memory, error) {
	if size > d.info.Limits.MaxAllocation {
		return nil, fmt.Errorf("%w: %d bytes, of %d that the process may have", hal.ErrOutOfMemory, size, d.info.Limits.MaxAllocation)
	}
	mapped := canMap && size >= mapSize
	if err := d.budget.takeBytes(size, mapped); err != nil {
		return nil, err
	}
	m := &memory{size: size, addr: address(size), dev: d}
	if mapped {
		if err := d.budget.mapPages(m); err != nil {
			return nil, err
		}
		return m, nil
	}
	defer d.budget.markTaken(size)
	if hasPages && !is64 && size >= mapSize {
		// The built-in function `make` would end the process if there are too few consecutive
		// addresses.
		pages, err := mapPages(int(size) + arenaSize)
		if err != nil {
			return nil, fmt.Errorf("%w: %d bytes: %v", hal.ErrOutOfMemory, size, err)
		}
		unmapPages(pages)
	}
	words := make([]uint64, (size+7)/8)
	for i := 0; i < len(words); i += pageSize / 8 {
		words[i] = 0 // the write makes the system provide the page now, not later when memory may be short
	}
	m.ptr = unsafe.Pointer(unsafe.SliceData(words))
	return m, nil
}

const (
	pageSize  = 4 << 10 // smallest size of pages
	arenaSize = 4 << 20 // growth step of the Go heap if addresses have 32 bits
)

// Wrap makes Go memory usable by commands without copying it. The memory must contain no pointers.
func (d *device) Wrap(p unsafe.Pointer, size uint64) hal.Memory {
	return &memory{ptr: p, size: size, addr: address(size)}
}
