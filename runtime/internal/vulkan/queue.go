//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

var background = context.Background()

// errBusy is the error for a command that must wait for free resources.
var errBusy = errors.New("BUG: vulkan: the queue is busy")

// A queue submits batches in order.
type queue struct {
	d *device

	// Submit locks submitMu. While a goroutine runs pumpJobs, that goroutine owns the encoder. If
	// no goroutine runs pumpJobs, the goroutine that has locked submitMu owns the encoder. No
	// goroutine waits for the device while it holds submitMu.
	submitMu sync.Mutex
	enc      encoder
	tickets  []ticket // tickets of later batches; guarded by submitMu

	lines [2]submitLine // main line, and a line for copies if the device has a queue for them

	mu       sync.Mutex
	ring     *ring
	inflight []*part // submitted parts, oldest first
	retired  []*slot // slots of finished parts, for the encoder to recycle
	spare    []*slot // empty slice, whose storage the field `retired` uses next
	slots    []*slot // all slots

	// The fields below belong to the goroutine that runs pumpJobs. The goroutine of pumpJobs
	// submits the commands that must wait for free resources, so that Submit need not wait for the
	// device.
	pumping bool
	jobs    []*job
	pumps   sync.WaitGroup
	closed  bool
}

// The function `watch` is nil, except in tests. The queue calls `watch` for each submission, before
// any goroutine waits for the submission.
var watch func(d *device, p *part, commands vkx.Commands)

// commandMark says where the Vulkan commands of a hal.Command begin. commandMark.at is an index into the
// Vulkan commands of a part, after the command's barrier.
type commandMark struct {
	at    int
	kind  stageKind
	epoch int // number of commands with a Barrier, up to and including this command
	cmd   *hal.Command
	graph *recording // recording that the part executes at this index, for an OpGraph
}

// A job is a batch that is being submitted.
type job struct {
	t     *ticket
	cmds  []hal.Command
	i     int        // index of the next command
	done  uint64     // number of bytes of the next command that are done
	track *lineTrack // track of the next command; nil until selectLine has selected the track

	// The fields below are for the case that the next command is an OpGraph whose commands are
	// encoded one by one.
	nodes []hal.Command
	at    int // index of the next node
}

// initLines makes the lines of the queue, on Vulkan queues of the given families.
func (q *queue) initLines(d *device, families []uint32) error {
	q.d = d
	for i, family := range families {
		can := stageSet(1<<compute | 1<<transfer)
		if i > 0 {
			can = 1 << transfer
		}
		if err := q.lines[i].init(q, family, can); err != nil {
			return err
		}
	}
	var aside *submitLine
	if len(families) > 1 {
		aside = &q.lines[1]
	}
	q.enc = newEncoder(q, &q.lines[0], aside)
	return nil
}

// Submit starts a batch.
func (d *device) Submit(batch []hal.Command) (hal.Ticket, error) {
	if err := d.checkBatch(batch); err != nil {
		return nil, err
	}
	q := &d.queue
	q.submitMu.Lock()
	defer q.submitMu.Unlock()
	t := q.newTicket()
	t.apart = isApart(batch)
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil, errClosed
	}
	if err := d.lostErr(); err != nil {
		q.mu.Unlock()
		return nil, err
	}
	if q.pumping {
		t.sealed = make(chan struct{})
		q.jobs = append(q.jobs, &job{t: t, cmds: batch})
		q.mu.Unlock()
		return t, nil
	}
	q.mu.Unlock()
	j := job{t: t, cmds: batch}
	if !q.enc.encodeJob(&j, false) {
		t.sealed = make(chan struct{})
		q.mu.Lock()
		q.pumping = true
		q.pumps.Add(1)
		q.mu.Unlock()
		rest := j
		go q.pumpJobs(&rest)
	}
	return t, nil
}

// isApart reports whether a batch may finish before earlier batches, as soon as the device has
// completed it. A read finishes after earlier reads, because both may store to the same memory of
// the host.
func isApart(batch []hal.Command) bool {
	return len(batch) == 1 && batch[0].Apart && batch[0].Op != hal.OpRead
}

// newTicket returns a new ticket. newTicket allocates several tickets at a time. The caller has locked
// submitMu.
func (q *queue) newTicket() *ticket {
	if len(q.tickets) == 0 {
		q.tickets = make([]ticket, 16)
	}
	t := &q.tickets[0]
	q.tickets = q.tickets[1:]
	t.q = q
	return t
}

// submitAlone calls the function `record`, which adds commands to the encoder. Then submitAlone
// submits these commands as a separate batch.
func (q *queue) submitAlone(record func(*encoder) error) (*ticket, error) {
	q.submitMu.Lock()
	defer q.submitMu.Unlock()
	t := &ticket{q: q}
	q.enc.beginBatch(t, true)
	err := record(&q.enc)
	if err != nil {
		q.enc.discardPart(err)
		return nil, err
	}
	if err := q.enc.submitPart(); err != nil {
		return nil, err
	}
	return t, nil
}

// pumpJobs submits jobs until there are no more jobs.
func (q *queue) pumpJobs(j *job) {
	defer q.pumps.Done()
	for j != nil {
		q.enc.encodeJob(j, true)
		close(j.t.sealed)
		q.mu.Lock()
		j = nil
		if len(q.jobs) > 0 {
			j = q.jobs[0]
			q.jobs = slices.Delete(q.jobs, 0, 1)
		} else {
			q.pumping = false
		}
		q.mu.Unlock()
	}
}

