// Package words contains kernels of the differential test that need neither float64 nor other
// optional features of devices. On devices without 64-, 16- and 8-bit integers, the kernels
// compute with 32-bit words. The kernels have no host forms, because they test only code with
// 32-bit words.
//
//kgen:bare noform views=Bytes,Fill
package words

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Number is the constraint of types from which Convert converts.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~float32
}

// Converted contains one value in every numeric type except float64.
type Converted struct {
	I8  int8
	F32 float32
	I16 int16
	I64 int64
	U8  uint8
	I32 int32
	U16 uint16
	U64 uint64
	U32 uint32
	I   int
	B   bool
	U   uint
}

// Convert converts to all fields of Converted.
type Convert[T Number] struct {
	In  []T
	Out []Converted
}

func (k Convert[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	k.Out[i] = Converted{
		I8: int8(x), I16: int16(x), I32: int32(x), I64: int64(x), I: int(x),
		U8: uint8(x), U16: uint16(x), U32: uint32(x), U64: uint64(x), U: uint(x),
		F32: float32(x), B: x > 1,
	}
}

// Instances of Convert for all types.
type (
	ConvertInt8    = Convert[int8]
	ConvertInt16   = Convert[int16]
	ConvertInt32   = Convert[int32]
	ConvertInt64   = Convert[int64]
	ConvertInt     = Convert[int]
	ConvertUint8   = Convert[uint8]
	ConvertUint16  = Convert[uint16]
	ConvertUint32  = Convert[uint32]
	ConvertUint64  = Convert[uint64]
	ConvertUint    = Convert[uint]
	ConvertFloat32 = Convert[float32]
)

// Bytes lets neighbouring work-items write different bytes of the same 32-bit words.
type Bytes struct {
	By    int // odd factor
	A, B  []uint8
	C     []int16
	D     [][3]int8
	E     []bool
	Count []uint32
}

func (k Bytes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	at := i * k.By % len(k.A)
	k.A[at] = uint8(i*3 + 1)
	tail := k.B[1:]
	tail[at] = k.A[at] ^ tail[at]
	k.C[at] -= int16(i) << 3
	d := &k.D[at]
	d[i%3], d[(i+1)%3] = d[(i+1)%3], int8(-i)
	k.E[at] = !k.E[at] && i%7 != 0
	for _, v := range k.D[at] {
		if v < 0 {
			k.Count[i] += uint32(uint8(v))
		}
	}
}

// Record has fields of all sizes.
type Record struct {
	Flag  bool
	Wide  int64
	Small [5]uint8
	Half  int16
	Total uint64
	Last  int8
}

// Inside is a struct with an array of structs.
type Inside struct {
	R   [2]Record
	Sum int
}

// Records works on records in memory of all kinds.
type Records struct {
	By  Record
	In  []Record
	Out []Inside
}

func (k Records) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	own := [2]Record{k.In[i], k.By}
	own[i&1].Wide *= int64(i) - 20
	own[0].Total = own[0].Total/(uint64(i)|1) + own[1].Total%(uint64(own[0].Half)|1)
	for j := range own {
		own[j].Small[(i+j)%5]++
		own[j].Flag = own[j].Flag != (own[j].Wide < 0)
		own[j].Last -= int8(own[j].Wide >> (uint(i) % 64))
	}
	k.Out[i].R = own
	out := &k.Out[i]
	for _, r := range out.R {
		out.Sum += int(r.Wide) + int(r.Half) + int(r.Last)
		for _, s := range r.Small {
			out.Sum += int(s) << 40
		}
	}
}

// Tile shares small and wide integers in work-group memory.
type Tile struct {
	In  []uint64
	Out []uint64
}

func (k Tile) Kernel(it dsl.NDItem1) {
	bytes := dsl.Local[[64]uint8](it)
	wide := dsl.Local[[64]uint64](it)
	l, n := it.LocalID(), it.LocalRange()
	v := k.In[it.GlobalID()]
	bytes[l], wide[l] = uint8(v>>5), v*v
	it.Barrier()
	sum := uint64(0)
	for j := range n {
		sum = sum*31 + wide[(l+j)%n]>>(j%64) + uint64(bytes[j])
	}
	k.Out[it.GlobalID()] = sum
}

// Table reads tables of integers that are smaller and larger than 32-bit words.
type Table struct{ Out []int64 }

var (
	longs  = [7]int64{-1, 1 << 40, 5, -1 << 63, 1<<63 - 1, 1 << 31, -1 << 31}
	shorts = [5]int16{-32768, 32767, 0, -1, 255}
)

func (k Table) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = longs[i%7] ^ int64(shorts[i%5])*int64(i)
}

// Walk has a loop over wide integers, and may fault.
type Walk struct {
	From, To, Step []int64
	At             []int
	Out            []int64
}

func (k Walk) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n, sum := int64(0), int64(0)
	for x := k.From[i]; x < k.To[i]; x += k.Step[i] {
		sum = sum*7 + x/3 - x%1000
		n++
		if n > 50 {
			break
		}
	}
	at := k.At[i]
	k.Out[at] = sum ^ n<<60
}

// Fill increments elements that are bytes.
type Fill struct{ X []uint8 }

func (k Fill) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.X[i] = uint8(i+1) + k.X[i]&0x80
}
