package neural_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/mnist/neural"
)

// TestUpdate: after one of four steps, three quarters of the rate are left. A rounded weight keeps 8 bits: 922 is the middle
// of 920 and 924, and goes to the even one of these.
func TestUpdate(t *testing.T) {
	parts := []float32{1, 16, 2, -48, 4, 0} // of three parts and two weights
	at, exact, speed := []int32{1}, []float32{1, 1000}, []float32{10, -100}
	w, h := []float32{1, 1000}, []half.BFloat16{0, 0}
	hostrun.Range(t, neural.UpdateFloat32{Layer: neural.Layer[float32]{W: w, Parts: parts, Exact: exact, Speed: speed, At: at, Steps: 4, Rate: 0.5}}.Kernel, 2)
	if want := []float32{6.375, -78}; !slices.Equal(speed, want) {
		t.Errorf("the changes are %g, want %g", speed, want)
	}
	if want := []float32{7.375, 922}; !slices.Equal(exact, want) || !slices.Equal(w, want) {
		t.Errorf("the weights are %g and %g, want %g", exact, w, want)
	}
	exact, speed = []float32{1, 1000}, []float32{10, -100}
	hostrun.Range(t, neural.UpdateBFloat16{Layer: neural.Layer[half.BFloat16]{W: h, Parts: parts, Exact: exact, Speed: speed, At: at, Steps: 4, Rate: 0.5}}.Kernel, 2)
	if want := []float32{7.375, 922}; !slices.Equal(exact, want) || h[0].Float32() != 7.375 || h[1].Float32() != 920 {
		t.Errorf("the weights are %g and %v, want %g and 7.375 and 920", exact, h, want)
	}
}