// checkBatch returns an error if a batch contains an invalid command, before any command starts.
// checkBatch also makes the pipelines for launches that must be split. If a pipeline cannot be
// made, the launch fails.
func (d *device) checkBatch(batch []hal.Command) error {
	for i := range batch {
		c := &batch[i]
		switch c.Op {
		case hal.OpLaunch:
			p, ok := c.Pipeline.(*pipeline)
			if !ok || p.d != d {
				return fmt.Errorf("vulkan: command %d: a pipeline of another device", i)
			}
			if len(c.Args) != p.args {
				return fmt.Errorf("vulkan: command %d: %d bytes of arguments, the kernel has %d", i, len(c.Args), p.args)
			}
			if d.tooMany(c.Groups) {
				if _, err := p.dispatchBase(); err != nil {
					failCommand(c, err)
				}
			}
		case hal.OpCopy, hal.OpFill, hal.OpWrite, hal.OpRead:
			if err := d.checkTransfer(c); err != nil {
				return fmt.Errorf("vulkan: command %d: %w", i, err)
			}
		case hal.OpGraph:
			if g, ok := c.Graph.(*replay); !ok || g.d != d {
				return fmt.Errorf("vulkan: command %d: a graph of another device", i)
			}
		default:
			return fmt.Errorf("vulkan: command %d: unknown operation %d", i, c.Op)
		}
	}
	return nil
}

func (d *device) checkTransfer(c *hal.Command) error {
	size := c.Size
	if c.Op == hal.OpWrite || c.Op == hal.OpRead {
		size = uint64(len(c.Host))
		if c.Size != size {
			return fmt.Errorf("size %d, but %d bytes of host memory", c.Size, size)
		}
	}
	if c.Op != hal.OpRead {
		if err := d.inside(c.Dst, c.DstOff, size); err != nil {
			return err
		}
	}
	if c.Op == hal.OpCopy || c.Op == hal.OpRead {
		if err := d.inside(c.Src, c.SrcOff, size); err != nil {
			return err
		}
	}
	if c.Op == hal.OpFill && (c.DstOff|size)%4 != 0 {
		return fmt.Errorf("a fill of %d bytes at %d: not multiples of 4", size, c.DstOff)
	}
	return nil
}

func (d *device) inside(mem hal.Memory, off, size uint64) error {
	m, ok := mem.(*memory)
	if !ok || m.d != d {
		return fmt.Errorf("memory of another device")
	}
	if off > m.size || size > m.size-off {
		return fmt.Errorf("%d bytes at %d of memory of %d bytes", size, off, m.size)
	}
	return nil
}

// tooMany reports whether a dispatch with the given number of work-groups must be split.
func (d *device) tooMany(groups [3]uint32) bool {
	limit := &d.phys.MaxComputeWorkGroupCount
	return groups[0] > limit[0] || groups[1] > limit[1] || groups[2] > limit[2]
}

// oldestPart returns the oldest submission in flight, or nil.
func (q *queue) oldestPart() *part {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.inflight) == 0 {
		return nil
	}
	return q.inflight[0]
}

// waitOldest waits for the oldest submission, if there is one.
func (q *queue) waitOldest() (bool, error) {
	p := q.oldestPart()
	if p == nil {
		return false, nil
	}
	return true, p.waitFinished(background)
}

// finishParts finishes the parts that have completed, in order.
func (q *queue) finishParts() {
	for p := q.oldestPart(); p != nil && p.hasCompleted(); p = q.oldestPart() {
		p.storeResults()
	}
}

// pushPart submits the commands of the part p. The field `slot` of p must be set.
func (q *queue) pushPart(p *part, commands vkx.Commands) error {
	p.value = p.line.pushedValue + 1
	s := vkx.Submission{Queue: p.line.queue, Buffer: p.slot.cb, Timeline: p.line.timeline, Value: p.value}
	if p.otherLine != nil {
		s.Wait, s.After, s.Stages = p.otherLine.timeline, p.waitValue, scopes[p.line.accepted].stages
	}
	had, gone := p.slot.lastCommands, q.d.gone.Load()
	s.Again = len(had) > 0 && p.slot.gone == gone && slices.Equal(had, commands)
	p.slot.lastCommands = had[:0]
	if err := q.d.check("vkQueueSubmit", q.d.vk.Submit(&s, commands)); err != nil {
		return err
	}
	// A graph's recording may be pending in only one command buffer at a time.
	if len(p.slot.graphs) == 0 {
		p.slot.lastCommands, p.slot.gone = append(had[:0], commands...), gone
	}
	p.unchanged = s.Again
	if watch != nil {
		watch(q.d, p, commands)
	}
	p.line.pushedValue = p.value
	q.mu.Lock()
	q.inflight = append(q.inflight, p)
	q.mu.Unlock()
	return nil
}

// drainQueue waits until the queue is idle or the device is lost. After the call of drainQueue, the
// queue rejects new batches.
func (q *queue) drainQueue() {
	q.submitMu.Lock()
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.submitMu.Unlock()
	q.pumps.Wait()
	for {
		if more, err := q.waitOldest(); !more || err != nil {
			break
		}
	}
}

// `close` destroys the slots and the staging ring of an idle queue.
func (q *queue) close() {
	for p := q.oldestPart(); p != nil; p = q.oldestPart() {
		p.storeResults()
	}
	q.mu.Lock()
	slots, ring := q.slots, q.ring
	q.slots, q.retired, q.ring = nil, nil, nil
	for i := range q.lines {
		q.lines[i].free = nil
	}
	q.mu.Unlock()
	for _, s := range slots {
		q.destroySlot(s)
	}
	if ring != nil {
		ring.mem.Free()
	}
	for i := range q.lines {
		q.lines[i].close()
	}
}
