package runtime_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

var ctx = context.Background()

// copying is the host device without its shortcuts: it looks to the runtime like
// a device with memory of its own, and keeps the commands it was given.
type copying struct {
	hal.Device
	mu   sync.Mutex
	cmds []hal.Command
}

func newCopying(t testing.TB) *copying {
	d, err := host.New().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return &copying{Device: d}
}

func (c *copying) Submit(batch []hal.Command) (hal.Ticket, error) {
	c.mu.Lock()
	c.cmds = append(c.cmds, batch...)
	c.mu.Unlock()
	return c.Device.Submit(batch)
}

// ops returns the operations and barriers of the commands, such as "LW|L": a |
// stands before a command with a barrier.
func (c *copying) ops() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := ""
	for i := range c.cmds {
		if c.cmds[i].Barrier {
			s += "|"
		}
		s += string("LCFWR"[c.cmds[i].Op])
	}
	c.cmds = nil
	return s
}

// devices are the devices that tests of behaviour run on.
func devices(t *testing.T, f func(t *testing.T, dev *runtime.Device)) {
	t.Run("host", func(t *testing.T) { f(t, openHost(t)) })
	t.Run("copying", func(t *testing.T) {
		dev := runtime.OpenHAL(newCopying(t), "test")
		t.Cleanup(func() { dev.Close() })
		f(t, dev)
	})
}

// copies are the devices that tests without kernels run on: the Vulkan devices
// too, since the kernels of package model have no modules.
func copies(t *testing.T, f func(t *testing.T, dev *runtime.Device)) {
	devices(t, f)
	for i, info := range runtime.Devices() {
		if info.Backend != "vulkan" {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			dev, err := runtime.Open(runtime.Select(strconv.Itoa(i)))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { check(t, dev.Close()) }()
			f(t, dev)
		})
	}
}

func openHost(t testing.TB, opts ...runtime.OpenOption) *runtime.Device {
	t.Helper()
	dev, err := runtime.Open(append(opts, runtime.Select("host"))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func iota[T int | int32 | int64 | float32](n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(i + 1)
	}
	return s
}

func TestRunForms(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{1, 3, 1000} {
			x, y := iota[float32](n), iota[float32](n)
			check(t, modelgen.RunSAXPY(ctx, dev, model.SAXPY{A: 2, X: x, Y: y}, runtime.Range1(n)))
			for i := range y {
				if y[i] != 3*float32(i+1) || x[i] != float32(i+1) {
					t.Fatalf("n=%d: x[%d], y[%d] = %v, %v", n, i, i, x[i], y[i])
				}
			}
		}
		sum := make([]int64, 1)
		check(t, modelgen.RunSum(ctx, dev, model.Sum{X: iota[int64](100), Out: sum}))
		equal(t, "Sum", sum, []int64{5050})

		out := make([]int, 35)
		check(t, modelgen.RunIndex2(ctx, dev, model.Index2{Out: out}, runtime.Range2{5, 7}))
		equal(t, "Index2", out, iota[int](35))
		out = make([]int, 105)
		check(t, modelgen.RunIndex3(ctx, dev, model.Index3{Out: out}, runtime.Range3{3, 5, 7}))
		equal(t, "Index3", out, iota[int](105))

		rev := iota[int32](32)
		check(t, modelgen.RunReverse(ctx, dev, model.Reverse{X: rev}, runtime.NDRange1{Global: 32, Local: 16}))
		want := iota[int32](32)
		slices.Reverse(want[:16])
		slices.Reverse(want[16:])
		equal(t, "Reverse", rev, want)

		sums := make([]int32, 2)
		check(t, modelgen.RunGroupSum(ctx, dev, model.GroupSum{X: iota[int32](8), Out: sums, Scratch: dsl.LocalLen[int32](4)},
			runtime.NDRange1{Global: 8, Local: 4}))
		equal(t, "GroupSum", sums, []int32{10, 26})

		in, tr := iota[float32](256), make([]float32, 256)
		check(t, modelgen.RunTranspose2(ctx, dev, model.Transpose2{N: 16, In: in, Out: tr},
			runtime.NDRange2{Global: runtime.Range2{16, 16}, Local: runtime.Range2{8, 8}}))
		for i := range tr {
			if tr[i] != in[i%16*16+i/16] {
				t.Fatalf("Transpose2: [%d] = %v", i, tr[i])
			}
		}
		ids := make([]int, 24)
		check(t, modelgen.RunLocal3(ctx, dev, model.Local3{Out: ids},
			runtime.NDRange3{Global: runtime.Range3{1, 4, 6}, Local: runtime.Range3{1, 2, 3}}))
		equal(t, "Local3", ids, []int{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6})
	})
}

