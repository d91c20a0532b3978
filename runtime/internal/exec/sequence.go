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
	Prints  bool      // some steps write the printed output of other steps
	// Idle is memory that the graph's nodes refer to, but that no command uses. Idle includes
	// memory of parameters that have no elements or that the kernel does not use. Idle also
	// includes memory that is internal to fused launches.
	Idle []*stream.Memory

	levels    []int   // levels of the steps; steps of the same level do not depend on each other
	ranks     [][]int // nodes of each step; the order of the nodes decides which failure is reported
	pipelines Held    // pipelines of the launches, in use while the sequence has users
	users     atomic.Int64
	of        map[*Step]*Pipeline

	once   sync.Once
	replay *stream.Replay // nil if the steps are recorded one by one
	memory *stream.Memory // memory that keeps the replay alive
}

// newSequence returns an empty sequence whose only user is the caller.
func newSequence() *Sequence {
	s := &Sequence{of: map[*Step]*Pipeline{}}
	s.users.Store(1)
	return s
}

// Ranks returns the nodes of a step. The order of these nodes decides which failure is reported.
func (s *Sequence) Ranks(step int) []int { return s.ranks[step] }

// LetGo ends a use of the sequence. When the last use ends, LetGo frees the sequence's memory and
// pipelines.
func (s *Sequence) LetGo() {
	if s.users.Add(-1) > 0 {
		return
	}
	s.pipelines.LetGo()
	if s.memory != nil {
		s.memory.Free()
	}
}

// runHolder keeps the sequence of an executable graph in use as long as the graph lives.
type runHolder struct{ run *Sequence }

func (h *runHolder) letGo() { h.run.LetGo() }

// Held is a list of pipelines that stay in use. A run keeps its pipelines as long as the run has
// users. A submission keeps those of its commands until the commands are recorded.
type Held []*Pipeline

// Take stores the plan's pipeline at index i. Take first ends the use of the pipeline at that
// index, if there is one.
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

// findIdle finds the memory that the run does not use. findIdle looks at the nodes and at the steps
// without a command.
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

// addPrint adds a step that writes the output of a launch that prints. The launch is the last step.
// addPrint returns the index of the new step.
func (s *Sequence) addPrint(of *Step) int {
	last := len(s.Steps) - 1
	next := printStep(of)
	s.Prints = true
	s.Steps, s.levels, s.ranks = append(s.Steps, next), append(s.levels, s.levels[last]), append(s.ranks, s.ranks[last])
	s.Commands, s.Waits, s.First = append(s.Commands, next.Command), append(s.Waits, []int{last}), append(s.First, false)
	return last + 1
}

// Replay returns the sequence as a single command. Replay returns nil if the device does not
// support or refuses such a command, or if some steps copy from or to the host.
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

// graphMemory lets a stream free a graph as it frees memory, when the last batch that uses it has
// completed.
type graphMemory struct{ hal.Graph }

func (graphMemory) Size() uint64    { return 0 }
func (graphMemory) Address() uint64 { return 0 }
func (graphMemory) Bytes() []byte   { return nil }
