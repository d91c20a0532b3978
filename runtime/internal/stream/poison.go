package stream

import (
	"errors"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// ErrCancelled is the error for a command that did not complete because it was cancelled.
var ErrCancelled = errors.New("cancelled")

// ErrEnded is the error for a launch in which the device left a loop early, so that the kernel
// continued with wrong values. The launch's Fault names the loop.
var ErrEnded = errors.New("the device ended a loop early")

// poisonRange is a range of memory whose contents are unspecified, because a command that should
// have written it did not complete. A command that reads the range fails with the error of the
// incomplete command, until the range is overwritten completely.
//
// For example, if a launch A should write the memory x but does not run, A poisons x. A launch B
// that reads x and writes the memory y then fails with A's error, and A also poisons y. After a
// CopyFrom that writes all of x, only y is still poisoned.
//
// A fault does not poison memory, because the memory then has the same contents as if the kernel
// had run as Go code.
type poisonRange struct {
	lo, hi uint64
	by     *Event
}

// `settle` determines the outcomes of the commands of a completed batch.
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
		if err := b.whyIncomplete(e); err != nil {
			e.NeedRare().err = err
		} else if s.poisons == 0 && !e.Fault.Set {
			continue
		}
		s.settleOne(b.cmds[i].Op, b.usesOf(i), e)
	}
}

// settleOne settles a command that failed, or that may have read poisoned memory. settleOne reports
// whether the command failed or read poisoned memory.
func (s *Stream) settleOne(op hal.Op, uses []use, e *Event) bool {
	if err := e.Rare().err; errors.Is(err, hal.ErrDeviceLost) && s.lost == nil {
		s.lost = err
	}
	s.updatePoison(op, uses, e)
	if h := e.Rare(); e.Fault.Set || h.err != nil || h.from != nil {
		s.addFailure(e)
		return true
	}
	return false
}

// whyIncomplete returns the reason why the command did not complete, or nil.
func (b *Batch) whyIncomplete(e *Event) error {
	switch {
	case b.err != nil:
		return b.err
	case e.Fault.Failed != nil:
		return e.Fault.Failed
	case e.Fault.Cancelled: // a cancelled command counts as cancelled even if the device also ended one of its loops
		return ErrCancelled
	case e.Fault.Ended != 0:
		return ErrEnded
	}
	return nil
}

// updatePoison updates the poisoned ranges of the memory that a completed command uses.
func (s *Stream) updatePoison(op hal.Op, uses []use, e *Event) {
	by := e
	if e.Rare().err == nil {
		by = nil
		for i := range uses {
			if u := &uses[i]; u.access&uint8(abi.Read) != 0 {
				by = firstOf(by, u.mem.poisonedBy(u.lo, u.hi))
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
			u.mem.unpoison(u.lo, u.hi)
			u.mem.poison = append(u.mem.poison, poisonRange{u.lo, u.hi, by})
		case op != hal.OpLaunch: // only a kernel may leave parts of its memory unwritten
			u.mem.unpoison(u.lo, u.hi)
		}
		s.poisons += len(u.mem.poison) - before
	}
}

// poisonedBy returns the first command that poisoned a part of the range [lo, hi), or nil.
func (m *memoryState) poisonedBy(lo, hi uint64) (by *Event) {
	for _, p := range m.poison {
		if p.lo < hi && lo < p.hi {
			by = firstOf(by, p.by)
		}
	}
	return by
}

// firstOf returns the command that was recorded first. If one of the two commands is nil, firstOf
// returns the other one.
func firstOf(a, b *Event) *Event {
	if a == nil || b != nil && b.pos < a.pos {
		return b
	}
	return a
}

// unpoison removes the range [lo, hi) from the poisoned ranges.
func (m *memoryState) unpoison(lo, hi uint64) {
	var rest []poisonRange
	m.poison = slices.DeleteFunc(m.poison, func(p poisonRange) bool {
		if p.hi <= lo || hi <= p.lo {
			return false
		}
		if p.lo < lo {
			rest = append(rest, poisonRange{p.lo, lo, p.by})
		}
		if hi < p.hi {
			rest = append(rest, poisonRange{hi, p.hi, p.by})
		}
		return true
	})
	m.poison = append(m.poison, rest...)
}
