//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// The type kind is the pipeline stage of a command, and the type kinds is a set of pipeline stages.
type (
	kind  uint8
	kinds uint8
)

const (
	compute kind = iota
	transfer
	numKinds
)

// The type scope contains the stages and accesses of a set of kinds, as Vulkan's flags.
type scope struct {
	stages      vkx.PipelineStageFlags
	write, both vkx.AccessFlags
}

var scopes = [1 << numKinds]scope{
	1 << compute: {
		vkx.PipelineStageComputeShaderBit, vkx.AccessShaderWriteBit, vkx.AccessShaderReadBit | vkx.AccessShaderWriteBit,
	},
	1 << transfer: {
		vkx.PipelineStageTransferBit, vkx.AccessTransferWriteBit, vkx.AccessTransferReadBit | vkx.AccessTransferWriteBit,
	},
	1<<compute | 1<<transfer: {
		vkx.PipelineStageComputeShaderBit | vkx.PipelineStageTransferBit, vkx.AccessShaderWriteBit | vkx.AccessTransferWriteBit,
		vkx.AccessShaderReadBit | vkx.AccessShaderWriteBit | vkx.AccessTransferReadBit | vkx.AccessTransferWriteBit,
	},
}

// An encoder turns batches into parts, each of which is one submission. Barriers apply across
// submissions. So the encoder's tracks remember across batches which commands no barrier has
// followed, and which barriers are not recorded yet.
type encoder struct {
	d *device
	q *queue

	*track        // track to which commands are added at present
	main   *track // track for all commands, except large copies if there is the track aside
	aside  *track // track for large copies from and to the host, or nil
	cut    bool   // commands on the track in the field aside must wait for the main track's part
	row    int    // number of copies since the last launch that could use the track aside

	t       *ticket
	wait    bool         // the encoder may wait for completed work to free resources; otherwise the encoder returns errBusy
	current *hal.Command // command that is being encoded
	epoch   int          // number of barriers so far, for the method watch
}

func newEncoder(q *queue, main, aside *line) encoder {
	e := encoder{d: q.d, q: q, main: &track{line: main}}
	if aside != nil {
		e.aside = &track{line: aside}
	}
	e.track = e.main
	return e
}

// The method begin starts encoding another batch. The parameter wait says whether the encoder may
// wait for the device.
func (e *encoder) begin(t *ticket, wait bool) {
	e.t, e.wait, e.current, e.track = t, wait, nil, e.main
}

// The method open starts a new part, unless a part is open already.
func (e *encoder) open() error {
	if e.full() {
		if err := e.flush(); err != nil {
			return err
		}
	}
	if e.part != nil {
		return nil
	}
	s, err := e.q.takeSlot(e.line, e.wait)
	if err != nil {
		return err
	}
	e.part = e.t.part()
	e.part.q, e.part.line, e.part.slot, e.part.faults = e.q, e.line, s, s.faults[:0]
	e.commands, e.bound, e.inPart, e.launches, e.timing = e.commands[:0], 0, 0, 0, false
	if err := e.fitQueries(s, maxTimed); err != nil {
		e.drop(err)
		return err
	}
	return nil
}

// The method flush submits the open part, if there is one. If submitting fails, the commands of the
// part fail.
func (e *encoder) flush() error {
	p := e.part
	if p == nil {
		return nil
	}
	e.close()
	p.behind, p.after = e.waitFor()
	if err := e.q.push(p, e.commands); err != nil {
		e.drop(err)
		return err
	}
	e.waited = e.after
	if len(e.t.parts) == 0 {
		e.t.parts = e.t.first[:0]
	}
	e.t.parts = append(e.t.parts, p)
	e.part = nil
	e.uncut()
	return nil
}

// The method drop discards the open part. The commands of the part fail.
func (e *encoder) drop(err error) {
	// The part may have contained barriers. Mark these barriers as not recorded yet.
	e.loose = e.line.can
	for k := range e.owed {
		e.owed[k] = e.loose
	}
	defer e.uncut()
	p := e.part
	if p == nil {
		return
	}
	e.part = nil
	p.uncancel()
	for i := range p.faults {
		clear(p.slot.record(i)[:abi.FaultRecordSize]) // a cancelled launch may have written to its fault record
	}
	p.fail(err)
	e.q.mu.Lock()
	defer e.q.mu.Unlock()
	p.keepFaults()
	p.slot.argsOff = 0
	p.slot.letGraphsGo()
	e.line.free = append(e.line.free, p.slot)
	if p.ring != nil {
		p.ring.head = p.ringStart
		p.ring.parts--
	}
}

