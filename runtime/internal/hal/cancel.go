package hal

import (
	"sync"
	"sync/atomic"
)

// Cancel lets package runtime stop commands that a backend runs: the runtime calls Ask, and the
// backend notices it. The zero Cancel asks for nothing. Several commands may share a Cancel, of
// which at most one is a launch.
//
// Ask is only a request. A command that had not started does not run; a running kernel stops where
// it polls, if it polls. In both cases the backend says in Fault.Cancelled that the command did not
// complete.
type Cancel struct {
	asked atomic.Bool

	mu     sync.Mutex
	notify func()
	begun  bool
}

// Ask requests the end of the commands. It does not wait for them, except while a piece of the
// caller's memory is being copied (see Do).
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

// Begin is called, right before a launch runs, by backends whose kernels use the caller's memory.
// It reports whether the launch may run. After Ask it returns false. A nil Cancel always returns
// true.
func (c *Cancel) Begin() bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = !c.asked.Load()
	return c.begun
}

// Begun reports whether Begin has let a launch run. If it returns false after Ask has returned, it
// always will.
func (c *Cancel) Begun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun
}

// Flag returns the flag that a kernel on the host polls: true once the command is to end.
func (c *Cancel) Flag() *atomic.Bool { return &c.asked }

// Notify makes Ask call f, and calls f at once if Ask was already called. A nil f removes an
// earlier f. When Notify returns, an earlier f is not running and will not be called. f must
// neither block nor call c's methods.
func (c *Cancel) Notify(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notify = f
	if f != nil && c.asked.Load() {
		f()
		c.notify = nil
	}
}

// Do runs f, which copies from or to the memory of the command's caller, and reports whether it
// ran. After Ask, f does not run. Ask waits for a running f, so when Ask has returned, the caller
// may use the memory again. f should be brief: a copy is done in pieces. A nil Cancel always runs
// f.
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