func TestStructArguments(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		k := model.Mix{Out: make([]int32, 3), Unused: make([]int32, 9),
			In: [2]model.Part{{M: 2, V: iota[int32](3)}, {M: 10, V: iota[int32](3)}}}
		k.S.J = 100
		check(t, modelgen.RunMix(ctx, dev, k, 3))
		equal(t, "Run", k.Out, []int32{112, 124, 136})

		q := dev.DefaultQueue()
		out, v := must(runtime.NewBuffer[int32](dev, 3)), must(runtime.BufferOf(dev, iota[int32](4)))
		g := modelgen.Mix{Out: out.All(), In: [2]modelgen.MixPart{{M: 2, V: v.Slice(0, 3)}, {M: 10, V: v.Slice(1, 4)}}}
		g.S.J = 100
		must(g.ParallelFor(q, 3))
		got := make([]int32, 3)
		check(t, out.CopyTo(ctx, q, got))
		equal(t, "views", got, []int32{122, 134, 146})
	})
}

func TestBuffers(t *testing.T) {
	copies(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		b := must(runtime.NewBuffer[int32](dev, 5))
		got := make([]int32, 5)
		check(t, b.CopyTo(ctx, q, got))
		equal(t, "new", got, make([]int32, 5))
		check(t, b.CopyFrom(ctx, q, []int32{1, 2, 3, 4, 5}))
		check(t, b.Slice(1, 4).Slice(1, 3).CopyFrom(ctx, q, []int32{30, 40}))
		check(t, b.CopyTo(ctx, q, got))
		equal(t, "copied", got, []int32{1, 2, 30, 40, 5})

		big := iota[int64](100_000)
		bb := must(runtime.BufferOf(dev, big))
		check(t, bb.CopyFrom(ctx, q, big))
		clear(big) // may be used again
		check(t, bb.CopyTo(ctx, q, big))
		equal(t, "big", big, iota[int64](100_000))
		check(t, b.Close())

	})
}

func TestEmptyBuffers(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		empty := must(runtime.BufferOf[int32](dev, nil))
		check(t, empty.CopyTo(ctx, q, nil))
		must(modelgen.Reverse{X: empty.All()}.ParallelFor(q, runtime.NDRange1{Local: 16}))
		must(modelgen.Reverse{}.ParallelFor(q, runtime.NDRange1{}))
		check(t, q.Wait(ctx))
	})
}

// TestBufferCycles makes, copies and frees buffers of many sizes.
func TestBufferCycles(t *testing.T) {
	copies(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		for i := range 2000 {
			s := iota[int32](1 + i*i%5000)
			b := must(runtime.NewBuffer[int32](dev, len(s)))
			check(t, b.CopyFrom(ctx, q, s))
			if i%50 == 0 {
				clear(s)
				check(t, b.CopyTo(ctx, q, s))
				equal(t, "round trip", s, iota[int32](len(s)))
			}
			check(t, b.Close())
		}
		check(t, q.Wait(ctx))
	})
}

func TestPipelineOfLaunches(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		const n, rounds = 100, 500
		x, y := must(runtime.BufferOf(dev, iota[float32](n))), must(runtime.NewBuffer[float32](dev, n))
		q1, q2 := dev.NewQueue(), dev.NewQueue()
		for range rounds {
			must(modelgen.SAXPY{A: 1, X: x.All(), Y: y.All()}.ParallelFor(q1, n))
			must(modelgen.SAXPY{A: -1, X: x.All(), Y: y.All()}.ParallelFor(q2, n))
			must(modelgen.SAXPY{A: 1, X: x.All(), Y: y.All()}.ParallelFor(q2, n))
		}
		got := make([]float32, n)
		check(t, y.CopyTo(ctx, q2, got))
		for i := range got {
			if got[i] != rounds*float32(i+1) {
				t.Fatalf("[%d] = %v", i, got[i])
			}
		}
		check(t, q1.Wait(ctx))
	})
}

func TestIdleFlush(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		x := must(runtime.BufferOf(dev, iota[int32](16)))
		ev := must(modelgen.Reverse{X: x.All()}.ParallelFor(dev.DefaultQueue(), runtime.NDRange1{Global: 16, Local: 16}))
		for deadline := time.Now().Add(10 * time.Second); !ev.Done(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("a launch that nobody waits for did not run")
			}
		}
	})
}

