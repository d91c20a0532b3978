//go:build race

package dsl

import (
	"runtime"
	"unsafe"
)

const raceEnabled = true

// newLane starts a goroutine for a new lane. The race detector does not see the lane's channels.
func newLane(g *group) *lane {
	ln := &lane{}
	next, back := make(chan bool), make(chan bool)
	ln.yield = func(waits bool) bool {
		runtime.RaceDisable()
		back <- waits
		ok := <-next
		runtime.RaceEnable()
		return ok
	}
	ln.resume = func() (waits, ok bool) {
		runtime.RaceDisable()
		next <- true
		waits, ok = <-back
		runtime.RaceEnable()
		return waits, ok
	}
	ln.stop = func() {
		runtime.RaceDisable()
		close(next)
		for range back {
		}
		runtime.RaceEnable()
	}
	go func() {
		runtime.RaceDisable()
		ok := <-next
		runtime.RaceEnable()
		if ok {
			g.runLane(ln)
		}
		runtime.RaceDisable()
		close(back)
	}()
	return ln
}

// The type `clocks` tells the race detector the order of accesses. The start of a group happens
// before its work-items run, and the end of a group happens after its work-items. Accesses before a
// barrier happen before accesses after it. Each barrier alternates between two clocks, so that
// arriving at a barrier is not ordered with leaving the previous barrier.
type clocks struct {
	first, last, faults uint64
	opened              []int    // number of times that the barriers of the group and of its sub-groups have opened
	turns               []uint64 // two clocks of each barrier
}

//go:norace
func (c *clocks) reset(subGroups int) {
	if len(c.opened) != subGroups+1 {
		c.opened, c.turns = make([]int, subGroups+1), make([]uint64, 2*(subGroups+1))
	}
}

func (c *clocks) start() { runtime.RaceRelease(unsafe.Pointer(&c.first)) }
func (c *clocks) begin() { runtime.RaceAcquire(unsafe.Pointer(&c.first)) }
func (c *clocks) end()   { runtime.RaceReleaseMerge(unsafe.Pointer(&c.last)) }
func (c *clocks) join()  { runtime.RaceAcquire(unsafe.Pointer(&c.last)) }

// fault() orders the reports of faults.
func (c *clocks) fault(tell func()) {
	runtime.RaceAcquire(unsafe.Pointer(&c.faults))
	tell()
	runtime.RaceReleaseMerge(unsafe.Pointer(&c.faults))
}

// open() records that barriers open. These are the barrier of the work-group, or the barriers of
// one or all sub-groups.
//
//go:norace
func (c *clocks) open(group bool, sub int) {
	for i := range c.opened {
		if group == (i == 0) && (sub < 0 || i == sub+1) {
			c.opened[i]++
		}
	}
}

//go:norace
func (c *clocks) arrive(w *workItem, at itemState) int {
	i := 0
	if at == atSubGroupBarrier {
		i = w.lin/w.g.subSize + 1
	}
	i = 2*i + c.opened[i]&1
	runtime.RaceReleaseMerge(unsafe.Pointer(&c.turns[i]))
	return i
}

//go:norace
func (c *clocks) leave(i int) { runtime.RaceAcquire(unsafe.Pointer(&c.turns[i])) }
