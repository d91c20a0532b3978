//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

const (
	// A slot's host memory: the completion word, the record of launches whose
	// faults nobody asks for, and records of launches.
	offWord, offSink, offRecords = 0, 64, 128
	slotBytes                    = 4096
	slotRecords                  = (slotBytes - offRecords) / abi.FaultRecordSize
	moreRecords                  = 960
	maxLaunches                  = slotRecords + moreRecords // in one part

	maxSlots = 1024
	// Submit blocks when more than this waits for the pump.
	maxKept = 256 << 20
	// Slots whose parts have completed are readied for reuse together, since
	// asking for a fence's state can take 30 µs.
	reclaimSlots = 16
)

var background = context.Background()

// slot is what one submission needs; slots are recycled.
type slot struct {
	pool    vk.CommandPool
	cb      vk.CommandBuffer
	fence   [1]vk.Fence
	host    *memory
	more    *memory // further fault records
	args    *memory // arguments past the launch block
	argsOff uint64
	oldArgs []*memory // outgrown, freed when the slot is used again
	waiters int       // on the fence; under queue.mu
	settled bool      // the fence is known to be signalled; under queue.mu
}

// record returns fault record i.
func (s *slot) record(i int) []byte {
	if i < slotRecords {
		return s.host.data[offRecords+i*abi.FaultRecordSize:]
	}
	return s.more.data[(i-slotRecords)*abi.FaultRecordSize:]
}

func (s *slot) recordAddress(i int) uint64 {
	if i < slotRecords {
		return s.host.addr + offRecords + uint64(i)*abi.FaultRecordSize
	}
	return s.more.addr + uint64(i-slotRecords)*abi.FaultRecordSize
}

// queue submits batches in order.
type queue struct {
	d *device

	// order is held by Submit; whoever holds it, or the pump while there is one,
	// owns enc.
	order sync.Mutex
	enc   encoder

	// fences is held while retired slots' fences are waited for.
	fences sync.Mutex

	mu       sync.Mutex // taken after fences
	ring     *ring
	inflight []*part // oldest first
	free     []*slot
	retired  []*slot // completed, but their fences may be a moment behind
	slots    []*slot // all
	seq      uint32

	// The pump is a goroutine that submits what needs staging space that only
	// completed work can give, so that Submit need not wait for the device.
	pumping bool
	jobs    []*job
	kept    int       // bytes of host memory copied for jobs
	room    sync.Cond // signalled when there are fewer
	pumps   sync.WaitGroup
	closed  bool
}

// job is a batch on its way to the device.
type job struct {
	t    *ticket
	cmds []hal.Command
	i    int    // the command that is next
	done uint64 // bytes of it that are done
	kept int    // bytes of host memory copied
}

func (q *queue) init(d *device) {
	q.d = d
	q.room.L = &q.mu
	q.enc = encoder{d: d, q: q}
}

// Submit starts a batch.
func (d *device) Submit(batch []hal.Command) (hal.Ticket, error) {
	if err := d.checkBatch(batch); err != nil {
		return nil, err
	}
	q := &d.queue
	q.order.Lock()
	defer q.order.Unlock()
	j := &job{t: &ticket{q: q}, cmds: batch}
	q.mu.Lock()
	for q.pumping && q.kept > maxKept {
		q.room.Wait()
	}
	if q.closed {
		q.mu.Unlock()
		return nil, errClosed
	}
	if q.pumping {
		q.kept += j.keep()
		q.jobs = append(q.jobs, j)
		q.mu.Unlock()
		return j.t, nil
	}
	q.mu.Unlock()
	if err := d.lostErr(); err != nil {
		return nil, err
	}
	q.enc.begin(j.t)
	paused, err := q.enc.run(j, false)
	if err == nil && !paused {
		err = q.enc.flush()
	}
	if err != nil {
		q.enc.abandon()
		return nil, err
	}
	if paused {
		n := j.keep()
		q.mu.Lock()
		q.kept += n
		q.pumping = true
		q.pumps.Add(1)
		q.mu.Unlock()
		go q.pump(j)
	}
	return j.t, nil
}

// submit submits what record records, as a batch of its own.
func (q *queue) submit(record func(*encoder) error) (*ticket, error) {
	q.order.Lock()
	defer q.order.Unlock()
	t := &ticket{q: q}
	q.enc.begin(t)
	err := record(&q.enc)
	if err == nil {
		err = q.enc.flush()
	}
	if err != nil {
		q.enc.abandon()
		return nil, err
	}
	return t, nil
}

