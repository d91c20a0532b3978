package runtime

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// ExecutableGraph is what Graph.Finalize makes of a graph: all kernels are compiled, and the
// order is fixed. Queue.Submit runs it, as often as one likes. Its methods may be called from
// several goroutines.
type ExecutableGraph struct {
	dev       *Device
	updatable bool
	fuse      fuseMode
	barriers  bool // between fused launches

	updating sync.Mutex // of Update
	mu       sync.Mutex // of what Update changes, for those that look at it
	nodes    []execNode // in the graph's sequence, those of sub-graphs among them
	sets     int        // how many sets of nodes are fused
	gone     []*step    // of nodes that have no command
	run      *sequence
	held     *holder // of run
	report   FusionReport
	events   []pending // of submissions to come: they are made several at a time
}

// execNode is a node with a command.
type execNode struct {
	of    *Node // nil for one of a sub-graph
	step  *step
	preds []int // that it depends on by edges of the graph
	// set is that of a sub-graph: its nodes with the same number were one launch there. fused is
	// what set is for graphs that this one becomes a node of.
	set, fused nodeSet
}

// nodeSet is a set of nodes that are one launch: its number, above 0, and whether there are barriers
// between its parts.
type nodeSet struct {
	number   int
	barriers bool
}

// sequence is steps in the order in which they run. It does not change.
type sequence struct {
	stream.Sequence
	steps     []*step   // all with a command
	levels    []int     // of the steps: each depends on none of its level
	ranks     [][]int   // of each step, its nodes, by whose order failures are reported
	kernels   []*Kernel // of the steps that are launches, each once
	pipelines held      // of the steps that are launches, until the users are gone
	users     atomic.Int64
	prints    bool // some steps are printSteps
	// idle is the memory of the graph's nodes that no command uses: of kernels' parameters without
	// elements or without a use, and what is internal to fused launches.
	idle []*stream.Memory
	of   map[*step]*exec.Pipeline

	once   sync.Once
	replay *stream.Replay // nil if the steps are recorded one by one
	memory *stream.Memory // of the replay
}

// newSequence returns an empty sequence, with whoever has made it as its user.
func newSequence() *sequence {
	s := &sequence{of: map[*step]*exec.Pipeline{}}
	s.users.Store(1)
	return s
}

// hold keeps what the sequence has while it is submitted. It is called under the mu of the
// graph, which is a user, too.
func (s *sequence) hold() { s.users.Add(1) }

func (s *sequence) letGo() {
	if s.users.Add(-1) > 0 {
		return
	}
	s.pipelines.letGo()
	if s.memory != nil {
		s.memory.Free()
	}
}

// holder keeps the run of an executable graph while the graph lives.
type holder struct{ run *sequence }

func (h *holder) letGo() { h.run.letGo() }

// held are pipelines that nobody frees: for a run, while it has users; for a submission, those
// of its commands until they are recorded.
type held []*exec.Pipeline

// take takes the plan's pipeline over, as number i, in the place of another.
func (h held) take(i int, p *exec.Plan) {
	if h[i] != nil {
		h[i].LetGo()
	}
	h[i], p.Pipeline = p.Pipeline, nil
}

func (h held) letGo() {
	for _, v := range h {
		if v != nil {
			v.LetGo()
		}
	}
}

