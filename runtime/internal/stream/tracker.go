package stream

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Use is a command's access to a range of memory. The range is in bytes from the start of the
// memory.
type Use struct {
	Mem    *Memory
	Lo, Hi uint64
	Access abi.Access
}

// usedRange describes a range of memory that commands have used since the last barrier.
type usedRange struct {
	mem    hal.Memory
	lo, hi uint64
	write  bool
}

// maxAccesses is the largest number of ranges that a Tracker compares. If there are more than
// maxAccesses ranges, a barrier costs less than the comparison.
const maxAccesses = 512

// Tracker finds the commands that need a barrier. A barrier makes all later commands wait for all
// earlier commands. The Tracker therefore keeps only the memory uses since the last barrier. These
// include uses in earlier batches, because the completion of a batch does not make its writes
// visible to a later batch.
type Tracker struct {
	open []usedRange
}

// Add records a command's uses and reports whether the command needs a barrier. If force is set,
// the command gets a barrier in any case.
func (t *Tracker) Add(uses []Use, force bool) bool {
	barrier := force || len(t.open)+len(uses) > maxAccesses || t.conflicts(uses)
	if barrier {
		clear(t.open)
		t.open = t.open[:0]
	}
	for _, u := range uses {
		t.insert(u)
	}
	return barrier
}

func (t *Tracker) conflicts(uses []Use) bool {
	for i := range uses {
		u := &uses[i]
		if u.Access == 0 || u.Lo >= u.Hi {
			continue
		}
		write := u.Access&abi.Write != 0
		for j := range t.open {
			o := &t.open[j]
			if o.lo < u.Hi && u.Lo < o.hi && (write || o.write) && o.mem == u.Mem.state.hal {
				return true
			}
		}
	}
	return false
}

func (t *Tracker) insert(u Use) {
	if u.Access == 0 || u.Lo >= u.Hi {
		return
	}
	a := usedRange{u.Mem.state.hal, u.Lo, u.Hi, u.Access&abi.Write != 0}
	for j := range t.open {
		o := &t.open[j]
		if o.mem == a.mem && o.lo <= a.lo && a.hi <= o.hi && (o.write || !a.write) {
			return // the new range is contained in a recorded range
		}
	}
	t.open = append(t.open, a)
}
