// Package matrices contains kernels whose sub-groups multiply matrices.
//
//kgen:bare noform=Half,Int8Deep,Int8Large,Uint8One,ElementsFloat32,ElementsUint32,ElementsLarge,TiledHalf,TiledHalfHalf,TiledInt8,TiledUint8 views=Half
package matrices

//go:generate go tool kgen .

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
)

// Product multiplies Steps pairs of matrices, and adds up the products. Sub-group s of the launch starts at index
// s%3 in A, B and C, and stores its sum in D, from index s*Area on.
type Product[SA, SB, SC, E, F any] struct {
	A, B                   []E
	C, D                   []F
	Steps, NextA, NextB    int // number of products, and distances between consecutive matrices
	StrideA, StrideB       int
	StrideC, StrideD, Area int
	ColumnsA, ColumnsB     bool
	ColumnsC, ColumnsD     bool
	Last                   int // first sub-group that does nothing; 0 means none
}

// Instances of Product for the types of elements and several shapes.
type (
	Int8      = Product[[16][16]int8, [16][16]int8, [16][16]int32, int8, int32]
	Uint8     = Product[[8][32]uint8, [32][16]uint8, [8][16]uint32, uint8, uint32]
	Half      = Product[[16][16]half.Float16, [16][16]half.Float16, [16][16]float32, half.Float16, float32]
	HalfOdd   = Product[[5][7]half.Float16, [7][3]half.Float16, [5][3]float32, half.Float16, float32]
	HalfHalf  = Product[[8][8]half.Float16, [8][16]half.Float16, [8][16]half.Float16, half.Float16, half.Float16]
	BFloat    = Product[[16][16]half.BFloat16, [16][16]half.BFloat16, [16][16]float32, half.BFloat16, float32]
	Int8Deep  = Product[[16][32]int8, [32][16]int8, [16][16]int32, int8, int32]
	Int8Large = Product[[64][4]int8, [4][64]int8, [64][64]int32, int8, int32]
	Uint8One  = Product[[1][1]uint8, [1][1]uint8, [1][1]uint32, uint8, uint32]
)

func (k Product[SA, SB, SC, E, F]) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	s := it.GroupID()*sg.GroupRange() + sg.GroupID()
	if k.Last > 0 && s >= k.Last {
		return
	}
	off := s % 3
	var acc dsl.Accumulator[SC]
	if k.ColumnsC {
		acc = dsl.LoadAccumulator[SC](sg, k.C[off:], k.StrideC, dsl.ColumnMajor)
	} else {
		acc = dsl.LoadAccumulator[SC](sg, k.C[off:], k.StrideC, dsl.RowMajor)
	}
	for p := range k.Steps {
		var a dsl.MatrixA[SA]
		if k.ColumnsA {
			a = dsl.LoadA[SA](sg, k.A[off+p*k.NextA:], k.StrideA, dsl.ColumnMajor)
		} else {
			a = dsl.LoadA[SA](sg, k.A[off+p*k.NextA:], k.StrideA, dsl.RowMajor)
		}
		var b dsl.MatrixB[SB]
		if k.ColumnsB {
			b = dsl.LoadB[SB](sg, k.B[off+p*k.NextB:], k.StrideB, dsl.ColumnMajor)
		} else {
			b = dsl.LoadB[SB](sg, k.B[off+p*k.NextB:], k.StrideB, dsl.RowMajor)
		}
		acc = dsl.MulAdd(sg, a, b, acc)
	}
	if d := k.D[s*k.Area:]; k.ColumnsD {
		dsl.StoreAccumulator(sg, acc, d, k.StrideD, dsl.ColumnMajor)
	} else {
		dsl.StoreAccumulator(sg, acc, d, k.StrideD, dsl.RowMajor)
	}
}

// Elements computes with single elements of accumulators. Each sub-group has Rows*Cols elements of In, and twice as
// many elements of Out. Counts and Firsts have one element for each work-item.
type Elements[S any, E comparable] struct {
	Rows, Cols int // rows and columns of shape S

	In, Out []E
	By      E
	Counts  []int32
	Firsts  []E // first matrix element of each work-item, or By if the work-item holds no elements
}

