package conformance

import (
	"errors"
	"flag"
	"strconv"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var inWords = flag.Bool("words", false, "run the modules that compute in words on the Vulkan device, too, where SwiftShader runs them")

// onDevices runs f on the host device and on the Vulkan device. The modules that compute in words
// run on SwiftShader (see TestSwiftShader), or on the Vulkan device where that is missing.
func onDevices(t *testing.T, f func(t *testing.T, dev *runtime.Device), opts ...runtime.OpenOption) {
	t.Helper()
	for _, name := range []string{"host", "vulkan"} {
		t.Run(name, func(t *testing.T) { f(t, open(t, name, opts...)) })
	}
	if !swiftshader.On() && (*inWords || swiftshader.Manifest() == "") {
		words := append(opts[:len(opts):len(opts)], runtime.MaskAspects(properties.Int64, properties.Int16, properties.Int8))
		t.Run("words", func(t *testing.T) { f(t, open(t, "vulkan", words...)) })
	}
}

// open opens a device for a test.
func open(t *testing.T, name string, opts ...runtime.OpenOption) *runtime.Device {
	t.Helper()
	if name == "host" {
		return devtest.Host(t, opts...)
	}
	dev := devtest.Vulkan(t, opts...)
	t.Logf("on %s", dev.Name())
	return dev
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantErr checks that err is of all the classes.
func wantErr(t *testing.T, err error, classes ...error) {
	t.Helper()
	for _, c := range classes {
		if !errors.Is(err, c) {
			t.Errorf("got error %v, want one of class %v", err, c)
		}
	}
}

// wantSpec checks that err is of the class ErrSpecConst, and so of
// ErrCompileProgram.
func wantSpec(t *testing.T, err error) {
	t.Helper()
	wantErr(t, err, runtime.ErrSpecConst, runtime.ErrCompileProgram)
}

// lacks reports whether the device has no float64; the launch must then say so.
func lacks(t *testing.T, dev *runtime.Device, launch func() error) bool {
	t.Helper()
	if dev.Has(properties.FP64) {
		return false
	}
	wantErr(t, launch(), runtime.ErrKernelNotSupported)
	return true
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// kernel returns the kernel with the given type name.
func kernel(t *testing.T, kernels []*runtime.Kernel, name string) *runtime.Kernel {
	t.Helper()
	for _, k := range kernels {
		if k.ABI().Name == name {
			return k
		}
	}
	t.Fatalf("no kernel %s", name)
	return nil
}

var everyRow = flag.Bool("every-row", false, "run the tests of all rows on SwiftShader, and not those of every second one")

// TestSwiftShader runs tests where aspects are missing for real.
func TestSwiftShader(t *testing.T) {
	sample.Deep(t, "packages difftest, halves, scan and vulkan run kernels on the driver")
	rows, n := "[0-9]*[13579]_", max(*graphs/2, 1)
	if *everyRow {
		rows, n = "[0-9]", *graphs
	}
	swiftshader.Run(t, "^Test(SC|KP|PA|DM|GR|GF|AF|PR)"+rows, "-graphs", strconv.Itoa(n))
}
