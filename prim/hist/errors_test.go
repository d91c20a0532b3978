package hist_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim/hist"
	"github.com/kgen-go/kgen/runtime"
)

// TestErrors: a call that makes no sense is an error of a class, and launches nothing.
func TestErrors(t *testing.T) {
	dev := devtest.Host(t)
	v := prims.Views{T: t, Q: dev.DefaultQueue()}
	xs, counts := prims.View(v, make([]float32, 100)), prims.View(v, []int64{9, 9, 9})
	longs, halves := prims.View(v, make([]int64, 9)), prims.View(v, make([]half.Float16, 9))
	even := func(lo, hi float32) func() error {
		return func() error { _, err := hist.EvenOn(v.Q, xs, lo, hi, counts); return err }
	}
	edges := func(edges ...float64) func() error {
		return func() error { _, err := hist.Edges(t.Context(), dev, []float64{1}, edges); return err }
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name string
		call func() error
		want string
	}{
		{"equal ends", even(1, 1), "begin at 1 and end at 1"},
		{"ends in disorder", even(2, 1), "not in order"},
		{"NaN", even(0, nan), "not finite"},
		{"infinite", even(0, inf), "not finite"},
		{"far", even(-math.MaxFloat32, math.MaxFloat32), "too far apart"},
		{"integers in disorder", func() error { _, err := hist.EvenOn(v.Q, longs, 3, 3, counts); return err }, "begin at 3 and end at 3"},
		{"no bins", func() error { _, err := hist.EvenOn(v.Q, xs, 0, 1, counts.Slice(0, 0)); return err }, "there are 0 bins"},
		{"no bins of slices", func() error { _, err := hist.ByKey(t.Context(), dev, []int{1}, -1); return err }, "there are -1 bins"},
		{"overlap", func() error { _, err := hist.ByKeyOn(v.Q, longs, longs); return err }, "counts overlaps keys"},
		{"halves", func() error { _, err := hist.ByKeyOn(v.Q, halves, counts); return err }, "elements of package half"},
		{"edges", func() error { _, err := hist.EdgesOn(v.Q, xs, xs.Slice(0, 3), counts); return err }, "3 edges and 3 bins"},
		{"one edge", edges(1), "there are 1 edges"},
		{"NaN edge", edges(1, math.NaN()), "edge 1 is a NaN"},
		{"edges in disorder", edges(1, 3, 2.5), "edge 2 is 2.5, and the one before is 3"},
	} {
		if err := c.call(); !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	prims.Equal(t, "the counts", prims.Read(v, counts), []int64{9, 9, 9})
}

// TestDisorder: of edges on the device that do not ascend, or are NaN, an element is counted once or nowhere.
func TestDisorder(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()}
	xs := make([]float32, 5000)
	prims.Fill(xs)
	es := make([]float32, 41)
	prims.Fill(es)
	prims.Special(es, true)
	counts := prims.View(v, make([]int64, len(es)-1))
	if _, err := hist.EdgesOn(v.Q, prims.View(v, xs), prims.View(v, es), counts); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, n := range prims.Read(v, counts) {
		sum += n
	}
	if sum > int64(len(xs)) {
		t.Errorf("%d elements are counted %d times", len(xs), sum)
	}
}
