//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// withTwoLines has devices with one queue get two lines on it, and copies of 64 bytes go aside.
func withTwoLines(t *testing.T) {
	min, two := asideMin, twoLines
	asideMin, twoLines = 64, true
	t.Cleanup(func() { asideMin, twoLines = min, two })
}

// TestTwoLines runs the tests of submissions on devices with a line for copies.
func TestTwoLines(t *testing.T) {
	withTwoLines(t)
	old := watch
	defer func() { watch = old }()
	aside := 0
	watch = func(d *device, p *part, commands vkx.Commands) {
		if p.line == &d.queue.lines[1] {
			aside++
		}
		old(d, p, commands)
	}
	for _, c := range []struct {
		name string
		test func(*testing.T)
	}{
		{"Order", TestOrder}, {"OneFails", TestOneFails}, {"SubmitFails", TestSubmitFails}, {"SubmitDoesNotWait", TestSubmitDoesNotWait},
		{"CancelledCopies", TestCancelledCopies}, {"Abandon", TestAbandon}, {"Lost", TestLost}, {"Injected", TestInjected},
		{"Completed", TestCompleted}, {"Conformance", TestConformance},
	} {
		if (testing.Short() || !*everyCall) && (c.name == "Injected" || c.name == "Conformance") {
			continue // the longest ones; with the race detector they take gigabytes
		}
		if testing.Short() && (c.name == "Abandon" || c.name == "SubmitDoesNotWait") {
			continue // their launches take long
		}
		before := aside
		t.Run(c.name, c.test)
		t.Logf("%s: %d parts aside", c.name, aside-before)
	}
	if aside < 100 && !testing.Short() {
		t.Errorf("%d parts have gone aside: the tests show nothing", aside)
	}
}

