package idioms

import "github.com/kgen-go/kgen/dsl"

// Divide divides by constants, and by selects of constants.
type Divide[T Integer] struct {
	A, B []T
	Out  []Row
}

func choose[T Integer](c bool, x, y T) T {
	if c {
		return x
	}
	return y
}

func (k Divide[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := &k.Out[i]
	minus := ^T(0)   // -1, or the largest number
	half := top[T]() // the least number of a signed type, or half the range of an unsigned type
	even := b&1 == 0
	out[0] = uint64(a / 1)
	out[1] = uint64(a / 2)
	out[2] = uint64(a / 3)
	out[3] = uint64(a / 5)
	out[4] = uint64(a / 7)
	out[5] = uint64(a / 9)
	out[6] = uint64(a / 10)
	out[7] = uint64(a / 16)
	out[8] = uint64(a / 100)
	out[9] = uint64(a / 127)
	out[10] = uint64(a / minus)
	out[11] = uint64(a / (minus - 1))
	out[12] = uint64(a / (minus - 2))
	out[13] = uint64(a / (minus - 6))
	out[14] = uint64(a / half)
	out[15] = uint64(a % 1)
	out[16] = uint64(a % 2)
	out[17] = uint64(a % 3)
	out[18] = uint64(a % 5)
	out[19] = uint64(a % 7)
	out[20] = uint64(a % 9)
	out[21] = uint64(a % 10)
	out[22] = uint64(a % 16)
	out[23] = uint64(a % 100)
	out[24] = uint64(a % 127)
	out[25] = uint64(a % minus)
	out[26] = uint64(a % (minus - 1))
	out[27] = uint64(a % (minus - 6))
	out[28] = uint64(a % half)
	out[29] = uint64(a / choose(even, T(9), 1))
	out[30] = uint64(a % choose(even, T(9), 1))
	out[31] = uint64(a / choose(even, T(2), 4))
	out[32] = uint64(a % choose(even, T(2), 4))
	out[33] = uint64(a / choose(a < b, T(3), 7))
	out[34] = uint64(a / choose(even, minus, 1))
	out[35] = uint64(a % choose(even, minus, 5))
	out[36] = uint64(100 / (a | 1))
	out[37] = uint64(100 % (a | 1))
	out[38] = uint64(a / (1 << (b & 3)))
	out[39] = uint64(a % (1 << (b & 3)))
	out[40] = uint64(a * 3 / 3)
	out[41] = uint64(a / 3 / 5)
	out[42] = uint64(a/10*10 + a%10)
	out[43] = flag(a%3 == 0)
	out[44] = flag(a%10 == 7)
	out[45] = flag(a/7 == 3)
	out[46] = uint64((a%7 + 7) % 7)
	out[47] = uint64((a+4)/5) - uint64((a-4)/5)
}
