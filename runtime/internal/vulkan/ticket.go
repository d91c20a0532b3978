//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"context"
	"encoding/binary"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// This file waits for the parts of a batch, and stores the results of finished parts. A part is one
// submission to the device.

const (
	// A wait polls for spinTime before it blocks, because blocking costs 20 µs more. During the
	// first keepTime, a wait that polls does not yield its processor. If a wait yields, threads
	// wake and look for work. Such threads made a launch and its wait 5 µs slower.
	spinTime = 50 * time.Microsecond
	keepTime = 30 * time.Microsecond
	// sliceTime is how long a wait blocks before it checks its context again.
	sliceTime = 2 * time.Millisecond
	longSlice = 500 * time.Millisecond
)

// A part is one submission, which contains a batch or a piece of a large batch.
type part struct {
	q         *queue
	slot      *slot // slot of the part, or nil after the slot has been retired; guarded by q.mu
	line      *submitLine
	value     uint64      // value of the line's timeline when the part has completed
	otherLine *submitLine // line whose timeline the part waits for, or nil
	waitValue uint64      // value that the timeline of the line in otherLine must reach before the part begins

	ring      *ring
	ringStart uint64
	ringEnd   uint64
	faults    []*hal.Fault // maps a record of the slot to the fault of its launch; a launch may have several records, or none
	copies    []*hal.Fault // faults of commands other than launches
	graphs    []graphRun
	graph     [1]graphRun   // storage for the first graph of the part
	cancels   []*hal.Cancel // cancel requests of launches; a request may write to a fault record until stopCancels is called
	reads     []readBack
	timed     timesList
	watched   []commandMark
	unchanged bool // the command buffer already contained the part's commands
	apart     bool // the part may finish before earlier parts (see ticket.apart)

	finished atomic.Bool // the results are stored
	mu       sync.Mutex  // locked while the results are stored
}

// readBack describes data of a read command that the host must copy from the staging ring.
type readBack struct {
	c        *hal.Command
	dst, src []byte
}

// hasCompleted reports whether the device has completed the part, so that the host sees its writes. On a
// lost device, all parts count as completed.
func (p *part) hasCompleted() bool {
	return p.finished.Load() || p.q.d.lost.Load() != nil || p.line.hasPassed(p.value)
}

// storeResults stores the results of a completed part. finishParts finishes parts in order, because two
// batches may read into the same host memory.
func (p *part) storeResults() {
	p.mu.Lock()
	if !p.finished.Load() {
		p.stopCancels()
		if err := p.q.d.lostErr(); err != nil {
			p.failAll(err)
		} else {
			for i, f := range p.faults {
				if f != nil {
					p.slot.takeFault(i, f)
				}
			}
			p.timed.storeTimes(p.q.d, p.slot)
			for _, g := range p.graphs {
				g.r.finishRecording(g.fault, g.times)
			}
			for i := range p.reads {
				p.reads[i].copyBack()
			}
		}
		p.keepFaults()
		p.copies, p.graphs, p.graph, p.reads, p.timed = nil, nil, [1]graphRun{}, nil, nil
		p.finished.Store(true)
	}
	p.mu.Unlock()
	p.q.retireParts()
}

// keepFaults keeps the storage of the part's list of faults for the slot's next part.
func (p *part) keepFaults() {
	clear(p.faults)
	p.slot.faults, p.faults = p.faults[:0], nil
}

// failAll records that no command of the part has completed.
func (p *part) failAll(err error) {
	for _, list := range [][]*hal.Fault{p.faults, p.copies} {
		for _, f := range list {
			if f != nil && f.Failed == nil {
				f.Failed = err
			}
		}
	}
	for _, g := range p.graphs {
		if g.fault != nil && g.fault.Failed == nil {
			g.fault.Failed = err
		}
	}
}

// copyBack copies the data from the ring to the caller's memory, unless the owner of the command
// has cancelled the command.
func (r *readBack) copyBack() {
	if !r.c.Cancel.Do(func() { copyBytes(r.dst, r.src) }) && r.c.Fault != nil {
		r.c.Fault.Cancelled = true
	}
}

// stopCancels prevents cancel requests from writing to the fault records of the part's commands.
func (p *part) stopCancels() {
	for _, c := range p.cancels {
		c.Notify(nil)
	}
	p.cancels = nil
}

// leaveWord returns the 32-bit word in record i that makes work-items leave the kernel.
func (s *slot) leaveWord(i int) *uint32 {
	return (*uint32)(unsafe.Pointer(&s.faultRecord(i)[abi.OffsetLeave]))
}

