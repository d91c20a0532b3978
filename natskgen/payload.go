package natskgen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// The constant `stall` is the longest time that the transfer of an object may wait for a byte.
const stall = 30 * time.Second

// A payload is an encoded job or result, which consists of a text and of slices outside the text.
// The slices are stored in an object. If the text has more than MaxInline bytes, it is stored
// there, too.
type payload struct {
	text  []byte
	moved [][]byte
	sum   string // SHA-256 of all bytes, in hexadecimal digits
}

// The function pack encodes an addressable value.
func pack(p *plan, v reflect.Value) (pl *payload, err error) {
	defer func() { // MarshalBinary is the user's code, and may panic
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	pl = &payload{}
	if pl.text, pl.moved, err = p.encode(v, MaxInline); err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write(pl.text)
	for _, b := range pl.moved {
		h.Write(b)
	}
	pl.sum = hex.EncodeToString(h.Sum(nil))
	return pl, nil
}

// A location describes where the text and the slices of a payload are stored.
type location struct {
	Object string `json:"object,omitempty"` // name of the object; empty if there is none
	// Text is the length of the text at the object's start, in bytes. It is 0 if the text is in the
	// message.
	Text int `json:"text,omitempty"`
}

// The method store creates an object for the slices and the long text of a payload. The object's
// name begins with the job's id. The method returns the location of the payload, and also the text,
// unless the text is in the object. Each call creates another object.
func (q *queue) store(ctx context.Context, id, of string, pl *payload) (location, []byte, error) {
	var parts []io.Reader
	var loc location
	text := pl.text
	if len(text) > MaxInline {
		parts, loc.Text, text = append(parts, bytes.NewReader(text)), len(text), nil
	}
	for _, b := range pl.moved {
		parts = append(parts, bytes.NewReader(b))
	}
	if len(parts) == 0 {
		return loc, text, nil
	}
	loc.Object = id + "." + of + "." + nuid.Next()
	// If the server is lost, no acknowledgement comes, so a timer ends the transfer.
	ctx, stop := context.WithCancelCause(ctx)
	watch := time.AfterFunc(stall, func() { stop(errStalled) })
	defer watch.Stop()
	defer stop(nil)
	r := &lively{io.MultiReader(parts...), watch}
	if _, err := q.objects.Put(ctx, jetstream.ObjectMeta{Name: loc.Object}, r); err != nil {
		q.drop(loc.Object)
		if context.Cause(ctx) == errStalled {
			err = errStalled
		}
		return loc, nil, err
	}
	return loc, text, nil
}

// errStalled is the error of a transfer that ended because no byte arrived for the time `stall`.
var errStalled = fmt.Errorf("no byte for %v: %w", stall, context.DeadlineExceeded)

// The type `lively` is a reader that restarts a timer before each read.
type lively struct {
	io.Reader
	watch *time.Timer
}

func (a *lively) Read(p []byte) (int, error) {
	a.watch.Reset(stall)
	return a.Reader.Read(p)
}

// The method load decodes a payload into v, which has the plan's type.
func (q *queue) load(ctx context.Context, p *plan, v reflect.Value, loc location, text []byte) (err error) {
	defer func() { // UnmarshalBinary is the user's code, and may panic
		if r := recover(); r != nil {
			err = &Error{Class: ErrData, Queue: q.name, Problem: fmt.Sprintf("decoding: panic: %v", r)}
		}
	}()
	if loc.Object == "" {
		return q.data(p.decode(v, text, nil, 0))
	}
	// Reading from the library's object may take 5 seconds, even if the context has ended. So
	// another goroutine reads the object into a value of its own, and this goroutine returns when
	// ctx ends.
	to := reflect.New(p.typ)
	done := make(chan error, 1)
	// If ctx had a deadline, the library would wait for each answer until the deadline.
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- &Error{Class: ErrData, Queue: q.name, Problem: fmt.Sprintf("decoding: panic: %v", r)}
			}
		}()
		done <- q.read(inner, p, to.Elem(), loc, text)
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		v.Set(to.Elem())
	}
	return err
}

// The method data converts a decoding error to an error of the class ErrData.
func (q *queue) data(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Class: ErrData, Queue: q.name, Problem: "decoding", Err: err}
}

// The method read decodes a payload from an object.
func (q *queue) read(ctx context.Context, p *plan, v reflect.Value, loc location, text []byte) error {
	obj, err := q.objects.Get(ctx, loc.Object)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return &Error{Class: ErrExpired, Queue: q.name, Problem: "the object " + loc.Object + " is not there any more"}
	}
	if err != nil {
		return err
	}
	defer obj.Close()
	info, err := obj.Info()
	if err != nil {
		return err
	}
	r := &patient{ctx: ctx, r: obj}
	left := int64(info.Size)
	if n := int64(loc.Text); n > 0 {
		if n > left {
			return q.data(errShort)
		}
		text = make([]byte, n)
		if _, err := io.ReadFull(r, text); err != nil {
			return err
		}
		left -= n
	}
	if err := p.decode(v, text, r, left); err != nil {
		if r.err != nil {
			return r.err
		}
		return q.data(err)
	}
	// The library checks the object's SHA-256 only at the end of the object, so read to the end.
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		if errors.Is(err, jetstream.ErrDigestMismatch) {
			return q.data(err)
		}
		return errors.Join(err, errRest)
	}
	return nil
}

// The type `patient` is a reader of an object. If no byte comes for 5 seconds, the library's reader
// returns no bytes and no error. A patient then reads again.
type patient struct {
	ctx context.Context
	r   io.Reader
	err error // the reader's error, unless it is io.EOF
}

func (p *patient) Read(b []byte) (int, error) {
	for began := time.Now(); ; {
		n, err := p.r.Read(b)
		if err == nil && n == 0 && len(b) > 0 {
			if err = p.ctx.Err(); err == nil && time.Since(began) > stall {
				err = errStalled
			}
			if err == nil {
				continue
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			p.err = err
		}
		return n, err
	}
}

// The method drop removes an object. An object that cannot be removed is kept until its retention
// ends.
func (q *queue) drop(name string) {
	if name == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), request)
	defer cancel()
	if err := q.objects.Delete(ctx, name); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) && !closed(err) {
		q.log.Warn("kgen: an object stays until its retention ends", "object", name, "error", err)
	}
}
