// Package consts contains kernels that read specialization constants.
//
//kgen:bare nospare views=Wide
package consts

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// These are specialization constants of all scalar types.
var (
	Gain  = dsl.RequireSpecConstant[float32]()
	Width = dsl.RequireSpecConstant[int32]()
	Left  = dsl.NewSpecConstant(2)
	Right = dsl.NewSpecConstant(3)
	Flag  = dsl.NewSpecConstant(false)
	Zero  = dsl.NewSpecConstant(0)
	Pi    = dsl.NewSpecConstant(3.14)
	I8    = dsl.NewSpecConstant(int8(-8))
	U8    = dsl.NewSpecConstant(uint8(200))
	I16   = dsl.NewSpecConstant(int16(-300))
	U16   = dsl.NewSpecConstant(uint16(60000))
	I32   = dsl.NewSpecConstant(int32(-70000))
	U32   = dsl.NewSpecConstant(uint32(4000000000))
	I64   = dsl.NewSpecConstant(int64(-1 << 40))
	U64   = dsl.NewSpecConstant(uint64(1 << 63))
	Uint  = dsl.NewSpecConstant(uint(4000000000))
	F32   = dsl.NewSpecConstant(float32(0.1))
	F64   = dsl.NewSpecConstant(0.1)

	// Unused is a constant that no kernel reads.
	Unused = dsl.NewSpecConstant(42)

	Block = dsl.NewSpecConstant(2)
	Size  = dsl.NewSpecConstant(int32(4))
)

// Index is a constant of type int32.
var Index = dsl.NewSpecConstant(int32(5))

// Inner and Outer are struct types of constants.
type (
	Inner struct{ A, B float32 }
	Outer struct {
		X int32
		N Inner
	}
	Padded struct {
		C int8
		F float32
		B bool
		D struct {
			E bool
			G int32
		}
	}
)

// Nested is a constant whose type is a struct of structs.
var Nested = dsl.NewSpecConstant(Outer{X: 1, N: Inner{A: 2, B: 3}})

// Gappy is a constant whose type is a struct with padding.
var Gappy = dsl.RequireSpecConstant[Padded]()

// Pair is a constant whose type is an array of structs.
var Pair = dsl.NewSpecConstant([2]Inner{{1, 2}, {3, 4}})

// Numbered is a constant with the explicit id 0.
//
//kgen:spec id=0
var Numbered = dsl.NewSpecConstant(int32(1))

// Fortytwo is a constant with the explicit id 42.
//
//kgen:spec id=42
var Fortytwo = dsl.NewSpecConstant(int32(1))

// Scale stores the value of a required constant.
type Scale struct{ Out []float32 }

// Kernel runs once.
func (k Scale) Kernel(t dsl.Task) { k.Out[0] = Gain.Get(t) }

// Wide reads another required constant.
type Wide struct{ Out []int32 }

// Kernel runs once.
func (k Wide) Kernel(t dsl.Task) { k.Out[0] = width(t) }

func width(h dsl.KernelHandler) int32 { return Width.Get(h) }

// Sum stores the sum of two constants.
type Sum struct{ Out []int }

// Kernel runs once per element.
func (k Sum) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = Left.Get(it) + Right.Get(it) }

// All is a struct with a field of each scalar type.
type All struct {
	Flag bool
	I8   int8
	U8   uint8
	I16  int16
	U16  uint16
	I32  int32
	U32  uint32
	I64  int64
	U64  uint64
	Int  int
	Uint uint
	F32  float32
	F64  float64
	Pi   float64
}

// Types stores the values of constants of all types.
type Types struct{ Out []All }

// Kernel runs once.
func (k Types) Kernel(t dsl.Task) {
	k.Out[0] = All{Flag.Get(t), I8.Get(t), U8.Get(t), I16.Get(t), U16.Get(t), I32.Get(t), U32.Get(t), I64.Get(t), U64.Get(t),
		Zero.Get(t), Uint.Get(t), F32.Get(t), F64.Get(t), Pi.Get(t)}
}

// Words is a struct with a field of each scalar type except float64.
type Words struct {
	Flag bool
	I8   int8
	U8   uint8
	I16  int16
	U16  uint16
	I32  int32
	U32  uint32
	I64  int64
	U64  uint64
	Int  int
	Uint uint
	F32  float32
}

// Singles stores the values of constants of all types except float64, for devices without float64.
type Singles struct{ Out []Words }

// Kernel runs once.
func (k Singles) Kernel(t dsl.Task) {
	k.Out[0] = Words{Flag.Get(t), I8.Get(t), U8.Get(t), I16.Get(t), U16.Get(t), I32.Get(t), U32.Get(t), I64.Get(t), U64.Get(t),
		Zero.Get(t), Uint.Get(t), F32.Get(t)}
}

// Structs stores the values of constants whose types are structs and arrays.
type Structs struct {
	Index []int32
	Outer []Outer
	Pair  []Inner
	I     int
}

// Kernel runs once.
func (k Structs) Kernel(t dsl.Task) {
	k.Index[0] = Index.Get(t)
	k.Outer[0] = Nested.Get(t)
	pair := Pair.Get(t)
	k.Pair[0] = pair[k.I]
}

// Gaps stores the value of a constant whose type has padding.
type Gaps struct{ Out []Padded }

// Kernel runs once.
func (k Gaps) Kernel(t dsl.Task) { k.Out[0] = Gappy.Get(t) }

// Ids reads constants with explicit ids, and one constant without an explicit id.
type Ids struct{ Out []int32 }

// Kernel runs once.
func (k Ids) Kernel(t dsl.Task) {
	k.Out[0], k.Out[1], k.Out[2] = Numbered.Get(t), Fortytwo.Get(t), Index.Get(t)
}

