package kernels

import "github.com/kgen-go/kgen/dsl"

// WeightsGroup is the size of work-groups of Weights8 and Weights4. Each work-group multiplies WeightsRows rows, so
// that what it loads of the vector serves them all.
const (
	WeightsGroup = 256
	WeightsRows  = 4
)

// weightRows returns the rows of a work-group. Rows after the last one are the last one again.
func weightRows(it dsl.NDItem1, w []uint32, width int) (rows [WeightsRows][]uint32) {
	last := len(w)/width - 1
	for r := range rows {
		row := min(it.GroupID()*WeightsRows+r, last)
		rows[r] = w[row*width : (row+1)*width]
	}
	return rows
}

// Weights8 multiplies rows of Width words, which hold four weights of 8 bits each, by a vector.
type Weights8 struct {
	W, X  []uint32 // the first weight of a word has its lowest bits
	Out   []int32
	Width int
}

func (k Weights8) Kernel(it dsl.NDItem1) {
	w, x := weightRows(it, k.W, k.Width), k.X[:k.Width]
	var sum [WeightsRows]int32
	for i := it.LocalID(); i < len(x); i += it.LocalRange() {
		for r := range sum {
			sum[r] = dsl.Dot4(signed(w[r][i]), signed(x[i]), sum[r])
		}
	}
	store(it, k.Out, sum, 0)
}

// store adds up the sums of the work-items, and stores those of the rows without what is over.
func store(it dsl.NDItem1, out []int32, sum [WeightsRows]int32, over int32) {
	for r := range sum {
		s := dsl.ReduceOverGroup(it.Group(), sum[r], dsl.Plus)
		if row := it.GroupID()*WeightsRows + r; it.LocalID() == 0 && row < len(out) {
			out[row] = s - over
		}
	}
}

// Weights4 is Weights8 for weights of 4 bits, from -8 to 7, that stand in a word with 8 added. X has two words for each
// of them: Width with the numbers for the even weights, and then those for the odd ones. Eights is eight times the
// sum of all of X.
type Weights4 struct {
	W, X   []uint32
	Out    []int32
	Width  int
	Eights int32
}

func (k Weights4) Kernel(it dsl.NDItem1) {
	w, even, odd := weightRows(it, k.W, k.Width), k.X[:k.Width], k.X[k.Width:2*k.Width]
	var sum [WeightsRows]int32
	for i := it.LocalID(); i < len(even); i += it.LocalRange() {
		for r := range sum {
			v := w[r][i]
			sum[r] = dsl.Dot4Mixed(signed(even[i]), unsigned(v&0x0f0f0f0f), sum[r])
			sum[r] = dsl.Dot4Mixed(signed(odd[i]), unsigned(v>>4&0x0f0f0f0f), sum[r])
		}
	}
	store(it, k.Out, sum, k.Eights)
}

func signed(w uint32) [4]int8 { return [4]int8{int8(w), int8(w >> 8), int8(w >> 16), int8(w >> 24)} }

func unsigned(w uint32) [4]uint8 {
	return [4]uint8{uint8(w), uint8(w >> 8), uint8(w >> 16), uint8(w >> 24)}
}
