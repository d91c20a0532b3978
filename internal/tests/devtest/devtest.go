// Package devtest opens devices for tests. Each is closed when its test ends, which
// fails if Close does: with KGEN_VALIDATE=1 it reports what the validation layers had
// to say.
package devtest

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	_ "github.com/kgen-go/kgen/runtime/purego"
)

// Host opens the host device.
func Host(tb testing.TB, opts ...runtime.OpenOption) *runtime.Device {
	tb.Helper()
	return open(tb, "host", opts)
}

// Vulkan opens the first Vulkan device. Without one the test ends: it fails where
// KGEN_REQUIRE_VULKAN promises one, and is skipped elsewhere.
func Vulkan(tb testing.TB, opts ...runtime.OpenOption) *runtime.Device {
	tb.Helper()
	if !there() {
		need.Missing(tb, need.Vulkan, "no Vulkan device")
	}
	return open(tb, "vulkan", opts)
}

// VulkanOrNone is Vulkan for tests that have something to do without it, too: it
// returns nil where there is no Vulkan device and none was promised.
func VulkanOrNone(tb testing.TB, opts ...runtime.OpenOption) *runtime.Device {
	tb.Helper()
	if !there() && !need.Promised(need.Vulkan) {
		tb.Log("no Vulkan device")
		return nil
	}
	return Vulkan(tb, opts...)
}

func there() bool {
	for _, d := range runtime.Devices() {
		if d.Backend == "vulkan" {
			return true
		}
	}
	return false
}

// Chosen returns the device that KGEN_DEVICE names, or Vulkan's where it names none.
func Chosen(tb testing.TB) *runtime.Device {
	tb.Helper()
	if os.Getenv(env.Device) == "" {
		return Vulkan(tb)
	}
	return opened(tb)
}

// open opens the device; that one which is there cannot be opened is a failure.
func open(tb testing.TB, name string, opts []runtime.OpenOption) *runtime.Device {
	tb.Helper()
	opts = append(opts[:len(opts):len(opts)], runtime.Select(name))
	if name == "vulkan" && env.Get(env.TestProfile) == "mac" {
		opts = append(Mac(), opts...)
	}
	return opened(tb, opts...)
}

// Mac are options by which a Vulkan device looks like one of MoltenVK, on a Mac with Apple's processor: it has no
// float64, no 64-bit atomics, no native sums of floats, and 32 KiB of memory for a work-group.
func Mac() []runtime.OpenOption {
	return []runtime.OpenOption{
		runtime.MaskAspects(properties.FP64, properties.Atomic64, properties.AtomicFloat32, properties.AtomicFloat64),
		runtime.OverrideLimits(runtime.Limits{LocalMemory: 32 << 10}),
	}
}

func opened(tb testing.TB, opts ...runtime.OpenOption) *runtime.Device {
	tb.Helper()
	dev, err := runtime.Open(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Logf("device: %s", dev.Name()) // for testsum
	tb.Cleanup(func() {
		if err := dev.Close(); err != nil {
			tb.Error(err)
		}
	})
	return dev
}

// Each runs a test on each device there is, the host device among them.
func Each(t *testing.T, test func(t *testing.T, dev *runtime.Device)) {
	t.Helper()
	for i, info := range runtime.Devices() {
		t.Run(info.Backend, func(t *testing.T) {
			dev := open(t, strconv.Itoa(i), nil)
			t.Log(dev)
			test(t, dev)
		})
	}
	if !there() && need.Promised(need.Vulkan) {
		t.Errorf("no Vulkan device (%s is set)", need.Vulkan)
	}
}

// Run runs an example, which checks its results itself, on each device.
func Run(t *testing.T, run func(ctx context.Context, dev *runtime.Device) error) {
	t.Helper()
	Each(t, func(t *testing.T, dev *runtime.Device) {
		if err := run(t.Context(), dev); err != nil {
			t.Error(err)
		}
	})
}

// ManyKernels makes tests quicker that run many kernels once each, in a TestMain: Mesa's
// software driver does not optimize, unless GALLIVM_PERF is in the environment, empty or not,
// and the garbage collector has more memory. What such tests are about is not the
// driver's optimizer, which other packages' tests have, and make deep.
func ManyKernels() {
	const how = "GALLIVM_PERF"
	if _, said := os.LookupEnv(how); !said {
		os.Setenv(how, "nopt")
	}
	debug.SetGCPercent(200)
}

// SmallGroups makes them quicker still, where no work-group has more than 128 work-items: Mesa's
// driver takes vectors of 128 bits in place of 256, for which LLVM needs up to a fifth less time, unless
// LP_NATIVE_VECTOR_WIDTH is in the environment, empty or not. Sub-groups have four work-items then,
// and work-groups at most 32 of these.
func SmallGroups() {
	const how = "LP_NATIVE_VECTOR_WIDTH"
	if _, said := os.LookupEnv(how); !said {
		os.Setenv(how, "128")
	}
}
