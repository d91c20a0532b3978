package interp

import (
	"math"
	"testing"

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
