package stream

import (
	"context"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Replay is a sequence of commands that a backend has prepared and runs as one command. The memory
// uses of all commands of the sequence are combined. For example, two commands that write x[0:4]
// and x[6:8] become one command that writes x[0:8].
//
// If a command failed, the stream examines the commands of the sequence one by one. Faults and
// poison are therefore the same as if the commands had been recorded one by one.
type Replay struct {
	node  Command
	nodes []Command
	parts func(e *Event) []*Event
}

// NewReplay returns the sequence as one command. The backend has prepared the sequence as the graph
// g. The memory `owned` is not freed before the command has completed.
//
// The function `parts` makes one event for each command of the sequence. Its argument is the event
// of the submission. If some of the commands failed, the stream calls `parts` under the stream's
// lock.
func NewReplay(q *Sequence, g hal.Graph, owned *Memory, parts func(e *Event) []*Event) *Replay {
	uses := append(q.unionOfUses(), Use{Mem: owned})
	return &Replay{node: Command{Cmd: hal.Command{Op: hal.OpGraph, Graph: g}, Uses: uses}, nodes: q.Commands, parts: parts}
}

// unionOfUses returns the combined memory uses of the commands. For each memory there is at
// most one range that is read, and one that is written.
func (q *Sequence) unionOfUses() (out []Use) {
	type key struct {
		mem    *Memory
		access abi.Access
	}
	at := map[key]int{}
	add := func(u Use) {
		k := key{u.Mem, u.Access}
		i, ok := at[k]
		if !ok {
			at[k] = len(out)
			out = append(out, u)
			return
		}
		out[i].Lo, out[i].Hi = min(out[i].Lo, u.Lo), max(out[i].Hi, u.Hi)
	}
	for i := range q.Commands {
		for _, u := range q.Commands[i].Uses {
			if u.Access == 0 || u.Lo >= u.Hi {
				add(Use{Mem: u.Mem})
				continue
			}
			for _, access := range []abi.Access{abi.Read, abi.Write} {
				if u.Access&access != 0 {
					add(Use{u.Mem, u.Lo, u.Hi, access})
				}
			}
		}
	}
	return out
}

// RecordReplay is like RecordAll for the replay's sequence, but records the sequence as one command
// with one event.
func (s *Stream) RecordReplay(ctx context.Context, front *Recorder, r *Replay, after []*Event, e *Event) error {
	return s.recordWith(ctx, func() error {
		if err := s.usable(&r.node); err != nil {
			return err
		}
		s.appendUsable(front, &r.node, s.mustWait(after), s.gatesFor(r.node.Uses, after...), e)
		// Each command has its own position in the stream. The event has the position of the last
		// command.
		more := len(r.nodes) - 1
		s.pos += uint64(more)
		e.pos, e.batch.replays = s.pos, append(e.batch.replays, r)
		e.batch.weight += more
		return nil
	})
}

// settleReplay determines the outcomes of the commands of a replay.
func (s *Stream) settleReplay(b *Batch, r *Replay, e *Event) {
	err, faults := b.whyIncomplete(e), e.Fault.Parts
	e.Fault = &noFault
	if err == nil && s.poisons == 0 && !slices.ContainsFunc(faults, func(f hal.Fault) bool { return !f.Clean() }) {
		return
	}
	parts := r.parts(e)
	var uses []use
	failed := false
	for i, p := range parts {
		p.batch, p.front, p.seen = b, e.front, e.seen
		p.pos = e.pos - uint64(len(parts)-1-i)
		if faults != nil {
			p.Fault = &faults[i]
		} else {
			p.Fault = &noFault
		}
		if own := b.whyIncomplete(p); own != nil {
			p.NeedRare().err = own
		} else if err != nil {
			p.NeedRare().err = err
		}
		uses = uses[:0]
		for _, u := range r.nodes[i].Uses {
			if u.Access != 0 && u.Lo < u.Hi {
				uses = append(uses, use{u.Mem.state, u.Lo, u.Hi, uint8(u.Access)})
			}
		}
		if s.settleOne(r.nodes[i].Cmd.Op, uses, p) {
			failed = true
		}
	}
	if failed {
		e.NeedRare().parts = parts
	}
}