// Finalize makes the graph executable, as it is now: nodes and edges that are added later do
// not change what Finalize returned. It compiles the kernels; its errors are those of launches
// whose kernels the device does not take. It returns ErrInvalid while a queue records into the
// graph. The empty graph does nothing.
//
// The properties are Updatable, EnableFusion, RequireFusion and InsertBarriers of package properties;
// those of kernels and of memory are ErrInvalid.
func (g *Graph) Finalize(props ...properties.Property) (*ExecutableGraph, error) {
	if err := g.usable(); err != nil {
		return nil, err
	}
	ex := &ExecutableGraph{dev: g.dev}
	if err := properties.List(props).Validate(); err != nil {
		return nil, &Error{Class: ErrInvalid, Problem: "the graph's properties", Err: err}
	}
	for _, p := range props {
		if !p.Key().OfGraphs() {
			return nil, errorf(ErrInvalid, "%v is no property of graphs", p).advise("give it to a launch by runtime.With")
		}
	}
	ex.updatable = properties.List(props).Has(properties.KeyUpdatable)
	var err error
	if ex.fuse, err = g.dev.fuseModeOf(props); err != nil {
		return nil, err
	}
	ex.barriers = properties.List(props).Has(properties.KeyInsertBarriers)
	g.mu.Lock()
	err = g.notRecording("finalizing")
	if err == nil {
		ex.take(g)
	}
	g.mu.Unlock()
	if err != nil {
		return nil, err
	}
	ex.held = &holder{}
	p, err := ex.plan(ex.nodes, ex.fuse)
	if err != nil {
		return nil, err
	}
	ex.commit(p)
	runtime.AddCleanup(ex, (*holder).letGo, ex.held)
	return ex, nil
}

// take takes the graph's nodes over. Nodes without a command go: what depends on them depends
// on what they depend on.
func (ex *ExecutableGraph) take(g *Graph) {
	stands := make([][]int, len(g.nodes)) // the nodes of ex that a node of g stands for
	for _, i := range g.order.Sequence() {
		n := g.nodes[i]
		var preds []int
		for _, p := range g.order.Preds(i) {
			preds = append(preds, stands[p]...)
		}
		slices.Sort(preds)
		preds = slices.Compact(preds)
		switch {
		case n.sub != nil:
			stands[i] = ex.takeSub(n.sub, preds)
		case n.step.nothing() && n.step.kernel == nil:
			stands[i] = preds
			ex.gone = append(ex.gone, n.step)
		default:
			stands[i] = []int{len(ex.nodes)}
			ex.nodes = append(ex.nodes, execNode{of: n, step: n.step, preds: preds})
		}
	}
}

// takeSub takes the nodes of a graph over that is a node. Those that depend on none of it depend
// on preds. It returns those on which none of it depends, which stand for it.
func (ex *ExecutableGraph) takeSub(sub *ExecutableGraph, preds []int) []int {
	base, sets := len(ex.nodes), ex.sets
	ex.sets += sub.sets
	ex.gone = append(ex.gone, sub.gone...)
	inner := make([]bool, len(sub.nodes)) // another depends on it
	for _, s := range sub.nodes {
		own := preds
		if len(s.preds) > 0 {
			own = nil
		}
		for _, p := range s.preds {
			own = append(own, base+p)
			inner[p] = true
		}
		n := execNode{step: s.step, preds: slices.Clone(own)}
		if s.fused.number > 0 {
			n.set = nodeSet{sets + s.fused.number, s.fused.barriers}
		}
		ex.nodes = append(ex.nodes, n)
	}
	var stands []int
	for i := range inner {
		if !inner[i] {
			stands = append(stands, base+i)
		}
	}
	if len(stands) == 0 {
		return preds
	}
	return stands
}

// compile makes the pipeline of a step, which the plan holds until it is let go.
func (ex *ExecutableGraph) compile(s *step) (exec.Plan, error) {
	c, p := s.launch, s.plan
	if s.kernel == nil || p.Empty {
		return p, nil
	}
	c.Specs = slices.Clone(c.Specs)
	err := ex.dev.find(background, s.kernel, &c, &p)
	return p, err
}

// planned is a run that is not the graph's yet, and what comes with it.
type planned struct {
	nodes  []execNode
	sets   int
	run    *sequence
	report FusionReport
}

