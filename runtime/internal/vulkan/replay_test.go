//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// zeroed allocates memory of n words that the host sees, all zero.
func zeroed(t testing.TB, d *device, n int) hal.Memory {
	t.Helper()
	m, err := d.Alloc(uint64(4*n), hal.HostMemory)
	if err != nil {
		t.Fatal(err)
	}
	clear(m.Bytes())
	return m
}

func wordOf(m hal.Memory, i int) uint32 { return binary.LittleEndian.Uint32(m.Bytes()[4*i:]) }

// counting returns a graph whose n launches increment a word one after another.
func counting(t testing.TB, d *device, m hal.Memory, n int) hal.Graph {
	t.Helper()
	inc, kernel := increment(t, d), backendtest.Desc("increment").Kernel
	var commands []hal.Command
	for range n {
		c := backendtest.Launch(inc, kernel, 1, backendtest.Span{Mem: m, Len: 1})
		c.Barrier = true
		commands = append(commands, c)
	}
	g, err := d.NewGraph(commands)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// submitted submits a batch of the graph, n times, and returns its ticket.
func submitted(t testing.TB, d *device, g hal.Graph, n int) hal.Ticket {
	t.Helper()
	batch := make([]hal.Command, n)
	for i := range batch {
		batch[i] = hal.Command{Op: hal.OpGraph, Barrier: true, Graph: g, Fault: new(hal.Fault)}
	}
	tk, err := d.Submit(batch)
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

// TestReplayInFlight submits one graph many times, in one batch and in several: what cannot be
// replayed, since all recordings are in flight, runs all the same.
func TestReplayInFlight(t *testing.T) {
	d := open(t)
	m := zeroed(t, d, 1)
	g := counting(t, d, m, 10)
	for range 20 {
		var tickets []hal.Ticket
		for range 5 {
			tickets = append(tickets, submitted(t, d, g, 3))
		}
		for _, tk := range tickets {
			if err := tk.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := wordOf(m, 0), uint32(20*5*3*10); got != want {
		t.Errorf("%d increments, want %d", got, want)
	}
	if n := len(g.(*replay).recordings); n != maxRecordings {
		t.Errorf("%d recordings", n)
	}
	for range 3 * maxRecordings { // one after another, all are replayed
		before := executed(d)
		if err := submitted(t, d, g, 1).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if executed(d) != before+1 {
			t.Error("the graph was not replayed")
		}
	}
	g.Free()
	g.Free()
}

// TestReplayMany: a graph of very many commands is submitted in parts.
func TestReplayMany(t *testing.T) {
	d := open(t)
	m := zeroed(t, d, 1)
	g := counting(t, d, m, maxRecorded+1)
	for range 2 {
		tk := submitted(t, d, g, 1)
		if err := tk.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(tk.(*ticket).parts); n < 4 {
			t.Errorf("%d parts", n)
		}
	}
	if got := wordOf(m, 0); got != 2*(maxRecorded+1) {
		t.Errorf("%d increments", got)
	}
	g.Free()
}

// executed returns how many recordings the device has executed.
func executed(d *device) int {
	checkers.Lock()
	defer checkers.Unlock()
	if k := checkers.of[d]; k != nil {
		return k.executed
	}
	return 0
}

// TestReplayFaults has a fault of one launch, or of none, in each submission of a graph: each is
// told of its own.
func TestReplayFaults(t *testing.T) {
	d := open(t)
	const launches, n = 100, 64
	x := zeroed(t, d, n)
	desc := backendtest.Desc("fault")
	p, err := d.NewPipeline(&desc)
	if err != nil {
		t.Fatal(err)
	}
	graphs := map[int]hal.Graph{}
	for _, at := range []int{-1, 0, 57, 99} {
		var commands []hal.Command
		for i := range launches {
			first := uint32(n)
			if i == at {
				first = 7
			}
			commands = append(commands, backendtest.Launch(p, desc.Kernel, n, backendtest.Span{Mem: x, Len: n}, first))
		}
		if graphs[at], err = d.NewGraph(commands); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 5 {
		var batch []hal.Command
		var want []int
		for _, at := range []int{-1, 57, 0, 99, -1} {
			batch = append(batch, hal.Command{Op: hal.OpGraph, Barrier: true, Graph: graphs[at], Fault: new(hal.Fault)})
			want = append(want, at)
		}
		batch = append(batch, hal.Command{Op: hal.OpGraph, Barrier: true, Graph: graphs[57]}) // of which nobody asks
		tk, err := d.Submit(batch)
		if err != nil {
			t.Fatal(err)
		}
		if err := tk.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, at := range want {
			for k := range launches {
				var f hal.Fault
				if parts := batch[i].Fault.Parts; parts != nil {
					f = parts[k]
				}
				if f.Set != (k == at) || f.Failed != nil {
					t.Errorf("round %d, graph %d, launch %d: %+v", round, at, k, f)
				}
				if f.Set && (f.A < 7+n || f.A >= 2*n || f.B != n) {
					t.Errorf("the fault is %+v", f)
				}
			}
		}
	}
	if len(graphs[57].(*replay).recordings) == 0 {
		t.Error("nothing was recorded: the test shows nothing")
	}
}

// TestReplayParts: launches of linked kernels have several fault records in a recording, too.
func TestReplayParts(t *testing.T) {
	d := open(t)
	const n, launches = 64, 600 // more than a slot's own records
	x := zeroed(t, d, n)
	desc := backendtest.Desc("fault")
	linked := *desc.Kernel
	linked.Parts = make([]abi.Part, 3)
	desc.Kernel = &linked
	p, err := d.NewPipeline(&desc)
	if err != nil {
		t.Fatal(err)
	}
	var commands []hal.Command
	for i := range launches {
		first := uint32(n)
		if i == launches-1 {
			first = 0
		}
		commands = append(commands, backendtest.Launch(p, &linked, n, backendtest.Span{Mem: x, Len: n}, first))
	}
	g, err := d.NewGraph(commands)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 4 {
		fault := new(hal.Fault)
		tk, err := d.Submit([]hal.Command{{Op: hal.OpGraph, Graph: g, Fault: fault}})
		if err != nil {
			t.Fatal(err)
		}
		if err := tk.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, f := range fault.Parts {
			if f.Set != (i == launches-1) {
				t.Errorf("round %d: launch %d: %+v", round, i, f)
			}
		}
		if len(fault.Parts) != launches {
			t.Errorf("round %d: no faults", round)
		}
	}
	if r := g.(*replay).recordings; len(r) == 0 || len(r[0].faultOf) != 3*launches {
		t.Error("the recordings have not three records of each launch")
	}
}

// TestReplayArguments replays launches with arguments past the launch block, more than fit into
// one piece of memory for them, and larger dispatches than the device takes at once.
func TestReplayArguments(t *testing.T) {
	d := open(t)
	const launches = 500
	out := zeroed(t, d, 40*launches)
	desc := backendtest.Desc("table")
	p, err := d.NewPipeline(&desc)
	if err != nil {
		t.Fatal(err)
	}
	var commands []hal.Command
	for i := range launches {
		var table [40]uint32
		for k := range table {
			table[k] = uint32(1000*i + k)
		}
		commands = append(commands, backendtest.Launch(p, desc.Kernel, 40, backendtest.Span{Mem: out, Off: uint64(160 * i), Len: 40}, table))
	}
	g, err := d.NewGraph(commands)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		clear(out.Bytes())
		if err := submitted(t, d, g, 1).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 40 * launches {
			if got, want := wordOf(out, i), uint32(1000*(i/40)+i%40); got != want {
				t.Fatalf("round %d: word %d is %d, want %d", round, i, got, want)
			}
		}
	}
	if len(g.(*replay).recordings) == 0 {
		t.Error("nothing was recorded")
	}
}

// TestReplayNoMemory fails each call that makes a recording: the graph runs all the same.
func TestReplayNoMemory(t *testing.T) {
	d := open(t)
	defer vkx.Inject(0, 0)
	recorded := false
	for n := int32(1); !recorded; n++ {
		if n > 20 {
			t.Fatal("the graph is never recorded")
		}
		m := zeroed(t, d, 1)
		g := counting(t, d, m, 3)
		r := g.(*replay)
		if err := submitted(t, d, g, 1).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.queue.submitMu.Lock()
		r.runs++
		vkx.Inject(n, vkx.ErrorOutOfDeviceMemory)
		_, err := d.queue.enc.makeRecording(r)
		recorded = err == nil
		vkx.Inject(0, 0)
		if err != nil {
			if !errors.Is(err, hal.ErrOutOfMemory) {
				t.Error(err)
			}
			r.maxFree = len(r.recordings) // as encoder.recording does
		}
		d.queue.submitMu.Unlock()
		for range 3 {
			if err := submitted(t, d, g, 2).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := wordOf(m, 0); got != 3+3*2*3 {
			t.Errorf("call %d fails: %d increments, want 21", n, got)
		}
		g.Free()
	}
}

// TestReplaySubmitFails: where a submission fails, the graphs in it fail, and can be replayed
// again.
func TestReplaySubmitFails(t *testing.T) {
	d := open(t)
	defer vkx.Inject(0, 0)
	m := zeroed(t, d, 1)
	g := counting(t, d, m, 3)
	for range 2 {
		if err := submitted(t, d, g, 1).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 * maxRecordings {
		before := wordOf(m, 0)
		c := hal.Command{Op: hal.OpGraph, Graph: g, Barrier: true, Fault: new(hal.Fault)}
		vkx.Inject(1, vkx.ErrorOutOfDeviceMemory)
		tk, err := d.Submit([]hal.Command{c})
		vkx.Inject(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := tk.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := uint32(3)
		if errors.Is(c.Fault.Failed, hal.ErrOutOfMemory) || slices.ContainsFunc(c.Fault.Parts, func(f hal.Fault) bool { return errors.Is(f.Failed, hal.ErrOutOfMemory) }) {
			want = 0
		}
		if got := wordOf(m, 0) - before; got != want {
			t.Errorf("%d increments, want %d: %+v", got, want, c.Fault)
		}
	}
	before, runs := wordOf(m, 0), executed(d)
	for range 2 * maxRecordings {
		if err := submitted(t, d, g, 1).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := wordOf(m, 0) - before; got != 3*2*maxRecordings {
		t.Errorf("%d increments afterwards, want %d", got, 3*2*maxRecordings)
	}
	if executed(d) == runs {
		t.Error("afterwards, nothing is replayed")
	}
}

// TestReplayLeft closes a device with graphs that nobody has freed.
func TestReplayLeft(t *testing.T) {
	d := open(t)
	m := zeroed(t, d, 1)
	for range 3 { // their recordings are the device's to free
		g := counting(t, d, m, 4)
		for range 3 {
			submitted(t, d, g, 1)
		}
	}
	if _, err := d.NewGraph([]hal.Command{{Op: hal.OpRead, Src: m, Size: 4, Host: make([]byte, 4)}}); err == nil {
		t.Error("a graph with a read is taken")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.NewGraph(nil); err == nil {
		t.Error("a closed device takes a graph")
	}
}

// TestReplayLost: a graph of a lost device fails, and so do those that were submitted before.
func TestReplayLost(t *testing.T) {
	d := open(t)
	m := zeroed(t, d, 1)
	g := counting(t, d, m, 4)
	for range 3 {
		if err := submitted(t, d, g, 1).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := hal.Command{Op: hal.OpGraph, Graph: g, Fault: new(hal.Fault)}
	launch := slow(t, d)
	tk, err := d.Submit([]hal.Command{launch, launch, c})
	if err != nil {
		t.Fatal(err)
	}
	d.Abandon(hal.ErrAbandoned)
	if !tk.Done() || !errors.Is(c.Fault.Failed, hal.ErrAbandoned) {
		t.Errorf("done: %v, %v", tk.Done(), c.Fault.Failed)
	}
	g.Free() // while the device may run it
	d.vk.WaitIdle()
}

// replayWords is how many words each memory of TestReplayOrder has.
const replayWords = 64

// randomCommands makes the commands of TestReplayOrder.
type randomCommands struct {
	rnd    *rand.Rand
	inc    hal.Pipeline
	kernel *abi.Kernel
	mems   []*stream.Memory
	model  map[*stream.Memory][]uint32 // expected contents of the memories
}

// one returns a random command, and what it does to the model.
func (r *randomCommands) one() (stream.Command, func()) {
	m, other := r.mems[r.rnd.IntN(len(r.mems))], r.mems[r.rnd.IntN(len(r.mems))]
	lo := r.rnd.IntN(replayWords/4) * 4
	hi := lo + min(4+r.rnd.IntN((replayWords-lo)/4)*4, replayWords-lo)
	u := stream.Use{Mem: m, Lo: uint64(4 * lo), Hi: uint64(4 * hi), Access: abi.ReadWrite}
	v, pattern := r.model[m][lo:hi], r.rnd.Uint32()
	switch op := r.rnd.IntN(4); {
	case op == 0:
		u.Access = abi.Write
		return stream.Command{Cmd: hal.Command{Op: hal.OpFill, Dst: m.HAL(), DstOff: u.Lo, Size: u.Hi - u.Lo, Pattern: pattern}, Uses: []stream.Use{u}},
			func() {
				for i := range v {
					v[i] = pattern
				}
			}
	case op == 1 && m != other:
		u.Access = abi.Read
		to := stream.Use{Mem: other, Lo: u.Lo, Hi: u.Hi, Access: abi.Write}
		return stream.Command{Cmd: hal.Command{Op: hal.OpCopy, Src: m.HAL(), SrcOff: u.Lo, Dst: other.HAL(), DstOff: u.Lo, Size: u.Hi - u.Lo},
			Uses: []stream.Use{u, to}}, func() { copy(r.model[other][lo:hi], v) }
	}
	return stream.Command{Cmd: backendtest.Launch(r.inc, r.kernel, len(v), backendtest.Span{Mem: m.HAL(), Off: u.Lo, Len: len(v)}), Uses: []stream.Use{u}},
		func() {
			for i := range v {
				v[i]++
			}
		}
}

// TestReplayOrder records random graphs and commands on a stream, and compares what they leave
// with a model; the checker looks at all barriers.
func TestReplayOrder(t *testing.T) {
	d := open(t)
	s := stream.NewStream(d, -1)
	checkers.Lock()
	k := &checker{strict: true}
	checkers.of[d] = k
	checkers.Unlock()
	rnd := rand.New(rand.NewPCG(3, 4))
	r := randomCommands{rnd: rnd, inc: increment(t, d), kernel: backendtest.Desc("increment").Kernel, model: map[*stream.Memory][]uint32{}}
	var front stream.Recorder
	for range 3 {
		m, err := s.Alloc(4*replayWords, hal.DeviceMemory)
		if err != nil {
			t.Fatal(err)
		}
		r.mems, r.model[m] = append(r.mems, m), make([]uint32, replayWords)
		n := stream.Command{Cmd: hal.Command{Op: hal.OpFill, Dst: m.HAL(), Size: 4 * replayWords}, Uses: []stream.Use{{Mem: m, Hi: 4 * replayWords, Access: abi.Write}}}
		if err := s.Record(context.Background(), &front, &n, new(stream.Event)); err != nil {
			t.Fatal(err)
		}
	}
	type whole struct {
		replay *stream.Replay
		model  []func()
		memory *stream.Memory
	}
	var graphs []whole
	for range 8 {
		var w whole
		q := &stream.Sequence{}
		var tracker stream.Tracker
		var commands []hal.Command
		for range 1 + rnd.IntN(8) {
			n, f := r.one()
			c := n.Cmd
			c.Barrier = tracker.Add(n.Uses, false)
			commands, w.model, q.Commands = append(commands, c), append(w.model, f), append(q.Commands, n)
		}
		g, err := d.NewGraph(commands)
		if err != nil {
			t.Fatal(err)
		}
		w.memory = s.NewMemory(graphMemory{g})
		w.replay = stream.NewReplay(q, g, w.memory, func(*stream.Event) []*stream.Event { panic("no command fails") })
		graphs = append(graphs, w)
	}
	for i := range 1500 {
		if rnd.IntN(3) == 0 {
			n, f := r.one()
			if err := s.Record(context.Background(), &front, &n, new(stream.Event)); err != nil {
				t.Fatal(err)
			}
			f()
		} else {
			w := graphs[rnd.IntN(len(graphs))]
			if err := s.RecordReplay(context.Background(), &front, w.replay, nil, new(stream.Event)); err != nil {
				t.Fatal(err)
			}
			for _, f := range w.model {
				f()
			}
		}
		if rnd.IntN(10) == 0 {
			s.TryFlush()
		}
		if i%200 == 199 {
			if err := s.WaitAll(context.Background(), &front); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, w := range graphs {
		w.memory.Free() // while some are in flight
	}
	for _, m := range r.mems {
		got := make([]byte, 4*replayWords)
		n := stream.Command{Cmd: hal.Command{Op: hal.OpRead, Src: m.HAL(), Size: 4 * replayWords, Host: got}, Uses: []stream.Use{{Mem: m, Hi: 4 * replayWords, Access: abi.Read}}}
		e := new(stream.Event)
		if err := s.Record(context.Background(), &front, &n, e); err != nil {
			t.Fatal(err)
		}
		if err := e.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i, want := range r.model[m] {
			if v := binary.LittleEndian.Uint32(got[4*i:]); v != want {
				t.Fatalf("word %d is %#x, want %#x", i, v, want)
			}
		}
	}
	if failed, _ := s.AllFailures(); len(failed) > 0 {
		t.Errorf("%d commands failed", len(failed))
	}
	checkers.Lock()
	if k.executed < 200 {
		t.Errorf("%d of 1000 graphs were replayed", k.executed)
	}
	checkers.Unlock()
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

type graphMemory struct{ hal.Graph }

func (graphMemory) Size() uint64    { return 0 }
func (graphMemory) Address() uint64 { return 0 }
func (graphMemory) Bytes() []byte   { return nil }

// TestReplayChecker takes the barriers out of a recording, and the one before it: the checker
// must notice.
func TestReplayChecker(t *testing.T) {
	d := open(t)
	m, err := d.Alloc(1024, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	inc := backendtest.Launch(increment(t, d), backendtest.Desc("increment").Kernel, 256, backendtest.Span{Mem: m, Len: 256})
	fill := hal.Command{Op: hal.OpFill, Dst: m, Size: 1024}
	commands := []hal.Command{inc, fill, inc}
	for i := range commands {
		commands[i].Barrier = true
	}
	g, err := d.NewGraph(commands)
	if err != nil {
		t.Fatal(err)
	}
	if err := submitted(t, d, g, 1).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	old := watch
	defer func() { watch = old }()
	var words vkx.Commands
	var submitted *part
	watch = func(_ *device, p *part, c vkx.Commands) { words, submitted = slices.Clone(c), p }
	op := hal.Command{Op: hal.OpGraph, Barrier: true, Graph: g}
	after := fill
	after.Barrier = true
	tk, err := d.Submit([]hal.Command{fill, op, after})
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	wrong := func(c vkx.Commands) int {
		k := &checker{}
		k.check(submitted, c)
		return len(k.wrong)
	}
	if n := wrong(words); n > 0 {
		t.Fatalf("%d barriers are missing in what the encoder wrote", n)
	}
	r := g.(*replay).recordings[0]
	inside, outside := barriersOf(r.words), barriersOf(words)
	if len(inside) != 2 || len(outside) != 3 {
		t.Fatalf("%d barriers in the recording, %d around it", len(inside), len(outside))
	}
	for _, at := range inside {
		saved := r.words
		r.words = slices.Clone(saved)
		r.words[at+1] = 0
		if wrong(words) == 0 {
			t.Errorf("the barrier at %d of the recording is not missed", at)
		}
		r.words = saved
	}
	for _, at := range outside {
		without := slices.Clone(words)
		without[at+1] = 0
		if wrong(without) == 0 {
			t.Errorf("the barrier at %d is not missed", at)
		}
	}
}

// barriersOf returns where barriers begin.
func barriersOf(words []uint32) (list []int) {
	for at := 0; at < len(words); {
		n := widths[words[at]]
		if words[at] == cmdPush {
			n += int(words[at+3]) / 4
		}
		if words[at] == cmdBarrier {
			list = append(list, at)
		}
		at += n
	}
	return list
}
