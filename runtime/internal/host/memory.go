package host

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// memory is Go memory that stands for device memory. The garbage collector
// frees it.
type memory struct {
	ptr  unsafe.Pointer
	size uint64
	addr uint64
}

func (m *memory) Size() uint64    { return m.size }
func (m *memory) Address() uint64 { return m.addr }
func (m *memory) Free()           { m.ptr = nil }

func (m *memory) Bytes() []byte { return unsafe.Slice((*byte)(m.ptr), m.size) }

// addresses are never reused, so that a stale one is seen for what it is.
var nextAddress atomic.Uint64

func address(size uint64) uint64 {
	const align = 256
	size = (size + 2*align - 1) &^ (align - 1)
	return 1<<40 + nextAddress.Add(size) - size
}

func (d *device) Alloc(size uint64, _ hal.MemoryKind) (hal.Memory, error) {
	if size > d.info.Limits.MaxAllocation {
		return nil, fmt.Errorf("%w: %d bytes on a machine of %d", hal.ErrOutOfMemory, size, d.info.Limits.MaxAllocation)
	}
	words := make([]uint64, (size+7)/8)
	return &memory{unsafe.Pointer(unsafe.SliceData(words)), size, address(size)}, nil
}

// Wrap makes Go memory usable by commands, as it is. It must hold no pointers.
func (d *device) Wrap(p unsafe.Pointer, size uint64) hal.Memory {
	return &memory{p, size, address(size)}
}
