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
type FFT struct{ In, Out []Complex }

func (FFT) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

func (k FFT) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[FFTSize]Complex](it)
	l, row := it.LocalID(), it.GroupID()*FFTSize
	in, out := k.In[row:row+FFTSize], k.Out[row:row+FFTSize]
	var x [Radix]Complex
	for j := range x {
		x[j] = in[j*Size+l]
	}
	sixteen(&x)
	pass(it, tile, &x, 1)
	it.Barrier()
	sixteen(&x)
	pass(it, tile, &x, Radix)
	sixteen(&x)
	for j := range x {
		out[j*Size+l] = x[j%4*4+j/4]
	}
}

// pass hands the elements on to the next pass, behind one that has made transforms of done times
// Radix elements of those of done elements.
func pass(it dsl.NDItem1, tile *[FFTSize]Complex, x *[Radix]Complex, done int) {
	l := it.LocalID()
	to := l/done*done*Radix + l%done
	for j := range x {
		tile[bank(to+j*done)] = x[j%4*4+j/4]
	}
	it.Barrier()
	for j := range x {
		x[j] = tile[bank(l+j*Size)]
	}
	done *= Radix
	twist(x, float32(l%done)/float32(done*Radix))
}

// bank returns where an element is in work-group memory: neighbours, and elements that lie 16 apart,
// are in different banks.
func bank(i int) int { return i ^ i/16%16 }

// twist multiplies x[j] by the root of unity that has j times a part of the turn, clockwise.
func twist(x *[Radix]Complex, part float32) {
	turn := 2 * math32.Pi * part // an eighth of Pi at most
	w := Complex{math32.FastCos(turn), -math32.FastSin(turn)}
	odd, even := w, w.times(w)
	step := even
	for j := 1; j < Radix-1; j += 2 {
		x[j], x[j+1] = x[j].times(odd), x[j+1].times(even)
		odd, even = odd.times(step), even.times(step)
	}
	x[Radix-1] = x[Radix-1].times(odd)
}

// Complex is a complex number. Products of complex64 would have the same bits as in Go, where they
// are computed in float64.
type Complex struct{ Re, Im float32 }

func (a Complex) plus(b Complex) Complex  { return Complex{a.Re + b.Re, a.Im + b.Im} }
func (a Complex) minus(b Complex) Complex { return Complex{a.Re - b.Re, a.Im - b.Im} }

// turned returns -i*a.
func (a Complex) turned() Complex { return Complex{a.Im, -a.Re} }

func (a Complex) times(b Complex) Complex {
	return Complex{a.Re*b.Re - a.Im*b.Im, a.Re*b.Im + a.Im*b.Re}
}

// sixteen transforms 16 elements, as four times four. Element j of the result is x[j%4*4+j/4].
func sixteen(x *[Radix]Complex) {
	const c, s, r = 0.92387953251128676, 0.38268343236508977, 0.70710678118654752
	for i := range 4 {
		x[i], x[4+i], x[8+i], x[12+i] = four(x[i], x[4+i], x[8+i], x[12+i])
	}
	x[5] = x[5].times(Complex{c, -s})
	x[6] = x[6].times(Complex{r, -r})
	x[7] = x[7].times(Complex{s, -c})
	x[9] = x[9].times(Complex{r, -r})
	x[10] = x[10].turned()
	x[11] = x[11].times(Complex{-r, -r})
	x[13] = x[13].times(Complex{s, -c})
	x[14] = x[14].times(Complex{-r, -r})
	x[15] = x[15].times(Complex{-c, s})
	for i := range 4 {
		x[4*i], x[4*i+1], x[4*i+2], x[4*i+3] = four(x[4*i], x[4*i+1], x[4*i+2], x[4*i+3])
	}
}

// four transforms four elements.
func four(a, b, c, d Complex) (_, _, _, _ Complex) {
	s, t, u, v := a.plus(c), a.minus(c), b.plus(d), b.minus(d).turned()
	return s.plus(u), t.plus(v), s.minus(u), t.minus(v)
}
