package bench

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/kgen-go/kgen/examples/nbody/gravity"
	"github.com/kgen-go/kgen/examples/nbodysharded/swarm"
	"github.com/kgen-go/kgen/examples/options/montecarlo"
	montecarlogen "github.com/kgen-go/kgen/generated/examples/options/montecarlo"
	"github.com/kgen-go/kgen/prim/blas"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"
)

// This file contains the benchmark rows for two devices. Each row runs on the suite's device alone, and on the suite's
// device together with another device of the same kind. The row's remark compares the times on one
// device and on two devices. On the processor, both devices are the host device.

// twoDevices is the group of the report's rows for two devices.
const twoDevices = "Two devices"

// secondDevice opens another device of the same kind as the suite's device.
func (b *Bench) secondDevice() (*runtime.Device, error) {
	own := b.dev.Info()
	for i, info := range runtime.Devices() {
		same := info.UUID == own.UUID && info.PCI == own.PCI
		if b.cpu && info.Type == own.Type && info.Name == own.Name || !b.cpu && info.Type == own.Type && !same {
			d, err := runtime.Open(runtime.Select(strconv.Itoa(i)))
			if err == nil {
				b.closers = append(b.closers, func() { _ = d.Close() })
			}
			return d, err
		}
	}
	return nil, skipReason("there is one such device")
}

// groupWork is the computation of a benchmark row on a group of devices.
type groupWork struct {
	run   func() error // does the work once, and waits
	reset func() error
	check func() error
}

// twoDeviceJob returns a job that compares one device with two devices. The function `make` returns the computation
// for a group of devices.
func (b *Bench) twoDeviceJob(size string, amount float64, unit Unit, make func(g *shard.Group) (*groupWork, error)) (*Job, error) {
	other, err := b.secondDevice()
	if err != nil {
		return nil, err
	}
	one, err1 := shard.Of(b.dev)
	two, err2 := shard.Of(b.dev, other)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	alone, err1 := make(one)
	both, err2 := make(two)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	var took [2][]time.Duration // times of the runs on one device, and on both devices
	discard := true             // the next call of Measured discards the times of earlier runs
	earlier := 0                // number of runs in earlier rounds
	run := func(times int) error {
		for range times {
			for i, s := range []*groupWork{alone, both} {
				begin := time.Now()
				if err := s.run(); err != nil {
					return err
				}
				took[i] = append(took[i], time.Since(begin))
			}
		}
		return nil
	}
	return &Job{Size: size, Amount: amount, Unit: unit, Runs: 3,
		Contestants: []Contestant{{kgen, run,
			func() error { return errors.Join(alone.reset(), both.reset()) },
			func() error { return errors.Join(alone.check(), both.check()) }}},
		Measured: func() (time.Duration, string) {
			if discard {
				took, discard = [2][]time.Duration{}, false
				return 0, ""
			}
			d := median(took[1][earlier:])
			earlier = len(took[1])
			return time.Duration(d * float64(time.Second)), fmt.Sprintf("%.2f times as fast as one device", median(took[0])/median(took[1]))
		}}, nil
}

// median returns the median of the times, in seconds.
func median(times []time.Duration) float64 { return timing("", times).Median }

// crossDeviceCopy copies from the suite's device to another device.
var crossDeviceCopy = Work{Group: twoDevices, Name: "copy to another device", Target: "≥ 40 GB/s", Sizes: [4]int{1 << 10, 1 << 20, 1 << 26, 1 << 28}, Make: func(b *Bench, n int) (*Job, error) {
	other, err := b.secondDevice()
	if err != nil {
		return nil, err
	}
	hx := unitFloats[float32](n, 1)
	x, err1 := memoryOf(b, hx)
	y, err2 := runtime.NewBuffer[float32](other, n)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	run := func(runs int) error {
		for range runs {
			if _, err := b.q.Enqueue(runtime.Copy(y.All(), x.all())); err != nil {
				return err
			}
		}
		return b.q.Wait(b.ctx)
	}
	got := make([]float32, n)
	return &Job{Size: bytesOf(4 * n), Amount: 4 * float64(n), Unit: Bytes, Contestants: []Contestant{{kgen, run,
		func() error {
			_, err := other.DefaultQueue().Enqueue(runtime.Fill(y.All(), -1))
			return err
		},
		func() error {
			if err := y.CopyTo(b.ctx, other.DefaultQueue(), got); err != nil {
				return err
			}
			return near(got, 0, func(i int) float64 { return float64(hx[i]) })
		}}}}, nil
}}

