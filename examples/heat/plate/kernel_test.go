package plate_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/examples/heat/plate"
	"github.com/kgen-go/kgen/examples/internal/hostrun"
)

// TestStep: what the points inside lose, their neighbours get, and the edges stay.
func TestStep(t *testing.T) {
	in, out := make([]float32, 25), make([]float32, 25)
	in[12] = 100
	hostrun.Range(t, plate.Step{W: 5, Rate: 0.125, In: in, Out: out}.Kernel, 5, 5)
	want := make([]float32, 25)
	want[12], want[7], want[11], want[13], want[17] = 50, 12.5, 12.5, 12.5, 12.5
	if !slices.Equal(out, want) {
		t.Errorf("got %v, want %v", out, want)
	}
}

func TestFlame(t *testing.T) {
	p := make([]float32, 25)
	hostrun.Range(t, plate.Flame{W: 5, Y: 2, X: 1, Radius: 1, Heat: 9, Plate: p}.Kernel, 3, 3)
	want := make([]float32, 25)
	want[11], want[6], want[16], want[10], want[12] = 9, 9, 9, 9, 9
	if !slices.Equal(p, want) {
		t.Errorf("got %v, want %v", p, want)
	}
}
