package shard

import (
	"context"
	"errors"
	"sync"

	"github.com/kgen-go/kgen/runtime"
)

// Part is one device's part of the work of Each.
type Part struct {
	Index  int // index of the device in the group
	Of     int // number of devices
	Device *runtime.Device
	// Queue is a queue of the device for this call of Each. Its commands end with Context.
	Queue *runtime.Queue

	run *run
}

// Context returns the context of the call of Each. It ends with the caller's context, and with the
// first error of any part.
func (p Part) Context() context.Context {
	if p.run == nil {
		return context.Background()
	}
	return p.run.ctx
}

// run is one call of Each.
type run struct {
	g     *Group
	ctx   context.Context
	stop  context.CancelFunc
	parts []Part

	mu    sync.Mutex
	first *Error // the first error
	left  int    // number of parts that have returned
	meet  *meeting
}

// Each calls f for each device of the group, at the same time. f launches the device's part of the
// work on p.Queue and returns without waiting. Each returns when all that was launched on the
// queues has ended, with the first error: that of an f, or the failure of a launch, such as a
// *runtime.Fault. The error is an *Error that names the device.
//
// The first error, and the end of ctx, end all commands of the queues on all devices, as
// runtime.WithContext describes it. If ctx has ended, Each does not wait for kernels that cannot be
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

// fail records the error of a part, if it is the first error, and ends the other parts.
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

// failed returns the first error, or nil.
func (r *run) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == nil {
		return nil
	}
	return r.first
}

// drain waits, until ctx ends, for the commands of all queues after an error. Their failures follow
// from the first one, and nobody asks for them.
func (r *run) drain(ctx context.Context) {
	for _, p := range r.parts {
		if p.Queue.Wait(ctx); ctx.Err() != nil {
			go p.Queue.Wait(context.Background())
		}
	}
}

// meeting is the wait of the parts of a run for each other.
type meeting struct {
	key   any // value that all parts give
	here  int
	ended chan struct{}
	err   error
}

// meets waits until all parts of the run have called meets with the same key. The last of them
// calls do, whose error all of them return.
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
	if err := r.failed(); err != nil {
		return err
	}
	return ended(r.ctx)
}

// errLeft is the error of a call of all parts that one part does not make.
func (r *run) errLeft(name string) error {
	return invalid("all parts call the same methods in the same order", "a part has returned, and another part waits for it in %s", name)
}

// leave records that a part's function has returned.
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
