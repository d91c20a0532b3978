package fft_test

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim/fft"
)

// FuzzFFT compares transforms of all shapes with plain Go.
func FuzzFFT(f *testing.F) {
	prims.Fuzz(f, fuzzComplex[complex64], fuzzComplex[complex128], fuzzReal[float32, complex64], fuzzReal[float64, complex128], fuzzGPU)
}

// shape makes a shape of about n elements, and a number of arrays.
func shape(in *prims.Input) (count int, s []int) {
	s = make([]int, 1+in.IntN(3))
	left := 1 + in.N
	for i := range s {
		s[i] = 1 + in.IntN(int(math.Pow(float64(left), 1/float64(len(s)-i))))
		left /= s[i]
	}
	in.Rand.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return 1 + in.IntN(min(left, 4)+1), s
}

// options leaves out the length, which transforms do not take.
func options(in *prims.Input) {
	if in.M < in.N || in.Most != math.MaxInt {
		in.Opts = in.Opts[1:]
	}
}

func fuzzComplex[T fft.Complex](in *prims.Input) {
	options(in)
	count, s := shape(in)
	p := newPlan[T](in.T, in.Q.Device(), s...)
	in.Scratch(p.ScratchBytes(count))
	complexes[T](in.Views, count, s...)
}

func fuzzReal[R fft.Real, T fft.Complex](in *prims.Input) {
	options(in)
	count, s := shape(in)
	p := newRealPlan[R, T](in.T, in.Q.Device(), s...)
	in.Scratch(p.ScratchBytes(count))
	reals[R, T](in.Views, count, s...)
}

// fuzzGPU compares the kernels of GPUs for powers of two with those of the host device, bit by bit.
func fuzzGPU(in *prims.Input) {
	options(in)
	s := []int{1 << in.IntN(15)}
	if in.IntN(2) > 0 {
		s = []int{1 << in.IntN(11), 1 + in.IntN(6)}
	}
	xs := random[complex64]((1 + in.IntN(3)) * size(s))
	ys, zs := both(in.Views, xs, s...)
	defer fft.AsGPU(true)()
	got, back := both(in.Views, xs, s...)
	prims.Equal(in.T, "transforms", got, ys)
	prims.Equal(in.T, "inverse transforms", back, zs)
}