// plan orders the steps of the nodes and compiles what the graph does not hold yet. The memory
// that they use may have changed by Update, and asks for edges beside the graph's.
func (ex *ExecutableGraph) plan(nodes []execNode, fuse fuseMode) (p planned, err error) {
	next := &ExecutableGraph{dev: ex.dev, fuse: fuse, barriers: ex.barriers, nodes: slices.Clone(nodes)}
	p = planned{nodes: next.nodes, run: newSequence()}
	divided := false
	defer func() {
		if err != nil {
			p.run.letGo()
		}
		if err != nil && fuse == fuseWhatFits && divided { // the driver may not take a fused kernel
			failed := err
			if p, err = ex.plan(nodes, fuseNever); err == nil {
				p.report.Splits = append(p.report.Splits, failed.Error())
			}
		}
	}()
	var order dag.Graph
	for _, n := range p.nodes {
		order.Add(n.step.uses(), n.preds...)
	}
	units, report, err := next.units(&order)
	if err != nil {
		return p, err
	}
	divided = true
	p.report = report
	if units, err = next.join(units); err != nil {
		return p, err
	}
	var joined dag.Graph
	for _, u := range units {
		joined.Add(u.step.uses(), u.deps...)
	}
	p.sets = next.sets
	ends := make([][]int, len(units)) // what waits for a unit waits for these of the run
	levels := make([]int, len(units))
	for _, i := range joined.Order() {
		preds := joined.Preds(i)
		for _, d := range preds {
			levels[i] = max(levels[i], levels[d]+1)
		}
		var waits []int
		for _, d := range joined.Explicit(i) {
			waits = append(waits, ends[d]...)
		}
		s := units[i].step
		if s.nothing() {
			// What depends on this unit by its memory cannot be: it has none.
			ends[i] = waits
			continue
		}
		ends[i] = []int{len(p.run.steps)}
		first := len(waits) == 0 && len(joined.Explicit(i)) == len(preds)
		p.run.levels = append(p.run.levels, levels[i])
		if err = ex.append(p.run, s, waits, first); err != nil {
			return p, err
		}
		ranks := units[i].nodes
		if len(ranks) == 0 { // what is not of the graph is last
			ranks = []int{len(p.nodes)}
		}
		p.run.ranks = append(p.run.ranks, ranks)
		if s.plan.Print != nil {
			ends[i] = []int{p.run.addPrint(s)}
		}
	}
	p.run.findIdle(p.nodes, ex.gone)
	return p, nil
}

// findIdle finds the memory of nodes, and of steps without a command, that the run does not use.
func (s *sequence) findIdle(nodes []execNode, gone []*step) {
	known := map[*stream.Memory]bool{}
	for i := range s.Commands {
		for _, u := range s.Commands[i].Uses {
			known[u.Mem] = true
		}
	}
	add := func(m *stream.Memory) {
		if !known[m] {
			known[m], s.idle = true, append(s.idle, m)
		}
	}
	for i := range nodes {
		nodes[i].step.memories(add)
	}
	for _, g := range gone {
		g.memories(add)
	}
}

// join makes the launches of units that have several, on devices that take them, and notes
// which nodes have become one.
func (ex *ExecutableGraph) join(units []*unit) ([]*unit, error) {
	apart := ex.dev.direct() // runs what is fused one after another
	for _, u := range units {
		set := 0
		if len(u.nodes) > 1 {
			ex.sets++
			set = ex.sets
		}
		var parts []*step
		for _, i := range u.nodes {
			ex.nodes[i].fused = nodeSet{set, set > 0 && u.group.Barriers}
			parts = append(parts, ex.nodes[i].step)
		}
		if set > 0 && !apart {
			var err error
			if u.step, err = ex.dev.fusedStep(u.group, parts); err != nil {
				return nil, err
			}
		}
	}
	if !apart {
		return units, nil
	}
	var out []*unit
	last := make([]int, len(units)) // of each unit, its last one in out
	for at, u := range units {
		var deps []int
		for _, d := range u.deps {
			deps = append(deps, last[d])
		}
		scratch := map[fusion.Slice]*stream.Memory{}
		for _, i := range u.nodes {
			s, zeros, err := ex.dev.aside(ex.nodes[i].step, u.group, scratch)
			if err != nil {
				return nil, err
			}
			for _, z := range zeros {
				out = append(out, &unit{step: z, deps: deps})
				deps = []int{len(out) - 1}
			}
			out = append(out, &unit{nodes: []int{i}, step: s, deps: deps})
			deps = []int{len(out) - 1}
		}
		last[at] = len(out) - 1
	}
	return out, nil
}

