package descents_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/descents"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/descents/descentsgen"
	"github.com/kgen-go/kgen/internal/tests/quirktest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestMain has the host device run what gc makes of kernels.
func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Setenv("KGEN_HOST_FORM", "off")
	os.Exit(m.Run())
}

// mosts are how many rounds work-items make at most.
var mosts = []int{1, 2, 7, 300}

// A kernel runs on a device, and returns its results.
type kernel struct {
	name string
	run  func(ctx context.Context, dev *runtime.Device) ([]int, error)
}

// runner is RunK of an instance of a generic kernel.
type runner[K any] func(context.Context, *runtime.Device, K, runtime.Range1, ...runtime.LaunchOption) error

// of returns an instance with work-items for each of mosts and of the counters' first values.
func of[T, K any](name string, run runner[K], first []T, arg func(most []int, first []T, out []int) K) kernel {
	return kernel{name, func(ctx context.Context, dev *runtime.Device) ([]int, error) {
		var most []int
		var from []T
		for _, m := range mosts {
			for _, f := range first {
				most, from = append(most, m), append(from, f)
			}
		}
		out := make([]int, len(most)*descents.Slots)
		return out, run(ctx, dev, arg(most, from, out), runtime.Range1(len(most)))
	}}
}

func signed[T descents.Signed](name string, least T, run runner[descents.Descents[T]]) kernel {
	return of(name, run, []T{least, least + 1, least + 3, 0, 1, 5, -1, least ^ -1}, func(most []int, first []T, out []int) descents.Descents[T] {
		return descents.Descents[T]{Most: most, First: first, Out: out}
	})
}

func unsigned[T descents.Unsigned](name string, top T, run runner[descents.UnsignedDescents[T]]) kernel {
	return of(name, run, []T{top, top + 2, top - 1, 0, 1, ^T(0)}, func(most []int, first []T, out []int) descents.UnsignedDescents[T] {
		return descents.UnsignedDescents[T]{Most: most, First: first, Out: out}
	})
}

var kernels = []kernel{
	signed("DescentsInt8", math.MinInt8, gen.RunDescentsInt8),
	signed("DescentsInt16", math.MinInt16, gen.RunDescentsInt16),
	signed("DescentsInt32", math.MinInt32, gen.RunDescentsInt32),
	signed("DescentsInt64", math.MinInt64, gen.RunDescentsInt64),
	signed("DescentsInt", math.MinInt, gen.RunDescentsInt),
	unsigned("DescentsUint8", 1<<7, gen.RunDescentsUint8),
	unsigned("DescentsUint16", 1<<15, gen.RunDescentsUint16),
	unsigned("DescentsUint32", 1<<31, gen.RunDescentsUint32),
	unsigned("DescentsUint64", 1<<63, gen.RunDescentsUint64),
	of("Specialized", gen.RunSpecialized, []int{0}, func(most []int, _ []int, out []int) descents.Specialized {
		return descents.Specialized{Most: most, Out: out}
	}),
}

// child is set in the process in which TestVulkan runs the kernels.
const child = "KGEN_TEST_DESCENTS"

var everyCase = flag.Bool("every-case", false, "run the modules for launches of any size, too")

// TestVulkan compares the kernels on the Vulkan device with the host device, in a process of its
// own: where a driver divides the least number by -1, the processor ends the process.
func TestVulkan(t *testing.T) {
	if os.Getenv(child) == "" && !swiftshader.On() {
		devtest.Vulkan(t) // or the test ends here, and says why
		apart(t)
		return
	}
	for _, k := range kernels {
		if !sample.Has(k.name, 3) {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			compare(t, k)
			compare(t, k, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64)) // in words
			if *everyCase {
				t.Setenv("KGEN_SMALL", "never")
				compare(t, k)
			}
		})
	}
}

// apart runs TestVulkan, and those of its kernels that -test.run asks for, in another process.
func apart(t *testing.T) {
	_, only, _ := strings.Cut(flag.Lookup("test.run").Value.String(), "/")
	cmd := exec.Command(os.Args[0], "-test.run=^TestVulkan$/"+only, "-test.v", "-test.timeout=8m", fmt.Sprintf("-every-case=%v", *everyCase), fmt.Sprintf("-test.short=%v", testing.Short()))
	cmd.Env = append(os.Environ(), child+"=1")
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "--- PASS: TestVulkan") {
		before, _, _ := strings.Cut(string(text), "\ngoroutine ") // of a process that crashes
		t.Errorf("%v\n%s", err, before)
	}
}

// TestSwiftShader does so on SwiftShader, which is in a process of its own in any case.
func TestSwiftShader(t *testing.T) { swiftshader.Whole(t, "^TestVulkan$") }

// TestQuirks runs the kernels without kgen's workarounds, and logs which of these the Vulkan device
// does not need.
func TestQuirks(t *testing.T) {
	cases := quirktest.Cases(func(c quirktest.Case) bool { return c.Package == "internal/tests/difftest/descents" })
	quirktest.Kernels(t, "TestVulkan", cases, func(c quirktest.Case) string { return c.Kernel })
}

func compare(t *testing.T, k kernel, opts ...runtime.OpenOption) {
	t.Helper()
	host, dev := devtest.Host(t), devtest.Vulkan(t, opts...)
	t.Logf("comparing %s with %s", dev.Name(), host.Name())
	got, err := k.run(t.Context(), dev)
	if err != nil {
		t.Fatal(err)
	}
	want, err := k.run(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("work-item %d, out[%d]: got %d, want %d", i/descents.Slots, i%descents.Slots, got[i], want[i])
		}
	}
}
