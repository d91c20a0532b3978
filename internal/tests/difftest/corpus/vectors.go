package corpus

import "github.com/kgen-go/kgen/dsl"

// Vectors uses the work-item's own elements alone, which work-groups read and write 16 bytes at
// once where the slices allow it: loads and stores in turn, some arithmetic under a condition, an
// element that all load, and an end before the range's.
type Vectors struct {
	A, B []float32
	C, D []int32
	All  []int32
	N    int
}

func (k Vectors) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i >= k.N {
		return
	}
	x := k.A[i]
	if x < 0 {
		x = 3 - x*x
		if k.All[0] > 1 {
			x += 0.5
		}
	}
	k.B[i] = x
	n := k.C[i]
	k.D[i] = n<<3 + int32(i)
	k.C[i] = n ^ k.D[i]/2
	k.B[i] += k.A[i] // what was stored, if A is B
}

// VectorAdd has vectors and nothing else.
type VectorAdd struct{ A, B, C []float32 }

func (k VectorAdd) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.C[i] = k.A[i] + k.B[i]
}

// VectorAdd64 has vectors of two.
type VectorAdd64 struct{ A, B, C []float64 }

func (k VectorAdd64) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.C[i] = k.A[i] + k.B[i]
}

// VectorsSmall has vectors of eight, whose elements move as they are, under a condition, and twice.
type VectorsSmall struct {
	A, B, C []uint16
	N       int
}

func (k VectorsSmall) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i >= k.N {
		return
	}
	x := k.A[i]
	k.C[i] = k.B[i]
	if x&3 == 1 {
		x = x*x - uint16(i)
	}
	k.B[i] = x
	k.C[i] ^= k.A[i] >> 3 // stored before, if A is B or C
}

// VectorsMixed has elements of three sizes, and so several vectors of the wider ones.
type VectorsMixed struct {
	A []uint8
	B []int16
	C []int32
	N int
}

func (k VectorsMixed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i >= k.N {
		return
	}
	x := int32(k.A[i]) + int32(k.B[i])
	k.A[i] = uint8(x >> 2)
	k.B[i] = int16(x + k.C[i])
	k.C[i] = x*int32(i) - k.C[i]
}
