//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// This file lets copies run at the same time as kernels. A device has one or two lines, which are
// sequences of submissions. The first line is the main line. The second line submits to a queue
// that can only transfer. The engines of this queue work while kernels run. A part is one
// submission. The parts of both lines have a common order, but the device can run them in parallel.
// For example, the device writes the memory x on the second line while a launch on the main line
// uses the memory y. After a Barrier, a write of y on the second line waits for that launch. A
// launch on the main line that uses x then waits for the write of x.
//
// A barrier makes a command wait for earlier commands of its own line. To wait for commands of the
// other line, a command waits for a value of that line's semaphore. Only a whole submission can
// wait for a value of a semaphore. So a Barrier ends a part if the commands before and after the
// Barrier must be in different submissions.

// asideMin is the least size, in bytes, of a copy that uses the second line. On an H100, a write, a
// launch and a read took 5 % less time with the second line if the copies had 1 MiB. With copies of
// 256 KiB, the three commands took 7 % longer, because each line then often waits for the other
// line.
var asideMin uint64 = 1 << 20

// asideChunk replaces maxChunk for copies on the second line. Writing 64 MiB took 3.0 ms with
// asideChunk, and 3.8 ms with the larger chunks of maxChunk.
const asideChunk = 4 << 20

// Copies from the device to the host on the second line are divided into copies of gentleChunk
// bytes, with barriers between them. Without these barriers, the device copies faster than the bus can
// take the bytes, and kernels wait for memory. On an H200, a kernel of 0.49 ms and a copy of 16 MiB
// beside it took 0.69 ms without barriers, and 0.50 ms with them. But a program whose copies take longer
// than its kernels takes up to 1.2 times as long with barriers: a kernel of 0.49 ms and a copy of
// 64 MiB took 1.34 ms and 1.61 ms. So larger copies are not divided.
const (
	gentleChunk = 512 << 10
	maxGentle   = 16 << 20
	// maxGentlePiece replaces maxGentle for copies whose field Apart is set. Such copies are pieces of
	// larger copies, and large pieces belong to copies that take longer than most kernels.
	maxGentlePiece = 2 << 20
)

// maxGentleOf returns the largest size of copies like c that are divided into chunks.
func maxGentleOf(c *hal.Command) uint64 {
	if c.Apart {
		return maxGentlePiece
	}
	return maxGentle
}

// asideRow is the largest number of consecutive copies, without a launch in between, that use the
// second line. If a program only copies, no kernels run beside the copies, and the second line is 3
// % slower than the main line.
const asideRow = 4

// twoLines says that devices with one queue get two lines on that queue. Tests set it.
var twoLines bool

// TwoLines makes devices without a queue for copies use a second line for large copies, too.
// TwoLines affects devices that are opened later. TwoLines is for tests, and must not be called
// while a device is being opened.
func TwoLines(on bool) { twoLines = on }

// A line is a sequence of submissions. The device begins the submissions of a line in order.
type submitLine struct {
	q        *queue
	queue    vkx.Queue
	family   uint32
	accepted stageSet // set of the kinds of commands that the line accepts

	// timeline is a timeline semaphore, which reaches the value of a part when the part has
	// completed. Each part's value is one more than the previous part's value.
	timeline     vkx.Semaphore
	pushedValue  uint64        // value of the newest part; only the encoder uses the field
	reachedValue atomic.Uint64 // newest known value of the timeline

	free  []*slot // unused slots; queue.mu guards them
	slots int     // number of all slots; queue.mu guards it
}

func (l *submitLine) init(q *queue, family uint32, can stageSet) error {
	l.q, l.queue, l.family, l.accepted = q, q.d.vk.Queue(family), family, can
	var r vkx.Result
	l.timeline, r = q.d.vk.CreateTimeline()
	return q.d.check("vkCreateSemaphore", r)
}

func (l *submitLine) close() {
	if l.timeline != 0 {
		l.q.d.vk.DestroySemaphore(l.timeline)
		l.timeline = 0
	}
}

// hasPassed reports whether the device has completed the part with the given value.
func (l *submitLine) hasPassed(value uint64) bool {
	if l.reachedValue.Load() >= value {
		return true
	}
	d := l.q.d
	now, r := d.vk.Reached(l.timeline)
	if r < 0 {
		if r == vkx.ErrorDeviceLost {
			d.setLost("vkGetSemaphoreCounterValue", r)
		}
		return false
	}
	l.recordReached(now)
	return now >= value
}

// recordReached records that the timeline has reached the given value.
func (l *submitLine) recordReached(value uint64) {
	for {
		old := l.reachedValue.Load()
		if old >= value || l.reachedValue.CompareAndSwap(old, value) {
			return
		}
	}
}

