package stream

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

type noGraph struct{ hal.Graph }

// TestReplayPoison is TestPoison with sequences that run as one command each: how each of
// their commands ends is what it would be if it had been recorded by itself.
func TestReplayPoison(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		r := newRecording(-1)
		mems := []*Memory{r.alloc(t), r.alloc(t), r.alloc(t)}
		owned := r.alloc(t)
		model := map[*Memory][]byteState{}
		for _, m := range mems {
			model[m] = make([]byteState, 64)
		}
		var wholes []*Event   // of replays
		var starts []int      // the first of their commands, in expanded
		var expanded []*Event // of all commands
		var want []byteState
		var failed []bool
		type run struct {
			q     *Sequence
			fails []bool
			whole bool // none ran
			e     *Event
		}
		var batches [][]run
		for range 1 + rnd.IntN(4) {
			var runs []run
			for range 1 + rnd.IntN(3) {
				w := run{q: &Sequence{}, e: new(Event), whole: rnd.IntN(6) == 0}
				var parts []*Event
				var steps []func()
				for range 1 + rnd.IntN(5) {
					op := []hal.Op{hal.OpLaunch, hal.OpCopy, hal.OpFill}[rnd.IntN(3)]
					var uses []Use
					for range 1 + rnd.IntN(3) {
						lo := uint64(rnd.IntN(60))
						u := Use{mems[rnd.IntN(len(mems))], lo, lo + 1 + uint64(rnd.IntN(int(64-lo))), abi.Access(1 + rnd.IntN(3))}
						if op == hal.OpFill {
							u.Access = abi.Write
						}
						uses = append(uses, u)
					}
					w.q.Commands = append(w.q.Commands, Command{Cmd: hal.Command{Op: op}, Uses: uses})
					fails := !w.whole && rnd.IntN(6) == 0
					w.fails = append(w.fails, fails)
					p := new(Event)
					parts = append(parts, p)
					steps = append(steps, func() { want = append(want, step(model, op, uses, p, fails || w.whole)) })
				}
				starts, wholes = append(starts, len(expanded)), append(wholes, w.e)
				expanded = append(expanded, parts...)
				for i := range w.fails {
					failed = append(failed, w.fails[i] || w.whole)
				}
				g := NewReplay(w.q, noGraph{}, owned, func(*Event) []*Event { return parts })
				first := r.pos + 1
				if err := r.RecordReplay(context.Background(), &r.front, g, nil, w.e); err != nil {
					t.Fatal(err)
				}
				for i, p := range parts { // the model compares them
					p.pos = first + uint64(i)
					steps[i]()
				}
				runs = append(runs, w)
			}
			r.TryFlush()
			batches = append(batches, runs)
		}
		for b, runs := range batches {
			for i, w := range runs {
				f := r.dev.batches[b].cmds[i].Fault
				switch {
				case w.whole:
					f.Failed = errTest
				case slices.Contains(w.fails, true) || rnd.IntN(2) == 0:
					f.Parts = make([]hal.Fault, len(w.fails))
					for k, fails := range w.fails {
						if fails && rnd.IntN(2) == 0 {
							f.Parts[k].Failed = errTest
						} else if fails {
							f.Parts[k].Cancelled = true
						}
					}
				}
			}
		}
		for _, i := range rnd.Perm(len(r.dev.batches)) {
			close(r.dev.batches[i].done)
		}
		for i, e := range wholes {
			if err := e.Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
			end := len(expanded)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			parts := e.Parts()
			for k := starts[i]; k < end; k++ {
				if parts == nil {
					if failed[k] || want[k] != nil {
						t.Fatalf("seed %d, command %d: nothing is said of it", seed, k)
					}
					continue
				}
				_, err, from := parts[k-starts[i]].Failed()
				if (err != nil) != failed[k] || from != want[k] {
					t.Fatalf("seed %d, command %d: failed %v (want %v), from %p (want %p)", seed, k, err, failed[k], from, want[k])
				}
			}
			if f, err, from := e.Failed(); f || err != nil || from != nil {
				t.Fatalf("seed %d: the event of the whole says %v, %v", seed, err, from)
			}
		}
		for _, m := range mems {
			for i, e := range model[m] {
				if got := m.state.poisonedBy(uint64(i), uint64(i)+1); got != e {
					t.Fatalf("seed %d: byte %d is poisoned by %p, want %p", seed, i, got, e)
				}
			}
		}
	}
}

