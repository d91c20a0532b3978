package stream

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// TestCross has a copy between two streams wait for its turn on both, and looks at the commands
// that begin meanwhile: those that use other memory, and not those that use the copy's.
func TestCross(t *testing.T) {
	devs := []*fake{{}, {}}
	streams := []*Stream{NewStream(devs[0], -1), NewStream(devs[1], -1)}
	var x, other [2]*Memory
	for i, s := range streams {
		var err1, err2 error
		x[i], err1 = s.Alloc(64, hal.DeviceMemory)
		other[i], err2 = s.Alloc(64, hal.DeviceMemory)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
	}
	record := func(i int, m *Memory, access abi.Access, after ...*Event) *Event {
		e := &Event{}
		n := Command{Cmd: hal.Command{Op: hal.OpFill}, Uses: []Use{{m, 0, 64, access}}, After: after}
		if err := streams[i].Record(t.Context(), &Recorder{}, &n, e); err != nil {
			t.Fatal(err)
		}
		streams[i].TryFlush()
		return e
	}
	record(0, x[0], abi.Write) // the copy waits for this one
	moves, move := make(chan struct{}), make(chan struct{})
	far, near := &Event{}, &Event{}
	n := Command{Cmd: hal.Command{Op: hal.OpCopy, Size: 64}, Uses: []Use{{x[1], 0, 64, abi.Write}},
		Cross: &Cross{Far: streams[0], Use: Use{x[0], 0, 64, abi.Read}, Event: func() *Event { return far }, Move: func(context.Context, *hal.Cancel) Moved {
			close(moves)
			<-move
			return Moved{}
		}}}
	if err := streams[1].Record(t.Context(), &Recorder{}, &n, near); err != nil {
		t.Fatal(err)
	}
	count := func(when string, want ...int) {
		t.Helper()
		for i, d := range devs {
			if got := d.count(); got != want[i] {
				t.Errorf("%s, device %d has %d batches, want %d", when, i, got, want[i])
			}
		}
	}
	select {
	case <-moves:
		t.Error("the copy begins before the command that writes its source has completed")
	default:
	}
	record(0, other[0], abi.Write)
	record(0, x[0], abi.Read) // so does the copy
	record(1, other[1], abi.Write)
	count("while the copy waits", 3, 1)
	close(devs[0].batches[0].done)
	<-moves
	overwrites := record(0, x[0], abi.Write)
	count("while the copy moves bytes, after a command that overwrites the source", 3, 1)
	record(0, other[0], abi.Write) // after the one that is held back
	reads := record(1, x[1], abi.Read)
	depends := record(1, other[1], abi.Read, far) // of the other half
	count("and after commands that read the destination, or depend on the copy", 3, 1)
	if near.Done() || near.In(streams[0]) != far || far.In(streams[1]) != near || near.In(streams[1]) != near {
		t.Error("the events of the halves")
	}
	close(move)
	if err := near.Wait(t.Context()); err != nil || !near.Done() {
		t.Errorf("the copy has not ended: %v", err)
	}
	for _, e := range []*Event{overwrites, reads, depends} {
		<-e.batch.whenSubmitted()
	}
	for _, d := range devs {
		d.mu.Lock()
		for _, b := range d.batches {
			if !b.Done() {
				close(b.done)
			}
			if c := b.cmds[0]; c.Op != hal.OpFill {
				t.Errorf("a device got the command %d", c.Op)
			}
		}
		d.mu.Unlock()
	}
	for _, s := range streams {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestCrossBothWays has two copies of other elements, one in each direction between the same two
// memories, move their bytes at the same time. A third copy reads what the first one writes.
func TestCrossBothWays(t *testing.T) {
	streams := []*Stream{NewStream(&fake{}, -1), NewStream(&fake{}, -1)}
	var x [2]*Memory
	for i, s := range streams {
		var err error
		if x[i], err = s.Alloc(64, hal.DeviceMemory); err != nil {
			t.Fatal(err)
		}
	}
	var first atomic.Bool // the first copy has moved its bytes
	record := func(from int, lo, hi uint64, move func()) *Event {
		e := &Event{}
		n := Command{Cmd: hal.Command{Op: hal.OpCopy, Size: hi - lo}, Uses: []Use{{x[from], lo, hi, abi.Read}},
			Cross: &Cross{Far: streams[1-from], Use: Use{x[1-from], lo, hi, abi.Write}, Event: func() *Event { return &Event{} }, Move: func(context.Context, *hal.Cancel) Moved {
				move()
				return Moved{}
			}}}
		if err := streams[from].Record(t.Context(), &Recorder{}, &n, e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	begun := make(chan struct{})
	events := []*Event{
		record(0, 0, 32, func() {
			select {
			case <-begun:
			case <-time.After(time.Minute):
				t.Error("the second copy waits for the first one")
			}
			first.Store(true)
		}),
		record(1, 32, 64, func() { close(begun) }),
		record(1, 24, 32, func() {
			if !first.Load() {
				t.Error("the third copy begins before the first one has ended")
			}
		}),
	}
	for _, e := range events {
		if err := e.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for _, s := range streams {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestCrossExchange records two copies, and two commands. Each command must wait for one of the copies. The commands
// are submitted together if the copies are an exchange, and the second copy is not larger. Otherwise, the first command is
// submitted before the second copy has completed.
func TestCrossExchange(t *testing.T) {
	for _, c := range []exchangeCase{
		{"same size", [2]uint64{16, 16}, 0, true},
		{"smaller", [2]uint64{16, 12}, 0, true},
		{"larger", [2]uint64{16, 20}, 0, false},
		{"a command between the copies", [2]uint64{16, 16}, between, false},
		{"a command between the copies on the far stream", [2]uint64{16, 16}, betweenFar, false},
		{"the first copy has completed", [2]uint64{16, 16}, complete, false},
		{"same direction", [2]uint64{16, 16}, same, false},
		{"a third stream", [2]uint64{16, 16}, third, false},
		{"the second copy waits for an event", [2]uint64{16, 16}, after, false},
		{"the second copy waits for a later command", [2]uint64{16, 16}, later, false},
	} {
		t.Run(c.name, c.run)
	}
}

// These constants say how an exchange of TestCrossExchange differs from two copies in a row.
const (
	between    = 1 << iota // a command is between the copies
	betweenFar             // a command is between the copies on the far stream
	complete               // the first copy has completed
	same                   // both copies have the same direction
	third                  // the second copy is of a third stream
	after                  // the second copy waits for an event
	later                  // the second copy waits for a command for which the first does not wait
)

// completeFirst completes the first batch.
func (d *fake) completeFirst() {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.batches[0].done)
}

type exchangeCase struct {
	name     string
	sizes    [2]uint64
	how      int
	together bool
}

func (c *exchangeCase) run(t *testing.T) {
	devs := []*fake{{}, {}, {}}
	var streams []*Stream
	var x []*Memory
	for _, d := range devs {
		s := NewStream(d, -1)
		m, err := s.Alloc(64, hal.DeviceMemory)
		if err != nil {
			t.Fatal(err)
		}
		streams, x = append(streams, s), append(x, m)
	}
	command := func(on int, lo, hi uint64) *Event {
		e := &Event{}
		n := Command{Cmd: hal.Command{Op: hal.OpFill}, Uses: []Use{{x[on], lo, hi, abi.Write}}}
		if err := streams[on].Record(t.Context(), &Recorder{}, &n, e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	var begun, moves [2]chan struct{}
	var copies [2]*Event
	var third0 *Event // a command of the third stream
	if c.how&after != 0 {
		third0 = command(2, 0, 4)
	}
	if c.how&later != 0 {
		command(0, 32, 36)
	}
	for i, size := range c.sizes {
		n := Command{Cmd: hal.Command{Op: hal.OpCopy, Size: size}}
		if i == 1 && c.how&between != 0 {
			command(0, 60, 64)
		}
		if i == 1 && c.how&betweenFar != 0 {
			command(1, 60, 64)
		}
		if i == 1 && c.how&after != 0 {
			n.After = []*Event{third0}
		}
		far, near, distant := 1, abi.Access(abi.Write), abi.Access(abi.Read)
		if i == 1 && c.how&third != 0 {
			far = 2
		}
		if i == 1 && c.how&same == 0 {
			near, distant = distant, near
		}
		begun[i], moves[i], copies[i] = make(chan struct{}), make(chan struct{}), &Event{}
		lo := 32 * uint64(i)
		n.Uses = []Use{{x[0], lo, lo + size, near}}
		n.Cross = &Cross{Far: streams[far], Use: Use{x[far], lo, lo + size, distant}, Event: func() *Event { return &Event{} },
			Move: func(context.Context, *hal.Cancel) Moved {
				close(begun[i])
				<-moves[i]
				return Moved{}
			}}
		if err := streams[0].Record(t.Context(), &Recorder{}, &n, copies[i]); err != nil {
			t.Fatal(err)
		}
	}
	// Before a copy begins to move bytes, its goroutine submits commands, which would separate the two commands below.
	<-begun[0]
	if c.how&(after|later) == 0 {
		<-begun[1]
	} else {
		<-copies[1].batch.half.handed
	}
	first := command(0, 0, 16)
	if c.how&complete != 0 {
		copies[0].batch.half.end(hal.Fault{}, 0, 0)
	}
	second := command(0, 32, 48)
	if together := first.batch == second.batch; together != c.together {
		t.Errorf("the commands are together: %v, want %v", together, c.together)
	}
	close(moves[0])
	if c.how&later != 0 {
		devs[0].completeFirst() // batches complete in order
	}
	if err := copies[0].Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	streams[0].TryFlush()
	select {
	case <-first.batch.whenSubmitted():
		if c.together {
			t.Error("the first command was submitted before the second copy has completed")
		}
	default:
		if !c.together {
			t.Error("the first command was not submitted before the second copy has completed")
		}
	}
	close(moves[1])
	if c.how&after != 0 {
		streams[2].TryFlush()
		devs[2].completeFirst()
	}
	<-second.batch.whenSubmitted()
	for _, s := range streams {
		s.TryFlush()
	}
	for _, d := range devs {
		d.mu.Lock()
		for _, b := range d.batches {
			if !b.Done() {
				close(b.done)
			}
		}
		d.mu.Unlock()
	}
	for _, s := range streams {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
