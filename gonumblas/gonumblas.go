package gonumblas

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// BLAS is an implementation for blas32.Use and blas64.Use.
type BLAS interface {
	blas.Float32
	blas.Float64
}

// On returns an implementation whose larger calls run on a device. Several goroutines may use it. On panics with an error of
// class runtime.ErrInvalid if the device is nil, or if an option makes no sense.
func On(dev *runtime.Device, opts ...Option) BLAS {
	if dev == nil {
		panic(invalid("open one by runtime.Open", "the device is nil"))
	}
	d := &device{dev: dev, fp64: dev.Has(properties.FP64), least: defaults(dev.Info())}
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

// Option is an option of On.
type Option func(*device) error

// Threshold gives calls to the device from a number of operations on, and smaller ones to gonum's own implementation. It is
// about the levels of BLAS that are named, or about all three. An operation is a product and a sum: m*n*k of Gemm, m*n of
// Gemv and Ger, n of Axpy, Dot and Nrm2. A Gemm belongs to level 2 if m, n or k is less than 64.
func Threshold(operations int, levels ...int) Option {
	return func(d *device) error {
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
			d.least[l] = float64(operations)
		}
		return nil
	}
}

// device runs calls on a device. Gonum's own implementation runs all others.
type device struct {
	gonum.Implementation
	dev   *runtime.Device
	fp64  bool
	least [4]float64 // number of operations from which on a call runs on the device, by level
}

// thin is the size below which a Gemm belongs to level 2, because it copies an element for each few operations.
const thin = 64

// leastGemm is the default threshold of level 3 on GPUs. doc.go says how to measure it.
const leastGemm = 1 << 27

// defaults returns the thresholds without an option.
func defaults(info runtime.DeviceInfo) [4]float64 {
	never := math.Inf(1)
	least := [4]float64{never, never, never, never}
	if info.Type != runtime.HostCPU && info.Type != runtime.VulkanCPU {
		least[3] = leastGemm
	}
	return least
}

// takes reports whether the device runs a call of such sizes, whose arguments are correct.
func takes[T float](d *device, level int, sizes ...int) bool {
	operations := 1.0
	for _, n := range sizes {
		operations *= float64(n)
		if n > math.MaxInt32 {
			return false // for which prim/blas has no kernel
		}
		if level == 3 && n < thin {
			level = 2
		}
	}
	return operations >= d.least[level] && (d.fp64 || !isDouble[T]())
}

func invalid(remedy, format string, args ...any) error {
	return &runtime.Error{Class: runtime.ErrInvalid, Problem: "gonumblas: " + fmt.Sprintf(format, args...), Remedy: remedy}
}
