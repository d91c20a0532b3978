package runtime_test

import (
	"errors"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"testing"

	filtergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// TestFit: what is said of a device that is not open is what happens on it: whether a kernel runs,
// and which module the device takes.
func TestFit(t *testing.T) {
	kernels := append(filtergen.Kernels(), stepsgen.Kernels()...)
	for i, info := range runtime.Devices() {
		log := newRecords(slog.LevelDebug)
		dev := must(runtime.Open(runtime.Select(strconv.Itoa(i)), runtime.Logger(slog.New(log))))
		x := must(runtime.NewBuffer[int32](dev, 4))
		for _, k := range kernels {
			f := info.Fit(k)
			if err := dev.Compatible(k); (err == nil) != (f.Err == nil) || (f.Variant == "") != (f.Err != nil) || f.Kernel != k.Name() {
				t.Errorf("%s: %+v, and Compatible returns %v", info.Name, f, err)
			}
			if k.Name() != "steps.Grow" {
				continue
			}
			must(stepsgen.Grow{Out: x.All()}.ParallelFor(dev.DefaultQueue(), 4))
			m := regexp.MustCompile(`kernel=steps.Grow .*variant=(\S+) `).FindStringSubmatch(log.String())
			if m == nil || m[1] != f.Variant && !(f.Small && m[1] == "small") {
				t.Errorf("%s: %+v, and it took\n%s", info.Name, f, log)
			}
		}
		check(t, dev.Close())
	}
}

// TestFitWithout: a device that lacks what a kernel needs, for itself or for one of its modules.
func TestFitWithout(t *testing.T) {
	grow := stepsgen.Kernels()[0]
	for _, k := range stepsgen.Kernels() {
		if k.Name() == "steps.Grow" {
			grow = k
		}
	}
	info := runtime.DeviceInfo{Name: "small", Backend: "vulkan", Limits: runtime.Limits{MaxWorkGroupSize: [3]int{64, 64, 64}, MaxWorkItems: 64}}
	if f := info.Fit(grow); f.Variant != "words" || f.Err != nil {
		t.Errorf("without integers of 64 bits: %+v", f)
	}
	info.Aspects = []properties.Aspect{properties.Int8, properties.Int16, properties.Int64}
	if f := info.Fit(grow); f.Variant != "general" || f.Err != nil {
		t.Errorf("with them: %+v", f)
	}
	for _, k := range filtergen.Kernels() {
		if f := info.Fit(k); (f.Err == nil) == (f.Variant == "") {
			t.Errorf("%+v", f)
		} else if f.Err != nil && !errors.Is(f.Err, runtime.ErrKernelNotSupported) {
			t.Errorf("of another class: %v", f.Err)
		}
	}
	if f := info.Fit(nil); !errors.Is(f.Err, runtime.ErrInvalid) {
		t.Errorf("no kernel: %+v", f)
	}
}

// TestSelectByAddress: devices of one name are told apart by UUID and PCI address.
func TestSelectByAddress(t *testing.T) {
	gpu := func(n byte, pci string) hal.Info {
		return hal.Info{Name: "gpu", Type: hal.DiscreteGPU, UUID: [16]byte{0xab, 15: n}, PCI: pci}
	}
	runtime.SetBackends(t, &machine{devices: []hal.Info{gpu(1, "0000:3b:00.0"), gpu(2, "0000:af:00.0"), {Name: "other", Type: hal.VirtualGPU}}})
	list := runtime.Devices()
	if list[1].UUID != "ab000000-0000-0000-0000-000000000002" || list[1].PCI != "0000:af:00.0" || list[2].UUID != "" {
		t.Errorf("%+v", list)
	}
	for choice, want := range map[string]string{
		list[0].UUID: "0000:3b:00.0", list[1].UUID: "0000:af:00.0", strings.ToUpper(list[1].UUID): "0000:af:00.0",
		strings.ReplaceAll(list[1].UUID, "-", ""): "0000:af:00.0", "0000:af:00.0": "0000:af:00.0", "AF:00.0": "0000:af:00.0", "3b:00.0": "0000:3b:00.0",
	} {
		dev, err := runtime.Open(runtime.Select(choice))
		if err != nil {
			t.Errorf("%s: %v", choice, err)
			continue
		}
		if got := dev.Info().PCI; got != want {
			t.Errorf("%s chose %s, want %s", choice, got, want)
		}
		check(t, dev.Close())
	}
	if _, err := runtime.Open(runtime.Select("0000:01:00.0")); !errors.Is(err, runtime.ErrNoDevice) {
		t.Errorf("no such address: %v", err)
	}
}
