package idioms

import "github.com/kgen-go/kgen/dsl"

// SaturateU adds and subtracts unsigned numbers with saturation.
type SaturateU[T Unsigned] struct {
	A, B, C []T
	Out     []Rows
}

func (k SaturateU[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	saturateU(a, b, &k.Out[i].Loaded)
	saturateU(a+c, b+c, &k.Out[i].Summed)
}

func saturateU[T Unsigned](a, b T, out *Row) {
	most := ^T(0)
	d := T(0)
	if a > b {
		d = a - b
	}
	out[0] = uint64(d)
	d = a - b
	if a < b {
		d = 0
	}
	out[1] = uint64(d)
	d = a - b
	if d > a {
		d = 0
	}
	out[2] = uint64(d)
	out[3] = uint64(a - min(a, b))
	out[4] = uint64(max(a, b) - b)
	out[5] = uint64(min(a, b) - a)
	out[6] = uint64(b - max(a, b))
	out[7] = uint64(min(a, b) - b)
	out[8] = uint64(a - max(a, b))
	out[9] = uint64(max(a, b) - min(a, b))
	out[10] = uint64(max(a, b) + min(a, b))
	s := a + b
	if s < a {
		s = most
	}
	out[11] = uint64(s)
	s = a + b
	if a > most-b {
		s = most
	}
	out[12] = uint64(s)
	s = most
	if b <= ^a {
		s = a + b
	}
	out[13] = uint64(s)
	out[14] = uint64(a + min(b, ^a))
	out[15] = uint64(^(max(^a, b) - b))
	s = a + 1
	if s == 0 {
		s = most
	}
	out[16] = uint64(s)
	d = a
	if d != 0 {
		d--
	}
	out[17] = uint64(d)
	out[18] = uint64(max(a, 1) - 1)
	out[19] = uint64(min(a, most-1) + 1)
	out[20] = uint64(a - min(a, 7))
	out[21] = uint64(min(a, 7) - a)
	out[22] = uint64(max(a, 7) - 7)
	out[23] = uint64(7 - min(a, 7))
	s = a + 7
	if s < 7 {
		s = most
	}
	out[24] = uint64(s)
	d = a - b
	if b > a {
		d = b - a
	}
	out[25] = uint64(d)
	out[26] = uint64((a - min(a, b)) | (b - min(a, b)))
	p := a * b
	if a != 0 && p/a != b {
		p = most
	}
	out[27] = uint64(p)
	p = a * b
	if b != 0 && a > most/b {
		p = most
	}
	out[28] = uint64(p)
	out[29] = uint64(a-min(a, b)) << 1
	out[30] = uint64(a) - uint64(min(a, b))
	out[31] = uint64(min(a, b)) - uint64(a)
	out[32] = flag(a+b < a)
	out[33] = flag(a+b >= b)
	out[34] = flag(a-b > a)
	out[35] = flag(a > ^b)
	out[36] = uint64(a-b) & -flag(a >= b)
	out[37] = uint64(a+b) | -flag(a+b < b)
	out[38] = uint64(min(max(a, b), max(min(a, b), 9)))
	out[39] = uint64(a - b + min(a, b))
}

// SaturateS adds and subtracts signed numbers with saturation.
type SaturateS[T Signed] struct {
	A, B, C []T
	Out     []Rows
}

func (k SaturateS[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	saturateS(a, b, &k.Out[i].Loaded)
	saturateS(a+c, b+c, &k.Out[i].Summed)
}

func saturateS[T Signed](a, b T, out *Row) {
	lo := top[T]()
	hi := ^lo
	s := a + b
	if (a^s)&(b^s) < 0 {
		s = hi
		if a < 0 {
			s = lo
		}
	}
	out[0] = uint64(s)
	s = a + b
	if a >= 0 && b > hi-a {
		s = hi
	} else if a < 0 && b < lo-a {
		s = lo
	}
	out[1] = uint64(s)
	s = a + b
	if (s < a) != (b < 0) {
		s = hi ^ signs(a)
	}
	out[2] = uint64(s)
	d := a - b
	if (a^b)&(a^d) < 0 {
		d = hi
		if a < 0 {
			d = lo
		}
	}
	out[3] = uint64(d)
	d = a - b
	if b > 0 && a < lo+b {
		d = lo
	} else if b < 0 && a > hi+b {
		d = hi
	}
	out[4] = uint64(d)
	out[5] = uint64(a - min(a, b))
	out[6] = uint64(max(a, b) - b)
	out[7] = uint64(min(a, b) - a)
	out[8] = uint64(b - max(a, b))
	out[9] = uint64(max(a, b) - min(a, b))
	n := a
	if n < 0 {
		n = -n
	}
	out[10] = uint64(n)
	n = -a
	if a >= 0 {
		n = a
	}
	out[11] = uint64(n)
	out[12] = uint64(max(a, -a))
	out[13] = uint64(min(a, -a))
	m := signs(a)
	out[14] = uint64((a ^ m) - m)
	out[15] = uint64((a + m) ^ m)
	out[16] = uint64(m - (a ^ m))
	n = a
	if n > 0 {
		n = -n
	}
	out[17] = uint64(n)
	d = a - b
	if a < b {
		d = b - a
	}
	out[18] = uint64(d)
	d = a - b
	if d < 0 {
		d = -d
	}
	out[19] = uint64(d)
	w := int64(a) - int64(b)
	out[20] = uint64(max(w, -w))
	out[21] = uint64(-a)
	out[22] = uint64(-int64(a))
	out[23] = uint64(int64(-a)) >> 7
	if a != lo {
		n = -a
	} else {
		n = hi
	}
	out[24] = uint64(n)
	out[25] = uint64(a & ^signs(a))
	out[26] = uint64(max(a, 0))
	out[27] = uint64(max(-a, 0))
	out[28] = uint64(min(a, 0))
	out[29] = uint64(a & signs(a))
	out[30] = uint64(min(max(a, -5), 7))
	out[31] = uint64(max(min(a, 7), -5))
	out[32] = uint64(min(max(a, lo+1), hi-1))
	out[33] = flag((a < 0) == (b < 0))
	out[34] = flag(a^b < 0)
	out[35] = flag(a+b < a)
	out[36] = flag(a-b < 0)
	out[37] = flag(a < b) - flag(a-b < 0)
	p := a * b
	if a != 0 && (p/a != b || a == -1 && b == lo) {
		p = hi ^ signs(a^b)
	}
	out[38] = uint64(p)
	out[39] = uint64(a - b - max(a, b))
	out[40] = uint64(-(a - b))
	out[41] = uint64(^(a - b))
	out[42] = uint64(-(-a - b))
	out[43] = uint64(^a + 1)
	out[44] = uint64(-^a)
}

// signs() returns -1 for negative numbers, else 0.
func signs[T Signed](x T) T {
	n := 63
	return x >> n
}
