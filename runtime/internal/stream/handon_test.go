package stream

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// TestHandOn: full batches are handed on beside the recording, and no more than the device may be
// behind; then recording waits, until its context ends.
func TestHandOn(t *testing.T) {
	r := newRecording(time.Hour)
	if !r.parallel {
		t.Skip("one processor")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var err error
	n := 0
	for ; err == nil && n < 4*maxInflight*batchFull; n++ {
		err = r.Record(ctx, &r.front, &Command{Cmd: hal.Command{Op: hal.OpLaunch}}, new(Event))
	}
	r.mu.Lock()
	behind := len(r.inflight)
	r.mu.Unlock()
	if !errors.Is(err, context.DeadlineExceeded) || behind > maxInflight {
		t.Errorf("%d commands and %d batches for a device that does nothing: %v", n, behind, err)
	}
	r.Abandon()
}

// Abandon ends the batches that the device has not done.
func (r *recording) Abandon() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = r.Close(ctx)
}
