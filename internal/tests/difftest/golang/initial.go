package golang

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
)

// Initial reads variables that functions initialize, slices without elements, and tables that the package passes to
// functions.
type Initial struct{ Out []int }

type halves struct{ a, b int }

func swapped(n, m int) *halves {
	p := &halves{n, m}
	x := p.a
	p.a = p.b
	p.b = x
	return p
}

func secondTwice(h halves) halves { h.a = h.b; return h }

type lists struct {
	none, empty []int32
	calls       []func() int
}

var (
	exchanged  = swapped(3, 6)
	doubleHalf = secondTwice(halves{1, 8})
	before     = halves{5, 6}
	after      = before
	noItems    []int32
	zeroItems  = []int32{}
	noText     = []byte("")
	noCalls    []func() int
	someLists  = lists{empty: []int32{}, calls: []func() int{}}
	primeSteps = [...]int{2, 3, 5, 7, 11}
	primesAt   = &primeSteps
	weights    = []int{1, 10, 100}

	// A signalling NaN, which operations would make quiet.
	signalling = math.Float32frombits(0x7f800001)
	signals    = [...]float32{math.Float32frombits(0xff812345), -signalling, float32(signalling)}
	quieted    = float64(signalling)
	wideSignal = math.Float64frombits(0x7ff0000000000001)
	setSignals [2]float32
)

func init() {
	for i := range setSignals {
		setSignals[i] = math.Float32frombits(0x7f800100 + uint32(i))
	}
}

func addUp(xs []int) (t int) {
	for _, x := range xs {
		t += x
	}
	return t
}

func weighted(from int) []int { return weights[from%len(weights):] }

func (h *halves) total() int { return h.a + 10*h.b }

type totaler interface{ total() int }

func twiceTotal(t totaler) int { return 2 * t.total() }

// Kernel reads all of the variables.
func (k Initial) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := exchanged.total() + 100*doubleHalf.a + 1000*after.b
	for j, nothing := range [...]bool{noItems == nil, zeroItems == nil, noText == nil, noCalls == nil,
		someLists.none == nil, someLists.empty == nil, someLists.calls == nil} {
		if nothing {
			n += 1 << (14 + j)
		}
	}
	for _, x := range zeroItems {
		n += int(x)
	}
	n += addUp(primeSteps[i%3:]) + addUp(weighted(i)) + primesAt[i%5]
	n += int(math.Float32bits(signalling)) ^ int(math.Float32bits(signals[i%3]))<<8 ^ int(math.Float32bits(setSignals[i%2]))<<16
	n ^= int(math.Float64bits(quieted)) ^ int(math.Float64bits(wideSignal))>>3
	at := func(j int) int { return primeSteps[j] }
	k.Out[i] = n + at(i%4) + twiceTotal(exchanged) + len(someLists.empty) + cap(zeroItems)
}
