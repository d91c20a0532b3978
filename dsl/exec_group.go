package dsl

import (
	"fmt"
	"runtime"

	"github.com/kgen-go/kgen/internal/dslhook"
)

// The work-items of a group run on coroutines called lanes. A lane runs work-items one after the
// other, until a work-item waits at a barrier. Then the next lane runs the work-items that have not
// started. So a kernel without barriers runs as a loop on one lane, and only waiting work-items
// hold a stack.
//
// Under the race detector each work-item has its own lane. A switch between lanes orders memory
// accesses only at a barrier, by the methods of the type `clocks`. The detector ignores accesses in
// functions with the directive norace.

// The type `group` is the state of the running work-group. Dimensions beyond the kernel's rank have size 1
// and id 0.
type group struct {
	l       *dslhook.Launch
	call    func(*workItem)
	lin     int
	id      [3]int // id of the work-group
	base    [3]int // global id of the group's first work-item
	groups  [3]int // number of groups
	local   [3]int // size of the work-group for which g.items was prepared
	subSize int

	items   []workItem
	started int // number of work-items that have run or are running
	lanes   []*lane
	waiting []*lane // lanes whose work-item waits at a barrier, in the order of work-items
	opened  int     // number of times that barriers have opened

	locals    [keptLocals]localCell
	late      []localCell
	lateBase  int
	accessors []accessorCell

	exchangers []resetter // one *exchanger[T] for each type T
	clocks     clocks
}

type itemState uint8

const (
	running itemState = iota
	atGroupBarrier
	atSubGroupBarrier
	finished
	diverged // waits at a barrier that the others will never reach
)

type workItem struct {
	g      *group
	lane   *lane
	lin    int // linear id in the group
	local  [3]int
	locals int // number of calls of Local so far
	state  itemState
	ended  int // value of g.opened when the work-item finished
}

func (w *workItem) launch() *dslhook.Launch {
	if w == nil {
		return nil
	}
	return w.g.l
}

// globalID returns the work-item's global id in the kernel's index order.
func (w *workItem) globalID() [3]int {
	var id [3]int
	for d := range id {
		id[d] = w.g.base[d] + w.local[d]
	}
	return id
}

// wait() suspends the work-item until all participants of the barrier have arrived. If the launch
// must end, wait ends the work-item.
//
//go:norace
func (w *workItem) wait(at itemState) {
	if w.g.l.Stopping() {
		panic(laneStopped{})
	}
	if len(w.g.items) == 1 {
		return
	}
	w.state = at
	clock := w.g.clocks.arrive(w, at)
	if !w.lane.yield(true) || w.g.l.Stopping() {
		panic(laneStopped{})
	}
	w.g.clocks.leave(clock)
	if w.state == diverged {
		panic("dsl: divergent barriers: the work-items of one group wait at different barriers")
	}
	w.state = running
}

//go:norace
func (w *workItem) finish() { w.state, w.ended = finished, w.g.opened }

// laneStopped is the panic value that ends a work-item if its launch must end or was abandoned.
type laneStopped struct{}

// The type `lane` is a coroutine. The field resume is a function that returns true when the lane's
// work-item waits at a barrier, and false when no work-item is left to run.
type lane struct {
	item   *workItem
	resume func() (waits, ok bool)
	stop   func()
	yield  func(waits bool) bool
}

// runLane runs work-items on a lane until no work-item is left.
//
//go:norace
func (g *group) runLane(ln *lane) {
	for {
		for g.started < len(g.items) {
			if g.span(ln); raceEnabled {
				break
			}
		}
		if !ln.yield(false) {
			return
		}
	}
}

// span() runs work-items on the lane until none is left or one panics.
//
//go:norace
func (g *group) span(ln *lane) {
	defer func() { g.spanEnd(ln, recover()) }()
	for g.started < len(g.items) {
		if g.l.Stopping() {
			g.started = len(g.items)
			return
		}
		w := &g.items[g.started]
		g.started++
		w.lane, w.locals, w.state = ln, 0, running
		ln.item = w
		g.clocks.begin()
		g.call(w)
		w.finish()
		if raceEnabled {
			return
		}
	}
}

// spanEnd ends a call of span(). If the call ended by a panic, v is the recovered value.
//
//go:norace
func (g *group) spanEnd(ln *lane, v any) {
	if v != nil {
		w := ln.item
		w.finish()
		if _, stopped := v.(laneStopped); !stopped {
			g.clocks.fault(func() { g.l.Panicked(w.globalID(), v) })
		}
	}
	g.clocks.end()
}

// The type `scratch` is the content of a dslhook.Scratch. The garbage collector can free an unused
// scratch, because the goroutines of lanes do not point to it. Freeing a scratch ends its goroutines.
type scratch struct{ g *group }

