package hal

import (
	"sync"
	"sync/atomic"
)

// Cancel lets package runtime stop commands that a backend runs. The runtime calls Ask, and the
// backend then stops the commands. The zero Cancel requests nothing. Several commands may share a
// Cancel, but at most one of them is a launch.
//
// Ask is only a request. A command that has not started does not run. A running kernel stops when
// it polls the Cancel, if the kernel polls at all. For a command that did not run, or that stopped
// early, the backend sets Fault.Cancelled.
type Cancel struct {
	asked atomic.Bool

	mu     sync.Mutex
	notify func()
	begun  bool
}

// Ask requests the end of the commands. Ask does not wait for the commands, except while a piece of
// the caller's memory is being copied (see Do).
func (c *Cancel) Ask() {
	c.asked.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.notify != nil {
		c.notify()
		c.notify = nil
	}
}

// Asked reports whether Ask was called, which means that the command should end. For a nil Cancel,
// Asked returns false.
func (c *Cancel) Asked() bool { return c != nil && c.asked.Load() }

// Backends whose kernels use the caller's memory call Begin right before a launch runs. Begin
// reports whether the launch may run. After Ask, Begin returns false. For a nil Cancel, Begin
// always returns true.
func (c *Cancel) Begin() bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = !c.asked.Load()
	return c.begun
}

// Begun reports whether Begin has allowed a launch to run. If Begun returns false after Ask has
// returned, Begun returns false forever.
func (c *Cancel) Begun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun
}

// Flag returns the flag that a kernel on the host polls. The flag is true if the command should
// end.
func (c *Cancel) Flag() *atomic.Bool { return &c.asked }

// Notify makes Ask call f, and calls f at once if Ask was already called. A nil f removes an
// earlier f. When Notify returns, functions from earlier calls of Notify are not running and will
// not be called. f must neither block nor call c's methods.
func (c *Cancel) Notify(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notify = f
	if f != nil && c.asked.Load() {
		f()
		c.notify = nil
	}
}

// Do runs f, which copies from or to the memory of the command's caller. After Ask, f does not run.
// Do reports whether f ran. Ask waits while f runs, so the caller may use the memory again when Ask
// has returned. f should be brief, so copies are divided into pieces. For a nil Cancel, Do always
// runs f.
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
