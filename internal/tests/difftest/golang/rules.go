package golang

import "github.com/kgen-go/kgen/dsl"

// Shifts shifts by signed counts of two types. A negative count is a fault.
type Shifts[T int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint] struct {
	X     []T
	Small []int8
	Large []int64
	Out   []T
}

func (k Shifts[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, s, n := k.X[i], k.Small[i], k.Large[i]
	out := k.Out[i*8 : i*8+8]
	out[0], out[1] = x<<s, x>>s
	out[2], out[3] = x<<n, x>>n
	x <<= s & 3
	out[4] = x
	x >>= n & 3
	out[5] = x << (s >> 1) >> uint16(n)
	out[6] = x << uint(n) >> (int16(s) | 1)
	out[7] = x >> int32(s)
}

// Instances of Shifts that the tests use.
type (
	ShiftsInt8   = Shifts[int8]
	ShiftsInt16  = Shifts[int16]
	ShiftsInt32  = Shifts[int32]
	ShiftsInt64  = Shifts[int64]
	ShiftsInt    = Shifts[int]
	ShiftsUint8  = Shifts[uint8]
	ShiftsUint16 = Shifts[uint16]
	ShiftsUint32 = Shifts[uint32]
	ShiftsUint64 = Shifts[uint64]
	ShiftsUint   = Shifts[uint]
)

// Rounded contains products and sums that could be fused, but have explicit conversions or
// assignments that forbid fusing.
type Rounded[T float32 | float64] struct{ X, Y, Z, Out []T }

type scaled[T float32 | float64] struct{ v T }

func (s scaled[T]) times(x T) T { return T(s.v * x) }

func (k Rounded[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y, z := k.X[i], k.Y[i], k.Z[i]
	out := k.Out[i*6 : i*6+6]
	out[0] = T(x*y) + z
	out[1] = z - T(x*y)
	out[2] = T(x*y) - T(z*y)
	out[3] = scaled[T]{x}.times(y) + z
	p := T(x * y)
	out[4] = p + z
	out[5] = T(T(x*x)+T(y*y)) + T(z*z)
}

// Instances of Rounded that the tests use.
type (
	Rounded32 = Rounded[float32]
	Rounded64 = Rounded[float64]
)

// Zeroed requires that variables are zero at each declaration.
type Zeroed struct{ Out []int }

type record struct {
	a int8
	b [3]uint16
	p *int
	s []int
}

func partial(i int) (r record, n int) {
	if i%2 == 0 {
		r.b[i%3] = 7
		return
	}
	r = record{a: int8(i)}
	return r, n + int(r.b[2])
}

func (k Zeroed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	sum := 0
	for j := range 4 {
		var a [5]int
		var r record
		n := new(int)
		sum = sum*3 + a[(i+j)%5] + int(r.b[j%3]) + *n
		a[(i+j)%5], r.b[j%3], *n = 100, 50, j
		sum += a[j] + int(r.b[0]) + len(r.s)
		if r.p == nil {
			sum++
		}
		q, m := partial(i + j)
		sum += int(q.a)*2 + int(q.b[1])*5 + m
	}
	big := make([]int, 40)
	for j, v := range big {
		sum += v * j
	}
	k.Out[i] = sum
}
