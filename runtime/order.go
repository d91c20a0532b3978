package runtime

import (
	"cmp"
	"context"
	"slices"

	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// This file implements the steps of each command, whether it is launched, enqueued, submitted or
// run:
//
//  1. Read the options, which give the command's destination, order and properties.
//  2. Check the command against its kernel and the device.
//  3. Arrange that the command is cancelled when its context ends.
//  4. Record the command in the device's stream.
//
// If the queue records its commands into a graph, a command has only the first two steps (see
// Graph.recordCommand).

// backgroundCtx is the context of a wait if the caller gave no context.
var backgroundCtx = context.Background()

// commandOrder contains the options of a command, and its destination. The destination is the
// device or a graph.
type commandOrder struct {
	launchOptions
	dev   *Device
	graph *Graph  // graph in which the command becomes a node, or nil
	preds []*Node // nodes of that graph that the options name
	// recorderEnds says that the function that records the command also handles the end of the
	// context. The end of the context then cancels the command or its parts.
	recorderEnds bool
}

// readOptions reads the options of a command of the queue. For a command other than a launch, the
// last argument is the command's name. A command other than a launch must not have options that are
// only for launches. If the command runs on the device, readOptions waits for the events of other
// devices.
func (q *Queue) readOptions(opts []LaunchOption, what string) (commandOrder, error) {
	o, err := parseOptions(opts)
	if err == nil && what != "" {
		err = o.onlyOrder(what)
	}
	if err != nil {
		return commandOrder{}, err
	}
	g, preds, err := q.graphFor(&o)
	if err == nil && g == nil {
		if o.ctx == nil {
			o.ctx = q.ctx
		}
		err = o.waitForeign(q.dev)
	}
	return commandOrder{launchOptions: o, dev: q.dev, graph: g, preds: preds}, err
}

// runOptions reads the options of a launch by Run, which has its own context.
func runOptions(k *Kernel, opts []LaunchOption) (launchOptions, error) {
	o, err := parseOptions(opts)
	if err != nil {
		return o, err
	}
	if n := o.firstNode(); n != nil { // the launch would become a node, and no goroutine can wait for a node
		return o, errNodeOutside(n).setKernel(k)
	}
	if o.ctx != nil {
		return o, errOwnContext(k)
	}
	return o, nil
}

// runSteps runs the steps of a command after its options have been read. The parameter l is the
// event of the command. runSteps calls the function `record` with the context that limits waits,
// and with the cancel request of the command.
func (o *commandOrder) runSteps(l *pending, check func() error, record func(context.Context, *hal.Cancel) error) (Event, error) {
	if err := check(); err != nil {
		return Event{}, err
	}
	if o.ctx != nil && o.ctx.Err() != nil {
		return Event{}, notEnqueued(o.ctx, l.kernel)
	}
	err := record(cmp.Or(o.ctx, backgroundCtx), l.endsWith(o.ctx, o.recorderEnds))
	if err != nil {
		if !o.recorderEnds { // if recorderEnds is set, the stream may already own the event
			l.undoEndsWith()
		}
		return Event{}, err
	}
	return Event{l}, nil
}

// endsWith returns the request that cancels the command when ctx ends, or nil if ctx cannot end. Unless
// recorderEnds is set, endsWith arranges that the request is made as soon as ctx ends. endsWith is
// called before the command is recorded.
func (l *pending) endsWith(ctx context.Context, recorderEnds bool) *hal.Cancel {
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	r := l.needRare()
	r.ctx = ctx
	if !recorderEnds {
		l.ev.NeedRare().Release = context.AfterFunc(ctx, r.cancel.Ask)
	}
	return &r.cancel
}

// undoEndsWith undoes the effect of endsWith, for a command that was not recorded.
func (l *pending) undoEndsWith() {
	if l.ev.Rare().Release != nil {
		l.ev.NeedRare().Release()
		l.ev.NeedRare().Release = nil
	}
}

// parseOptions applies the options.
func parseOptions(opts []LaunchOption) (launchOptions, error) {
	if len(opts) == 0 {
		return launchOptions{}, nil // an empty value, so that nothing is allocated
	}
	return applyOptions(opts)
}

func applyOptions(opts []LaunchOption) (launchOptions, error) {
	var o launchOptions
	for _, opt := range opts {
		if opt == nil {
			return o, errorf(ErrInvalid, "a launch option is nil")
		}
		opt.applyLaunch(&o)
	}
	return o, o.err
}

// onlyOrder returns an error if there are options other than those that decide when a command runs.
func (o *launchOptions) onlyOrder(what string) error {
	if len(o.printing) > 0 {
		return errorf(ErrInvalid, "%s prints nothing by itself", what).advise("give print options to launches, nodes among them, or to Open")
	}
	if len(o.props) > 0 || o.withSpec || len(o.valuesOf) > 0 || o.exe != nil {
		return errorf(ErrInvalid, "%s has no properties and no specialization constants", what).
			advise("give these to the launches")
	}
	return nil
}

// waitForeign waits for the events of other devices, which are not in this device's stream. The
// wait ends when the context of the options ends.
func (o *launchOptions) waitForeign(d *Device) error {
	for _, e := range o.after {
		if err := waitForeign(cmp.Or(o.ctx, backgroundCtx), d.stream, e); err != nil {
			return waitError(err)
		}
	}
	return nil
}

func waitForeign(ctx context.Context, s *stream.Stream, e *stream.Event) error {
	e = e.In(s)
	for _, a := range e.After() {
		if err := waitForeign(ctx, s, a); err != nil {
			return err
		}
	}
	if es := e.Stream(); es != nil && es != s {
		return e.Wait(ctx)
	}
	return nil
}

// enqueueLaunch records a launch, and returns without waiting for it.
func (q *Queue) enqueueLaunch(k *Kernel, c *queueLaunch, opts []LaunchOption) (Event, error) {
	if err := q.usable(); err != nil {
		return Event{}, err
	}
	if len(opts) == 0 && q.into.Load() == nil && q.ctx == nil {
		if ev, done, err := q.launchRemembered(k, c); done {
			return ev, err
		}
	}
	o, err := q.readOptions(opts, "")
	if err != nil {
		return Event{}, err
	}
	if o.graph != nil {
		return o.graph.recordCommand(q, commandOf(k, c.Call, nil), &o)
	}
	var l *pending
	if len(opts) == 0 {
		l = c.nextEvent(q.dev, k)
	} else {
		l = newPending(q.dev, k)
	}
	var p exec.Plan
	return o.runSteps(l, func() (err error) {
		p, err = q.dev.checkLaunch(k, &c.Launch, &o.launchOptions)
		return err
	}, func(ctx context.Context, cancel *hal.Cancel) error {
		c.Cancel = cancel
		return q.dev.recordLaunch(ctx, &q.rec, l, &c.Launch, &p, o.after)
	})
}

// launchRemembered repeats a launch that the device has remembered, without the checks whose
// results cannot change. launchRemembered returns false, and does nothing, if the launch c differs
// from the remembered launch, or if c must fail.
func (q *Queue) launchRemembered(k *Kernel, c *queueLaunch) (_ Event, done bool, _ error) {
	d := q.dev
	m := d.memos.Find(k.code, c.Call)
	if m == nil {
		return Event{}, false, nil
	}
	for i := range c.Placed {
		a := &c.Placed[i]
		if a.Len == launch.NoBuffer || a.View.Bad || a.Mem != nil && (a.Mem.Stream() != d.stream || a.Mem.Released()) {
			return Event{}, false, nil
		}
	}
	if k.watch.Changed() != nil {
		return Event{}, false, nil
	}
	c.Pass(k.abi)
	if !m.Take(&c.Launch, &d.pipelines) {
		return Event{}, false, nil
	}
	l := c.nextEvent(d, k)
	l.local = m.Ran
	m.Command(&c.command, &c.Launch)
	err := d.stream.Record(backgroundCtx, &q.rec, &c.command, &l.ev)
	m.Pipeline.LetGo()
	if err != nil {
		return Event{}, true, backendError(d, k, "the launch was not recorded", err)
	}
	return Event{l}, true, nil
}

// enqueueCommand does the work of Enqueue. The queue must be usable.
func (q *Queue) enqueueCommand(c *commandData, opts []LaunchOption) (Event, error) {
	if c.err != nil {
		return Event{}, c.err
	}
	opts = append(slices.Clone(c.opts), opts...)
	if c.kernel != nil {
		return q.enqueueLaunch(c.kernel, newLaunching(c.call), opts)
	}
	o, err := q.readOptions(opts, "a copy")
	if err != nil {
		return Event{}, err
	}
	if o.graph != nil {
		return o.graph.recordCommand(q, c, &o)
	}
	l := newPending(q.dev, nil)
	var s *exec.Step
	return o.runSteps(l, func() (err error) {
		s, err = q.dev.checkCommand(c, &o.launchOptions)
		return err
	}, func(ctx context.Context, cancel *hal.Cancel) error {
		if s.Nothing() {
			l.dependOnEvents(o.after)
			return nil
		}
		n := s.Command
		n.Cmd.Cancel, n.After, n.Run, n.Cross = cancel, o.after, joinContexts(o.ctx, n.Run), crossWithin(o.ctx, n.Cross)
		l.hostFunc = n.Run != nil
		if err := q.dev.stream.Record(ctx, &q.rec, &n, &l.ev); err != nil {
			return backendError(q.dev, nil, "the "+s.Label+" was not recorded", err)
		}
		return nil
	})
}

// dependOnEvents makes the event of a command without work depend on the events in the slice predEvents.
func (l *pending) dependOnEvents(predEvents []*stream.Event) {
	l.undoEndsWith()
	if len(predEvents) > 0 {
		times := l.ev.Times
		l.ev = *stream.NewMarker(predEvents)
		l.ev.Owner, l.ev.Times = l, times
	}
}
