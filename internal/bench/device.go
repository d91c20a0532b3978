package bench

import (
	"fmt"
	"math"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/bench/kernels/kernelsgen"
	"github.com/kgen-go/kgen/runtime"
)

const kgen = "kgen"

// number is the constraint of the element types of the suite's buffers.
type number interface {
	~float32 | ~float64 | ~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64 | half.Float16
}

// Function hash returns a pseudo-random number for an index. The CUDA program computes the same number.
func hash(i, seed uint32) uint32 {
	x := i ^ seed*0x9e3779b9
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}

// Function unit returns a pseudo-random number in [0, 1).
func unit(i, seed uint32) float32 { return float32(hash(i, seed)>>8) / (1 << 24) }

// Function units returns a slice of n pseudo-random numbers in [0, 1).
func units[T number](n int, seed uint32) []T {
	return made(n, func(i int) T { return T(unit(uint32(i), seed)) })
}

// Function made computes f(0) to f(n-1) on all processors, and returns the results as a slice.
func made[T any](n int, f func(i int) T) []T {
	s := make([]T, n)
	parallel(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s[i] = f(i)
		}
	})
	return s
}

// Function parallel divides [0, n) into ranges, and calls f for each range on the next free processor.
func parallel(n int, f func(lo, hi int)) {
	procs := goruntime.GOMAXPROCS(0)
	size := (n + 8*procs - 1) / (8 * procs)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range procs {
		wg.Go(func() {
			for {
				hi := int(next.Add(int64(size)))
				if hi-size >= n {
					return
				}
				f(hi-size, min(hi, n))
			}
		})
	}
	wg.Wait()
}

// memory is a buffer on the device, with the elements that the host last read or wrote.
type memory[T number] struct {
	b    *Bench
	buf  *runtime.Buffer[T]
	host []T
}

// memoryOf returns new memory on the device with a copy of slice s.
func memoryOf[T number](b *Bench, s []T) (*memory[T], error) {
	buf, err := runtime.BufferOf(b.dev, s)
	if err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _ = buf.Close() })
	return &memory[T]{b: b, buf: buf, host: s}, nil
}

// memoryFor returns new memory on the device for n elements.
func memoryFor[T number](b *Bench, n int) (*memory[T], error) {
	buf, err := runtime.NewBuffer[T](b.dev, n)
	if err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _ = buf.Close() })
	return &memory[T]{b: b, buf: buf}, nil
}

func (m *memory[T]) all() runtime.View[T] { return m.buf.All() }

// The method poison fills the memory with NaNs, or integers with all bits set, which no result equals.
func (m *memory[T]) poison() error {
	return m.fill(wrong[T]())
}

func (m *memory[T]) fill(v T) error {
	ev, err := m.b.q.Enqueue(runtime.Fill(m.buf.All(), v))
	if err != nil {
		return err
	}
	return ev.Wait(m.b.ctx)
}

func wrong[T number]() T {
	var zero T
	if T(1)/T(2) != zero { // only float types have 1/2 != 0
		return T(math.NaN())
	}
	return zero - 1
}

// The method get copies all elements to the host, and returns them.
func (m *memory[T]) get() ([]T, error) {
	if len(m.host) != m.buf.Len() {
		m.host = make([]T, m.buf.Len())
	}
	return m.host, m.buf.CopyTo(m.b.ctx, m.b.q, m.host)
}

// The method set copies the elements of s to the device.
func (m *memory[T]) set(s []T) error { return m.buf.CopyFrom(m.b.ctx, m.b.q, s) }

// The method sum returns the checksum of the elements, and the checksum of their absolute values.
func (m *memory[T]) sum() (float64, float64, error) {
	s, err := m.get()
	sum, size := checksum(s, func(v T) float64 { return float64(v) })
	return sum, size, err
}

// The method near returns a check that compares a sample of the elements with references in float64.
// tolerance is relative to the absolute value of the reference, or absolute if that value is below 1.
func (m *memory[T]) near(tolerance float64, want func(i int) float64) func() error {
	return func() error {
		s, err := m.get()
		if err != nil {
			return err
		}
		return near(s, tolerance, want)
	}
}