// MM is a blocked matrix product for any type of element.
type MM[T float32 | float64] struct {
	N       int
	A, B, C []T
	TA, TB  dsl.LocalAccessor[T]
}

// Kernel computes one element.
func (k MM[T]) Kernel(it dsl.NDItem2) {
	size := Block.Get(it)
	ta, tb := k.TA.Slice(it), k.TB.Slice(it)
	y, x := it.GlobalID()
	ly, lx := it.LocalID()
	var sum T
	for t := 0; t < k.N; t += size {
		ta[ly*size+lx] = k.A[y*k.N+t+lx]
		tb[ly*size+lx] = k.B[(t+ly)*k.N+x]
		it.Barrier()
		for i := range size {
			sum += ta[ly*size+i] * tb[i*size+lx]
		}
		it.Barrier()
	}
	k.C[y*k.N+x] = sum
}

// Instances of MM.
type (
	MM32 = MM[float32]
	MM64 = MM[float64]
)

// Tell is a generic kernel that stores the value of a constant.
type Tell[T int32 | float32] struct{ Out []T }

// Kernel runs once.
func (k Tell[T]) Kernel(t dsl.Task) { k.Out[0] = T(Block.Get(t)) }

// Instances of Tell.
type (
	TellInt   = Tell[int32]
	TellFloat = Tell[float32]
)

// Folded has a constant as the length of arrays, as the bound of a loop, and in the condition of a
// branch.
type Folded struct{ Out []int32 }

// Kernel requires a work-group of Size work-items.
func (k Folded) Kernel(it dsl.NDItem1) {
	n := int(Size.Get(it))
	tile := dsl.LocalSlice[int32](it, n*2)
	own := dsl.PrivateAlloca[int32](it, n/2+1)
	l := it.LocalID()
	tile[l], tile[n+l] = int32(l), int32(2*l)
	it.Barrier()
	sum := int32(len(tile)) * 1000
	for i := range 2 * n {
		sum += tile[i]
	}
	for i := range own {
		sum += own[i] + 1
	}
	if n > 100 {
		sum = -1
	}
	k.Out[it.GlobalID()] = sum
}

// Local is a kernel whose work-group memory has the square of a constant as length.
type Local struct{ Out []int32 }

// Kernel reverses the ids of a work-group.
func (k Local) Kernel(it dsl.NDItem1) {
	b := Block.Get(it)
	tile := dsl.LocalSlice[int32](it, b*b)
	l := it.LocalID()
	tile[l] = int32(it.GlobalID())
	it.Barrier()
	k.Out[it.GlobalID()] = tile[len(tile)-1-l]
}

// Both stores the value of a constant whose type has no name.
type Both struct{ Out []int32 }

// Kernel runs once.
func (k Both) Kernel(t dsl.Task) {
	k.Out[0] = BothSize.Get(t).N + 100*Kernels.Get(t) + 1000*RunBoth.Get(t)
}

// BothSize is a constant whose type has no name.
var BothSize = dsl.NewSpecConstant(struct{ N int32 }{7})

// Kernels and RunBoth are names that the generated package also declares.
var (
	Kernels = dsl.NewSpecConstant(int32(1))
	RunBoth = dsl.NewSpecConstant(int32(2))
)

// Widths is a struct with integers of all widths.
type Widths struct {
	A int8
	B uint16
	C int64
	D uint64
	E uint8
	F int16
	G uint32
	H bool
	I int32
}

// Outers is a constant that is an array of structs. Extremes is a constant that is a struct of integers.
var (
	Outers   = dsl.NewSpecConstant([2]Outer{{X: 1}, {X: 2, N: Inner{A: 3}}})
	Extremes = dsl.NewSpecConstant(Widths{B: 1})
)

// Arrays stores the values of Outers and Extremes.
type Arrays struct {
	Out  []Outer
	Ints []Widths
}

// Kernel runs once.
func (k Arrays) Kernel(t dsl.Task) {
	outers := Outers.Get(t)
	copy(k.Out, outers[:])
	k.Ints[0] = Extremes.Get(t)
}

// These constants have named types, arrays of arrays, and a struct with an empty field as their types.
type (
	Mode  uint8
	Ratio float32
	Table [2][3]int16
	Parts struct {
		On [2]bool
		_  int32
		No struct{}
		In struct{ D [1]Ratio }
	}
)

// Fast is a constant of type Mode.
const Fast Mode = 3

// These constants have named types, arrays of arrays as types, or types without data.
var (
	Speed = dsl.NewSpecConstant(Fast)
	Share = dsl.RequireSpecConstant[Ratio]()
	Cells = dsl.NewSpecConstant(Table{{1, 2, 3}, {4, 5, 6}})
	Piece = dsl.NewSpecConstant(Parts{On: [2]bool{1: true}})
	None  = dsl.RequireSpecConstant[struct{}]()
	Empty = dsl.NewSpecConstant([0]int32{})
)

// Named stores the values of constants with named types, arrays of arrays and types without data.
type Named struct {
	I   int
	Out []float32
}

// Kernel runs once.
func (k Named) Kernel(t dsl.Task) {
	cells, piece := Cells.Get(t), Piece.Get(t)
	k.Out[0], k.Out[1], k.Out[2] = float32(Speed.Get(t)), float32(Share.Get(t)), float32(cells[k.I][k.I+1])
	if piece.On[k.I] {
		k.Out[3] = 1
	}
	k.Out[4] = float32(piece.In.D[0])
	if None.Get(t) == struct{}{} {
		k.Out[5] = float32(len(Empty.Get(t)) + 1)
	}
}
