// Package specbench measures what specialization constants are worth: the same
// kernels with a size as a constant, as a specialization constant, and as an
// argument.
//
//	go test -run - -bench . ./internal/bench/specbench
//
// KGEN_DEVICE chooses the device; the binary of go test -c runs anywhere, with -side
// 4096 on a GPU.
package specbench

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/bench/cputime"
	"github.com/kgen-go/kgen/internal/bench/specbench/kernels"
	"github.com/kgen-go/kgen/internal/bench/specbench/kernels/kernelsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/runtime"
)

var side = testflag.Multiple("side", 256, 16, "rows and columns of matrices and pictures, 4096 for a GPU to be busy")

var ctx = context.Background()

// form is one of the ways in which a kernel has its size.
type form struct {
	name   string
	launch func() (runtime.Event, error)
}

// job is a kernel in its three forms on the same data.
type job struct {
	name  string
	work  float64 // operations of a launch
	out   *runtime.Buffer[float32]
	forms []form
	want  func() []float32
}

func buffer(tb testing.TB, dev *runtime.Device, data []float32) *runtime.Buffer[float32] {
	tb.Helper()
	b, err := runtime.BufferOf(dev, data)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func random(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	s := make([]float32, n)
	for i := range s {
		s[i] = r.Float32()
	}
	return s
}

func jobs(tb testing.TB, dev *runtime.Device, side int) []job {
	return []job{matmul(tb, dev, side), blur(tb, dev, side), median(tb, dev, side)}
}

func matmul(tb testing.TB, dev *runtime.Device, n int) job {
	q := dev.DefaultQueue()
	const tile = kernels.FixedTile
	ha, hb := random(n*n), random(n * n)[:n*n]
	a, b, c := buffer(tb, dev, ha).All(), buffer(tb, dev, hb).All(), buffer(tb, dev, make([]float32, n*n))
	r := runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{tile, tile}}
	local := kernelsgen.MatMulArgument{N: n, Tile: tile, A: a, B: b, C: c.All()}
	local.LA, local.LB = localLen(tile*tile), localLen(tile*tile)
	return job{"matmul", 2 * float64(n) * float64(n) * float64(n), c, []form{
		{"constant", func() (runtime.Event, error) {
			return kernelsgen.MatMulConstant{N: n, A: a, B: b, C: c.All()}.ParallelFor(q, r)
		}},
		{"specialized", func() (runtime.Event, error) {
			return kernelsgen.MatMulSpec{N: n, A: a, B: b, C: c.All()}.ParallelFor(q, r, runtime.WithSpec(kernels.Tile, tile))
		}},
		{"argument", func() (runtime.Event, error) { return local.ParallelFor(q, r) }},
	}, func() []float32 {
		want := make([]float32, n*n)
		for y := range n {
			for i := range n {
				for x := range n {
					want[y*n+x] += ha[y*n+i] * hb[i*n+x]
				}
			}
		}
		return want
	}}
}

func blur(tb testing.TB, dev *runtime.Device, n int) job {
	q := dev.DefaultQueue()
	const radius, side = kernels.FixedRadius, 2*kernels.FixedRadius + 1
	pitch := n + 2*radius
	hin, hw := random(pitch*pitch), random(side*side)
	in, weights, out := buffer(tb, dev, hin).All(), buffer(tb, dev, hw).All(), buffer(tb, dev, make([]float32, n*n))
	r := runtime.Range2{n, n}
	return job{"convolution", 2 * side * side * float64(n) * float64(n), out, []form{
		{"constant", func() (runtime.Event, error) {
			return kernelsgen.BlurConstant{In: in, Weights: weights, Out: out.All()}.ParallelFor(q, r)
		}},
		{"specialized", func() (runtime.Event, error) {
			return kernelsgen.BlurSpec{In: in, Weights: weights, Out: out.All()}.ParallelFor(q, r, runtime.WithSpec(kernels.Radius, radius))
		}},
		{"argument", func() (runtime.Event, error) {
			return kernelsgen.BlurArgument{Radius: radius, In: in, Weights: weights, Out: out.All()}.ParallelFor(q, r)
		}},
	}, func() []float32 {
		want := make([]float32, n*n)
		for i := range want {
			for j, w := range hw {
				want[i] += w * hin[(i/n+j/side)*pitch+i%n+j%side]
			}
		}
		return want
	}}
}

