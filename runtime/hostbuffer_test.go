package runtime_test

import (
	"context"
	"errors"
	gort "runtime"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

func countOn(q *runtime.Queue, v runtime.View[uint32]) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(increment)
	kernelimpl.View(l, 0, v)
	return l.ParallelFor1(q, runtime.Range1(v.Len()), nil)
}

// TestHostBuffer copies there, launches and copies back, with one wait, on memory that the host
// reads and writes as a slice.
func TestHostBuffer(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		for _, n := range []int{1, 5, 1000, 1 << 16, 1<<18 + 1} {
			in, out := must(runtime.NewHostBuffer[uint32](dev, n)), must(runtime.NewHostBuffer[uint32](dev, n))
			x := must(runtime.NewBuffer[uint32](dev, n))
			if in.Len() != n || len(in.Slice()) != n || in.All().Len() != n || in.Device() != dev {
				t.Fatalf("%d elements of %d", in.Len(), n)
			}
			for i, v := range in.Slice() {
				if v != 0 {
					t.Fatalf("element %d of a new host buffer is %d", i, v)
				}
			}
			for round := range 3 {
				for i := range in.Slice() {
					in.Slice()[i] = uint32(i + round)
				}
				must(q.Enqueue(runtime.Copy(x.All(), in.All())))
				must(countOn(q, x.All()))
				ev := must(q.Enqueue(runtime.Copy(out.All(), x.All())))
				check(t, ev.Wait(ctx))
				for i, v := range out.Slice() {
					if v != uint32(i+round+1) {
						t.Fatalf("%d elements, round %d: element %d is %d", n, round, i, v)
					}
				}
			}
			// Kernels, CopyTo and CopyFrom take the view as any other.
			check(t, must(countOn(q, in.All())).Wait(ctx))
			host := make([]uint32, n)
			check(t, in.All().CopyTo(ctx, q, host))
			if host[n-1] != uint32(n-1+2+1) || in.Slice()[n-1] != host[n-1] {
				t.Errorf("%d after a launch, of which the slice has %d", host[n-1], in.Slice()[n-1])
			}
			check(t, in.All().CopyFrom(ctx, q, make([]uint32, n)))
			check(t, q.Wait(ctx))
			if in.Slice()[0] != 0 || in.Slice()[n-1] != 0 {
				t.Error("CopyFrom has not come to the slice")
			}
			check(t, in.Close())
			check(t, out.Close())
			check(t, x.Close())
		}
	})
}

// TestHostBufferClose closes host buffers that commands use, and that were closed.
func TestHostBufferClose(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		const n = 1 << 18
		q := dev.DefaultQueue()
		x := must(runtime.NewBuffer[uint32](dev, n))
		for round := range uint32(20) {
			h := must(runtime.NewHostBuffer[uint32](dev, n))
			for i := range h.Slice() {
				h.Slice()[i] = round
			}
			ev := must(q.Enqueue(runtime.Copy(x.All(), h.All())))
			check(t, h.Close()) // while the copy is in flight, or not even submitted
			if h.Slice() != nil {
				t.Error("a closed buffer has a slice")
			}
			if _, err := q.Enqueue(runtime.Copy(x.All(), h.All())); !errors.Is(err, runtime.ErrInvalid) {
				t.Errorf("a copy of a closed buffer: %v", err)
			}
			other := must(runtime.NewHostBuffer[uint32](dev, n)) // which must not get that memory yet
			for i := range other.Slice() {
				other.Slice()[i] = ^uint32(0)
			}
			check(t, ev.Wait(ctx))
			got := make([]uint32, n)
			check(t, x.CopyTo(ctx, q, got))
			if got[0] != round || got[n-1] != round {
				t.Fatalf("round %d: %d and %d came", round, got[0], got[n-1])
			}
			check(t, other.Close())
			check(t, other.Close())
		}
	})
	dev := must(runtime.Open(runtime.Select("host")))
	h := must(runtime.NewHostBuffer[uint32](dev, 4))
	check(t, dev.Close())
	if h.Slice() != nil {
		t.Error("a host buffer of a closed device has a slice")
	}
	check(t, h.Close())
	var none *runtime.HostBuffer[uint32]
	check(t, none.Close())
	if none.Len() != 0 || none.Slice() != nil || none.Device() != nil {
		t.Error("a nil host buffer has elements")
	}
}

// TestHostBufferForgotten: who has the slice of a buffer that nobody has any more may use it.
func TestHostBufferForgotten(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		slices := make([][]uint32, 8)
		for i := range slices {
			slices[i] = must(runtime.NewHostBuffer[uint32](dev, 1<<16)).Slice()
			for j := range slices[i] {
				slices[i][j] = uint32(i)
			}
		}
		for range 5 {
			gort.GC()
			b := must(runtime.NewHostBuffer[uint32](dev, 1<<16)) // in freed memory, if there is
			for j := range b.Slice() {
				b.Slice()[j] = 99
			}
		}
		for i, s := range slices {
			for j, v := range s {
				if v != uint32(i) {
					t.Fatalf("element %d of slice %d is %d", j, i, v)
				}
			}
		}
	})
}

// TestHostBufferErrors: wrong ones are refused, and what a command that did not run was to write
// cannot be read by commands.
func TestHostBufferErrors(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		if _, err := runtime.NewHostBuffer[uint32](dev, -1); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("-1 elements: %v", err)
		}
		if _, err := runtime.NewHostBuffer[*int](dev, 1); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("pointers: %v", err)
		}
		if _, err := runtime.NewHostBuffer[uint32](dev, 1<<50); !errors.Is(err, runtime.ErrMemoryAllocation) {
			t.Errorf("too many elements: %v", err)
		}
		if _, err := runtime.NewHostBuffer[uint32](nil, 1); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("no device: %v", err)
		}
		var none *runtime.HostBuffer[uint32]
		h := must(runtime.NewHostBuffer[uint32](dev, 8))
		defer h.Close()
		if _, err := q.Enqueue(runtime.Copy(h.All(), none.All())); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("a copy of a nil buffer: %v", err)
		}
		if e := must(runtime.NewHostBuffer[uint32](dev, 0)); e.Len() != 0 || len(e.Slice()) != 0 {
			t.Error("an empty host buffer has elements")
		}
		x := must(runtime.NewBuffer[uint32](dev, 8))
		defer x.Close()
		ended, end := context.WithCancel(ctx)
		ev, err := q.Enqueue(runtime.Copy(h.All(), x.All()), runtime.WithContext(ended))
		check(t, err)
		end()
		if err := ev.Wait(ctx); err != nil { // it may have run before
			if !errors.Is(err, runtime.ErrCanceled) {
				t.Errorf("a cancelled copy: %v", err)
			}
			ev = must(q.Enqueue(runtime.Copy(x.All(), h.All())))
			if err := ev.Wait(ctx); !errors.Is(err, runtime.ErrCanceled) {
				t.Errorf("a copy of what was not copied: %v", err)
			}
		}
		check(t, must(q.Enqueue(runtime.Fill(h.All(), 3))).Wait(ctx))
		if h.Slice()[7] != 3 {
			t.Errorf("a fill left %d", h.Slice()[7])
		}
	})
}
