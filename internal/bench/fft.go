package bench

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/kgen-go/kgen/internal/bench/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// fft transforms rows of complex numbers; its size is the number of rows.
var fft = Work{Group: "Numeric", Name: "FFT f32, rows of 4096", Sizes: [4]int{4, 64, 4096, 16384}, Make: func(b *Bench, n int) (*Job, error) {
	const width = kernels.FFTSize
	in := made(n*width, func(i int) kernels.Complex {
		return kernels.Complex{Re: unit(uint32(2*i), 1) - 0.5, Im: unit(uint32(2*i+1), 1) - 0.5}
	})
	x, err1 := runtime.BufferOf(b.dev, in)
	y, err2 := runtime.NewBuffer[kernels.Complex](b.dev, n*width)
	if err := first(err1, err2); err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _, _ = x.Close(), y.Close() })
	host := make([]kernels.Complex, n*width)
	j := &Job{Size: fmt.Sprintf("%s rows", size(n)), Amount: 16 * width * float64(n), Unit: Bytes, Digits: 1e-4, CUDA: []CUDAPeer{{"cuFFT", "fft"}}}
	j.Sum = func() (float64, float64, error) {
		flat := made(2*len(host), func(i int) float32 {
			if i%2 == 0 {
				return host[i/2].Re
			}
			return host[i/2].Im
		})
		sum, size := checksum(flat, func(v float32) float64 { return float64(v) })
		return sum, size, nil
	}
	reset := func() error {
		nan := float32(math.NaN())
		ev, err := b.q.Enqueue(runtime.Fill(y.All(), kernels.Complex{Re: nan, Im: nan}))
		if err != nil {
			return err
		}
		return ev.Wait(b.ctx)
	}
	j.Contestants = []Contestant{{kgen, b.launcher("FFT", groups(n*kernels.Size, kernels.Size), x.All(), y.All()), reset, func() error {
		if err := y.CopyTo(b.ctx, b.q, host); err != nil {
			return err
		}
		return transformed(host, in, width)
	}}}
	if b.cpu {
		ho := make([]kernels.Complex, n*width)
		c := plain(b, []float32(nil), n, func(lo, hi int) {
			for row := lo; row < hi; row++ {
				transform(ho[row*width:][:width], in[row*width:][:width])
			}
		}, func() error { return transformed(ho, in, width) })
		j.Contestants = append(j.Contestants, c...)
	}
	return j, nil
}}

func wide(c kernels.Complex) complex128 { return complex(float64(c.Re), float64(c.Im)) }

// transformed compares some elements of transformed rows with sums in float64.
func transformed(got, in []kernels.Complex, width int) error {
	for k := range 64 {
		i := int(uint64(hash(uint32(k), 81)) * uint64(len(got)) >> 32)
		row, bin := in[i/width*width:][:width], i%width
		var want complex128
		for j, v := range row {
			want += wide(v) * cmplx.Rect(1, -2*math.Pi*float64(j*bin%width)/float64(width))
		}
		if !(cmplx.Abs(wide(got[i])-want) <= 1e-3) { // a sum's size is some 26
			return fmt.Errorf("element %d of row %d is %v, want %v", bin, i/width, got[i], want)
		}
	}
	return nil
}

// transform is what one writes in Go: radix two, after the elements were put in order by their
// reversed bits.
func transform(out, in []kernels.Complex) {
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
				b = kernels.Complex{Re: b.Re*re - b.Im*im, Im: b.Re*im + b.Im*re}
				out[i] = kernels.Complex{Re: a.Re + b.Re, Im: a.Im + b.Im}
				out[i+half] = kernels.Complex{Re: a.Re - b.Re, Im: a.Im - b.Im}
			}
		}
	}
}
