package exec

import (
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Sequence is a list of steps in the order in which they run. A Sequence does not change.
type Sequence struct {
	stream.Sequence
	Steps   []*Step   // steps of the sequence, each with a command
	Kernels []*Kernel // kernels of the launches, without duplicates
	Prints  bool      // some steps write the output that launches have printed
	// Idle lists memory that the graph's nodes refer to, but that no command uses. Examples are
	// memory of a parameter that the kernel does not use, and memory that a fused launch replaces
	// by registers.
	Idle []*stream.Memory

	levels    []int   // levels of the steps; steps of the same level do not depend on each other
	ranks     [][]int // nodes of each step; of several failures, the failure of the first node is reported
	pipelines Held    // pipelines of the launches, in use while the sequence has users
	users     atomic.Int64
	of        map[*Step]*Pipeline

	once   sync.Once
	replay *stream.Replay // the sequence as a single command; nil if the steps are recorded one by one
	memory *stream.Memory // handle that the stream uses to free the replay
}

// newSequence returns an empty sequence whose only user is the caller.
func newSequence() *Sequence {
	s := &Sequence{of: map[*Step]*Pipeline{}}
	s.users.Store(1)
	return s
}

// Ranks returns the nodes of a step. Of several failures in a run, the failure of the first node is
// reported.
func (s *Sequence) Ranks(step int) []int { return s.ranks[step] }

// LetGo removes a user of the sequence. When the last user is removed, LetGo frees the sequence's
// memory and pipelines.
func (s *Sequence) LetGo() {
	if s.users.Add(-1) > 0 {
		return
	}
	s.pipelines.LetGo()
	if s.memory != nil {
		s.memory.Free()
	}
}

// runHolder keeps a graph's sequence in use until the garbage collector frees the graph.
type runHolder struct{ run *Sequence }

func (h *runHolder) letGo() { h.run.LetGo() }

// Held is a list of pipelines that are kept in use. A Sequence keeps pipelines as long as the
// Sequence has users. A submission that can be cancelled keeps pipelines until its commands are
// recorded.
type Held []*Pipeline

// The method Take moves the plan's pipeline to index i of the list. If there already is a pipeline
// at index i, Take first ends the use of that pipeline.
func (h Held) Take(i int, p *Plan) {
	if h[i] != nil {
		h[i].LetGo()
	}
	h[i], p.Pipeline = p.Pipeline, nil
}

// LetGo ends the use of the pipelines in the list.
func (h Held) LetGo() {
	for _, v := range h {
		if v != nil {
			v.LetGo()
		}
	}
}

// findIdle sets Idle to the memory that no command of the sequence uses, but that nodes or steps
// without a command refer to.
func (s *Sequence) findIdle(nodes []Node, gone []*Step) {
	known := map[*stream.Memory]bool{}
	for i := range s.Commands {
		for _, u := range s.Commands[i].Uses {
			known[u.Mem] = true
		}
	}
	add := func(m *stream.Memory) {
		if !known[m] {
			known[m], s.Idle = true, append(s.Idle, m)
		}
	}
	for i := range nodes {
		nodes[i].step.Memories(add)
	}
	for _, g := range gone {
		g.Memories(add)
	}
}

// addPrint adds a step that writes the printed output of the last step, which is a launch. addPrint
// returns the index of the new step.
func (s *Sequence) addPrint(of *Step) int {
	last := len(s.Steps) - 1
	next := printStep(of)
	s.Prints = true
	s.Steps, s.levels, s.ranks = append(s.Steps, next), append(s.levels, s.levels[last]), append(s.ranks, s.ranks[last])
	s.Commands, s.Waits, s.First = append(s.Commands, next.Command), append(s.Waits, []int{last}), append(s.First, false)
	return last + 1
}

// Replay returns the sequence as a single command. Replay returns nil if the device is no
// hal.Replayer or rejects the sequence. Replay also returns nil if a step is neither a launch, nor
// a fill, nor a copy within the device.
func (s *Sequence) Replay(d hal.Device, on *stream.Stream, events EventMaker) *stream.Replay {
	s.once.Do(func() { s.makeReplay(d, on, events) })
	return s.replay
}

// EventMaker makes the events of a sequence's steps.
type EventMaker interface {
	Events(s *Sequence) []*stream.Event
}

func (s *Sequence) makeReplay(d hal.Device, on *stream.Stream, events EventMaker) {
	r, ok := d.(hal.Replayer)
	if !ok || len(s.Commands) == 0 || !on.Enter() {
		return
	}
	defer on.Leave()
	commands := make([]hal.Command, len(s.Commands))
	for i := range s.Commands {
		commands[i] = s.Commands[i].Cmd
		commands[i].Barrier = i > 0 && s.levels[i] != s.levels[i-1]
		if op := commands[i].Op; s.Commands[i].Run != nil || s.Commands[i].Cross != nil || op != hal.OpLaunch && op != hal.OpCopy && op != hal.OpFill {
			return
		}
	}
	g, err := r.NewGraph(commands)
	if err != nil {
		return
	}
	s.memory = on.NewMemory(graphMemory{g})
	s.replay = stream.NewReplay(&s.Sequence, g, s.memory, func(*stream.Event) []*stream.Event { return events.Events(s) })
}

// graphMemory is a hal.Graph that implements hal.Memory. Therefore a stream can free the graph like
// memory, when the last batch that uses the graph has completed.
type graphMemory struct{ hal.Graph }

func (graphMemory) Size() uint64    { return 0 }
func (graphMemory) Address() uint64 { return 0 }
func (graphMemory) Bytes() []byte   { return nil }
