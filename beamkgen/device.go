package beamkgen

import (
	"sync"

	"github.com/kgen-go/kgen/runtime"
)

// The variable process contains the only device of this process. All bundles use it.
var process = &deviceSource{open: runtime.Open}

// deviceSource opens a device at the first call of method device.
type deviceSource struct {
	open func(...runtime.OpenOption) (*runtime.Device, error)

	mu      sync.Mutex
	options []runtime.OpenOption
	now     *opening // current device; nil before the first bundle, and after a failure
	opened  int      // number of devices that have been opened
}

// Type opening is a device that is open, or that a goroutine is opening.
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

// OpenedDevices returns the number of devices that this process has opened. The number is at most 1, unless a device
// was lost or closed.
func OpenedDevices() int {
	process.mu.Lock()
	defer process.mu.Unlock()
	return process.opened
}

// If the process's device is open, CloseDevice closes it and returns the error of Device.Close. During the call of
// CloseDevice, no pipeline may run. A later bundle opens the device again. CloseDevice is useful only for programs that
// run for a long time after their last pipeline.
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

// The method device returns the process's device, and opens it if necessary. After an error the next call tries to open
// the device again, because runners often repeat failed bundles in the same process.
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

// The method lost must be called when a device has been lost. It closes the device, and the next bundle opens another
// device.
func (s *deviceSource) lost(dev *runtime.Device) {
	s.mu.Lock()
	o := s.now
	s.mu.Unlock()
	if o == nil {
		return
	}
	if now, _ := o.device(); now == dev && s.forget(o) {
		dev.Close() // the error is ignored, because launches have returned it
	}
}

// After the method forget, the next call of method device opens a device. The result is false if an earlier call had
// forgotten this device.
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
