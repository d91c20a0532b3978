package host

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// A budget keeps the memory of host devices below the limits of the process. If a process uses more
// memory than its limits allow, the operating system ends the process. This happens at the latest
// when the process first writes to the memory. If the system refuses an allocation of the Go
// runtime, the Go runtime ends the process. The budget therefore counts all memory of a device as
// soon as the device allocates the memory.
type memoryBudget struct {
	system limitReader

	mu     sync.Mutex
	mapped map[*memory]struct{}
	total  uint64 // total size of the mapped memory, in bytes
	// leastTotal is the least value of the field `total` since collectGarbage last ran the garbage
	// collector. While collectGarbage runs the garbage collector, `collecting` is true.
	leastTotal    uint64
	collecting    bool
	promisedBytes uint64 // number of bytes that takeBytes has allowed, but that are not in use yet
	// credit is the number of bytes that takeBytes allows without checking the limits again,
	// because checking takes longer than a small allocation. The credit expires after creditTime.
	credit uint64
	until  time.Time
}

// sharedBudget is the budget of all host devices, which share the process's limits.
var sharedBudget = memoryBudget{system: limitReader{"/"}}

const (
	// creditTime is the duration for which the budget assumes that limits do not change.
	creditTime = 100 * time.Millisecond
	// creditPart is the quotient of the remaining memory and the credit.
	creditPart = 16
	// spareBytes is the number of bytes that buffers leave free for the rest of the process. If a
	// limit is small, buffers leave only 1/sparePart of the limit free.
	spareBytes = 32 << 20
	sparePart  = 8
	// bytesPerTableByte is the number of bytes of memory that one byte of the page tables
	// describes.
	bytesPerTableByte = 256
)

// takeBytes returns nil if the process may allocate `size` more bytes, as mapped memory or as Go
// memory. If takeBytes returns nil, the caller must call mapPages or markTaken.
func (b *memoryBudget) takeBytes(size uint64, mapped bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size > b.credit || time.Now().After(b.until) {
		left, full := b.bytesLeft(size, mapped)
		if full != nil {
			// Return the free memory of the Go heap to the system, if this memory is enough for the
			// allocation.
			if free, _ := heapFree(); free > 0 && left+free >= size {
				debug.FreeOSMemory()
				left, full = b.bytesLeft(size, mapped)
			}
		}
		if full != nil {
			b.credit = 0
			return fmt.Errorf("%w: %d bytes; %s has %d in all, of which %d are free for buffers", hal.ErrOutOfMemory, size, full.what, full.limit, left)
		}
		b.credit = size + (left-size)/creditPart
		b.until = time.Now().Add(creditTime)
	}
	b.credit -= size
	b.promisedBytes += size
	return nil
}

// bytesLeft returns the number of bytes that may still be allocated. If fewer than `size` bytes are
// left, bytesLeft also returns the strictest limit.
func (b *memoryBudget) bytesLeft(size uint64, mapped bool) (left uint64, full *memoryLimit) {
	untouched := b.total
	exact := false
	left = ^uint64(0)
	for _, r := range b.system.allLimits() {
		promised := uint64(0)
		switch r.sees {
		case seesHeap:
			promised = b.total
		case seesTouched:
			promised = untouched
		}
		if r.sees == seesMapped && !mapped {
			free, released := heapFree()
			r.free += free + released // the Go heap already has address space of this size
		}
		n := r.forBuffers(b.promisedBytes + promised)
		if n < size && r.sees == seesTouched && !exact {
			exact = true
			for m := range b.mapped {
				untouched -= min(b.system.touchedBytes(m.pages), m.size)
			}
			n = r.forBuffers(b.promisedBytes + untouched)
		}
		if n < left {
			left = n
			if n < size {
				full = &r
			}
		}
	}
	return left, full
}

// forBuffers returns the number of bytes that buffers may still use under a limit. The argument
// `promised` is the number of bytes that are already allowed, but not yet subtracted from r.free.
func (r *memoryLimit) forBuffers(promised uint64) uint64 {
	promised += promised/bytesPerTableByte + min(spareBytes, r.limit/sparePart) + r.keptFree
	if promised >= r.free {
		return 0
	}
	n := r.free - promised
	return n - n/bytesPerTableByte
}

