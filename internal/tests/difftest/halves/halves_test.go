package halves_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/x448/float16"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/modulehook"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/halves"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/halves/halvesgen"
	"github.com/kgen-go/kgen/internal/tests/flushing"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var (
	samples = testflag.Int("samples", 1<<12, 1, math.MaxInt, "random operands per test")
	every   = testflag.Int("every", 7, 1, 1<<16, "distance of the pairs of 8 bits; 1 for all of them")
)

// TestDevice compares a device with the host, which dsl/half compares with exact results.
func TestDevice(t *testing.T) {
	dev := devtest.Vulkan(t)
	compare16(t, dev)
	if !testing.Short() {
		compareOthers(t, dev) // as TestFlushing does
	}
}

// TestWords is TestDevice on a device without small and 64-bit integers, and without float64.
func TestWords(t *testing.T) {
	dev := devtest.Vulkan(t, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64, properties.FP64))
	if !testing.Short() {
		compare16(t, dev) // whose modules TestFunctions has
	}
	compareOthers(t, dev)
}

// TestFlushing is TestDevice on a driver that takes subnormal float32s for zeros, as an H100 does.
func TestFlushing(t *testing.T) {
	modulehook.Rewrite = flushing.Rewrite
	t.Cleanup(func() { modulehook.Rewrite = nil })
	dev := devtest.Vulkan(t)
	if !testing.Short() {
		compare16(t, dev) // whose float32s are less often subnormal
	}
	compareOthers(t, dev)
}

// TestWays is TestDevice for each other way in which instructions are used, and the types that do so.
func TestWays(t *testing.T) {
	dev := devtest.Vulkan(t)
	ways := []string{"packed"}
	if dev.Info().Float16 != (runtime.Float16{}) {
		ways = append(ways, "computed")
	}
	if slices.Contains(dev.Info().Aspects, properties.FP16) {
		ways = append(ways, "converted", "native")
	}
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Setenv(env.Halves, way)
			dev := devtest.Vulkan(t)
			if f := dev.Info().Float16; way == "computed" && f != (runtime.Float16{}) || way != "native" && (f.Arithmetic || f.FMA || f.Division || f.Root) {
				t.Errorf("%+v", f)
			}
			compare16(t, dev)
		})
	}
}

// TestSwiftShader runs the tests on a second driver.
func TestSwiftShader(t *testing.T) {
	swiftshader.Whole(t, "^Test(Device|Ways)$", "-samples=1000", "-every=61")
}

// compare16 compares the kernels that convert to and from Float16.
func compare16(t *testing.T, dev *runtime.Device) {
	t.Run("Float16", func(t *testing.T) {
		compareType(t, dev, gen.RunCompute16, gen.RunTest16, []uint16{0, 1, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e01}, 10)
	})
	t.Run("Float8E5M2", func(t *testing.T) { compareType(t, dev, gen.RunComputeE5M2, gen.RunTestE5M2, nil, 2) })
	t.Run("Chain", func(t *testing.T) { compareChain(t, dev) })
	t.Run("Joined", func(t *testing.T) { compareJoined(t, dev) })
	t.Run("Pairs", func(t *testing.T) { comparePairs(t, dev) })
}

// compareOthers compares the kernels that compare16 does not.
func compareOthers(t *testing.T, dev *runtime.Device) {
	t.Run("BFloat16", func(t *testing.T) {
		compareType(t, dev, gen.RunComputeB, gen.RunTestB, []uint16{0, 1, 0x7f, 0x80, 0x7ff, 0x800, 0x3f80, 0x3f81, 0x7f7f, 0x7f80, 0x7fc1}, 7)
	})
	t.Run("Float8E4M3", func(t *testing.T) { compareType(t, dev, gen.RunComputeE4M3, gen.RunTestE4M3, nil, 3) })
	t.Run("Fast", func(t *testing.T) { compareFast(t, dev) })
	t.Run("Other", func(t *testing.T) { compareOther(t, dev) })
}

