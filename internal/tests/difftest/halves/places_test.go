package halves_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/types"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/halves"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/halves/halvesgen"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestPlaces has a kernel take numbers from fields, constants, variables and all kinds of memory, and
// print them.
func TestPlaces(t *testing.T) {
	t.Run("Host", func(t *testing.T) { places(t, devtest.Host(t)) })
	t.Run("Vulkan", func(t *testing.T) { places(t, devtest.Vulkan(t)) })
	t.Run("Words", func(t *testing.T) {
		places(t, devtest.Vulkan(t, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64, properties.FP64)))
	})
}

// TestPlacesSwiftShader is TestPlaces on a second driver.
func TestPlacesSwiftShader(t *testing.T) {
	if testing.Short() {
		t.Skip("TestPlaces runs the modules for SwiftShader, too, and -short is set")
	}
	swiftshader.Run(t, "^TestPlaces$/^Vulkan$")
}

func f16(x float32) half.Float16 { return half.FromFloat32[half.Float16](x) }

func places(t *testing.T, dev *runtime.Device) {
	const n = 8
	k := halves.Places{In: make([]half.Float16, n), Out: make([]half.Float16, n), Scratch: dsl.LocalLen[half.Float16](n)}
	k.At.X, k.At.B[1] = f16(0.5), half.FromFloat32[half.BFloat16](-3)
	for i := range k.In {
		k.In[i] = f16(float32(i) / 4)
	}
	var text bytes.Buffer
	err := gen.RunPlaces(t.Context(), dev, k, runtime.NDRange1{Global: n, Local: n},
		runtime.WithSpec(halves.Shift, half.FromFloat32[half.BFloat16](0.125)), runtime.PrintTo(&text))
	if err != nil {
		t.Fatal(err)
	}
	var x3 half.Float16
	for i, got := range k.Out {
		in := k.In[7-i]
		x := in.Add(k.At.X).Mul(f16(1.5)).Add(f16(0.125)).Add(f16(0.75)).Add(in).Add(in.Neg())
		if want := x.Add(f16(-3)).Add(f16(0.25)); got != want {
			t.Errorf("result %d is %v, want %v", i, got, want)
		}
		if i == 3 {
			x3 = x
		}
	}
	want := fmt.Sprintln(x3, half.FromFloat32[half.Float8E4M3](0.25), k.At.X) +
		fmt.Sprintf("%v %g %.2f %8.3e|%+v\n", x3, x3.Neg(), x3, half.FromFloat32[half.BFloat16](0.125), k.At.B[1])
	was := halves.Weight
	halves.Weight = was.Neg()
	err = gen.RunPlaces(t.Context(), dev, k, runtime.NDRange1{Global: n, Local: n}, runtime.WithSpec(halves.Shift, 0))
	if halves.Weight = was; !errors.Is(err, runtime.ErrInvalid) && dev.Info().Backend != "host" {
		t.Errorf("a launch after the variable Weight had changed: %v", err)
	}
	if text.String() != want && dev.Info().Backend != "host" { // the host prints as gc's code does
		t.Errorf("printed\n%swant\n%s", &text, want)
	}
}

// TestMemory moves numbers by the runtime's functions, and sets constants.
func TestMemory(t *testing.T) {
	t.Run("Host", func(t *testing.T) { memory(t, devtest.Host(t)) })
	t.Run("Vulkan", func(t *testing.T) { memory(t, devtest.Vulkan(t)) })
}

