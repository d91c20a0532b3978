package hal

import (
	"sync"
	"sync/atomic"
)

// Cancel lets one side stop what the other runs: package runtime asks for it, the
// backend that runs the command notices. The zero Cancel asks for nothing. Several
// commands may share one, of which one may be a launch.
//
// Asking is a request. A command that had not started does not run; a kernel that
// runs stops where it polls, if it does. Either way the backend says in
// Fault.Cancelled that the command did not run whole.
type Cancel struct {
	asked atomic.Bool

	mu     sync.Mutex
	notify func()
	begun  bool
}

// Ask requests the end of the commands. It does not wait for them, but for a piece
// of the caller's memory that is being copied (see Do).
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

// Begin is called by backends whose kernels use the caller's memory, right before a
// launch runs. It reports whether it may, and never does after Ask. A nil Cancel
// always lets it.
func (c *Cancel) Begin() bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = !c.asked.Load()
	return c.begun
}

// Begun reports whether Begin has let a launch run. If it has not by the time that Ask
// has returned, it never will.
func (c *Cancel) Begun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun
}

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

// Do runs f, which copies from or to the memory of the command's caller, and
// reports whether it did: not after Ask, which waits for an f that runs. So when
// Ask has returned, the caller's memory is the caller's again. f should be brief:
// a copy goes in pieces. A nil Cancel always runs f.
func (c *Cancel) Do(f func()) bool {
	if c == nil {
		f()
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.Load() {
		return false
	}
	f()
	return true
}
