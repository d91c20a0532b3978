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

// The type `number` is the constraint of the element types of the suite's buffers.
type number interface {
	~float32 | ~float64 | ~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64 | half.Float16
}

// hashIndex returns a pseudo-random number for an index. The CUDA program computes the same pseudo-random numbers.
func hashIndex(i, seed uint32) uint32 {
	x := i ^ seed*0x9e3779b9
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}

// unitFloat returns a pseudo-random number in [0, 1).
func unitFloat(i, seed uint32) float32 { return float32(hashIndex(i, seed)>>8) / (1 << 24) }

// unitFloats returns a slice of n pseudo-random numbers in [0, 1).
func unitFloats[T number](n int, seed uint32) []T {
	return makeSlice(n, func(i int) T { return T(unitFloat(uint32(i), seed)) })
}

// makeSlice computes f(0) to f(n-1) on all processors, and returns the results as a slice.
func makeSlice[T any](n int, f func(i int) T) []T {
	s := make([]T, n)
	parallelFor(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s[i] = f(i)
		}
	})
	return s
}

// parallelFor divides [0, n) into ranges, and calls f for each range on the next free processor.
func parallelFor(n int, f func(lo, hi int)) {
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

// devMemory is a buffer on the device, and the host's copy of the elements that were last read or written.
type devMemory[T number] struct {
	b    *Bench
	buf  *runtime.Buffer[T]
	host []T
}

// memoryOf returns new memory on the device with a copy of slice s.
func memoryOf[T number](b *Bench, s []T) (*devMemory[T], error) {
	buf, err := runtime.BufferOf(b.dev, s)
	if err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _ = buf.Close() })
	return &devMemory[T]{b: b, buf: buf, host: s}, nil
}

// memoryFor returns new memory on the device for n elements.
func memoryFor[T number](b *Bench, n int) (*devMemory[T], error) {
	buf, err := runtime.NewBuffer[T](b.dev, n)
	if err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _ = buf.Close() })
	return &devMemory[T]{b: b, buf: buf}, nil
}

func (m *devMemory[T]) all() runtime.View[T] { return m.buf.All() }

// fillPoison fills the memory with values that no result equals, either NaNs or integers with all
// bits set.
func (m *devMemory[T]) fillPoison() error {
	return m.fill(wrong[T]())
}

func (m *devMemory[T]) fill(v T) error {
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

// readBack copies all elements to the host, and returns them.
func (m *devMemory[T]) readBack() ([]T, error) {
	if len(m.host) != m.buf.Len() {
		m.host = make([]T, m.buf.Len())
	}
	return m.host, m.buf.CopyTo(m.b.ctx, m.b.q, m.host)
}

// writeElems copies the elements of s to the device.
func (m *devMemory[T]) writeElems(s []T) error { return m.buf.CopyFrom(m.b.ctx, m.b.q, s) }

// checksums returns the checksum of the elements, and the checksum of their absolute values.
func (m *devMemory[T]) checksums() (float64, float64, error) {
	s, err := m.readBack()
	sum, size := weightedSum(s, func(v T) float64 { return float64(v) })
	return sum, size, err
}

// checkNear returns a check that compares a sample of the elements with references in float64.
// The argument `tolerance` is relative to the absolute value of the reference, or absolute if that value is below 1.
func (m *devMemory[T]) checkNear(tolerance float64, want func(i int) float64) func() error {
	return func() error {
		s, err := m.readBack()
		if err != nil {
			return err
		}
		return near(s, tolerance, want)
	}
}

// nearSamples is the number of elements that checkNear compares.
const nearSamples = 1 << 12

func near[T number](s []T, tolerance float64, want func(i int) float64) error {
	for j := range min(len(s), nearSamples) {
		i := j
		if len(s) > nearSamples {
			switch j {
			case 0:
			case 1:
				i = len(s) - 1
			default:
				i = int(uint64(hashIndex(uint32(j), 77)) * uint64(len(s)) >> 32)
			}
		}
		got, want := float64(s[i]), want(i)
		if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) { // also true for NaN
			return fmt.Errorf("element %d of %d is %v, want %v", i, len(s), got, want)
		}
	}
	return nil
}

// suiteKernel returns the suite's kernel with the given name.
func suiteKernel(name string) *runtime.Kernel {
	for _, k := range kernelsgen.Kernels() {
		if k.ABI().Name == name {
			return k
		}
	}
	panic("BUG: no kernel is called " + name)
}

// launchFunc returns a function that launches a kernel of the suite a given number of times, and waits.
func (b *Bench) launchFunc(name string, r runtime.Range, args ...any) func(int) error {
	return b.launches(suiteKernel(name), r, args...)
}

func (b *Bench) launches(k *runtime.Kernel, r runtime.Range, args ...any) func(int) error {
	return b.repeatFunc(func() error {
		_, err := runtime.LaunchKernel(b.q, k, r, args)
		return err
	})
}

// repeatFunc returns a function that calls f a given number of times, and waits for the queue.
func (b *Bench) repeatFunc(f func() error) func(int) error {
	return func(runs int) error {
		for range runs {
			if err := f(); err != nil {
				return err
			}
		}
		return b.q.Wait(b.ctx)
	}
}

// plainLoop returns a contestant that is a loop in Go, or nil if the device is not the processor. To compute `out`,
// the loop calls f on all processors, for different parts of the range [0, n).
func plainLoop[T number](b *Bench, out []T, n int, f func(lo, hi int), check func() error) []Contestant {
	if !b.cpu {
		return nil
	}
	return []Contestant{{Name: "Go", Check: check,
		Reset: func() error {
			parallelFor(len(out), func(lo, hi int) {
				for i := range out[lo:hi] {
					out[lo+i] = wrong[T]()
				}
			})
			return nil
		},
		Run: func(runs int) error {
			for range runs {
				parallelFor(n, f)
			}
			return nil
		}}}
}

// groupRange returns an nd-range of at least n work-items, in work-groups of the given size.
func groupRange(n, size int) runtime.NDRange1 {
	return runtime.NDRange1{Global: runtime.Range1(n), Local: runtime.Range1(size)}.RoundUp()
}

// sizeText prints a number of elements.
func sizeText(n int) string {
	if n >= 1<<10 && n&(n-1) == 0 {
		p := 0
		for 1<<p < n {
			p++
		}
		return fmt.Sprintf("2^%d", p)
	}
	return fmt.Sprint(n)
}

// reductionGroups returns a number of work-groups for the first of a reduction's two launches. The
// second launch reduces one element per work-group of the first launch.
func (b *Bench) reductionGroups(n, size int) int {
	most := 2048
	if b.cpu {
		most = 256
	}
	return max(1, min(most, n/size))
}

// firstSet returns the first of its arguments that is not nil, or nil.
func firstSet(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// totalSum is a sum to which the goroutines of a parallel loop add their results.
type totalSum[T number] struct {
	sync.Mutex
	sum T
}

func newTotal[T number]() *totalSum[T] { return &totalSum[T]{} }

func (t *totalSum[T]) add(v T) {
	t.Lock()
	t.sum += v
	t.Unlock()
}

// sumInto changes the Run functions of the contestants. A changed function sets t to zero, runs the
// contestant's loop, and stores the sum t in out[0], for each run.
func (t *totalSum[T]) sumInto(list []Contestant, out []T) []Contestant {
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
