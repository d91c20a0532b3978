package natskgen

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// deadLetter is the message that stores a dead letter.
type deadLetter struct {
	location
	Record record `json:"record"`
	Job    []byte `json:"job"` // contents of the job's message
}

// bury stores a job's dead letter, unless there is one already.
func (q *queue) bury(ctx context.Context, id string, rec *record, loc location, job []byte) error {
	text, err := json.Marshal(&deadLetter{loc, *rec, job})
	if err != nil {
		return err
	}
	_, err = q.js.Publish(ctx, q.deadSubject()+id, text, jetstream.WithExpectLastSequencePerSubject(0))
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return nil
	}
	return err
}

// A DeadLetter is a job that has failed for good.
type DeadLetter[J any] struct {
	Err *JobError // the failure, which has the id of the job
	At  time.Time // time of the failure

	q    *queue
	loc  location
	text []byte
}

// Job returns the job. If the job has long slices, their retention begins when the job is
// submitted. When it is over, Job returns an error of the class ErrExpired.
func (d *DeadLetter[J]) Job(ctx context.Context) (job J, err error) {
	if err := d.q.load(ctx, d.q.job, reflect.ValueOf(&job).Elem(), d.loc, d.text); err != nil {
		return job, d.q.fault(ctx, d.Err.Job, "reading the job", err)
	}
	return job, nil
}

// DeadLetters returns the jobs that have failed for good and whose retention is not over, in the
// order in which they failed. DeadLetters omits jobs that Discard has removed.
func (c *Client[J, R]) DeadLetters(ctx context.Context) (letters []*DeadLetter[J], err error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	once, cancel := context.WithTimeout(ctx, request)
	info, err := c.dead.Info(once)
	cancel()
	if err != nil {
		return nil, c.fault(ctx, "", "reading dead letters", err)
	}
	for seq := max(info.State.FirstSeq, 1); seq <= info.State.LastSeq; seq++ {
		once, cancel := context.WithTimeout(ctx, request)
		msg, err := c.dead.GetMsg(once, seq)
		cancel()
		if errors.Is(err, jetstream.ErrMsgNotFound) { // the dead letter was discarded, or its retention is over
			continue
		}
		if err != nil {
			return nil, c.fault(ctx, "", "reading dead letters", err)
		}
		id := msg.Subject[len(c.deadSubject()):]
		var l deadLetter
		if err := json.Unmarshal(msg.Data, &l); err != nil || l.Record.Failure == nil {
			return nil, &Error{Class: ErrData, Queue: c.name, Job: id, Problem: "the dead letter", Err: err}
		}
		letters = append(letters, &DeadLetter[J]{
			Err: c.jobError(id, l.Record.Tries, l.Record.Failure), At: msg.Time, q: c.queue, loc: l.location, text: l.Job,
		})
	}
	return letters, nil
}

// Discard removes a dead letter, and the job's slices. The job's record remains until the queue's
// Retention is over. During this time, Wait still returns the job's error, and no other job can
// have the same id. Discard returns no error if the dead letter does not exist any more.
func (c *Client[J, R]) Discard(ctx context.Context, letter *DeadLetter[J]) error {
	if err := c.usable(); err != nil {
		return err
	}
	if letter == nil || letter.q != c.queue {
		return &Error{Class: ErrInvalid, Queue: c.name, Problem: "the dead letter is not of this client"}
	}
	once, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	if err := c.dead.Purge(once, jetstream.WithPurgeSubject(c.deadSubject()+letter.Err.Job)); err != nil {
		return c.fault(ctx, letter.Err.Job, "discarding the dead letter", err)
	}
	c.drop(letter.loc.Object)
	return nil
}
