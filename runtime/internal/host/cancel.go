package host

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// never is the flag of launches that cannot be cancelled.
var never atomic.Bool

// stopper has the flag that tells a launch to end, and records whether the launch then left work
// undone.
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

// now reports whether the launch is to end. The caller must have work left, which it then leaves
// undone.
func (s *stopper) now() bool {
	if !s.asked.Load() {
		return false
	}
	s.stopped.Store(true)
	return true
}
