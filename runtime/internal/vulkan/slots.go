//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// This file manages slots. A slot contains the objects and the memory of one submission, such as a
// command buffer and fault records.

const (
	// The field `host` begins with one fault record, which all launches without a Fault share. The
	// fault records of the other launches follow this record.
	offSink, offRecords = 0, abi.FaultRecordSize
	slotBytes           = 4096
	slotRecords         = (slotBytes - offRecords) / abi.FaultRecordSize
	moreRecords         = 960
	maxLaunches         = slotRecords + moreRecords // largest number of launches in one part

	maxSlots = 1024
)

// A slot contains the objects and the memory of one submission. Slots are reused. A recording has a
// slot of its own, which is not submitted and only contains fault records and arguments.
type slot struct {
	line           *submitLine // line of the slot's parts; nil for the slot of a recording
	pool           vkx.CommandPool
	cb             vkx.CommandBuffer
	queries        vkx.QueryPool // queries of timed commands, or none
	host           *memory
	moreRecordsMem *memory // memory of further fault records
	cancelRecords  *memory // records of launches that may be cancelled
	inNear         [maxLaunches]bool
	args           *memory // memory for arguments that do not fit into the launch block
	argsOff        uint64
	oldArgs        []*memory    // earlier values of args, which were too small; freed when the slot is reused
	limit          int          // number of launches that the slot has records for
	inHost         int          // number of fault records in the field `host`; other records are in moreRecordsMem or cancelRecords
	graphs         []*recording // recordings that the submission executes; owned by the encoder
	recorded       bool         // the slot belongs to a recording
	faults         []*hal.Fault // storage for the fault lists of parts
	// lastCommands contains the commands in the command buffer. If a part has the same commands,
	// the encoder submits the command buffer again, which makes a launch 2.5 µs faster on an H100.
	// lastCommands is valid only while the slot's field `gone` is equal to the device's field
	// `gone`.
	lastCommands vkx.Commands
	gone         uint64
}

// faultRecord returns the memory of fault record i.
func (s *slot) faultRecord(i int) []byte {
	if i < maxLaunches && s.inNear[i] {
		return s.cancelRecords.data[i*abi.FaultRecordSize:]
	}
	if i < s.inHost {
		return s.host.data[offRecords+i*abi.FaultRecordSize:]
	}
	return s.moreRecordsMem.data[(i-s.inHost)*abi.FaultRecordSize:]
}

// nextRecord returns the number of a launch's first fault record. The launch has n records, and i
// other records come before these records. The records of one launch are in the same memory.
func (s *slot) nextRecord(i, n int) int {
	if i < s.inHost && i+n > s.inHost && n > 1 {
		return s.inHost
	}
	return i
}

func (s *slot) recordAddress(i int) uint64 {
	if i < maxLaunches && s.inNear[i] {
		return s.cancelRecords.addr + uint64(i)*abi.FaultRecordSize
	}
	if i < s.inHost {
		return s.host.addr + offRecords + uint64(i)*abi.FaultRecordSize
	}
	return s.moreRecordsMem.addr + uint64(i-s.inHost)*abi.FaultRecordSize
}

// retireParts frees resources of finished parts. The resources are the parts' slots, and space in the staging
// ring. Space in the ring is freed in order. So a part that uses the ring keeps its resources until all
// earlier parts are finished.
func (q *queue) retireParts() {
	var old []*memory
	q.mu.Lock()
	waits := false // an earlier part is unfinished
	q.inflight = slices.DeleteFunc(q.inflight, func(p *part) bool {
		if !p.finished.Load() || waits && p.ring != nil {
			waits = true
			return false
		}
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
		return true
	})
	q.mu.Unlock()
	for _, m := range old { // q.mu is not held here, because Free locks the allocator
		m.Free()
	}
}

// takeSlot returns a slot for a submission on a line. If all slots are in use, takeSlot waits until
// a slot is free. If all slots are in use and the encoder must not wait, takeSlot returns errBusy.
func (q *queue) takeSlot(l *submitLine, wait bool) (*slot, error) {
	for {
		q.finishParts()
		q.recycleSlots()
		if err := q.d.lostErr(); err != nil {
			return nil, err // a lost device may still use the slots of finished parts
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

// recycleSlots prepares retired slots for reuse. The encoder calls recycleSlots,
// because the encoder owns the slots' graphs.
func (q *queue) recycleSlots() {
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

// letGraphsGo marks the recordings of the slot's submission as free, after the submission has
// completed or failed.
func (s *slot) letGraphsGo() {
	for _, r := range s.graphs {
		r.busy = false
	}
	clear(s.graphs)
	s.graphs = s.graphs[:0]
}

// fitRecord allocates memory for fault record i. The record of a launch that may be cancelled is in
// device memory that the host can write. NVIDIA's GPUs keep a copy of host memory in their cache,
// so a running launch would not see a write by the host. Other records are in host memory, which
// the host reads faster.
func (s *slot) fitRecord(d *device, i int, leaves bool) error {
	if i < maxLaunches {
		s.inNear[i] = leaves
	}
	at, size, kind := &s.moreRecordsMem, moreRecords, d.mem.types.host
	if leaves {
		at, size, kind = &s.cancelRecords, maxLaunches, d.mem.types.upload
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

func (q *queue) newSlot(l *submitLine) (*slot, error) {
	d := q.d
	s := &slot{line: l, limit: maxLaunches, inHost: slotRecords}
	var r vkx.Result
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
	q.d.vk.DestroyCommandPool(s.pool)
	q.d.vk.DestroyQueryPool(s.queries)
	s.free()
}

// `free` frees the slot's memory.
func (s *slot) free() {
	for _, m := range append(s.oldArgs, s.host, s.moreRecordsMem, s.cancelRecords, s.args) {
		if m != nil {
			m.Free()
		}
	}
}