var nbodyShared = Work{Group: twoDevices, Name: "n-body f32, shared", Sizes: nbodySizes, Make: func(b *Bench, n int) (*Job, error) {
	hb := randomBodies(n)
	start := makeSlice(n, func(i int) gravity.Body {
		return gravity.Body{Pos: gravity.Vec3{X: hb[i].X, Y: hb[i].Y, Z: hb[i].Z}, Mass: hb[i].Mass}
	})
	const steps = 16
	var results [][]gravity.Body
	return b.twoDeviceJob(fmt.Sprintf("%s, %d steps", sizeText(n), steps), steps*20*float64(n)*float64(n), Flop, func(g *shard.Group) (*groupWork, error) {
		bodies, err := swarm.New(b.ctx, g, start, 0.01, float32(math.Sqrt(softening)))
		b.closers = append(b.closers, bodies.Close)
		if err != nil {
			return nil, err
		}
		return &groupWork{func() error {
			return shard.Each(b.ctx, g, func(p shard.Part) error {
				for range steps {
					if err := bodies.Step(p); err != nil {
						return err
					}
				}
				return nil
			})
		}, func() error { results = nil; return bodies.Set(b.ctx, start) }, func() error {
			got := make([]gravity.Body, n)
			results = append(results, got)
			if err := bodies.All.Gather(b.ctx, g.Len()-1, got); err != nil {
				return err
			}
			if !slices.Equal(results[0], got) || slices.Equal(got, start) {
				return errors.New("the bodies are not where one device moves them")
			}
			return nil
		}}, nil
	})
}}

var pathsShared = Work{Group: twoDevices, Name: "Monte Carlo f32, shared", Sizes: [4]int{2, 8, 64, 256}, Make: func(b *Bench, n int) (*Job, error) {
	const groups = 512
	paths := [4]int{1 << 12, 1 << 16, 1 << 24, 1 << 25}[b.Scale]
	var results [][]montecarlo.Sums
	return b.twoDeviceJob(fmt.Sprintf("%d blocks of %s paths", n, sizeText(paths)), float64(n)*float64(paths), "paths", func(g *shard.Group) (*groupWork, error) {
		out, err := shard.New[montecarlo.Sums](g, n*groups, shard.Shape(n, groups))
		if err != nil {
			return nil, err
		}
		b.closers = append(b.closers, func() { _ = out.Close() })
		return &groupWork{func() error {
			return shard.Each(b.ctx, g, func(p shard.Part) error {
				for i := range out.RowsOn(p) {
					k := montecarlogen.Price{Call: montecarlo.Call{Spot: 100, Strike: 105, Rate: 0.03, Volatility: 0.2, Years: 1},
						Key: [2]uint32{uint32(out.FirstOn(p) + i)}, Paths: paths, Out: out.On(p).Slice(i*groups, (i+1)*groups)}
					nd := runtime.NDRange1{Global: groups * montecarlo.Size, Local: montecarlo.Size}
					if _, err := k.ParallelFor(p.Queue, nd); err != nil {
						return err
					}
				}
				return nil
			})
		}, func() error { results = nil; return out.Set(b.ctx, make([]montecarlo.Sums, n*groups)) }, func() error {
			got := make([]montecarlo.Sums, n*groups)
			results = append(results, got)
			if err := out.Gather(b.ctx, got); err != nil {
				return err
			}
			if !slices.Equal(results[0], got) || got[len(got)-groups].Worth == 0 {
				return errors.New("the sums are not those of one device")
			}
			return nil
		}}, nil
	})
}}

