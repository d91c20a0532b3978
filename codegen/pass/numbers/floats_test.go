package numbers

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
)

// someFloat32 returns any float32 but a NaN, of near exponents by turns.
func someFloat32(r *rand.Rand, i int) float32 {
	for {
		x := math.Float32frombits(r.Uint32())
		if i%2 == 0 {
			x = float32(math.Ldexp(float64(1<<24|r.IntN(1<<24)), r.IntN(8)-28))
		}
		if x == x {
			return x
		}
	}
}

// TestInnocuous: what is rounded to a float64 and then to a float32 is what is rounded
// once.
func TestInnocuous(t *testing.T) {
	once := map[ir.Op]func(x, y float32) float32{
		ir.OpFAdd: func(x, y float32) float32 { return x + y }, ir.OpFSub: func(x, y float32) float32 { return x - y },
		ir.OpFMul: func(x, y float32) float32 { return x * y }, ir.OpFDiv: func(x, y float32) float32 { return x / y },
		ir.OpFSqrt: func(x, _ float32) float32 { return sqrt32(x) },
	}
	twice := map[ir.Op]func(x, y float64) float64{
		ir.OpFAdd: func(x, y float64) float64 { return x + y }, ir.OpFSub: func(x, y float64) float64 { return x - y },
		ir.OpFMul: func(x, y float64) float64 { return x * y }, ir.OpFDiv: func(x, y float64) float64 { return x / y },
		ir.OpFSqrt: func(x, _ float64) float64 { return math.Sqrt(x) },
	}
	if len(once) != len(roundTwiceOps) {
		t.Fatal("not all are tested")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1_000_000 {
		x, y := someFloat32(r, i), someFloat32(r, i)
		for op := range roundTwiceOps {
			got, want := float32(twice[op](float64(x), float64(y))), once[op](x, y)
			if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
				t.Fatalf("%v of %g and %g: %g, want %g", op, x, y, got, want)
			}
		}
	}
}

// sqrt32 is the float32 whose square is nearest: the middle between it and its neighbours
// has 25 bits, its square 50, so that comparisons are exact.
func sqrt32(x float32) float32 {
	if !(x > 0) || math.IsInf(float64(x), 1) {
		return float32(math.Sqrt(float64(x)))
	}
	s := float32(math.Sqrt(float64(x)))
	for range 2 {
		up, down := math.Nextafter32(s, 1e38), math.Nextafter32(s, 0)
		if m := (float64(s) + float64(up)) / 2; m*m < float64(x) {
			s = up
		}
		if m := (float64(s) + float64(down)) / 2; m*m > float64(x) {
			s = down
		}
	}
	return s
}

// TestNearest compares float32 with constants between two of them.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 100_000 {
		c := float64(someFloat32(r, i)) * (1 + r.Float64()/1e6)
		if i%100 == 0 {
			c = math.Copysign(math.MaxFloat64, c)
		}
		if float64(float32(c)) == c {
			continue
		}
		before, ok1 := nearestFloat(c, true)
		behind, ok2 := nearestFloat(c, false)
		if !ok1 || !ok2 {
			if math.Abs(c) >= 0x1p-125 {
				t.Errorf("nothing is near %g", c)
			}
			continue
		}
		lo, hi := math.Float32frombits(uint32(before)), math.Float32frombits(uint32(behind))
		for _, x := range []float32{lo, hi, float32(c), -float32(c), 0, math.Nextafter32(lo, 0), math.Nextafter32(hi, 0), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())} {
			if (float64(x) < c) != (x < hi) || (c < float64(x)) != (lo < x) || (float64(x) <= c) != (x < hi) || (c <= float64(x)) != (lo < x) {
				t.Fatalf("%g and %g: %g, %g", x, c, lo, hi)
			}
		}
	}
}
