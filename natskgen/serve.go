package natskgen

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Handler runs a job and returns its result. The context ends with that of Serve. Calls of one
// Serve run at the same time if Parallel asks for that; they may share a device.
//
// A job may run more than once: when its worker died, when the handler returned an error, or when
// the server heard nothing of the worker for the time AckWait. So a handler has to leave nothing
// behind that a second run would find, and the same job has to give the same result.
type Handler[J, R any] func(ctx context.Context, job J) (R, error)

// Info says which job a handler runs.
type Info struct {
	Queue string
	Job   string // id of the job
	Try   int    // number of the delivery, from 1
}

type infoKey struct{}

// InfoOf returns the job that the handler with this context runs. Other contexts have none.
func InfoOf(ctx context.Context) (Info, bool) {
	i, ok := ctx.Value(infoKey{}).(Info)
	return i, ok
}

// The headers of messages of jobs. The id is in Nats-Msg-Id.
const (
	headerObject = "Kgen-Object" // name of the object with the long slices
	headerText   = "Kgen-Text"   // bytes of the text at the object's start, if the text is there
	headerSum    = "Kgen-Sum"    // SHA-256 of the job
)

const (
	// pull is how long the server keeps a request for a job. A call of Serve whose context ends
	// waits as long for a job that is on its way.
	pull = time.Second
	// storeTime is how long a request to store something is repeated, at least, and how long the
	// storing of a result may take. The server hears of the worker meanwhile.
	storeTime = 2 * time.Minute
)

// passed is called when a worker passes a point of a job's way, for tests that stop workers there.
var passed = func(point, id string) {}

// Serve makes this process a worker of the queue: it takes jobs of type J one after the other, or
// several at once with Parallel, calls the handler, and stores the results of type R. It returns
// when the context has ended and the handlers have returned, with the context's error, or before if
// the queue cannot be served any more: ErrConnection if the connection is closed, ErrRemoved if the
// queue does not exist any more. A connection that is lost, and that the client library opens again,
// is no error: Serve goes on then.
//
// Serve checks types (ErrType), options (ErrConfig, ErrInvalid) and the server (ErrConnection)
// before it takes a job.
//
// A job is acknowledged when its result is stored. While the handler runs, the server hears of the
// worker each third of AckWait, so the job stays with it however long a kernel takes. The job goes
// to another worker if this one dies. An error of the handler, or a panic, is a try that failed: the
// job is delivered again, after a delay of 250 ms that doubles with each try up to 30 s. After the
// last try the job is a dead letter, and those who wait for it get a *JobError. A handler that
// returns an error because Serve's context has ended gives the job back at once; that delivery
// counts as a try.
func Serve[J, R any](ctx context.Context, js jetstream.JetStream, name string, handler Handler[J, R], opts ...Option) error {
	if handler == nil {
		return errorf(ErrInvalid, "the handler is nil")
	}
	q, err := openQueue(ctx, js, name, reflect.TypeFor[J](), reflect.TypeFor[R](), opts)
	if err != nil {
		return err
	}
	w := &worker{queue: q, run: func(ctx context.Context, job reflect.Value) (*payload, error) {
		result, err := handler(ctx, *job.Addr().Interface().(*J))
		if err != nil {
			return nil, err
		}
		return pack(q.result, reflect.ValueOf(&result).Elem())
	}}
	return w.serve(ctx)
}

// A worker takes jobs of a queue.
type worker struct {
	*queue
	run func(ctx context.Context, job reflect.Value) (*payload, error)
}

