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

// A budget keeps the memory of host devices within what the process may use. Past that
// the operating system ends the process, if not at once then when the memory is first
// written to, and the Go runtime does for an allocation that the system refuses. So what
// a device is given counts from then on.
type budget struct {
	system system

	mu     sync.Mutex
	mapped map[*memory]struct{}
	total  uint64 // bytes of mapped
	// The least that total was since the garbage collector was last asked for, and
	// whether it is being asked for.
	low        uint64
	collecting bool
	taking     uint64 // bytes that take has allowed, and that are not in use yet
	// What take allows without another look at the limits, which takes longer than
	// a small allocation, and until when.
	credit uint64
	until  time.Time
}

// shared is the budget of all host devices, which share the process's limits.
var shared = budget{system: system{"/"}}

const (
	// creditTime is for how long limits count as unchanged.
	creditTime = 100 * time.Millisecond
	// creditPart is the part of what is left that may be used meanwhile.
	creditPart = 16
	// spare is what is left to the rest of the process, but for small limits, of which
	// it is a part.
	spare     = 32 << 20
	sparePart = 8
	// tables is the part of memory that the system uses besides, to find it.
	tables = 256
)

// take allows size bytes to be allocated, as memory that is mapped or as Go memory. What
// it has allowed must be told by mapPages or taken.
func (b *budget) take(size uint64, mapped bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size > b.credit || time.Now().After(b.until) {
		left, full := b.left(size, mapped)
		if full != nil {
			// What the Go heap has and does not need helps when the system has it.
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

// left returns how many bytes may be allocated, at least if they are fewer than size, and
// the limit that is the closest then.
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
			r.free += free + released // whose addresses Go's heap has
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

// forBuffers returns what a limit leaves to buffers if it does not know yet of memory that
// they were promised.
func (r *room) forBuffers(promised uint64) uint64 {
	promised += promised/tables + min(spare, r.limit/sparePart) + r.keep
	if promised >= r.free {
		return 0
	}
	n := r.free - promised
	return n - n/tables
}

// taken tells that memory is in use.
func (b *budget) taken(size uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taking -= size
}

// mapPages maps the memory.
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

// collectFrom is how many bytes are mapped before the garbage collector is asked for.
const collectFrom = 256 << 20

// collect has the garbage collector look for forgotten buffers when there is twice as
// much memory as it left: it does not see how large they are.
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

// forget notes that memory is not mapped any more, and reports whether it was.
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

// unmapAll frees what is left of a device's memory.
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

// limit returns how many bytes devices can have at the most.
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

// unknown is taken to be the memory of a system that does not say: 16 GiB, or 1 GiB where
// addresses have 32 bits.
const unknown = 1 << (30 + 4*(^uint(0)>>63))

// touched returns how many bytes of the pages take memory: those that have been written to, and
// those that have been read if the kernel does not give them the shared page of zeros.
// It returns 0 if the system does not say.
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
