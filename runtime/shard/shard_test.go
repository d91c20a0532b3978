package shard_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	plategen "github.com/kgen-go/kgen/generated/examples/heat/plate"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// groups runs a test on groups of 1 to 4 devices: the host device several times, and, where there
// is a Vulkan device, that one beside the host.
func groups(t *testing.T, test func(t *testing.T, g *shard.Group)) {
	devs := []*runtime.Device{devtest.Host(t), devtest.Host(t), devtest.Host(t), devtest.Host(t)}
	for n := range 4 {
		t.Run(fmt.Sprintf("host-%d", n+1), func(t *testing.T) { test(t, must(shard.Of(devs[:n+1]...))) })
	}
	if v := devtest.VulkanOrNone(t); v != nil {
		t.Run("host-and-vulkan", func(t *testing.T) {
			g := must(shard.Of(devs[0], v, devs[1]))
			if err := g.SetWeights(3, 1, 2); err != nil {
				t.Fatal(err)
			}
			test(t, g)
		})
	}
}

// numbers returns n float32s between 0 and 1.
func numbers(n int) []float32 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = r.Float32()
	}
	return xs
}

// wantError reports an error that is not of the class, or without the text.
func wantError(t *testing.T, err, class error, text string) {
	t.Helper()
	if err == nil || !errors.Is(err, class) || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, and not %v with %q", err, class, text)
	}
}

