package host

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// The variable never is the flag of launches that cannot be cancelled, which is always false.
var never atomic.Bool

// The type stopper contains the flag that tells a launch to end. A stopper also records whether the
// launch left out some work for that reason.
type stopper struct {
	asked   *atomic.Bool
	stopped atomic.Bool
}

func newStopper(c *hal.Cancel) *stopper {
	if c == nil {
		return &stopper{asked: &never}
	}
	return &stopper{asked: c.Flag()}
}

// The method now reports whether the launch must end. If the launch must end, the caller leaves out
// its remaining work. A caller without remaining work must not call this method.
func (s *stopper) now() bool {
	if !s.asked.Load() {
		return false
	}
	s.stopped.Store(true)
	return true
}
