package filter_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/examples/imagefilter/filter"
	"github.com/kgen-go/kgen/examples/internal/hostrun"
)

func gray(v int32) filter.RGBA { return filter.Color{v, v, v, 255}.Pack() }

// TestByHand compares the filters with values that are computed by hand, on a
// picture with one bright pixel.
func TestByHand(t *testing.T) {
	const h, w = 3, 4
	in := slices.Repeat([]filter.RGBA{gray(0)}, h*w)
	in[1*w+1] = gray(100)
	out := make([]filter.RGBA, h*w)

	hostrun.Range(t, filter.Blur{Weights: []int32{1024, 2048, 1024}, In: in, Out: out}.Kernel, h, w)
	for i, v := range []int32{0, 0, 0, 0, 25, 50, 25, 0, 0, 0, 0, 0} {
		if out[i] != gray(v) {
			t.Errorf("blur along rows: pixel %d is %#x, want %d", i, out[i], v)
		}
	}
	hostrun.Range(t, filter.Blur{Weights: []int32{1024, 2048, 1024}, Columns: true, In: in, Out: out}.Kernel, h, w)
	for i, v := range []int32{0, 25, 0, 0, 0, 50, 0, 0, 0, 25, 0, 0} {
		if out[i] != gray(v) {
			t.Errorf("blur along columns: pixel %d is %#x, want %d", i, out[i], v)
		}
	}
	// 100 has a luma of 100; its neighbours see it twice beside and once, in both
	// directions, at the corner.
	hostrun.Range(t, filter.Edges{In: in, Out: out}.Kernel, h, w)
	for i, v := range []int32{141, 200, 141, 0, 200, 0, 200, 0, 141, 200, 141, 0} {
		if out[i] != gray(v) {
			t.Errorf("edges: pixel %d is %#x, want %d", i, out[i], v)
		}
	}
	hostrun.Range(t, filter.Brightness{Factor: 3 * filter.One, In: in, Out: out}.Kernel, h, w)
	if out[1*w+1] != gray(255) || out[0] != gray(0) {
		t.Errorf("brightness: %#x", out)
	}
	hostrun.Range(t, filter.Brightness{Factor: filter.One / 2, In: in, Out: out}.Kernel, h, w)
	if out[1*w+1] != gray(50) {
		t.Errorf("brightness: %#x", out)
	}
}
