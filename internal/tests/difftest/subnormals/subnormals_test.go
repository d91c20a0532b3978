package subnormals_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/internal/modulehook"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/subnormals"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/subnormals/subnormalsgen"
	"github.com/kgen-go/kgen/internal/tests/flushing"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var samples = testflag.Int("samples", 1<<13, 1, math.MaxInt, "random operands per test")

// edges are floats around the least normal and the least subnormal ones, and others that
// functions treat specially.
func edges() []float32 {
	var out []float32
	for _, b := range []uint32{0, 1, 2, 3, 0x3fffff, 0x400000, 0x400001, 0x7ffffe, 0x7fffff, 0x800000, 0x800001, 0xffffff, 0x1000000,
		0x0c000000, 0x1f800000, 0x20000000, 0x33000000, 0x39800000, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x4b800000,
		0x5d800000, 0x5d800001, 0x5f800000, 0x7e800000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7fc00000} {
		out = append(out, math.Float32frombits(b), math.Float32frombits(b|1<<31))
	}
	return out
}

// operand returns a float32 that is subnormal, or whose functions are, or any other.
func operand(r *rand.Rand) float32 {
	b := r.Uint32()
	sign := b & (1 << 31)
	switch r.IntN(8) {
	case 0, 1:
		return math.Float32frombits(sign | b&(1<<23-1)>>r.IntN(23))
	case 2:
		return math.Float32frombits(sign | (1<<23 + b&(1<<26-1))) // little above
	case 3:
		return float32(-87 - 18*r.Float64()) // exponentials
	case 4:
		return float32(-125 - 26*r.Float64())
	case 5:
		return float32(r.NormFloat64())
	case 6:
		return math.Float32frombits(sign | (62+r.Uint32N(8))<<23 | b&(1<<23-1)) // near 2^-63, whose squares are tiny
	}
	return math.Float32frombits(b)
}

// operands returns all pairs of edges, and random ones.
func operands(r *rand.Rand) (xs, ys, zs []float32) {
	for _, x := range edges() {
		for _, y := range edges() {
			xs, ys, zs = append(xs, x), append(ys, y), append(zs, edges()[r.IntN(len(edges()))])
		}
	}
	for range sample.Of(*samples, *samples/64) {
		x, y, z := operand(r), operand(r), operand(r)
		switch r.IntN(4) {
		case 0: // a product or quotient that is subnormal
			y = float32(math.Ldexp(r.Float64()+0.5, -126-math.Ilogb(float64(x))-r.IntN(25)))
		case 1: // near x
			y = math.Float32frombits(math.Float32bits(x) + r.Uint32N(5) - 2)
		}
		xs, ys, zs = append(xs, x), append(ys, y), append(zs, z)
	}
	return xs, ys, zs
}

// same reports whether two floats have the same bits, or are both NaN.
func same(x, y float32) bool {
	return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
}

