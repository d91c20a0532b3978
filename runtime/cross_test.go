package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/ferry"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
)

// pairs runs a test on pairs of devices: each device beside each, and each beside itself. Copies go
// directly, and in pieces through other memory of the host.
func pairs(t *testing.T, test func(t *testing.T, a, b *runtime.Device)) {
	infos := runtime.Devices()
	for i := range infos {
		for j := range infos {
			t.Run(fmt.Sprintf("%s%d-%s%d", infos[i].Backend, i, infos[j].Backend, j), func(t *testing.T) {
				a, b := devtest.Index(t, i), devtest.Index(t, j)
				t.Run("direct", func(t *testing.T) { test(t, a, b) })
				ferry.Stage(true)
				defer ferry.Stage(false)
				t.Run("staged", func(t *testing.T) { test(t, a, b) })
				ferry.Import(false)
				defer ferry.Import(true)
				t.Run("not-imported", func(t *testing.T) { test(t, a, b) })
			})
		}
	}
}

// expect reports an error unless all elements of a buffer have a value.
func expect(t *testing.T, x *runtime.Buffer[uint32], want uint32) {
	t.Helper()
	got := make([]uint32, x.Len())
	if err := x.CopyTo(ctx, x.Device().NewQueue(), got); err != nil {
		t.Error(err)
	}
	if i := slices.IndexFunc(got, func(v uint32) bool { return v != want }); i >= 0 {
		t.Errorf("element %d is %d, and not %d", i, got[i], want)
	}
}

// TestCopyAcross copies between two devices, between launches on both.
func TestCopyAcross(t *testing.T) {
	pairs(t, func(t *testing.T, a, b *runtime.Device) {
		const n, rounds = 5000, 30
		x, y := must(runtime.NewBuffer[uint32](a, n)), must(runtime.NewBuffer[uint32](b, n+7))
		qa, qb := a.NewQueue(), b.NewQueue()
		for i := range rounds {
			must(incrementing(qa, x))
			q := qa
			if i%3 == 0 {
				q = qb
			}
			must(q.Enqueue(runtime.Copy(y.Slice(5, n+5), x.All())))
			must(launchOn(qb, increment, y.Slice(5, n+5)))
			must(qb.Enqueue(runtime.Copy(x.All(), y.Slice(5, n+5))))
		}
		far := make([]uint32, n+7)
		if err := errors.Join(y.CopyTo(ctx, qb, far), qa.Wait(ctx), qb.Wait(ctx)); err != nil {
			t.Fatal(err)
		}
		expect(t, x, 2*rounds)
		if far[4] != 0 || far[5] != 2*rounds || far[n+4] != 2*rounds || far[n+5] != 0 {
			t.Errorf("the copy is at another place: %d %d … %d %d", far[4], far[5], far[n+4], far[n+5])
		}
	})
}

// TestCopyAcrossPieces copies more bytes than the pieces in flight have.
func TestCopyAcrossPieces(t *testing.T) {
	n := (ferry.Flight+2)*ferry.PieceSize/4 + 123
	src := make([]uint32, n)
	for i := range src {
		src[i] = uint32(i) * 2654435761
	}
	ferry.Stage(true)
	defer ferry.Stage(false)
	a, b := devtest.Host(t), devtest.VulkanOrNone(t)
	if b == nil {
		b = devtest.Host(t)
	}
	x, y, z := must(runtime.BufferOf(a, src)), must(runtime.NewBuffer[uint32](b, n)), must(runtime.NewBuffer[uint32](a, n))
	must(a.DefaultQueue().Enqueue(runtime.Copy(y.All(), x.All())))
	must(b.DefaultQueue().Enqueue(runtime.Copy(z.All(), y.All())))
	got := make([]uint32, n)
	if err := z.CopyTo(ctx, a.DefaultQueue(), got); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != src[i] {
			t.Fatalf("element %d is %d, and not %d", i, got[i], src[i])
		}
	}
}

