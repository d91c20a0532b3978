package math32

// Where one float32 has too few bits, two float32s hi and lo represent the number hi + lo. The part
// lo is below half an ulp of hi.

// upper() returns x truncated to 12 significant bits. The product of two truncated numbers is
// exact, and so is the product of two remainders x - upper(x).
func upper(x float32) float32 { return Float32frombits(Float32bits(x) &^ 0xfff) }

// addFast returns x + y as a sum of two numbers, for |x| >= |y| or x == 0.
func addFast(x, y float32) (hi, lo float32) {
	hi = x + y
	return hi, y - (hi - x)
}

// mul() returns x * y as a sum of two numbers.
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
