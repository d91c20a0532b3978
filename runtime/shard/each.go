package shard

import (
	"context"
	"errors"
	"sync"

	"github.com/kgen-go/kgen/runtime"
)

// Part is the argument of the function that Each calls for one device.
type Part struct {
	Index  int // index of the device in the group
	Of     int // number of devices in the group
	Device *runtime.Device
	// Queue is a queue of the device. Only this call of Each uses the queue. When Context ends, the
	// queue's commands end.
	Queue *runtime.Queue

	run *run
}

// Context returns the context of the call of Each. The context ends when the caller's context ends, or when the
// first error occurs on any device.
func (p Part) Context() context.Context {
	if p.run == nil {
		return context.Background()
	}
	return p.run.ctx
}

// `run` is the state of one call of Each.
type run struct {
	g     *Group
	ctx   context.Context
	stop  context.CancelFunc
	parts []Part

	mu    sync.Mutex
	first *Error // first error on any device
	left  int    // number of devices whose function has returned
	meet  *meeting
}

// Each calls f for each device of the group, at the same time. The function f launches kernels for
// its device on p.Queue, and returns without waiting for them. Each returns when all commands of
// the devices' queues have ended. Each returns the first error of a call of f or of a launch, such
// as a *runtime.Fault. The error is an *Error that names the device.
//
// After the first error, or when ctx ends, the runtime ends all commands of the devices' queues, as
// runtime.WithContext describes. If ctx has ended, Each does not wait for kernels that cannot be
// ended.
func Each(ctx context.Context, g *Group, f func(p Part) error) error {
	if err := g.usable(); err != nil {
		return err
	}
	if f == nil {
		return invalid("", "the function of Each is nil")
	}
	if err := usableContext(ctx); err != nil {
		return err
	}
	r := newRun(ctx, g)
	defer r.stop()
	var all sync.WaitGroup
	for _, p := range r.parts {
		all.Go(func() {
			err := f(p)
			r.fail(p.Index, err)
			r.leave()
			if err == nil {
				r.fail(p.Index, p.Queue.Wait(r.ctx))
			}
		})
	}
	all.Wait()
	if r.first == nil {
		return nil
	}
	r.drain(ctx)
	return r.first
}

func newRun(ctx context.Context, g *Group) *run {
	r := &run{g: g, parts: make([]Part, len(g.devs))}
	r.ctx, r.stop = context.WithCancel(ctx)
	for i, d := range g.devs {
		r.parts[i] = Part{Index: i, Of: len(g.devs), Device: d, Queue: d.NewQueueWithin(r.ctx), run: r}
	}
	return r
}

// `fail` records the error of the device with the index `part`, if no device has failed before.
// Then `fail` ends the commands of all devices.
func (r *run) fail(part int, err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == nil {
		if e := (*Error)(nil); errors.As(err, &e) {
			r.first = e
		} else {
			r.first = &Error{part, r.g.devs[part], err}
		}
		r.stop()
	}
}

// firstError returns the first error, or nil.
func (r *run) firstError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == nil {
		return nil
	}
	return r.first
}

// After an error, `drain` waits until the commands of all queues have ended, or until ctx ends.
// Failures of these commands are ignored, because the first error caused them.
func (r *run) drain(ctx context.Context) {
	for _, p := range r.parts {
		if p.Queue.Wait(ctx); ctx.Err() != nil {
			go p.Queue.Wait(context.Background())
		}
	}
}

// `meeting` is a point in a call of Each where the functions of all devices wait for each other.
type meeting struct {
	key   any // common argument of the calls of `meets`, such as the array
	here  int
	ended chan struct{}
	err   error
}

// `meets` waits until the functions of all devices have called `meets` with the same key. The last
// caller calls the function `do`. All callers return the error of `do`.
func (p Part) meets(key any, name string, do func(r *run) error) error {
	r := p.run
	if r == nil {
		return invalid("call it in the function of Each", "%s with a Part that is not of Each", name)
	}
	r.mu.Lock()
	m := r.meet
	if m == nil {
		m = &meeting{key: key, ended: make(chan struct{})}
		r.meet = m
	}
	m.here++
	switch {
	case m.key != key:
		m.err = invalid("all parts call the same methods in the same order", "a part calls %s while another part waits in a call for another array", name)
		r.meet = nil
		close(m.ended)
	case r.left > 0:
		m.err = r.errLeft(name)
		r.meet = nil
		close(m.ended)
	case m.here == len(r.parts):
		r.meet = nil
		r.mu.Unlock()
		m.err = do(r)
		close(m.ended)
		return m.err
	}
	r.mu.Unlock()
	select {
	case <-m.ended:
		return m.err
	case <-r.ctx.Done():
	}
	if err := r.firstError(); err != nil {
		return err
	}
	return contextError(r.ctx)
}

// errLeft returns the error for a call that the functions of all devices must make. The error means
// that one function has returned without this call.
func (r *run) errLeft(name string) error {
	return invalid("all parts call the same methods in the same order", "a part has returned, and another part waits for it in %s", name)
}

// `leave` records that the function of one device has returned.
func (r *run) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left++
	if m := r.meet; m != nil {
		r.meet = nil
		if m.err = r.errLeft("a call"); r.first != nil {
			m.err = r.first
		}
		close(m.ended)
	}
}
