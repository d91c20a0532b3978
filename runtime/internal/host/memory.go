package host

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// memory stands for device memory. What is large is mapped from the operating system,
// which says no where the Go heap would end the process, and is given back by Free; the
// garbage collector frees the rest.
type memory struct {
	ptr   unsafe.Pointer
	size  uint64
	addr  uint64
	dev   *device
	pages []byte // the mapping, nil for Go memory; guarded by the budget
}

func (m *memory) Size() uint64    { return m.size }
func (m *memory) Address() uint64 { return m.addr }

func (m *memory) Bytes() []byte { return unsafe.Slice((*byte)(m.ptr), m.size) }

// Free gives the memory back. It does nothing for memory that the end of its device has
// freed.
func (m *memory) Free() {
	m.ptr = nil
	if m.dev != nil {
		m.dev.budget.unmap(m)
	}
}

// addresses are never reused, so that a stale one is seen for what it is.
var nextAddress atomic.Uint64

func address(size uint64) uint64 {
	const align = 256
	size = (size + 2*align - 1) &^ (align - 1)
	return 1<<40 + nextAddress.Add(size) - size
}

// mapSize is from how many bytes on memory is mapped. A mapping takes two calls of the
// system and page faults, which are little beside what one does with so much memory.
const mapSize = 1 << 20

// is64 says that addresses have 64 bits. Where they have not, the Go heap lies among
// mappings, and the garbage collector would take a forgotten pointer into one that is
// gone for one into the heap.
const is64 = ^uint(0)>>63 == 1

// canMap says that large memory is mapped. The race detector watches Go memory alone.
const canMap = hasPages && is64 && !raceEnabled

func (d *device) Alloc(size uint64, _ hal.MemoryKind) (hal.Memory, error) {
	if size > d.info.Limits.MaxAllocation {
		return nil, fmt.Errorf("%w: %d bytes, of %d that the process may have", hal.ErrOutOfMemory, size, d.info.Limits.MaxAllocation)
	}
	mapped := canMap && size >= mapSize
	if err := d.budget.take(size, mapped); err != nil {
		return nil, err
	}
	m := &memory{size: size, addr: address(size), dev: d}
	if mapped {
		if err := d.budget.mapPages(m); err != nil {
			return nil, err
		}
		return m, nil
	}
	defer d.budget.taken(size)
	if hasPages && !is64 && size >= mapSize {
		// make ends the process where there are not so many addresses in a row.
		pages, err := mapPages(int(size) + arenaSize)
		if err != nil {
			return nil, fmt.Errorf("%w: %d bytes: %v", hal.ErrOutOfMemory, size, err)
		}
		unmapPages(pages)
	}
	words := make([]uint64, (size+7)/8)
	for i := 0; i < len(words); i += pageSize / 8 {
		words[i] = 0 // now it is in use, and not when there may be no memory left
	}
	m.ptr = unsafe.Pointer(unsafe.SliceData(words))
	return m, nil
}

const (
	pageSize  = 4 << 10 // or more
	arenaSize = 4 << 20 // by which the Go heap grows where addresses have 32 bits
)

// Wrap makes Go memory usable by commands, as it is. It must hold no pointers.
func (d *device) Wrap(p unsafe.Pointer, size uint64) hal.Memory {
	return &memory{ptr: p, size: size, addr: address(size)}
}