// append adds a step to a run, with its pipeline, which the run holds from then on.
func (ex *ExecutableGraph) append(run *sequence, s *step, waits []int, first bool) error {
	n := s.node
	if s.kernel != nil {
		v := (*exec.Pipeline)(nil)
		if ex.run != nil {
			v = ex.run.of[s]
		}
		if v != nil {
			v.Hold() // which is not the first: the graph holds it
		} else {
			p, err := ex.compile(s)
			if err != nil {
				return err
			}
			v = p.Pipeline
		}
		run.pipelines, run.of[s] = append(run.pipelines, v), v
		if !slices.Contains(run.kernels, s.kernel) {
			run.kernels = append(run.kernels, s.kernel)
		}
		c := s.launch
		c.Uses = slices.Clone(c.Uses)
		n = c.Command(s.kernel.abi, &s.plan, v)
	}
	run.steps = append(run.steps, s)
	run.Commands, run.Waits, run.First = append(run.Commands, n), append(run.Waits, waits), append(run.First, first)
	return nil
}

// addPrint adds a step behind the last one, a launch that prints, and returns its index.
func (s *sequence) addPrint(of *step) int {
	last := len(s.steps) - 1
	next := printStep(of)
	s.prints = true
	s.steps, s.levels, s.ranks = append(s.steps, next), append(s.levels, s.levels[last]), append(s.ranks, s.ranks[last])
	s.Commands, s.Waits, s.First = append(s.Commands, next.node), append(s.Waits, []int{last}), append(s.First, false)
	return last + 1
}

// commit makes what was planned the graph's.
func (ex *ExecutableGraph) commit(p planned) {
	ex.mu.Lock()
	old := ex.run
	ex.held.run = p.run
	ex.nodes, ex.sets, ex.run, ex.report = p.nodes, p.sets, p.run, p.report
	ex.mu.Unlock()
	if old != nil {
		old.letGo()
	}
}

func (ex *ExecutableGraph) usable(dev *Device) error {
	switch {
	case ex == nil || ex.dev == nil:
		return errorf(ErrInvalid, "no executable graph").advise("look at the error that Finalize returned")
	case ex.dev != dev:
		return errorf(ErrInvalid, "the graph is of the device %s, and not of %s", ex.dev.Name(), dev.Name())
	}
	return nil
}

// clone returns the graph as it is now, for a node that stands for it.
func (ex *ExecutableGraph) clone() *ExecutableGraph {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return &ExecutableGraph{dev: ex.dev, nodes: slices.Clone(ex.nodes), sets: ex.sets, gone: ex.gone}
}

// Update puts a command in the place of a node's, for all later runs: a launch of the same
// kernel, with other arguments, another range or other values of constants; another copy or
// fill for one of those. Runs that were submitted before are not changed. The order follows
// from the memory that the command uses.
//
// It returns ErrInvalid, and changes nothing, if the graph was finalized without Updatable, if
// the node is none of its nodes or has no command, and if the commands differ in kind or
// kernel; otherwise its errors are those of Add.
func (ex *ExecutableGraph) Update(n *Node, c Command) error {
	if ex == nil || ex.dev == nil {
		return ex.usable(nil)
	}
	if err := ex.dev.usable(); err != nil {
		return err
	}
	if !ex.updatable {
		return errorf(ErrInvalid, "the graph cannot be updated").advise("give Finalize the property Updatable")
	}
	if n == nil || n.graph == nil {
		return errorf(ErrInvalid, "the node is nil").advise("look at the error that Add returned")
	}
	s, err := n.graph.prepare(c)
	if err != nil {
		return err
	}
	ex.updating.Lock() // and not mu, which Submit waits for
	defer ex.updating.Unlock()
	at := slices.IndexFunc(ex.nodes, func(e execNode) bool { return e.of == n })
	if at < 0 {
		return errorf(ErrInvalid, "%v is no node of the graph with a command, or was added after Finalize", n)
	}
	old := ex.nodes[at].step
	switch {
	case old.kernel != s.kernel:
		return errorf(ErrInvalid, "the node %v cannot become a %v: the kernel of a node stays", n, c)
	case s.kernel == nil && (s.nothing() || s.kind != old.kind):
		return errorf(ErrInvalid, "the node %v cannot become a %v: a copy stays one of its kind", n, c)
	}
	for i := range ex.nodes {
		other := ex.nodes[i].step
		between := func(yield func(dag.Uses) bool) {
			for j := min(i, at) + 1; j < max(i, at) && yield(ex.nodes[j].step.uses()); j++ {
			}
		}
		if i < at && dag.ReadBack(other.uses(), s.uses(), between) {
			return errReadBack(other.label, s.label)
		}
		if i > at && dag.ReadBack(s.uses(), other.uses(), between) {
			return errReadBack(s.label, other.label)
		}
	}
	nodes := slices.Clone(ex.nodes)
	nodes[at].step = s
	p, err := ex.plan(nodes, ex.fuse)
	if err != nil {
		return err
	}
	ex.commit(p)
	return nil
}

