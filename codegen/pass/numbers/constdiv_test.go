package numbers

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestReciprocal holds divisions by multiplication to those of gc.
func TestReciprocal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var bys []uint64
	for by := uint64(3); by < 3000; by++ {
		bys = append(bys, by)
	}
	for k := 2; k < 63; k++ {
		bys = append(bys, 1<<k-1, 1<<k+1, 1<<k|r.Uint64N(1<<k))
	}
	bys = append(bys, 1<<63-1, 1_000_000_007, 641, 6700417, math.MaxUint64/10)
	for _, by := range bys {
		if by&(by-1) == 0 || by >= 1<<63 {
			continue
		}
		m, shift, add := reciprocalOf(by)
		if shift < 0 || shift > 63 {
			t.Fatalf("%d: a shift by %d", by, shift)
		}
		check := func(x uint64) {
			h, _ := bits.Mul64(x, m)
			if add {
				h += (x - h) >> 1
			}
			if got := h >> shift; got != x/by {
				t.Fatalf("%d / %d is %d by %d, %d, %t", x, by, got, m, shift, add)
			}
		}
		for _, q := range []uint64{0, 1, 2, math.MaxUint64 / by, math.MaxUint64/by - 1, r.Uint64() / by, r.Uint64() / by} {
			for _, d := range []uint64{0, 1, by - 1} {
				check(q*by + d)
			}
		}
		check(math.MaxUint64)
		check(1 << 63)
		check(1<<63 - 1)
		for range 20 {
			check(r.Uint64() >> r.IntN(64))
		}
	}
}