// keep copies what is still to be read from the caller's memory, and returns how
// much that is.
func (j *job) keep() int {
	j.t.sealed = make(chan struct{})
	j.cmds = slices.Clone(j.cmds[j.i:])
	j.i = 0
	for i := range j.cmds {
		c := &j.cmds[i]
		c.Args = slices.Clone(c.Args)
		if c.Op == hal.OpWrite {
			c.Host = slices.Clone(c.Host)
			j.kept += len(c.Host)
		}
	}
	return j.kept
}

// pump submits jobs until there are none.
func (q *queue) pump(j *job) {
	defer q.pumps.Done()
	for j != nil {
		q.enc.begin(j.t)
		_, err := q.enc.run(j, true)
		if err == nil {
			err = q.enc.flush()
		}
		if err != nil {
			q.enc.abandon()
			j.t.err = err
		}
		close(j.t.sealed)
		q.mu.Lock()
		q.kept -= j.kept
		q.room.Broadcast()
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

// checkBatch rejects what a batch must not hold, before any of it is started, and
// makes the pipelines that it needs besides.
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
					return err
				}
			}
		case hal.OpCopy, hal.OpFill, hal.OpWrite, hal.OpRead:
			if err := d.checkTransfer(c); err != nil {
				return fmt.Errorf("vulkan: command %d: %w", i, err)
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

// tooMany reports whether a dispatch of that many groups has to be split.
func (d *device) tooMany(groups [3]uint32) bool {
	limit := &d.phys.MaxComputeWorkGroupCount
	return groups[0] > limit[0] || groups[1] > limit[1] || groups[2] > limit[2]
}

// retire gives back what finished parts at the head of the line have used.
func (q *queue) retire() {
	var old []*memory
	q.mu.Lock()
	n := 0
	for ; n < len(q.inflight) && q.inflight[n].finished.Load(); n++ {
		p := q.inflight[n]
		q.retired = append(q.retired, p.slot)
		p.slot = nil
		if r := p.ring; r != nil {
			r.tail = p.ringEnd
			r.parts--
			if r != q.ring && r.parts == 0 {
				old = append(old, r.mem)
			}
			p.ring = nil
		}
	}
	if n > 0 {
		q.inflight = slices.Delete(q.inflight, 0, n)
	}
	q.mu.Unlock()
	for _, m := range old { // not under q.mu, which is taken after the allocator's
		m.Free()
	}
}

// settleTries bounds how often settle tries a wait that fails again.
const settleTries = 100

// settle waits for the fences of all completed parts. Their work is done, but
// until its fence is signalled, what a command buffer uses must not be destroyed.
func (q *queue) settle() {
	// A part may be finished, and its ticket done, a moment before it is retired.
	q.retire()
	q.fences.Lock()
	defer q.fences.Unlock()
	q.mu.Lock()
	var list []*slot
	var fences []vk.Fence
	for _, s := range q.retired {
		if !s.settled {
			list = append(list, s)
			fences = append(fences, s.fence[0])
		}
	}
	q.mu.Unlock()
	if len(list) == 0 {
		return
	}
	r := q.d.vk.WaitForFences(fences, vk.MaxUint64)
	// It can run out of memory, for one; what the fences guard must not be
	// destroyed on that account.
	for try := 0; r < 0 && r != vk.ErrorDeviceLost && try < settleTries; try++ {
		time.Sleep(time.Millisecond)
		r = q.d.vk.WaitForFences(fences, vk.MaxUint64)
	}
	if r == vk.ErrorDeviceLost {
		q.d.lose("vkWaitForFences", r)
	}
	if r < 0 {
		q.d.vk.WaitIdle() // returns at once where the device is lost indeed
	}
	q.mu.Lock()
	for _, s := range list {
		s.settled = r == vk.Success
	}
	q.mu.Unlock()
}

// oldest returns the oldest submission in flight, or nil.
func (q *queue) oldest() *part {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.inflight) == 0 {
		return nil
	}
	return q.inflight[0]
}

// waitOldest waits for the oldest submission, if there is one.
func (q *queue) waitOldest() (bool, error) {
	p := q.oldest()
	if p == nil {
		return false, nil
	}
	return true, p.wait(background)
}

// sweep finishes what has completed, in order.
func (q *queue) sweep() {
	for p := q.oldest(); p != nil && p.completed(); p = q.oldest() {
		p.finish()
	}
}