// serve runs as many loops as jobs may run at once. The first that cannot go on ends the others.
func (w *worker) serve(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	for range w.parallel {
		all.Go(func() {
			if err := w.loop(ctx); err != nil {
				stop(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != ctx.Err() {
		var own *Error
		if errors.As(err, &own) {
			return err
		}
	}
	return w.fault(ctx, "", "serving has ended", ctx.Err())
}

// loop takes jobs until the context ends. It returns an error if it cannot go on.
func (w *worker) loop(ctx context.Context) error {
	for ctx.Err() == nil {
		began, taken := time.Now(), false
		batch, err := w.consumer.Fetch(1, jetstream.FetchMaxWait(pull))
		if err == nil {
			for msg := range batch.Messages() {
				taken = true
				w.handle(ctx, msg)
			}
			err = batch.Error()
		}
		// A server that answers says so when the request ends. Further requests to one that does
		// not would wait in the client library, and take jobs later that nobody waits for.
		if err == nil && !taken && time.Since(began) > pull+pull/2 {
			err = nats.ErrTimeout
		}
		if err == nil {
			continue
		}
		if err := w.revive(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// revive waits until the server answers or the context ends, after a request for a job has failed
// with err. It returns an error if jobs cannot be had any more.
func (w *worker) revive(ctx context.Context, err error) error {
	for said := false; ctx.Err() == nil; {
		if !closed(err) {
			ask, cancel := context.WithTimeout(ctx, request)
			_, err = w.js.Consumer(ask, w.jobsName(), consumerName)
			cancel()
			if err == nil {
				return nil
			}
		}
		if gone(err) || closed(err) {
			return w.fault(context.WithoutCancel(ctx), "", "taking a job", err)
		}
		if !said && ctx.Err() == nil {
			w.log.Warn("kgen: no jobs, since the server does not answer", "error", err)
			said = true
		}
		select { // do not ask all the time
		case <-ctx.Done():
		case <-time.After(pull):
		}
	}
	return nil
}

// A delivery is a message of a job on its way through a worker.
type delivery struct {
	*worker
	msg jetstream.Msg
	id  string
	try int
	sum string
	loc location
	log *slog.Logger
}

// handle takes a message to its end: acknowledged, given back, or left for another worker.
func (w *worker) handle(ctx context.Context, msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil {
		w.log.Error("kgen: a message that is no job", "error", err)
		return
	}
	if ctx.Err() != nil { // it was on its way when the context ended
		if err := msg.Nak(); err != nil {
			w.log.Warn("kgen: a job is not given back, and comes again after AckWait", "error", err)
		}
		return
	}
	h := msg.Headers()
	d := &delivery{worker: w, msg: msg, id: h.Get(jetstream.MsgIDHeader), try: int(meta.NumDelivered), sum: h.Get(headerSum)}
	if err := checkName("id of a job", d.id); err != nil {
		w.log.Error("kgen: a message without a job's id is dropped", "subject", msg.Subject(), "error", err)
		if err := msg.TermWithReason("no job of natskgen"); err != nil {
			w.log.Warn("kgen: a message could not be dropped", "error", err)
		}
		return
	}
	d.loc = location{Object: h.Get(headerObject)}
	d.loc.Text, err = strconv.Atoi(h.Get(headerText))
	if err != nil && h.Get(headerText) != "" {
		d.loc.Text = -1 // which decoding reports
	}
	d.log = w.log.With("job", d.id, "try", d.try)

	alive, stop := context.WithCancel(context.WithoutCancel(ctx))
	var beat sync.WaitGroup
	beat.Go(func() { d.beat(alive) })
	end := d.work(ctx)
	stop()
	beat.Wait()
	end()
}

// beat tells the server that the job is being worked on, until the context ends.
func (d *delivery) beat(ctx context.Context) {
	tick := time.NewTicker(d.settings.AckWait / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := d.msg.InProgress(); err != nil {
				d.log.Warn("kgen: the server does not hear that the job runs", "error", err)
			}
		}
	}
}

// work runs the job and stores how it ended. It returns the last step, which tells the server.
func (d *delivery) work(ctx context.Context) (end func()) {
	// Storing goes on when the context has ended: the result is there.
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(storeTime, 2*d.settings.AckWait))
	var rec *record
	err := d.insist(keep, func(ctx context.Context) (err error) {
		rec, err = d.find(ctx, d.id)
		return err
	})
	cancel()
	switch {
	case err != nil:
		return d.again("asking for the job's record", err)
	case rec != nil: // another worker has finished it, or the id was submitted twice
		return d.finish(ctx, rec)
	case d.try > d.settings.Tries:
		f := &failure{Text: fmt.Sprintf("delivered %d times, and no worker has ended it: the workers died, or were stopped, or lost the server", d.settings.Tries)}
		return d.finish(ctx, &record{Sum: d.sum, Tries: d.settings.Tries, Failure: f})
	}
	job := reflect.New(d.job.typ).Elem()
	err = d.load(ctx, d.job, job, d.loc, d.msg.Data())
	if err != nil {
		if err = d.fault(ctx, d.id, "reading the job", err); ctx.Err() == nil && isConnection(err) {
			return d.again("reading the job", err)
		}
		return d.failed(ctx, err)
	}
	passed("runs", d.id)
	result, err := d.call(ctx, job)
	passed("ran", d.id)
	if err == nil {
		var end func()
		if end, err = d.succeed(ctx, result); err == nil {
			return end
		}
		if isConnection(err) {
			return d.again("storing the result", err)
		}
	}
	return d.failed(ctx, err)
}

// failed returns the last step of a try that ended with an error.
func (d *delivery) failed(ctx context.Context, err error) (end func()) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		d.log.Info("kgen: the job is given back, since the worker stops")
		return d.giveBack(0)
	}
	if d.try >= d.settings.Tries {
		return d.finish(ctx, &record{Sum: d.sum, Tries: d.try, Failure: failureOf(err)})
	}
	d.log.Warn("kgen: a try failed", "error", err)
	return d.giveBack(min(250*time.Millisecond<<min(d.try-1, 7), 30*time.Second))
}

// call calls the handler. A panic is an error, and so is a handler that ends its goroutine.
func (d *delivery) call(ctx context.Context, job reflect.Value) (result *payload, err error) {
	err = &panicError{"runtime.Goexit", ""}
	var running sync.WaitGroup
	running.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				err = &panicError{r, string(debug.Stack())}
			}
		}()
		result, err = d.run(context.WithValue(ctx, infoKey{}, Info{Queue: d.name, Job: d.id, Try: d.try}), job)
	})
	running.Wait()
	return result, err
}

