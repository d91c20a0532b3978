package beamkgen

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"

	"github.com/kgen-go/kgen/beamkgen/internal/division/divisiongen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// source has the package's device source be another for a test.
func source(t *testing.T, open func(...runtime.OpenOption) (*runtime.Device, error)) *deviceSource {
	old := process
	process = &deviceSource{open: open}
	t.Cleanup(func() {
		if err := process.close(); err != nil {
			t.Error(err)
		}
		process = old
	})
	return process
}

// TestOneDevice: all bundles of a process share one device, also when many begin at once.
func TestOneDevice(t *testing.T) {
	s := source(t, runtime.Open)
	var all sync.Map
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			dev, err := s.device()
			if err != nil {
				t.Error(err)
			}
			all.Store(dev, true)
		})
	}
	wg.Wait()
	if dev, err := s.device(); err != nil {
		t.Error(err)
	} else {
		all.Store(dev, true)
	}
	n := 0
	all.Range(func(any, any) bool { n++; return true })
	if n != 1 || OpenedDevices() != 1 {
		t.Errorf("%d devices, and %d were opened", n, OpenedDevices())
	}
}

// TestFailedOpen: a device that did not open may open for the next bundle.
func TestFailedOpen(t *testing.T) {
	busy, tries := errors.New("busy"), 0
	s := source(t, func(opts ...runtime.OpenOption) (*runtime.Device, error) {
		if tries++; busy != nil {
			return nil, busy
		}
		return runtime.Open(opts...)
	})
	if _, err := s.device(); !errors.Is(err, busy) {
		t.Fatal(err)
	}
	busy = nil
	if dev, err := s.device(); err != nil || dev == nil || tries != 2 || OpenedDevices() != 1 {
		t.Errorf("%v, %v, %d opened by %d tries", dev, err, OpenedDevices(), tries)
	}
}

// TestLostDevice: a lost device is an error of the bundle, and the next bundle has another device.
func TestLostDevice(t *testing.T) {
	s := source(t, runtime.Open)
	lose := true
	b := newBundle(t, func(w *Worker, batch []Number) ([]int32, error) {
		if lose {
			return nil, fmt.Errorf("launch: %w", &runtime.Error{Class: runtime.ErrDeviceLost})
		}
		return divide(w, batch)
	}, Options{Size: 1})
	first := b.fn.dev
	if err := b.add(window.SingleGlobalWindow, 0, Number{0, 7}); !errors.Is(err, runtime.ErrDeviceLost) || len(b.calls) != 1 {
		t.Fatalf("%v after %d launches", err, len(b.calls))
	}
	if _, err := runtime.NewBuffer[int32](first, 1); !errors.Is(err, runtime.ErrInvalid) {
		t.Errorf("the lost device is not closed: %v", err)
	}
	lose = false
	if err := b.add(window.SingleGlobalWindow, 0, Number{0, 7}); err != nil {
		t.Fatal(err)
	}
	s.lost(first) // another bundle's, which notices it later
	if now, err := s.device(); err != nil || now != b.fn.dev {
		t.Errorf("a device that was lost before takes away the next: %v, %v", now, err)
	}
	if got := b.results.got[0].Elm; got != int32(720) || b.fn.dev == first || OpenedDevices() != 2 {
		t.Errorf("5040/7 is %v, the same device: %v, opened: %d", got, b.fn.dev == first, OpenedDevices())
	}
}

// TestOpenOptions: options have to come before the device is open.
func TestOpenOptions(t *testing.T) {
	s := source(t, runtime.Open)
	if err := SetOpenOptions(runtime.Select("no such device")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.device(); !errors.Is(err, runtime.ErrNoDevice) {
		t.Errorf("%v, want %v", err, runtime.ErrNoDevice)
	}
	if err := SetOpenOptions(runtime.Select("host")); err != nil {
		t.Fatal(err)
	}
	dev, err := s.device()
	if err != nil || dev.Info().Backend != "host" {
		t.Fatal(dev, err)
	}
	if err := SetOpenOptions(runtime.Select("host")); !errors.Is(err, runtime.ErrInvalid) {
		t.Errorf("options of an open device: %v", err)
	}
	if err := errors.Join(CloseDevice(), CloseDevice()); err != nil {
		t.Error(err)
	}
	if again, err := s.device(); err != nil || again == dev || OpenedDevices() != 2 {
		t.Errorf("after CloseDevice: the same device: %v, %v, %d opened", again == dev, err, OpenedDevices())
	}
}

// TestMissingAspect: a device that cannot run a kernel is an error before anything is launched, also if
// it takes a lost device's place.
func TestMissingAspect(t *testing.T) {
	masked := []runtime.OpenOption{runtime.MaskAspects(properties.FP64)}
	s := source(t, func(opts ...runtime.OpenOption) (*runtime.Device, error) {
		return runtime.Open(append(opts, masked...)...)
	})
	fn := &batchFn[Number, int32]{Function: halves.name}
	if err := fn.Setup(t.Context()); !errors.Is(err, runtime.ErrKernelNotSupported) {
		t.Errorf("Setup: %v, want %v", err, runtime.ErrKernelNotSupported)
	}
	masked = nil
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	b := newBundle(t, func(*Worker, []Number) ([]int32, error) { return nil, &runtime.Error{Class: runtime.ErrDeviceLost} }, Options{Size: 1, Kernels: divisiongen.Kernels()})
	if err := b.add(window.SingleGlobalWindow, 0, Number{}); !errors.Is(err, runtime.ErrDeviceLost) {
		t.Fatal(err)
	}
	masked = []runtime.OpenOption{runtime.MaskAspects(properties.FP64)}
	if err := b.add(window.SingleGlobalWindow, 0, Number{}); !errors.Is(err, runtime.ErrKernelNotSupported) || len(b.calls) != 1 {
		t.Errorf("after a lost device: %v, and %d launches", err, len(b.calls))
	}
}

// TestUnknownFunction: a worker that lacks the function, or has another of that name, fails.
func TestUnknownFunction(t *testing.T) {
	for _, err := range []error{
		(&batchFn[Number, int32]{Function: "none"}).Setup(t.Context()),
		(&batchFn[Number, int64]{Function: halves.name}).Setup(t.Context()),
	} {
		if !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("%v, want %v", err, runtime.ErrInvalid)
		}
	}
}
