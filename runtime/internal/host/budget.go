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
// memory than its limits allow, the operating system ends the process, at the latest when the
// memory is first written to. The Go runtime ends the process if the system refuses it an
// allocation. So the budget counts all memory of a device as soon as the device allocates it.
type budget struct {
	system system

	mu     sync.Mutex
	mapped map[*memory]struct{}
	total  uint64 // sum of the sizes in the field mapped, in bytes
	// The field low is the least value of the field total since the method collect last ran the
	// garbage collector. The field collecting is true while the method collect runs the garbage
	// collector.
	low        uint64
	collecting bool
	taking     uint64 // number of bytes that the method take has allowed but that are not in use yet
	// The field credit is the number of bytes that the method take allows without checking the
	// limits again. The credit is valid until the time in the field until. Checking takes longer
	// than a small allocation.
	credit uint64
	until  time.Time
}

// The variable shared is the budget of all host devices, which share the process's limits.
var shared = budget{system: system{"/"}}

const (
	// creditTime is the duration for which the budget assumes that limits do not change.
	creditTime = 100 * time.Millisecond
	// creditPart is the number by which the remaining memory is divided to get the credit.
	creditPart = 16
	// The constant spare is the number of bytes that buffers leave free for the rest of the
	// process. If a limit is small, the limit divided by sparePart stays free instead.
	spare     = 32 << 20
	sparePart = 8
	// The constant tables is the number of bytes of memory for which the system needs one byte of
	// page tables.
	tables = 256
)

// take allows an allocation of size bytes, as mapped memory or as Go memory. The caller must then
// call mapPages or the method taken.
func (b *budget) take(size uint64, mapped bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size > b.credit || time.Now().After(b.until) {
		left, full := b.left(size, mapped)
		if full != nil {
			// If the system is short of memory, return the free memory of the Go heap to it.
			if free, _ := heapFree(); free > 0 && left+free >= size {
				debug.FreeOSMemory()
				left, full = b.left(size, mapped)
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
	b.taking += size
	return nil
}

// The method left returns the number of bytes that may still be allocated. If that number is less
// than size, the result full is the tightest limit.
func (b *budget) left(size uint64, mapped bool) (left uint64, full *room) {
	untouched := b.total
	exact := false
	left = ^uint64(0)
	for _, r := range b.system.rooms() {
		promised := uint64(0)
		switch r.sees {
		case seesHeap:
			promised = b.total
		case seesTouched:
			promised = untouched
		}
		if r.sees == seesMapped && !mapped {
			free, released := heapFree()
			r.free += free + released // the Go heap already has these addresses
		}
		n := r.forBuffers(b.taking + promised)
		if n < size && r.sees == seesTouched && !exact {
			exact = true
			for m := range b.mapped {
				untouched -= min(b.system.touched(m.pages), m.size)
			}
			n = r.forBuffers(b.taking + untouched)
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

// forBuffers returns the number of bytes that buffers may use under a limit. The limit does not yet
// count promised bytes, which are allowed but not allocated.
func (r *room) forBuffers(promised uint64) uint64 {
	promised += promised/tables + min(spare, r.limit/sparePart) + r.keep
	if promised >= r.free {
		return 0
	}
	n := r.free - promised
	return n - n/tables
}

// The method taken records that memory which the method take allowed is now in use.
func (b *budget) taken(size uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taking -= size
}

// mapPages maps the memory m from the operating system.
func (b *budget) mapPages(m *memory) error {
	defer b.taken(m.size)
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
	b.collect()
	return nil
}

// collectFrom is the number of mapped bytes below which the method collect does nothing.
const collectFrom = 256 << 20

// collect starts a run of the garbage collector, to find forgotten buffers, if the mapped memory is
// twice as large as after the last run. The collector does not see how large mapped buffers are.
func (b *budget) collect() {
	if b.collecting || b.total <= 2*b.low+collectFrom {
		return
	}
	b.collecting, b.low = true, b.total
	go func() {
		runtime.GC()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.collecting = false
	}()
}

// forget removes m from the mapped memory. The method forget reports whether m was mapped.
func (b *budget) forget(m *memory) bool {
	_, mapped := b.mapped[m]
	if mapped {
		delete(b.mapped, m)
		b.total -= m.size
		b.low = min(b.low, b.total)
	}
	return mapped
}

// unmap frees the memory if it is mapped.
func (b *budget) unmap(m *memory) {
	b.mu.Lock()
	mapped := b.forget(m)
	b.mu.Unlock()
	if mapped {
		unmapPages(m.pages)
	}
}

// unmapAll frees the memory of a device that is still mapped.
func (b *budget) unmapAll(d *device) {
	var list []*memory
	b.mu.Lock()
	for m := range b.mapped {
		if m.dev == d {
			list = append(list, m)
			b.forget(m)
		}
	}
	b.mu.Unlock()
	for _, m := range list {
		unmapPages(m.pages)
	}
}

// The method limit returns the largest number of bytes that all devices together can have.
func (b *budget) limit() uint64 {
	limit := uint64(unknown)
	for i, r := range b.system.rooms() {
		if i == 0 {
			limit = ^uint64(0)
		}
		limit = min(limit, r.limit)
	}
	return min(limit, uint64(^uint(0)>>1))
}

// The constant unknown is the assumed memory size of a system that does not report its memory. The
// size is 16 GiB, or 1 GiB if addresses have 32 bits.
const unknown = 1 << (30 + 4*(^uint(0)>>63))

// The method touched returns the total size, in bytes, of the pages that use physical memory. Pages
// that have been written to use physical memory. If the kernel does not use a shared page of zeros,
// pages that have been read count, too.
func (s system) touched(pages []byte) uint64 {
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
