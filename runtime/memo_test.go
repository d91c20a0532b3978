package runtime_test

import (
	"errors"
	"testing"

	gemmgen "github.com/kgen-go/kgen/generated/examples/matmul/gemm"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// TestLaunchedAgain: a launch like those before it skips the checks that they had, and still
// finds what is wrong with its own arguments; launches over other ranges, of other buffers and
// sizes, do what they do when they are the first.
func TestLaunchedAgain(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		sizes := []int{1 << 10, 1 << 12, 1<<10 + 7, 64}
		var buffers [][2]*runtime.Buffer[uint32]
		for _, n := range sizes {
			buffers = append(buffers, [2]*runtime.Buffer[uint32]{must(runtime.NewBuffer[uint32](dev, n)), must(runtime.NewBuffer[uint32](dev, n))})
		}
		const rounds = 9
		for i := range rounds {
			for j, pair := range buffers {
				ev := must(incrementing(q, pair[(i+j)%2]))
				if i%3 == 0 {
					check(t, ev.Wait(ctx))
				}
			}
		}
		for j, pair := range buffers {
			for k, x := range pair {
				want := uint32(rounds / 2)
				if (k+j)%2 == 0 {
					want++
				}
				got := make([]uint32, x.Len())
				check(t, x.CopyTo(ctx, q, got))
				for i, g := range got {
					if g != want {
						t.Fatalf("%d elements, buffer %d: element %d is %d, not %d", x.Len(), k, i, g, want)
					}
				}
			}
		}

		other := must(runtime.Open(runtime.Select(dev.Name())))
		defer other.Close()
		foreign := must(runtime.NewBuffer[uint32](other, sizes[0]))
		check(t, buffers[0][0].Close())
		for name, x := range map[string]*runtime.Buffer[uint32]{"closed": buffers[0][0], "of another device": foreign} {
			if _, err := incrementing(q, x); !errors.Is(err, runtime.ErrKernelArgument) {
				t.Errorf("a buffer that is %s: %v", name, err)
			}
		}
		check(t, must(incrementing(q, buffers[0][1])).Wait(ctx))
		check(t, dev.Close())
		if _, err := incrementing(q, buffers[0][1]); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("a device that is closed: %v", err)
		}
	})
}

// TestLaunchedAgainSmall: launches that may take the module for small ones are remembered, and
// one over the same range whose arguments make it large takes the other module. In that for small
// ones 1<<32 times a row would be 0, and no index out of range.
func TestLaunchedAgainSmall(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		b := must(runtime.NewBuffer[float32](dev, 256))
		k := gemmgen.MatMul{M: 16, K: 16, N: 16, A: b.All(), B: b.All(), C: must(runtime.NewBuffer[float32](dev, 256)).All()}
		r := runtime.NDRange2{Global: runtime.Range2{16, 16}, Local: runtime.Range2{16, 16}}
		for range 4 {
			check(t, must(k.ParallelFor(q, r)).Wait(ctx))
		}
		k.N = 1 << 32
		var fault *runtime.Fault
		if err := must(k.ParallelFor(q, r)).Wait(ctx); !errors.As(err, &fault) {
			t.Errorf("rows of 1<<32 elements: %v, not a fault", err)
		}
		k.N = 16
		check(t, must(k.ParallelFor(q, r)).Wait(ctx))
	})
}

// TestLaunchedAgainRanges: a launch over another range is another launch, however many there are:
// more than the device has places to remember them in.
func TestLaunchedAgainRanges(t *testing.T) {
	dev := openHost(t)
	q := dev.DefaultQueue()
	const most = 300
	x := must(runtime.NewBuffer[uint32](dev, most))
	for round := range 2 {
		for n := 1; n <= most; n++ {
			for range 3 - round {
				must(countedOn(q, x, n))
			}
		}
	}
	got := make([]uint32, most)
	check(t, x.CopyTo(ctx, q, got))
	for i, g := range got {
		if want := uint32(5 * (most - i)); g != want {
			t.Fatalf("element %d is %d, not %d", i, g, want)
		}
	}
}

// countedOn launches over the first n elements.
func countedOn(q *runtime.Queue, x *runtime.Buffer[uint32], n int) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(increment)
	kernelimpl.View(l, 0, x.All())
	return l.ParallelFor1(q, runtime.Range1(n), nil)
}

// TestLaunchedAgainEvicted: a pipeline that the device let go of is made again, though a launch
// is remembered that had it.
func TestLaunchedAgainEvicted(t *testing.T) {
	dev := openHost(t)
	dev.SetMaxVariants(1)
	q := dev.DefaultQueue()
	x := must(runtime.NewBuffer[uint32](dev, 1<<12))
	for range 4 {
		check(t, must(countedOn(q, x, 1<<12)).Wait(ctx))
	}
	before := dev.Pipelines()
	y := must(runtime.NewBuffer[float32](dev, 4))
	check(t, must(modelgen.SAXPY{A: 1, X: y.All(), Y: y.All()}.ParallelFor(q, 4)).Wait(ctx))
	check(t, must(countedOn(q, x, 1<<12)).Wait(ctx))
	if n := dev.Pipelines(); n != before+2 {
		t.Errorf("%d pipelines were made for a kernel that took the other's place, and for the other again", n-before)
	}
}