// samples is the number of elements that function near compares.
const samples = 1 << 12

func near[T number](s []T, tolerance float64, want func(i int) float64) error {
	for j := range min(len(s), samples) {
		i := j
		if len(s) > samples {
			switch j {
			case 0:
			case 1:
				i = len(s) - 1
			default:
				i = int(uint64(hash(uint32(j), 77)) * uint64(len(s)) >> 32)
			}
		}
		got, want := float64(s[i]), want(i)
		if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) { // also true for NaN
			return fmt.Errorf("element %d of %d is %v, want %v", i, len(s), got, want)
		}
	}
	return nil
}

// kernel returns the suite's kernel with the given name.
func kernel(name string) *runtime.Kernel {
	for _, k := range kernelsgen.Kernels() {
		if k.ABI().Name == name {
			return k
		}
	}
	panic("BUG: no kernel is called " + name)
}

// launcher returns a function that launches a kernel of the suite a given number of times, and waits.
func (b *Bench) launcher(name string, r runtime.Range, args ...any) func(int) error {
	return b.launches(kernel(name), r, args...)
}

func (b *Bench) launches(k *runtime.Kernel, r runtime.Range, args ...any) func(int) error {
	return b.repeat(func() error {
		_, err := runtime.LaunchKernel(b.q, k, r, args)
		return err
	})
}

// The method repeat returns a function that calls f a given number of times, and waits for the queue.
func (b *Bench) repeat(f func() error) func(int) error {
	return func(runs int) error {
		for range runs {
			if err := f(); err != nil {
				return err
			}
		}
		return b.q.Wait(b.ctx)
	}
}

// Function plain returns a contestant that is a loop in Go, or nil if the device is not the processor. The
// contestant computes out by calls of f on all processors, each for a part of the range [0, n).
func plain[T number](b *Bench, out []T, n int, f func(lo, hi int), check func() error) []Contestant {
	if !b.cpu {
		return nil
	}
	return []Contestant{{Name: "Go", Check: check,
		Reset: func() error {
			parallel(len(out), func(lo, hi int) {
				for i := range out[lo:hi] {
					out[lo+i] = wrong[T]()
				}
			})
			return nil
		},
		Run: func(runs int) error {
			for range runs {
				parallel(n, f)
			}
			return nil
		}}}
}

// Function groups returns an nd-range of at least n work-items, in work-groups of the given size.
func groups(n, size int) runtime.NDRange1 {
	return runtime.NDRange1{Global: runtime.Range1(n), Local: runtime.Range1(size)}.RoundUp()
}

// Function size prints a number of elements.
func size(n int) string {
	if n >= 1<<10 && n&(n-1) == 0 {
		p := 0
		for 1<<p < n {
			p++
		}
		return fmt.Sprintf("2^%d", p)
	}
	return fmt.Sprint(n)
}

// The method reduction returns a number of work-groups for the first of a reduction's two launches. The
// second launch reduces one element per work-group of the first launch.
func (b *Bench) reduction(n, size int) int {
	most := 2048
	if b.cpu {
		most = 256
	}
	return max(1, min(most, n/size))
}

// Function first returns the first of its arguments that is not nil, or nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// total is a sum to which the goroutines of a parallel loop add their results.
type total[T number] struct {
	sync.Mutex
	sum T
}

func newTotal[T number]() *total[T] { return &total[T]{} }

func (t *total[T]) add(v T) {
	t.Lock()
	t.sum += v
	t.Unlock()
}

// The method into changes how the contestants run. Each run then first sets t to zero, runs the
// contestant's loop, and stores the sum t in out[0].
func (t *total[T]) into(list []Contestant, out []T) []Contestant {
	for i := range list {
		run := list[i].Run
		list[i].Run = func(runs int) error {
			for range runs {
				t.sum = 0
				if err := run(1); err != nil {
					return err
				}
				out[0] = t.sum
			}
			return nil
		}
	}
	return list
}
