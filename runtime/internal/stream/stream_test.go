package stream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// fake is a device whose batches complete when the test says so.
type fake struct {
	hal.Device
	mu      sync.Mutex
	batches []*fakeTicket
	freed   atomic.Int32
}

type fakeTicket struct {
	cmds []hal.Command
	done chan struct{}
}

func (t *fakeTicket) Done() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

func (t *fakeTicket) Wait(ctx context.Context) error {
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type fakeMemory struct {
	hal.Memory
	d *fake
}

func (m *fakeMemory) Size() uint64 { return 64 }

func (m *fakeMemory) Free() { m.d.freed.Add(1) }

func (d *fake) Alloc(uint64, hal.MemoryKind) (hal.Memory, error) { return &fakeMemory{d: d}, nil }

func (d *fake) Submit(batch []hal.Command) (hal.Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &fakeTicket{append([]hal.Command(nil), batch...), make(chan struct{})}
	d.batches = append(d.batches, t)
	return t, nil
}

func (d *fake) Abandon(error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.batches {
		if !t.Done() {
			for i := range t.cmds {
				t.cmds[i].Fault.Failed = hal.ErrAbandoned
			}
			close(t.done)
		}
	}
}

func (d *fake) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.batches)
}

// recording is a stream with one front.
type recording struct {
	*Stream
	front Recorder
	dev   *fake
}

func newRecording(delay time.Duration) *recording {
	d := &fake{}
	return &recording{Stream: NewStream(d, delay), dev: d}
}

