package corpus

import "github.com/kgen-go/kgen/dsl"

// Integer is the constraint of all integer types.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

// IntResults is the number of results per pair of operands of an IntOps.
const IntResults = 24

// IntOps computes every integer operator. B contains no zeros.
type IntOps[T Integer] struct {
	A, B   []T
	Shift  []uint32
	Out    []T
	Orders []bool
}

func (k IntOps[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, s := k.A[i], k.B[i], k.Shift[i]
	out := k.Out[i*IntResults : (i+1)*IntResults]
	out[0] = a + b
	out[1] = a - b
	out[2] = a * b
	out[3] = a / b
	out[4] = a % b
	out[5] = a & b
	out[6] = a | b
	out[7] = a ^ b
	out[8] = a &^ b
	out[9] = a << s
	out[10] = a >> s
	out[11] = -a
	out[12] = ^a
	out[13] = min(a, b)
	out[14] = max(a, b, 3)
	out[15] = a << 3
	out[16] = a >> 3
	out[17] = a / 7
	out[18] = a % 7
	out[19] = a*a - b*b
	out[20] = a << (s & 7)
	out[21] = a >> uint8(s)
	out[22] = a << uint64(s)
	out[23] = a + 1

	o := k.Orders[i*6 : i*6+6]
	o[0] = a == b
	o[1] = a != b
	o[2] = a < b
	o[3] = a <= b
	o[4] = a > b
	o[5] = a >= b
}

// Instances of IntOps for each integer type.
type (
	IntOpsInt8   = IntOps[int8]
	IntOpsInt16  = IntOps[int16]
	IntOpsInt32  = IntOps[int32]
	IntOpsInt64  = IntOps[int64]
	IntOpsInt    = IntOps[int]
	IntOpsUint8  = IntOps[uint8]
	IntOpsUint16 = IntOps[uint16]
	IntOpsUint32 = IntOps[uint32]
	IntOpsUint64 = IntOps[uint64]
	IntOpsUint   = IntOps[uint]
)

// Converted contains one value, converted to every numeric type.
type Converted struct {
	I8  int8
	I16 int16
	I32 int32
	I64 int64
	I   int
	U8  uint8
	U16 uint16
	U32 uint32
	U64 uint64
	U   uint
	F32 float32
	F64 float64
}

// Convert converts between all numeric types.
type Convert[T Integer | ~float32 | ~float64] struct {
	In  []T
	Out []Converted
}

func (k Convert[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	k.Out[i] = Converted{
		int8(x), int16(x), int32(x), int64(x), int(x),
		uint8(x), uint16(x), uint32(x), uint64(x), uint(x),
		float32(x), float64(x),
	}
}

// Instances of Convert for each numeric type.
type (
	ConvertInt8    = Convert[int8]
	ConvertInt16   = Convert[int16]
	ConvertInt32   = Convert[int32]
	ConvertInt64   = Convert[int64]
	ConvertInt     = Convert[int]
	ConvertUint    = Convert[uint]
	ConvertUint8   = Convert[uint8]
	ConvertUint16  = Convert[uint16]
	ConvertUint32  = Convert[uint32]
	ConvertUint64  = Convert[uint64]
	ConvertFloat32 = Convert[float32]
	ConvertFloat64 = Convert[float64]
)
