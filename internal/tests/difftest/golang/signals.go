package golang

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
)

// Signals stores signalling NaNs from tables, constants, selects and phis. Only float arithmetic may make
// signalling NaNs quiet.
type Signals struct {
	Out  []float32
	Bits []uint32
	Wide []uint64
}

type signal struct {
	n int16
	x [2]float32
}

var (
	signalA = math.Float32frombits(0x7f800001)
	signalB = math.Float32frombits(0xffbfffff)
	wideA   = math.Float64frombits(0x7ff0000000000001)
	wideB   = math.Float64frombits(0xfff7ffffffffffff)

	signalRows   = [...]signal{{1, [2]float32{1, signalA}}, {2, [2]float32{signalB, 0}}, {3, [2]float32{2, -signalA}}}
	signalSquare = [2][2]float32{{signalA, signalB}, {1, -1}}
	wideSignals  = [...]float64{wideA, 1, wideB}
)

// Kernel stores the bits of each NaN.
func (k Signals) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, w := float32(i), float64(i)
	switch i % 8 {
	case 0:
		x = signalA
	case 1:
		x = signalRows[i/8%3].x[i/4%2]
	case 2:
		x = signalSquare[i/16%2][i/8%2]
	case 3:
		if x = signalB; i > 16 {
			x = signalA
		}
	case 4:
		w = wideSignals[i/8%3]
	case 5:
		w = wideA
	case 6:
		x, w = [...]float32{signalB, signalA}[i/8%2], -wideB
	}
	k.Out[i] = x
	k.Bits[i] = math.Float32bits(x) + uint32(signalRows[i%3].n)
	k.Wide[i] = math.Float64bits(w)
}
