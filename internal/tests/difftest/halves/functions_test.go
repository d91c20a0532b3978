package halves_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/modulehook"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/halves"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/halves/halvesgen"
	"github.com/kgen-go/kgen/internal/tests/flushing"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestFunctions compares devices with the host for all numbers. Package half's own tests compare
// the host with exact results.
func TestFunctions(t *testing.T) {
	t.Run("Vulkan", func(t *testing.T) { functions(t, devtest.Vulkan(t), 0, 1) })
	t.Run("Words", func(t *testing.T) {
		functions(t, devtest.Vulkan(t, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64, properties.FP64)), 0)
	})
	t.Run("Flushing", func(t *testing.T) {
		sample.Deep(t, "TestFlushing has other functions")
		modulehook.Rewrite = flushing.Rewrite
		t.Cleanup(func() { modulehook.Rewrite = nil })
		functions(t, devtest.Vulkan(t), 1)
	})
}

// TestFunctionsSwiftShader is TestFunctions on a second driver.
func TestFunctionsSwiftShader(t *testing.T) {
	if testing.Short() {
		t.Skip("TestFunctions runs the modules for SwiftShader, too, and -short is set")
	}
	swiftshader.Run(t, "^TestFunctions$/^Vulkan$")
}

// functions runs all types, with -short those of the given parts of the types.
func functions(t *testing.T, dev *runtime.Device, parts ...int) {
	if !testing.Short() || slices.Contains(parts, 0) {
		t.Run("Float16", func(t *testing.T) { functionsOf(t, dev, 1<<16, gen.RunFunctions16) })
		t.Run("Float8E5M2", func(t *testing.T) { functionsOf(t, dev, 1<<8, gen.RunFunctionsE5M2) })
	}
	if !testing.Short() || slices.Contains(parts, 1) {
		t.Run("BFloat16", func(t *testing.T) { functionsOf(t, dev, 1<<16, gen.RunFunctionsB) })
		t.Run("Float8E4M3", func(t *testing.T) { functionsOf(t, dev, 1<<8, gen.RunFunctionsE4M3) })
	}
}

func functionsOf[T half.Float[T]](t *testing.T, dev *runtime.Device, n int,
	run func(context.Context, *runtime.Device, halves.Functions[T], runtime.Range1, ...runtime.LaunchOption) error,
) {
	var ks [2]halves.Functions[T]
	for i, d := range []*runtime.Device{dev, devtest.Host(t)} {
		k := halves.Functions[T]{X: make([]T, n), Exp: make([]T, n), Log: make([]T, n), Tanh: make([]T, n), Rsqrt: make([]T, n), Dot: make([]float32, n), Sine: make([]T, n)}
		for b := range k.X {
			k.X[b] = half.FromBits[T](uint16(b))
		}
		if err := run(t.Context(), d, k, runtime.Range1(n)); err != nil {
			t.Fatal(err)
		}
		ks[i] = k
	}
	got, want := ks[0], ks[1]
	for i, x := range got.X {
		for _, c := range []struct {
			name      string
			got, want T
		}{
			{"Exp", got.Exp[i], want.Exp[i]}, {"Log", got.Log[i], want.Log[i]}, {"Tanh", got.Tanh[i], want.Tanh[i]},
			{"Rsqrt", got.Rsqrt[i], want.Rsqrt[i]}, {"Sin", got.Sine[i], want.Sine[i]},
		} {
			if c.got != c.want {
				t.Fatalf("%s(%v) = %v (%#x), the host has %v (%#x)", c.name, x, c.got, c.got.Bits(), c.want, c.want.Bits())
			}
		}
		a, b := got.Dot[i], want.Dot[i]
		lost := math.Abs(float64(a)-float64(b)) < 0x1p-121 // BFloat16's products below 2**-126 may be zeros
		if math.Float32bits(a) != math.Float32bits(b) && !(a != a && b != b) && !lost {
			t.Fatalf("the sum of products that ends at %d is %g (%#x), the host has %g (%#x)", i, a, math.Float32bits(a), b, math.Float32bits(b))
		}
	}
}