const (
	// stencilHalo is the number of planes that a device copies from its neighbour. The devices exchange planes only
	// once in stencilHalo steps. The number is even, so that these steps end in the array in which they began.
	stencilHalo = 4
	// stencilInner is the number of steps after an exchange whose inner planes are computed during the copies. The
	// copies take 0.5 ms, and sometimes 1 ms. On two H200s, 3 such steps of 640³ take 1.4 ms.
	stencilInner = 3
)

var stencilShared = Work{Group: twoDevices, Name: "stencil of 7 points f32, shared", Sizes: [4]int{30, 64, 384, 640}, Make: func(b *Bench, n int) (*Job, error) {
	hx := unitFloats[float32](n*n*n, 1)
	steps := [4]int{8, 8, 8, 96}[b.Scale]
	var results [][]float32
	return b.twoDeviceJob(fmt.Sprintf("%d³, %d steps", n, steps), float64(steps)*8*float64(n*n*n), Bytes, func(g *shard.Group) (*groupWork, error) {
		shape := []shard.Option{shard.Shape(n, n, n), shard.Halo(stencilHalo)}
		x, err1 := shard.Scatter(b.ctx, g, hx, shape...)
		y, err2 := shard.New[float32](g, n*n*n, shape...)
		if err := firstSet(err1, err2); err != nil {
			return nil, err
		}
		b.closers = append(b.closers, func() { _, _ = x.Close(), y.Close() })
		return &groupWork{func() error {
			return shard.Each(b.ctx, g, func(p shard.Part) error {
				for range steps / stencilHalo {
					if err := stencilSteps(p, x, y, n); err != nil {
						return err
					}
				}
				return nil
			})
		}, func() error { results = nil; return firstSet(x.Set(b.ctx, hx), y.Set(b.ctx, hx)) }, func() error {
			got := make([]float32, n*n*n)
			results = append(results, got)
			if err := x.Gather(b.ctx, got); err != nil {
				return err
			}
			if !slices.Equal(results[0], got) || slices.Equal(got, hx) {
				return errors.New("the cells are not those of one device")
			}
			return nil
		}}, nil
	})
}}

// stencilSteps exchanges planes of the array x, and then runs stencilHalo steps. The first step is from x to y, and
// the last step is from y to x. In the first steps, the device computes its inner planes first, because
// they need no planes of its neighbours. So the copies overlap with kernels, as in this example:
//
//	exchange planes of x
//	step 1   inner planes
//	step 2   inner planes
//	step 3   inner planes
//	step 1                  outer planes, after the exchange
//	step 2                  outer planes
//	step 3                  outer planes
//	step 4   all planes
func stencilSteps(p shard.Part, x, y *shard.Array[float32], n int) error {
	const w = stencilHalo
	plane, total := n*n, x.Around(p).Len()/n/n
	first, last := x.Before(p), x.Before(p)+x.RowsOn(p)
	// within returns the range of the device's planes without `edge` planes beside each halo. If `edge` is
	// negative, the range includes planes of the halos.
	within := func(edge int) (lo, hi int) {
		lo, hi = 1, total-1
		if first > 0 {
			lo = first + edge
		}
		if last < total {
			hi = last - edge
		}
		return lo, hi
	}
	// inner returns the range of the planes that a step computes during the copies. The kernel's views have one more
	// plane on each side. They must contain neither halos nor, if the step writes x, planes that are copied. Each
	// range is smaller than the range of the step before, by at least one plane at each halo. So an inner step reads
	// only planes of the inner step before it, and the outer planes of a step are computed from planes that no later
	// inner step has overwritten.
	inner := func(step int) (lo, hi int) {
		if step == 0 {
			return within(1)
		}
		return within(w + step)
	}
	var failed error
	launch := func(step, lo, hi int) {
		if lo >= hi || failed != nil {
			return
		}
		in, out := x, y
		if step%2 == 1 {
			in, out = y, x
		}
		part := func(a *shard.Array[float32]) runtime.View[float32] {
			return a.Around(p).Slice((lo-1)*plane, (hi+1)*plane)
		}
		_, failed = runtime.LaunchKernel(p.Queue, suiteKernel("Stencil"), runtime.Range3{hi - lo, n - 2, n - 2}, []any{n, part(in), part(out)})
	}
	if err := x.Exchange(p); err != nil {
		return err
	}
	divided := stencilInner
	if last-first <= 2*(w+stencilInner) { // the device has no inner planes
		divided = 0
	}
	for step := range divided {
		lo, hi := inner(step)
		launch(step, lo, hi)
	}
	for step := range w {
		begin, end := within(step - w + 1) // includes the planes of the halos that later steps read
		if step >= divided {
			launch(step, begin, end)
			continue
		}
		lo, hi := inner(step)
		launch(step, begin, lo)
		launch(step, hi, end)
	}
	return failed
}

