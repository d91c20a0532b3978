package beamkgen

import (
	"sync"

	"github.com/kgen-go/kgen/runtime"
)

// process has the one device of this process. Its bundles share the device, whose methods may be called
// from several goroutines.
var process = &deviceSource{open: runtime.Open}

// deviceSource opens a device when it is first asked for it.
type deviceSource struct {
	open func(...runtime.OpenOption) (*runtime.Device, error)

	mu      sync.Mutex
	options []runtime.OpenOption
	now     *opening // nil before the first, and after a failure
	opened  int
}

// opening is a device that is being opened, or is open.
type opening struct {
	device func() (*runtime.Device, error)
}

// SetOpenOptions sets the options with which this process opens its device, such as runtime.Select.
// Profiling is always among them, for the metric device_ns. Without a call of SetOpenOptions, the
// device is the one that runtime.Open chooses, by KGEN_DEVICE if that is set.
//
// A program calls it in each worker process, before its first pipeline runs; function init of package
// main is such a place. It returns an error of class runtime.ErrInvalid if the device is already open.
func SetOpenOptions(opts ...runtime.OpenOption) error {
	return process.setOptions(opts)
}

// OpenedDevices returns how many devices this process has opened: one after the first bundle, and one more
// after each device that was lost or closed.
func OpenedDevices() int {
	process.mu.Lock()
	defer process.mu.Unlock()
	return process.opened
}

// CloseDevice closes the process's device, if it is open, and returns the error of Device.Close. No
// pipeline may run at that time. A later bundle opens the device again. Programs need not call
// CloseDevice: it is for those that go on for long after their pipelines have ended.
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
		dev.Close() // what it returns, the launches have returned
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
