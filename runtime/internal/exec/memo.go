package exec

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// This file makes repeated launches faster. Programs often launch a kernel many times over the same
// range, but with other arguments. Repeated launches have the same pipeline, and the same results
// of all checks of the range, the kernel and the device.
//
// The first launch does all checks, makes a plan, and finds the pipeline by a hash of everything
// that the pipeline depends on. The second launch does the same, and then stores a Memo in the
// device. Each later launch only compares its range with the range in the Memo, and checks the
// arguments and the package-level variables.
//
// A device stores Memos only for launches without options, and only for kernels that have no local
// accessors and do not print.

const memoSlots = 64

// Memos contains the Memos of a device.
type Memos struct{ slots [memoSlots]memoSlot }

// Memo describes an earlier launch that had no errors. A Memo never changes.
type Memo struct {
	Pipeline *Pipeline
	Ran      [3]int32 // work-group size, in the order of the kernel's indexes

	kernel        *Kernel
	global, local [3]int // global and local sizes of the call
	hasSmall      bool   // the kernel has a separate module for small launches
	items, groups [3]uint32
}

// memoSlot is an entry of the table in Memos. The hash of a launch selects the entry. A Memo is
// stored only for the second of two equal launches. If the ranges of launches always differ, no
// Memos are allocated.
type memoSlot struct {
	memo   atomic.Pointer[Memo]
	missed atomic.Uint64
}

// slotFor returns the table entry for a launch, and the launch's hash.
func (m *Memos) slotFor(k *Kernel, c *launch.Call) (*memoSlot, uint64) {
	h := uint64(k.number) * 0x9e3779b97f4a7c15
	for i := range c.Rank {
		h = (h ^ uint64(c.Global[i]) ^ uint64(c.Local[i])<<32) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return &m.slots[h%memoSlots], h
}

// Remember stores a Memo of the launch, unless the launch is the first one with its hash. The
// launch's pipeline must have been found. The parameter hasSmall says that the kernel has a
// separate module for small launches.
func (m *Memos) Remember(k *Kernel, l *Launch, p *Plan, hasSmall bool) {
	if p.Print != nil || len(l.Accessors) > 0 || p.Options || p.Pipeline == nil || p.Empty {
		return
	}
	slot, h := m.slotFor(k, l.Call)
	if slot.missed.Swap(h) != h {
		return
	}
	slot.memo.Store(&Memo{kernel: k, global: l.Global, local: l.Local, hasSmall: hasSmall, Pipeline: p.Pipeline,
		Ran:   [3]int32{int32(p.Local[0]), int32(p.Local[1]), int32(p.Local[2])},
		items: DeviceOrder(l.Rank, l.Global), groups: DeviceOrder(l.Rank, l.groupCounts(k.ABI, p))})
}

// Find returns the Memo for launches of the kernel over the call's range, or nil.
func (m *Memos) Find(k *Kernel, c *launch.Call) *Memo {
	slot, _ := m.slotFor(k, c)
	r := slot.memo.Load()
	if r == nil || r.kernel != k || r.global != c.Global || r.local != c.Local || c.Form != k.ABI.Form || c.Rank != k.ABI.Rank {
		return nil
	}
	return r
}

// The method Take makes the caller a user of the memo's pipeline. Before the call, all arguments of
// the launch must have been set. Take returns false if the launch needs another pipeline, or if the
// device no longer keeps the memo's pipeline.
func (m *Memo) Take(l *Launch, of *Pipelines) bool {
	return !(m.hasSmall && m.Pipeline.Shape.Small != m.kernel.IsSmall(l)) && of.Again(m.Pipeline)
}

// Command sets the fields of n to the command of the launch. Callers reuse n only for launches, so
// Command sets only the fields that change. Copying a whole command would take a tenth of a
// launch's time.
func (m *Memo) Command(n *stream.Command, l *Launch) {
	l.Uses = append(l.Uses, stream.Use{Mem: m.Pipeline.Handle})
	n.Cmd.Op, n.Cmd.Pipeline, n.Cmd.Global, n.Cmd.Groups = hal.OpLaunch, m.Pipeline.Code, m.items, m.groups
	n.Cmd.Args, n.Cmd.Slices, n.Uses = l.Block, l.Passed, l.Uses
}
