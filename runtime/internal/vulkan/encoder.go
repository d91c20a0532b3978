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

// stageKind is the pipeline stage of a command, and stageSet is a set of pipeline stages.
type (
	stageKind uint8
	stageSet  uint8
)

const (
	compute stageKind = iota
	transfer
	numKinds
)

// stageAccess contains the stages and accesses of a set of kinds, as Vulkan's flags.
type stageAccess struct {
	stages      vkx.PipelineStageFlags
	write, both vkx.AccessFlags
}

var scopes = [1 << numKinds]stageAccess{
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
// submissions, so the encoder's tracks keep state from batch to batch. A track knows which commands
// have no barrier after them, and which barriers are not recorded yet.
type encoder struct {
	d *device
	q *queue

	*lineTrack             // track to which commands are added at present
	mainTrack   *lineTrack // track of the main line, for all commands that are not for copyTrack
	copyTrack   *lineTrack // track of the second line, for large copies from and to the host; nil if there is no second line
	cutMain     bool       // commands on copyTrack must wait for the main track's part
	copiesInRow int        // number of copies that could use copyTrack, since the last launch

	t       *ticket
	mayWait bool         // the encoder may wait for free resources; otherwise the encoder returns errBusy
	current *hal.Command // command that is being encoded
	epoch   int          // number of barriers so far, for the function `watch`
}

func newEncoder(q *queue, main, aside *submitLine) encoder {
	e := encoder{d: q.d, q: q, mainTrack: &lineTrack{line: main}}
	if aside != nil {
		e.copyTrack = &lineTrack{line: aside}
	}
	e.lineTrack = e.mainTrack
	return e
}

// beginBatch starts encoding another batch. The parameter `wait` says whether the encoder may
// wait for the device.
func (e *encoder) beginBatch(t *ticket, wait bool) {
	e.t, e.mayWait, e.current, e.lineTrack = t, wait, nil, e.mainTrack
}

// openPart starts a new part, unless a part is open already.
func (e *encoder) openPart() error {
	if e.queriesFull() {
		if err := e.submitPart(); err != nil {
			return err
		}
	}
	if e.part != nil {
		return nil
	}
	s, err := e.q.takeSlot(e.line, e.mayWait)
	if err != nil {
		return err
	}
	e.part = e.t.newPart()
	e.part.q, e.part.line, e.part.slot, e.part.faults = e.q, e.line, s, s.faults[:0]
	e.commands, e.bound, e.inPart, e.launches, e.timing = e.commands[:0], 0, 0, 0, false
	if err := e.fitQueries(s, maxTimed); err != nil {
		e.discardPart(err)
		return err
	}
	return nil
}

// submitPart submits the open part, if there is one. If submitting fails, the commands of the
// part fail.
func (e *encoder) submitPart() error {
	p := e.part
	if p == nil {
		return nil
	}
	e.closePart()
	p.otherLine, p.waitValue = e.waitFor()
	if err := e.q.pushPart(p, e.commands); err != nil {
		e.discardPart(err)
		return err
	}
	if p.otherLine != nil {
		e.submittedWait = max(e.submittedWait, p.waitValue)
	}
	if len(e.t.parts) == 0 {
		e.t.parts = e.t.first[:0]
	}
	e.t.parts = append(e.t.parts, p)
	e.part = nil
	e.clearCut()
	return nil
}

// discardPart discards the open part. The commands of the part fail.
func (e *encoder) discardPart(err error) {
	// The discarded part may have contained barriers, which must be recorded again.
	e.unordered = e.line.accepted
	for k := range e.mustWaitFor {
		e.mustWaitFor[k] = e.unordered
	}
	defer e.clearCut()
	p := e.part
	if p == nil {
		return
	}
	e.part = nil
	p.stopCancels()
	for i := range p.faults {
		clear(p.slot.faultRecord(i)[:abi.FaultRecordSize]) // a cancelled launch may have written to its fault record
	}
	p.failAll(err)
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

// closePart adds a barrier at the end of a part. After the barrier, the host sees all writes of the
// part. The barrier also applies to the commands of the next part, so the next part needs no
// barrier at its beginning.
func (e *encoder) closePart() {
	from := e.inPart | e.unordered | e.mustWaitFor[compute] | e.mustWaitFor[transfer]
	if from == 0 {
		return
	}
	to := scopes[e.line.accepted]
	e.mustWaitFor, e.unordered = [numKinds]stageSet{}, 0
	e.commands.Barrier(scopes[from].stages, scopes[from].write, to.stages|vkx.PipelineStageHostBit, to.both|vkx.AccessHostReadBit)
}

// encodeJob turns the remaining commands of a job into parts, and submits these parts. If the
// encoder must not wait, encodeJob may stop before a command that must wait for free resources. If
// encodeJob stops, it returns false. If a command fails, the other commands still run.
func (e *encoder) encodeJob(j *job, wait bool) bool {
	e.beginBatch(j.t, wait)
	if j.track != nil {
		e.lineTrack = j.track
	}
	for ; j.i < len(j.cmds); j.i, j.done = j.i+1, 0 {
		c := &j.cmds[j.i]
		e.current = c
		if j.done == 0 && j.nodes == nil {
			if c.Barrier {
				e.addBarrier()
			}
			e.selectLine(c)
			j.track = e.lineTrack
		}
		var err error
		switch {
		case c.Fault != nil && c.Fault.Failed != nil: // the command, or a piece of it, has already failed
		case c.Cancel.Asked():
			cancelCommand(c)
		case c.Op == hal.OpWrite:
			err = e.encodeWrite(c, j)
		case c.Op == hal.OpRead:
			err = e.encodeRead(c, j)
		case c.Op == hal.OpGraph:
			err = e.encodeGraph(c, j)
		default:
			err = e.onDevice(c)
		}
		if err == errBusy {
			return false
		}
		if err != nil {
			failCommand(c, err)
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

// failCommand records that the command has failed. The command has run only in part, or not at
// all.
func failCommand(c *hal.Command, err error) {
	if c.Fault != nil && c.Fault.Failed == nil {
		c.Fault.Failed = err
	}
}

// cancelCommand records that the command has not run because it was cancelled.
func cancelCommand(c *hal.Command) {
	if c.Fault != nil {
		c.Fault.Cancelled = true
	}
}

// addBarrier makes all later commands wait for all earlier commands. For each kind of commands, the
// barrier is recorded before the next command of that kind. A sequence of launches therefore needs
// no barriers for transfers.
func (e *encoder) addBarrier() {
	for _, l := range []*lineTrack{e.mainTrack, e.copyTrack} {
		if l != nil {
			for k := range l.mustWaitFor {
				l.mustWaitFor[k] |= l.unordered
			}
			l.unordered = 0
		}
	}
	e.epoch++
	e.barrierAcross()
}

// orderKind records the barrier that a command of kind k needs. Then orderKind adds k to the set of
// kinds of the track's commands.
func (e *encoder) orderKind(k stageKind) {
	o := e.mustWaitFor[k]
	if o != 0 {
		from, to := scopes[o], scopes[1<<k]
		e.commands.Barrier(from.stages, from.write, to.stages, to.both)
		e.mustWaitFor[k] = 0
	}
	if watch != nil {
		e.part.watched = append(e.part.watched, commandMark{at: len(e.commands), kind: k, epoch: e.epoch, cmd: e.current})
	}
	e.stampBegin(k, o != 0)
	e.unordered |= 1 << k
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
			if err := e.submitPart(); err != nil {
				return err
			}
		}
	}
	if err := e.openPart(); err != nil {
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
			leave := s.leaveWord(i)
			c.Cancel.Notify(func() { atomic.StoreUint32(leave, 1) })
		}
	}
	var spilled uint64
	var scratch [256]byte // most devices have launch blocks of at most this size
	args := p.fullArgs(c.Args, scratch[:])
	if p.spilled {
		var err error
		if spilled, err = e.spillArgs(s, args); err != nil {
			return err
		}
	}
	e.orderKind(compute)
	e.launches++
	split := e.d.tooMany(c.Groups)
	if split {
		e.bind(p.basePipeline)
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
		e.splitLaunch(c.Groups)
	} else {
		e.commands.Dispatch(c.Groups)
	}
	e.stampEnd()
	return nil
}

// splitLaunch dispatches a launch with more work-groups than the device accepts in one
// dispatch.
func (e *encoder) splitLaunch(groups [3]uint32) {
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

// spillArgs copies arguments to the slot's memory for arguments. spillArgs returns
// the address of the copy.
func (e *encoder) spillArgs(s *slot, args []byte) (addr uint64, err error) {
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
	if err := e.openPart(); err != nil {
		return err
	}
	dst, src := c.Dst.(*memory), c.Src.(*memory)
	if d, s := dst.addr+c.DstOff, src.addr+c.SrcOff; dst.addr != 0 && src.addr != 0 && e.line.accepted&(1<<compute) != 0 && e.d.built.byKernel(e.d, d, s, c.Size) {
		e.noteCommand(c)
		return e.launchBuiltin(copyModule, d, s, c.Size, 0)
	}
	e.orderKind(transfer)
	e.noteCommand(c)
	chunk := c.Size
	if e.lineTrack == e.copyTrack && c.Size <= maxGentleOf(c) && dst.pool.kind == e.d.mem.types.host {
		chunk = gentleChunk
	}
	for at := uint64(0); at < c.Size; at += chunk {
		if at > 0 {
			s := scopes[1<<transfer]
			e.commands.Barrier(s.stages, s.write, s.stages, s.both)
		}
		e.commands.Copy(src.block.buffer, dst.block.buffer, src.off+c.SrcOff+at, dst.off+c.DstOff+at, min(chunk, c.Size-at))
	}
	e.stampEnd()
	return nil
}

func (e *encoder) fill(c *hal.Command) error {
	if c.Size == 0 {
		return nil
	}
	if err := e.openPart(); err != nil {
		return err
	}
	dst := c.Dst.(*memory)
	if d := dst.addr + c.DstOff; e.d.built.byKernel(e.d, d, 0, c.Size) {
		e.noteCommand(c)
		return e.launchBuiltin(fillModule, d, 0, c.Size, c.Pattern)
	}
	e.orderKind(transfer)
	e.noteCommand(c)
	e.commands.Fill(dst.block.buffer, dst.off+c.DstOff, c.Size, c.Pattern)
	e.stampEnd()
	return nil
}

// noteCommand records the command in the open part. If the part fails, the command fails, too.
func (e *encoder) noteCommand(c *hal.Command) {
	if c.Fault != nil {
		e.part.copies = append(e.part.copies, c.Fault)
	}
}

// encodeWrite copies host memory to the staging ring. encodeWrite records the copy from
// the ring to the device's memory.
func (e *encoder) encodeWrite(c *hal.Command, j *job) error {
	dst, chunk := c.Dst.(*memory), uint64(maxChunk)
	if e.lineTrack == e.copyTrack {
		chunk = asideChunk
	}
	for j.done < c.Size {
		n := min(c.Size-j.done, chunk)
		off, err := e.stageBytes(n, c.Size)
		if err != nil {
			return err
		}
		r := e.part.ring
		if !c.Cancel.Do(func() { copyBytes(r.mem.data[off:off+n], c.Host[j.done:j.done+n]) }) {
			cancelCommand(c)
			return nil
		}
		e.orderKind(transfer)
		e.noteCommand(c)
		e.commands.Copy(r.mem.block.buffer, dst.block.buffer, r.mem.off+off, dst.off+c.DstOff+j.done, n)
		e.stampEnd()
		j.done += n
		if err := e.flushLarge(j.done < c.Size); err != nil {
			return err
		}
	}
	return nil
}

// encodeRead records a copy to the staging ring. When the part has completed, the host copies
// the data from the ring.
func (e *encoder) encodeRead(c *hal.Command, j *job) error {
	src := c.Src.(*memory)
	for j.done < c.Size {
		n := min(c.Size-j.done, maxChunk)
		off, err := e.stageBytes(n, c.Size)
		if err != nil {
			return err
		}
		r := e.part.ring
		e.orderKind(transfer)
		e.noteCommand(c)
		e.commands.Copy(src.block.buffer, r.mem.block.buffer, src.off+c.SrcOff+j.done, r.mem.off+off, n)
		e.stampEnd()
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
		return e.submitPart()
	}
	return nil
}

// stageBytes opens a part and reserves n bytes of the staging ring for the part. The bytes are for
// a chunk of a transfer. The parameter total is the size of the whole transfer, in bytes. If the
// ring is full, stageBytes submits the open parts and waits for completed work. If the ring is full
// and the encoder must not wait, stageBytes returns errBusy.
func (e *encoder) stageBytes(n, total uint64) (off uint64, err error) {
	for {
		if err := e.fitRing(min(4*total, maxRing), n); err != nil {
			return 0, err
		}
		if err := e.openPart(); err != nil {
			return 0, err
		}
		if other := e.otherTrack(); other != nil && other.part != nil && other.part.ring != nil {
			e.pushTrack(other) // parts must free their bytes of the ring in the order of submission
		}
		if off, ok := e.reserveRing(n); ok {
			return off, nil
		}
		for _, l := range []*lineTrack{e.mainTrack, e.copyTrack} {
			if l != nil && l.part != nil && l.inPart != 0 {
				if err := e.pushTrack(l); err != nil {
					return 0, err
				}
			}
		}
		e.q.finishParts()
		e.q.mu.Lock()
		busy := len(e.q.inflight)
		e.q.mu.Unlock()
		if busy == 0 {
			continue // there is space in the ring now
		}
		if !e.mayWait {
			return 0, errBusy
		}
		if _, err := e.q.waitOldest(); err != nil {
			return 0, err
		}
	}
}

// reserveRing reserves n bytes of the staging ring for the open part.
func (e *encoder) reserveRing(n uint64) (off uint64, ok bool) {
	e.q.mu.Lock()
	defer e.q.mu.Unlock()
	r, p := e.q.ring, e.part
	r.resetRing()
	start := r.head
	if off, ok = r.reserveBytes(n); !ok {
		return 0, false
	}
	if p.ring == nil {
		r.parts++
		p.ring, p.ringStart = r, start
	}
	p.ringEnd = r.head
	return off, true
}

// fitRing replaces the staging ring if it has fewer than size bytes. If there is too little memory
// for size bytes, the new ring is smaller, but it has at least `least` bytes. Before the
// replacement, fitRing submits open parts that use the old ring. The old ring is freed when its
// last part is done.
func (e *encoder) fitRing(size, least uint64) error {
	size = max(minRing, uint64(1)<<bits.Len64(size-1))
	if r := e.q.ring; r != nil && r.size >= size {
		return nil
	}
	for _, l := range []*lineTrack{e.mainTrack, e.copyTrack} {
		if l != nil && l.part != nil && l.part.ring != nil {
			if err := e.pushTrack(l); err != nil {
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