// Instances of Elements for the types of elements.
type (
	ElementsInt32   = Elements[[4][8]int32, int32]
	ElementsUint32  = Elements[[4][8]uint32, uint32]
	ElementsFloat32 = Elements[[4][8]float32, float32]
	ElementsHalf    = Elements[[4][8]half.Float16, half.Float16]
	ElementsLarge   = Elements[[20][32]uint32, uint32]
)

func (k Elements[S, E]) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	s := it.GroupID()*sg.GroupRange() + sg.GroupID()
	area := k.Rows * k.Cols
	x := dsl.LoadAccumulator[S](sg, k.In[s*area:], k.Cols, dsl.RowMajor)
	y := dsl.Add(sg, dsl.Scale(sg, x, k.By), dsl.Fill[S](sg, k.By))
	last := k.By
	z := dsl.MapAccumulator(sg, y, func(e E) E {
		if e == last {
			return e
		}
		return k.By
	})
	i := it.GlobalID()
	n := dsl.ElementCount(sg, y)
	k.Counts[i] = int32(n)
	k.Firsts[i] = k.By
	if n > 0 {
		k.Firsts[i] = dsl.Element[E](sg, y, 0)
	}
	dsl.StoreAccumulator(sg, y, k.Out[2*s*area:], k.Cols, dsl.RowMajor)
	dsl.StoreAccumulator(sg, z, k.Out[2*s*area+area:], k.Rows, dsl.ColumnMajor)
}

// Local multiplies in work-group memory. Each sub-group multiplies its matrix of In by the matrix's transpose, twice.
type Local struct {
	In  []half.Float16 // 32 elements for each sub-group
	Out []half.Float16 // 16 elements for each sub-group
}

func (k Local) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	first := it.GroupID() * sg.GroupRange()
	mem := dsl.LocalSlice[half.Float16](it, 32*64)
	for i := it.LocalID(); i < 32*sg.GroupRange(); i += it.LocalRange() {
		mem[i] = k.In[first*32+i]
	}
	it.Barrier()
	own := mem[sg.GroupID()*32:]
	a := dsl.LoadA[[4][8]half.Float16](sg, own, 8, dsl.RowMajor)
	b := dsl.LoadB[[8][4]half.Float16](sg, own, 8, dsl.ColumnMajor)
	var acc dsl.Accumulator[[4][4]half.Float16]
	acc = dsl.MulAdd(sg, a, b, acc)
	sg.Barrier()
	dsl.StoreAccumulator(sg, acc, own[1:], 5, dsl.ColumnMajor)
	sg.Barrier()
	c := dsl.LoadAccumulator[[4][4]half.Float16](sg, own[1:], 5, dsl.ColumnMajor)
	dsl.StoreAccumulator(sg, dsl.MulAdd(sg, a, b, c), k.Out[(first+sg.GroupID())*16:], 4, dsl.RowMajor)
}

// Tiled multiplies matrices through work-group memory. Twice, each sub-group copies 16 rows of A and 16 columns of B to
// work-group memory, and multiplies the copies. Rows and columns have Depth elements. The copies start at index At, and
// consecutive rows or columns are Stride apart. Work-item Bad faults between the products. Sub-groups store By*sum + 1.
type Tiled[SA, SB, SC any, E, F comparable] struct {
	A, B   []E // 16*Depth elements for each sub-group
	C, Out []F // 256 elements for each sub-group
	By     F
	One    F
	Depth  int
	At     int
	Stride int
	Bad    int     // index of the work-item that faults, or -1
	Counts []int32 // number of elements that each work-item holds
	Firsts []F     // last matrix element of each work-item, or By if the work-item holds no elements
}

// Instances of Tiled for the types of elements.
type (
	TiledInt8     = Tiled[[16][32]int8, [32][16]int8, [16][16]int32, int8, int32]
	TiledUint8    = Tiled[[16][32]uint8, [32][16]uint8, [16][16]uint32, uint8, uint32]
	TiledHalf     = Tiled[[16][16]half.Float16, [16][16]half.Float16, [16][16]float32, half.Float16, float32]
	TiledHalfHalf = Tiled[[16][16]half.Float16, [16][16]half.Float16, [16][16]half.Float16, half.Float16, half.Float16]
)

