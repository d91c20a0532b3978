package runtime

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// This file launches what was launched before. Programs launch a kernel over the same range
// again and again, with other arguments at most; what the checks of check.go say of the range,
// the kernel and the device, and which pipeline that takes, is the same each time:
//
//	first    check, plan, find the pipeline by a hash of all that it depends on
//	second   the same, and the device remembers it
//	third    compare the range; look at the arguments and the variables
//
// Only launches without options are remembered, of kernels without local accessors that do not
// print.

const memoSlots = 64

// memo is how a launch ran that had nothing wrong. It does not change.
type memo struct {
	kernel        *Kernel
	global, local [3]int // as the call has them
	ran           [3]int32
	hasSmall      bool
	variant       *variant

	// What the command has, beside its arguments.
	pipeline      hal.Pipeline
	items, groups [3]uint32
}

// memoSlot is a place for a memo, of which each launch has one by its hash. One that is seen for
// the first time is not remembered, so that launches over ranges that always differ make nothing.
type memoSlot struct {
	memo   atomic.Pointer[memo]
	missed atomic.Uint64
}

// memoSlot returns the place of a launch, and its hash.
func (d *Device) memoSlot(k *Kernel, c *launch.Call) (*memoSlot, uint64) {
	h := uint64(k.number) * 0x9e3779b97f4a7c15
	for i := range c.Rank {
		h = (h ^ uint64(c.Global[i]) ^ uint64(c.Local[i])<<32) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return &d.memos[h%memoSlots], h
}

// remember remembers a launch whose pipeline has been found.
func (d *Device) remember(k *Kernel, c *exec.Launch, p *plan) {
	if k.output != nil || len(c.Accessors) > 0 || p.options || p.variant == nil || p.empty {
		return
	}
	slot, h := d.memoSlot(k, c.Call)
	if slot.missed.Swap(h) != h {
		return
	}
	m := &memo{kernel: k, global: c.Global, local: c.Local, hasSmall: d.hasSmall(k), variant: p.variant,
		ran:      [3]int32{int32(p.local[0]), int32(p.local[1]), int32(p.local[2])},
		pipeline: p.variant.pipeline, items: deviceOrder(c.Rank, c.Global), groups: deviceOrder(c.Rank, groups(k.abi, c, p))}
	slot.memo.Store(m)
}

// again launches what the device remembers. It reports false if the launch is another one, or
// something is wrong with it: then nothing was done.
func (q *Queue) again(k *Kernel, c *launching) (_ Event, done bool, _ error) {
	d := q.dev
	slot, _ := d.memoSlot(k, c.Call)
	m := slot.memo.Load()
	if m == nil || m.kernel != k || m.global != c.Global || m.local != c.Local || c.Form != k.abi.Form || c.Rank != k.abi.Rank {
		return Event{}, false, nil
	}
	for i := range c.Placed {
		a := &c.Placed[i]
		if a.Len == launch.NoBuffer || a.View.Bad || a.Mem != nil && (a.Mem.Stream() != d.stream || a.Mem.Released()) {
			return Event{}, false, nil
		}
	}
	if k.watch.Changed() != nil {
		return Event{}, false, nil
	}
	c.Pass(k.abi)
	if m.hasSmall && m.variant.shape.small != k.isSmall(&c.Launch) || !d.variants.again(m.variant) {
		return Event{}, false, nil
	}
	l := c.event(d, k)
	l.local = m.ran
	c.Uses = append(c.Uses, stream.Use{Mem: m.variant.handle})
	// Nobody else sets c.command, so that its other fields are zero. Copying a whole command costs a
	// tenth of a launch.
	n := &c.command
	n.Cmd.Op, n.Cmd.Pipeline, n.Cmd.Global, n.Cmd.Groups = hal.OpLaunch, m.pipeline, m.items, m.groups
	n.Cmd.Args, n.Cmd.Slices, n.Uses = c.Block, c.Passed, c.Uses
	err := d.stream.Record(background, &q.rec, n, &l.ev)
	m.variant.users.Add(-1)
	if err != nil {
		return Event{}, true, backendError(d, k, "the launch was not recorded", err)
	}
	return Event{l}, true, nil
}