// TestEach launches on blocks, twice in one call.
func TestEach(t *testing.T) {
	groups(t, func(t *testing.T, g *shard.Group) {
		ctx := t.Context()
		for _, n := range []int{0, 1, 3, 1000} {
			xs, ys := numbers(n), numbers(n)
			x, y := must(shard.Scatter(ctx, g, xs)), must(shard.Scatter(ctx, g, ys))
			parts := make([]int, g.Len())
			err := shard.Each(ctx, g, func(p shard.Part) error {
				parts[p.Index] = p.Of
				for range 2 {
					k := saxpygen.SAXPY{A: 2, X: x.On(p), Y: y.On(p)}
					if _, err := k.ParallelFor(p.Queue, runtime.Range1(x.LenOn(p))); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			got, want := make([]float32, n), slices.Clone(ys)
			for i := range want {
				want[i] += 2 * xs[i]
				want[i] += 2 * xs[i]
			}
			if err := y.Gather(ctx, got); err != nil || !slices.Equal(got, want) {
				t.Errorf("%d elements: %v, and not %v; error %v", n, got[:min(n, 9)], want[:min(n, 9)], err)
			}
			if slices.Contains(parts, 0) || parts[0] != g.Len() {
				t.Errorf("the parts are %v", parts)
			}
			x.Close()
			y.Close()
		}
	})
}

// step computes a step of the plate in plain Go.
func step(in, out []float32, w int) {
	h := len(in) / w
	copy(out, in)
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			at := y*w + x
			near := in[at-1] + in[at+1] + in[at-w] + in[at+w]
			out[at] = in[at] + float32(0.2*(near-4*in[at]))
		}
	}
}

// TestExchange computes steps of a stencil, of which each needs the neighbours' rows.
func TestExchange(t *testing.T) {
	groups(t, func(t *testing.T, g *shard.Group) {
		ctx := t.Context()
		const h, w, rounds = 29, 7, 4
		for _, width := range []int{1, 3} {
			xs := numbers(h * w)
			a := must(shard.Scatter(ctx, g, xs, shard.Shape(h, w), shard.Halo(width)))
			b := must(shard.New[float32](g, h*w, shard.Shape(h, w), shard.Halo(width)))
			err := shard.Each(ctx, g, func(p shard.Part) error {
				x, y := a, b
				for range rounds {
					for range width { // outer rows of halos are wrong after each step, the block is not
						in, out := x.Around(p), y.Around(p)
						k := plategen.Step{W: w, Rate: 0.2, In: in, Out: out}
						if _, err := k.ParallelFor(p.Queue, runtime.Range2{in.Len() / w, w}); err != nil {
							return err
						}
						x, y = y, x
					}
					if err := x.Exchange(p); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want, next := slices.Clone(xs), make([]float32, h*w)
			for range rounds * width {
				step(want, next, w)
				want, next = next, want
			}
			got, last := make([]float32, h*w), a
			if rounds*width%2 == 1 {
				last = b
			}
			if err := last.Gather(ctx, got); err != nil || !slices.Equal(got, want) {
				t.Errorf("a halo of %d rows: the plate differs from the plain loop's; error %v", width, err)
			}
		}
	})
}

// TestLayout looks at blocks and halos of arrays of one to three dimensions.
func TestLayout(t *testing.T) {
	g := must(shard.Of(devtest.Host(t), devtest.Host(t), devtest.Host(t)))
	ctx := t.Context()
	if err := g.SetWeights(1, 2, 1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shape  []int
		halo   int
		blocks int
		cuts   []int
	}{
		{[]int{8}, 2, 1, []int{0, 2, 6, 8}},
		{[]int{9, 3}, 1, 1, []int{0, 2, 7, 9}},
		{[]int{8, 3, 2}, 0, 3, []int{0, 3, 6, 8}},
		{[]int{1, 5}, 0, 1, []int{0, 0, 1, 1}},
		{[]int{0, 5}, 0, 4, []int{0, 0, 0, 0}},
	} {
		n, row := 1, 1
		for i, d := range c.shape {
			n *= d
			if i > 0 {
				row *= d
			}
		}
		xs := make([]int32, n)
		for i := range xs {
			xs[i] = int32(i)
		}
		x := must(shard.Scatter(ctx, g, xs, shard.Shape(c.shape...), shard.Halo(c.halo), shard.Blocks(c.blocks)))
		if !slices.Equal(x.Cuts(), c.cuts) || x.Len() != n {
			t.Errorf("%v: cuts %v, and not %v; length %d", c.shape, x.Cuts(), c.cuts, x.Len())
		}
		around := make([][]int32, 3)
		err := shard.Each(ctx, g, func(p shard.Part) error {
			if lo, hi := c.cuts[p.Index], c.cuts[p.Index+1]; x.FirstOn(p) != lo || x.RowsOn(p) != hi-lo || x.LenOn(p) != (hi-lo)*row || x.On(p).Len() != (hi-lo)*row {
				t.Errorf("%v: device %d has %d rows from %d on, a view of %d elements", c.shape, p.Index, x.RowsOn(p), x.FirstOn(p), x.On(p).Len())
			}
			around[p.Index] = make([]int32, x.Around(p).Len())
			if before := min(c.halo, c.cuts[p.Index]); x.Before(p) != before {
				t.Errorf("%v: device %d has %d rows before its block, and not %d", c.shape, p.Index, x.Before(p), before)
			}
			return x.Around(p).CopyTo(p.Context(), p.Queue, around[p.Index])
		})
		if err != nil {
			t.Error(err)
		}
		for i, got := range around {
			lo, hi := max(c.cuts[i]-c.halo, 0), min(c.cuts[i+1]+c.halo, c.shape[0])
			if !slices.Equal(got, xs[lo*row:hi*row]) {
				t.Errorf("%v: device %d keeps %v, and not %v", c.shape, i, got, xs[lo*row:hi*row])
			}
		}
	}
}

// TestCollect combines and gathers the rows of an array. The results have the same bits as a plain loop.
func TestCollect(t *testing.T) {
	groups(t, func(t *testing.T, g *shard.Group) {
		ctx := t.Context()
		for _, shape := range [][2]int{{1, 5}, {5, 1}, {7, 1500}, {4, 256}, {3, 0}, {0, 3}} {
			rows, row := shape[0], shape[1]
			xs := numbers(rows * row)
			x := must(shard.Scatter(ctx, g, xs, shard.Shape(rows, row)))
			sums := must(shard.Broadcast(ctx, g, make([]float32, row)))
			err := shard.AllReduce(ctx, x, sums, func(p shard.Part, into, from runtime.View[float32]) error {
				_, err := saxpygen.SAXPY{A: 1, X: from, Y: into}.ParallelFor(p.Queue, runtime.Range1(into.Len()))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float32, row)
			for i := range rows {
				for j := range row {
					if v := xs[i*row+j]; i == 0 {
						want[j] = v
					} else {
						want[j] += v
					}
				}
			}
			all := must(shard.NewCopies[float32](g, rows*row))
			if err := shard.AllGather(ctx, x, all); err != nil {
				t.Fatal(err)
			}
			for i := range g.Len() {
				got, whole := make([]float32, row), make([]float32, rows*row)
				if err := errors.Join(sums.Gather(ctx, i, got), all.Gather(ctx, i, whole)); err != nil {
					t.Error(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%v, device %d: the sums differ from the plain loop's", shape, i)
				}
				if !slices.Equal(whole, xs) {
					t.Errorf("%v, device %d: the gathered elements differ", shape, i)
				}
			}
		}
	})
}

// TestReduceBlocks has the same bits for all groups.
func TestReduceBlocks(t *testing.T) {
	const n, block = 1000, 64
	xs, host := numbers(n), devtest.Host(t)
	var want []float32
	for lo := 0; lo < n; lo += block {
		want = append(want, must(reduce.Sum(t.Context(), host, xs[lo:min(lo+block, n)])))
	}
	groups(t, func(t *testing.T, g *shard.Group) {
		x := must(shard.Scatter(t.Context(), g, xs, shard.Blocks(block)))
		got, err := shard.ReduceBlocks(t.Context(), x, func(p shard.Part, block runtime.View[float32], out runtime.View[float32]) error {
			_, err := reduce.SumOn(p.Queue, block, out)
			return err
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, and not %v; error %v", got, want, err)
		}
	})
}

// TestFault has a kernel panic on one device, which ends the work of the others.
func TestFault(t *testing.T) {
	groups(t, func(t *testing.T, g *shard.Group) {
		ctx, bad := t.Context(), g.Len()-1
		x := must(shard.New[float32](g, 40*g.Len()))
		var launched sync.WaitGroup
		launched.Add(g.Len() - 1)
		err := shard.Each(ctx, g, func(p shard.Part) error {
			if p.Index == bad {
				launched.Wait()
				for range 5 {
					if _, err := (saxpygen.SAXPY{A: 1, X: x.On(p).Slice(0, 1), Y: x.On(p)}).ParallelFor(p.Queue, 2); err != nil {
						return err
					}
				}
				return nil
			}
			defer launched.Done()
			_, err1 := p.Queue.Enqueue(runtime.HostFunc(func(ctx context.Context) error {
				<-ctx.Done()                      // the fault of the other device ends the context
				time.Sleep(20 * time.Millisecond) // the launch below is told of it by a goroutine of its own
				return ctx.Err()
			}))
			_, err2 := saxpygen.SAXPY{A: 1, X: x.On(p), Y: x.On(p)}.ParallelFor(p.Queue, runtime.Range1(x.LenOn(p)))
			return errors.Join(err1, err2)
		})
		var e *shard.Error
		var f *runtime.Fault
		if !errors.As(err, &e) || !errors.As(err, &f) || e.Index != bad || e.Device != g.Devices()[bad] || !strings.Contains(err.Error(), fmt.Sprintf("device %d (", bad)) {
			t.Errorf("the error is %v", err)
		}
		if text := err.Error(); strings.Count(text, "index out of range") != 1 || !strings.Contains(text, "(and 4 more with the same text)") {
			t.Errorf("the error of five launches is %v", err)
		}
		// The launches that the fault has ended did not write their elements, unless they ran before they were told.
		if err := x.Gather(ctx, make([]float32, x.Len())); err != nil {
			f = nil
			if !errors.Is(err, runtime.ErrCanceled) || !errors.As(err, &f) || strings.Count(err.Error(), "index out of range") != 1 {
				t.Errorf("reading elements that were not written: %v", err)
			}
		}
		for range 2 { // the devices stay usable
			if err := x.Set(ctx, make([]float32, x.Len())); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestEnds has the end of the context, and a function's error, end the work of all devices.
func TestEnds(t *testing.T) {
	groups(t, func(t *testing.T, g *shard.Group) {
		x := must(shard.New[float32](g, 100))
		waiting := func(p shard.Part) error {
			_, err1 := p.Queue.Enqueue(runtime.HostFunc(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }))
			_, err2 := saxpygen.SAXPY{A: 1, X: x.On(p), Y: x.On(p)}.ParallelFor(p.Queue, runtime.Range1(x.LenOn(p)))
			return errors.Join(err1, err2)
		}
		ctx, cancel := context.WithCancel(t.Context())
		wantError(t, shard.Each(ctx, g, func(p shard.Part) error {
			if p.Index == 0 {
				defer cancel()
			}
			return waiting(p)
		}), runtime.ErrCanceled, "device ")
		own := errors.New("my own")
		err := shard.Each(t.Context(), g, func(p shard.Part) error {
			if p.Index == 0 {
				return own
			}
			return waiting(p)
		})
		wantError(t, err, own, "device 0 (")
		// The launches did not run whole: the elements are to be written again.
		if err := x.Set(t.Context(), make([]float32, 100)); err != nil {
			t.Error(err)
		}
		if err := x.Gather(t.Context(), make([]float32, 100)); err != nil {
			t.Error(err)
		}
	})
}

// TestExchangeAlone has parts that do not meet.
func TestExchangeAlone(t *testing.T) {
	g := must(shard.Of(devtest.Host(t), devtest.Host(t), devtest.Host(t)))
	x, y := must(shard.New[int32](g, 30, shard.Halo(1))), must(shard.New[int32](g, 30, shard.Halo(1)))
	plain := must(shard.New[int32](g, 30))
	each := func(f func(p shard.Part) error) error { return shard.Each(t.Context(), g, f) }
	wantError(t, each(func(p shard.Part) error {
		if p.Index == 1 {
			return nil
		}
		return x.Exchange(p)
	}), runtime.ErrInvalid, "): invalid: its function has returned without calling Exchange, in which device")
	wantError(t, each(func(p shard.Part) error {
		if p.Index == 1 {
			return y.Exchange(p)
		}
		return x.Exchange(p)
	}), runtime.ErrInvalid, "its function calls Exchange of another array than the one for which device")
	copies := must(shard.NewCopies[int32](g, 30))
	wantError(t, each(func(p shard.Part) error {
		if p.Index == 1 {
			return copies.Collect(p, x)
		}
		return x.Exchange(p)
	}), runtime.ErrInvalid, "): invalid: its function calls ")
	// Each returns the error even if all functions ignore it, and names the device that calls nothing.
	err := each(func(p shard.Part) error {
		if p.Index != 1 {
			_ = x.Exchange(p)
		}
		return nil
	})
	wantError(t, err, runtime.ErrInvalid, "device 1 (host")
	wantError(t, each(func(p shard.Part) error { _ = plain.Exchange(p); return nil }), runtime.ErrInvalid, "without halos")
	wantError(t, each(plain.Exchange), runtime.ErrInvalid, "without halos")
	own := errors.New("my own")
	wantError(t, each(func(p shard.Part) error {
		if p.Index == 2 {
			return own
		}
		return x.Exchange(p)
	}), own, "device 2 (")
	wantError(t, x.Exchange(shard.Part{}), runtime.ErrInvalid, "the Part is not of a call of Each")
	if err := each(x.Exchange); err != nil {
		t.Error(err)
	}
}

// TestMeasure sets weights by a measurement, of which nothing but its form is known.
func TestMeasure(t *testing.T) {
	groups(t, func(t *testing.T, g *shard.Group) {
		x := must(shard.Broadcast(t.Context(), g, numbers(1000)))
		weights, err := g.Measure(t.Context(), func(p shard.Part) error {
			_, err := saxpygen.SAXPY{A: 1, X: x.On(p), Y: x.On(p)}.ParallelFor(p.Queue, 1000)
			return err
		})
		if err != nil || len(weights) != g.Len() {
			t.Fatal(weights, err)
		}
		if err := g.SetWeights(weights...); err != nil {
			t.Error(err)
		}
		sum := 0.0
		for _, w := range g.Weights() {
			sum += w
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("the weights are %v", g.Weights())
		}
	})
}