func (r *recording) alloc(t *testing.T) *Memory {
	m, err := r.Alloc(64, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (r *recording) launch(t *testing.T, uses ...Use) *Event {
	t.Helper()
	e := new(Event)
	if err := r.Record(context.Background(), &r.front, &Command{Cmd: hal.Command{Op: hal.OpLaunch}, Uses: uses}, e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestTracker(t *testing.T) {
	r := newRecording(-1)
	a, b := r.alloc(t), r.alloc(t)
	const rd, wr, rw = abi.Read, abi.Write, abi.ReadWrite
	type step struct {
		uses []Use
		want bool
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"reads", []step{{[]Use{{a, 0, 64, rd}}, false}, {[]Use{{a, 0, 64, rd}, {b, 0, 8, rd}}, false}}},
		{"read after write", []step{{[]Use{{a, 0, 64, wr}}, false}, {[]Use{{a, 60, 64, rd}}, true}, {[]Use{{a, 0, 60, rd}}, false}}},
		{"write after read", []step{{[]Use{{a, 0, 64, rd}}, false}, {[]Use{{a, 0, 1, wr}}, true}}},
		{"write after write", []step{{[]Use{{a, 0, 64, wr}}, false}, {[]Use{{a, 0, 64, wr}}, true}, {[]Use{{a, 0, 64, wr}}, true}}},
		{"touching", []step{{[]Use{{a, 0, 32, rw}}, false}, {[]Use{{a, 32, 64, rw}}, false}, {[]Use{{b, 0, 64, rw}}, false}}},
		{"within one command", []step{{[]Use{{a, 0, 32, rd}, {a, 0, 32, wr}}, false}}},
		{"empty and unused", []step{{[]Use{{a, 0, 64, wr}}, false}, {[]Use{{a, 8, 8, rw}, {a, 0, 64, 0}}, false}}},
		{"write after the barrier", []step{{[]Use{{a, 0, 64, rw}}, false}, {[]Use{{a, 0, 64, rd}, {b, 0, 64, wr}}, true}, {[]Use{{b, 0, 1, rd}}, true}, {[]Use{{a, 0, 1, rd}}, false}}},
	} {
		var tr Tracker
		for i, s := range c.steps {
			if got := tr.Add(s.uses, false); got != s.want {
				t.Errorf("%s, command %d: barrier %v, want %v", c.name, i, got, s.want)
			}
		}
	}
	var tr Tracker
	barriers := 0
	for i := range uint64(10 * maxAccesses) {
		if tr.Add([]Use{{a, i, i + 1, wr}}, false) {
			barriers++
		}
	}
	if len(tr.open) > maxAccesses || barriers > 10 {
		t.Errorf("%d ranges are kept, %d barriers", len(tr.open), barriers)
	}
}

func TestBarrierAcrossBatches(t *testing.T) {
	r := newRecording(-1)
	a := r.alloc(t)
	e := r.launch(t, Use{a, 0, 64, abi.Write})
	r.TryFlush()
	close(r.dev.batches[0].done)
	if !e.Done() {
		t.Fatal("not done")
	}
	r.launch(t, Use{a, 0, 64, abi.Read})
	r.TryFlush()
	if !r.dev.batches[1].cmds[0].Barrier {
		t.Error("a write of a batch that has completed is not made visible")
	}
}

func TestBatching(t *testing.T) {
	r := newRecording(-1)
	for range batchIdle - 1 {
		r.launch(t)
	}
	if r.dev.count() != 0 {
		t.Fatal("submitted too early")
	}
	r.launch(t)
	if r.dev.count() != 1 {
		t.Fatal("an idle device gets no batch")
	}
	for range batchFull - 1 {
		r.launch(t)
	}
	if r.dev.count() != 1 {
		t.Fatal("a busy device gets a batch too early")
	}
	r.launch(t)
	if r.dev.count() != 2 || len(r.dev.batches[1].cmds) != batchFull {
		t.Fatal("a full batch is not submitted")
	}
	last := r.launch(t)
	ctx, cancel := context.WithCancel(context.Background())
	waited := make(chan error)
	go func() { waited <- last.Wait(ctx) }()
	for range 10_000 {
		if r.dev.count() == 3 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if r.dev.count() != 3 {
		t.Fatal("a wait does not submit")
	}
	for _, b := range r.dev.batches {
		close(b.done)
	}
	if err := r.WaitAll(context.Background(), &r.front); err != nil {
		t.Error(err)
	}
	if len(r.inflight) != 0 || r.retired != 3 {
		t.Errorf("%d in flight, %d retired", len(r.inflight), r.retired)
	}
}

func TestDelay(t *testing.T) {
	r := newRecording(time.Millisecond)
	r.launch(t)
	for range 1000 {
		if r.dev.count() == 1 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("a recorded command is not submitted")
}

// TestOrder has the device complete a batch before an earlier one, which hal.Ticket
// rules out: memory and results wait for the earlier one all the same.
func TestOrder(t *testing.T) {
	r := newRecording(-1)
	a := r.alloc(t)
	first := r.launch(t, Use{a, 0, 64, abi.Write})
	r.TryFlush()
	second := r.launch(t)
	r.TryFlush()
	close(r.dev.batches[1].done)
	if first.Done() || second.Done() {
		t.Error("first or second:", first.Done(), second.Done())
	}
	a.Free()
	a.Free()
	if r.dev.freed.Load() != 0 {
		t.Error("freed while in use")
	}
	close(r.dev.batches[0].done)
	if err := second.Wait(context.Background()); err != nil || !first.Done() {
		t.Error(err)
	}
	r.freeReleased()
	if r.dev.freed.Load() != 1 {
		t.Error("not freed")
	}
}

// TestFarBehind records more than the device keeps up with.
func TestFarBehind(t *testing.T) {
	r := newRecording(-1)
	for range maxInflight {
		r.launch(t)
		r.TryFlush()
	}
	last := r.launch(t)
	soon, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := last.Wait(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if n := r.dev.count(); n != maxInflight {
		t.Errorf("%d batches are in flight", n)
	}
	close(r.dev.batches[0].done)
	r.Flush(context.Background())
	if n := r.dev.count(); n != maxInflight+1 {
		t.Errorf("%d batches were submitted", n)
	}
}

// TestReuse checks that a batch's storage is reused and its arguments kept.
func TestReuse(t *testing.T) {
	r := newRecording(-1)
	args := make([]byte, 40)
	for round := range byte(3) {
		for i := range byte(20) {
			args[0], args[39] = round, i
			n := Command{Cmd: hal.Command{Op: hal.OpLaunch, Args: args, Slices: []hal.SliceArg{{Param: int(i)}}}}
			if err := r.Record(context.Background(), &r.front, &n, new(Event)); err != nil {
				t.Fatal(err)
			}
		}
		r.TryFlush()
		b := r.dev.batches[round]
		for i := range b.cmds {
			c := &b.cmds[i]
			if c.Args[0] != round || int(c.Args[39]) != i || len(c.Slices) != 1 || c.Slices[0].Param != i {
				t.Fatalf("round %d, command %d: %+v", round, i, c)
			}
		}
		close(b.done)
		r.poll()
	}
}

func TestClosed(t *testing.T) {
	r := newRecording(-1)
	a := r.alloc(t)
	r.Close(context.Background())
	r.Close(context.Background())
	if err := r.Record(context.Background(), &r.front, &Command{}, new(Event)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	a.Free()
	if r.dev.freed.Load() != 0 {
		t.Error("memory is freed after the device's end")
	}
}
