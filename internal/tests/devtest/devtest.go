// Package devtest opens devices for tests. Each device is closed at the end of its test, and the test fails
// if Close returns an error. With KGEN_VALIDATE=1, Close reports the messages of the validation layers.
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
	return openNamed(tb, "host", opts)
}

// Vulkan opens the first Vulkan device. If there is no Vulkan device, the test is skipped, or fails
// if KGEN_REQUIRE_VULKAN is set.
func Vulkan(tb testing.TB, opts ...runtime.OpenOption) *runtime.Device {
	tb.Helper()
	if !there() {
		need.Missing(tb, need.Vulkan, "no Vulkan device")
	}
	return openNamed(tb, "vulkan", opts)
}

// VulkanOrNone opens the first Vulkan device, for tests that can also run without a Vulkan device. If
// there is no Vulkan device, VulkanOrNone returns nil, or fails the test if KGEN_REQUIRE_VULKAN is set.
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

// Chosen returns the device that KGEN_DEVICE names, or the first Vulkan device if KGEN_DEVICE is not set.
func Chosen(tb testing.TB) *runtime.Device {
	tb.Helper()
	if os.Getenv(env.Device) == "" {
		return Vulkan(tb)
	}
	return opened(tb)
}

// openNamed opens the device with the given name. If the device exists but cannot be opened, the test fails.
func openNamed(tb testing.TB, name string, opts []runtime.OpenOption) *runtime.Device {
	tb.Helper()
	opts = append(opts[:len(opts):len(opts)], runtime.Select(name))
	if name == "vulkan" && env.Get(env.TestProfile) == "mac" {
		opts = append(Mac(), opts...)
	}
	return opened(tb, opts...)
}

// Mac returns options that make a Vulkan device look like MoltenVK on a Mac with Apple's processor. MoltenVK
// has no float64, no 64-bit atomics and no atomic addition of floats. MoltenVK has 32 KiB of memory per
// work-group.
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
	tb.Logf("device: %s", dev.Name()) // testsum reads this line
	tb.Cleanup(func() {
		if err := dev.Close(); err != nil {
			tb.Error(err)
		}
	})
	return dev
}

// Each runs a test on each device, including the host device.
func Each(t *testing.T, test func(t *testing.T, dev *runtime.Device)) {
	t.Helper()
	for i, info := range runtime.Devices() {
		t.Run(info.Backend, func(t *testing.T) {
			dev := openNamed(t, strconv.Itoa(i), nil)
			t.Log(dev)
			test(t, dev)
		})
	}
	if !there() && need.Promised(need.Vulkan) {
		t.Errorf("no Vulkan device (%s is set)", need.Vulkan)
	}
}

// Run runs an example on each device. The example checks its own results.
func Run(t *testing.T, run func(ctx context.Context, dev *runtime.Device) error) {
	t.Helper()
	Each(t, func(t *testing.T, dev *runtime.Device) {
		if err := run(t.Context(), dev); err != nil {
			t.Error(err)
		}
	})
}

// ManyKernels speeds up tests that run many kernels once each. TestMain calls it. ManyKernels turns off the
// optimizer of Mesa's software driver, unless the environment has GALLIVM_PERF. ManyKernels also gives the
// garbage collector more memory. The driver's optimizer is tested by other packages and by "make deep".
func ManyKernels() {
	const how = "GALLIVM_PERF"
	if _, said := os.LookupEnv(how); !said {
		os.Setenv(how, "nopt")
	}
	debug.SetGCPercent(200)
}

// SmallGroups speeds up tests with many kernels whose work-groups have at most 128 work-items. SmallGroups
// makes Mesa's software driver use vectors of 128 bits instead of 256. LLVM needs up to a fifth less time
// for the shorter vectors. With SmallGroups, sub-groups have four work-items, and work-groups have at most
// 32 sub-groups. SmallGroups does nothing if the environment has LP_NATIVE_VECTOR_WIDTH.
func SmallGroups() {
	const how = "LP_NATIVE_VECTOR_WIDTH"
	if _, said := os.LookupEnv(how); !said {
		os.Setenv(how, "128")
	}
}

// Index opens the device with index i in runtime.Devices.
func Index(tb testing.TB, i int, opts ...runtime.OpenOption) *runtime.Device {
	tb.Helper()
	return openNamed(tb, strconv.Itoa(i), opts)
}
