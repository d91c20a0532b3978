package stream

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

var errTest = errors.New("failed for the test")

// byteState is the state of one byte in a model of memory: the command whose loss
// made it unspecified, or nil.
type byteState = *Event

// TestPoison runs random commands, some of which fail, and compares how each ends
// with a model that keeps the state of every byte.
func TestPoison(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := newRecording(-1)
		mems := []*Memory{r.alloc(t), r.alloc(t), r.alloc(t)}
		model := map[*Memory][]byteState{}
		for _, m := range mems {
			model[m] = make([]byteState, 64)
		}
		var events []*Event
		var want []byteState
		var failed []bool
		for batch := range 1 + rnd.IntN(4) {
			n := 1 + rnd.IntN(6)
			for range n {
				op := []hal.Op{hal.OpLaunch, hal.OpWrite, hal.OpFill, hal.OpRead}[rnd.IntN(4)]
				var uses []Use
				for range 1 + rnd.IntN(3) {
					lo := uint64(rnd.IntN(60))
					u := Use{mems[rnd.IntN(len(mems))], lo, lo + 1 + uint64(rnd.IntN(int(64-lo))), abi.ReadWrite}
					switch op {
					case hal.OpLaunch:
						u.Access = abi.Access(1 + rnd.IntN(3))
					case hal.OpRead:
						u.Access = abi.Read
					default:
						u.Access = abi.Write
					}
					uses = append(uses, u)
				}
				e := new(Event)
				if err := r.Record(context.Background(), &r.front, &Command{Cmd: hal.Command{Op: op}, Uses: uses}, e); err != nil {
					t.Fatal(err)
				}
				fails := rnd.IntN(5) == 0
				events, failed = append(events, e), append(failed, fails)
				want = append(want, step(model, op, uses, e, fails))
			}
			r.TryFlush()
			b := r.dev.batches[batch]
			for i := range b.cmds {
				if k := len(events) - n + i; failed[k] {
					if rnd.IntN(2) == 0 {
						b.cmds[i].Fault.Failed = errTest
					} else {
						b.cmds[i].Fault.Cancelled = true
					}
				} else if rnd.IntN(3) == 0 {
					b.cmds[i].Fault.Set = true // changes nothing
				}
			}
		}
		for _, i := range rnd.Perm(len(r.dev.batches)) {
			close(r.dev.batches[i].done)
		}
		for i, e := range events {
			if err := e.Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
			_, err, from := e.Failed()
			if (err != nil) != failed[i] || from != want[i] {
				t.Fatalf("seed %d, command %d: failed %v (want %v), from %p (want %p)", seed, i, err, failed[i], from, want[i])
			}
		}
		ranges := 0
		for _, m := range mems {
			for i, e := range model[m] {
				if got := m.state.poisonedBy(uint64(i), uint64(i)+1); got != e {
					t.Fatalf("seed %d: byte %d is poisoned by %p, want %p", seed, i, got, e)
				}
			}
			ranges += len(m.state.poison)
			m.Free()
		}
		r.freeReleased()
		if r.poisons != 0 {
			t.Fatalf("seed %d: %d of %d ranges are counted after the memory was freed", seed, r.poisons, ranges)
		}
	}
}

// step runs a command in the model and returns whose loss it has read.
func step(model map[*Memory][]byteState, op hal.Op, uses []Use, e *Event, fails bool) (from byteState) {
	by := e
	if !fails {
		by = nil
		for _, u := range uses {
			if u.Access&abi.Read == 0 {
				continue
			}
			for _, lost := range model[u.Mem][u.Lo:u.Hi] {
				if lost != nil && (by == nil || lost.pos < by.pos) {
					by = lost
				}
			}
		}
		from = by
	}
	for _, u := range uses {
		if u.Access&abi.Write == 0 || by == nil && op == hal.OpLaunch {
			continue
		}
		for i := u.Lo; i < u.Hi; i++ {
			model[u.Mem][i] = by
		}
	}
	return from
}

