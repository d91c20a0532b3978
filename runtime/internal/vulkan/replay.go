//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// maxRecordings is the largest number of recordings of a graph. At most maxRecordings submissions
// of the graph can use recordings at the same time.
const maxRecordings = 4

// maxRecorded limits the number of commands in a recording. A graph with more than maxRecorded
// commands has no recordings. A recording is submitted as a whole, and drivers may end a submission
// that takes too long.
const maxRecorded = 4 * maxLaunches

// `replay` implements hal.Graph. The commands of the graph are recorded into secondary command
// buffers. The command buffer of a part executes a secondary command buffer as one command.
//
// Each recording has its own fault records, and is executed again only when its last submission has
// completed. A graph therefore has several recordings. If all recordings are in flight, or there is
// too little memory for another recording, the commands are encoded one by one. The first
// submission also encodes the commands one by one, because many graphs run only once.
type replay struct {
	d        *device
	commands []hal.Command // commands of the graph, without Fault
	records  int           // number of fault records of all launches together

	// The encoder owns the fields below, until Free is called.
	runs       int
	maxFree    int // largest number of recordings
	pool       vkx.CommandPool
	recordings []*recording
}

// A recording is a secondary command buffer with the commands of a graph.
type recording struct {
	g       *replay
	cb      vkx.CommandBuffer
	slot    *slot       // slot with the memory of fault records and arguments
	faults  []hal.Fault // faults of the commands
	times   []hal.Times // times of the commands
	timed   timesList
	faultOf []*hal.Fault // maps the index of a fault record in the slot to the fault of a command
	kinds   stageSet     // kinds of the commands
	busy    bool         // a submission that executes the recording may not have completed

	words   []uint32 // Vulkan commands of the recording, for the function `watch`
	watched []commandMark
	epochs  int // number of commands with a Barrier
}

// graphRun is a recording that a part executes. The fields `fault` and `times` belong to the
// OpGraph, and may be nil.
type graphRun struct {
	r     *recording
	fault *hal.Fault
	times *hal.Times
}

// NewGraph implements hal.Replayer.
func (d *device) NewGraph(commands []hal.Command) (hal.Graph, error) {
	if err := d.lostErr(); err != nil {
		return nil, err
	}
	g := &replay{d: d, commands: slices.Clone(commands), maxFree: maxRecordings}
	if err := d.checkBatch(g.commands); err != nil {
		return nil, err
	}
	if len(g.commands) > maxRecorded {
		g.maxFree = 0
	}
	for i := range g.commands {
		c := &g.commands[i]
		c.Fault, c.Times, c.Cancel, c.Taken = nil, nil, nil, nil
		switch c.Op {
		case hal.OpCopy, hal.OpFill:
		case hal.OpLaunch:
			p := c.Pipeline.(*pipeline)
			g.records += max(1, len(p.kernel.Parts))
			if d.tooMany(c.Groups) {
				if _, err := p.dispatchBase(); err != nil {
					return nil, err
				}
			}
		default:
			return nil, fmt.Errorf("vulkan: command %d: operation %d in a graph", i, c.Op)
		}
	}
	if !d.graphs.add(g) {
		return nil, errClosed
	}
	return g, nil
}

// Free destroys the recordings. If Free was called before, or the device is closed, Free does
// nothing. A lost device keeps its recordings until the device is closed.
func (g *replay) Free() {
	if g.d.lost.Load() == nil && g.d.graphs.remove(g) {
		g.destroy()
	}
}

func (g *replay) destroy() {
	g.d.gone.Add(1)
	g.d.vk.DestroyCommandPool(g.pool)
	for _, r := range g.recordings {
		g.d.vk.DestroyQueryPool(r.slot.queries)
		r.slot.free()
	}
	g.pool, g.recordings, g.maxFree = 0, nil, 0
}

// graphSet is the set of a device's graphs.
type graphSet struct {
	mu     sync.Mutex
	all    map[*replay]struct{}
	closed bool
}

func (s *graphSet) add(g *replay) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.all == nil {
		s.all = map[*replay]struct{}{}
	}
	s.all[g] = struct{}{}
	return true
}

func (s *graphSet) remove(g *replay) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.all[g]
	delete(s.all, g)
	return ok
}

func (s *graphSet) close() {
	s.mu.Lock()
	all := s.all
	s.all, s.closed = nil, true
	s.mu.Unlock()
	for g := range all {
		g.destroy()
	}
}

// encodeGraph encodes an OpGraph. encodeGraph uses a recording if a recording is free. If no
// recording is free, encodeGraph encodes the graph's commands one by one.
func (e *encoder) encodeGraph(c *hal.Command, j *job) error {
	g := c.Graph.(*replay)
	if len(g.commands) == 0 {
		return nil
	}
	if j.nodes == nil {
		if r := e.freeRecording(g); r != nil {
			return e.executeRecording(r, c)
		}
		j.nodes, j.at = g.oneByOne(c), 0
	}
	for ; j.at < len(j.nodes); j.at++ {
		n := &j.nodes[j.at]
		e.current = n
		if n.Barrier && j.at > 0 { // the Barrier of c takes the place of the first node's Barrier
			e.addBarrier()
		}
		if n.Fault != nil && n.Fault.Failed != nil {
			continue
		}
		if err := e.onDevice(n); err == errBusy {
			return err
		} else if err != nil {
			failCommand(n, err)
		}
	}
	j.nodes = nil
	return nil
}