// markTaken records that `size` bytes are now in use. Before the call, takeBytes must have allowed
// these bytes.
func (b *memoryBudget) markTaken(size uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.promisedBytes -= size
}

// mapPages allocates the memory m as pages from the operating system.
func (b *memoryBudget) mapPages(m *memory) error {
	defer b.markTaken(m.size)
	pages, err := mapPages(int(m.size))
	if err != nil {
		return fmt.Errorf("%w: %d bytes: %w", hal.ErrOutOfMemory, m.size, err)
	}
	m.pages, m.ptr = pages, unsafe.Pointer(unsafe.SliceData(pages))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mapped == nil {
		b.mapped = map[*memory]struct{}{}
	}
	b.mapped[m] = struct{}{}
	b.total += m.size
	b.collectGarbage()
	return nil
}

// collectFrom is the number of mapped bytes below which collectGarbage does nothing.
const collectFrom = 256 << 20

// collectGarbage starts the garbage collector if the mapped memory is twice as large as after the
// last run. The garbage collector frees buffers that the program has dropped without Close. The Go
// runtime does not start the garbage collector early enough, because the Go runtime does not count
// mapped memory.
func (b *memoryBudget) collectGarbage() {
	if b.collecting || b.total <= 2*b.leastTotal+collectFrom {
		return
	}
	b.collecting, b.leastTotal = true, b.total
	go func() {
		runtime.GC()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.collecting = false
	}()
}

// forgetMapped removes m from the list of mapped memory, and reports whether m was in the list.
func (b *memoryBudget) forgetMapped(m *memory) bool {
	_, mapped := b.mapped[m]
	if mapped {
		delete(b.mapped, m)
		b.total -= m.size
		b.leastTotal = min(b.leastTotal, b.total)
	}
	return mapped
}

// unmapMemory frees the memory m, unless m is Go memory or has been freed already.
func (b *memoryBudget) unmapMemory(m *memory) {
	b.mu.Lock()
	mapped := b.forgetMapped(m)
	b.mu.Unlock()
	if mapped {
		unmapPages(m.pages)
	}
}

// unmapAll frees all memory that is still mapped for a device.
func (b *memoryBudget) unmapAll(d *device) {
	var list []*memory
	b.mu.Lock()
	for m := range b.mapped {
		if m.dev == d {
			list = append(list, m)
			b.forgetMapped(m)
		}
	}
	b.mu.Unlock()
	for _, m := range list {
		unmapPages(m.pages)
	}
}

// totalLimit returns the largest number of bytes that all host devices together can allocate.
func (b *memoryBudget) totalLimit() uint64 {
	limit := uint64(assumedMemory)
	for i, r := range b.system.allLimits() {
		if i == 0 {
			limit = ^uint64(0)
		}
		limit = min(limit, r.limit)
	}
	return min(limit, uint64(^uint(0)>>1))
}

// assumedMemory is the assumed memory size, in bytes, of a system that does not report its memory.
// The assumed size is 16 GiB, or 1 GiB if addresses have 32 bits.
const assumedMemory = 1 << (30 + 4*(^uint(0)>>63))

// touchedBytes returns the total size, in bytes, of the pages that use physical memory. Pages use
// physical memory after they have been written to. If the operating system has no shared page
// of zeros, pages that were only read use physical memory, too.
func (s limitReader) touchedBytes(pages []byte) uint64 {
	f, err := os.Open(s.path("/proc/self/pagemap"))
	if err != nil {
		return 0
	}
	defer f.Close()
	const (
		entry    = 8
		present  = 1 << 63
		swapped  = 1 << 62
		unshared = 1 << 56
	)
	size := uint64(os.Getpagesize())
	at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(pages)))) / size * entry
	var touched uint64
	buf := make([]byte, 64<<10)
	for n := uint64(len(pages)) / size * entry; n > 0; {
		b := buf[:min(n, uint64(len(buf)))]
		if _, err := f.ReadAt(b, int64(at)); err != nil {
			return touched
		}
		for i := 0; i < len(b); i += entry {
			if e := binary.NativeEndian.Uint64(b[i:]); e&swapped != 0 || e&present != 0 && e&unshared != 0 {
				touched += size
			}
		}
		n -= uint64(len(b))
		at += uint64(len(b))
	}
	return touched
}
