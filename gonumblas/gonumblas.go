package gonumblas

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// BLAS is a BLAS implementation that can be passed to blas32.Use and blas64.Use.
type BLAS interface {
	blas.Float32
	blas.Float64
}

// On returns a BLAS implementation whose larger calls run on a device. Several goroutines may use the implementation at
// the same time. If the device is nil or an option is invalid, On panics with an error of class runtime.ErrInvalid.
func On(dev *runtime.Device, opts ...Option) BLAS {
	if dev == nil {
		panic(invalid("open one by runtime.Open", "the device is nil"))
	}
	d := &blasDevice{dev: dev, fp64: dev.Has(properties.FP64), minOperations: defaultThresholds(dev.Info())}
	for i, o := range opts {
		if o == nil {
			panic(invalid("leave it out", "the option %d is nil", i))
		}
		if err := o(d); err != nil {
			panic(err)
		}
	}
	return d
}

// Option changes a setting of the implementation that On returns.
type Option func(*blasDevice) error

// Threshold sets a number of operations. Calls with at least this number of operations run on the
// device. Gonum's own implementation runs smaller calls. Threshold applies to the given levels of
// BLAS, or to all three levels if no level is given. An operation is a multiplication and an
// addition. Gemm has m*n*k operations, Gemv and Ger have m*n operations, and Axpy, Dot and Nrm2
// have n operations. A call of Gemm counts as level 2 if m, n or k is less than 64.
func Threshold(operations int, levels ...int) Option {
	return func(d *blasDevice) error {
		if operations < 0 {
			return invalid("give 0 for all calls", "a threshold of %d operations", operations)
		}
		if len(levels) == 0 {
			levels = []int{1, 2, 3}
		}
		for _, l := range levels {
			if l < 1 || l > 3 {
				return invalid("give 1, 2 or 3", "a threshold of level %d", l)
			}
			d.minOperations[l] = float64(operations)
		}
		return nil
	}
}

// A blasDevice runs larger calls on a device. Gonum's own implementation runs the other calls.
type blasDevice struct {
	gonum.Implementation
	dev           *runtime.Device
	fp64          bool
	minOperations [4]float64 // smallest number of operations of a call that runs on the device, indexed by level
}

// A call of Gemm counts as level 2 if m, n or k is less than minThin, because such a call executes
// only few operations for each copied element.
const minThin = 64

// minGemmOps is the default threshold for level 3 on GPUs. The package documentation describes the
// benchmark from which minGemmOps was chosen.
const minGemmOps = 1 << 27

// defaultThresholds returns the thresholds that apply without an option Threshold.
func defaultThresholds(info runtime.DeviceInfo) [4]float64 {
	never := math.Inf(1)
	least := [4]float64{never, never, never, never}
	if info.Type != runtime.HostCPU && info.Type != runtime.VulkanCPU {
		least[3] = minGemmOps
	}
	return least
}

// runsOnDevice reports whether the device runs a call with the given sizes. The arguments of the call must be
// correct.
func runsOnDevice[T float](d *blasDevice, level int, sizes ...int) bool {
	operations := 1.0
	for _, n := range sizes {
		operations *= float64(n)
		if n > math.MaxInt32 {
			return false // prim/blas has no kernel for sizes above 2^31-1
		}
		if level == 3 && n < minThin {
			level = 2
		}
	}
	return operations >= d.minOperations[level] && (d.fp64 || !isDouble[T]())
}

func invalid(remedy, format string, args ...any) error {
	return &runtime.Error{Class: runtime.ErrInvalid, Problem: "gonumblas: " + fmt.Sprintf(format, args...), Remedy: remedy}
}
