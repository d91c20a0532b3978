//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"slices"

	vk "github.com/vulkan-go/vulkan"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

const (
	// A slot's host memory: the record of launches whose faults nobody asks for, and
	// records of launches.
	offSink, offRecords = 0, abi.FaultRecordSize
	slotBytes           = 4096
	slotRecords         = (slotBytes - offRecords) / abi.FaultRecordSize
	moreRecords         = 960
	maxLaunches         = slotRecords + moreRecords // in one part

	maxSlots = 1024
)

// slot is what one submission needs; slots are recycled. A recording has one that is never
// submitted itself, with fault records and arguments alone.
type slot struct {
	line     *line // whose parts it is for; nil for a recording's
	pool     vk.CommandPool
	cb       vk.CommandBuffer
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
	recorded bool         // it is a recording's
	faults   []*hal.Fault // storage of parts
	// had is what the command buffer has, which is submitted again where a part is the same word for
	// word: on an H100 that takes 2.5 µs less of a launch. It holds while the device's gone is this.
	had  vkx.Commands
	gone uint64
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

// takeSlot returns a slot for a submission on a line. If all are in use it waits for one, or
// returns errBusy if it must not.
func (q *queue) takeSlot(l *line, wait bool) (*slot, error) {
	for {
		q.sweep()
		q.recycle()
		if err := q.d.lostErr(); err != nil {
			return nil, err // what the parts were that the sweep finished may still run
		}
		q.mu.Lock()
		if n := len(l.free); n > 0 {
			s := l.free[n-1]
			l.free = l.free[:n-1]
			q.mu.Unlock()
			return s, nil
		}
		full := l.slots >= maxSlots
		q.mu.Unlock()
		if !full {
			return q.newSlot(l)
		}
		if !wait {
			return nil, errBusy
		}
		if _, err := q.waitOldest(); err != nil {
			return nil, err
		}
	}
}

// recycle readies retired slots for reuse. The encoder calls it, whose graphs they have.
func (q *queue) recycle() {
	q.mu.Lock()
	list := q.retired
	q.retired, q.spare = q.spare, nil
	q.mu.Unlock()
	for _, s := range list {
		s.argsOff = 0
		s.letGraphsGo()
		for _, m := range s.oldArgs {
			m.Free()
		}
		s.oldArgs = s.oldArgs[:0]
	}
	q.mu.Lock()
	for _, s := range list {
		s.line.free = append(s.line.free, s)
	}
	clear(list)
	q.spare = list[:0]
	q.mu.Unlock()
}

// letGraphsGo lets the recordings that the slot's submission has run be used again. It has completed,
// or it was not submitted.
func (s *slot) letGraphsGo() {
	for _, r := range s.graphs {
		r.busy = false
	}
	clear(s.graphs)
	s.graphs = s.graphs[:0]
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

func (q *queue) newSlot(l *line) (*slot, error) {
	d := q.d
	s := &slot{line: l, limit: maxLaunches, inHost: slotRecords}
	var r vk.Result
	var err error
	if s.host, err = d.mem.alloc(slotBytes, d.mem.types.host); err != nil {
		return nil, err
	}
	clear(s.host.data)
	call := "vkCreateCommandPool"
	if s.pool, r = d.vk.CreateCommandPool(l.family, true); r >= 0 {
		call = "vkAllocateCommandBuffers"
		s.cb, r = d.vk.AllocateCommandBuffer(s.pool, false)
	}
	if err := d.check(call, r); err != nil {
		q.destroySlot(s)
		return nil, err
	}
	q.mu.Lock()
	q.slots = append(q.slots, s)
	l.slots++
	q.mu.Unlock()
	return s, nil
}

func (q *queue) destroySlot(s *slot) {
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
