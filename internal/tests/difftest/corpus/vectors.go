package corpus

import "github.com/kgen-go/kgen/dsl"

// Vectors accesses only the work-item's own elements, and one element that all work-items read.
// kgen may combine the accesses of Vectors into vectors of 16 bytes. Loads and stores alternate,
// some arithmetic is conditional, and work-items past N do nothing.
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
	k.B[i] += k.A[i] // if A is B, this load reads the value that was just stored
}

// VectorAdd consists only of accesses that kgen can vectorize.
type VectorAdd struct{ A, B, C []float32 }

func (k VectorAdd) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.C[i] = k.A[i] + k.B[i]
}

// VectorAdd64 adds 64-bit elements. A vector has two such elements.
type VectorAdd64 struct{ A, B, C []float64 }

func (k VectorAdd64) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.C[i] = k.A[i] + k.B[i]
}

// VectorsSmall copies 16-bit elements, eight of which fit in a vector.
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
	k.C[i] ^= k.A[i] >> 3 // if A is B or C, this load reads the value that was just stored
}

// VectorsMixed has elements of three sizes, so that wider elements need several vectors.
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
