package matrices

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
)

// HalfPart is 32 bytes of a row of Float16s. BytePart is 16 bytes of a row of bytes.
type (
	HalfPart [2][8]half.Float16
	BytePart [2][8]int8
)

// The rows of PartsHalf and PartsByte in work-group memory have 64 elements each, and begin 80 elements apart.
const (
	PartsDepth = 64
	partsPitch = 80
	partsRows  = 16
)

// PartsHalf multiplies matrices through work-group memory. The matrices have 16 rows, of Width times 16 elements. A
// is used unchanged, with zeros past its end. Plus is added to every second element of B. The kernel runs in one
// work-group of whole sub-groups. All sub-groups compute and store the same product.
type PartsHalf struct {
	A, B  []HalfPart // matrices, row after row
	C     []float32  // 256 numbers
	Width int
	Plus  half.Float16
}

func (k PartsHalf) Kernel(it dsl.NDItem1) {
	left, right := dsl.Local[[partsRows * partsPitch]half.Float16](it), dsl.Local[[partsRows * partsPitch]half.Float16](it)
	const parts = PartsDepth / 16
	var sum dsl.Accumulator[[16][16]float32]
	for t := 0; t < k.Width; t += parts {
		it.Barrier()
		for i := it.LocalID(); i < partsRows*parts; i += it.LocalRange() {
			var a, b HalfPart
			if at := i/parts*k.Width + t + i%parts; t+i%parts < k.Width && uint(at) < uint(len(k.A)) {
				a = k.A[at]
			}
			if at := i/parts*k.Width + t + i%parts; t+i%parts < k.Width && uint(at) < uint(len(k.B)) {
				b = k.B[at]
			}
			to := i/parts*partsPitch + i%parts*16
			*(*[8]half.Float16)(left[to:]) = a[0]
			*(*[8]half.Float16)(left[to+8:]) = a[1]
			for h := range b {
				for j := range 4 {
					b[h][2*j+1] = b[h][2*j+1].Add(k.Plus)
				}
				*(*[8]half.Float16)(right[to+8*h:]) = b[h]
			}
		}
		it.Barrier()
		sg := it.SubGroup()
		for d := range PartsDepth / 16 {
			a := dsl.LoadA[[16][16]half.Float16](sg, left[16*d:], partsPitch, dsl.RowMajor)
			b := dsl.LoadB[[16][16]half.Float16](sg, right[16*d:], partsPitch, dsl.ColumnMajor)
			sum = dsl.MulAdd(sg, a, b, sum)
		}
	}
	dsl.StoreAccumulator(it.SubGroup(), sum, k.C, 16, dsl.RowMajor)
}

// PartsByte computes the same as PartsHalf for bytes. While PartsByte multiplies, it already loads the next words of A.
type PartsByte struct {
	A     [][4]uint32 // words of A; the first byte is in the lowest bits
	B     []BytePart
	C     []int32
	Width int // number of parts, a multiple of 4
	Plus  int8
}

func (k PartsByte) Kernel(it dsl.NDItem1) {
	left, right := dsl.Local[[partsRows * partsPitch]int8](it), dsl.Local[[partsRows * partsPitch]int8](it)
	const parts = PartsDepth / 16
	var sum dsl.Accumulator[[16][16]int32]
	i := it.LocalID() % (partsRows * parts)
	from, to := i/parts*k.Width+i%parts, i/parts*partsPitch+i%parts*16
	var next [4]uint32
	if uint(from) < uint(len(k.A)) {
		next = k.A[from]
	}
	for t := 0; t < k.Width; t += parts {
		it.Barrier()
		for w, x := range next {
			left[to+4*w], left[to+4*w+1], left[to+4*w+2], left[to+4*w+3] = int8(x), int8(x>>8), int8(x>>16), int8(x>>24)
		}
		var b BytePart
		if at := from + t; uint(at) < uint(len(k.B)) {
			b = k.B[at]
		}
		b[0][0], b[1][7] = b[0][0]+k.Plus, -1
		*(*[8]int8)(right[to:]) = b[0]
		*(*[8]int8)(right[to+8:]) = b[1]
		it.Barrier()
		if at := from + t + parts; uint(at) < uint(len(k.A)) {
			next = k.A[at]
		}
		sg := it.SubGroup()
		a := dsl.LoadA[[16][PartsDepth]int8](sg, left[:], partsPitch, dsl.RowMajor)
		sum = dsl.MulAdd(sg, a, dsl.LoadB[[PartsDepth][16]int8](sg, right[:], partsPitch, dsl.ColumnMajor), sum)
	}
	dsl.StoreAccumulator(it.SubGroup(), sum, k.C, 16, dsl.RowMajor)
}
