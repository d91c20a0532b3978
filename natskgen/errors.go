package natskgen

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/kgen-go/kgen/runtime"
)

// These variables are the classes of errors, for use with errors.Is. All errors of this package are
// of type *Error or *JobError. If the context of a call has ended, the error of the call matches
// context.Canceled or context.DeadlineExceeded.
var (
	// ErrInvalid means that a call is invalid. For example, the JetStream or the handler is
	// missing, an option is out of range, or a name or an id is not allowed. Calls on a closed
	// client are also invalid.
	ErrInvalid = errors.New("invalid")
	// ErrType means that the type of jobs or results cannot be encoded, or is not the type that the
	// queue has.
	ErrType = errors.New("type")
	// ErrConfig means that an option differs from the queue's setting.
	ErrConfig = errors.New("configuration")
	// ErrConnection means that the server does not answer, because the connection is closed or
	// lost, or because the server has no JetStream.
	ErrConnection = errors.New("connection")
	// ErrServer means that JetStream has refused a request, for example because a storage limit is
	// reached.
	ErrServer = errors.New("server")
	// ErrRemoved means that the queue does not exist any more.
	ErrRemoved = errors.New("queue removed")
	// ErrExpired means that the server has removed a result or a job's slices, because the queue's
	// retention is over.
	ErrExpired = errors.New("expired")
	// ErrConflict means that the id belongs to another job.
	ErrConflict = errors.New("id of another job")
	// ErrData means that a message, a record or an object cannot be decoded.
	ErrData = errors.New("data")
	// ErrFailed means that a job has failed for good (see JobError).
	ErrFailed = errors.New("job failed")
)

// Error is an error of this package.
type Error struct {
	Class   error  // one of the Err variables, or the error of the context that ended
	Queue   string // name of the queue, if the error is about a queue
	Job     string // id of the job, if the error is about a job
	Problem string
	Err     error // the cause, if there is one
}

// Error returns a line such as
//
//	queue tiles: job 7: connection: storing the result: nats: connection closed
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("natskgen: ")
	if e.Queue != "" {
		b.WriteString("queue " + e.Queue + ": ")
	}
	if e.Job != "" {
		b.WriteString("job " + e.Job + ": ")
	}
	fmt.Fprintf(&b, "%v: %s", e.Class, e.Problem)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap returns the error's class and its cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}

func errorf(class error, format string, args ...any) *Error {
	return &Error{Class: class, Problem: fmt.Sprintf(format, args...)}
}

// JobError is the error of a job that has failed for good. A JobError matches ErrFailed. The job is
// one of the queue's dead letters (see Client.DeadLetters).
type JobError struct {
	Queue string
	Job   string // id of the job
	Tries int    // number of deliveries to workers
	// Text is the text of the error that ended the last try.
	Text string
	// Fault is the run-time panic of a work-item. It is not nil if the handler's error is a
	// *runtime.Fault, or wraps one.
	Fault *runtime.Fault
	// Stack is the stack of the handler's goroutine, if the handler panicked.
	Stack string
}

// Error returns a line such as
//
//	natskgen: queue tiles: job 7: job failed after 5 tries: saxpy.SAXPY: saxpy/kernel.go:24:2: index out of range …
func (e *JobError) Error() string {
	tries := "tries"
	if e.Tries == 1 {
		tries = "try"
	}
	return fmt.Sprintf("natskgen: queue %s: job %s: %v after %d %s: %s", e.Queue, e.Job, ErrFailed, e.Tries, tries, e.Text)
}

// Unwrap returns ErrFailed and the fault.
func (e *JobError) Unwrap() []error {
	if e.Fault == nil {
		return []error{ErrFailed}
	}
	return []error{ErrFailed, e.Fault}
}

// The variable `unreachable` lists those errors of the client library which mean that no server
// answers.
var unreachable = []error{
	nats.ErrConnectionClosed, nats.ErrConnectionDraining, nats.ErrConnectionReconnecting, nats.ErrDisconnected,
	nats.ErrInvalidConnection, nats.ErrNoServers, nats.ErrNoResponders, nats.ErrTimeout, nats.ErrReconnectBufExceeded,
	jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled, jetstream.ErrJetStreamNotEnabledForAccount,
	context.DeadlineExceeded,
}

// The function closed reports whether err means that the connection is closed for good.
func closed(err error) bool {
	return errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrConnectionDraining) || errors.Is(err, nats.ErrInvalidConnection)
}

// The function gone reports whether err means that a stream or a consumer does not exist.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) ||
		errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrBucketNotFound) ||
		errors.Is(err, nats.ErrStreamNotFound) || errors.Is(err, nats.ErrConsumerNotFound)
}

// The method fault converts an error of the client library to an error of this package. Parameter
// ctx is the context of the call that failed.
func (q *queue) fault(ctx context.Context, job, problem string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return err
	}
	e := &Error{Class: ErrServer, Queue: q.name, Job: job, Problem: problem, Err: err}
	if ctx.Err() != nil {
		e.Class, e.Err = ctx.Err(), nil
		if cause := context.Cause(ctx); cause != ctx.Err() {
			e.Err = cause
		}
		return e
	}
	if gone(err) {
		e.Class = ErrRemoved
		return e
	}
	for _, is := range unreachable {
		if errors.Is(err, is) {
			e.Class = ErrConnection
		}
	}
	return e
}
