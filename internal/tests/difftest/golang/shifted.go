package golang

import "github.com/kgen-go/kgen/dsl"

// Shifted shifts a number to the left and to the right, and combines the results. A right shift of a signed
// number inserts the sign, so the combination is not a rotation.
type Shifted struct {
	X   []int64
	N   []uint32
	Out []uint64
}

// ShiftedResults is the number of results per work-item of Shifted.
const ShiftedResults = 8 * 20

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// toBothSides shifts numbers of width l + r to the left and to the right.
func toBothSides[T integer](out []uint64, x T, l, r uint32) {
	out[0] = uint64(x<<l + x>>r)
	out[1] = uint64(x>>r | x<<l)
	out[2] = uint64(x<<l ^ x>>r)
	out[3] = uint64(x>>r - x<<l)
	out[4] = uint64(x*(1<<l) + x>>r)
	out[5] = uint64(x>>r | x*(1<<l))
	out[6] = uint64(x/(1<<(r&3)) + x<<l)
	out[7] = uint64(x<<l - x>>r)
}

func (k Shifted) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	out := k.Out[i*ShiftedResults:][:ShiftedResults]
	n := k.N[i]
	part := func(j int) []uint64 { return out[j*8:][:8] }
	toBothSides(part(0), x, 58, 6)
	toBothSides(part(1), x, 32, 32)
	toBothSides(part(2), x, 1, 63)
	toBothSides(part(3), uint64(x), 58, 6)
	toBothSides(part(4), int32(x), 26, 6)
	toBothSides(part(5), int32(x), 16, 16)
	toBothSides(part(6), int32(x), 8, 24)
	toBothSides(part(7), uint32(x), 26, 6)
	toBothSides(part(8), int16(x), 10, 6)
	toBothSides(part(9), int16(x), 8, 8)
	toBothSides(part(10), uint16(x), 10, 6)
	toBothSides(part(11), int8(x), 5, 3)
	toBothSides(part(12), int8(x), 4, 4)
	toBothSides(part(13), uint8(x), 5, 3)
	toBothSides(part(14), x, n&63, 64-n&63)
	toBothSides(part(15), uint64(x), n&63, 64-n&63)
	toBothSides(part(16), int32(x), n&31, 32-n&31)
	toBothSides(part(17), uint32(x), n&31, 32-n&31)
	toBothSides(part(18), int16(x), n&15, 16-n&15)
	toBothSides(part(19), int8(x), n&7, 8-n&7)
}