func scratchGroup(s *dslhook.Scratch) *group {
	if st, ok := s.State.(*scratch); ok {
		return st.g
	}
	st := &scratch{g: &group{}}
	runtime.AddCleanup(st, func(g *group) {
		for _, ln := range g.lanes {
			ln.stop()
		}
	}, st.g)
	s.State = st
	return st.g
}

// runGroup implements dslhook.RunGroup.
func runGroup(kernel any, l *dslhook.Launch, lin int, s *dslhook.Scratch) {
	g := scratchGroup(s)
	defer runtime.KeepAlive(s)
	g.layOut(l, lin)
	switch k := kernel.(type) {
	case func(NDItem1):
		g.call = func(w *workItem) { k(NDItem1{w}) }
	case func(NDItem2):
		g.call = func(w *workItem) { k(NDItem2{w}) }
	case func(NDItem3):
		g.call = func(w *workItem) { k(NDItem3{w}) }
	default:
		panic(fmt.Sprintf("BUG: dsl: %T is no nd-range kernel", kernel))
	}
	g.run()
	g.l, g.call = nil, nil // an idle scratch keeps no kernel alive
}

// layOut prepares the group for the work-group with the given linear id.
func (g *group) layOut(l *dslhook.Launch, lin int) {
	local := [3]int{1, 1, 1}
	copy(local[:l.Rank], l.Local[:])
	if local != g.local {
		g.local = local
		g.items = make([]workItem, local[0]*local[1]*local[2])
		for i := range g.items {
			w := &g.items[i]
			w.g, w.lin = g, i
			w.local = [3]int{i / local[2] / local[1], i / local[2] % local[1], i % local[2]}
		}
	}
	// In a launch of rank 1 or 2, the last entries of g.groups stay 1.
	g.groups = [3]int{1, 1, 1}
	for d := range l.Rank {
		g.groups[d] = l.Global[d] / local[d]
	}
	g.id = [3]int{lin / g.groups[2] / g.groups[1], lin / g.groups[2] % g.groups[1], lin % g.groups[2]}
	for d := range g.base {
		g.base[d] = g.id[d] * local[d]
	}
	g.l, g.lin, g.started, g.opened = l, lin, 0, 0
	g.subSize = max(l.SubGroupSize, 1)
	g.waiting = g.waiting[:0]
	g.clocks.reset((len(g.items) + g.subSize - 1) / g.subSize)
	g.resetLocals()
	for _, x := range g.exchangers {
		x.reset()
	}
}

// run() starts the work-items in the order of their ids. Then run() opens barriers as long as
// work-items wait. The order in which work-items run is deterministic.
//
//go:norace
func (g *group) run() {
	g.clocks.start()
	defer g.endRun()
	for n := 0; g.started < len(g.items); n++ {
		if n == len(g.lanes) {
			g.lanes = append(g.lanes, newLane(g))
		}
		g.resume(g.lanes[n])
	}
	for len(g.waiting) > 0 {
		open := g.openBarriers()
		lanes := g.waiting
		g.waiting = g.waiting[:0] // the loop below overwrites only elements that it has read
		for _, ln := range lanes {
			if w := ln.item; open || w.state == running || w.state == diverged {
				g.resume(ln)
			} else {
				g.waiting = append(g.waiting, ln)
			}
		}
	}
}

// endRun orders the work-items' accesses before all later accesses. Under the race detector, endRun
// also ends the lanes, because the detector supports only some thousand goroutines.
//
//go:norace
func (g *group) endRun() {
	g.clocks.join()
	if raceEnabled {
		for _, ln := range g.lanes {
			ln.stop()
		}
		g.lanes = g.lanes[:0]
	}
}

//go:norace
func (g *group) resume(ln *lane) {
	if waits, ok := ln.resume(); ok && waits {
		g.waiting = append(g.waiting, ln)
	}
}

// openBarriers decides which waiting work-items continue. Finished work-items no longer take part.
// openBarriers returns true if all waiting work-items continue, as usual. If only some continue,
// openBarriers marks them as running. If no work-item can continue, all become diverged.
//
//go:norace
func (g *group) openBarriers() bool {
	g.opened++
	sub := 0
	for _, ln := range g.waiting {
		if ln.item.state == atSubGroupBarrier {
			sub++
		}
	}
	if sub == 0 || sub == len(g.waiting) {
		g.clocks.open(sub == 0, -1)
		return true
	}
	progress := false
	for lo := 0; lo < len(g.waiting); {
		id := g.waiting[lo].item.lin / g.subSize
		hi, all := lo, true
		for ; hi < len(g.waiting) && g.waiting[hi].item.lin/g.subSize == id; hi++ {
			all = all && g.waiting[hi].item.state == atSubGroupBarrier
		}
		if all {
			progress = true
			g.clocks.open(false, id)
			for _, ln := range g.waiting[lo:hi] {
				ln.item.state = running
			}
		}
		lo = hi
	}
	if !progress {
		for _, ln := range g.waiting {
			ln.item.state = diverged
		}
	}
	return false
}