// takeFault parses fault record i and clears the record for the next launch. A linked kernel has
// several records, and the first record with a fault counts. takeFault reports whether the record
// contains a fault or the number of an ended loop.
func (s *slot) takeFault(i int, f *hal.Fault) bool {
	rec := s.faultRecord(i)
	le := binary.LittleEndian
	left := *s.leaveWord(i) != 0
	faulted, ended := le.Uint32(rec) != 0, le.Uint32(rec[abi.OffsetEnded:])
	if !faulted && !f.Set {
		f.Part++
	}
	if !faulted && ended == 0 {
		if left {
			*s.leaveWord(i) = 0
		}
		return false
	}
	if f.Ended == 0 {
		f.Ended = ended
	}
	f.Cancelled = f.Cancelled || left // other work-items may have left the kernel after a fault
	if faulted && !f.Set {
		f.Site = le.Uint32(rec[4:])
		f.Set = f.Site != abi.SiteCancelled
		f.A, f.B = int64(le.Uint64(rec[8:])), int64(le.Uint64(rec[16:]))
		for k := range f.GlobalID {
			f.GlobalID[k] = le.Uint32(rec[24+4*k:])
		}
	}
	clear(rec[:abi.FaultRecordSize])
	return true
}

// waitFinished waits until the part is finished. If the field `apart` is not set, all earlier parts
// are finished, too, when waitFinished returns.
func (p *part) waitFinished(ctx context.Context) error {
	if err := p.pollDevice(ctx); err != nil {
		return err
	}
	for !p.isReady() {
		if err := ctx.Err(); err != nil {
			return err
		}
		on := p
		if !p.apart && p.hasCompleted() {
			on = p.q.oldestPart() // the part has completed, but an earlier part has not
		}
		if on != nil {
			on.blockAWhile(ctx)
		}
	}
	return p.q.d.lostErr()
}

// isReady reports whether the part is finished. isReady also finishes parts that
// have completed.
func (p *part) isReady() bool {
	if !p.finished.Load() && p.hasCompleted() {
		if p.apart {
			p.storeResults()
		} else {
			p.q.finishParts()
		}
	}
	return p.finished.Load()
}

// pollDevice polls the device for a moment, until the part has completed. pollDevice does
// not poll on a CPU device, which needs the processors itself.
func (p *part) pollDevice(ctx context.Context) error {
	if p.hasCompleted() {
		return nil
	}
	if err := ctx.Err(); err != nil || p.q.d.info.Type == hal.VulkanCPU {
		return err
	}
	alone := runtime.GOMAXPROCS(0) == 1
	for start := time.Now(); ; {
		for range 64 {
			if p.hasCompleted() {
				return nil
			}
		}
		switch since := time.Since(start); {
		case since >= spinTime:
			return nil
		case since >= keepTime || alone:
			runtime.Gosched()
		}
	}
}

// blockAWhile waits for a while without using the processor.
func (p *part) blockAWhile(ctx context.Context) {
	slice := longSlice
	if ctx.Done() != nil {
		slice = sliceTime
	}
	if r := p.awaitPart(uint64(slice)); r < 0 && r != vkx.ErrorDeviceLost {
		// The driver ran out of memory while it waited. The device's work continues, so the method
		// asks the driver again later.
		time.Sleep(time.Millisecond)
	}
}

// awaitPart waits for the part, for at most timeout nanoseconds, and records the result.
func (p *part) awaitPart(timeout uint64) vkx.Result {
	q := p.q
	if p.finished.Load() {
		return vkx.Success // the device may have been closed in the meantime
	}
	r := q.d.vk.WaitReached(p.line.timeline, p.value, timeout)
	switch r {
	case vkx.Success:
		p.line.recordReached(p.value)
	case vkx.ErrorDeviceLost:
		q.d.setLost("vkWaitSemaphores", r)
	}
	return r
}

// newTicket implements hal.Ticket.
type ticket struct {
	q      *queue
	sealed chan struct{} // channel closed when all parts are submitted; nil if Submit itself submitted all parts
	parts  []*part
	first  [1]*part
	own    part // storage for the first part
	opened bool // the storage of the first part is in use
	apart  bool // the batch is one command with the field Apart, and its parts do not wait for earlier batches
}

// newPart returns a new part of the batch.
func (t *ticket) newPart() *part {
	p := &t.own
	if t.opened {
		p = new(part)
	}
	t.opened, p.apart = true, t.apart
	return p
}

// Done reports whether the batch has completed. On a lost device, all batches count as completed.
func (t *ticket) Done() bool {
	if t.sealed != nil {
		select {
		case <-t.sealed:
		default:
			return false
		}
	}
	return t.isReady()
}

// isReady reports whether all parts are finished. All parts must have been submitted.
func (t *ticket) isReady() bool {
	if t.apart {
		return !slices.ContainsFunc(t.parts, func(p *part) bool { return !p.isReady() })
	}
	n := len(t.parts)
	return n == 0 || t.parts[n-1].isReady()
}

// Wait waits until the batch has completed, the device is lost or ctx ends.
func (t *ticket) Wait(ctx context.Context) error {
	if t.sealed != nil {
		select {
		case <-t.sealed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	n := len(t.parts)
	for i, p := range t.parts {
		if !t.apart && i < n-1 {
			continue // the last part finishes after all other parts
		}
		if err := p.waitFinished(ctx); err != nil {
			return err
		}
	}
	return nil
}
