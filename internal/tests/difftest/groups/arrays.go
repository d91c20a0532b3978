package groups

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Matrix is a slice with a shape of rows and columns.
type Matrix struct {
	Data          []int32
	Shape, Stride [2]int
}

var (
	rounds = [3]int{2, 0, 1}
	turns  = []int{1, 3}
)

// Arrays contains the fields of the kernels below. The barriers of the kernels are in loops over
// uniform arrays.
type Arrays struct {
	N, M  int
	Sizes [3]int
	V     Matrix
	X, Y  []int32
}

// turn() replaces each work-item's element by its neighbour's element, n times. Work-items that have
// returned keep their elements.
func turn(it dsl.NDItem1, tile *[64]int32, n int) {
	l := it.LocalID()
	for r := range n {
		v := tile[(l+1)%it.LocalRange()]
		it.Barrier()
		tile[l] = v*3 + int32(r)
		it.Barrier()
	}
}

// Fields has loops over a field that is an array, over the shape of a matrix, and along one dimension of
// the matrix.
type Fields struct{ Arrays }

// Kernel has work-items that return before, between and in the loops.
func (k Fields) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	tile := dsl.Local[[64]int32](it)
	tile[l] = k.X[i]
	it.Barrier()
	if i >= k.N {
		return
	}
	for d := range k.Sizes {
		turn(it, tile, k.Sizes[d])
		if k.X[i]%7 == int32(d) {
			k.Y[i] = tile[l]
			return
		}
	}
	turn(it, tile, k.V.Shape[k.M&1])
	for d, n := range k.V.Shape {
		turn(it, tile, n-k.V.Stride[d])
	}
	k.Y[i] = tile[l]
}

// Tables has loops over package-level variables.
type Tables struct{ Arrays }

// Kernel has work-items that return before and between the loops.
func (k Tables) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	tile := dsl.Local[[64]int32](it)
	tile[l] = k.X[i]
	it.Barrier()
	if i >= k.N {
		return
	}
	for _, n := range rounds {
		turn(it, tile, n)
	}
	if k.X[i]%5 == 0 {
		k.Y[i] = -1
		return
	}
	for j, n := range turns {
		turn(it, tile, n+rounds[(j+k.M)%3])
	}
	k.Y[i] = tile[l]
}

// Literals has loops over an array literal and a slice literal.
type Literals struct{ Arrays }

// Kernel has work-items that return before and in the loops.
func (k Literals) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	tile := dsl.Local[[64]int32](it)
	tile[l] = k.X[i]
	it.Barrier()
	for _, n := range [3]int{k.M, it.GroupID() % 3, 1} {
		if k.X[i] == int32(n) {
			return
		}
		turn(it, tile, n)
	}
	steps := []int{k.Sizes[0], k.N & 3, it.LocalRange() & 1}
	for d := range steps {
		turn(it, tile, steps[d])
	}
	k.Y[i] = tile[l]
}

// Filled fills arrays in loops, and changes and copies them. The elements are the iteration counts of other loops.
type Filled struct{ Arrays }

// Kernel has work-items that return while the arrays are filled. Later barriers need the arrays of returned work-items.
func (k Filled) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	tile := dsl.Local[[64]int32](it)
	tile[l] = k.X[i]
	it.Barrier()
	var counts [4]int
	for d := range counts {
		counts[d] = (k.M + d) & 3
		if k.X[i]%9 == int32(d) {
			k.Y[i] = tile[l]
			return
		}
	}
	own := counts[l&3] // value before the change
	counts[(k.M+1)&3]++
	before := counts
	for d := 0; d < counts[k.M&3]+2; d++ {
		turn(it, tile, counts[d&3])
		if k.X[i]%11 == int32(d) {
			return
		}
		counts[d&3] = before[(d+1)&3] ^ 1
	}
	for _, n := range before {
		turn(it, tile, n)
	}
	k.Y[i] = tile[l]*5 + int32(own) + int32(counts[l&3])
}

// Summed has a group algorithm after a loop. Either all work-items execute the loop, or none of them.
type Summed struct {
	Arrays
	Wide []int64
}

// Properties sets the work-group's size.
func (Summed) Properties() properties.List { return properties.List{properties.WorkGroupSize(24)} }

// Kernel adds up N elements, where N is a field.
func (k Summed) Kernel(it dsl.NDItem1) {
	l := it.LocalID()
	sum := int64(0)
	for c := range k.Sizes[0] {
		if j := c*8 + l; j >= 0 && j < len(k.Wide) {
			sum += k.Wide[j]
		}
	}
	before := dsl.ExclusiveScanOverGroup(it.Group(), sum, dsl.Plus)
	k.Y[it.GlobalID()] = int32(before>>9) ^ int32(before) // uses all 64 bits of the variable `before`
}
