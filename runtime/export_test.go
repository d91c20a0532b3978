package runtime

import "github.com/kgen-go/kgen/runtime/internal/hal"

// OpenHAL makes a Device of a backend's, for tests.
func OpenHAL(d hal.Device, backend string) *Device { return newDevice(d, backend, &openOptions{}) }

// ChooseLocal is Device.chooseLocal.
func (d *Device) ChooseLocal(rank int, global [3]int) [3]int { return d.chooseLocal(rank, global) }
