//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"fmt"
	"sync"
	"time"

	vk "github.com/vulkan-go/vulkan"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// This file tells when commands ran. Commands with Times have a query for a timestamp before and
// one behind:
//
//	reset queries, [barrier, timestamp 0, dispatch, timestamp 1], [timestamp 2, copy, timestamp 3]
//
// The first one waits for what the command waits for, the second one for the command. Ticks become
// times of the host by a clock that is compared with the host's now and then.

const (
	// maxTimed is how many commands of one submission can be timed: a longer one is divided.
	maxTimed = 256
	// clockTime is how long a comparison of the clocks is good for.
	clockTime = 100 * time.Millisecond
	// A comparison by the driver is done again if its clocks were read further apart, in
	// nanoseconds, as when something else ran in between.
	goodDeviation, compareTries = 20_000, 3
	// clockTries is how many submissions the clocks are compared by, where the driver cannot.
	clockTries = 8
)

// clock turns ticks of the device into times of the host.
type clock struct {
	d      *device
	period float64 // nanoseconds of a tick
	bits   uint32  // of a timestamp that count
	offset int64   // of hal.Now to CLOCK_MONOTONIC

	mu        sync.Mutex
	ticks     uint64 // at the time now
	now       int64
	deviation int64 // nanoseconds that now may be wrong by
	read      int64 // when the two were compared last
}

// timestampBits returns how many bits of timestamps are valid, 0 if there are none.
func timestampBits(p *vkx.PhysicalDeviceInfo) uint32 {
	family, _ := queueFamily(p)
	if p.TimestampPeriod <= 0 || int(family) >= len(p.TimestampBits) {
		return 0
	}
	return p.TimestampBits[family]
}

// Time implements hal.Timer.
func (d *device) Time() error {
	if !d.info.Timestamps {
		return fmt.Errorf("vulkan: its queue writes no timestamps: %w", hal.ErrNotSupported)
	}
	c := &clock{d: d, period: d.phys.TimestampPeriod, bits: timestampBits(d.phys)}
	before := hal.Now()
	c.offset = (before+hal.Now())/2 - int64(vkx.Monotonic())
	if !d.phys.Calibrated || c.compare() != nil {
		if err := c.bracket(); err != nil {
			return err
		}
	}
	d.clock = c
	return nil
}

// compare has the driver read both clocks at once.
func (c *clock) compare() error {
	var ticks, monotonic uint64
	least := ^uint64(0)
	for try := 0; try < compareTries && least > goodDeviation; try++ {
		t, m, deviation, r := c.d.vk.Calibrate()
		if err := c.d.check("vkGetCalibratedTimestampsEXT", r); err != nil {
			return err
		}
		if deviation < least || try == 0 {
			ticks, monotonic, least = t, m, deviation
		}
	}
	c.set(ticks, int64(monotonic)+c.offset, int64(least))
	return nil
}

func (c *clock) set(ticks uint64, now, deviation int64) {
	c.mu.Lock()
	c.ticks, c.now, c.deviation, c.read = ticks, now, deviation, hal.Now()
	c.mu.Unlock()
}

// bracket compares the clocks by submissions that do nothing but write a timestamp, which comes
// between two times of the host. The two that are closest count.
func (c *clock) bracket() error {
	pool, r := c.d.vk.CreateQueryPool(1)
	if err := c.d.check("vkCreateQueryPool", r); err != nil {
		return err
	}
	defer func() {
		c.d.gone.Add(1)
		vk.DestroyQueryPool(c.d.vk.Handle, pool, nil)
	}()
	best := int64(-1)
	for range clockTries {
		before := hal.Now()
		t, err := c.d.queue.submit(func(e *encoder) error {
			if err := e.open(); err != nil {
				return err
			}
			e.commands.ResetQueries(pool, 0, 1)
			e.commands.Timestamp(vk.PipelineStageBottomOfPipeBit, pool, 0)
			return nil
		})
		if err == nil {
			err = c.d.answer(t)
		}
		if err != nil {
			return err
		}
		after := hal.Now()
		var ticks [1]uint64
		if err := c.d.check("vkGetQueryPoolResults", c.d.vk.Timestamps(pool, 0, ticks[:])); err != nil {
			return err
		}
		if best < 0 || after-before < best {
			best = after - before
			c.set(ticks[0], before+best/2, (best+1)/2)
		}
	}
	return nil
}

// at returns the host's time of a timestamp, which may be before or after that of the comparison.
func (c *clock) at(ticks uint64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	shift := 64 - c.bits
	behind := int64((ticks-c.ticks)<<shift) >> shift // of bits that count, with their sign
	return c.now + int64(float64(behind)*c.period)
}

// refresh compares the clocks again where that is cheap and was long ago.
func (c *clock) refresh() {
	c.mu.Lock()
	old := c.d.phys.Calibrated && hal.Now()-c.read > int64(clockTime)
	c.mu.Unlock()
	if old {
		c.compare() // without, the one before still counts
	}
}

// timed is a command, or a piece of one, that has the queries 2i and 2i+1 if it is number i.
type timed []*hal.Times

// begun notes the time at which a command of kind k begins. Where it waits for others, so does the
// timestamp; otherwise it may begin while they run.
func (e *encoder) begun(k kind, waits bool) {
	c := e.current
	if c == nil || c.Times == nil || e.d.clock == nil {
		return
	}
	p := e.part
	stage := vk.PipelineStageTopOfPipeBit
	if waits || len(p.timed) == 0 {
		stage = scopes[1<<k].stages
	}
	e.commands.Timestamp(stage, p.slot.queries, 2*len(p.timed))
	p.timed, e.timing = append(p.timed, c.Times), true
}

// ended notes the time at which the command ends that begun before.
func (e *encoder) ended() {
	if e.timing {
		e.commands.Timestamp(vk.PipelineStageBottomOfPipeBit, e.part.slot.queries, 2*len(e.part.timed)-1)
		e.timing = false
	}
}

// full reports whether there is no query left for the command that comes next.
func (e *encoder) full() bool {
	c := e.current
	return e.part != nil && len(e.part.timed) >= maxTimed && !e.part.slot.recorded && c != nil && c.Times != nil
}

// fitQueries gives the slot of a part queries, and readies them.
func (e *encoder) fitQueries(s *slot, commands int) error {
	if e.d.clock == nil {
		return nil
	}
	if s.queries == nil {
		pool, r := e.d.vk.CreateQueryPool(2 * commands)
		if err := e.d.check("vkCreateQueryPool", r); err != nil {
			return err
		}
		s.queries = pool
	}
	e.commands.ResetQueries(s.queries, 0, 2*commands)
	return nil
}

// tell reads the queries of commands that have completed.
func (t timed) tell(d *device, s *slot) {
	if len(t) == 0 {
		return
	}
	ticks := make([]uint64, 2*len(t))
	if d.check("vkGetQueryPoolResults", d.vk.Timestamps(s.queries, 0, ticks)) != nil {
		for _, times := range t {
			times.Lost = true
		}
		return
	}
	d.clock.refresh()
	seen := hal.Now()
	for i, times := range t {
		start, end := d.clock.at(ticks[2*i]), d.clock.at(ticks[2*i+1])
		times.Ran(min(start, seen), min(end, seen))
	}
}
