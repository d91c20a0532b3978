package natskgen

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/kgen-go/kgen/runtime"
)

// A record says how a job has ended. The first worker that finishes a job stores the record, and no
// worker can store another record for the same id. In the key-value bucket, a value begins with the
// length of the record's JSON in four bytes. The JSON and the text of the result follow.
type record struct {
	location
	Sum     string   `json:"sum"` // SHA-256 of the job
	Tries   int      `json:"tries"`
	Failure *failure `json:"failure,omitempty"`
	result  []byte   // text of the result, unless the text is in the object
}

// A failure is the error of a job's last try.
type failure struct {
	Text  string         `json:"text"`
	Fault *runtime.Fault `json:"fault,omitempty"`
	Stack string         `json:"stack,omitempty"`
}

// These constants limit the lengths of the texts and the stack in a failure, so that the failure
// fits into a message.
const (
	maxText  = 16 << 10
	maxStack = 8 << 10
)

// failureOf returns the failure for an error of a handler.
func failureOf(err error) *failure {
	f := &failure{Text: clip(err.Error(), maxText)}
	var fault *runtime.Fault
	if errors.As(err, &fault) {
		kept := *fault
		kept.Message = clip(kept.Message, maxText)
		f.Fault = &kept
	}
	var p *panicError
	if errors.As(err, &p) {
		f.Stack = clip(p.stack, maxStack)
	}
	return f
}

// clip returns the text s. If s is longer than `most` bytes, clip cuts off its end, and appends the
// number of these bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes more)", s[:cut], len(s)-cut)
}

// jobError converts the failure to the error for the waiting program.
func (q *queue) jobError(id string, tries int, f *failure) *JobError {
	return &JobError{Queue: q.name, Job: id, Tries: tries, Text: f.Text, Fault: f.Fault, Stack: f.Stack}
}

func (r *record) marshal() ([]byte, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...), r.result...), nil
}

func unmarshalRecord(b []byte) (*record, error) {
	if len(b) < 4 {
		return nil, errShort
	}
	n, b := binary.LittleEndian.Uint32(b), b[4:]
	if uint64(n) > uint64(len(b)) {
		return nil, errShort
	}
	r := &record{result: bytes.Clone(b[n:])}
	if err := json.Unmarshal(b[:n], r); err != nil {
		return nil, err
	}
	return r, nil
}

// The method find returns the record of a job, or nil if the job has not ended.
func (q *queue) find(ctx context.Context, id string) (rec *record, err error) {
	entry, err := q.records.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if rec, err = unmarshalRecord(entry.Value()); err != nil {
		return nil, &Error{Class: ErrData, Queue: q.name, Job: id, Problem: "the record of the job", Err: err}
	}
	return rec, nil
}

// The method keep stores the record of a job if the job has none. It returns the record that the
// server has after that.
func (q *queue) keep(ctx context.Context, id string, rec *record) (*record, error) {
	value, err := rec.marshal()
	if err != nil {
		return nil, err
	}
	_, err = q.records.Update(ctx, id, value, 0) // revision 0 means that the key must not exist
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return rec, err
	}
	there, err := q.find(ctx, id)
	if err == nil && there == nil { // the retention of the record has just ended
		err = &Error{Class: ErrExpired, Queue: q.name, Job: id, Problem: "the record of the job"}
	}
	return there, err
}

// resultOf decodes the result of a record into v, or returns the job's error.
func (q *queue) resultOf(ctx context.Context, id string, r *record, v reflect.Value) error {
	if r.Failure != nil {
		return q.jobError(id, r.Tries, r.Failure)
	}
	return q.load(ctx, q.result, v, r.location, r.result)
}
