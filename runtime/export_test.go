package runtime

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// SetBackends gives package runtime other backends until the test ends.
func SetBackends(tb testing.TB, drivers ...hal.Driver) {
	old := backends
	backends = drivers
	tb.Cleanup(func() { backends = old })
}

// OpenHAL makes a Device of a backend's, for tests.
func OpenHAL(d hal.Device, backend string) *Device { return newDevice(d, backend, &openOptions{}) }

// OpenHALWith is OpenHAL with options.
func OpenHALWith(d hal.Device, backend string, opts ...OpenOption) *Device {
	var o openOptions
	for _, opt := range opts {
		opt.applyOpen(&o)
	}
	sink, err := o.sinkOf()
	if err != nil {
		panic(err)
	}
	dev := newDevice(d, backend, &o)
	dev.startTrace(sink)
	dev.startClock(&o)
	return dev
}

// Record returns the fault record of a launch that is done.
func (e Event) Record() hal.Fault { return *e.l.ev.Fault }

// Cancels reports whether all launches so far of the kernel, on the device, are ones that
// end soon when they are asked to.
func (d *Device) Cancels(k *Kernel) bool {
	all := true
	d.pipelines.Of(k.code, func(p *exec.Pipeline) {
		c, ok := p.Code.(hal.Canceller)
		all = all && ok && c.Cancels()
	})
	return all
}

// WithoutCancel returns the kernel as it is without the directive //kgen:cancel.
func WithoutCancel(k *Kernel) *Kernel {
	desc := *k.abi
	desc.Variants = slices.DeleteFunc(slices.Clone(desc.Variants), func(v abi.Variant) bool { return v.Cancel })
	return newKernel(launch.Kernel{ABI: &desc, Host: k.code.Host})
}

// Changed returns the kernel with another description, which change makes of a copy.
func Changed(k *Kernel, change func(*abi.Kernel)) *Kernel {
	desc := *k.abi
	desc.Variants = slices.Clone(desc.Variants)
	change(&desc)
	return newKernel(launch.Kernel{ABI: &desc, Host: k.code.Host})
}

// ChooseLocal is Device.chooseLocal.
func (d *Device) ChooseLocal(rank int, global [3]int) [3]int { return d.chooseLocal(rank, global) }

// SetMaxVariants bounds the pipelines that the device keeps.
func (d *Device) SetMaxVariants(n int) { d.pipelines.SetMost(n) }

// Timed reports whether the command has times.
func (e Event) Timed() bool { return e.l.ev.Times != nil }

// LaunchSize is how many bytes a launch takes beside its place in a batch.
const LaunchSize = unsafe.Sizeof(pending{})