// operands returns random numbers with all pairs of the edges among them, whose sign is varied. Half of
// the others are subnormal, or have products and quotients that are. frac is how many bits of
// fraction the type has.
func operands[T half.Float[T]](edges []uint16, frac int) (xs, ys, zs []T) {
	r := rand.New(rand.NewPCG(1, uint64(frac)))
	inf := int(half.Largest[T]().Bits()) >> frac
	number := func() T {
		b := uint16(r.Uint32())
		if r.IntN(2) == 0 {
			b = b&^uint16(1<<14-1) | b&(1<<(frac+2)-1)
		}
		return half.FromBits[T](b)
	}
	add := func(x, y, z T) {
		xs, ys, zs = append(xs, x), append(ys, y), append(zs, z)
	}
	for _, b := range edges {
		for _, c := range edges {
			x, y := half.FromBits[T](b), half.FromBits[T](c)
			z := half.FromBits[T](edges[r.IntN(len(edges))])
			add(x, y, z)
			add(x.Neg(), y, z.Neg())
			add(x, y.Neg(), z)
		}
	}
	if edges == nil { // 8 bits
		for b := 0; b < 1<<16; b += *every {
			add(half.FromBits[T](uint16(b)), half.FromBits[T](uint16(b>>8)), number())
		}
		return xs, ys, zs
	}
	for range *samples {
		x, y, z := number(), number(), number()
		switch r.IntN(4) {
		case 0: // a product that is small
			e := max(inf/2-int(x.Abs().Bits()>>frac)+r.IntN(frac+4)-2, 0)
			y = half.FromBits[T](y.Bits()&(1<<frac-1) | uint16(min(e, inf))<<frac)
		case 1: // a sum that nearly cancels
			y = half.FromBits[T](x.Neg().Bits() + uint16(r.IntN(3)))
		case 2: // one that does in FMA
			z = half.FromBits[T](x.Mul(y).Neg().Bits() + uint16(r.IntN(3)))
		}
		add(x, y, z)
	}
	return xs, ys, zs
}

var names = [halves.Results]string{"Add", "Sub", "Mul", "Div", "Sqrt", "FMA", "Neg", "Abs", "Min", "Max"}

func compareResults[T half.Float[T]](t *testing.T, got, want, xs, ys, zs []T) {
	t.Helper()
	wrong := 0
	for i := range want {
		if j := i / halves.Results; got[i] != want[i] && wrong < 10 {
			wrong++
			t.Errorf("%s(%#x, %#x, %#x) = %#x, the host has %#x", names[i%halves.Results], xs[j].Bits(), ys[j].Bits(), zs[j].Bits(), got[i].Bits(), want[i].Bits())
		}
	}
	t.Logf("%d results", len(want))
}

func compareType[T half.Float[T]](t *testing.T, dev *runtime.Device,
	compute func(context.Context, *runtime.Device, halves.Compute[T], runtime.Range1, ...runtime.LaunchOption) error,
	test func(context.Context, *runtime.Device, halves.Test[T], runtime.Range1, ...runtime.LaunchOption) error,
	edges []uint16, frac int,
) {
	ctx, host := context.Background(), devtest.Host(t)
	xs, ys, zs := operands[T](edges, frac)
	n := len(xs)
	both := [2][]T{make([]T, halves.Results*n), make([]T, halves.Results*n)}
	for i, d := range []*runtime.Device{dev, host} {
		if err := compute(ctx, d, halves.Compute[T]{X: xs, Y: ys, Z: zs, Out: both[i]}, runtime.Range1(n)); err != nil {
			t.Fatal(err)
		}
	}
	compareResults(t, both[0], both[1], xs, ys, zs)

	r := rand.New(rand.NewPCG(2, 3))
	in := make([]float32, n)
	for i := range in {
		in[i] = math.Float32frombits(r.Uint32())
		if i%2 == 0 { // near the middle between two numbers
			in[i] = math.Float32frombits(math.Float32bits(xs[i].Float32()) + 1<<(22-frac) + r.Uint32N(3) - 1)
		}
	}
	var tests [2]halves.Test[T]
	for i, d := range []*runtime.Device{dev, host} {
		tests[i] = halves.Test[T]{X: xs, Y: ys, Truth: make([]uint32, n), Wide: make([]float32, n), In: in, Near: make([]T, n), Bound: make([]T, n)}
		if err := test(ctx, d, tests[i], runtime.Range1(n)); err != nil {
			t.Fatal(err)
		}
	}
	got, want := tests[0], tests[1]
	for i := range n {
		if got.Truth[i] != want.Truth[i] || math.Float32bits(got.Wide[i]) != math.Float32bits(want.Wide[i]) || got.Near[i] != want.Near[i] || got.Bound[i] != want.Bound[i] {
			t.Fatalf("%#x, %#x and %g: got %#x, %g, %#x, %#x; the host has %#x, %g, %#x, %#x", xs[i].Bits(), ys[i].Bits(), in[i], got.Truth[i], got.Wide[i],
				got.Near[i].Bits(), got.Bound[i].Bits(), want.Truth[i], want.Wide[i], want.Near[i].Bits(), want.Bound[i].Bits())
		}
	}
}

