package beamkgen

import (
	"sync"

	"github.com/kgen-go/kgen/runtime"
)

// The variable `process` contains the device of this process. All bundles of the process use the
// same device.
var process = &deviceSource{open: runtime.Open}

// deviceSource opens a device at the first call of the method `device`.
type deviceSource struct {
	open func(...runtime.OpenOption) (*runtime.Device, error)

	mu      sync.Mutex
	options []runtime.OpenOption
	now     *opening // current device; nil before the first bundle, and after the device was lost or closed
	opened  int      // number of devices that the method `device` has opened
}

// The type `opening` describes a device that is open, or that a goroutine is opening.
type opening struct {
	device func() (*runtime.Device, error)
}

// SetOpenOptions sets the options with which this process opens its device, such as runtime.Select. SetOpenOptions adds
// the option runtime.Profiling, which is necessary for the metric device_ns. Without a call of SetOpenOptions,
// runtime.Open chooses the device.
//
// Each worker process must call SetOpenOptions before its first bundle, for example in function init of package main.
// If the device is already open, SetOpenOptions returns an error of class runtime.ErrInvalid.
func SetOpenOptions(opts ...runtime.OpenOption) error {
	return process.setOptions(opts)
}

// OpenedDevices returns the number of devices that this process has opened. The result of
// OpenedDevices is at most 1, unless a device was lost or closed.
func OpenedDevices() int {
	process.mu.Lock()
	defer process.mu.Unlock()
	return process.opened
}

// CloseDevice closes the process's device, and returns the error of Device.Close. If no device is
// open, CloseDevice does nothing. No pipeline may run during the call of CloseDevice. A bundle
// after the call of CloseDevice opens the device again. CloseDevice is useful only for programs
// that run for a long time after their last pipeline.
func CloseDevice() error {
	return process.close()
}

func (s *deviceSource) setOptions(opts []runtime.OpenOption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		return &runtime.Error{Class: runtime.ErrInvalid, Problem: "options of a device that is already open", Remedy: "call beamkgen.SetOpenOptions before pipelines run"}
	}
	s.options = append([]runtime.OpenOption(nil), opts...)
	return nil
}

// The method `device` returns the process's device, and opens the device if necessary. If the
// device cannot be opened, the next call of `device` tries again, because runners often repeat
// failed bundles in the same process.
func (s *deviceSource) device() (*runtime.Device, error) {
	s.mu.Lock()
	if s.now == nil {
		opts := append([]runtime.OpenOption{runtime.Profiling()}, s.options...)
		s.now = &opening{device: sync.OnceValues(func() (*runtime.Device, error) {
			dev, err := s.open(opts...)
			if err == nil {
				s.mu.Lock()
				s.opened++
				s.mu.Unlock()
			}
			return dev, err
		})}
	}
	o := s.now
	s.mu.Unlock()
	dev, err := o.device()
	if err != nil {
		s.forget(o)
	}
	return dev, err
}

// The method `lost` closes a device after the device has been lost. After a call of `lost`, the
// next bundle opens another device.
func (s *deviceSource) lost(dev *runtime.Device) {
	s.mu.Lock()
	o := s.now
	s.mu.Unlock()
	if o == nil {
		return
	}
	if now, _ := o.device(); now == dev && s.forget(o) {
		dev.Close() // the error of Close is ignored, because launches have already returned it
	}
}

// The method `forget` removes the current device, so that the next call of the method `device`
// opens a device. The method `forget` returns false if o is no longer the current device.
func (s *deviceSource) forget(o *opening) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != o {
		return false
	}
	s.now = nil
	return true
}

func (s *deviceSource) close() error {
	s.mu.Lock()
	o := s.now
	s.mu.Unlock()
	if o == nil {
		return nil
	}
	dev, err := o.device()
	if !s.forget(o) || err != nil {
		return nil // no device is open
	}
	return dev.Close()
}