// compare compares the results that each operand has in a row.
func compare(t *testing.T, names []string, got, want []float32, operands func(i int) []float32) {
	t.Helper()
	wrong := make([]int, len(names))
	for i := range want {
		f := i % len(names)
		if same(got[i], want[i]) {
			continue
		}
		if wrong[f]++; wrong[f] <= 3 {
			t.Errorf("%s%v = %g (%#08x), the host has %g (%#08x)", names[f], operands(i/len(names)), got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
	for f, n := range wrong {
		if n > 0 {
			t.Errorf("%s: %d of %d results differ", names[f], n, len(want)/len(names))
		}
	}
	t.Logf("%d results", len(want))
}

var unaries = []string{"Abs", "Floor", "Ceil", "Trunc", "Round", "RoundToEven", "Sqrt", "Rsqrt", "Cbrt", "Exp", "Exp2", "Log", "Log2", "Log10",
	"Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "math.Sqrt", "math.Abs", "math.Floor", "1/x", "Copysign", "classes"}

var binaries = []string{"Nextafter32", "Min", "Max", "Mod", "Pow", "Atan2", "Hypot", "FMA", "x/y", "Copysign", "float64 orders", "float64 signs", "FastFMA"}

// TestSubnormals compares a device with the host, and prints which operations keep
// subnormals there.
func TestSubnormals(t *testing.T) {
	host, dev := devtest.Host(t), devtest.Vulkan(t)
	t.Logf("%s, %s: keeps subnormals in %+v; exact division %v", dev.Name(), dev.Info().Driver, dev.Info().Subnormals, dev.Info().ExactDivide)
	compareWithHost(t, dev, host)
}

// TestFlushing is TestSubnormals on a driver that computes as an H100 does.
func TestFlushing(t *testing.T) {
	modulehook.Rewrite = flushing.Rewrite
	t.Cleanup(func() { modulehook.Rewrite = nil })
	host, dev := devtest.Host(t), devtest.Vulkan(t)
	kept := dev.Info().Subnormals
	t.Logf("%s keeps subnormals in %+v", dev.Name(), kept)
	wide := dev.Has(properties.FP64)
	if want := (runtime.Subnormals{Rounding: kept.Rounding, FromFloat64: wide, Atomics: kept.Atomics}); kept != want {
		t.Errorf("want %+v", want)
	}
	compareWithHost(t, dev, host)
}

// TestSwiftShader runs the tests on a second driver, in words.
func TestSwiftShader(t *testing.T) {
	swiftshader.Whole(t, "^Test(Subnormals|Flushing)$")
}

func compareWithHost(t *testing.T, dev, host *runtime.Device) {
	ctx := context.Background()
	xs, ys, zs := operands(rand.New(rand.NewPCG(5, 6)))
	n := len(xs)
	both := func(t *testing.T, run func(dev *runtime.Device, out []float32) error, results int) (got, want []float32) {
		got, want = make([]float32, results*n), make([]float32, results*n)
		if err := run(host, want); err != nil {
			t.Fatal(err)
		}
		if err := run(dev, got); err != nil {
			t.Fatal(err)
		}
		return got, want
	}
	t.Run("Unary", func(t *testing.T) {
		if len(unaries) != subnormals.Unaries {
			t.Fatal(len(unaries))
		}
		got, want := both(t, func(dev *runtime.Device, out []float32) error {
			return gen.RunUnary(ctx, dev, subnormals.Unary{X: xs, Out: out}, runtime.Range1(n))
		}, subnormals.Unaries)
		compare(t, unaries, got, want, func(i int) []float32 { return xs[i : i+1] })
	})
	t.Run("Binary", func(t *testing.T) {
		if len(binaries) != subnormals.Binaries {
			t.Fatal(len(binaries))
		}
		got, want := both(t, func(dev *runtime.Device, out []float32) error {
			return gen.RunBinary(ctx, dev, subnormals.Binary{X: xs, Y: ys, Z: zs, Out: out}, runtime.Range1(n))
		}, subnormals.Binaries)
		compare(t, binaries, got, want, func(i int) []float32 { return []float32{xs[i], ys[i], zs[i]} })
	})
	if !dev.Has(properties.FP64) {
		t.Log("no float64")
		return
	}
	t.Run("Wide", func(t *testing.T) {
		back, wantBack := make([]float32, n), make([]float32, n)
		got, want := make([]float64, subnormals.Wides*n), make([]float64, subnormals.Wides*n)
		for _, err := range []error{
			gen.RunWide(ctx, host, subnormals.Wide{X: xs, Y: ys, Out: want, Back: wantBack}, runtime.Range1(n)),
			gen.RunWide(ctx, dev, subnormals.Wide{X: xs, Y: ys, Out: got, Back: back}, runtime.Range1(n)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		wrong := 0
		for i := range want {
			if math.Float64bits(got[i]) == math.Float64bits(want[i]) || got[i] != got[i] && want[i] != want[i] {
				continue
			}
			if i%subnormals.Wides == 3 && !dev.Info().ExactDivide64 {
				continue // the device's own square root
			}
			if wrong++; wrong <= 5 {
				t.Errorf("result %d of float64(%g): %g, the host has %g", i%subnormals.Wides, xs[i/subnormals.Wides], got[i], want[i])
			}
		}
		compare(t, []string{"back from float64"}, back, wantBack, func(i int) []float32 { return xs[i : i+1] })
	})
	t.Run("Narrow", func(t *testing.T) {
		wide := make([]float64, n)
		r := rand.New(rand.NewPCG(7, 8))
		for i := range wide {
			wide[i] = float64(xs[i]) * (1 + (r.Float64()-0.5)*0x1p-20)
			if i%3 == 0 {
				wide[i] = (float64(r.IntN(1<<10)) + 0.5) * 0x1p-149 // ties
			}
		}
		got, want := both(t, func(dev *runtime.Device, out []float32) error {
			return gen.RunNarrow(ctx, dev, subnormals.Narrow{X: wide, Out: out}, runtime.Range1(n))
		}, 1)
		compare(t, []string{"float32"}, got, want, func(i int) []float32 { return []float32{float32(wide[i])} })
	})
}

// TestFlushingFused has two launches of a graph become one kernel, which is told of the
// device, too.
func TestFlushingFused(t *testing.T) {
	sample.Deep(t, "TestFlushing rewrites modules, and package conformance has fused ones")
	modulehook.Rewrite = flushing.Rewrite
	t.Cleanup(func() { modulehook.Rewrite = nil })
	host, dev := devtest.Host(t), devtest.Vulkan(t)
	ctx := context.Background()
	kernels := map[string]*runtime.Kernel{}
	for _, k := range gen.Kernels() {
		kernels[k.ABI().Name] = k
	}
	xs, ys, zs := operands(rand.New(rand.NewPCG(9, 10)))
	n := len(xs)
	run := func(dev *runtime.Device) (unary, binary []float32) {
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		q := dev.NewQueue()
		buffer := func(x []float32) *runtime.Buffer[float32] {
			b, err := runtime.BufferOf(dev, x)
			check(err)
			return b
		}
		unary, binary = make([]float32, subnormals.Unaries*n), make([]float32, subnormals.Binaries*n)
		x, y, z, u, b := buffer(xs), buffer(ys), buffer(zs), buffer(unary), buffer(binary)
		for _, m := range []*runtime.Buffer[float32]{x, y, z, u, b} {
			defer m.Close()
		}
		g := runtime.NewGraph(dev)
		check(q.BeginRecording(g))
		_, err := runtime.LaunchKernel(q, kernels["Unary"], runtime.Range1(n), []any{x.All(), u.All()})
		check(err)
		_, err = runtime.LaunchKernel(q, kernels["Binary"], runtime.Range1(n), []any{x.All(), y.All(), z.All(), b.All()})
		check(err)
		check(q.EndRecording())
		var props []properties.Property
		if dev.Info().Backend == "vulkan" {
			props = append(props, properties.RequireFusion())
		}
		ex, err := g.Finalize(props...)
		check(err)
		ev, err := q.Submit(ex)
		check(err)
		check(ev.Wait(ctx))
		check(u.CopyTo(ctx, q, unary))
		check(b.CopyTo(ctx, q, binary))
		return unary, binary
	}
	u, b := run(dev)
	wantU, wantB := run(host)
	compare(t, unaries, u, wantU, func(i int) []float32 { return xs[i : i+1] })
	compare(t, binaries, b, wantB, func(i int) []float32 { return []float32{xs[i], ys[i], zs[i]} })
}
