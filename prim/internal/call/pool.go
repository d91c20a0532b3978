package call

import (
	"context"
	"sync"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// The type `buffer` is scratch memory. Its users convert it to elements of other types.
type buffer = runtime.Buffer[[2]uint64]

// The type `pool` contains the free scratch memory of a device.
type pool struct {
	mu    sync.Mutex
	free  []*buffer
	queue *runtime.Queue // queue for functions on slices
}

// mostBuffers is the largest number of buffers that a pool keeps.
const mostBuffers = 8

type poolKey struct{}

// poolOf returns the device's pool.
func poolOf(dev *runtime.Device) *pool {
	return primimpl.Attached(dev, poolKey{}, func() any { return &pool{queue: dev.NewQueue()} }).(*pool)
}

// takeBuffer returns a buffer that has at least the given number of bytes. If the pool has such
// buffers, takeBuffer returns the smallest of them. Otherwise it returns a new buffer.
func (p *pool) takeBuffer(bytes int) (*buffer, error) {
	n := (bytes + align - 1) / align
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, b := range p.free {
		if b.Len() >= n && (best < 0 || b.Len() < p.free[best].Len()) {
			best = i
		}
	}
	if best < 0 {
		size := 256
		for size < n {
			size *= 2
		}
		return runtime.NewBuffer[[2]uint64](p.queue.Device(), size)
	}
	b := p.free[best]
	p.free[best] = p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return b, nil
}

// giveBack puts a buffer back into the pool. If the pool has too many buffers, giveBack closes the
// smallest buffer.
func (p *pool) giveBack(b *buffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, b)
	if len(p.free) <= mostBuffers {
		return
	}
	least := 0
	for i, b := range p.free {
		if b.Len() < p.free[least].Len() {
			least = i
		}
	}
	_ = p.free[least].Close() // Close returns no error, and does not wait
	p.free[least] = p.free[mostBuffers]
	p.free = p.free[:mostBuffers]
}

// Memory allocates device memory for slices of the program. Close frees all memory that was allocated.
type Memory struct {
	Queue  *runtime.Queue
	ctx    context.Context
	closes []func() error
}

// OnSlices returns the Memory for a function that runs on slices.
func OnSlices(ctx context.Context, dev *runtime.Device, name string) (*Memory, error) {
	if dev == nil || ctx == nil {
		what := "the device"
		if dev != nil {
			what = "the context"
		}
		return nil, &runtime.Error{Class: runtime.ErrInvalid, Problem: name + ": " + what + " is nil"}
	}
	return &Memory{Queue: poolOf(dev).queue, ctx: ctx}, nil
}

// Close frees all memory that was allocated.
func (m *Memory) Close() {
	for _, f := range m.closes {
		_ = f() // f returns no error here
	}
}

// Elements returns a view of n elements.
func Elements[T any](m *Memory, n int) (runtime.View[T], error) {
	b, err := runtime.NewBuffer[T](m.Queue.Device(), n)
	if err != nil {
		return runtime.View[T]{}, err
	}
	m.closes = append(m.closes, b.Close)
	return b.All(), nil
}

// Copied returns a view that contains a copy of a slice's elements.
func Copied[T any](m *Memory, s []T) (runtime.View[T], error) {
	v, err := Elements[T](m, len(s))
	if err != nil {
		return v, err
	}
	return v, v.CopyFrom(m.ctx, m.Queue, s)
}

// Read copies a view's elements to a slice of the same length.
func Read[T any](m *Memory, to []T, v runtime.View[T]) error { return v.CopyTo(m.ctx, m.Queue, to) }
