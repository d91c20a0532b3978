//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// This file lets copies run at the same time as kernels. A device has one line of submissions (the
// main line), or two. The second line (aside) has a queue of a family that can only transfer, whose
// engines work while kernels run. The parts of both lines have a common order, but the device can
// run them in parallel. For example, the device writes the memory x on the second line while a
// launch on the main line uses the memory y. After a Barrier, a write of y on the second line waits
// for that launch. A launch on the main line that uses x then waits for the write of x.
//
// A command waits for earlier commands of its own line by a barrier. A command waits for commands
// of the other line by a value of that line's semaphore. Only a complete part can wait for such a
// value. So a Barrier ends the parts that must not contain later commands.

// asideMin is the least size, in bytes, of a copy that uses the second line. On an H100, a write, a
// launch and a read took 5 % less time with the second line if the copies had 1 MiB. With copies of
// 256 KiB, the three commands took 7 % longer, because the lines wait for each other.
var asideMin uint64 = 1 << 20

// asideChunk replaces maxChunk for copies on the second line. With asideChunk, 64 MiB were written
// in 3.0 ms, and with the larger chunks in 3.8 ms.
const asideChunk = 4 << 20

// asideRow is the largest number of consecutive copies, without a launch in between, that use the
// second line. If a program only copies, there are no kernels to overlap with, and the engines are
// 3 % slower than the main line.
const asideRow = 4

// twoLines says that devices with one queue get two lines on that queue. Tests set it.
var twoLines bool

// TwoLines makes devices without a queue for copies use a second line for large copies, too.
// TwoLines affects devices that are opened later. TwoLines is for tests. No device may be opened at
// the same time.
func TwoLines(on bool) { twoLines = on }

// A line is a sequence of submissions that the device begins in order.
type line struct {
	q      *queue
	queue  vkx.Queue
	family uint32
	can    kinds // kinds of commands that the line accepts

	// The field timeline is a semaphore. When a part has completed, the timeline reaches the value
	// of the part. Each part's value is one more than the previous part's value.
	timeline vkx.Semaphore
	pushed   uint64        // value of the newest part; only the encoder uses the field
	reached  atomic.Uint64 // newest known value of the timeline

	free  []*slot // unused slots; queue.mu guards them
	slots int     // number of all slots; queue.mu guards it
}

func (l *line) init(q *queue, family uint32, can kinds) error {
	l.q, l.queue, l.family, l.can = q, q.d.vk.Queue(family), family, can
	var r vkx.Result
	l.timeline, r = q.d.vk.CreateTimeline()
	return q.d.check("vkCreateSemaphore", r)
}

func (l *line) close() {
	if l.timeline != 0 {
		l.q.d.vk.DestroySemaphore(l.timeline)
		l.timeline = 0
	}
}

// The method passed reports whether the device has completed the part with the given value.
func (l *line) passed(value uint64) bool {
	if l.reached.Load() >= value {
		return true
	}
	d := l.q.d
	now, r := d.vk.Reached(l.timeline)
	if r < 0 {
		if r == vkx.ErrorDeviceLost {
			d.lose("vkGetSemaphoreCounterValue", r)
		}
		return false
	}
	l.reach(now)
	return now >= value
}

// The method reach records that the timeline has reached the given value.
func (l *line) reach(value uint64) {
	for {
		old := l.reached.Load()
		if old >= value || l.reached.CompareAndSwap(old, value) {
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
type track struct {
	line *line

	commands vkx.Commands
	part     *part // open part; nil between parts
	bound    vkx.Pipeline
	inPart   kinds // kinds of the part's commands
	launches int   // number of launches in the part
	timing   bool  // a command with times has begun, but not ended (see begun)

	loose kinds           // commands that no barrier has followed
	owed  [numKinds]kinds // kinds that the next command of each kind must wait for

	// The field after is the value of the other line's timeline that later commands must wait for.
	// The field waited is the value that submitted commands already wait for.
	after, waited uint64
}

// The method turn selects the line that executes a command.
func (e *encoder) turn(c *hal.Command) {
	if e.aside == nil {
		return
	}
	e.track = e.main
	switch c.Op {
	case hal.OpLaunch, hal.OpGraph:
		e.row = 0
	case hal.OpCopy, hal.OpWrite: // without OpRead: the host copies the data of an OpRead once more, which took a third longer on the second line
		if c.Size < asideMin && !c.Apart || c.Op == hal.OpCopy && !e.overBus(c) {
			return
		}
		if e.row++; e.row > asideRow && !c.Apart || e.d.clock != nil { // the queue of the second line cannot reset queries
			return
		}
		e.track = e.aside
		if c.Apart {
			// It waits for the parts whose completion is known, which costs nothing, to see their writes.
			e.aside.after = max(e.aside.after, e.main.line.reached.Load())
			return
		}
		if e.cut {
			e.push(e.main) // commands of the part get the error
		}
	}
}

// overBus reports whether a copy is between the host's memory and the device's memory.
func (e *encoder) overBus(c *hal.Command) bool {
	return c.Dst.(*memory).pool.kind != c.Src.(*memory).pool.kind || twoLines
}

// barrierAcross makes commands after a Barrier wait for the other line, too.
func (e *encoder) barrierAcross() {
	if e.aside == nil {
		return
	}
	e.push(e.aside)
	if n := e.aside.line.pushed; n > e.main.after {
		e.push(e.main)
		e.main.after = n
	}
	// A part that contains only launches need not end here, because the next copy ends the part.
	if e.cut = e.main.part != nil; !e.cut {
		e.aside.after = e.main.line.pushed
	}
}

// The method push submits the open part of a track.
func (e *encoder) push(l *track) error {
	now := e.track
	e.track = l
	err := e.flush()
	e.track = now
	return err
}

// pushAll submits the open parts of both lines. The commands of these parts get the errors.
func (e *encoder) pushAll() {
	e.push(e.main)
	if e.aside != nil {
		e.push(e.aside)
	}
}

// The method uncut records that the main track's part has ended. The method uncut does nothing
// unless commands on the second line had to wait for that part.
func (e *encoder) uncut() {
	if e.cut && e.main.part == nil {
		e.cut, e.aside.after = false, e.main.line.pushed
	}
}

// The method other returns the track that is not selected, or nil.
func (e *encoder) other() *track {
	if e.track == e.main {
		return e.aside
	}
	return e.main
}

// waitFor returns the other line and the value of its timeline that the track's part must wait for.
// waitFor returns nil if the part need not wait.
func (e *encoder) waitFor() (behind *line, value uint64) {
	if e.after <= e.waited {
		return nil, 0
	}
	return e.other().line, e.after
}
