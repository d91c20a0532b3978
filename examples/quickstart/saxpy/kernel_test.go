package saxpy_test

import (
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/quickstart/saxpy"
)

func TestSAXPY(t *testing.T) {
	for _, n := range []int{0, 1, 255, 10_000} {
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i] = float32(i), float32(2*i)
		}
		hostrun.Range(t, saxpy.SAXPY{A: 0.5, X: x, Y: y}.Kernel, n)
		for i, v := range y {
			if want := 2.5 * float32(i); v != want {
				t.Fatalf("n = %d: y[%d] = %g, want %g", n, i, v, want)
			}
		}
	}
}
