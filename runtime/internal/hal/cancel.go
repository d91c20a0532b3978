package hal

import (
	"sync"
	"sync/atomic"
)

// Cancel lets one side stop what the other runs: package runtime asks for it, the
// backend that runs the command notices. The zero Cancel asks for nothing.
//
// Asking is a request. A command that had not started does not run; a kernel that
// runs stops where it polls, if it does. Either way the backend says in
// Fault.Cancelled that the command did not run whole.
type Cancel struct {
	asked atomic.Bool

	mu     sync.Mutex
	notify func()
}

// Ask requests the end of the command. It does not wait for it.
func (c *Cancel) Ask() {
	c.asked.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.notify != nil {
		c.notify()
		c.notify = nil
	}
}

// Asked reports whether the command is to end. A nil Cancel is never asked.
func (c *Cancel) Asked() bool { return c != nil && c.asked.Load() }

// Flag is what a kernel on the host polls: true once the command is to end.
func (c *Cancel) Flag() *atomic.Bool { return &c.asked }

// Notify has f called when the command is to end, at once if it is already; nil
// takes back an earlier f. When Notify returns, an earlier f is not running and
// will not be called. f must not block nor call c's methods.
func (c *Cancel) Notify(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notify = f
	if f != nil && c.asked.Load() {
		f()
		c.notify = nil
	}
}
