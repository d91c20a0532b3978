package beamkgen

import (
	"sync"

	"github.com/kgen-go/kgen/runtime"
)

// process has the one device of this process. All bundles share the device.
var process = &deviceSource{open: runtime.Open}

// deviceSource opens a device when it is first asked for it.
type deviceSource struct {
	open func(...runtime.OpenOption) (*runtime.Device, error)

	mu      sync.Mutex
	options []runtime.OpenOption
	now     *opening // nil before the first bundle, and after a failure
	opened  int      // devices so far
}

// opening is a device that is being opened, or is open.
type opening struct {
	device func() (*runtime.Device, error)
}

// SetOpenOptions sets the options with which this process opens its device, such as runtime.Select.
// The option runtime.Profiling is added, for the metric device_ns. Without a call of SetOpenOptions,
// runtime.Open chooses the device.
//
// Each worker process must call it before its first bundle, for example in function init of package main. It
// returns an error of class runtime.ErrInvalid if the device is already open.
func SetOpenOptions(opts ...runtime.OpenOption) error {
	return process.setOptions(opts)
}

// OpenedDevices returns how many devices this process has opened so far. It is at most 1, unless a device was lost
// or closed.
func OpenedDevices() int {
	process.mu.Lock()
	defer process.mu.Unlock()
	return process.opened
}

// CloseDevice closes the process's device, if it is open, and returns the error of Device.Close. No
// pipeline may run at that time. A later bundle opens the device again. Only programs that go on for long
// after their last pipeline need it.
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

// device returns the device. If it cannot be opened, the next call tries again: runners repeat failed
// bundles, often in the same process.
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

// lost says that a device has failed for good, so that the next bundle opens another.
func (s *deviceSource) lost(dev *runtime.Device) {
	s.mu.Lock()
	o := s.now
	s.mu.Unlock()
	if o == nil {
		return
	}
	if now, _ := o.device(); now == dev && s.forget(o) {
		dev.Close() // launches have returned the failures that it returns
	}
}

// forget makes the next call of device open a device, and reports whether this call did so.
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
		return nil // nothing is open
	}
	return dev.Close()
}
