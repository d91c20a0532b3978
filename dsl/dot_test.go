package dsl_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl"
)

// TestDot4 compares with sums of 64 bits.
func TestDot4(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	edges := []int32{0, 1, -1, math.MaxInt32, math.MinInt32, math.MaxInt32 - 65535, math.MinInt32 + 65535, 65025}
	bytes := []uint8{0, 1, 127, 128, 255}
	for n := range 100_000 {
		acc := edges[r.IntN(len(edges))]
		if n%3 == 0 {
			acc = int32(r.Uint32())
		}
		var a, b [4]int8
		var u, v [4]uint8
		var signed, unsigned, mixed int64
		for i := range 4 {
			u[i], v[i] = bytes[r.IntN(len(bytes))], uint8(r.Uint32())
			if n%2 == 0 {
				v[i] = bytes[r.IntN(len(bytes))]
			}
			a[i], b[i] = int8(u[i]), int8(v[i])
			signed += int64(a[i]) * int64(b[i])
			unsigned += int64(u[i]) * int64(v[i])
			mixed += int64(a[i]) * int64(v[i])
		}
		clamp := func(x int64) int32 { return int32(max(math.MinInt32, min(math.MaxInt32, x))) }
		for _, c := range []struct {
			name      string
			got, want int64
		}{
			{"Dot4", int64(dsl.Dot4(a, b, acc)), int64(int32(int64(acc) + signed))},
			{"Dot4Mixed", int64(dsl.Dot4Mixed(a, v, acc)), int64(int32(int64(acc) + mixed))},
			{"Dot4Unsigned", int64(dsl.Dot4Unsigned(u, v, uint32(acc))), int64(uint32(int64(acc) + unsigned))},
			{"Dot4Saturating", int64(dsl.Dot4Saturating(a, b, acc)), int64(clamp(int64(acc) + signed))},
			{"Dot4MixedSaturating", int64(dsl.Dot4MixedSaturating(a, v, acc)), int64(clamp(int64(acc) + mixed))},
			{"Dot4UnsignedSaturating", int64(dsl.Dot4UnsignedSaturating(u, v, uint32(acc))), min(math.MaxUint32, int64(uint32(acc))+unsigned)},
		} {
			if c.got != c.want {
				t.Fatalf("%s of %v, %v and %d: got %d, want %d", c.name, u, v, acc, c.got, c.want)
			}
		}
	}
}
