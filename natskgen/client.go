package natskgen

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// A Client submits jobs of type J to a queue and waits for their results of type R. Several
// goroutines may call the methods of a Client at the same time.
type Client[J, R any] struct {
	*queue
	watch jetstream.KeyWatcher
	end   context.CancelFunc

	mu      sync.Mutex
	waiting map[string][]chan struct{} // maps the id of a job to the channels of the calls that wait for the job
	closed  bool
}

// Open returns a client of the queue, and creates the queue if it does not exist. The errors of
// Open belong to the classes ErrInvalid, ErrType, ErrConfig and ErrConnection. Close the client
// when it is not needed any more.
func Open[J, R any](ctx context.Context, js jetstream.JetStream, name string, opts ...Option) (*Client[J, R], error) {
	q, err := openQueue(ctx, js, name, reflect.TypeFor[J](), reflect.TypeFor[R](), opts)
	if err != nil {
		return nil, err
	}
	c := &Client[J, R]{queue: q, waiting: map[string][]chan struct{}{}}
	// The client watches the keys of all new records. When a job's record is stored, calls that
	// wait for the job are woken, and ask for the record.
	var live context.Context
	live, c.end = context.WithCancel(context.WithoutCancel(ctx))
	c.watch, err = q.records.WatchAll(live, jetstream.UpdatesOnly(), jetstream.MetaOnly(), jetstream.IgnoreDeletes())
	if err != nil {
		c.end()
		return nil, q.fault(ctx, "", "watching the results", err)
	}
	go c.notify()
	return c, nil
}

// notify wakes the calls that wait for a job as soon as the job's record is stored.
func (c *Client[J, R]) notify() {
	for entry := range c.watch.Updates() {
		if entry == nil {
			continue
		}
		c.mu.Lock()
		for _, wake := range c.waiting[entry.Key()] {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
		c.mu.Unlock()
	}
}

// Settings returns the queue's settings.
func (c *Client[J, R]) Settings() Settings { return c.settings }

// Close ends the client. Waiting calls and later calls return ErrInvalid. The server keeps the jobs
// that were submitted.
func (c *Client[J, R]) Close() error {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	for _, wakes := range c.waiting {
		for _, wake := range wakes {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
	}
	c.mu.Unlock()
	if was {
		return nil
	}
	err := c.watch.Stop()
	c.end()
	if err != nil && !closed(err) && !gone(err) && !errors.Is(err, nats.ErrBadSubscription) {
		return c.fault(context.Background(), "", "closing the client", err)
	}
	return nil
}

func (c *Client[J, R]) usable() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return &Error{Class: ErrInvalid, Queue: c.name, Problem: "the client is closed"}
	}
	return nil
}

// A SubmitOption is an option of Submit and Do.
type SubmitOption func(*submitOptions)

type submitOptions struct {
	id string
}

// ID sets the id of the job. An id consists of 1 to 64 letters (A-Z and a-z), digits, hyphens and
// underscores. Jobs with the same id and the same contents are one job, which has one result. All
// calls of Wait return the result of this job, until the queue's Retention has passed after the
// job's end. If an earlier job has the same id but other contents, Submitted.Wait returns
// ErrConflict. Without the option ID, a job has a random id.
func ID(id string) SubmitOption {
	return func(o *submitOptions) { o.id = id }
}

// A Submitted is a job that the server has stored.
type Submitted[R any] struct {
	id   string
	sum  string
	wait func(ctx context.Context, id, sum string) (R, error)
}

// ID returns the job's id, with which any program can wait for the result.
func (s *Submitted[R]) ID() string { return s.id }

// Wait waits for the job and returns its result, as Client.Wait does. Wait returns ErrConflict if
// an earlier job has the same id but other contents.
func (s *Submitted[R]) Wait(ctx context.Context) (R, error) { return s.wait(ctx, s.id, s.sum) }

// Submit stores the job on the server. Submit stores slices of more than MaxInline bytes in an
// object, and then sends the job's message. After Submit has returned, nothing uses the job's
// memory.
//
// Submit returns an error of the class ErrType if the MarshalBinary method of a field fails. If
// Submit returns ErrConnection or the context's error, the server may or may not have stored the
// job. Submitting the job again with the same ID does not create a second job.
func (c *Client[J, R]) Submit(ctx context.Context, job J, opts ...SubmitOption) (*Submitted[R], error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	o := submitOptions{id: nuid.Next()}
	for _, opt := range opts {
		if opt == nil {
			return nil, errorf(ErrInvalid, "an option is nil")
		}
		opt(&o)
	}
	if err := checkName("id of a job", o.id); err != nil {
		return nil, err
	}
	pl, err := pack(c.job, reflect.ValueOf(&job).Elem())
	if err != nil {
		return nil, &Error{Class: ErrType, Queue: c.name, Job: o.id, Problem: "encoding the job", Err: err}
	}
	loc, text, err := c.store(ctx, o.id, "job", pl)
	if err != nil {
		return nil, c.fault(ctx, o.id, "storing the job's slices", err)
	}
	msg := nats.NewMsg(c.jobSubject())
	msg.Data = text
	msg.Header.Set(headerSum, pl.sum)
	if loc.Object != "" {
		msg.Header.Set(headerObject, loc.Object)
	}
	if loc.Text > 0 {
		msg.Header.Set(headerText, strconv.Itoa(loc.Text))
	}
	other, err := c.publish(ctx, msg, o.id)
	if err != nil {
		// The server may have stored the message, so the object is not removed before its retention
		// ends.
		return nil, c.fault(ctx, o.id, "submitting the job", err)
	}
	if other {
		c.drop(loc.Object)
	}
	return &Submitted[R]{id: o.id, sum: pl.sum, wait: c.await}, nil
}

