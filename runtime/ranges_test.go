package runtime_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/endless/endlessgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// TestRoundUp compares with counting up to the next multiple.
func TestRoundUp(t *testing.T) {
	up := func(n, local int) int {
		for n%local != 0 {
			n++
		}
		return n
	}
	for n := range 70 {
		for local := 1; local < 35; local++ {
			r1 := runtime.NDRange1{Global: runtime.Range1(n), Local: runtime.Range1(local)}.RoundUp()
			if want := up(n, local); int(r1.Global) != want || int(r1.Local) != local {
				t.Fatalf("%d by %d: %v, want %d", n, local, r1, want)
			}
			m, other := n*7%61, local%5+1
			r2 := runtime.NDRange2{Global: runtime.Range2{n, m}, Local: runtime.Range2{local, other}}
			if got := r2.RoundUp(); got.Global != (runtime.Range2{up(n, local), up(m, other)}) || got.Local != r2.Local {
				t.Fatalf("%v: %v", r2, got)
			}
			r3 := runtime.NDRange3{Global: runtime.Range3{m, n, n + 1}, Local: runtime.Range3{other, local, local + 1}}
			if got := r3.RoundUp(); got.Global != (runtime.Range3{up(m, other), up(n, local), up(n+1, local+1)}) || got.Local != r3.Local {
				t.Fatalf("%v: %v", r3, got)
			}
		}
	}
	// Ranges that make no sense stay as they are, and the launch refuses them.
	dev := devtest.Host(t)
	for _, r := range []runtime.NDRange1{{15, 0}, {15, -16}, {-15, 16}, {math.MaxInt, 16}, {math.MaxInt - 3, 16}, {math.MinInt, -1}, {math.MaxInt, math.MaxInt - 1}} {
		up := r.RoundUp()
		if up != r {
			t.Errorf("%v: %v", r, up)
		}
		err := modelgen.RunReverse(t.Context(), dev, model.Reverse{X: make([]int32, 16)}, up)
		if !errors.Is(err, runtime.ErrInvalid) && !errors.Is(err, runtime.ErrNDRange) {
			t.Errorf("a launch over %v: %v", up, err)
		}
	}
}

// TestRunViews: the method Run of stubs launches on views and waits.
func TestRunViews(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		q, ctx := dev.DefaultQueue(), t.Context()
		x, y := must(runtime.BufferOf(dev, []float32{1, 2, 3})), must(runtime.BufferOf(dev, []float32{10, 20, 30}))
		k := saxpygen.SAXPY{A: 2, X: x.All(), Y: y.All()}
		has := func(want ...float32) {
			t.Helper()
			got := make([]float32, 3)
			if err := y.CopyTo(context.Background(), q, got); err != nil || !slices.Equal(got, want) {
				t.Errorf("got %v, %v; want %v", got, err, want)
			}
		}
		refused := func(err error, class error, want string) {
			t.Helper()
			if !errors.Is(err, class) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v; want %v, with %q", err, class, want)
			}
		}
		check(t, k.Run(ctx, q, 3))
		has(12, 24, 36)
		check(t, k.Run(context.Background(), q, 2, runtime.With(properties.WorkGroupSize(256))))
		has(14, 28, 36)
		check(t, k.Run(ctx, q, 0))

		// Run tells of the fault, and nobody else does.
		var fault *runtime.Fault
		if err := k.Run(ctx, q, 4); !errors.As(err, &fault) || !slices.Equal(fault.GlobalID, []int{3}) {
			t.Error(err)
		}
		check(t, q.Wait(ctx))
		has(16, 32, 42)

		// Launches that are refused change nothing.
		ended, end := context.WithCancel(ctx)
		end()
		refused(k.Run(ended, q, 3), runtime.ErrCanceled, "")
		refused(k.Run(nil, q, 3), runtime.ErrInvalid, "the context is nil")
		refused(k.Run(ctx, nil, 3), runtime.ErrInvalid, "no queue")
		refused(k.Run(ctx, q, 3, nil), runtime.ErrInvalid, "option is nil")
		refused(k.Run(ctx, q, 3, runtime.WithContext(ctx)), runtime.ErrInvalid, "give Run that context")
		refused(k.Run(ctx, q, -1), runtime.ErrInvalid, "")
		refused(saxpygen.SAXPY{X: (*runtime.Buffer[float32])(nil).All(), Y: y.All()}.Run(ctx, q, 3), runtime.ErrKernelArgument, "")
		g, other := runtime.NewGraph(dev), dev.NewQueue()
		check(t, other.BeginRecording(g))
		refused(k.Run(ctx, other, 3), runtime.ErrInvalid, "call EndRecording before")
		node := must(k.ParallelFor(other, 1))
		refused(k.Run(ctx, q, 3, runtime.DependsOn(node)), runtime.ErrInvalid, "depend on the event that Submit returns")
		check(t, g.EndRecording())
		if n := len(g.Nodes()); n != 1 {
			t.Errorf("%d nodes, want that of ParallelFor", n)
		}
		var within error
		check(t, must(q.Enqueue(runtime.HostFunc(func(ctx context.Context) error {
			within = k.Run(ctx, q, 3)
			return nil
		}))).Wait(ctx))
		refused(within, runtime.ErrInvalid, "a host function waits for its own device")
		has(16, 32, 42)
	})
}

// TestRunViewsEnds: a kernel that does not end by itself ends with Run's context.
func TestRunViewsEnds(t *testing.T) {
	if raceEnabled {
		t.Setenv("KGEN_HOST_FORM", "on") // the race detector watches the kernel's own Go, which nothing ends
	}
	dev := devtest.Host(t)
	k := endlessgen.Search{Seeds: endlessgen.Seeds{From: ones(dev, 64), To: zeros(dev, 64), Rounds: zeros(dev, 64)}}
	ctx, end := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, end)
	if err := kernelimpl.Run(ctx, dev.DefaultQueue(), k.Node(64)); !errors.Is(err, runtime.ErrCanceled) {
		t.Error(err)
	}
	whole, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := dev.DefaultQueue().Wait(whole); err != nil && !errors.Is(err, runtime.ErrCanceled) {
		t.Errorf("the launch has not ended: %v", err)
	}
}
