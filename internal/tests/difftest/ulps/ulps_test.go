package ulps_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/ulps"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/ulps/ulpsgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/runtime"
)

var samples = testflag.Int("samples", 1<<18, 1, math.MaxInt, "arguments per function and range")

// function is a function of math32, where it is measured and what its fast form
// promises there.
type function struct {
	name   string
	fn     int32
	lo, hi float64
	exact  func(x, y float64) float64
	// within says whether a result is as good as the comment on the fast form
	// promises; err is in ulps.
	within func(x, err, got, want float64) bool
}

func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func absolute(bound float64) func(x, err, got, want float64) bool {
	return func(_, _, got, want float64) bool { return math.Abs(got-want) <= bound }
}

var (
	exponential = func(x, err, _, _ float64) bool { return err <= 3+2*math.Abs(x) }
	logarithm   = func(x, err, got, want float64) bool {
		return err <= 4 || 0.5 <= x && x <= 2 && math.Abs(got-want) <= 0x1p-21
	}
	anything = func(x, err, got, want float64) bool { return true }
)

var functions = []function{
	{"Sin", ulps.Sin, -math.Pi, math.Pi, one(math.Sin), absolute(0x1p-11)},
	{"Cos", ulps.Cos, -math.Pi, math.Pi, one(math.Cos), absolute(0x1p-11)},
	{"Tan", ulps.Tan, -1.5, 1.5, one(math.Tan), anything},
	{"Exp", ulps.Exp, -80, 80, one(math.Exp), exponential},
	{"Exp2", ulps.Exp2, -120, 120, one(math.Exp2), exponential},
	{"Log", ulps.Log, 1e-30, 1e30, one(math.Log), logarithm},
	{"Log2", ulps.Log2, 1e-30, 1e30, one(math.Log2), logarithm},
	{"Rsqrt", ulps.Rsqrt, 1e-30, 1e30, one(func(x float64) float64 { return 1 / math.Sqrt(x) }),
		func(_, err, _, _ float64) bool { return err <= 2 }},
	{"Tanh", ulps.Tanh, -10, 10, one(math.Tanh), anything},
	{"Pow", ulps.Pow, 1e-3, 1e3, math.Pow, anything},
}

// arguments spread evenly over [lo, hi], or over its exponents if it is of one
// sign.
func arguments(f *function, r *rand.Rand) (xs, ys []float32) {
	for range sample.Of(*samples, *samples/8) {
		x := f.lo + r.Float64()*(f.hi-f.lo)
		if f.lo > 0 {
			x = f.lo * math.Pow(f.hi/f.lo, r.Float64())
		}
		xs, ys = append(xs, float32(x)), append(ys, float32(r.Float64()*20-10))
	}
	return xs, ys
}

// errorIn returns the distance of got from want in units in the last place of a
// float32 near want.
func errorIn(got float32, want float64) float64 {
	if float64(got) == want {
		return 0
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e, -125)-24)
}

// TestFast measures the fast forms on the Vulkan device and holds them to their
// bounds; the precise ones must have the host's bits.
func TestFast(t *testing.T) {
	dev, host := devtest.Vulkan(t), devtest.Host(t)
	t.Logf("%s: the largest errors, absolute and in ulps", dev.Name())
	ctx := context.Background()
	for i := range functions {
		f := &functions[i]
		xs, ys := arguments(f, rand.New(rand.NewPCG(1, uint64(i))))
		fast, precise, want := make([]float32, len(xs)), make([]float32, len(xs)), make([]float32, len(xs))
		for _, err := range []error{
			gen.RunFast(ctx, dev, ulps.Fast{Fn: f.fn, X: xs, Y: ys, Out: fast}, runtime.Range1(len(xs))),
			gen.RunPrecise(ctx, dev, ulps.Precise{Fn: f.fn, X: xs, Y: ys, Out: precise}, runtime.Range1(len(xs))),
			gen.RunPrecise(ctx, host, ulps.Precise{Fn: f.fn, X: xs, Y: ys, Out: want}, runtime.Range1(len(xs))),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		var worst, distance, bound float64
		bad := 0
		for j, x := range xs {
			exact := f.exact(float64(x), float64(ys[j]))
			if math.Abs(exact) < 0x1p-126 || math.Abs(exact) > math.MaxFloat32 {
				continue
			}
			e := errorIn(fast[j], exact)
			worst, distance = max(worst, e), max(distance, math.Abs(float64(fast[j])-exact))
			bound = max(bound, errorIn(precise[j], exact))
			if !f.within(float64(x), e, float64(fast[j]), exact) {
				if bad++; bad == 1 {
					t.Errorf("Fast%s(%g) = %g, want %g: %.1f ulps", f.name, x, fast[j], exact, e)
				}
			}
			if math.Float32bits(precise[j]) != math.Float32bits(want[j]) {
				t.Fatalf("%s(%g, %g) = %g, the host has %g", f.name, x, ys[j], precise[j], want[j])
			}
		}
		t.Logf("%-6s [%g, %g]  fast %.2g, %.1f ulps; precise %.2f ulps", f.name, f.lo, f.hi, distance, worst, bound)
		if bad > 0 {
			t.Errorf("Fast%s: %d of %d results beyond the bound", f.name, bad, len(xs))
		}
	}
}
