package idioms

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
)

// Real is the constraint of float types.
type Real interface{ float32 | float64 }

func bitsOf[T Real](x T) uint64 {
	switch x := any(x).(type) {
	case float32:
		return bits32(x)
	case float64:
		return bits64(x)
	}
	return 0
}

func abs[T Real](x T) T   { return T(math.Abs(float64(x))) }
func floor[T Real](x T) T { return T(math.Floor(float64(x))) }
func trunc[T Real](x T) T { return T(math.Trunc(float64(x))) }

// Signs computes expressions that compilers recognize as absolute values, signs, minima and the like.
type Signs[T Real] struct {
	A, B []T
	Out  []Row
}

func (k Signs[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	out := &k.Out[i]
	compared(k.A[i], k.B[i], uint32(i), out)
	chosen(k.A[i], k.B[i], out)
}

// compared() computes comparisons, most of them with zero.
func compared[T Real](a, b T, u uint32, out *Row) {
	negative := T(math.Copysign(0, -1))
	s := a * a
	if b > 0 {
		s = negative
	}
	out[0] = bitsOf(abs(s))
	s = negative
	if b > 0 {
		s = a * a
	}
	out[1] = bitsOf(abs(s))
	if b > 0 {
		s = negative
		out[2] = 7
	}
	out[3] = bitsOf(abs(s))
	out[4] = bitsOf(abs(-(a * a)))
	out[5] = bitsOf(abs(abs(a) * b))
	out[6] = bitsOf(-abs(a))
	out[7] = bitsOf(abs(floor(abs(a))))
	var p, n T
	if a > 0 {
		p = 1
	}
	if a < 0 {
		n = 1
	}
	out[8] = bitsOf(p - n)
	out[9] = flag(a > 0) - flag(a < 0)
	out[10] = flag(a-b < 0) | flag(a-b > 0)<<1 | flag(a-b <= 0)<<2 | flag(a-b >= 0)<<3
	out[11] = flag(a == -a) | flag(a != -a)<<1 | flag(a < -a)<<2 | flag(a >= -a)<<3
	out[12] = flag(a >= 0 && a <= 1) | flag(!(a >= 0 && a <= 1))<<1
	out[13] = flag(a < b || a < 3) | flag(a < b && a < 3)<<1 | flag(a > b || a > 3)<<2 | flag(a > b && a > 3)<<3
	out[14] = flag(a < b || b < a) | flag(a <= b || b <= a)<<1
	out[15] = flag(a > 0 || b < 0) | flag(a >= 0 || b <= 0)<<1 | flag(a > 0 && b < 0)<<2 | flag(a >= 0 && b <= 0)<<3
	out[16] = flag(abs(a) <= 0) | flag(-abs(a) >= 0)<<1 | flag(abs(a) >= 0)<<2 | flag(abs(a) < 0)<<3
	out[17] = flag(a*a >= 0) | flag(a*a < 0)<<1 | flag(a*a != 0)<<2 | flag(a*a > 0)<<3
	out[18] = flag(a*a+1 > 0) | flag(a*a+b*b >= 0)<<1 | flag(a*a+b*b < 0)<<2 | flag(abs(a)+1 > 0)<<3 | flag(abs(a)+1 != 0)<<4
	out[19] = flag(abs(a)*abs(b) >= 0) | flag(abs(a)*abs(b) == 0)<<1 | flag(abs(a)-abs(b) >= 0)<<2
	out[20] = flag(T(u)*a >= 0) | flag(T(u)+a*a >= 0)<<1 | flag((T(u)+1)*a*a > 0)<<2
}

// chosen() computes selects between numbers, and conversions.
func chosen[T Real](a, b T, out *Row) {
	out[21] = bitsOf(a - floor(a))
	out[22] = bitsOf(min(max(a, 0), 1))
	out[23] = bitsOf(max(min(a, 1), 0))
	s := a
	if s < 0 {
		s = 0
	}
	if s > 1 {
		s = 1
	}
	out[24] = bitsOf(s)
	s = a
	if s > 1 {
		s = 1
	}
	if s < 0 {
		s = 0
	}
	out[25] = bitsOf(s)
	out[26] = bitsOf(floor(trunc(a)))
	out[27] = bitsOf(-(a * b))
	out[28] = bitsOf(-(a - b))
	out[29] = bitsOf(0 - (a - b))
	out[30] = bitsOf(-(a*b + a))
	s = 1
	if a < 0 {
		s = -1
	}
	out[31] = bitsOf(s * b)
	s = a
	if a < 0 {
		s = -a
	}
	out[32] = bitsOf(s)
	s = a
	if a <= 0 {
		s = -a
	}
	out[33] = bitsOf(s)
	s = -a
	if a > 0 {
		s = a
	}
	out[34] = bitsOf(s)
	s = -a
	if a >= 0 {
		s = a
	}
	out[35] = bitsOf(s)
	s = a
	if a <= 0 {
		s = 0
	}
	out[36] = bitsOf(s)
	s = 0
	if a > 0 {
		s = a
	}
	out[37] = bitsOf(s)
	s = 0
	if a >= 0 {
		s = a
	}
	out[38] = bitsOf(s)
	s = b
	if a < b {
		s = a
	}
	out[39] = bitsOf(s)
	s = a
	if a <= b {
		s = b
	}
	out[40] = bitsOf(s)
	out[41] = bitsOf(T(float32(a))) ^ bitsOf(T(float64(float32(b))))<<1
	s = 0
	if a < b {
		s = 1
	}
	s *= b
	out[42] = bitsOf(s)
	in := max(min(a, 1e9), -1e9)
	out[43] = bitsOf(T(int32(in))) ^ bitsOf(T(uint32(max(in, 0))))<<1
	s = a / b
	if b == 0 {
		s = 0
	}
	out[44] = bitsOf(s)
	s = a * b
	if a == 0 || b == 0 {
		s = 0
	}
	out[45] = bitsOf(s)
	m, w := int32(math.Float64bits(float64(a))>>30), int64(math.Float64bits(float64(a)))
	out[46] = uint64(int32(max(min(T(m), 1<<30), -1<<30)))
	out[47] = uint64(int64(max(min(T(w), 1<<62), -1<<62))) ^ uint64(max(min(T(uint32(w)), 1<<31), 0))<<1
}

// Instances of the kernel for all types.
type (
	Signs32 = Signs[float32]
	Signs64 = Signs[float64]
)