// TestCopyAcrossRandom enqueues random commands on three devices, which leave the same elements as
// the same commands on slices, one after another.
func TestCopyAcrossRandom(t *testing.T) {
	devs := []*runtime.Device{devtest.Host(t), devtest.Host(t), devtest.Host(t)}
	if v := devtest.VulkanOrNone(t); v != nil {
		devs[1] = v
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		ferry.Stage(seed%2 == 0)
		const n = 64
		var held [][]uint32
		var buffers []*runtime.Buffer[uint32]
		for i := range 6 {
			buffers, held = append(buffers, must(runtime.NewBuffer[uint32](devs[i%3], n))), append(held, make([]uint32, n))
		}
		part := func() (i, lo, hi int) {
			lo = r.IntN(n)
			return r.IntN(len(buffers)), lo, lo + r.IntN(n-lo) + 1
		}
		var last runtime.Event
		for range 150 {
			i, lo, hi := part()
			x, q := buffers[i].Slice(lo, hi), buffers[i].Device().DefaultQueue()
			switch r.IntN(4) {
			case 0:
				last = must(launchOn(q, increment, x))
				for k := lo; k < hi; k++ {
					held[i][k]++
				}
			case 1:
				v := r.Uint32()
				last = must(q.Enqueue(runtime.Fill(x, v), runtime.DependsOn(last)))
				for k := lo; k < hi; k++ {
					held[i][k] = v
				}
			default:
				j, lo2, hi2 := part()
				size := min(hi-lo, hi2-lo2)
				if i == j {
					continue
				}
				other := buffers[j]
				if r.IntN(2) == 0 {
					q = other.Device().DefaultQueue()
				}
				if other.Device() == buffers[i].Device() {
					q = other.Device().DefaultQueue()
				}
				last = must(q.Enqueue(runtime.Copy(other.Slice(lo2, lo2+size), x.Slice(0, size))))
				copy(held[j][lo2:lo2+size], held[i][lo:])
			}
		}
		for i, b := range buffers {
			got := make([]uint32, n)
			if err := b.CopyTo(ctx, b.Device().DefaultQueue(), got); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, held[i]) {
				t.Fatalf("seed %d, buffer %d: %v, and not %v", seed, i, got, held[i])
			}
			b.Close()
		}
	}
	ferry.Stage(false)
}

// TestCopyAcrossInGraphs runs copies between devices as nodes of graphs of both.
func TestCopyAcrossInGraphs(t *testing.T) {
	pairs(t, func(t *testing.T, a, b *runtime.Device) {
		const n, runs = 300, 5
		x, y := must(runtime.NewBuffer[uint32](a, n)), must(runtime.NewBuffer[uint32](b, n))
		there, back := runtime.NewGraph(a), runtime.NewGraph(b)
		qa, qb := a.NewQueue(), b.NewQueue()
		if err := errors.Join(qa.BeginRecording(there), qb.BeginRecording(back)); err != nil {
			t.Fatal(err)
		}
		must(incrementing(qa, x))
		must(qa.Enqueue(runtime.Copy(y.All(), x.All())))
		must(incrementing(qa, x)) // the copy has not this one
		must(incrementing(qb, y))
		must(qb.Enqueue(runtime.Copy(x.All(), y.All())))
		if err := errors.Join(qa.EndRecording(), qb.EndRecording()); err != nil {
			t.Fatal(err)
		}
		first, second := must(there.Finalize(properties.EnableFusion())), must(back.Finalize())
		var last runtime.Event
		for range runs {
			must(qa.Submit(first))
			last = must(qb.Submit(second))
		}
		if err := last.Wait(ctx); err != nil {
			t.Error(err)
		}
		expect(t, x, 2*runs)
		expect(t, y, 2*runs)
	})
}

// TestCopyAcrossMisuse makes the mistakes that copies between devices can have.
func TestCopyAcrossMisuse(t *testing.T) {
	a, b, c := devtest.Host(t), devtest.Host(t), must(runtime.Open(runtime.Select("host")))
	x, y, z := must(runtime.NewBuffer[uint32](a, 8)), must(runtime.NewBuffer[uint32](b, 8)), must(runtime.NewBuffer[uint32](c, 8))
	gone := must(runtime.NewBuffer[uint32](b, 8))
	gone.Close()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	third := devtest.Host(t)
	for _, m := range []struct {
		name string
		q    *runtime.Queue
		c    runtime.Command
		text string
	}{
		{"lengths", a.DefaultQueue(), runtime.Copy(y.Slice(0, 7), x.All()), "a copy of 8 elements to 7"},
		{"a third device", third.DefaultQueue(), runtime.Copy(y.All(), x.All()), "to a buffer of another device of this name, on a queue of a third device; enqueue it on a queue of one of the two devices"},
		{"a closed device", a.DefaultQueue(), runtime.Copy(z.All(), x.All()), "is closed"},
		{"a closed buffer", a.DefaultQueue(), runtime.Copy(gone.All(), x.All()), "a buffer that is closed"},
		{"a closed buffer, from its device", b.DefaultQueue(), runtime.Copy(gone.All(), x.All()), "a buffer that is closed"},
	} {
		t.Run(m.name, func(t *testing.T) {
			_, err := m.q.Enqueue(m.c)
			wantError(t, err, runtime.ErrInvalid, m.text)
			_, err = runtime.NewGraph(m.q.Device()).Add(m.c)
			wantError(t, err, runtime.ErrInvalid, m.text)
		})
	}
	must(a.DefaultQueue().Enqueue(runtime.Copy(y.Slice(3, 3), x.Slice(2, 2)))) // nothing to copy is no mistake
}