// The method publish sends a job's message. If no acknowledgement comes, publish sends the message
// again up to three times. This is safe because the server ignores a message whose id it knows.
// publish reports whether another call of Submit has already sent a message with the same id.
func (c *Client[J, R]) publish(ctx context.Context, msg *nats.Msg, id string) (other bool, err error) {
	for again := 0; ; again++ {
		once, cancel := context.WithTimeout(ctx, request)
		ack, err := c.js.PublishMsg(once, msg, jetstream.WithMsgID(id))
		cancel()
		if err == nil {
			// If the message was sent more than once, the server's copy may come from this call.
			return ack.Duplicate && again == 0, nil
		}
		if ctx.Err() != nil || again == 3 || closed(err) || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) {
			return false, err
		}
	}
}

// Do submits the job and waits for its result.
func (c *Client[J, R]) Do(ctx context.Context, job J, opts ...SubmitOption) (R, error) {
	s, err := c.Submit(ctx, job, opts...)
	if err != nil {
		var none R
		return none, err
	}
	return s.Wait(ctx)
}

// Wait waits until the job with the id has ended, and returns its result. Any program may call
// Wait, even several times, until the queue's Retention has passed after the job's end. If the job
// has failed for good, the error is a *JobError.
//
// Wait returns the context's error when the context ends, ErrConnection when the connection is
// closed, and ErrRemoved when the queue is removed. While the client library tries to reach the
// server again, Wait continues to wait. If no job has the id, or the retention of the job's result
// is over, Wait waits until the context ends.
func (c *Client[J, R]) Wait(ctx context.Context, id string) (R, error) { return c.await(ctx, id, "") }

// poll is the time after which a waiting call asks for the record of its job even if nothing has
// woken the call.
const poll = 2 * time.Second

func (c *Client[J, R]) await(ctx context.Context, id, sum string) (result R, err error) {
	if err := checkName("id of a job", id); err != nil {
		return result, err
	}
	wake := make(chan struct{}, 1)
	c.mu.Lock()
	c.waiting[id] = append(c.waiting[id], wake)
	c.mu.Unlock()
	defer c.forget(id, wake)
	for {
		if err := c.usable(); err != nil {
			return result, err
		}
		rec, err := c.ask(ctx, id)
		if err != nil {
			return result, err
		}
		if rec != nil {
			if sum != "" && rec.Sum != sum {
				return result, &Error{Class: ErrConflict, Queue: c.name, Job: id, Problem: "another job had the id before"}
			}
			err := c.resultOf(ctx, id, rec, reflect.ValueOf(&result).Elem())
			var failed *JobError
			if err != nil && !errors.As(err, &failed) {
				err = c.fault(ctx, id, "reading the result", err)
			}
			if !errors.Is(err, ErrConnection) || closed(err) {
				return result, err
			}
		}
		select {
		case <-ctx.Done():
			return result, c.fault(ctx, id, "waiting for the result", ctx.Err())
		case <-wake:
		case <-time.After(poll):
		}
	}
}

// The method ask returns the job's record. If the job has no record, or the server does not answer
// at the moment, ask returns nil. ask returns an error if asking again is useless.
func (c *Client[J, R]) ask(ctx context.Context, id string) (*record, error) {
	once, cancel := context.WithTimeout(ctx, request)
	rec, err := c.find(once, id)
	cancel()
	if err == nil {
		return rec, nil
	}
	err = c.fault(ctx, id, "waiting for the result", err)
	if errors.Is(err, ErrConnection) && !closed(err) && ctx.Err() == nil {
		// If the bucket has been removed, the server does not answer either, so check that the
		// queue exists.
		if err := c.exists(ctx); err != nil {
			return nil, c.fault(ctx, id, "waiting for the result", err)
		}
		return nil, nil
	}
	return nil, err
}

func (c *Client[J, R]) forget(id string, wake chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.waiting[id][:0]
	for _, w := range c.waiting[id] {
		if w != wake {
			left = append(left, w)
		}
	}
	if c.waiting[id] = left; len(left) == 0 {
		delete(c.waiting, id)
	}
}