// TestMarkers makes a chain of events without commands that depend on each other
// twice: asking the last one must not take 2^n steps.
func TestMarkers(t *testing.T) {
	r := newRecording(-1)
	e := r.launch(t)
	chain := NewMarker([]*Event{e})
	for range 200 {
		chain = NewMarker([]*Event{chain, chain, e})
	}
	if chain.Done() {
		t.Error("done before its command")
	}
	later := r.launch(t)
	both := NewMarker([]*Event{later, chain})
	r.TryFlush()
	close(r.dev.batches[0].done)
	if err := both.Wait(context.Background()); err != nil || !chain.Done() || !later.Done() {
		t.Error(err, chain.Done(), later.Done())
	}
	if n := len(both.After()); n != 1 {
		t.Errorf("a marker of one stream keeps %d events", n)
	}
}

// TestFullQueue records behind a device that does not go on: the caller's context
// ends the wait for room.
func TestFullQueue(t *testing.T) {
	r := newRecording(-1)
	for range maxInflight {
		r.launch(t)
		r.TryFlush()
	}
	for range batchFull {
		r.launch(t)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	e := new(Event)
	err := r.Record(ctx, &r.front, &Command{Cmd: hal.Command{Op: hal.OpLaunch}}, e)
	if !errors.Is(err, context.DeadlineExceeded) || e.batch != nil {
		t.Errorf("recorded %v, %v", e.batch != nil, err)
	}
	close(r.dev.batches[0].done)
	if err := r.Record(context.Background(), &r.front, &Command{Cmd: hal.Command{Op: hal.OpLaunch}}, e); err != nil {
		t.Error(err)
	}
}

// TestAbandon closes a stream whose device does not go on.
func TestAbandon(t *testing.T) {
	r := newRecording(-1)
	a := r.alloc(t)
	first := r.launch(t, Use{a, 0, 64, abi.Write})
	r.TryFlush()
	second := r.launch(t)
	waited := make(chan error, 1)
	go func() { waited <- first.Wait(context.Background()) }()
	a.Free() // a goroutine waits to free it
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := r.Close(ctx); !errors.Is(err, hal.ErrAbandoned) {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
	for i, e := range []*Event{first, second} {
		if _, err, _ := e.Failed(); !e.Done() || !errors.Is(err, hal.ErrAbandoned) {
			t.Errorf("command %d: done %v, %v", i, e.Done(), err)
		}
	}
	if err := r.Record(context.Background(), &r.front, &Command{}, new(Event)); err == nil {
		t.Error("an abandoned stream records")
	}
	if r.dev.freed.Load() != 0 {
		t.Error("memory is freed that the device may use")
	}
}

// TestCloseWaitsForUsers closes a stream while a call uses the device.
func TestCloseWaitsForUsers(t *testing.T) {
	r := newRecording(-1)
	if !r.Enter() {
		t.Fatal("closed")
	}
	closed := make(chan error, 1)
	go func() { closed <- r.Close(context.Background()) }()
	for !r.Closed() {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-closed:
		t.Fatal("closed while the device is used:", err)
	case <-time.After(10 * time.Millisecond):
	}
	r.Leave()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if r.Enter() {
		t.Error("used after its end")
	}
}

// TestTurn waits for a batch that failed at once, behind one that has not completed: it
// completes in its turn.
func TestTurn(t *testing.T) {
	r := newRecording(-1)
	r.launch(t)
	r.TryFlush()
	second := r.launch(t)
	r.TryFlush()
	close(r.dev.batches[1].done)
	soon, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := second.Wait(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Error("before its turn:", err)
	}
	time.AfterFunc(time.Millisecond, func() { close(r.dev.batches[0].done) })
	if err := second.Wait(context.Background()); err != nil {
		t.Error(err)
	}
}