// TestAside checks which line copies go to, and which values they wait for.
func TestAside(t *testing.T) {
	withTwoLines(t)
	old := watch
	defer func() { watch = old }()
	write := func(m hal.Memory, size int) hal.Command {
		return hal.Command{Op: hal.OpWrite, Dst: m, Size: uint64(size), Host: make([]byte, size)}
	}
	behind := func(c hal.Command) hal.Command { c.Barrier = true; return c }
	const none = -1
	type sent struct {
		aside              bool
		waits              int // for what part of the other line, 0 being those before the test
		dispatches, copies int
	}
	for _, c := range []struct {
		name    string
		batches func(x, y hal.Memory, inc func(hal.Memory) hal.Command) [][]hal.Command
		want    []sent
	}{
		{"the next upload beside the launch", func(x, y hal.Memory, inc func(hal.Memory) hal.Command) [][]hal.Command {
			return [][]hal.Command{{write(x, 1024)}, {behind(inc(x)), write(y, 1024)}, {behind(inc(y)), write(x, 1024)}}
		}, []sent{{true, none, 0, 1}, {false, 1, 1, 0}, {true, 0, 0, 1}, {false, 2, 1, 0}, {true, 1, 0, 1}}},
		{"a copy that was waited for ends no parts", func(x, y hal.Memory, inc func(hal.Memory) hal.Command) [][]hal.Command {
			return [][]hal.Command{{write(x, 1024), behind(inc(x)), behind(inc(x)), behind(inc(x))}}
		}, []sent{{true, none, 0, 1}, {false, 1, 3, 0}}},
		{"a copy behind a launch", func(x, y hal.Memory, inc func(hal.Memory) hal.Command) [][]hal.Command {
			return [][]hal.Command{{inc(x), behind(write(x, 1024)), inc(y)}}
		}, []sent{{false, none, 1, 0}, {false, none, 1, 0}, {true, 1, 0, 1}}},
		{"a launch before the barrier does not wait", func(x, y hal.Memory, inc func(hal.Memory) hal.Command) [][]hal.Command {
			return [][]hal.Command{{inc(y), write(x, 1024), behind(inc(x))}}
		}, []sent{{true, none, 0, 1}, {false, none, 1, 0}, {false, 1, 1, 0}}},
		{"a small copy", func(x, y hal.Memory, inc func(hal.Memory) hal.Command) [][]hal.Command {
			return [][]hal.Command{{write(x, 32), behind(inc(x))}}
		}, []sent{{false, none, 1, 1}}},
		{"copies alone", func(x, y hal.Memory, inc func(hal.Memory) hal.Command) [][]hal.Command {
			var copies []hal.Command
			for i := range asideRow + 2 {
				c := write(x, 64)
				c.DstOff = uint64(64 * i)
				copies = append(copies, c)
			}
			return [][]hal.Command{copies, {inc(y), behind(write(x, 64))}}
		}, []sent{{true, none, 0, asideRow}, {false, none, 0, 2}, {false, none, 1, 0}, {true, 2, 0, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			watch = old
			d := open(t)
			if d.info.Type != hal.VulkanCPU {
				t.Skip("a GPU copies by kernels within its memory, so the parts differ; what orders them is TestTwoLines")
			}
			var mems [2]hal.Memory
			for i := range mems {
				var err error
				if mems[i], err = d.Alloc(1024, hal.DeviceMemory); err != nil {
					t.Fatal(err)
				}
			}
			p := increment(t, d)
			inc := func(m hal.Memory) hal.Command {
				return backendtest.Launch(p, backendtest.Desc("increment").Kernel, 256, backendtest.Span{Mem: m, Len: 256})
			}
			if _, err := d.Submit([]hal.Command{inc(mems[0])}); err != nil {
				t.Fatal(err)
			}
			base := d.queue.lines[0].pushedValue
			var got []sent
			watch = func(d *device, p *part, commands vkx.Commands) {
				s := sent{aside: p.line == &d.queue.lines[1], waits: none}
				if p.otherLine != nil {
					s.waits = int(p.waitValue)
				}
				if p.otherLine != nil && s.aside {
					s.waits -= int(base)
				}
				for at := 0; at < len(commands); {
					op := commands[at]
					at += widths[op]
					switch op {
					case cmdPush:
						at += int(commands[at-1]) / 4
					case cmdDispatch:
						s.dispatches++
					case cmdCopy:
						s.copies++
					}
				}
				got = append(got, s)
				old(d, p, commands)
			}
			var last hal.Ticket
			for _, b := range c.batches(mems[0], mems[1], inc) {
				var err error
				if last, err = d.Submit(b); err != nil {
					t.Fatal(err)
				}
			}
			if err := last.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// TestApart has a part in flight that the device never completes, on the main line. A copy that is Apart is then
// complete as soon as the second line has copied the bytes. Other copies, and all reads, wait for that part.
func TestApart(t *testing.T) {
	withTwoLines(t)
	t.Run("untimed", func(t *testing.T) { testApart(t, open(t)) })
	t.Run("timed", func(t *testing.T) {
		d := open(t)
		if !d.info.Timestamps {
			need.Missing(t, need.Vulkan, "the device writes no timestamps")
		}
		if err := d.Time(); err != nil {
			t.Fatal(err)
		}
		testApart(t, d)
	})
}

func testApart(t *testing.T, d *device) {
	old, aside := watch, 0
	defer func() { watch = old }()
	watch = func(d *device, p *part, commands vkx.Commands) {
		if p.line == &d.queue.lines[1] {
			aside++
		}
		old(d, p, commands)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	q := &d.queue
	var mems [2]hal.Memory
	for i := range mems {
		var err error
		if mems[i], err = d.Alloc(4096, hal.DeviceMemory); err != nil {
			t.Fatal(err)
		}
	}
	want, got := make([]byte, 4096), make([]byte, 4096)
	for i := range want {
		want[i] = byte(i*7 + 1)
	}
	stuck := &part{q: q, line: &q.lines[0], value: 1 << 60}
	q.mu.Lock()
	q.inflight = append(q.inflight, stuck)
	q.mu.Unlock()
	submit := func(c hal.Command) hal.Ticket {
		ticket, err := d.Submit([]hal.Command{c})
		if err != nil {
			t.Fatal(err)
		}
		return ticket
	}
	write := hal.Command{Op: hal.OpWrite, Dst: mems[0], Size: 4096, Host: want, Apart: true}
	copied := hal.Command{Op: hal.OpCopy, Dst: mems[1], Src: mems[0], Size: 4096, Apart: true}
	for range 2 * maxSlots { // more parts than slots
		if err := submit(copied).Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []hal.Command{write, copied} {
		if err := submit(c).Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if want := 2*maxSlots + 2; aside != want {
		t.Errorf("%d parts on the second line, want %d", aside, want)
	}
	read := hal.Command{Op: hal.OpRead, Src: mems[1], Size: 4096, Host: got, Apart: true}
	copied.Apart = false
	tickets := []hal.Ticket{submit(copied), submit(read)}
	moment, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	for i, ticket := range tickets {
		if err := ticket.Wait(moment); err != context.DeadlineExceeded || ticket.Done() {
			t.Errorf("ticket %d: %v, and Done says %v, before an earlier part has completed", i, err, ticket.Done())
		}
	}
	q.mu.Lock()
	if len(q.inflight) > 4 {
		t.Errorf("%d parts in flight: the parts that finish early keep their slots", len(q.inflight))
	}
	q.inflight = slices.DeleteFunc(q.inflight, func(p *part) bool { return p == stuck })
	q.mu.Unlock()
	for _, ticket := range tickets {
		if err := ticket.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, want) {
		t.Error("the copies have other bytes")
	}
}

// TestGentleCopies copies from the device to the host on the second line. Copies that are not too large consist of
// chunks, with a barrier after each chunk.
func TestGentleCopies(t *testing.T) {
	withTwoLines(t)
	old := watch
	defer func() { watch = old }()
	d := open(t)
	const room = maxGentle + 16
	words := make([]byte, room)
	for i := range words {
		words[i] = byte(1 + i%251)
	}
	from, err1 := d.Alloc(room, hal.DeviceMemory)
	to, err2 := d.Alloc(room, hal.HostMemory)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	run := func(c hal.Command) {
		t.Helper()
		ticket, err := d.Submit([]hal.Command{c})
		if err == nil {
			err = ticket.Wait(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run(hal.Command{Op: hal.OpWrite, Dst: from, Size: room, Host: words})
	var copies, barriers int
	watch = func(d *device, p *part, commands vkx.Commands) {
		for at := 0; at < len(commands); at += widths[commands[at]] {
			switch commands[at] {
			case cmdCopy:
				copies++
			case cmdBarrier:
				barriers++
			}
		}
		old(d, p, commands)
	}
	for _, c := range []struct {
		apart        bool
		size, chunks int
	}{
		{false, maxGentlePiece + 4, 5}, {false, maxGentle, 32}, {false, maxGentle + 4, 1}, // more would be a row that goes to the main line
		{true, 4, 1}, {true, gentleChunk, 1}, {true, gentleChunk + 4, 2}, {true, 3 * gentleChunk, 3}, {true, maxGentlePiece, 4}, {true, maxGentlePiece + 4, 1},
	} {
		clear(to.Bytes())
		copies, barriers = 0, 0
		run(hal.Command{Op: hal.OpCopy, Apart: c.apart, Dst: to, DstOff: 8, Src: from, SrcOff: 4, Size: uint64(c.size)})
		if copies != c.chunks || barriers != c.chunks {
			t.Errorf("a copy of %d bytes has %d chunks and %d barriers, want %d of each", c.size, copies, barriers, c.chunks)
		}
		want := make([]byte, room)
		copy(want[8:], words[4:4+c.size])
		if !bytes.Equal(to.Bytes(), want) {
			t.Errorf("a copy of %d bytes wrote other bytes", c.size)
		}
	}
}
