package gonumblas

import (
	"os"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

// TestDevices runs the tests of calls on each device. Lavapipe takes seconds for the pipelines of a Gemm, and builds them once
// for a device.
func TestDevices(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		on := On(dev, Threshold(0))
		t.Run("float32", func(t *testing.T) { testGonum(t, dev, singles(on), singles(gonum.Implementation{})) })
		if !dev.Has(properties.FP64) {
			t.Skip("the device has no float64s")
		}
		t.Run("float64", func(t *testing.T) { testGonum(t, dev, doubles(on), doubles(gonum.Implementation{})) })
		t.Run("testblas", func(t *testing.T) { testTestblas(t, dev) })
		t.Run("shared", func(t *testing.T) { testShared(t, dev) })
		t.Run("mat", func(t *testing.T) { testMat(t, dev) })
	})
}
