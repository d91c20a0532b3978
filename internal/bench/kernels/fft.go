package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

// FFTSize is the length of the rows that FFT transforms: each of Size work-items has Radix elements.
const (
	FFTSize = Radix * Size
	Radix   = 16
)

// FFT makes the discrete Fourier transform of each row of In, a row for each work-group: three
// passes of Stockham's algorithm, of which each does the transforms of Radix elements in registers.
type FFT struct{ In, Out []complex64 }

func (FFT) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

func (k FFT) Kernel(it dsl.NDItem1) {
	// Beside each 16 elements one is left free, so that neighbours use other banks of memory.
	tile := dsl.Local[[FFTSize + FFTSize/16]float32](it)
	l, row := it.LocalID(), it.GroupID()*FFTSize
	in, out := k.In[row:row+FFTSize], k.Out[row:row+FFTSize]
	var x [Radix]complex64
	for j := range x {
		x[j] = in[j*Size+l]
	}
	sixteen(&x)
	pass(it, tile, &x, 1)
	sixteen(&x)
	pass(it, tile, &x, Radix)
	sixteen(&x)
	for j := range x {
		out[j*Size+l] = x[j%4*4+j/4]
	}
}

// pass hands the elements on to the next pass, behind one that has made transforms of done times
// Radix elements of those of done elements.
func pass(it dsl.NDItem1, tile *[FFTSize + FFTSize/16]float32, x *[Radix]complex64, done int) {
	l := it.LocalID()
	to := l/done*done*Radix + l%done
	var re [Radix]float32
	for j := range x {
		i := to + j*done
		tile[i+i/16] = real(x[j%4*4+j/4])
	}
	it.Barrier()
	for j := range re {
		i := l + j*Size
		re[j] = tile[i+i/16]
	}
	it.Barrier()
	for j := range x {
		i := to + j*done
		tile[i+i/16] = imag(x[j%4*4+j/4])
	}
	it.Barrier()
	for j := range x {
		i := l + j*Size
		x[j] = complex(re[j], tile[i+i/16])
	}
	it.Barrier()
	done *= Radix
	twist(x, float32(l%done)/float32(done*Radix))
}

// twist multiplies x[j] by the root of unity that has j times a part of the turn, clockwise.
func twist(x *[Radix]complex64, part float32) {
	turn := 2 * math32.Pi * part // an eighth of Pi at most
	var w [Radix]complex64       // powers
	w[1] = complex(math32.FastCos(turn), -math32.FastSin(turn))
	for j := 2; j < Radix; j++ {
		w[j] = w[j/2] * w[j-j/2]
	}
	for j := 1; j < Radix; j++ {
		x[j] *= w[j]
	}
}

// sixteen transforms 16 elements, as four times four. Element j of the result is x[j%4*4+j/4].
func sixteen(x *[Radix]complex64) {
	const c, s, r = 0.92387953251128676, 0.38268343236508977, 0.70710678118654752
	for i := range 4 {
		x[i], x[4+i], x[8+i], x[12+i] = four(x[i], x[4+i], x[8+i], x[12+i])
	}
	x[5] *= complex(c, -s)
	x[6] *= complex(r, -r)
	x[7] *= complex(s, -c)
	x[9] *= complex(r, -r)
	x[10] = complex(imag(x[10]), -real(x[10]))
	x[11] *= complex(-r, -r)
	x[13] *= complex(s, -c)
	x[14] *= complex(-r, -r)
	x[15] *= complex(-c, s)
	for i := range 4 {
		x[4*i], x[4*i+1], x[4*i+2], x[4*i+3] = four(x[4*i], x[4*i+1], x[4*i+2], x[4*i+3])
	}
}

// four transforms four elements.
func four(a, b, c, d complex64) (complex64, complex64, complex64, complex64) {
	s, t, u, v := a+c, a-c, b+d, b-d
	v = complex(imag(v), -real(v)) // times -i
	return s + u, t + v, s - u, t - v
}