// The method close ends a part by a barrier. After the barrier, the host sees all writes of the
// part. The barrier also applies to later commands, which costs nothing more. So the next part
// needs no barrier at its beginning.
func (e *encoder) close() {
	from := e.inPart | e.loose | e.owed[compute] | e.owed[transfer]
	if from == 0 {
		return
	}
	to := scopes[e.line.can]
	e.owed, e.loose = [numKinds]kinds{}, 0
	e.commands.Barrier(scopes[from].stages, scopes[from].write, to.stages|vkx.PipelineStageHostBit, to.both|vkx.AccessHostReadBit)
}

// The method encode turns the remaining commands of a job into parts, and submits these parts. If
// the encoder must not wait, the method encode may stop before a command that needs resources which
// only completed work can free. If the method encode stops, it returns false. If a command fails,
// the other commands still run.
func (e *encoder) encode(j *job, wait bool) bool {
	e.begin(j.t, wait)
	if j.track != nil {
		e.track = j.track
	}
	for ; j.i < len(j.cmds); j.i, j.done = j.i+1, 0 {
		c := &j.cmds[j.i]
		e.current = c
		if j.done == 0 && j.nodes == nil {
			if c.Barrier {
				e.barrier()
			}
			e.turn(c)
			j.track = e.track
		}
		var err error
		switch {
		case c.Fault != nil && c.Fault.Failed != nil: // the command, or a piece of it, has already failed
		case c.Cancel.Asked():
			cancel(c)
		case c.Op == hal.OpWrite:
			err = e.write(c, j)
		case c.Op == hal.OpRead:
			err = e.read(c, j)
		case c.Op == hal.OpGraph:
			err = e.graph(c, j)
		default:
			err = e.onDevice(c)
		}
		if err == errBusy {
			return false
		}
		if err != nil {
			fail(c, err)
		}
		if c.Taken != nil {
			c.Taken()
		}
	}
	e.pushAll()
	return true
}

// onDevice encodes a command that needs no work on the host.
func (e *encoder) onDevice(c *hal.Command) error {
	switch c.Op {
	case hal.OpLaunch:
		return e.launch(c)
	case hal.OpCopy:
		return e.copy(c)
	}
	return e.fill(c)
}

// The method fail records that the command has failed. The command has run only in part, or not at
// all.
func fail(c *hal.Command, err error) {
	if c.Fault != nil && c.Fault.Failed == nil {
		c.Fault.Failed = err
	}
}

// The function cancel records that the command has not run because it was cancelled.
func cancel(c *hal.Command) {
	if c.Fault != nil {
		c.Fault.Cancelled = true
	}
}

// The method barrier makes all later commands wait for all earlier commands. The barrier itself is
// recorded before the next command of each kind. So a sequence of launches needs no barriers for
// transfers.
func (e *encoder) barrier() {
	for _, l := range []*track{e.main, e.aside} {
		if l != nil {
			for k := range l.owed {
				l.owed[k] |= l.loose
			}
			l.loose = 0
		}
	}
	e.epoch++
	e.barrierAcross()
}

// The method order records the barrier that a command of kind k needs. Then the method order adds k
// to the set of kinds that the track's commands have had.
func (e *encoder) order(k kind) {
	o := e.owed[k]
	if o != 0 {
		from, to := scopes[o], scopes[1<<k]
		e.commands.Barrier(from.stages, from.write, to.stages, to.both)
		e.owed[k] = 0
	}
	if watch != nil {
		e.part.watched = append(e.part.watched, watched{at: len(e.commands), kind: k, epoch: e.epoch, cmd: e.current})
	}
	e.begun(k, o != 0)
	e.loose |= 1 << k
	e.inPart |= 1 << k
}

func (e *encoder) bind(p vkx.Pipeline) {
	if e.bound != p {
		e.commands.BindPipeline(p)
		e.bound = p
	}
}

