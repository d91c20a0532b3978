package difftest

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/tables/tablesgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestFusedTables fuses kernels with tables in memory, of which each keeps its own: the numbers are
// those that the kernels leave one by one.
func TestFusedTables(t *testing.T) {
	t.Run("host", func(t *testing.T) { fusedTables(t, devtest.Host(t)) })
	t.Run("vulkan", func(t *testing.T) { fusedTables(t, devtest.Vulkan(t)) })
	if *everyCase {
		t.Run("words", func(t *testing.T) { fusedTables(t, devtest.Vulkan(t, runtime.MaskAspects(properties.Int64))) })
	}
}

func fusedTables(t *testing.T, dev *runtime.Device) {
	const n = 20
	ctx, q := context.Background(), dev.DefaultQueue()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	kernels := map[string]*runtime.Kernel{}
	for _, k := range gen.Kernels() {
		kernels[k.ABI().Name] = k
	}
	longs, numbers := make([]uint64, n), make([]int32, n)
	for i := range longs {
		longs[i], numbers[i] = uint64(i)*0x9e3779b97f4a7c15, int32(i*37)
	}
	in, err := runtime.BufferOf(dev, longs)
	check(err)
	defer in.Close()
	at, err := runtime.BufferOf(dev, numbers)
	check(err)
	defer at.Close()
	var sums [2]*runtime.Buffer[uint32]
	for i := range sums {
		sums[i], err = runtime.NewBuffer[uint32](dev, 2*n)
		check(err)
		defer sums[i].Close()
	}
	filled, err := runtime.NewBuffer[uint64](dev, 6*n)
	check(err)
	defer filled.Close()
	g := runtime.NewGraph(dev)
	check(q.BeginRecording(g))
	for _, l := range []struct {
		name string
		args []any
	}{{"CRC", []any{in.All(), sums[0].All()}}, {"Tables", []any{at.All(), filled.All()}}, {"CRC", []any{in.All(), sums[1].All()}}} {
		k := kernels[l.name]
		if k.ABI().Data == "" {
			t.Fatalf("%s has no table in memory", l.name)
		}
		_, err := runtime.LaunchKernel(q, k, runtime.Range1(n), l.args)
		check(err)
	}
	_, err = stepsgen.Grow{By: 1, Out: at.All()}.ParallelFor(q, n)
	check(err)
	check(q.EndRecording())
	var left [2]struct {
		sums   [2][]uint32
		filled []uint64
	}
	for i, props := range [][]properties.Property{nil, {properties.RequireFusion()}} {
		check(at.CopyFrom(ctx, q, numbers))
		check(filled.CopyFrom(ctx, q, make([]uint64, 6*n)))
		for j := range sums {
			check(sums[j].CopyFrom(ctx, q, make([]uint32, 2*n)))
		}
		ex, err := g.Finalize(props...)
		check(err)
		if r := ex.Report(); r.Fused != (len(props) > 0) {
			t.Errorf("%v: %v", props, r)
		}
		ev, err := q.Submit(ex)
		check(err)
		check(ev.Wait(ctx))
		l := &left[i]
		l.filled = make([]uint64, 6*n)
		check(filled.CopyTo(ctx, q, l.filled))
		for j := range sums {
			l.sums[j] = make([]uint32, 2*n)
			check(sums[j].CopyTo(ctx, q, l.sums[j]))
		}
	}
	if !reflect.DeepEqual(left[0], left[1]) {
		t.Errorf("fused %v, unfused %v", left[1], left[0])
	}
	if !slices.Equal(left[0].sums[0], left[0].sums[1]) || left[0].sums[0][5] == 0 || slices.Equal(left[0].filled[:6], left[0].filled[6:12]) {
		t.Errorf("the kernels leave %v", left[0])
	}
}
