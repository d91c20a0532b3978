package shard

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	stop  context.CancelCauseFunc
	parts []Part

	mu    sync.Mutex
	first *Error // first error on any device
	left  []int  // indices of the devices whose function has returned
	over  bool   // Each has returned
	meet  *meeting
}

// Each calls f for each device of the group, at the same time. The function f launches kernels for
// its device on p.Queue, and returns without waiting for them. Each returns when all commands of
// the devices' queues have ended. Each returns the first error of a call of f or of a launch, such
// as a *runtime.Fault. The error is an *Error that names the device. Each neither waits for
// commands on other queues, such as the device's default queue, nor returns their errors.
//
// The calls of f run in goroutines of their own, so the caller of Each cannot recover a panic of f.
// Variables that f changes, such as arrays that it swaps, must be variables of f.
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
	defer r.end()
	var all sync.WaitGroup
	for _, p := range r.parts {
		all.Go(func() {
			err := f(p)
			r.fail(p.Index, err)
			r.leave(p.Index)
			if err == nil {
				r.fail(p.Index, withoutRepeats(p.Queue.Wait(r.ctx)))
			}
		})
	}
	all.Wait()
	err := r.firstError()
	if err != nil {
		r.drain(ctx)
	}
	return err
}

func newRun(ctx context.Context, g *Group) *run {
	r := &run{g: g, parts: make([]Part, len(g.devs))}
	r.ctx, r.stop = context.WithCancelCause(ctx)
	for i, d := range g.devs {
		r.parts[i] = Part{Index: i, Of: len(g.devs), Device: d, Queue: d.NewQueueWithin(r.ctx), run: r}
	}
	return r
}

// `end` marks the parts as unusable.
func (r *run) end() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.stop(errOver)
}

// errOver is the error of a call with a Part whose call of Each has returned.
var errOver = invalid("use the Part that Each passes to its function", "the call of Each, to which the Part belongs, has returned")

// `usable` returns an error if the part is the zero Part, or if its call of Each has returned.
func (p Part) usable() error {
	if p.run == nil {
		return invalid("use the Part that Each passes to its function", "the Part is not of a call of Each")
	}
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	if p.run.over {
		return errOver
	}
	return nil
}

// `fits` returns an error unless memory can be used with the part. The argument `unusable` is the error of the memory
// itself, or nil, and `group` returns the memory's group. If the groups differ, the error consists of remedy and problem.
// The error is also the error of the part's call of Each.
func (p Part) fits(unusable error, group func() *Group, remedy, problem string) error {
	if p.run == nil {
		return p.usable()
	}
	if unusable == nil && p.run.g != group() {
		unusable = invalid(remedy, "%s", problem)
	}
	return p.failed(unusable)
}

// `failed` makes err, if it is not nil, the error of the part's call of Each, and returns err.
func (p Part) failed(err error) error {
	p.run.fail(p.Index, err)
	return err
}

// `fail` records the error of the device with the index `part`, if no device has failed before.
// Then `fail` ends the commands of all devices.
func (r *run) fail(part int, err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failLocked(part, err)
}

// failLocked is like `fail`, for callers that have locked r.mu. failLocked returns the first error.
func (r *run) failLocked(part int, err error) error {
	if r.first == nil {
		e, ok := err.(*Error) // not errors.As, because the cause of err may be an earlier error of another device
		if !ok {
			e = &Error{part, r.g.devs[part], err}
		}
		r.first = e
		r.stop(r.first)
	}
	return r.first
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
	name  string // name of the method that the functions call
	key   any    // common argument of the calls, such as the array
	here  []int  // indices of the devices whose function waits
	ended chan struct{}
	err   error
}

// sameCalls is the remedy for functions that make different calls.
const sameCalls = "the functions of all devices must make the same calls of Exchange and Collect in the same order"

// `meets` waits until the functions of all devices have called `meets` with the same name and key. The
// last caller calls the function `do`. All callers return the error of `do`. If the functions make
// different calls, or `do` fails, the call of Each fails, even if the functions ignore the error of `meets`.
func (p Part) meets(key any, name string, do func(r *run) error) error {
	if err := p.usable(); err != nil {
		return err
	}
	r := p.run
	r.mu.Lock()
	m := r.meet
	if m == nil {
		m = &meeting{name: name, key: key, ended: make(chan struct{})}
		r.meet = m
	}
	switch {
	case m.name != name:
		m.end(r, p.Index, invalid(sameCalls, "its function calls %s, while %s in %s", name, waiting(m.here), m.name))
	case m.key != key:
		m.end(r, p.Index, invalid(sameCalls+"; if the function swaps arrays, declare its variables inside the function",
			"its function calls %s of another array than the one for which %s", name, waiting(m.here)))
	case len(r.left) > 0:
		m.here = append(m.here, p.Index)
		m.end(r, r.left[0], errLeft(m))
	default:
		if m.here = append(m.here, p.Index); len(m.here) == len(r.parts) {
			r.meet = nil
			r.mu.Unlock()
			m.err = p.failed(do(r))
			close(m.ended)
			return m.err
		}
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

// `end` ends a meeting with an error of the device with the index `part`. The caller has locked r.mu.
func (m *meeting) end(r *run, part int, err error) {
	r.meet = nil
	m.err = r.failLocked(part, err)
	close(m.ended)
}

// errLeft returns the error of a device whose function has returned without a call that the functions
// of all devices must make.
func errLeft(m *meeting) error {
	return invalid(sameCalls, "its function has returned without calling %s, in which %s", m.name, waiting(m.here))
}

// `waiting` returns a text such as "devices 0 and 2 wait".
func waiting(devices []int) string {
	slices.Sort(devices)
	if len(devices) == 1 {
		return fmt.Sprintf("device %d waits", devices[0])
	}
	var list []string
	for _, d := range devices {
		list = append(list, strconv.Itoa(d))
	}
	last := len(list) - 1
	return fmt.Sprintf("devices %s and %s wait", strings.Join(list[:last], ", "), list[last])
}

// `leave` records that the function of the device with the index `part` has returned.
func (r *run) leave(part int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = append(r.left, part)
	if m := r.meet; m != nil {
		m.end(r, part, errLeft(m))
	}
}
