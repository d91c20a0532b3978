package half

import "github.com/kgen-go/kgen/dsl/math32"

// Products are converted explicitly, as in float32(x*y). Without a conversion, a Go compiler may
// fuse x*y + z. This file avoids subnormal float32s, because some devices treat them as zeros.

// Masks for parts of a float32's bits.
const (
	sign32 = 0x80000000
	inf32  = 0x7f800000
)

// The functions below compute with numbers of at most 11 significant bits. The functions round
// their results to odd. If the exact result is between two float32s, rounding to odd returns the
// float32 whose last bit is 1. If such a result is then rounded to nearest with at most 22 bits, it
// equals the exact result rounded once.

// odd() returns s+e, rounded to odd, where s has been rounded to nearest and e is the error of s.
func odd(s, e float32) float32 {
	b := math32.Float32bits(s)
	if b&1 != 0 {
		return s
	}
	if e > 0 && s > 0 || e < 0 && s < 0 {
		return math32.Float32frombits(b + 1)
	}
	if e > 0 || e < 0 {
		return math32.Float32frombits(b - 1)
	}
	return s // exact, infinite or NaN
}

// fused() returns x*y + z. The sum must not overflow, and its error must not be subnormal.
func fused(x, y, z float32) float32 {
	p := float32(x * y) // exact
	s := p + z
	t := s - p
	return odd(s, (p-(s-t))+(z-t))
}

// quotient() returns x / y for x, y >= 0.
func quotient(x, y float32) float32 { return correctQuotient(x/y, x, y) }

// correctQuotient returns x / y, given a q within 500 units in the last place of x / y. Few devices
// divide exactly.
func correctQuotient(q, x, y float32) float32 {
	if q != q {
		return q
	}
	// The code below rounds q to 13 bits, so q*y is exact. The sign of the remainder says whether q
	// is above or below the exact quotient.
	q = math32.Float32frombits((math32.Float32bits(q) + 1<<10) &^ (1<<11 - 1))
	return odd(q, x-float32(q*y))
}

// root() returns the square root of x >= 0.
func root(x float32) float32 { return correctRoot(math32.Sqrt(x), x) }

// correctRoot returns the square root of x, given an r within 500 units in the last place of the root.
func correctRoot(r, x float32) float32 {
	if r != r {
		return r
	}
	r = math32.Float32frombits((math32.Float32bits(r) + 1<<11) &^ (1<<12 - 1)) // see correctQuotient
	return odd(r, x-float32(r*r))
}

// divided() returns x / y for types for which quotient() is exact enough.
func divided[T Float[T]](x, y T) T {
	q := x.nearest(quotient(x.Abs().Float32(), y.Abs().Float32()))
	if x.negative() != y.negative() && !q.IsNaN() {
		return q.Neg()
	}
	return q
}

// rooted() returns the square root of x for types for which root() is exact enough.
func rooted[T Float[T]](x T) T {
	if x.negative() {
		if x.Float32() == 0 {
			return x
		}
		return x.limits().nan
	}
	return x.nearest(root(x.Float32()))
}
