package math32

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

var exhaustive = flag.Bool("exhaustive", false, "measure functions of one argument on every float32")

// ulps returns the distance of got from want in ulps of a float32 near want.
// Numbers that agree in being NaN, or in being the same infinity after rounding,
// have distance zero.
func ulps(got float32, want float64) float64 {
	if math.IsNaN(want) || got != got {
		if math.IsNaN(want) && got != got {
			return 0
		}
		return math.Inf(1)
	}
	if w := float32(want); w == got || math.IsInf(float64(got), 0) || math.IsInf(want, 0) {
		if w == got {
			if want == 0 && math.Signbit(want) != math.Signbit(float64(got)) {
				return math.Inf(1)
			}
			if math.IsInf(want, 0) || math.IsInf(float64(got), 0) {
				return 0
			}
		} else if math.IsInf(want, 0) || math.Abs(want) < MaxFloat32 {
			return math.Inf(1)
		} else {
			return 1 // one of the two overflows at the edge
		}
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-24, -149))
}

// The bounds are those in the functions' comments.
var unary = []struct {
	name  string
	f     func(float32) float32
	ref   func(float64) float64
	bound float64
}{
	{"Sqrt", Sqrt, math.Sqrt, 0.5},
	{"Rsqrt", Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, 0.5},
	{"Cbrt", Cbrt, math.Cbrt, 0.501},
	{"Exp", Exp, math.Exp, 0.78},
	{"Exp2", Exp2, math.Exp2, 0.78},
	{"Log", Log, math.Log, 0.84},
	{"Log2", Log2, math.Log2, 0.51},
	{"Log10", Log10, math.Log10, 0.51},
	{"Sin", Sin, math.Sin, 0.78},
	{"Cos", Cos, math.Cos, 0.78},
	{"Tan", Tan, math.Tan, 0.92},
	{"Asin", Asin, math.Asin, 0.65},
	{"Acos", Acos, math.Acos, 0.63},
	{"Atan", Atan, math.Atan, 0.73},
	{"Sinh", Sinh, math.Sinh, 0.79},
	{"Cosh", Cosh, math.Cosh, 0.71},
	{"Tanh", Tanh, math.Tanh, 0.8},
	{"Floor", Floor, math.Floor, 0},
	{"Ceil", Ceil, math.Ceil, 0},
	{"Trunc", Trunc, math.Trunc, 0},
	{"Round", Round, math.Round, 0},
	{"RoundToEven", RoundToEven, math.RoundToEven, 0},
	{"Abs", Abs, math.Abs, 0},
}

func TestUnaryError(t *testing.T) {
	for _, u := range unary {
		t.Run(u.name, func(t *testing.T) {
			step := uint64(8209)
			if *exhaustive {
				step = 1
			}
			var mu sync.Mutex
			var wg sync.WaitGroup
			worst, at := 0.0, float32(0)
			workers := uint64(runtime.GOMAXPROCS(0))
			for w := range workers {
				wg.Go(func() {
					max, where := 0.0, float32(0)
					for b := w * step; b < 1<<32; b += workers * step {
						x := math.Float32frombits(uint32(b))
						if e := ulps(u.f(x), u.ref(float64(x))); e > max {
							max, where = e, x
						}
					}
					mu.Lock()
					defer mu.Unlock()
					if max > worst {
						worst, at = max, where
					}
				})
			}
			wg.Wait()
			for _, x := range edges() {
				if e := ulps(u.f(x), u.ref(float64(x))); e > worst {
					worst, at = e, x
				}
			}
			t.Logf("%.4f ulp at %g (%#08x): got %g, want %g", worst, at, math.Float32bits(at), u.f(at), u.ref(float64(at)))
			if worst > u.bound {
				t.Errorf("error %.4f above the bound of %g", worst, u.bound)
			}
		})
	}
}

// edges are the numbers around which special cases and ranges meet.
func edges() []float32 {
	var list []float32
	for _, v := range []float32{0, SmallestNonzeroFloat32, SmallestNormalFloat32, tiny, 7.0 / 16, 0.5, 0.625,
		11.0 / 16, Sqrt2 / 2, Pi / 4, 1, 19.0 / 16, Sqrt2, 1.5, 2, 39.0 / 16, 3, Pi, 10, smallAngle, 88.72284,
		89, 89.41598, 90, 103.97208, 104, 128, 149, 150, 0x1p22, 0x1p23, 0x1p24, 0x1p31, 0x1p63, MaxFloat32} {
		for d := range uint32(5) {
			x := math.Float32frombits(math.Float32bits(v) + d - 2)
			list = append(list, x, -x)
		}
	}
	inf := float32(math.Inf(1))
	return append(list, inf, -inf, float32(math.NaN()))
}

var binary = []struct {
	name  string
	f     func(x, y float32) float32
	ref   func(x, y float64) float64
	bound float64
}{
	{"Hypot", Hypot, math.Hypot, 0.76},
	{"Atan2", Atan2, math.Atan2, 0.75},
	{"Pow", Pow, math.Pow, 0.8},
	{"Mod", Mod, math.Mod, 0},
	{"Min", Min, func(x, y float64) float64 { return min(x, y) }, 0},
	{"Max", Max, func(x, y float64) float64 { return max(x, y) }, 0},
	{"Copysign", Copysign, math.Copysign, 0},
}

func TestBinaryError(t *testing.T) {
	n := 300_000
	if *exhaustive {
		n = 300_000_000
	}
	for _, u := range binary {
		t.Run(u.name, func(t *testing.T) {
			worst, at := 0.0, [2]float32{}
			check := func(x, y float32) {
				if e := ulps(u.f(x, y), u.ref(float64(x), float64(y))); e > worst {
					worst, at = e, [2]float32{x, y}
				}
			}
			es := edges()
			for _, x := range es {
				for _, y := range es {
					check(x, y)
				}
			}
			r := rand.New(rand.NewPCG(1, 2))
			for i := range n {
				x, y := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
				switch i % 4 {
				case 1: // of like size
					y = float32(float64(x) * math.Exp(8*r.Float64()-4))
				case 2: // results of Pow all over the range
					x = float32(math.Exp(8*r.Float64() - 4))
					y = float32((260*r.Float64() - 140) / math.Log2(float64(x)))
				case 3: // near one
					x = 1 + float32(r.NormFloat64()*0.01)
					y = float32(r.NormFloat64() * 3000)
				}
				check(x, y)
			}
			x, y := at[0], at[1]
			t.Logf("%.4f ulp at %g, %g: got %g, want %g", worst, x, y, u.f(x, y), u.ref(float64(x), float64(y)))
			if worst > u.bound {
				t.Errorf("error %.4f above the bound of %g", worst, u.bound)
			}
		})
	}
}

var sink float32

func BenchmarkUnary(b *testing.B) {
	xs := make([]float32, 1024)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range xs {
		xs[i] = r.Float32() * 10
	}
	for _, u := range unary {
		b.Run(u.name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				sink += u.f(xs[i&1023])
				i++
			}
		})
	}
	b.Run("SinLarge", func(b *testing.B) {
		i := 0
		for b.Loop() {
			sink += Sin(xs[i&1023] * 1e20)
			i++
		}
	})
}

func ExampleHypot() {
	fmt.Println(Hypot(3e30, 4e30))
	// Output: 5e+30
}
