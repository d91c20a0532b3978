package stream

import (
	"errors"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// ErrCancelled is how a command ended that its Cancel ended.
var ErrCancelled = errors.New("cancelled")

// ErrEnded is how a launch ended that went on with wrong values, since the device had
// left one of its loops early; its Fault says which.
var ErrEnded = errors.New("the device ended a loop early")

// poison is a range of memory whose contents are unspecified, since a command that
// was to write it did not run whole. Whoever reads the range fails with what
// happened to that command, until it is overwritten whole:
//
//	launch A writes x[0:8]     A is not submitted: x[0:8] is poisoned by A
//	launch B reads x, writes y     B fails with A's error: y is poisoned by A
//	CopyFrom writes x[0:8]         x is clean again, y is not
//
// A fault poisons nothing: what a faulted kernel left is what Go would have left.
type poison struct {
	lo, hi uint64
	by     *Event
}

// settle finds how the commands of a batch that has completed ended.
func (s *Stream) settle(b *Batch) {
	replays := b.replays
	for i, e := range b.events {
		if b.cmds[i].Op == hal.OpGraph {
			s.settleReplay(b, replays[0], e)
			replays = replays[1:]
			continue
		}
		if r := e.rare; r != nil && r.Release != nil {
			r.Release()
			r.Release = nil
		}
		if err := b.ended(e); err != nil {
			e.NeedRare().err = err
		} else if s.poisons == 0 && !e.Fault.Set {
			continue
		}
		s.settleOne(b.cmds[i].Op, b.usesOf(i), e)
	}
}

// settleOne settles a command that failed, or may have read poisoned memory, and reports
// whether it did.
func (s *Stream) settleOne(op hal.Op, uses []use, e *Event) bool {
	if err := e.Rare().err; errors.Is(err, hal.ErrDeviceLost) && s.lost == nil {
		s.lost = err
	}
	s.spread(op, uses, e)
	if h := e.Rare(); e.Fault.Set || h.err != nil || h.from != nil {
		s.fail(e)
		return true
	}
	return false
}

// ended returns why the command did not run whole.
func (b *Batch) ended(e *Event) error {
	switch {
	case b.err != nil:
		return b.err
	case e.Fault.Failed != nil:
		return e.Fault.Failed
	case e.Fault.Cancelled: // of work-items that had loops ended before, nobody asks any more
		return ErrCancelled
	case e.Fault.Ended != 0:
		return ErrEnded
	}
	return nil
}

// spread brings the poison of the memory up to date with a command that has ended.
func (s *Stream) spread(op hal.Op, uses []use, e *Event) {
	by := e
	if e.Rare().err == nil {
		by = nil
		for i := range uses {
			if u := &uses[i]; u.access&uint8(abi.Read) != 0 {
				by = first(by, u.mem.poisonedBy(u.lo, u.hi))
			}
		}
		if by != nil {
			e.NeedRare().from = by
		}
	}
	for i := range uses {
		u := &uses[i]
		if u.access&uint8(abi.Write) == 0 {
			continue
		}
		before := len(u.mem.poison)
		switch {
		case by != nil:
			u.mem.clean(u.lo, u.hi)
			u.mem.poison = append(u.mem.poison, poison{u.lo, u.hi, by})
		case op != hal.OpLaunch: // a kernel need not write all of what it may write
			u.mem.clean(u.lo, u.hi)
		}
		s.poisons += len(u.mem.poison) - before
	}
}

// poisonedBy returns the first command that was to write what [lo, hi) holds, if
// that was lost.
func (m *memoryState) poisonedBy(lo, hi uint64) (by *Event) {
	for _, p := range m.poison {
		if p.lo < hi && lo < p.hi {
			by = first(by, p.by)
		}
	}
	return by
}

// first returns the command that was recorded first, of those that are not nil.
func first(a, b *Event) *Event {
	if a == nil || b != nil && b.pos < a.pos {
		return b
	}
	return a
}

// clean takes [lo, hi) out of the poisoned ranges.
func (m *memoryState) clean(lo, hi uint64) {
	var rest []poison
	m.poison = slices.DeleteFunc(m.poison, func(p poison) bool {
		if p.hi <= lo || hi <= p.lo {
			return false
		}
		if p.lo < lo {
			rest = append(rest, poison{p.lo, lo, p.by})
		}
		if hi < p.hi {
			rest = append(rest, poison{hi, p.hi, p.by})
		}
		return true
	})
	m.poison = append(m.poison, rest...)
}