// TiledRoom is the number of elements in local memory per matrix. TiledGroups is the largest number of sub-groups.
const (
	TiledRoom   = 700
	TiledGroups = 4
)

func (k Tiled[SA, SB, SC, E, F]) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	s := it.GroupID()*sg.GroupRange() + sg.GroupID()
	as, bs := dsl.LocalSlice[E](it, TiledRoom*TiledGroups), dsl.LocalSlice[E](it, TiledRoom*TiledGroups)
	a, b := as[sg.GroupID()*TiledRoom+k.At:], bs[sg.GroupID()*TiledRoom+k.At:]
	acc := dsl.LoadAccumulator[SC](sg, k.C[s*256:], 16, dsl.RowMajor)
	for round := range 2 {
		for i := sg.LocalID(); i < 16*k.Depth; i += sg.LocalRange() {
			a[i/k.Depth*k.Stride+i%k.Depth] = k.A[s*16*k.Depth+i]
			b[i/k.Depth*k.Stride+i%k.Depth] = k.B[s*16*k.Depth+i]
		}
		sg.Barrier()
		x := dsl.LoadA[SA](sg, a, k.Stride, dsl.RowMajor)
		y := dsl.LoadB[SB](sg, b, k.Stride, dsl.ColumnMajor)
		acc = dsl.MulAdd(sg, x, y, acc)
		sg.Barrier()
		if round == 0 && it.GlobalID() == k.Bad {
			k.Counts[-1-it.GlobalID()] = 0
		}
	}
	acc = dsl.Add(sg, dsl.Scale(sg, acc, k.By), dsl.Fill[SC](sg, k.One))
	last := k.By
	acc = dsl.MapAccumulator(sg, acc, func(e F) F {
		if e == last {
			return k.One
		}
		return e
	})
	n, id := dsl.ElementCount(sg, acc), it.GlobalID()
	k.Counts[id], k.Firsts[id] = int32(n), k.By
	if n > 0 {
		k.Firsts[id] = dsl.Element[F](sg, acc, n-1)
	}
	dsl.StoreAccumulator(sg, acc, k.Out[s*256:], 16, dsl.ColumnMajor)
}

// Fixed multiplies a matrix in work-group memory by itself, and by the matrix that begins one element later.
// kgen knows the offset and stride of both matrices. The kernel runs in work-groups of one sub-group.
type Fixed struct {
	In  []half.Float16 // 272 numbers
	Out []float32      // 512 numbers
}

func (k Fixed) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	mem := dsl.Local[[288]half.Float16](it)
	for i := it.LocalID(); i < 272; i += it.LocalRange() {
		mem[i] = k.In[i]
	}
	it.Barrier()
	a := dsl.LoadA[[16][16]half.Float16](sg, mem[:], 16, dsl.RowMajor)
	for i := range 2 {
		var acc dsl.Accumulator[[16][16]float32]
		b := dsl.LoadB[[16][16]half.Float16](sg, mem[16*i:], 16, dsl.ColumnMajor)
		acc = dsl.MulAdd(sg, a, b, acc)
		dsl.StoreAccumulator(sg, acc, k.Out[256*i:], 16, dsl.RowMajor)
	}
	b := dsl.LoadB[[16][16]half.Float16](sg, mem[1:], 16, dsl.ColumnMajor)
	acc := dsl.LoadAccumulator[[16][16]float32](sg, k.Out, 16, dsl.RowMajor)
	dsl.StoreAccumulator(sg, dsl.MulAdd(sg, a, b, acc), k.Out, 16, dsl.RowMajor)
}

// Dots computes all kinds of products of four numbers of 8 bits, each added to Acc.
type Dots struct {
	A, B     [][4]int8
	U, V     [][4]uint8
	Acc      []int32
	Signed   [][4]int32 // results of Dot4, Dot4Mixed, and their saturating versions
	Unsigned [][2]uint32
}