// TestCopyAcrossReadsUnwritten: a copy of elements that were not written fails, and so do commands
// that read the copy, until its elements are written again. Other memory stays usable.
func TestCopyAcrossReadsUnwritten(t *testing.T) {
	devtest.Each(t, func(t *testing.T, b *runtime.Device) {
		bad := &failing{Device: must(host.New().Open(0)), err: hal.ErrDriver}
		bad.left.Store(-1)
		a := runtime.OpenHAL(bad, "bad")
		defer a.Close()
		x, y := must(runtime.NewBuffer[uint32](a, 100)), must(runtime.NewBuffer[uint32](b, 100))
		qa, qb := a.NewQueue(), b.NewQueue()
		if err := errors.Join(a.DefaultQueue().Wait(ctx), b.DefaultQueue().Wait(ctx)); err != nil {
			t.Fatal(err)
		}
		bad.left.Store(0)
		wantError(t, must(qa.Enqueue(runtime.Fill(x.All(), 7))).Wait(ctx), runtime.ErrDriver, "a copy did not run whole")
		bad.left.Store(-1)
		for _, ev := range []runtime.Event{
			must(qa.Enqueue(runtime.Copy(y.Slice(0, 50), x.Slice(0, 50)))),
			must(qb.Enqueue(runtime.Copy(y.Slice(50, 60), x.Slice(50, 60)))),
			must(incrementing(qb, y)),
		} {
			wantError(t, ev.Wait(ctx), runtime.ErrDriver, "which did not run whole")
		}
		must(qb.Enqueue(runtime.Fill(y.All(), 5)))
		must(qa.Enqueue(runtime.Fill(x.All(), 6)))
		must(qa.Enqueue(runtime.Copy(y.Slice(0, 50), x.Slice(0, 50))))
		must(qb.Enqueue(runtime.Copy(y.Slice(50, 100), x.Slice(0, 50))))
		expect(t, y, 6)
		if err := errors.Join(qa.Wait(ctx), qb.Wait(ctx)); err != nil {
			t.Error(err)
		}
	})
}

// TestCopyAcrossReadsUnwrittenOnce copies unwritten elements several times from device to device. The error contains
// only the first failure, and only once.
func TestCopyAcrossReadsUnwrittenOnce(t *testing.T) {
	bad := &failing{Device: must(host.New().Open(0)), err: hal.ErrDriver}
	bad.left.Store(-1)
	a, b := runtime.OpenHAL(bad, "bad"), must(runtime.Open(runtime.Select("host")))
	defer a.Close()
	defer b.Close() // returns the errors of the copies
	x, y := must(runtime.NewBuffer[uint32](a, 100)), must(runtime.NewBuffer[uint32](b, 100))
	qa, qb := a.NewQueue(), b.NewQueue()
	if err := errors.Join(a.DefaultQueue().Wait(ctx), b.DefaultQueue().Wait(ctx)); err != nil {
		t.Fatal(err)
	}
	bad.left.Store(0)
	wantError(t, must(qa.Enqueue(runtime.Fill(x.All(), 7))).Wait(ctx), runtime.ErrDriver, "a copy did not run whole")
	bad.left.Store(-1)
	for range 3 {
		must(qa.Enqueue(runtime.Copy(y.All(), x.All())))
		must(qb.Enqueue(runtime.Copy(x.All(), y.All())))
	}
	err := must(incrementing(qb, y)).Wait(ctx)
	wantError(t, err, runtime.ErrDriver, "a copy did not run whole")
	for _, text := range []string{"it read memory that", "copy to all of that memory"} {
		if n := strings.Count(err.Error(), text); n != 1 {
			t.Errorf("%d times %q in: %v", n, text, err)
		}
	}
}