// TestReplayUnion: a replay has the uses of its commands, and none of released memory.
func TestReplayUnion(t *testing.T) {
	r := newRecording(-1)
	a, b, owned := r.alloc(t), r.alloc(t), r.alloc(t)
	q := &Sequence{Commands: []Command{
		{Uses: []Use{{a, 0, 4, abi.Write}, {Mem: b}}},
		{Uses: []Use{{a, 2, 3, abi.Read}, {a, 8, 12, abi.ReadWrite}, {b, 5, 5, abi.Write}}},
	}}
	want := []Use{{a, 0, 12, abi.Write}, {Mem: b}, {a, 2, 12, abi.Read}}
	if got := q.unionOfUses(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	g := NewReplay(q, noGraph{}, owned, nil)
	e, later := new(Event), new(Event)
	record := func(e *Event, after ...*Event) error {
		return r.RecordReplay(context.Background(), &r.front, g, after, e)
	}
	if err := record(e); err != nil {
		t.Fatal(err)
	}
	if err := record(later); err != nil {
		t.Fatal(err)
	}
	owned.Free()
	if err := record(new(Event)); err != ErrReleased {
		t.Error(err)
	}
	r.TryFlush()
	cmds := r.dev.batches[0].cmds
	if len(cmds) != 2 || cmds[0].Barrier || !cmds[1].Barrier || cmds[1].Op != hal.OpGraph {
		t.Errorf("%+v", cmds)
	}
	if r.dev.freed.Load() != 0 {
		t.Error("memory was freed that a batch uses")
	}
	close(r.dev.batches[0].done)
	if err := later.Wait(context.Background()); err != nil || !e.Done() {
		t.Error(err)
	}
	r.freeReleased()
	if r.dev.freed.Load() != 1 {
		t.Error("the memory was not freed")
	}
}

// TestReplayAfter: a command that depends on a replay waits for the last of its commands, which a barrier
// before them does not order.
func TestReplayAfter(t *testing.T) {
	r := newRecording(-1)
	a, b, owned := r.alloc(t), r.alloc(t), r.alloc(t)
	q := &Sequence{Commands: []Command{{Uses: []Use{{a, 0, 4, abi.Write}}}, {Uses: []Use{{a, 0, 4, abi.ReadWrite}}}}}
	g := NewReplay(q, noGraph{}, owned, nil)
	first := r.launch(t, Use{a, 0, 4, abi.Write})
	e := new(Event)
	if err := r.RecordReplay(context.Background(), &r.front, g, nil, e); err != nil {
		t.Fatal(err)
	}
	n := Command{Cmd: hal.Command{Op: hal.OpLaunch}, Uses: []Use{{b, 0, 4, abi.Write}}, After: []*Event{first}}
	if err := r.Record(context.Background(), &r.front, &n, new(Event)); err != nil {
		t.Fatal(err)
	}
	n.After = []*Event{e}
	n.Uses = []Use{{b, 8, 12, abi.Write}}
	if err := r.Record(context.Background(), &r.front, &n, new(Event)); err != nil {
		t.Fatal(err)
	}
	r.TryFlush()
	var barriers []bool
	for _, c := range r.dev.batches[0].cmds {
		barriers = append(barriers, c.Barrier)
	}
	if want := []bool{false, true, false, true}; !slices.Equal(barriers, want) {
		t.Errorf("barriers %v, want %v", barriers, want)
	}
}
