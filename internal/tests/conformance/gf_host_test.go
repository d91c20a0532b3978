package conformance

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/runtime"
)

// A host function keeps the kernels before and behind it apart; one that has its memory stated,
// and which no kernel depends on, does not.
func TestGF9_HostFunc(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		q := dev.DefaultQueue()
		x, y := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n))
		calls := 0
		f := func(context.Context) error { calls++; return nil }
		g := graphOf(t, dev, affine(y, x, 2, 1), runtime.HostFunc(f), grow(y, 5))
		ex := refused(t, g, "the host function has to run between")
		for range 3 {
			submit(t, q, ex)
		}
		if calls != 3 {
			t.Errorf("%d calls", calls)
		}
		own := []int{1}
		for at := range 3 { // before the kernels, between them, and behind
			list := []runtime.Command{affine(y, x, 2, 1), grow(y, 5)}
			list = slices.Insert(list, at, runtime.HostFunc(f, runtime.HostWrites(own)))
			ex := must(graphOf(t, dev, list...).Finalize(require))(t)
			wantLaunches(t, ex, "steps.Affine+steps.Grow")
			submit(t, q, ex)
		}
		if calls != 6 {
			t.Errorf("%d calls", calls)
		}
		want := ints(n, 0)
		for i := range want {
			want[i] = 2*want[i] + 6
		}
		wantInts(t, dev, y, want)
		// At the ends, one without memory does not hinder either.
		ex = must(graphOf(t, dev, runtime.HostFunc(f), affine(y, x, 2, 1), grow(y, 5), runtime.HostFunc(f)).Finalize(require))(t)
		wantLaunches(t, ex, "steps.Affine+steps.Grow")
		submit(t, q, ex)
		wantInts(t, dev, y, want)
	})
}

// A host function sees what was downloaded before it, and what it writes is uploaded behind it, in
// each run.
func TestGR8_HostFunc(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 8
		q := dev.DefaultQueue()
		x, y := buffer(t, dev, ints(n, 1)), buffer(t, dev, make([]int32, n))
		host, result := make([]int32, n), make([]int32, n)
		double := func(context.Context) error {
			for i := range host {
				host[i] *= 2
			}
			return nil
		}
		for _, memory := range [][]runtime.HostMemory{nil, {runtime.HostWrites(host)}, {runtime.HostReads(result), runtime.HostWrites(host)}} {
			check(t, x.CopyFrom(ctx, q, ints(n, 1)))
			ex := must(graphOf(t, dev, stepsgen.Grow{By: 1, Out: x}.Node(n), runtime.Download(host, x), runtime.HostFunc(double, memory...), runtime.Upload(x, host),
				affine(y, x, 10, 0), runtime.Download(result, y)).Finalize(enable))(t)
			want := ints(n, 1)
			for range 4 {
				submit(t, q, ex)
				for i := range want {
					want[i] = 2 * (want[i] + 1)
				}
			}
			wantInts(t, dev, x, want)
			for i := range want {
				want[i] *= 10
			}
			if !slices.Equal(result, want) {
				t.Errorf("got %v, want %v", result, want)
			}
		}
		// One that only reads does not make good what the graph downloads.
		g := graphOf(t, dev, runtime.Download(host, x), runtime.HostFunc(double, runtime.HostReads(host)))
		_, err := g.Add(runtime.Upload(x, host))
		wantErr(t, err, runtime.ErrInvalid)
	})
}

// The failure of a host function is that of its graph's run; what has failed before keeps it from
// being called.
func TestGR10_HostFunc(t *testing.T) {
	errOwn := errors.New("own")
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x, y := buffer(t, dev, []int32{-1, 0}), buffer(t, dev, make([]int32, 2))
		calls := 0
		f := func(context.Context) error { calls++; return errOwn }
		err := must(q.Submit(must(graphOf(t, dev, runtime.HostFunc(f), stepsgen.Strict{In: x, Out: y}.Node(2)).Finalize())(t)))(t).Wait(ctx)
		if !errors.Is(err, errOwn) || !errors.Is(err, runtime.ErrHostFunc) || calls != 1 {
			t.Errorf("%d calls: %v", calls, err)
		}
		err = must(q.Submit(must(graphOf(t, dev, stepsgen.Strict{In: x, Out: y}.Node(2), runtime.HostFunc(f)).Finalize())(t)))(t).Wait(ctx)
		if !errors.As(err, new(*runtime.Fault)) || calls != 1 {
			t.Errorf("%d calls: %v", calls, err)
		}
		check(t, q.Wait(ctx))
		// With the context that ends it, the one that runs, and the kernels behind it.
		ends, cancel := context.WithCancel(ctx)
		wait := func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() }
		err = must(q.Submit(must(graphOf(t, dev, runtime.HostFunc(wait), grow(y, 1)).Finalize())(t), runtime.WithContext(ends)))(t).Wait(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