// transferFamily returns a queue family that can only transfer.
func transferFamily(i *vkx.PhysicalDeviceInfo) (uint32, bool) {
	const more = vkx.QueueSparseBindingBit | vkx.QueueProtectedBit
	for n, flags := range i.QueueFamilies {
		if flags&^more == vkx.QueueTransferBit {
			return uint32(n), true
		}
	}
	return 0, false
}

// A track is the encoder's state for a line.
type lineTrack struct {
	line *submitLine

	commands vkx.Commands
	part     *part // open part; nil between parts
	bound    vkx.Pipeline
	inPart   stageSet // kinds of the part's commands
	launches int      // number of launches in the part
	timing   bool     // a command with times has begun, but not ended (see stampBegin)

	unordered   stageSet           // commands without a later barrier
	mustWaitFor [numKinds]stageSet // kinds that the next command of each kind must wait for

	// laterWait is the value of the other line's timeline that later commands must wait for.
	// submittedWait is the value that submitted commands already wait for.
	laterWait, submittedWait uint64
}

// selectLine selects the line that executes a command.
func (e *encoder) selectLine(c *hal.Command) {
	if e.copyTrack == nil {
		return
	}
	e.lineTrack = e.mainTrack
	switch c.Op {
	case hal.OpLaunch, hal.OpGraph:
		e.copiesInRow = 0
	case hal.OpCopy, hal.OpWrite: // an OpRead stays on the main line, because reads took a third longer on the second line
		if c.Size < asideMin && !c.Apart || c.Op == hal.OpCopy && !e.overBus(c) {
			return
		}
		if e.copiesInRow++; e.copiesInRow > asideRow && !c.Apart || c.Times != nil && e.d.clock != nil { // the queue of the second line cannot reset queries
			return
		}
		e.lineTrack = e.copyTrack
		if c.Apart {
			return
		}
		if e.cutMain {
			e.pushTrack(e.mainTrack) // the commands of the part report the error
		}
	}
}

// overBus reports whether a copy is between the host's memory and the device's memory.
func (e *encoder) overBus(c *hal.Command) bool {
	return c.Dst.(*memory).pool.kind != c.Src.(*memory).pool.kind || twoLines
}

// barrierAcross makes commands after a Barrier wait for the other line, too.
func (e *encoder) barrierAcross() {
	if e.copyTrack == nil {
		return
	}
	e.pushTrack(e.copyTrack)
	if n := e.copyTrack.line.pushedValue; n > e.mainTrack.laterWait {
		e.pushTrack(e.mainTrack)
		e.mainTrack.laterWait = n
	}
	// A part that contains only launches need not end here, because the next copy ends the part.
	if e.cutMain = e.mainTrack.part != nil; !e.cutMain {
		e.copyTrack.laterWait = e.mainTrack.line.pushedValue
	}
}

// pushTrack submits the open part of a track.
func (e *encoder) pushTrack(l *lineTrack) error {
	now := e.lineTrack
	e.lineTrack = l
	err := e.submitPart()
	e.lineTrack = now
	return err
}

// pushAll submits the open parts of both lines. If submitting a part fails, the commands of the part
// report the error.
func (e *encoder) pushAll() {
	e.pushTrack(e.mainTrack)
	if e.copyTrack != nil {
		e.pushTrack(e.copyTrack)
	}
}

// clearCut records that the main track's part has ended. clearCut does nothing unless commands on
// the second line had to wait for the main track's part.
func (e *encoder) clearCut() {
	if e.cutMain && e.mainTrack.part == nil {
		e.cutMain, e.copyTrack.laterWait = false, e.mainTrack.line.pushedValue
	}
}

// otherTrack returns the track that is not selected, or nil.
func (e *encoder) otherTrack() *lineTrack {
	if e.lineTrack == e.mainTrack {
		return e.copyTrack
	}
	return e.mainTrack
}

// waitFor returns the other line, and the value of the other line's timeline that the track's part
// must wait for. waitFor returns nil if the part need not wait.
//
// A copy whose field Apart is set waits only for parts that are known to have completed. This wait
// makes the writes of these parts visible. The wait takes no time, because the timeline has already
// reached the value.
func (e *encoder) waitFor() (behind *submitLine, value uint64) {
	if e.t.apart && e.lineTrack == e.copyTrack {
		if n := e.mainTrack.line.reachedValue.Load(); n > 0 {
			return e.mainTrack.line, n
		}
		return nil, 0
	}
	if e.laterWait <= e.submittedWait {
		return nil, 0
	}
	return e.otherTrack().line, e.laterWait
}
