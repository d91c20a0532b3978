//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"os"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

func TestMain(m *testing.M) {
	if os.Getenv("KGEN_PIPELINE_CACHE") == "" {
		os.Setenv("KGEN_PIPELINE_CACHE", "off")
	}
	os.Unsetenv("VK_LAYER_DISABLES") // by which make test has the layers check no modules elsewhere
	watchAll()
	code := m.Run()
	Shutdown()
	if wrong := watchResults(); len(wrong) > 0 {
		println("missing barriers:", len(wrong), wrong[0])
		code = 1
	}
	if n := ValidationMessages(); n != 0 {
		println("validation messages:", n)
		code = 1
	}
	os.Exit(code)
}

// devices returns the devices, or skips the test where there is none and none
// was promised.
func devices(tb testing.TB) []hal.Info {
	tb.Helper()
	list, err := New().Enumerate()
	if err != nil {
		need.Missing(tb, need.Vulkan, "%v", err)
	}
	return list
}

// open opens the first device for a test.
func open(tb testing.TB) *device {
	tb.Helper()
	devices(tb)
	d, err := New().Open(0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { d.Close() })
	return d.(*device)
}

type backend struct{}

func (backend) Driver() hal.Driver                      { return New() }
func (backend) MakeKernel(name string) hal.PipelineDesc { return backendtest.Desc(name) }

func TestConformance(t *testing.T) {
	for i, info := range devices(t) {
		t.Run(info.Name, func(t *testing.T) { backendtest.Run(t, backend{}, i, "LargeMixed", "Concurrent") })
	}
}

// TestSwiftShader runs the suite on a second driver. With -short that is kernels, for which it has a
// compiler of its own.
func TestSwiftShader(t *testing.T) {
	kernels := []string{"", "//^(Info|Fill|Copy|Launch|Spilled|Spec|ManyGroups|Barriers|Fault)$"}[sample.Of(0, 1)]
	swiftshader.Run(t, "^Test(Conformance|Probe.*|PipelineErrors|SubmitErrors|Clock)$"+kernels)
}
