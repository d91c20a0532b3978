package host

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// never is what launches poll that cannot be cancelled.
var never atomic.Bool

// stopper tells a launch to end, and is told that it left something undone.
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

// now reports whether the launch is to end. Whoever asks has more to do, and does not.
func (s *stopper) now() bool {
	if !s.asked.Load() {
		return false
	}
	s.stopped.Store(true)
	return true
}