// Submit runs the graph once, and returns without waiting for it. What it uses is ordered with
// all other commands of the device, as if its commands had been launched here, with nothing in
// between. The event is done when all have completed. If some fail, it returns the failure of
// the first, in the order of Finalize; what commands after a failed one leave is unspecified.
// A graph may be submitted again before it has completed.
//
// It returns ErrInvalid if a buffer is closed that the graph has a view of, even if no command
// uses the buffer, as where fusion has made its memory internal.
//
// The options are DependsOn and WithContext (ErrInvalid otherwise). Where the queue records, the
// graph becomes a node, as by AddGraph.
func (q *Queue) Submit(ex *ExecutableGraph, opts ...LaunchOption) (Event, error) {
	if err := q.usable(); err != nil {
		return Event{}, err
	}
	if err := ex.usable(q.dev); err != nil {
		return Event{}, err
	}
	o, err := q.order(opts, "a graph")
	if err != nil {
		return Event{}, err
	}
	if o.graph != nil {
		return o.graph.recordNode(q, &Node{sub: ex.clone()}, o.preds)
	}
	ex.mu.Lock()
	run := ex.run
	run.hold()
	if len(ex.events) == 0 {
		ex.events = make([]pending, 16)
	}
	all := &ex.events[0]
	ex.events = ex.events[1:]
	ex.mu.Unlock()
	defer runtime.KeepAlive(ex)
	defer run.letGo()
	all.dev, all.ev.Owner, all.ev.Times = q.dev, all, q.dev.newTimes(run)
	o.attended = true
	return o.do(all, func() error { return q.dev.checkRun(run) }, func(ctx context.Context, cancel *hal.Cancel) error {
		return q.dev.recordRun(ctx, &q.rec, run, all, cancel != nil, o.after)
	})
}

// checkRun checks what may have changed since the sequence was planned: variables that its kernels
// read, and whether buffers are open that no command uses.
func (d *Device) checkRun(run *sequence) error {
	for _, k := range run.kernels {
		if err := k.checkVariables(); err != nil {
			return err.about(k)
		}
	}
	if slices.ContainsFunc(run.idle, (*stream.Memory).Released) {
		return recordError(d, stream.ErrReleased)
	}
	return nil
}

// recordRun records a sequence in the device's stream. The event all stands for all of it. Where ends
// is set, its commands end with ctx.
func (d *Device) recordRun(ctx context.Context, rec *stream.Recorder, run *sequence, all *pending, ends bool, after []*stream.Event) (err error) {
	if !ends {
		if r := run.replayOn(d); r != nil {
			if err := d.stream.RecordReplay(ctx, rec, r, after, &all.ev); err != nil {
				return recordError(d, err)
			}
			return nil
		}
	}
	parts, events := run.events(d)
	all.needRare().parts = parts
	for _, l := range parts {
		l.ev.Times = d.newTimes(nil)
	}
	seq := &run.Sequence
	if ends {
		pipelines := make(held, len(parts))
		defer pipelines.letGo()
		defer func() {
			if err != nil {
				for _, l := range parts {
					l.release()
				}
			}
		}()
		if seq, err = d.cancellable(run, parts, ctx, pipelines); err != nil {
			return err
		}
	}
	undo := func() {}
	if run.prints {
		if seq, undo, err = d.withPrints(ctx, run, seq); err != nil {
			return err
		}
	}
	if err := d.stream.RecordAll(ctx, rec, seq, after, events); err != nil {
		undo()
		return recordError(d, err)
	}
	for i, s := range run.steps {
		if s.prints != nil {
			d.prints.printing(events[i])
		}
	}
	if len(events) == 0 {
		events = after
	}
	all.becomes(events)
	return nil
}

