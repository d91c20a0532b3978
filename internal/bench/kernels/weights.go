package kernels

import "github.com/kgen-go/kgen/dsl"

// WeightsGroup is the size of work-groups of Weights8 and Weights4. Each work-group multiplies WeightsRows rows at
// once, so that it loads each element of the vector once for all these rows.
const (
	WeightsGroup = 256
	WeightsRows  = 4
)

// A Quad is 16 bytes of weights. In each of its 32-bit words, the first weight is in the lowest bits.
type Quad [4]uint32

// weightRows sets `rows` to a work-group's rows of matrix w. If w has too few rows, weightRows repeats the last row.
func weightRows(it dsl.NDItem1, rows *[WeightsRows][]Quad, w []Quad, width int) {
	last := len(w)/width - 1
	for r := range rows {
		row := min(it.GroupID()*WeightsRows+r, last)
		rows[r] = w[row*width : (row+1)*width]
	}
}

// Weights8 multiplies a matrix of 8-bit weights by a vector. A matrix row has Width Quads.
type Weights8 struct {
	W, X  []Quad
	Out   []int32
	Width int
}

func (k Weights8) Kernel(it dsl.NDItem1) {
	var w [WeightsRows][]Quad
	weightRows(it, &w, k.W, k.Width)
	x := k.X[:k.Width]
	var sum [WeightsRows]int32
	for i := it.LocalID(); i < len(x); i += it.LocalRange() {
		for r := range sum {
			sum[r] = dot(w[r][i], x[i], sum[r])
		}
	}
	store(it, k.Out, &sum, 0)
}

// dot() returns sum plus the products of the 16 signed bytes of a and b.
func dot(a, b Quad, sum int32) int32 {
	sum = dsl.Dot4(signed(a[0]), signed(b[0]), sum)
	sum = dsl.Dot4(signed(a[1]), signed(b[1]), sum)
	sum = dsl.Dot4(signed(a[2]), signed(b[2]), sum)
	return dsl.Dot4(signed(a[3]), signed(b[3]), sum)
}

// For each row, store() adds up the sums of the work-items, subtracts the argument `over`, and stores the result.
func store(it dsl.NDItem1, out []int32, sum *[WeightsRows]int32, over int32) {
	for r := range sum {
		s := dsl.ReduceOverGroup(it.Group(), sum[r], dsl.Plus)
		if row := it.GroupID()*WeightsRows + r; it.LocalID() == 0 && row < len(out) {
			out[row] = s - over
		}
	}
}

// Weights4 computes the same as Weights8 for weights of 4 bits, from -8 to 7. A 32-bit word holds 8
// weights, each increased by 8. X has 2*Width Quads. The first Width Quads of X are multiplied by the
// even weights, and the others by the odd weights. Eights is eight times the sum of all bytes of X.
type Weights4 struct {
	W, X   []Quad
	Out    []int32
	Width  int
	Eights int32
}

func (k Weights4) Kernel(it dsl.NDItem1) {
	var w [WeightsRows][]Quad
	weightRows(it, &w, k.W, k.Width)
	even, odd := k.X[:k.Width], k.X[k.Width:2*k.Width]
	var sum [WeightsRows]int32
	for i := it.LocalID(); i < len(even); i += it.LocalRange() {
		for r := range sum {
			v := w[r][i]
			sum[r] = dot(low(v), even[i], sum[r])
			sum[r] = dot(high(v), odd[i], sum[r])
		}
	}
	store(it, k.Out, &sum, k.Eights)
}

// low() returns the lower 4 bits of each byte, and high() returns the upper 4 bits.
func low(q Quad) Quad {
	const bits = 0x0f0f0f0f
	return Quad{q[0] & bits, q[1] & bits, q[2] & bits, q[3] & bits}
}

func high(q Quad) Quad { return low(Quad{q[0] >> 4, q[1] >> 4, q[2] >> 4, q[3] >> 4}) }

func signed(w uint32) [4]int8 { return [4]int8{int8(w), int8(w >> 8), int8(w >> 16), int8(w >> 24)} }
