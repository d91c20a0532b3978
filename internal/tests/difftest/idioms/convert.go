package idioms

import "github.com/kgen-go/kgen/dsl"

// Convert32 converts integers to float32s after conversions between integer types.
type Convert32[T Integer] struct {
	A, B, C []T
	Out     []Rows
}

func (k Convert32[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	convert(k.A[i], bits32, &k.Out[i].Loaded)
	convert(k.A[i]+k.C[i], bits32, &k.Out[i].Summed)
}

// Floats64Of converts integers to float64s after conversions between integer types.
type Floats64Of[T Integer] struct {
	A, B, C []T
	Out     []Rows
}

func (k Floats64Of[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	convert(k.A[i], bits64, &k.Out[i].Loaded)
	convert(k.A[i]+k.C[i], bits64, &k.Out[i].Summed)
}

func convert[T Integer, F float32 | float64](a T, bits func(F) uint64, out *Row) {
	b, h, w, d := int8(a), int16(a), int32(a), int64(a)
	ub, uh, uw := uint8(a), uint16(a), uint32(a)
	out[0] = bits(F(b))
	out[1] = bits(F(int16(b)))
	out[2] = bits(F(int32(b)))
	out[3] = bits(F(int64(b)))
	out[4] = bits(F(uint8(b)))
	out[5] = bits(F(uint16(b)))
	out[6] = bits(F(uint32(b)))
	out[7] = bits(F(uint64(b)))
	out[8] = bits(F(int8(h)))
	out[9] = bits(F(h))
	out[10] = bits(F(int32(h)))
	out[11] = bits(F(int64(h)))
	out[12] = bits(F(uint8(h)))
	out[13] = bits(F(uint16(h)))
	out[14] = bits(F(uint32(h)))
	out[15] = bits(F(uint64(h)))
	out[16] = bits(F(int8(w)))
	out[17] = bits(F(int16(w)))
	out[18] = bits(F(w))
	out[19] = bits(F(int64(w)))
	out[20] = bits(F(uint8(w)))
	out[21] = bits(F(uint16(w)))
	out[22] = bits(F(uint32(w)))
	out[23] = bits(F(uint64(w)))
	out[24] = bits(F(int8(d)))
	out[25] = bits(F(int16(d)))
	out[26] = bits(F(int32(d)))
	out[27] = bits(F(d))
	out[28] = bits(F(uint8(d)))
	out[29] = bits(F(uint16(d)))
	out[30] = bits(F(uint32(d)))
	out[31] = bits(F(uint64(d)))
	out[32] = bits(F(int8(ub)))
	out[33] = bits(F(int16(ub)))
	out[34] = bits(F(int32(ub)))
	out[35] = bits(F(int64(ub)))
	out[36] = bits(F(ub))
	out[37] = bits(F(uint16(ub)))
	out[38] = bits(F(uint32(ub)))
	out[39] = bits(F(uint64(ub)))
	out[40] = bits(F(int16(uh)))
	out[41] = bits(F(int32(uh)))
	out[42] = bits(F(uint32(uh)))
	out[43] = bits(F(int64(uh)))
	out[44] = bits(F(uint64(uh)))
	out[45] = bits(F(int32(uw)))
	out[46] = bits(F(int64(uw)))
	out[47] = bits(F(uint64(uw)))
}