// takeSlot returns a slot for a submission.
func (q *queue) takeSlot() (*slot, error) {
	q.sweep()
	for {
		q.mu.Lock()
		if n := len(q.free); n > 0 {
			s := q.free[n-1]
			q.free = q.free[:n-1]
			q.mu.Unlock()
			return s, nil
		}
		full := len(q.slots) >= maxSlots
		reclaim := len(q.retired) >= reclaimSlots || full && len(q.retired) > 0
		q.mu.Unlock()
		var err error
		switch {
		case reclaim:
			var some bool
			if some, err = q.reclaim(); !some && err == nil {
				return q.newSlot()
			}
		case full:
			_, err = q.waitOldest()
		default:
			return q.newSlot()
		}
		if err != nil {
			return nil, err
		}
	}
}

// reclaim readies retired slots for reuse; some reports whether there were any.
func (q *queue) reclaim() (some bool, err error) {
	list, err := q.resetRetired()
	for _, s := range list {
		s.argsOff, s.settled = 0, false
		for _, m := range s.oldArgs {
			m.Free()
		}
		s.oldArgs = s.oldArgs[:0]
	}
	q.mu.Lock()
	q.free = append(q.free, list...)
	q.mu.Unlock()
	return len(list) > 0, err
}

// resetRetired takes the retired slots that nobody waits on and resets their
// fences.
func (q *queue) resetRetired() ([]*slot, error) {
	q.fences.Lock()
	defer q.fences.Unlock()
	q.mu.Lock()
	var list []*slot
	var fences []vk.Fence
	q.retired = slices.DeleteFunc(q.retired, func(s *slot) bool {
		if s.waiters > 0 {
			return false
		}
		list = append(list, s)
		fences = append(fences, s.fence[0])
		return true
	})
	q.mu.Unlock()
	if len(list) == 0 {
		return nil, nil
	}
	call, r := "vkWaitForFences", q.d.vk.WaitForFences(fences, vk.MaxUint64)
	if r >= 0 {
		call, r = "vkResetFences", q.d.vk.ResetFences(fences)
	}
	if err := q.d.check(call, r); err != nil {
		q.mu.Lock()
		q.retired = append(q.retired, list...)
		q.mu.Unlock()
		return nil, err
	}
	return list, nil
}

func (q *queue) newSlot() (*slot, error) {
	d := q.d
	s := &slot{}
	var r vk.Result
	var err error
	if s.host, err = d.mem.alloc(slotBytes, d.mem.types.host); err != nil {
		return nil, err
	}
	clear(s.host.data)
	call := "vkCreateFence"
	if s.fence[0], r = d.vk.CreateFence(); r >= 0 {
		call = "vkCreateCommandPool"
		if s.pool, r = d.vk.CreateCommandPool(); r >= 0 {
			call = "vkAllocateCommandBuffers"
			s.cb, r = d.vk.AllocateCommandBuffer(s.pool)
		}
	}
	if err := d.check(call, r); err != nil {
		q.destroySlot(s)
		return nil, err
	}
	q.mu.Lock()
	q.slots = append(q.slots, s)
	q.mu.Unlock()
	return s, nil
}

func (q *queue) destroySlot(s *slot) {
	vk.DestroyFence(q.d.vk.Handle, s.fence[0], nil)
	vk.DestroyCommandPool(q.d.vk.Handle, s.pool, nil)
	for _, m := range append(s.oldArgs, s.host, s.more, s.args) {
		if m != nil {
			m.Free()
		}
	}
}

// push submits the commands of a part whose slot is set.
func (q *queue) push(p *part, commands *vkx.Commands) error {
	s := p.slot
	q.mu.Lock()
	q.seq++
	if q.seq == 0 {
		q.seq = 1
	}
	p.seq = q.seq
	q.mu.Unlock()
	p.word = (*uint32)(unsafe.Pointer(&s.host.data[offWord]))
	commands.Mark(s.host.block.buffer, s.host.off+offWord, p.seq)
	if err := q.d.check("vkQueueSubmit", q.d.vk.Submit(s.pool, s.cb, s.fence[0], *commands)); err != nil {
		return err
	}
	q.mu.Lock()
	q.inflight = append(q.inflight, p)
	q.mu.Unlock()
	return nil
}

// drain waits until the queue has nothing to do or the device is lost, and lets
// nothing more in.
func (q *queue) drain() {
	q.order.Lock()
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.order.Unlock()
	q.pumps.Wait()
	for {
		if more, err := q.waitOldest(); !more || err != nil {
			break
		}
	}
}

// close destroys the slots and the ring of an idle queue.
func (q *queue) close() {
	for p := q.oldest(); p != nil; p = q.oldest() {
		p.finish()
	}
	q.mu.Lock()
	slots, r := q.slots, q.ring
	q.slots, q.free, q.retired, q.ring = nil, nil, nil, nil
	q.mu.Unlock()
	for _, s := range slots {
		q.destroySlot(s)
	}
	if r != nil {
		r.mem.Free()
	}
}