// oneByOne returns the graph's commands for a single submission, without a recording.
func (g *replay) oneByOne(c *hal.Command) []hal.Command {
	nodes := slices.Clone(g.commands)
	nodes[0].Barrier = c.Barrier
	if c.Fault != nil {
		c.Fault.Parts = make([]hal.Fault, len(nodes))
		for i := range nodes {
			nodes[i].Fault = &c.Fault.Parts[i]
		}
	}
	if c.Times != nil {
		c.Times.Nodes = make([]hal.Times, len(nodes))
		for i := range nodes {
			nodes[i].Times = &c.Times.Nodes[i]
		}
	}
	return nodes
}

// freeRecording returns a recording of the graph that is not in flight, or nil.
func (e *encoder) freeRecording(g *replay) *recording {
	g.runs++
	if g.runs == 1 || g.maxFree == 0 {
		return nil
	}
	if r := g.free(); r != nil {
		return r
	}
	if len(g.recordings) < g.maxFree {
		r, err := e.makeRecording(g)
		if err == nil {
			return r
		}
		g.maxFree = len(g.recordings) // there is too little memory for more recordings
	}
	e.q.finishParts() // some recordings may have completed
	e.q.recycleSlots()
	return g.free()
}

func (g *replay) free() *recording {
	for _, r := range g.recordings {
		if !r.busy {
			return r
		}
	}
	return nil
}

// makeRecording makes a new recording of the graph.
func (e *encoder) makeRecording(g *replay) (_ *recording, err error) {
	d := e.d
	r := &recording{g: g, slot: &slot{limit: math.MaxInt, recorded: true}, faults: make([]hal.Fault, len(g.commands)),
		times: make([]hal.Times, len(g.commands))}
	defer func() {
		if err != nil {
			d.vk.DestroyQueryPool(r.slot.queries)
			r.slot.free()
		}
	}()
	if g.records > 0 {
		if r.slot.moreRecordsMem, err = d.mem.alloc(uint64(g.records)*abi.FaultRecordSize, d.mem.types.host); err != nil {
			return nil, err
		}
		clear(r.slot.moreRecordsMem.data)
	}
	in := newEncoder(e.q, e.mainTrack.line, nil)
	in.part = &part{q: e.q, slot: r.slot}
	if err := in.fitQueries(r.slot, len(g.commands)); err != nil {
		return nil, err
	}
	commands := slices.Clone(g.commands)
	for i := range commands {
		c := &commands[i]
		c.Fault, in.current = &r.faults[i], c
		if d.clock != nil {
			c.Times = &r.times[i]
		}
		if c.Barrier && i > 0 {
			in.addBarrier()
		}
		if err := in.onDevice(c); err != nil {
			return nil, err
		}
	}
	r.faultOf, r.kinds, r.timed = in.part.faults, in.inPart, in.part.timed
	if watch != nil {
		r.words, r.watched = in.commands, in.part.watched
	}
	r.epochs = in.epoch
	var res vkx.Result
	if g.pool == 0 {
		if g.pool, res = d.vk.CreateCommandPool(e.mainTrack.line.family, false); res < 0 {
			return nil, d.check("vkCreateCommandPool", res)
		}
	}
	if r.cb, res = d.vk.AllocateCommandBuffer(g.pool, true); res < 0 {
		return nil, d.check("vkAllocateCommandBuffers", res)
	}
	if res = d.vk.Record(r.cb, in.commands); res < 0 {
		return nil, d.check("vkEndCommandBuffer", res)
	}
	g.recordings = append(g.recordings, r)
	return r, nil
}

// executeRecording makes the open part execute a recording. Commands after a later barrier wait
// for all kinds of commands in the recording, whatever barriers the recording contains.
func (e *encoder) executeRecording(r *recording, c *hal.Command) error {
	if e.part != nil && e.launches >= maxLaunches {
		if err := e.submitPart(); err != nil {
			return err
		}
	}
	if err := e.openPart(); err != nil {
		return err
	}
	var from stageSet
	for k := range e.mustWaitFor {
		if r.kinds&(1<<k) != 0 {
			from |= e.mustWaitFor[k]
			e.mustWaitFor[k] = 0
		}
	}
	if from != 0 {
		to := scopes[r.kinds]
		e.commands.Barrier(scopes[from].stages, scopes[from].write, to.stages, to.both)
	}
	if watch != nil {
		e.part.watched = append(e.part.watched, commandMark{at: len(e.commands), epoch: e.epoch, cmd: c, graph: r})
	}
	e.epoch += r.epochs
	e.commands.Execute(r.cb)
	e.bound = 0 // push constants are undefined after the recording, too, but each launch sets them
	e.unordered |= r.kinds
	e.inPart |= r.kinds
	e.launches += len(r.faultOf)
	r.busy = true
	e.part.slot.graphs = append(e.part.slot.graphs, r)
	if e.part.graphs == nil {
		e.part.graphs = e.part.graph[:0]
	}
	e.part.graphs = append(e.part.graphs, graphRun{r, c.Fault, c.Times})
	return nil
}

// finishRecording stores the outcomes of a recording's commands when the recording's submission
// has completed. finishRecording clears the fault records for the next submission.
func (r *recording) finishRecording(f *hal.Fault, t *hal.Times) {
	if t != nil {
		r.timed.storeTimes(r.g.d, r.slot)
		t.Nodes = slices.Clone(r.times)
		clear(r.times)
	}
	any := false
	for i, of := range r.faultOf {
		if of != nil && r.slot.takeFault(i, of) {
			any = true
		}
	}
	if !any {
		return
	}
	if f != nil {
		f.Parts = slices.Clone(r.faults)
	}
	for i := range r.faults {
		r.faults[i] = hal.Fault{Loops: r.faults[i].Loops}
	}
}
