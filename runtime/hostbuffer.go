package runtime

import (
	"reflect"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// HostBuffer is a fixed number of elements in memory of the host that the device reads and
// writes itself (CUDA calls such memory pinned). The program has the elements as a slice, and
// commands have them as a View:
//
//	h, err := runtime.NewHostBuffer[float32](dev, n)
//	copy(h.Slice(), data)
//	ev, err := q.Enqueue(runtime.Copy(x.All(), h.All()))  // returns at once
//	…
//	err = ev.Wait(ctx)                                    // now h.Slice() may be written again
//
// Copies between a HostBuffer and a Buffer take no detour through other memory of the host, as
// those of any slice do (CopyFrom, CopyTo, Upload, Download), and the processor has no part in
// them. They are commands like all others: ordered by what they read and write, nodes of graphs,
// and ended by the contexts of WithContext. On a GPU with a queue for copies alone, those of 1 MiB and
// more run beside kernels that use other memory: copy the next batch while this one is computed.
//
// The device does not know what the program does with the slice. While a command that reads the
// elements has not completed, the program must not write them, and while one that writes them has
// not completed, it must neither read nor write them: wait for the command's event. A command that
// is launched later sees what the program wrote before.
//
// Kernels may use the View as any other. On a GPU each access then goes to the host, at the
// bus's speed.
type HostBuffer[T any] struct {
	dev *Device
	mem *stream.Memory // nil if empty
	s   []T
}

// NewHostBuffer returns a host buffer of n zero elements. Its errors are those of NewBuffer. The
// operating system cannot use such memory for anything else, and making it takes longer than
// making a slice does (a fifth of a second for each GiB on one machine with a GPU): make it once,
// and as much as copies need.
func NewHostBuffer[T any](dev *Device, n int) (*HostBuffer[T], error) {
	if err := dev.usable(); err != nil {
		return nil, err
	}
	mem, err := dev.allocFor(reflect.TypeFor[T](), n, hal.HostMemory)
	if err != nil {
		return nil, err
	}
	b := &HostBuffer[T]{dev: dev, mem: mem}
	if mem == nil {
		b.s = make([]T, n) // elements without a size
		return b, nil
	}
	// The garbage collector does not see that a slice is of this memory.
	mem.Keep()
	if !dev.stream.Enter() {
		return nil, dev.usable()
	}
	defer dev.stream.Leave()
	bytes := mem.HAL().Bytes()
	if !dev.direct() { // the host device's is zero
		clearBytes(bytes)
	}
	b.s = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), n)
	openHostMemory.add(mem, bytes)
	return b, nil
}

// hostRange is the addresses of an open host buffer's elements.
type hostRange struct {
	lo, hi uintptr
	mem    *stream.Memory
}

// openHostMemory has the open host buffers of all devices, by address: commands that copy from and
// to a slice of such a buffer depend on it as those do that have a view of it.
var openHostMemory hostRanges

// hostRanges is a list in order of addresses, without overlaps.
type hostRanges struct {
	mu  sync.RWMutex
	all []hostRange
}

// from returns the place of the first range that ends after an address.
func (r *hostRanges) from(at uintptr) int {
	return sort.Search(len(r.all), func(i int) bool { return r.all[i].hi > at })
}

func (r *hostRanges) add(mem *stream.Memory, bytes []byte) {
	lo := uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	hi := lo + uintptr(len(bytes))
	r.mu.Lock()
	defer r.mu.Unlock()
	// Memory that went with its device is still there, and may be given to another buffer.
	i, j := r.from(lo), r.from(lo)
	for j < len(r.all) && r.all[j].lo < hi {
		j++
	}
	r.all = slices.Replace(r.all, i, j, hostRange{lo, hi, mem})
}

func (r *hostRanges) remove(mem *stream.Memory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = slices.DeleteFunc(r.all, func(h hostRange) bool { return h.mem == mem })
}

// find returns the memory of the open buffer that has a part of bytes, or nil.
func (r *hostRanges) find(bytes []byte) *stream.Memory {
	if len(bytes) == 0 {
		return nil
	}
	lo := uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	r.mu.RLock()
	defer r.mu.RUnlock()
	if i := r.from(lo); i < len(r.all) && r.all[i].lo < lo+uintptr(len(bytes)) {
		return r.all[i].mem
	}
	return nil
}

// clearBytes clears memory, with several goroutines where there is much: the first access to a
// page takes the longest.
func clearBytes(b []byte) {
	const piece = 4 << 20
	var wg sync.WaitGroup
	for n := min(8, len(b)/piece); n > 1; n-- {
		part := b[:len(b)/n]
		b = b[len(part):]
		wg.Go(func() { clear(part) })
	}
	clear(b)
	wg.Wait()
}

// Device returns the buffer's device.
func (b *HostBuffer[T]) Device() *Device {
	if b == nil {
		return nil
	}
	return b.dev
}

// Len returns the number of elements.
func (b *HostBuffer[T]) Len() int {
	if b == nil {
		return 0
	}
	return len(b.s)
}

// Slice returns the elements, always the same memory, or nil once the buffer or its device is
// closed. From then on a slice that was returned before must not be used: its memory may be gone.
// A graph with a copy from or to the slice is submitted only while the buffer is open (ErrInvalid).
func (b *HostBuffer[T]) Slice() []T {
	if b == nil || b.dev.stream.Closed() || b.mem != nil && b.mem.Released() {
		return nil
	}
	return b.s
}

// All returns the view of all elements, for commands. Using that of a nil buffer is an error, as
// that of a closed one is.
func (b *HostBuffer[T]) All() View[T] {
	if b == nil {
		return View[T]{s: launch.Slice{Len: launch.NoBuffer}}
	}
	return View[T]{s: launch.Slice{Mem: b.mem, Len: len(b.s)}}
}

// Close frees the buffer's memory when the commands that use it have completed; it does not wait
// for them. A buffer that is forgotten without Close keeps its memory until its device is closed.
// Close may be called twice, and after the device was closed.
func (b *HostBuffer[T]) Close() error {
	if b != nil && b.mem != nil {
		openHostMemory.remove(b.mem)
		b.mem.Free()
	}
	return nil
}
