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

// HostBuffer is a fixed number of elements in host memory, which the device reads and writes itself
// (CUDA calls such memory pinned). The program accesses the elements as a slice, and commands
// access them as a View:
//
//	h, err := runtime.NewHostBuffer[float32](dev, n)
//	copy(h.Slice(), data)
//	ev, err := q.Enqueue(runtime.Copy(x.All(), h.All()))  // returns at once
//	…
//	err = ev.Wait(ctx)                                    // now h.Slice() may be written again.
//
// The device copies directly between a HostBuffer and a Buffer, without help of the CPU. Copies of
// other slices (CopyFrom, CopyTo, Upload, Download) need additional memory of the host. The runtime
// orders copies of a HostBuffer like all other commands, by the memory that they read and write.
// Copies of a HostBuffer can be nodes of graphs, and can be cancelled by WithContext. Some GPUs
// have a separate hardware queue for copies. On these GPUs, copies of 1 MiB and more run at the
// same time as kernels that use other memory. A program can therefore copy the next batch of data
// while the GPU computes the current batch.
//
// The device does not know when the program accesses the slice. Until a command that reads the
// elements has completed, the program must not write to the slice. Until a command that writes the
// elements has completed, the program must neither read nor write the slice. The event of a command
// says when the command has completed. A command sees everything that the program wrote before it
// launched the command.
//
// Kernels may use the View of a HostBuffer like other views. On a GPU, each access to a HostBuffer
// goes over the bus to the host's memory.
type HostBuffer[T any] struct {
	dev *Device
	mem *stream.Memory // nil if the buffer has no elements
	s   []T
}

// NewHostBuffer returns a host buffer of n zero elements. NewHostBuffer returns the same errors as
// NewBuffer. The operating system cannot swap out the memory of a host buffer. Allocating a host
// buffer takes longer than making a slice, for example a fifth of a second for each GiB on a
// machine with a GPU. Programs should therefore allocate host buffers only once, and no larger than
// the copies need.
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
		b.s = make([]T, n) // there are no elements, or elements have the size 0
		return b, nil
	}
	// The garbage collector does not track slices that point to this memory, so mem.Keep must keep
	// the memory allocated.
	mem.Keep()
	if !dev.stream.Enter() {
		return nil, dev.usable()
	}
	defer dev.stream.Leave()
	bytes := mem.HAL().Bytes()
	if !dev.isHost() { // the host device allocates zeroed memory
		clearBytes(bytes)
	}
	b.s = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), n)
	openHostMemory.add(mem, bytes)
	return b, nil
}

// hostRange is the range of addresses of an open host buffer's elements.
type hostRange struct {
	lo, hi uintptr
	mem    *stream.Memory
}

// openHostMemory lists the open host buffers of all devices, by address. A command that copies from
// or to a slice of a host buffer is ordered as if the command used a view of the buffer.
var openHostMemory hostRanges

// hostRanges is a list of ranges in order of addresses, without overlaps.
type hostRanges struct {
	mu  sync.RWMutex
	all []hostRange
}

// firstAfter returns the index of the first range that ends after the address `at`.
func (r *hostRanges) firstAfter(at uintptr) int {
	return sort.Search(len(r.all), func(i int) bool { return r.all[i].hi > at })
}

func (r *hostRanges) add(mem *stream.Memory, bytes []byte) {
	lo := uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	hi := lo + uintptr(len(bytes))
	r.mu.Lock()
	defer r.mu.Unlock()
	// Memory of a closed device may still be in the list, and the same addresses may be allocated
	// for another buffer.
	i, j := r.firstAfter(lo), r.firstAfter(lo)
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

// findMemory returns the memory of an open host buffer that overlaps the slice `bytes`, or nil if
// there is no such buffer.
func (r *hostRanges) findMemory(bytes []byte) *stream.Memory {
	if len(bytes) == 0 {
		return nil
	}
	lo := uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	r.mu.RLock()
	defer r.mu.RUnlock()
	if i := r.firstAfter(lo); i < len(r.all) && r.all[i].lo < lo+uintptr(len(bytes)) {
		return r.all[i].mem
	}
	return nil
}

// clearBytes sets memory to zero. clearBytes uses several goroutines for large memory, because the
// first access to a page takes the longest.
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

// Slice returns the elements, or nil once the buffer or its device is closed. While the buffer is
// open, all calls return the same slice. Once the buffer or the device is closed, the program must
// not use slices that Slice returned before, because their memory may be freed. After Close, Submit
// returns ErrInvalid for a graph with a copy from or to the slice.
func (b *HostBuffer[T]) Slice() []T {
	if b == nil || b.dev.stream.Closed() || b.mem != nil && b.mem.Released() {
		return nil
	}
	return b.s
}

// All returns the view of all elements, for commands. Using the view of a nil or closed buffer is
// an error.
func (b *HostBuffer[T]) All() View[T] {
	if b == nil {
		return View[T]{s: launch.Slice{Len: launch.NoBuffer}}
	}
	return View[T]{s: launch.Slice{Mem: b.mem, Len: len(b.s)}}
}

// Close frees the buffer's memory once all commands that use the buffer have completed. Close
// itself returns at once. Close may be called twice, and after the device was closed. A buffer that
// the program drops without Close keeps its memory until the device is closed.
func (b *HostBuffer[T]) Close() error {
	if b != nil && b.mem != nil {
		openHostMemory.remove(b.mem)
		b.mem.Free()
	}
	return nil
}
