package hal

import (
	"sync"
	"sync/atomic"
)

// Cancel is a request to stop commands that a backend runs. Package runtime makes the request by
// calling Ask, and the backend then stops the commands. The zero Cancel is a Cancel for which Ask
// has not been called. Several commands may share a Cancel, but at most one of these commands is a
// launch.
//
// After Ask, a command that has not started does not run. A kernel that is already running stops
// only if the kernel polls the Cancel. For a command that did not run or that stopped early, the
// backend sets Fault.Cancelled.
type Cancel struct {
	asked atomic.Bool

	mu     sync.Mutex
	notify func()
	begun  bool
}

// Ask requests that the commands stop. Ask does not wait for the commands, but waits while a piece
// of the caller's memory is being copied (see Do).
func (c *Cancel) Ask() {
	c.asked.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.notify != nil {
		c.notify()
		c.notify = nil
	}
}

// Asked reports whether Ask has been called. For a nil Cancel, Asked returns false.
func (c *Cancel) Asked() bool { return c != nil && c.asked.Load() }

// Begin reports whether a launch may run, which is true unless Ask has been called. A backend whose
// kernels use the caller's memory calls Begin right before the launch runs. For a nil Cancel, Begin
// returns true.
func (c *Cancel) Begin() bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = !c.asked.Load()
	return c.begun
}

// Begun reports whether Begin has returned true. If Begun returns false when it is called after
// Ask, the launch will never run.
func (c *Cancel) Begun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun
}

// Flag returns the flag that a kernel on the host polls. The flag is true once Ask has been called.
func (c *Cancel) Flag() *atomic.Bool { return &c.asked }

// Notify registers the function f, which Ask then calls. If Ask has already been called, Notify
// calls f at once. Notify replaces the function of an earlier call of Notify, even if f is nil.
// When Notify returns, the earlier function is not running and will not be called. The function f
// must neither block nor call methods of c.
func (c *Cancel) Notify(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notify = f
	if f != nil && c.asked.Load() {
		f()
		c.notify = nil
	}
}

// The method Do calls f unless Ask has been called, and reports whether f was called. The function
// f copies from or to memory of the command's caller. Ask waits while f runs, so the caller may use
// the memory again when Ask has returned. To keep f short, backends divide copies into pieces. For
// a nil Cancel, Do always runs f.
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
