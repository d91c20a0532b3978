package kernels

import "github.com/kgen-go/kgen/dsl"

// WeightsGroup is the size of work-groups of Weights8 and Weights4. Each work-group multiplies a row.
const WeightsGroup = 256

// Weights8 multiplies rows of Width words, which hold four weights of 8 bits each, by a vector.
type Weights8 struct {
	W, X  []uint32 // the first weight of a word has its lowest bits
	Out   []int32
	Width int
}

func (k Weights8) Kernel(it dsl.NDItem1) {
	row := it.GroupID()
	w, x := k.W[row*k.Width:(row+1)*k.Width], k.X[:k.Width]
	var sum int32
	for i := it.LocalID(); i < len(w); i += it.LocalRange() {
		sum = dsl.Dot4(signed(w[i]), signed(x[i]), sum)
	}
	if sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus); it.LocalID() == 0 {
		k.Out[row] = sum
	}
}

// Weights4 is Weights8 for weights of 4 bits, from -8 to 7, that stand in a word with 8 added. X has two words for each
// of them: the numbers for the even weights and those for the odd ones. Eights is eight times the sum of all of X.
type Weights4 struct {
	W, X   []uint32
	Out    []int32
	Width  int
	Eights int32
}

func (k Weights4) Kernel(it dsl.NDItem1) {
	row := it.GroupID()
	w, x := k.W[row*k.Width:(row+1)*k.Width], k.X[:2*k.Width]
	var sum int32
	for i := it.LocalID(); i < len(w); i += it.LocalRange() {
		sum = dsl.Dot4Mixed(signed(x[2*i]), unsigned(w[i]&0x0f0f0f0f), sum)
		sum = dsl.Dot4Mixed(signed(x[2*i+1]), unsigned(w[i]>>4&0x0f0f0f0f), sum)
	}
	if sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus); it.LocalID() == 0 {
		k.Out[row] = sum - k.Eights
	}
}

func signed(w uint32) [4]int8 { return [4]int8{int8(w), int8(w >> 8), int8(w >> 16), int8(w >> 24)} }

func unsigned(w uint32) [4]uint8 {
	return [4]uint8{uint8(w), uint8(w >> 8), uint8(w >> 16), uint8(w >> 24)}
}