var gemmShared = Work{Group: twoDevices, Name: "Gemm f32 by rows, shared", Sizes: [4]int{64, 256, 2048, 16384}, Make: func(b *Bench, n int) (*Job, error) {
	ha, hb := unitFloats[float32](n*n, 1), unitFloats[float32](n*n, 2)
	var results [][]float32
	return b.twoDeviceJob(squared(n), 2*float64(n)*float64(n)*float64(n), Flop, func(g *shard.Group) (*groupWork, error) {
		rows := []shard.Option{shard.Shape(n, n), shard.Blocks(16)}
		x, err1 := shard.Scatter(b.ctx, g, ha, rows...)
		y, err2 := shard.Broadcast(b.ctx, g, hb)
		z, err3 := shard.New[float32](g, n*n, rows...)
		if err := firstSet(err1, err2, err3); err != nil {
			return nil, err
		}
		b.closers = append(b.closers, func() { _, _, _ = x.Close(), y.Close(), z.Close() })
		return &groupWork{func() error {
			return shard.Each(b.ctx, g, func(p shard.Part) error {
				m := x.RowsOn(p)
				view := func(v runtime.View[float32], rows int) blas.View[float32] {
					return blas.View[float32]{Shape: blas.Shape{Rows: rows, Cols: n}, Data: v}
				}
				_, err := blas.GemmOn(p.Queue, 1, view(x.On(p), m), view(y.On(p), n), 0, view(z.On(p), m))
				return err
			})
		}, func() error { results = nil; return z.Set(b.ctx, make([]float32, n*n)) }, func() error {
			got := make([]float32, n*n)
			results = append(results, got)
			if err := z.Gather(b.ctx, got); err != nil {
				return err
			}
			if !slices.Equal(results[0], got) || got[n*n-1] == 0 {
				return errors.New("the product is not that of one device")
			}
			return nil
		}}, nil
	})
}}

var reduceShared = Work{Group: twoDevices, Name: "AllReduce f32", Target: "≥ 20 GB/s", Sizes: [4]int{1 << 10, 1 << 20, 1 << 26, 1 << 28}, Make: func(b *Bench, n int) (*Job, error) {
	hx := unitFloats[float32](2*n, 1)
	return b.twoDeviceJob(bytesOf(4*n), 4*float64(n), Bytes, func(g *shard.Group) (*groupWork, error) {
		x, err1 := shard.Scatter(b.ctx, g, hx, shard.Shape(2, n))
		sum, err2 := shard.NewCopies[float32](g, n)
		if err := firstSet(err1, err2); err != nil {
			return nil, err
		}
		b.closers = append(b.closers, func() { _, _ = x.Close(), sum.Close() })
		return &groupWork{func() error {
			return shard.AllReduce(b.ctx, x, sum, func(p shard.Part, into, from runtime.View[float32]) error {
				_, err := blas.AxpyOn(p.Queue, 1, from, into)
				return err
			})
		}, func() error { return sum.Set(b.ctx, make([]float32, n)) }, func() error {
			got := make([]float32, n)
			for i := range g.Len() {
				if err := sum.Gather(b.ctx, i, got); err != nil {
					return err
				}
				if err := near(got, 0, func(i int) float64 { return float64(hx[i] + hx[n+i]) }); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	})
}}
