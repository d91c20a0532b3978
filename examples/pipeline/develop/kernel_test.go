package develop_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/pipeline/develop"
)

type pixel = develop.Pixel

// TestByHand compares the edits with values that are computed by hand.
func TestByHand(t *testing.T) {
	in := []pixel{{}, {0.25, 0.5, 0.75}, {1, 1, 1}}
	out := make([]pixel, 3)
	for name, c := range map[string]struct {
		kernel any
		want   []pixel
	}{
		"expose":  {develop.Expose{Gain: 2, In: in, Out: out}.Kernel, []pixel{{}, {0.5, 1, 1.5}, {2, 2, 2}}},
		"balance": {develop.Balance{Red: 2, Green: 1, Blue: 0.5, In: in, Out: out}.Kernel, []pixel{{}, {0.5, 0.5, 0.375}, {2, 1, 0.5}}},
		// Of 1/4 the curve makes 1/16 * 5/2 = 5/32, and of 3/4 27/32; half of the way there is 13/64.
		"contrast": {develop.Contrast{Amount: 0.5, In: in, Out: out}.Kernel, []pixel{{}, {13. / 64, 0.5, 51. / 64}, {1, 1, 1}}},
		"saturate": {develop.Saturate{Amount: 1, In: in, Out: out}.Kernel, in},
		// The pixels are 2, 0 and 2 halves from the middle, and the corners √10.
		"vignette": {develop.Vignette{Amount: 1, In: in, Out: out}.Kernel, []pixel{{}, {0.25, 0.5, 0.75}, {0.6, 0.6, 0.6}}},
		"print":    {develop.Print{Levels: 256, In: in, Out: out}.Kernel, []pixel{{}, {128. / 255, 180. / 255, 221. / 255}, {1, 1, 1}}},
		"blur":     {develop.Blur{In: []pixel{{}, {R: 9}, {B: 18}}, Out: out}.Kernel, []pixel{{R: 3}, {R: 3, B: 6}, {R: 3, B: 12}}},
	} {
		hostrun.Range(t, c.kernel, 1, 3)
		if !slices.EqualFunc(out, c.want, near) {
			t.Errorf("%s: got %v, want %v", name, out, c.want)
		}
	}
	gray := pixel{0.5, 0.25, 0.125}.Saturate(0)
	if v := float32(0.2126*0.5 + 0.7152*0.25 + 0.0722*0.125); !near(gray, pixel{v, v, v}) {
		t.Errorf("the gray is %v, want %g", gray, v)
	}
	if p := (pixel{0.5, 0.5, 0.5}).Print(256); p.R != 180./255 {
		t.Errorf("half of white prints as %v, want 186/255", p)
	}
}

// near reports whether pixels differ by roundings at most.
func near(a, b pixel) bool {
	for _, d := range []float32{a.R - b.R, a.G - b.G, a.B - b.B} {
		if max(d, -d) > 1e-5 {
			return false
		}
	}
	return true
}