func compareFast(t *testing.T, dev *runtime.Device) {
	xs, ys, zs := operands[half.Float16]([]uint16{0, 1, 0x3c00, 0x7bff, 0x7c00}, 10)
	xb, yb, zb := operands[half.BFloat16]([]uint16{0, 1, 0x3f80, 0x7f7f, 0x7f80}, 7)
	n := len(xs)
	var ks [2]halves.Fast
	for i, d := range []*runtime.Device{dev, devtest.Host(t)} {
		ks[i] = halves.Fast{X: xs, Y: ys, Z: zs, Out: make([]half.Float16, halves.Results*n), XB: xb, YB: yb, ZB: zb, OutB: make([]half.BFloat16, halves.Results*n)}
		if err := gen.RunFast(context.Background(), d, ks[i], runtime.Range1(n)); err != nil {
			t.Fatal(err)
		}
	}
	compareResults(t, ks[0].Out, ks[1].Out, xs, ys, zs)
	compareResults(t, ks[0].OutB, ks[1].OutB, xb, yb, zb)
}

func compareChain(t *testing.T, dev *runtime.Device) {
	var ks [2]halves.Chain
	for i, d := range []*runtime.Device{dev, devtest.Host(t)} {
		for b := range 1 << 16 {
			ks[i].X, ks[i].XB = append(ks[i].X, half.FromBits[half.Float16](uint16(b))), append(ks[i].XB, half.FromBits[half.BFloat16](uint16(b)))
		}
		if err := gen.RunChain(context.Background(), d, ks[i], 1<<16); err != nil {
			t.Fatal(err)
		}
	}
	for b := range 1 << 16 {
		if ks[0].X[b] != ks[1].X[b] || ks[0].XB[b] != ks[1].XB[b] {
			t.Fatalf("chain from %#x: %v and %v, the host has %v and %v", b, ks[0].X[b], ks[0].XB[b], ks[1].X[b], ks[1].XB[b])
		}
	}
}

func comparePairs(t *testing.T, dev *runtime.Device) {
	xs, ys, zs := operands[half.Float16]([]uint16{0, 1, 0x3ff, 0x3c00, 0xbc01, 0x7bff, 0x7c00, 0x7e01}, 10)
	rounds := make([]uint8, len(xs))
	for i := range rounds {
		rounds[i] = uint8(rand.Uint32())
	}
	var ks [2]halves.Pairs
	var cs [2]halves.Crossed
	for i, d := range []*runtime.Device{dev, devtest.Host(t)} {
		ks[i] = halves.Pairs{X: xs, Y: ys, Z: zs, Rounds: rounds, Out: make([]half.Float16, halves.PairsResults*len(xs))}
		cs[i] = halves.Crossed{X: xs, Y: ys, Out: make([]half.Float16, len(xs))}
		if err := gen.RunPairs(t.Context(), d, ks[i], runtime.Range1(len(xs))); err != nil {
			t.Fatal(err)
		}
		if err := gen.RunCrossed(t.Context(), d, cs[i], runtime.Range1(len(xs))); err != nil {
			t.Fatal(err)
		}
	}
	wrong := 0
	for i, got := range ks[0].Out {
		if want, j := ks[1].Out[i], i/halves.PairsResults; got != want && wrong < 10 {
			wrong++
			t.Errorf("result %d of %#x, %#x, %#x after %d rounds is %#x, the host has %#x", i%halves.PairsResults, xs[j].Bits(), ys[j].Bits(), zs[j].Bits(), rounds[j]%6, got.Bits(), want.Bits())
		}
	}
	for i, got := range cs[0].Out {
		if want := cs[1].Out[i]; got != want && wrong < 20 {
			wrong++
			t.Errorf("%#x, %#x: %#x, the host has %#x", xs[i].Bits(), ys[i].Bits(), got.Bits(), want.Bits())
		}
	}
}