// events returns an event for each step.
func (s *sequence) events(d *Device) ([]*pending, []*stream.Event) {
	parts, group := make([]pending, len(s.steps)), &stream.Group{}
	list, events := make([]*pending, len(parts)), make([]*stream.Event, len(parts))
	for i, step := range s.steps {
		l := &parts[i]
		l.dev, l.kernel, l.ev.Owner = d, step.kernel, l
		r := l.ev.NeedRare()
		r.Group, r.Ranks = group, s.ranks[i]
		l.setLocalRange(step.plan.Local)
		l.hostFunc = step.node.Run != nil
		if step.prints != nil {
			l.kernel, l.hostFunc, l.prints = step.prints.kernel, false, true
		}
		list[i], events[i] = l, &l.ev
	}
	return list, events
}

// replayOn returns the sequence as one command, or nil if the device has no such commands, does
// not take this one, or some steps are copies from or to the host.
func (s *sequence) replayOn(d *Device) *stream.Replay {
	s.once.Do(func() { s.makeReplay(d) })
	return s.replay
}

func (s *sequence) makeReplay(d *Device) {
	r, ok := d.hal.(hal.Replayer)
	if !ok || len(s.Commands) == 0 || !d.stream.Enter() {
		return
	}
	defer d.stream.Leave()
	commands := make([]hal.Command, len(s.Commands))
	for i := range s.Commands {
		commands[i] = s.Commands[i].Cmd
		commands[i].Barrier = i > 0 && s.levels[i] != s.levels[i-1]
		if op := commands[i].Op; s.Commands[i].Run != nil || op != hal.OpLaunch && op != hal.OpCopy && op != hal.OpFill {
			return
		}
	}
	g, err := r.NewGraph(commands)
	if err != nil {
		return
	}
	s.memory = d.stream.NewMemory(graphMemory{g})
	s.replay = stream.NewReplay(&s.Sequence, g, s.memory, func(*stream.Event) []*stream.Event {
		_, events := s.events(d)
		return events
	})
}

// graphMemory lets a stream free a graph as it frees memory: when the last batch that uses it
// has completed.
type graphMemory struct{ hal.Graph }

func (graphMemory) Size() uint64    { return 0 }
func (graphMemory) Address() uint64 { return 0 }
func (graphMemory) Bytes() []byte   { return nil }

// cancellable returns the sequence with commands that end when ctx ends.
func (d *Device) cancellable(run *sequence, ls []*pending, ctx context.Context, h held) (*stream.Sequence, error) {
	seq := run.Sequence
	seq.Commands = slices.Clone(seq.Commands)
	for i, s := range run.steps {
		if s.prints != nil {
			continue // what has been printed is written
		}
		cancel := ls[i].endsWith(ctx, false)
		if s.kernel == nil {
			seq.Commands[i].Cmd.Cancel, seq.Commands[i].Run = cancel, within(ctx, seq.Commands[i].Run)
			continue
		}
		c, p := s.launch, s.plan
		c.Specs, c.Uses, c.Cancel = slices.Clone(c.Specs), slices.Clone(c.Uses), cancel
		n, err := d.command(ctx, ls[i], &c, &p)
		h.take(i, &p)
		if err != nil {
			return nil, err
		}
		seq.Commands[i] = n
	}
	return &seq, nil
}

// recordError is the error of a graph that could not be recorded.
func recordError(d *Device, err error) error {
	if err == stream.ErrReleased {
		return errorf(ErrInvalid, "a buffer that the graph uses is closed")
	}
	return backendError(d, nil, "the graph was not recorded", err)
}