func memory(t *testing.T, dev *runtime.Device) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := []half.Float16{f16(1), f16(-2), f16(0.5), half.NaN[half.Float16](), f16(3)}
	a, err := runtime.BufferOf(dev, in)
	check(err)
	defer a.Close()
	b, err := runtime.NewBuffer[half.Float16](dev, 7)
	check(err)
	defer b.Close()
	h, err := runtime.NewHostBuffer[half.Float16](dev, 3)
	check(err)
	defer h.Close()
	copy(h.Slice(), in[1:])
	out, scaled := make([]half.Float16, 7), make([]half.Float16, 2)
	g := runtime.NewGraph(dev)
	for _, c := range []runtime.Command{
		runtime.Fill(b.All(), f16(1.5)),
		runtime.Copy(b.Slice(1, 3), a.Slice(0, 2)),
		runtime.Copy(b.Slice(3, 6), h.All()),
		runtime.Download(out, b.All()),
		runtime.HostFunc(func(context.Context) error {
			scaled[0], scaled[1] = out[0].Add(out[1]), out[2].Mul(out[2])
			return nil
		}, runtime.HostReads(out), runtime.HostWrites(scaled)),
		runtime.Upload(b.Slice(0, 2), scaled),
		runtime.Download(out, b.All()),
	} {
		_, err := g.Add(c)
		check(err)
	}
	ex, err := g.Finalize()
	check(err)
	ev, err := dev.DefaultQueue().Submit(ex)
	check(err)
	check(ev.Wait(t.Context()))
	want := []half.Float16{f16(2.5), f16(4), f16(-2), f16(-2), f16(0.5), half.NaN[half.Float16](), f16(1.5)}
	if fmt.Sprint(out) != fmt.Sprint(want) {
		t.Errorf("the buffer has %v, want %v", out, want)
	}

	p, err := runtime.NewProgram(dev, gen.Kernels()...)
	check(err)
	if was, err := runtime.GetSpec(p, halves.Scale); err != nil || was != f16(1.5) {
		t.Errorf("the constant is %v at first (%v)", was, err)
	}
	v, err := runtime.SetSpec(p, halves.Scale, f16(-0.25))
	check(err)
	if is, err := runtime.GetSpec(p, halves.Scale); err != nil || is != f16(-0.25) {
		t.Errorf("the constant is %v after it was set (%v)", is, err)
	}
	k := halves.Places{In: make([]half.Float16, 8), Out: make([]half.Float16, 8), Scratch: dsl.LocalLen[half.Float16](8)}
	k.At.X = f16(2)
	check(gen.RunPlaces(t.Context(), dev, k, runtime.NDRange1{Global: 8, Local: 8}, runtime.WithSpecValue(v),
		runtime.WithSpec(halves.Shift, 0), runtime.PrintTo(io.Discard)))
	if want := f16(-0.5 + 0.75 + 0.25); k.Out[0] != want {
		t.Errorf("with the constant -0.25 the result is %v, want %v", k.Out[0], want)
	}
}

// TestGenericFunctions asks of each generic function of packages dsl and runtime that takes
// numbers of package half where it is tested with some, and of each generic type.
func TestGenericFunctions(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile},
		"github.com/kgen-go/kgen/dsl", "github.com/kgen-go/kgen/runtime", "github.com/kgen-go/kgen/dsl/half")
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[string]*types.Scope{}
	for _, p := range loaded {
		scopes[p.Name] = p.Types.Scope()
	}
	number := scopes["half"].Lookup("Float16").Type()
	var source strings.Builder
	for _, name := range []string{"groups.go", "places.go", "groups_test.go", "places_test.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	found := 0
	for _, pkg := range []string{"dsl", "runtime"} {
		for _, name := range scopes[pkg].Names() {
			obj := scopes[pkg].Lookup(name)
			if !obj.Exported() || !takes(obj, number) || noTest[pkg+"."+name] != "" {
				continue
			}
			found++
			if s := source.String(); !strings.Contains(s, pkg+"."+name+"(") && !strings.Contains(s, pkg+"."+name+"[") && !strings.Contains(s, pkg+"."+name+")") {
				t.Errorf("no kernel and no test here gives %s.%s numbers of package half, and noTest does not say why", pkg, name)
			}
		}
	}
	if found < 20 {
		t.Errorf("found %d generic functions and types", found)
	}
}

// noTest has the generic functions that have other tests, or none, and why. Package matrices beside this one
// tests those of matrices with all of their element types.
var noTest = map[string]string{
	"dsl.Accumulator": "matrices", "dsl.Add": "matrices", "dsl.Element": "matrices", "dsl.ElementCount": "matrices",
	"dsl.Fill": "matrices", "dsl.LoadA": "matrices", "dsl.LoadAccumulator": "matrices", "dsl.LoadB": "matrices",
	"dsl.MapAccumulator": "matrices", "dsl.MatrixA": "matrices", "dsl.MatrixB": "matrices", "dsl.MulAdd": "matrices",
	"dsl.Scale": "matrices", "dsl.StoreAccumulator": "matrices",
	"dsl.BitAnd": "KG209", "dsl.BitOr": "KG209", "dsl.BitXor": "KG209",
	"dsl.SelectFromGroup": "GroupBroadcast in a sub-group", "dsl.ShiftGroupRight": "as ShiftGroupLeft",
	"dsl.SpecConstant": "made by NewSpecConstant", "runtime.SpecValue": "made by SetSpec",
	"runtime.Buffer": "made by NewBuffer", "runtime.View": "made by Buffer.All", "runtime.HostBuffer": "made by NewHostBuffer",
}

// takes reports whether obj is a generic function or type with a type parameter that may be t.
func takes(obj types.Object, t types.Type) bool {
	var params *types.TypeParamList
	switch obj := obj.(type) {
	case *types.Func:
		params = obj.Signature().TypeParams()
	case *types.TypeName:
		if n, ok := obj.Type().(*types.Named); ok && !types.IsInterface(n) {
			params = n.TypeParams()
		}
	}
	for p := range params.TypeParams() {
		if types.Satisfies(t, p.Constraint().Underlying().(*types.Interface)) {
			return true
		}
	}
	return false
}
