//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"slices"
	"time"

	vk "github.com/vulkan-go/vulkan"

	"github.com/kgen-go/kgen/abi"
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
	// Slots whose parts have completed are readied for reuse together, since
	// asking for a fence's state can take 30 µs.
	reclaimSlots = 16
)

// slot is what one submission needs; slots are recycled. A recording has one that is never
// submitted itself, with fault records and arguments alone.
type slot struct {
	pool     vk.CommandPool
	cb       vk.CommandBuffer
	fence    [1]vk.Fence
	queries  vk.QueryPool // nil unless commands are timed
	host     *memory
	more     *memory // further fault records
	near     *memory // the records of launches that look whether they are to leave
	inNear   [maxLaunches]bool
	args     *memory // arguments past the launch block
	argsOff  uint64
	oldArgs  []*memory    // outgrown, freed when the slot is used again
	limit    int          // launches that it is good for
	inHost   int          // fault records in host; the others are in more, or in near
	graphs   []*recording // that the submission runs; of the encoder
	waiters  int          // on the fence; under queue.mu
	recorded bool         // it is a recording's
	settled  bool         // the fence is known to be signalled; under queue.mu
}

// record returns fault record i.
func (s *slot) record(i int) []byte {
	if i < maxLaunches && s.inNear[i] {
		return s.near.data[i*abi.FaultRecordSize:]
	}
	if i < s.inHost {
		return s.host.data[offRecords+i*abi.FaultRecordSize:]
	}
	return s.more.data[(i-s.inHost)*abi.FaultRecordSize:]
}

// nextRecord returns the number of the first of n records that come after i others. The records
// of one launch lie in one piece of memory.
func (s *slot) nextRecord(i, n int) int {
	if i < s.inHost && i+n > s.inHost && n > 1 {
		return s.inHost
	}
	return i
}

func (s *slot) recordAddress(i int) uint64 {
	if i < maxLaunches && s.inNear[i] {
		return s.near.addr + uint64(i)*abi.FaultRecordSize
	}
	if i < s.inHost {
		return s.host.addr + offRecords + uint64(i)*abi.FaultRecordSize
	}
	return s.more.addr + uint64(i-s.inHost)*abi.FaultRecordSize
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

// takeSlot returns a slot for a submission. If all are in use it waits for one, or
// returns errBusy if it must not.
func (q *queue) takeSlot(wait bool) (*slot, error) {
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
		case full && !wait:
			return nil, errBusy
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
		s.letGraphsGo()
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

// letGraphsGo lets the recordings that the slot's submission has run be used again. Its fence is
// signalled, or it was not submitted.
func (s *slot) letGraphsGo() {
	for _, r := range s.graphs {
		r.busy = false
	}
	clear(s.graphs)
	s.graphs = s.graphs[:0]
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

// fitRecord makes room for fault record i. The record of a launch that looks whether it is to
// leave lies in memory of the device that the host can write: NVIDIA's GPUs never see what the
// host writes meanwhile to its own memory, of which their cache keeps a copy. Other records lie
// in the host's memory, which the host reads faster.
func (s *slot) fitRecord(d *device, i int, leaves bool) error {
	if i < maxLaunches {
		s.inNear[i] = leaves
	}
	at, size, kind := &s.more, moreRecords, d.mem.types.host
	if leaves {
		at, size, kind = &s.near, maxLaunches, d.mem.types.upload
	} else if i < s.inHost {
		return nil
	}
	if *at != nil {
		return nil
	}
	m, err := d.mem.alloc(uint64(size)*abi.FaultRecordSize, kind)
	if err != nil {
		if leaves {
			s.inNear[i] = false
		}
		return err
	}
	clear(m.data)
	*at = m
	return nil
}

func (q *queue) newSlot() (*slot, error) {
	d := q.d
	s := &slot{limit: maxLaunches, inHost: slotRecords}
	var r vk.Result
	var err error
	if s.host, err = d.mem.alloc(slotBytes, d.mem.types.host); err != nil {
		return nil, err
	}
	clear(s.host.data)
	call := "vkCreateFence"
	if s.fence[0], r = d.vk.CreateFence(); r >= 0 {
		call = "vkCreateCommandPool"
		if s.pool, r = d.vk.CreateCommandPool(true); r >= 0 {
			call = "vkAllocateCommandBuffers"
			s.cb, r = d.vk.AllocateCommandBuffer(s.pool, false)
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
	vk.DestroyQueryPool(q.d.vk.Handle, s.queries, nil)
	s.free()
}

// free frees the slot's memory.
func (s *slot) free() {
	for _, m := range append(s.oldArgs, s.host, s.more, s.near, s.args) {
		if m != nil {
			m.Free()
		}
	}
}