// panicError is a panic of a handler.
type panicError struct {
	value any
	stack string
}

func (p *panicError) Error() string { return fmt.Sprintf("the handler panicked: %v", p.value) }

// Unwrap returns the value of the panic if it is an error.
func (p *panicError) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// succeed stores a result and makes the record that names it.
func (d *delivery) succeed(ctx context.Context, result *payload) (end func(), err error) {
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(storeTime, 2*d.settings.AckWait))
	defer cancel()
	loc, text, err := d.store(keep, d.id, "result", result)
	if err != nil {
		return nil, d.fault(keep, d.id, "storing the slices", err)
	}
	passed("stored", d.id)
	rec, err := d.settle(keep, &record{location: loc, Sum: d.sum, Tries: d.try, result: text})
	if err != nil {
		// The record may have been made though no answer came, so the object stays.
		return nil, d.fault(keep, d.id, "making the record", err)
	}
	passed("recorded", d.id)
	if rec.Object != loc.Object {
		d.log.Info("kgen: another worker was faster")
		d.drop(loc.Object)
	}
	return d.done(true), nil
}

// finish makes the record of a failure, unless there is one, and the dead letter of a record with a
// failure.
func (d *delivery) finish(ctx context.Context, rec *record) (end func()) {
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(storeTime, 2*d.settings.AckWait))
	defer cancel()
	if rec.Failure == nil {
		return d.done(true)
	}
	rec, err := d.settle(keep, rec)
	if err != nil {
		return d.again("making the record of a failure", err)
	}
	if rec.Failure == nil { // another worker was faster, and had a result
		return d.done(true)
	}
	d.log.Warn("kgen: the job has failed for good", "error", rec.Failure.Text)
	err = d.insist(keep, func(ctx context.Context) error { return d.bury(ctx, d.id, rec, d.loc, d.msg.Data()) })
	if err != nil {
		return d.again("storing the dead letter", err)
	}
	return d.done(false)
}

// settle is keep for a server that may take a while to answer. If an answer is lost, the record that
// is there may be the one that was to be made.
func (d *delivery) settle(ctx context.Context, rec *record) (there *record, err error) {
	err = d.insist(ctx, func(ctx context.Context) (err error) {
		there, err = d.keep(ctx, d.id, rec)
		return err
	})
	return there, err
}

// insist calls a function until the server has answered it, the queue is removed or the context
// ends.
func (d *delivery) insist(ctx context.Context, f func(ctx context.Context) error) error {
	for {
		once, cancel := context.WithTimeout(ctx, request)
		err := f(once)
		cancel()
		if err == nil {
			return nil
		}
		is := d.fault(ctx, d.id, "asking the server", err)
		if ctx.Err() != nil || closed(err) || !errors.Is(is, ErrConnection) {
			return err
		}
		if err := d.exists(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// done returns the step that acknowledges the message. The slices of a job that has a result are
// removed; those of a dead letter stay for its retention.
func (d *delivery) done(remove bool) func() {
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), request)
		defer cancel()
		if err := d.msg.DoubleAck(ctx); err != nil {
			d.log.Warn("kgen: a finished job is not acknowledged, and comes again", "error", err)
			return
		}
		passed("acknowledged", d.id)
		if remove {
			d.drop(d.loc.Object)
		}
	}
}

// again returns the step that leaves the message for another delivery, after AckWait.
func (d *delivery) again(problem string, err error) func() {
	d.log.Warn("kgen: the job comes again", "problem", problem, "error", err)
	return func() {}
}

// giveBack returns the step that asks for another delivery after a delay.
func (d *delivery) giveBack(delay time.Duration) func() {
	return func() {
		if err := d.msg.NakWithDelay(delay); err != nil {
			d.log.Warn("kgen: the job is not given back, and comes again after AckWait", "error", err)
		}
	}
}

func isConnection(err error) bool {
	return errors.Is(err, ErrConnection) || errors.Is(err, ErrRemoved) || errors.Is(err, context.DeadlineExceeded)
}
