package kernels

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

// NormalFloat32 makes numbers of the normal distribution with mean 0 and deviation 1. The Box-Muller
// method makes two numbers from two words, which give the distance and the direction of a point.
type NormalFloat32 struct {
	Out    []float32
	Length []int64 // number of elements that the call makes, or an empty slice if the call makes all elements
	Base   int     // index of Out[0] among the elements of the whole call
	From   From
}

// Properties sets the floating-point mode FloatExact.
func (NormalFloat32) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel makes four elements from each of several blocks of random words.
func (k NormalFloat32) Kernel(it dsl.Item1) {
	out, i := k.Out[:first(len(k.Out), k.Base, k.Length)], uint32(it.GlobalID())*k.From.Each
	for b := i; b < i+k.From.Each; b++ {
		at := k.From.place(b, 4)
		w0, w1, w2, w3 := k.From.block(b)
		for _, w := range [2][2]uint32{{w0, w1}, {w2, w3}} {
			x, y := normal(w[0], w[1])
			put(out, at, x)
			put(out, at+Row, y)
			at += 2 * Row
		}
	}
}

// normal() makes two normally distributed numbers from two words.
func normal(distance, direction uint32) (x, y float32) {
	// Here u is (distance+1) * 2**-32 rounded to a float32, and `little` is the rounding error. If
	// u is near 1, the rounding error matters, so the code corrects log(u) by `little`.
	high, low := float32(float32(int32(distance>>8))*0x1p-24), float32(float32(int32(distance&255+1))*0x1p-32)
	u := high + low
	little := low - (u - high)
	r := math32.Sqrt(-2 * (math32.Log(u) + float32(little*(2-u))))
	// The direction consists of a number of quarter turns, and an angle of at most an eighth of a turn.
	x, y = turn(direction>>30, float32(float32(int32(direction<<2)>>7)*0x1p-25)*(math.Pi/2))
	return float32(r * x), float32(r * y)
}

// NormalFloat64 makes normally distributed float64s, each from two words. NormalFloat64 has the fields of NormalFloat32.
type NormalFloat64 struct {
	Out    []float64
	Length []int64
	Base   int
	From   From
}

// Properties sets the floating-point mode FloatExact.
func (NormalFloat64) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel makes two elements from each of several blocks of random words.
func (k NormalFloat64) Kernel(it dsl.Item1) {
	out, i := k.Out[:first(len(k.Out), k.Base, k.Length)], uint32(it.GlobalID())*k.From.Each
	for b := i; b < i+k.From.Each; b++ {
		at := k.From.place(b, 2)
		w0, w1, w2, w3 := k.From.block(b)
		r := root(-2 * logarithm(unit(w0, w1, 1)))
		x, y := turn(w3>>30, float64(float64(int64(pair(w2, w3)<<2)>>10)*0x1p-54)*(math.Pi/2))
		put(out, at, float64(r*x))
		put(out, at+Row, float64(r*y))
	}
}

// turn() computes a cosine and a sine by Taylor series. The arguments are a number of quarter
// turns, and an additional angle of at most an eighth of a turn.
func turn[T float32 | float64](quarters uint32, angle T) (x, y T) {
	z := T(angle * angle)
	// The signs of the terms alternate. All omitted terms are less than 2**-55 times the first term.
	s, c := T(1), T(1)
	for n := T(18); n >= 2; n -= 2 {
		s = 1 - T(T(s*z)*T(1/(n*(n+1))))
		c = 1 - T(T(c*z)*T(1/(n*(n-1))))
	}
	x, y = c, T(s*angle)
	if quarters&1 != 0 {
		x, y = -y, x
	}
	if quarters&2 != 0 {
		x, y = -x, -y
	}
	return x, y
}

// inverse() computes 1/x by products and sums only, because devices may round float64 quotients incorrectly.
func inverse(x float64) float64 {
	y := float64(1 / float32(x))
	for range 2 { // the result has 48 correct bits after the first step, and 53 after the second
		y += float64(y * (1 - float64(x*y)))
	}
	return y
}

// root() returns the square root of a number that is 0 or at least 2**-54. root() uses only products and sums.
func root(x float64) float64 {
	if x == 0 {
		return 0
	}
	s := float64(math32.Sqrt(float32(x)))
	y := float64(1 / float32(s))
	for range 2 {
		y += float64(float64(0.5*y) * (1 - float64(x*float64(y*y))))
	}
	s = float64(x * y)
	return s + float64(float64(0.5*y)*(x-float64(s*s)))
}

// logarithm() returns the natural logarithm of a number of at least 2**-53 and at most 1.
func logarithm(u float64) float64 {
	const ln2High, ln2Low = 0x1.62e42feep-01, math.Ln2 - 0x1.62e42feep-01 // ln2High has 31 significant bits
	b := math.Float64bits(u)
	e := int32(b>>52) - 1023
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m, e = float64(0.5*m), e+1
	}
	// With s = (m-1)/(m+1), log(m) is 2*(s + s*s*s/3 + s*s*s*s*s/5 …).
	f := m - 1
	s := float64(f * inverse(2+f))
	z := float64(s * s)
	sum := 0.0
	for n := 23.0; n >= 3; n -= 2 {
		sum = float64(z * (1/n + sum))
	}
	s = float64(2 * s)
	return float64(float64(e)*ln2High) + (s + (float64(s*sum) + float64(float64(e)*ln2Low)))
}
