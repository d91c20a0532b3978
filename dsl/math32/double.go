package math32

// Where float32 is too short, a number is held as an unevaluated sum of two,
// hi + lo, with lo below half an ulp of hi.

// upper returns x cut to 12 significant bits, so that products of two such
// numbers, and of the remainders, are exact.
func upper(x float32) float32 { return Float32frombits(Float32bits(x) &^ 0xfff) }

// addFast returns x + y as a sum of two, for |x| >= |y| or x == 0.
func addFast(x, y float32) (hi, lo float32) {
	hi = x + y
	return hi, y - (hi - x)
}

// mul returns x * y as a sum of two.
func mul(x, y float32) (hi, lo float32) {
	xh, yh := upper(x), upper(y)
	xl, yl := x-xh, y-yh
	hi = float32(x * y)
	lo = float32(xh*yh) - hi
	lo += float32(xh * yl)
	lo += float32(xl * yh)
	lo += float32(xl * yl)
	return hi, lo
}
