package difftest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/golang/golanggen"
	"github.com/kgen-go/kgen/internal/tests/difftest/golang/near/far"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestWatchedGraph changes a variable that a kernel of a graph reads, between two submissions: each
// looks at it anew, whether the kernel has become part of another or not.
func TestWatchedGraph(t *testing.T) {
	t.Run("host", func(t *testing.T) { watchedGraph(t, devtest.Host(t)) })
	t.Run("vulkan", func(t *testing.T) { watchedGraph(t, devtest.Vulkan(t)) })
}

func watchedGraph(t *testing.T, dev *runtime.Device) {
	const n = 30
	ctx, q := context.Background(), dev.DefaultQueue()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	kernels := gen.Kernels()
	elsewhere := kernels[slices.IndexFunc(kernels, func(k *runtime.Kernel) bool { return k.ABI().Name == "Elsewhere" })]
	b, err := runtime.NewBuffer[int32](dev, n)
	check(err)
	defer b.Close()
	g := runtime.NewGraph(dev)
	check(q.BeginRecording(g))
	_, err = runtime.LaunchKernel(q, elsewhere, runtime.Range1(n), []any{b.All()})
	check(err)
	_, err = stepsgen.Grow{By: 100, Out: b.All()}.ParallelFor(q, n)
	check(err)
	check(q.EndRecording())
	want := make([]int32, n)
	for i := range want {
		want[i] = far.Table[i%3] + far.N + 100
	}
	for _, props := range [][]properties.Property{nil, {properties.RequireFusion()}} {
		ex, err := g.Finalize(props...)
		check(err)
		if r := ex.Report(); r.Fused != (len(props) > 0) {
			t.Errorf("%v: %v", props, r)
		}
		for range 3 {
			far.N++
			_, err = q.Submit(ex)
			far.N--
			if !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), "far.N (internal/tests/difftest/golang/near/far/far.go:7:2) has another value than kgen compiled into the kernel") {
				t.Errorf("%v, with another value of far.N: %v", props, err)
			}
			check(b.CopyFrom(ctx, q, make([]int32, n)))
			ev, err := q.Submit(ex)
			check(err)
			check(ev.Wait(ctx))
			got := make([]int32, n)
			check(b.CopyTo(ctx, q, got))
			if !slices.Equal(got, want) {
				t.Errorf("%v: got %v, want %v", props, got, want)
			}
		}
	}
}
