package runtime

import (
	"testing"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// SetBackends gives package runtime other backends until the test ends.
func SetBackends(tb testing.TB, drivers ...hal.Driver) {
	old := backends
	backends = drivers
	tb.Cleanup(func() { backends = old })
}

// OpenHAL makes a Device of a backend's, for tests.
func OpenHAL(d hal.Device, backend string) *Device { return newDevice(d, backend, &openOptions{}) }

// ChooseLocal is Device.chooseLocal.
func (d *Device) ChooseLocal(rank int, global [3]int) [3]int { return d.chooseLocal(rank, global) }

// SetMaxVariants bounds the pipelines that the device keeps.
func (d *Device) SetMaxVariants(n int) { d.variants.most = n }