func median(tb testing.TB, dev *runtime.Device, n int) job {
	q := dev.DefaultQueue()
	const window = kernels.FixedWindow
	pitch := n + window - 1
	hin := random(pitch * pitch)
	in, out := buffer(tb, dev, hin).All(), buffer(tb, dev, make([]float32, n*n))
	r := runtime.Range2{n, n}
	return job{"median", window * window * float64(n) * float64(n), out, []form{
		{"constant", func() (runtime.Event, error) {
			return kernelsgen.MedianConstant{In: in, Out: out.All()}.ParallelFor(q, r)
		}},
		{"specialized", func() (runtime.Event, error) {
			return kernelsgen.MedianSpec{In: in, Out: out.All()}.ParallelFor(q, r, runtime.WithSpec(kernels.Window, window))
		}},
		{"argument", func() (runtime.Event, error) {
			return kernelsgen.MedianArgument{Window: window, In: in, Out: out.All()}.ParallelFor(q, r)
		}},
	}, func() []float32 {
		want := make([]float32, n*n)
		var near [window * window]float32
		for i := range want {
			for j := range near {
				near[j] = hin[(i/n+j/window)*pitch+i%n+j%window]
			}
			want[i] = middle(near[:])
		}
		return want
	}}
}

// TestForms checks that the forms of a kernel agree with a plain loop.
func TestForms(t *testing.T) {
	for name, open := range map[string]func(testing.TB, ...runtime.OpenOption) *runtime.Device{"host": devtest.Host, "vulkan": devtest.Vulkan} {
		t.Run(name, func(t *testing.T) {
			dev := open(t)
			for _, j := range jobs(t, dev, 64) {
				want := j.want()
				for _, f := range j.forms {
					got := make([]float32, len(want))
					err := j.out.CopyFrom(ctx, dev.DefaultQueue(), got)
					var ev runtime.Event
					if err == nil {
						ev, err = f.launch()
					}
					if err == nil {
						err = ev.Wait(ctx)
					}
					if err == nil {
						err = j.out.CopyTo(ctx, dev.DefaultQueue(), got)
					}
					if err != nil {
						t.Fatalf("%s, %s: %v", j.name, f.name, err)
					}
					for i := range got {
						if math.Abs(float64(got[i]-want[i])) > 1e-4*math.Abs(float64(want[i])) {
							t.Fatalf("%s, %s: element %d is %v, want %v", j.name, f.name, i, got[i], want[i])
						}
					}
				}
			}
		})
	}
}

// clock returns the time; where the device is the processor, that which this
// process has had of it, which others do not disturb.
func clock(dev *runtime.Device) time.Duration {
	if t := dev.Info().Type; t == runtime.VulkanCPU || t == runtime.HostCPU {
		if d, ok := cputime.Used(); ok {
			return d
		}
	}
	return time.Since(begin)
}

var begin = time.Now()

// BenchmarkForms runs the forms in turn, so that what else the machine does
// hits all alike, and reports the shortest time of each.
func BenchmarkForms(b *testing.B) {
	dev := devtest.Chosen(b)
	for _, j := range jobs(b, dev, *side) {
		b.Run(j.name, func(b *testing.B) {
			best := make([]time.Duration, len(j.forms))
			run := func(i int) time.Duration {
				dev.DefaultQueue().Wait(ctx)
				start := clock(dev)
				ev, err := j.forms[i].launch()
				if err == nil {
					err = ev.Wait(ctx)
				}
				if err != nil {
					b.Fatal(err)
				}
				return clock(dev) - start
			}
			for i := range best {
				best[i] = min(run(i), run(i))
			}
			b.ResetTimer()
			for range b.N {
				for i := range best {
					best[i] = min(best[i], run(i))
				}
			}
			b.ReportMetric(0, "ns/op")
			for i, f := range j.forms {
				b.ReportMetric(j.work/best[i].Seconds()/1e9, f.name+"-Gop/s")
			}
			b.ReportMetric(100*(float64(best[1])/float64(best[0])-1), "specialized-%over-constant")
		})
	}
	b.Log(dev.Name())
}