func (e *encoder) launch(c *hal.Command) error {
	if c.Groups[0] == 0 || c.Groups[1] == 0 || c.Groups[2] == 0 {
		return nil
	}
	p := c.Pipeline.(*pipeline)
	records := max(1, len(p.kernel.Parts))
	if e.part != nil {
		if s := e.part.slot; e.launches >= s.limit || s.nextRecord(len(e.part.faults), records)+records > s.limit {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
	if err := e.open(); err != nil {
		return err
	}
	s := e.part.slot
	var record uint64
	if c.Fault == nil {
		record = s.host.addr + offSink
	} else {
		i := s.nextRecord(len(e.part.faults), records)
		leaves := c.Cancel != nil && p.cancels
		for n := range records {
			if err := s.fitRecord(e.d, i+n, leaves); err != nil {
				return err
			}
		}
		c.Fault.Loops = p.loops
		for len(e.part.faults) < i {
			e.part.faults = append(e.part.faults, nil)
		}
		for range records {
			e.part.faults = append(e.part.faults, c.Fault)
		}
		record = s.recordAddress(i)
		if leaves {
			e.part.cancels = append(e.part.cancels, c.Cancel)
			leave := s.leave(i)
			c.Cancel.Notify(func() { atomic.StoreUint32(leave, 1) })
		}
	}
	var spilled uint64
	var scratch [256]byte // most devices have launch blocks of at most this size
	args := p.arguments(c.Args, scratch[:])
	if p.spilled {
		var err error
		if spilled, err = e.spill(s, args); err != nil {
			return err
		}
	}
	e.order(compute)
	e.launches++
	split := e.d.tooMany(c.Groups)
	if split {
		e.bind(p.base)
	} else {
		e.bind(p.handle)
	}
	w := e.commands.PushConstants(p.layout, p.words)
	w[0], w[1] = uint32(record), uint32(record>>32)
	copy(w[abi.OffsetRange/4:], c.Global[:])
	if p.spilled {
		w[abi.OffsetArgs/4], w[abi.OffsetArgs/4+1] = uint32(spilled), uint32(spilled>>32)
	} else {
		copy(asBytes(w[abi.OffsetArgs/4:]), args)
	}
	if split {
		e.split(c.Groups)
	} else {
		e.commands.Dispatch(c.Groups)
	}
	e.ended()
	return nil
}

// The method split dispatches a launch with more work-groups than the device accepts in one
// dispatch.
func (e *encoder) split(groups [3]uint32) {
	limit := e.d.phys.MaxComputeWorkGroupCount
	var base, n [3]uint32
	for base[2] = 0; base[2] < groups[2]; base[2] += n[2] {
		n[2] = min(limit[2], groups[2]-base[2])
		for base[1] = 0; base[1] < groups[1]; base[1] += n[1] {
			n[1] = min(limit[1], groups[1]-base[1])
			for base[0] = 0; base[0] < groups[0]; base[0] += n[0] {
				n[0] = min(limit[0], groups[0]-base[0])
				e.commands.DispatchBase(base, n)
			}
		}
	}
}

// The method spill copies arguments to the slot's memory for arguments. The method spill returns
// the address of the copy.
func (e *encoder) spill(s *slot, args []byte) (addr uint64, err error) {
	need := (uint64(len(args)) + 15) &^ 15
	if s.args == nil || s.argsOff+need > s.args.size {
		m, err := e.d.mem.alloc(max(64<<10, 4*need), e.d.mem.types.upload)
		if err != nil {
			return 0, err
		}
		if s.args != nil {
			s.oldArgs = append(s.oldArgs, s.args)
		}
		s.args, s.argsOff = m, 0
	}
	copy(s.args.data[s.argsOff:], args)
	addr = s.args.addr + s.argsOff
	s.argsOff += need
	return addr, nil
}

func (e *encoder) copy(c *hal.Command) error {
	if c.Size == 0 {
		return nil
	}
	if err := e.open(); err != nil {
		return err
	}
	dst, src := c.Dst.(*memory), c.Src.(*memory)
	if d, s := dst.addr+c.DstOff, src.addr+c.SrcOff; dst.addr != 0 && src.addr != 0 && e.line.can&(1<<compute) != 0 && e.d.built.byKernel(e.d, d, s, c.Size) {
		e.notes(c)
		return e.builtin(copyModule, d, s, c.Size, 0)
	}
	e.order(transfer)
	e.notes(c)
	e.commands.Copy(src.block.buffer, dst.block.buffer, src.off+c.SrcOff, dst.off+c.DstOff, c.Size)
	e.ended()
	return nil
}

func (e *encoder) fill(c *hal.Command) error {
	if c.Size == 0 {
		return nil
	}
	if err := e.open(); err != nil {
		return err
	}
	dst := c.Dst.(*memory)
	if d := dst.addr + c.DstOff; e.d.built.byKernel(e.d, d, 0, c.Size) {
		e.notes(c)
		return e.builtin(fillModule, d, 0, c.Size, c.Pattern)
	}
	e.order(transfer)
	e.notes(c)
	e.commands.Fill(dst.block.buffer, dst.off+c.DstOff, c.Size, c.Pattern)
	e.ended()
	return nil
}

// The method notes records the command in the open part. If the part fails, the command fails, too.
func (e *encoder) notes(c *hal.Command) {
	if c.Fault != nil {
		e.part.copies = append(e.part.copies, c.Fault)
	}
}

// The method write copies host memory to the staging ring. The method write records the copy from
// the ring to the device's memory.
func (e *encoder) write(c *hal.Command, j *job) error {
	dst, chunk := c.Dst.(*memory), uint64(maxChunk)
	if e.track == e.aside {
		chunk = asideChunk
	}
	for j.done < c.Size {
		n := min(c.Size-j.done, chunk)
		off, err := e.stage(n, c.Size)
		if err != nil {
			return err
		}
		r := e.part.ring
		if !c.Cancel.Do(func() { copyBytes(r.mem.data[off:off+n], c.Host[j.done:j.done+n]) }) {
			cancel(c)
			return nil
		}
		e.order(transfer)
		e.notes(c)
		e.commands.Copy(r.mem.block.buffer, dst.block.buffer, r.mem.off+off, dst.off+c.DstOff+j.done, n)
		e.ended()
		j.done += n
		if err := e.flushLarge(j.done < c.Size); err != nil {
			return err
		}
	}
	return nil
}

// The method read records a copy to the staging ring. When the part has completed, the host copies
// the data from the ring.
func (e *encoder) read(c *hal.Command, j *job) error {
	src := c.Src.(*memory)
	for j.done < c.Size {
		n := min(c.Size-j.done, maxChunk)
		off, err := e.stage(n, c.Size)
		if err != nil {
			return err
		}
		r := e.part.ring
		e.order(transfer)
		e.notes(c)
		e.commands.Copy(src.block.buffer, r.mem.block.buffer, src.off+c.SrcOff+j.done, r.mem.off+off, n)
		e.ended()
		e.part.reads = append(e.part.reads, readBack{c, c.Host[j.done : j.done+n], r.mem.data[off : off+n]})
		j.done += n
		if err := e.flushLarge(j.done < c.Size); err != nil {
			return err
		}
	}
	return nil
}

// flushLarge submits a part that contains a chunk of a larger transfer, so that the device begins
// with the chunk.
func (e *encoder) flushLarge(more bool) error {
	if more {
		return e.flush()
	}
	return nil
}

// The method stage opens a part and reserves n bytes of the staging ring for the part. The bytes
// are a chunk of a transfer whose size is the parameter total. If the ring is full, the method
// stage submits the open parts and waits for completed work. If the encoder must not wait, the
// method stage returns errBusy.
func (e *encoder) stage(n, total uint64) (off uint64, err error) {
	for {
		if err := e.fitRing(min(4*total, maxRing), n); err != nil {
			return 0, err
		}
		if err := e.open(); err != nil {
			return 0, err
		}
		if other := e.other(); other != nil && other.part != nil && other.part.ring != nil {
			e.push(other) // parts must free their bytes of the ring in the order of submission
		}
		if off, ok := e.reserve(n); ok {
			return off, nil
		}
		for _, l := range []*track{e.main, e.aside} {
			if l != nil && l.part != nil && l.inPart != 0 {
				if err := e.push(l); err != nil {
					return 0, err
				}
			}
		}
		e.q.sweep()
		e.q.mu.Lock()
		busy := len(e.q.inflight)
		e.q.mu.Unlock()
		if busy == 0 {
			continue // there is space in the ring now
		}
		if !e.wait {
			return 0, errBusy
		}
		if _, err := e.q.waitOldest(); err != nil {
			return 0, err
		}
	}
}

// The method reserve reserves n bytes of the staging ring for the open part.
func (e *encoder) reserve(n uint64) (off uint64, ok bool) {
	e.q.mu.Lock()
	defer e.q.mu.Unlock()
	r, p := e.q.ring, e.part
	r.rewind()
	start := r.head
	if off, ok = r.reserve(n); !ok {
		return 0, false
	}
	if p.ring == nil {
		r.parts++
		p.ring, p.ringStart = r, start
	}
	p.ringEnd = r.head
	return off, true
}

// fitRing replaces the staging ring by a ring of size bytes. If there is too little memory, the
// ring has fewer than size bytes, but at least as many bytes as the parameter least. fitRing first
// submits a part that uses the old ring. The old ring is freed when its last part is done.
func (e *encoder) fitRing(size, least uint64) error {
	size = max(minRing, uint64(1)<<bits.Len64(size-1))
	if r := e.q.ring; r != nil && r.size >= size {
		return nil
	}
	for _, l := range []*track{e.main, e.aside} {
		if l != nil && l.part != nil && l.part.ring != nil {
			if err := e.push(l); err != nil {
				return err
			}
		}
	}
	m, err := e.d.mem.alloc(size, e.d.mem.types.host)
	for ; err != nil && errors.Is(err, hal.ErrOutOfMemory) && size/2 >= max(least, minRing); size /= 2 {
		if r := e.q.ring; r != nil && r.size >= size/2 {
			return nil
		}
		m, err = e.d.mem.alloc(size/2, e.d.mem.types.host)
	}
	if err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	e.q.mu.Lock()
	old := e.q.ring
	e.q.ring = &ring{mem: m, size: size}
	idle := old != nil && old.parts == 0
	e.q.mu.Unlock()
	if idle {
		old.mem.Free()
	}
	return nil
}