func (k Dots) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, u, v, acc := k.A[i], k.B[i], k.U[i], k.V[i], k.Acc[i]
	k.Signed[i] = [4]int32{dsl.Dot4(a, b, acc), dsl.Dot4Mixed(a, v, acc), dsl.Dot4Saturating(a, b, acc), dsl.Dot4MixedSaturating(a, v, acc)}
	k.Unsigned[i] = [2]uint32{dsl.Dot4Unsigned(u, v, uint32(acc)), dsl.Dot4UnsignedSaturating(u, v, uint32(acc))}
}

// The type `sum` is an accumulator of 4 by 4 elements.
type sum = dsl.Accumulator[[4][4]int32]

// Values keeps matrices in all kinds of variables. The kernel runs in one sub-group.
type Values struct {
	Pick int
	In   []int32 // 16 numbers
	Out  []int32 // 16 numbers for each result
}

// ValueResults is the number of results of Values.
const ValueResults = 6

// The type `pair` is a struct of a matrix and a number.
type pair struct {
	m sum
	n int32
}

func swapped(x, y sum) (sum, sum) { return y, x }

func (k Values) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	at := 0
	put := func(m sum) {
		dsl.StoreAccumulator(sg, m, k.Out[16*at:], 4, dsl.RowMajor)
		at++
	}
	in := dsl.LoadAccumulator[[4][4]int32](sg, k.In, 4, dsl.RowMajor)
	var list [3]pair
	for i := range list {
		list[i] = pair{dsl.Scale(sg, in, int32(i+1)), int32(i)}
	}
	put(list[k.Pick].m)

	old := list
	p := &list[1]
	p.m = dsl.Fill[[4][4]int32](sg, list[k.Pick].n)
	put(p.m)
	put(old[1].m)

	var any1 any = in
	if k.Pick > 1 {
		any1 = list[0]
	}
	switch x := any1.(type) {
	case sum:
		put(dsl.Add(sg, x, x))
	case pair:
		put(x.m)
	}

	x, y := in, old[2].m
	for range k.Pick { // swaps the matrices Pick times
		x, y = swapped(x, y)
		x = dsl.Add(sg, x, in)
	}
	put(x)
	put(y)
}

// Faulty has one work-item that faults before the matrix operations.
type Faulty struct {
	Bad     int
	In, Out []int32
}

func (k Faulty) Kernel(it dsl.NDItem1) {
	sg, i := it.SubGroup(), it.GlobalID()
	at := i
	if i == k.Bad {
		at = -1
	}
	k.Out[i] = k.In[at]
	var a dsl.MatrixA[[4][4]int8]
	var b dsl.MatrixB[[4][4]int8]
	acc := dsl.LoadAccumulator[[4][4]int32](sg, k.In, 4, dsl.RowMajor)
	for range 3 {
		acc = dsl.MulAdd(sg, a, b, acc)
	}
	dsl.StoreAccumulator(sg, acc, k.Out[128+16*sg.GroupID():], 4, dsl.RowMajor)
}

// Square multiplies matrices of N rows and columns, with matrix operations of sub-groups. N is a multiple of 16.
type Square struct {
	N    int
	A, B []half.Float16
	C    []float32
}

func (k Square) Kernel(it dsl.NDItem2) {
	sg, n := it.SubGroup(), k.N
	y, x := it.GroupID()
	row, col := 16*y, 16*(x*sg.GroupRange()+sg.GroupID())
	var acc dsl.Accumulator[[16][16]float32]
	for p := 0; p < n; p += 16 {
		a := dsl.LoadA[[16][16]half.Float16](sg, k.A[row*n+p:], n, dsl.RowMajor)
		b := dsl.LoadB[[16][16]half.Float16](sg, k.B[p*n+col:], n, dsl.RowMajor)
		acc = dsl.MulAdd(sg, a, b, acc)
	}
	dsl.StoreAccumulator(sg, acc, k.C[row*n+col:], n, dsl.RowMajor)
}

// Loops computes the same as Square with loops, one element for each work-item.
type Loops struct {
	N       int
	A, B, C []float32
}

func (k Loops) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	sum := float32(0)
	for p := range k.N {
		sum += float32(k.A[y*k.N+p] * k.B[p*k.N+x])
	}
	k.C[y*k.N+x] = sum
}
