package bench

import (
	"fmt"
	"math"
	"math/cmplx"

	primfft "github.com/kgen-go/kgen/prim/fft"
	"github.com/kgen-go/kgen/runtime"
)

// fftWidth is the length of each row that rowsFFT transforms.
const fftWidth = 4096

// These rows measure prim's Fourier transforms of complex64 numbers.
var (
	// rowsFFT transforms many short rows. The size in the benchmark row is the number of transformed rows.
	rowsFFT = Work{Group: "Numeric", Name: "FFT f32, rows of 4096", Target: "≥ 0.95 cuFFT", Sizes: [4]int{4, 64, 4096, 16384}, Make: func(b *Bench, n int) (*Job, error) {
		in := randomComplex(n * fftWidth)
		j, err := transformsOf(b, in, "fft rows", fftWidth)
		if err != nil {
			return nil, err
		}
		j.Size = fmt.Sprintf("%s rows", sizeText(n))
		if b.cpu {
			ho := make([]complex64, len(in))
			j.Contestants = append(j.Contestants, plainLoop(b, []float32(nil), n, func(lo, hi int) {
				for row := lo; row < hi; row++ {
					goTransform(ho[row*fftWidth:][:fftWidth], in[row*fftWidth:][:fftWidth])
				}
			}, func() error { return checkTransform(ho, in, fftWidth) })...)
		}
		return j, nil
	}}
	// oneFFT transforms one array of n elements.
	oneFFT = Work{Group: "Numeric", Name: "FFT f32, one array", Target: "≥ 0.75 cuFFT", Sizes: [4]int{1 << 14, 1 << 18, 1 << 24, 1 << 24}, Make: func(b *Bench, n int) (*Job, error) {
		j, err := transformsOf(b, randomComplex(n), "fft", n)
		if err == nil {
			j.Size = sizeText(n)
		}
		return j, err
	}}
	// squareFFT transforms one array of n rows of n elements.
	squareFFT = Work{Group: "Numeric", Name: "FFT f32, rows and columns", Target: "≥ 0.65 cuFFT", Sizes: [4]int{60, 500, 1000, 1000}, Make: func(b *Bench, n int) (*Job, error) {
		j, err := transformsOf(b, randomComplex(n*n), "fft square", n, n)
		if err == nil {
			j.Size = fmt.Sprintf("%s²", sizeText(n))
		}
		return j, err
	}}
)

// randomComplex returns n pseudo-random complex numbers.
func randomComplex(n int) []complex64 {
	return makeSlice(n, func(i int) complex64 {
		return complex(unitFloat(uint32(2*i), 1)-0.5, unitFloat(uint32(2*i+1), 1)-0.5)
	})
}

// transformsOf returns a job that transforms arrays of the given shape.
func transformsOf(b *Bench, in []complex64, peer string, shape ...int) (*Job, error) {
	p, err := primfft.NewPlan[complex64](b.dev, shape...)
	if err != nil {
		return nil, err
	}
	x, err1 := runtime.BufferOf(b.dev, in)
	y, err2 := runtime.NewBuffer[complex64](b.dev, len(in))
	b.closers = append(b.closers, func() { _, _, _ = x.Close(), y.Close(), p.Close() })
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	host := make([]complex64, len(in))
	j := &Job{Amount: 16 * float64(len(in)), Unit: Bytes, Digits: 1e-4, CUDA: []CUDAPeer{{"cuFFT", peer}}}
	j.Sum = func() (float64, float64, error) {
		flat := makeSlice(2*len(host), func(i int) float32 {
			if i%2 == 0 {
				return real(host[i/2])
			}
			return imag(host[i/2])
		})
		sum, size := weightedSum(flat, func(v float32) float64 { return float64(v) })
		return sum, size, nil
	}
	reset := func() error {
		nan := float32(math.NaN())
		ev, err := b.q.Enqueue(runtime.Fill(y.All(), complex(nan, nan)))
		if err != nil {
			return err
		}
		return ev.Wait(b.ctx)
	}
	run := func() error {
		_, err := p.ForwardOn(b.q, x.All(), y.All())
		return err
	}
	j.Contestants = []Contestant{{kgen, b.repeatFunc(run), reset, func() error {
		if err := y.CopyTo(b.ctx, b.q, host); err != nil {
			return err
		}
		return checkTransform(host, in, shape...)
	}}}
	return j, nil
}

// rootTable returns a function that returns exp(-2πi*k/n), from two tables.
func rootTable(n int) func(k int) complex128 {
	const low = 4096
	far, near := make([]complex128, n/low+1), make([]complex128, low)
	for i := range far {
		far[i] = cmplx.Rect(1, -2*math.Pi*float64(i*low)/float64(n))
	}
	for i := range near {
		near[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/float64(n))
	}
	return func(k int) complex128 { return far[k/low] * near[k%low] }
}

// checkTransform checks some elements of transformed arrays of one or two axes. checkTransform compares the elements
// with sums in float64.
func checkTransform(got, in []complex64, shape ...int) error {
	width, rows := shape[len(shape)-1], 1
	if len(shape) > 1 {
		rows = shape[0]
	}
	n := rows * width
	across, down := rootTable(width), rootTable(rows)
	checks := max(min(64, 1<<26/n), 2)
	for c := range checks {
		i := int(uint64(hashIndex(uint32(c), 81)) * uint64(len(got)) >> 32)
		array, bin := in[i/n*n:][:n], i%n
		var want complex128
		for r := range rows {
			var sum complex128
			for j, v := range array[r*width:][:width] {
				sum += complex128(v) * across(j*(bin%width)%width)
			}
			want += sum * down(r*(bin/width)%rows)
		}
		if d := cmplx.Abs(complex128(got[i]) - want); !(d <= 2e-5*math.Sqrt(float64(n))) { // the sums are about 0.4 times the square root of n
			return fmt.Errorf("element %d of array %d is %v, want %v", bin, i/n, got[i], want)
		}
	}
	return nil
}

// goTransform is a hand-written Fourier transform in Go, the peer of kgen's transform. The
// algorithm first permutes the elements by reversing the bits of their indices, and then transforms
// with radix two.
func goTransform(out, in []complex64) {
	n := len(in)
	for i, j := 0, 0; i < n; i++ {
		out[j] = in[i]
		bit := n / 2
		for ; j&bit != 0; bit /= 2 {
			j ^= bit
		}
		j |= bit
	}
	for half := 1; half < n; half *= 2 {
		for k := range half {
			sin, cos := math.Sincos(-math.Pi * float64(k) / float64(half))
			re, im := float32(cos), float32(sin)
			for i := k; i < n; i += 2 * half {
				a, b := out[i], out[i+half]
				c := complex(real(b)*re-imag(b)*im, real(b)*im+imag(b)*re)
				out[i], out[i+half] = complex(real(a)+real(c), imag(a)+imag(c)), complex(real(a)-real(c), imag(a)-imag(c))
			}
		}
	}
}
