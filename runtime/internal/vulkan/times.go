//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"fmt"
	"sync"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// This file measures when commands run. A command with Times has one query for a timestamp before
// it, and another query for a timestamp after it. The command buffer resets all queries first.
//
// The first timestamp waits for the same commands as the command itself. The second timestamp waits
// for the command. A clock converts the device's ticks to times of the host. From time to time, the
// clock compares the device's clock with the host's clock.

const (
	// maxTimed is the largest number of timed commands in a submission. A submission with more
	// timed commands is divided.
	maxTimed = 256
	// clockTime is how long a comparison of the two clocks stays valid.
	clockTime = 100 * time.Millisecond
	// goodDeviation is the longest time, in nanoseconds, that should pass between the readings of
	// the two clocks. If more time passed, for example because another thread ran in between, the
	// driver compares the clocks again, at most compareTries times.
	goodDeviation, compareTries = 20_000, 5
	// clockTries is the number of submissions for comparing the clocks, if the driver cannot
	// compare them.
	clockTries = 8
)

// A clock converts ticks of the device to times of the host.
type clock struct {
	d      *device
	period float64 // length of a tick in nanoseconds
	bits   uint32  // number of valid bits of a timestamp
	offset int64   // difference between hal.Now and CLOCK_MONOTONIC

	mu        sync.Mutex
	ticks     uint64 // ticks of the device's clock at the last comparison with the host's clock
	now       int64
	deviation int64 // largest error of the host's time at the last comparison, in nanoseconds
	read      int64 // time of the last comparison
}

// timestampBits returns the number of valid bits of timestamps. timestampBits returns 0 if the
// device has no timestamps.
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
	if !d.phys.Calibrated || c.compareClocks() != nil {
		if err := c.compareBySubmits(); err != nil {
			return err
		}
	}
	d.clock = c
	return nil
}

// compareClocks makes the driver read both clocks at the same time. Some drivers promise a small
// deviation although the system may run another program between the two readings. So compareClocks uses
// the duration of the call as the deviation, if that duration is larger.
func (c *clock) compareClocks() error {
	var ticks, monotonic uint64
	least := ^uint64(0)
	for try := 0; try < compareTries && least > goodDeviation; try++ {
		before := hal.Now()
		t, m, deviation, r := c.d.vk.Calibrate()
		if err := c.d.check("vkGetCalibratedTimestampsEXT", r); err != nil {
			return err
		}
		if took := uint64(hal.Now() - before); took > goodDeviation {
			deviation = max(deviation, took)
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

// compareBySubmits compares the clocks with the help of submissions that only write a timestamp.
// compareBySubmits reads the host's clock before and after each submission. The submission with the
// least time between these two readings gives the result.
func (c *clock) compareBySubmits() error {
	pool, r := c.d.vk.CreateQueryPool(1)
	if err := c.d.check("vkCreateQueryPool", r); err != nil {
		return err
	}
	defer func() {
		c.d.gone.Add(1)
		c.d.vk.DestroyQueryPool(pool)
	}()
	best := int64(-1)
	for range clockTries {
		before := hal.Now()
		t, err := c.d.queue.submitAlone(func(e *encoder) error {
			if err := e.openPart(); err != nil {
				return err
			}
			e.commands.ResetQueries(pool, 0, 1)
			e.commands.Timestamp(vkx.PipelineStageBottomOfPipeBit, pool, 0)
			return nil
		})
		if err == nil {
			err = c.d.awaitProbe(t)
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

// hostTime converts a timestamp to the host's time. The timestamp may be earlier or later than
// the last comparison of the clocks.
func (c *clock) hostTime(ticks uint64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	shift := 64 - c.bits
	behind := int64((ticks-c.ticks)<<shift) >> shift // signed difference of the valid bits
	return c.now + int64(float64(behind)*c.period)
}

// refreshClock compares the clocks again if that is cheap and the last comparison is old.
func (c *clock) refreshClock() {
	c.mu.Lock()
	old := c.d.phys.Calibrated && hal.Now()-c.read > int64(clockTime)
	c.mu.Unlock()
	if old {
		c.compareClocks() // after a failure the last comparison stays valid
	}
}

// timesList is a list of the times of timed commands, or of pieces of a command. Element i of a
// timesList has the queries 2i and 2i+1.
type timesList []*hal.Times

// stampBegin records the timestamp before a command of kind k. If the command waits for other
// commands, so does the timestamp. A command that waits for no other command may begin while other
// commands run.
func (e *encoder) stampBegin(k stageKind, waits bool) {
	c := e.current
	if c == nil || c.Times == nil || e.d.clock == nil {
		return
	}
	p := e.part
	stage := vkx.PipelineStageTopOfPipeBit
	if waits || len(p.timed) == 0 {
		stage = scopes[1<<k].stages
	}
	e.commands.Timestamp(stage, p.slot.queries, 2*len(p.timed))
	p.timed, e.timing = append(p.timed, c.Times), true
}

// stampEnd records the timestamp after the current command.
func (e *encoder) stampEnd() {
	if e.timing {
		e.commands.Timestamp(vkx.PipelineStageBottomOfPipeBit, e.part.slot.queries, 2*len(e.part.timed)-1)
		e.timing = false
	}
}

// queriesFull reports whether the part uses all queries of its slot.
func (e *encoder) queriesFull() bool {
	c := e.current
	return e.part != nil && len(e.part.timed) >= maxTimed && !e.part.slot.recorded && c != nil && c.Times != nil
}

// fitQueries allocates queries for the slot of a part, and resets them. The queue of the second
// line cannot reset queries, and its commands are not timed.
func (e *encoder) fitQueries(s *slot, commands int) error {
	if e.d.clock == nil || e.lineTrack == e.copyTrack {
		return nil
	}
	if s.queries == 0 {
		pool, r := e.d.vk.CreateQueryPool(2 * commands)
		if err := e.d.check("vkCreateQueryPool", r); err != nil {
			return err
		}
		s.queries = pool
	}
	e.commands.ResetQueries(s.queries, 0, 2*commands)
	return nil
}

// storeTimes reads the timestamps of completed commands, and stores their times.
func (t timesList) storeTimes(d *device, s *slot) {
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
	d.clock.refreshClock()
	seen := hal.Now()
	for i, times := range t {
		start, end := d.clock.hostTime(ticks[2*i]), d.clock.hostTime(ticks[2*i+1])
		times.Ran(min(start, seen), min(end, seen))
	}
}