// TestAliasing passes slices that share memory.
func TestAliasing(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		all := iota[float32](13)
		x, y := all[1:6], all[4:9] // they overlap, and only y is written
		wantX := slices.Clone(x[:3])
		if !raceEnabled { // work-items read what others write, though it comes to nothing
			check(t, modelgen.RunSAXPY(ctx, dev, model.SAXPY{A: 0, X: x, Y: y}, 5))
		}
		equal(t, "unchanged", all, iota[float32](13))
		check(t, modelgen.RunSAXPY(ctx, dev, model.SAXPY{A: 1, X: y, Y: y}, 5))
		equal(t, "y", y, []float32{10, 12, 14, 16, 18})
		equal(t, "x", x, append(wantX, 10, 12))
		equal(t, "behind", all[9:], []float32{10, 11, 12, 13})

		// The sum is over what the task itself writes first.
		s := []int64{1, 2, 3}
		check(t, modelgen.RunSum(ctx, dev, model.Sum{X: s, Out: s[2:]}))
		equal(t, "Sum", s, []int64{1, 2, 6})
	})
}

// TestCopies checks what Run copies, and which of the commands wait.
func TestCopies(t *testing.T) {
	h := newCopying(t)
	dev := runtime.OpenHAL(h, "test")
	defer dev.Close()
	f := iota[float32](64)
	for _, c := range []struct {
		name string
		x, y []float32
		want string
	}{
		{"apart", f[:8], f[16:24], "WW|L|R"},
		{"same", f[:8], f[:8], "W|L|R"},
		{"overlapping", f[:8], f[4:12], "W|L|R"},
		{"touching", f[:8], f[8:16], "WW|L|R"},
	} {
		check(t, modelgen.RunSAXPY(ctx, dev, model.SAXPY{X: c.x, Y: c.y}, 8))
		if got := h.ops(); got != c.want {
			t.Errorf("%s: commands %q, want %q", c.name, got, c.want)
		}
	}
	k := model.Mix{Out: make([]int32, 2), Unused: make([]int32, 2), In: [2]model.Part{{V: make([]int32, 2)}, {V: make([]int32, 2)}}}
	check(t, modelgen.RunMix(ctx, dev, k, 2))
	if got := h.ops(); got != "WWW|L|R" {
		t.Errorf("elided parameter: commands %q", got)
	}
	check(t, modelgen.RunSAXPY(ctx, dev, model.SAXPY{}, 0))
	if got := h.ops(); got != "" {
		t.Errorf("empty range: commands %q", got)
	}
}

