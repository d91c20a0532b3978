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

// A Handler runs a job and returns its result. The context of a handler ends when the context of
// Serve ends. With the option Parallel, several calls of the handler run at the same time, and may
// share a device.
//
// A job may run more than once. For example, its worker has died, its handler has returned an
// error, or no heartbeat has come during the time AckWait. So if a handler runs a job again, it
// must return the same result. The effects must be the same as after one run.
type Handler[J, R any] func(ctx context.Context, job J) (R, error)

// Info identifies the job that a handler runs.
type Info struct {
	Queue string
	Job   string // id of the job
	Try   int    // number of the delivery, from 1
}

type infoKey struct{}

// InfoOf returns the Info of a job from the context of its handler. For other contexts, InfoOf
// returns false.
func InfoOf(ctx context.Context) (Info, bool) {
	i, ok := ctx.Value(infoKey{}).(Info)
	return i, ok
}

// These headers are in the messages of jobs, in addition to the header Nats-Msg-Id with the job's
// id.
const (
	headerObject = "Kgen-Object" // name of the object with the long slices
	headerText   = "Kgen-Text"   // bytes of the text at the object's start, if the text is there
	headerSum    = "Kgen-Sum"    // SHA-256 of the job
)

const (
	// The constant `pull` is the time for which the server keeps a request for a job. When the
	// context of Serve has ended, Serve waits for this time, because the server may have sent a
	// job.
	pull = time.Second
	// storeTime is the minimum of two time limits, for storing a result and for repeating a request
	// that stores data. While a worker stores data, it sends heartbeats.
	storeTime = 2 * time.Minute
)

// The variable `passed` is a function that workers call at several steps of a job. Tests use it to
// stop workers.
var passed = func(point, id string) {}

// Serve makes this process a worker of the queue. The worker takes jobs of type J, calls the
// handler, and stores the results of type R. With Parallel, the worker runs several jobs at the
// same time. Serve returns the context's error after the context has ended and the handlers have
// returned. Serve returns earlier with ErrConnection if the connection is closed, and with
// ErrRemoved if the queue does not exist any more. If the client library loses and reopens the
// connection, Serve continues.
//
// Before it takes a job, Serve checks types (ErrType), options (ErrConfig, ErrInvalid) and the
// server (ErrConnection).
//
// A job is acknowledged when its result is stored. While the handler runs, the worker sends a
// heartbeat after each third of AckWait, so that the job stays with this worker. If the worker
// dies, the job goes to another worker. If the handler returns an error or panics, the try has
// failed, and the job is delivered again after a delay. The delay is 250 ms at first, and doubles
// with each try up to 30 s. After the last try the job becomes a dead letter, and calls that wait
// for the job return a *JobError. If the handler returns an error because Serve's context has
// ended, another worker may take the job at once, but the delivery counts as a try.
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

// The method serve runs several loops, and each of them runs one job at a time. If a loop cannot
// continue, all loops end.
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

// The method loop takes and handles jobs until the context ends. If it cannot continue, it returns
// an error.
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
		// A server that has no job says so when the request ends. If the server says nothing, it
		// does not answer. Further requests would then wait in the client library, and later
		// receive jobs that no loop handles.
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

// revive is called after a request for a job has failed with err. It waits until the server answers
// or the context ends. revive returns an error if the worker cannot receive jobs any more.
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
		select { // wait between two requests
		case <-ctx.Done():
		case <-time.After(pull):
		}
	}
	return nil
}

// A delivery is a job's message that a worker is handling.
type delivery struct {
	*worker
	msg jetstream.Msg
	id  string
	try int
	sum string
	loc location
	log *slog.Logger
}

// The method handle processes a message. At the end, the message is acknowledged, given back, or
// left for another worker.
func (w *worker) handle(ctx context.Context, msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil {
		w.log.Error("kgen: a message that is no job", "error", err)
		return
	}
	if ctx.Err() != nil { // the server sent the message before the context ended
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
		d.loc.Text = -1 // decoding returns an error for this number
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

// The method beat sends the server heartbeats for the job until the context ends.
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

// The method work runs the job, and stores its result or failure. It returns a function that
// answers the job's message.
func (d *delivery) work(ctx context.Context) (end func()) {
	// The request for the record continues even if ctx ends, because the job may have a result
	// already.
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
	case rec != nil: // another worker has finished the job, or the id was submitted twice
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

// The method failed returns a function that answers the message. The argument err is the error of
// the try.
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

// The method call calls the handler. If the handler panics or ends its goroutine, call returns an
// error.
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

// The method succeed stores a result, and then the record that names the result's object.
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
		// The object is not removed, because the server may have stored the record although no
		// answer came.
		return nil, d.fault(keep, d.id, "making the record", err)
	}
	passed("recorded", d.id)
	if rec.Object != loc.Object {
		d.log.Info("kgen: another worker was faster")
		d.drop(loc.Object)
	}
	return d.done(true), nil
}

// The method finish stores the record of a failure, unless the job already has a record. If the
// record then says that the job failed, finish stores the dead letter.
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
	if rec.Failure == nil { // another worker has stored a result before
		return d.done(true)
	}
	d.log.Warn("kgen: the job has failed for good", "error", rec.Failure.Text)
	err = d.insist(keep, func(ctx context.Context) error { return d.bury(ctx, d.id, rec, d.loc, d.msg.Data()) })
	if err != nil {
		return d.again("storing the dead letter", err)
	}
	return d.done(false)
}

// settle does the same as keep, but repeats the request while the server does not answer. If an
// answer is lost, a repeated request may find the record that settle itself has stored.
func (d *delivery) settle(ctx context.Context, rec *record) (there *record, err error) {
	err = d.insist(ctx, func(ctx context.Context) (err error) {
		there, err = d.keep(ctx, d.id, rec)
		return err
	})
	return there, err
}

// insist calls f again and again, until the server has answered, the queue is removed or the
// context ends.
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

// The method done returns a function that acknowledges the message. If the argument `remove` is
// set, that function also removes the job's slices. The slices of a dead letter are kept until its
// retention ends.
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

// The method again returns a function that does not answer the message, so that the message is
// delivered again after AckWait.
func (d *delivery) again(problem string, err error) func() {
	d.log.Warn("kgen: the job comes again", "problem", problem, "error", err)
	return func() {}
}

// giveBack returns a function that asks the server to deliver the message again after a delay.
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