// TestCopyAcrossEnds: the end of its context ends a copy that waits for its turn.
func TestCopyAcrossEnds(t *testing.T) {
	pairs(t, func(t *testing.T, a, b *runtime.Device) {
		x, y := must(runtime.NewBuffer[uint32](a, 100)), must(runtime.NewBuffer[uint32](b, 100))
		other := must(runtime.NewBuffer[uint32](b, 10))
		ended, cancel := context.WithCancel(ctx)
		open := make(chan struct{})
		must(a.DefaultQueue().Enqueue(runtime.HostFunc(func(context.Context) error { <-open; return nil })))
		ev := must(b.DefaultQueue().Enqueue(runtime.Copy(y.All(), x.All()), runtime.WithContext(ended)))
		cancel()
		wantError(t, ev.Wait(ended), runtime.ErrCanceled, "")
		expectReads := must(incrementing(b.NewQueue(), y))
		must(incrementing(b.NewQueue(), other)) // runs beside the copy
		close(open)
		wantError(t, ev.Wait(ctx), runtime.ErrCanceled, "a copy was cancelled before its end")
		wantError(t, expectReads.Wait(ctx), runtime.ErrCanceled, "which did not run whole")
		expect(t, other, 1)
		expect(t, x, 0)
	})
}

// TestCopyAcrossAbandoned: a device that is closed while a copy waits for it ends the copy, and the
// other device goes on.
func TestCopyAcrossAbandoned(t *testing.T) {
	for _, source := range []bool{true, false} {
		a, b := must(runtime.Open(runtime.Select("host"), runtime.CloseTimeout(1))), devtest.Host(t)
		x, y := must(runtime.NewBuffer[uint32](a, 100)), must(runtime.NewBuffer[uint32](b, 100))
		open := make(chan struct{})
		must(a.DefaultQueue().Enqueue(runtime.HostFunc(func(context.Context) error { <-open; return nil })))
		dst, src := y, x
		if !source {
			dst, src = x, y
		}
		near := must(b.DefaultQueue().Enqueue(runtime.Copy(dst.All(), src.All())))
		far := must(a.DefaultQueue().Enqueue(runtime.Copy(dst.All(), src.All())))
		wantError(t, a.Close(), runtime.ErrDeviceLost, "")
		wantError(t, near.Wait(ctx), runtime.ErrDeviceLost, "")
		wantError(t, far.Wait(ctx), runtime.ErrDeviceLost, "")
		close(open)
		if source {
			wantError(t, must(incrementing(b.NewQueue(), y)).Wait(ctx), runtime.ErrDeviceLost, "which did not run whole")
			must(b.DefaultQueue().Enqueue(runtime.Fill(y.All(), 3)))
			expect(t, y, 3)
		} else {
			expect(t, y, 0)
		}
	}
}

// failing is a host device that fails from a command on.
type failing struct {
	hal.Device
	left atomic.Int32 // number of batches before that; negative if the device never fails
	err  error
}

func (d *failing) Submit(batch []hal.Command) (hal.Ticket, error) {
	if d.left.Load() == 0 {
		return nil, d.err
	}
	d.left.Add(-1)
	return d.Device.Submit(batch)
}

func (d *failing) Alloc(size uint64, kind hal.MemoryKind) (hal.Memory, error) {
	if kind == hal.HostMemory && d.left.Load() == 0 {
		return nil, hal.ErrOutOfMemory
	}
	return d.Device.Alloc(size, kind)
}

// TestCopyAcrossFails fails the commands of a copy in pieces, on either device. The error names
// the device, and only the destination's elements are unusable.
func TestCopyAcrossFails(t *testing.T) {
	ferry.Stage(true)
	defer ferry.Stage(false)
	for _, failure := range []error{hal.ErrDeviceLost, hal.ErrDriver} {
		class := map[error]error{hal.ErrDeviceLost: runtime.ErrDeviceLost, hal.ErrDriver: runtime.ErrDriver}[failure]
		for _, source := range []bool{true, false} {
			for after := range int32(2) {
				bad := &failing{Device: must(host.New().Open(0)), err: failure}
				bad.left.Store(-1)
				a, b := runtime.OpenHAL(bad, "bad"), devtest.Host(t)
				n := 2*ferry.PieceSize/4 + 1
				x, y, other := must(runtime.NewBuffer[uint32](a, n)), must(runtime.NewBuffer[uint32](b, n)), must(runtime.NewBuffer[uint32](b, 10))
				if err := errors.Join(a.DefaultQueue().Wait(ctx), b.DefaultQueue().Wait(ctx)); err != nil {
					t.Fatal(err)
				}
				bad.left.Store(after)
				dst, src := y, x
				if !source {
					dst, src = x, y
				}
				want := class
				if source && after == 0 {
					want = runtime.ErrMemoryAllocation
				}
				for _, dev := range []*runtime.Device{b, a} {
					ev, err := dev.DefaultQueue().Enqueue(runtime.Copy(dst.All(), src.All()))
					if err == nil {
						err = ev.Wait(ctx)
					}
					wantError(t, err, want, "host")
					if source && after == 1 && dev == b {
						if failure == hal.ErrDriver {
							bad.left.Store(1) // lost devices stay so
						}
					}
				}
				wantError(t, errors.Join(b.DefaultQueue().Wait(ctx)), nil, "")
				expect(t, other, 0)
				if source {
					wantError(t, must(incrementing(b.NewQueue(), y)).Wait(ctx), want, "which did not run whole")
					must(b.DefaultQueue().Enqueue(runtime.Fill(y.All(), 4)))
				}
				if source {
					expect(t, y, 4)
				} else {
					expect(t, y, 0)
				}
				b.Close()
				a.Close()
			}
		}
	}
}