// TestHazards checks where launches on views wait for each other.
func TestHazards(t *testing.T) {
	h := newCopying(t)
	dev := runtime.OpenHAL(h, "test")
	defer dev.Close()
	q1, q2 := dev.NewQueue(), dev.NewQueue()
	b := must(runtime.BufferOf(dev, iota[float32](64)))
	part := func(i int) runtime.View[float32] { return b.Slice(8*i, 8*i+8) }
	var last runtime.Event
	launch := func(q *runtime.Queue, x, y int, opts ...runtime.LaunchOption) {
		last = must(modelgen.SAXPY{X: part(x), Y: part(y)}.ParallelFor(q, 8, opts...))
	}
	for _, c := range []struct {
		name string
		f    func()
		want string
	}{
		{"independent", func() { launch(q1, 0, 1); launch(q1, 0, 2); launch(q2, 0, 3) }, "LLL"},
		{"read after write", func() { launch(q1, 0, 1); launch(q1, 1, 2) }, "L|L"},
		{"of another queue", func() { launch(q1, 0, 1); launch(q2, 1, 2) }, "L|L"},
		{"write after read", func() { launch(q1, 0, 1); launch(q1, 2, 0) }, "L|L"},
		{"write after write", func() { launch(q1, 0, 1); launch(q1, 0, 1) }, "L|L"},
		{"one barrier orders all", func() { launch(q1, 0, 1); launch(q1, 0, 2); launch(q1, 1, 3); launch(q1, 2, 4) }, "LL|LL"},
		{"depends", func() { launch(q1, 0, 1); launch(q1, 0, 2, runtime.DependsOn(last)) }, "L|L"},
		{"depends, ordered already", func() {
			launch(q1, 0, 1)
			e := last
			launch(q1, 1, 2)
			launch(q1, 0, 3, runtime.DependsOn(e))
		}, "L|LL"},
		{"depends on nothing", func() { launch(q1, 0, 1); launch(q1, 0, 2, runtime.DependsOn(runtime.Event{})) }, "LL"},
	} {
		// A fill of the whole buffer orders the earlier commands.
		check(t, b.CopyFrom(ctx, q1, iota[float32](64)))
		check(t, q1.Wait(ctx))
		launch(q1, 5, 5)
		check(t, q1.Wait(ctx))
		h.ops()
		c.f()
		check(t, q1.Wait(ctx))
		check(t, q2.Wait(ctx))
		if got := h.ops(); got != c.want {
			t.Errorf("%s: commands %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDependsOnAnotherDevice(t *testing.T) {
	a, b := openHost(t), openHost(t)
	xa, xb := must(runtime.BufferOf(a, iota[int32](16))), must(runtime.BufferOf(b, iota[int32](16)))
	e := must(modelgen.Reverse{X: xa.All()}.ParallelFor(a.DefaultQueue(), runtime.NDRange1{Global: 16, Local: 16}))
	f := must(modelgen.Reverse{X: xb.All()}.ParallelFor(b.DefaultQueue(), runtime.NDRange1{Global: 16, Local: 16}, runtime.DependsOn(e)))
	if !e.Done() {
		t.Error("the launch does not wait for the other device")
	}
	none := must(modelgen.Reverse{}.ParallelFor(b.DefaultQueue(), runtime.NDRange1{}, runtime.DependsOn(f)))
	check(t, none.Wait(ctx))
	if !f.Done() {
		t.Error("an empty launch is done before what it depends on")
	}
}

func TestManyGoroutines(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		shared := must(runtime.NewBuffer[float32](dev, 64))
		one := must(runtime.BufferOf(dev, slices.Repeat([]float32{1}, 64)))
		const goroutines, rounds = 16, 40
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				q := dev.DefaultQueue()
				if g%2 == 0 {
					q = dev.NewQueue()
				}
				for r := range rounds {
					ev, err := modelgen.SAXPY{A: 1, X: one.All(), Y: shared.All()}.ParallelFor(q, 64)
					if err == nil && r%8 == 0 {
						err = ev.Wait(ctx)
					}
					x := iota[int32](16)
					if err == nil {
						err = modelgen.RunReverse(ctx, dev, model.Reverse{X: x}, runtime.NDRange1{Global: 16, Local: 16})
					}
					if err != nil || x[0] != 16 {
						t.Errorf("%v, %v", err, x)
						return
					}
				}
				if err := q.Wait(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		got := make([]float32, 64)
		check(t, shared.CopyTo(ctx, dev.DefaultQueue(), got))
		equal(t, "sum", got, slices.Repeat([]float32{goroutines * rounds}, 64))
	})
}

func TestLocalRange(t *testing.T) {
	dev := openHost(t)
	q := dev.DefaultQueue()
	out := must(runtime.NewBuffer[int](dev, 10_000))
	e := must(modelgen.Index2{Out: out.All()}.ParallelFor(q, runtime.Range2{100, 100}))
	equal(t, "range", e.LocalRange(), []int{16, 16})
	x := must(runtime.NewBuffer[int32](dev, 16))
	e = must(modelgen.Reverse{X: x.All()}.ParallelFor(q, runtime.NDRange1{Global: 16, Local: 16}))
	equal(t, "nd-range", e.LocalRange(), []int{16})
	s := must(runtime.NewBuffer[int64](dev, 1))
	e = must(modelgen.Sum{Out: s.All()}.SingleTask(q))
	equal(t, "task", e.LocalRange(), []int{})
	for _, c := range []struct {
		rank         int
		global, want [3]int
	}{
		{1, [3]int{1 << 20}, [3]int{256, 1, 1}},
		{1, [3]int{5}, [3]int{32, 1, 1}},
		{1, [3]int{100}, [3]int{128, 1, 1}},
		{2, [3]int{1 << 20, 1}, [3]int{256, 1, 1}},
		{2, [3]int{1, 1 << 20}, [3]int{1, 256, 1}},
		{2, [3]int{3, 1000}, [3]int{4, 64, 1}},
		{3, [3]int{100, 100, 100}, [3]int{1, 4, 64}},
		{3, [3]int{100, 100, 10}, [3]int{1, 16, 16}},
		{3, [3]int{1, 1, 7}, [3]int{1, 1, 8}},
	} {
		if got := dev.ChooseLocal(c.rank, c.global); got != c.want {
			t.Errorf("work-group size for %v: %v, want %v", c.global[:c.rank], got, c.want)
		}
	}
}
