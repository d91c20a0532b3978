package host

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// neverCancelled is the flag for launches that cannot be cancelled. The flag is always false.
var neverCancelled atomic.Bool

// stopFlag contains the flag that tells a launch to stop. The field `stopped` records whether the
// launch has left out work because of this flag.
type stopFlag struct {
	asked   *atomic.Bool
	stopped atomic.Bool
}

func newStopper(c *hal.Cancel) *stopFlag {
	if c == nil {
		return &stopFlag{asked: &neverCancelled}
	}
	return &stopFlag{asked: c.Flag()}
}

// mustStop reports whether the launch must stop. If mustStop returns true, the caller must leave
// out its remaining work. A caller without remaining work must not call mustStop.
func (s *stopFlag) mustStop() bool {
	if !s.asked.Load() {
		return false
	}
	s.stopped.Store(true)
	return true
}
