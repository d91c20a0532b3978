package interp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/dsl/half"
)

// TestHalves compares the conversions of all float16s, and of the float32s in the middle between two
// and next to it, with package half, whose tests compare them with exact results.
func TestHalves(t *testing.T) {
	for b := range uint32(1 << 16) {
		x := half.Float16(b)
		near := math.Float32bits(x.Float32())
		middle := near + 1<<12
		if e := b >> 10 & 31; e == 0 {
			sign := near & (1 << 31)
			middle = math.Float32bits(float32(b&0x3ff)*0x1p-24+0x1p-25) | sign
		}
		for _, f := range []uint32{near, middle - 1, middle, middle + 1, b<<16 | ^b&0xffff} {
			if got, want := halfBits(uint64(f)), half.FromFloat32[half.Float16](math.Float32frombits(f)); got != uint16(want) {
				t.Fatalf("%#x: %#x, want %#x", f, got, want)
			}
		}
	}
}

// TestComputedHalves compares operations of random float16s with package half.
func TestComputedHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 16))
	for range 200000 {
		a := []uint64{r.Uint64N(1 << 16), r.Uint64N(1 << 16), r.Uint64N(1 << 16)}
		if r.IntN(2) == 0 {
			a[r.IntN(3)] &= 0x83ff // subnormal
		}
		x, y, z := half.Float16(a[0]), half.Float16(a[1]), half.Float16(a[2])
		for op, want := range map[ir.Op]half.Float16{ir.OpHalfDiv: x.Div(y), ir.OpHalfSqrt: x.Sqrt(), ir.OpHalfFma: x.FMA(y, z)} {
			if got := computedHalf(op, a); got != uint64(want) {
				t.Fatalf("%v of %#x: %#x, want %#x", op, a, got, want)
			}
		}
	}
}