// wantError reports an error that is not of the class, or without the text.
func wantError(t *testing.T, err, class error, text string) {
	t.Helper()
	if class == nil && err == nil {
		return
	}
	if !errors.Is(err, class) || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, and not %v with %q", err, class, text)
	}
}

// BenchmarkCopyAcross copies between two devices: by default the first GPU, opened twice. The
// devices of the first two GPUs are taken where there are two.
//
//	go test -run - -bench CopyAcross ./runtime
func BenchmarkCopyAcross(b *testing.B) {
	infos := runtime.Devices()
	one, two := 0, 0
	if len(infos) > 1 && infos[1].Type < runtime.HostCPU {
		two = 1
	}
	for _, way := range []string{"CUDA", "imported", "staged"} {
		for _, size := range []int{4 << 10, 1 << 20, 64 << 20, 1 << 30} {
			if infos[0].Type >= runtime.HostCPU && size > 64<<20 {
				continue
			}
			b.Run(fmt.Sprintf("%s/%d KiB", way, size>>10), func(b *testing.B) {
				ferry.Import(way != "staged")
				defer ferry.Import(true)
				least := uint64(math.MaxUint64) // the bytes go by the host's memory
				if way == "CUDA" {
					least = 0
				}
				defer ferry.FromPeers(ferry.FromPeers(least))
				exportMemory(way == "CUDA")
				defer exportMemory(false)
				ferry.Stage(infos[0].Type >= runtime.HostCPU)
				defer ferry.Stage(false)
				x, y := must(runtime.NewBuffer[byte](devtest.Index(b, one), size)), must(runtime.NewBuffer[byte](devtest.Index(b, two), size))
				q := x.Device().DefaultQueue()
				b.SetBytes(int64(size))
				copied := func() {
					if err := must(q.Enqueue(runtime.Copy(y.All(), x.All()))).Wait(ctx); err != nil {
						b.Fatal(err)
					}
				}
				copied()
				for b.Loop() {
					copied()
				}
			})
		}
	}
}

// exportMemory makes Vulkan devices export their memory, for copies by CUDA's driver between two
// devices that are one GPU. It does nothing on systems without Vulkan devices.
var exportMemory = func(bool) {}

// TestCopyAcrossConcurrent has goroutines copy between three devices in all directions, and other
// goroutines that end their copies early.
func TestCopyAcrossConcurrent(t *testing.T) {
	devs := []*runtime.Device{devtest.Host(t), devtest.Host(t), devtest.Host(t)}
	if v := devtest.VulkanOrNone(t); v != nil {
		devs[2] = v
	}
	const n, rounds = 1000, 30
	var all sync.WaitGroup
	for g := range 9 {
		a, b := devs[g%3], devs[(g+1+g/6)%3]
		x, y := must(runtime.NewBuffer[uint32](a, n)), must(runtime.NewBuffer[uint32](b, n))
		all.Go(func() {
			qa, qb := a.NewQueue(), b.NewQueue()
			for range rounds {
				must(incrementing(qa, x))
				must(qb.Enqueue(runtime.Copy(y.All(), x.All())))
				must(incrementing(qb, y))
				must(qa.Enqueue(runtime.Copy(x.All(), y.All())))
			}
			expect(t, x, 2*rounds)
		})
		if g%3 > 0 {
			continue
		}
		z := must(runtime.NewBuffer[uint32](b, n))
		all.Go(func() {
			for range rounds {
				ended, cancel := context.WithCancel(ctx)
				ev := must(b.DefaultQueue().Enqueue(runtime.Copy(z.All(), x.All()), runtime.WithContext(ended)))
				cancel()
				if err := ev.Wait(ctx); err != nil && !errors.Is(err, runtime.ErrCanceled) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
