package host

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// neverCancelled is the flag of launches that cannot be cancelled. It is always false.
var neverCancelled atomic.Bool

// stopFlag contains the flag that tells a launch to end. stopFlag also records whether the launch
// therefore left out some work.
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

// mustStop reports whether the launch must end. If the launch must end, the caller leaves out
// its remaining work. A caller without remaining work must not call this method.
func (s *stopFlag) mustStop() bool {
	if !s.asked.Load() {
		return false
	}
	s.stopped.Store(true)
	return true
}