func compareJoined(t *testing.T, dev *runtime.Device) {
	xs, ys, zs := operands[half.Float16]([]uint16{0, 1, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e01}, 10)
	var ks [2]halves.Joined
	for i, d := range []*runtime.Device{dev, devtest.Host(t)} {
		ks[i] = halves.Joined{X: xs, Y: ys, Z: zs, Out: make([]half.Float16, halves.JoinedResults*len(xs))}
		if err := gen.RunJoined(context.Background(), d, ks[i], runtime.Range1(len(xs))); err != nil {
			t.Fatal(err)
		}
	}
	wrong := 0
	for i, got := range ks[0].Out {
		if want, j := ks[1].Out[i], i/halves.JoinedResults; got != want && wrong < 10 {
			wrong++
			t.Errorf("result %d of %#x, %#x, %#x is %#x, the host has %#x", i%halves.JoinedResults, xs[j].Bits(), ys[j].Bits(), zs[j].Bits(), got.Bits(), want.Bits())
		}
	}
}

// TestHostForm: operations have their results in host forms, which drop the operands beside them.
func TestHostForm(t *testing.T) {
	const local, n = 64, 1 << 12
	r := rand.New(rand.NewPCG(5, 6))
	k := halves.Words{X: make([]uint32, n), Out: make([]half.Float16, n)}
	for i := range k.X {
		k.X[i] = r.Uint32()
	}
	for _, form := range []string{"off", "on"} {
		t.Run(form, func(t *testing.T) {
			t.Setenv("KGEN_HOST_FORM", form)
			clear(k.Out)
			if err := gen.RunWords(t.Context(), devtest.Host(t), k, runtime.NDRange1{Global: n, Local: local}); err != nil {
				t.Fatal(err)
			}
			for i, got := range k.Out {
				x, y := half.Float16(k.X[i]), half.Float16(k.X[i/local*local+local-1-i%local]>>16)
				if want := x.Div(y).FMA(half.Float16(k.X[i]>>8), y.Sqrt()); got != want {
					t.Fatalf("element %d is %#x, want %#x", i, got.Bits(), want.Bits())
				}
			}
		})
	}
}

func compareOther(t *testing.T, dev *runtime.Device) {
	const n = 1 << 12
	var ks [2]halves.Other
	r := rand.New(rand.NewPCG(7, 8))
	in := make([]float32, n)
	for i := range in {
		in[i] = float32(r.NormFloat64() * math.Ldexp(1, r.IntN(48)-28))
	}
	for i, d := range []*runtime.Device{dev, devtest.Host(t)} {
		ks[i] = halves.Other{In: in, Out: make([]float16.Float16, n), Sum: make([]float32, n)}
		if err := gen.RunOther(context.Background(), d, ks[i], n); err != nil {
			t.Fatal(err)
		}
	}
	for i := range in {
		if ks[0].Out[i] != ks[1].Out[i] || ks[0].Sum[i] != ks[1].Sum[i] {
			t.Fatalf("%g: %v, %g; the host has %v, %g", in[i], ks[0].Out[i], ks[0].Sum[i], ks[1].Out[i], ks[1].Sum[i])
		}
	}
}
