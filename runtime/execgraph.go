package runtime

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/graph"
)

// ExecutableGraph is what Graph.Finalize makes of a graph: all kernels are compiled, and the
// order is fixed. Queue.Submit runs it, as often as one likes. Its methods may be called from
// several goroutines.
type ExecutableGraph struct {
	dev       *Device
	updatable bool
	nodes     []execNode // in the graph's sequence, those of sub-graphs among them
	held      held       // of the nodes

	mu  sync.Mutex // of what Update changes: run, and the nodes' steps and what they hold
	run *sequence
}

// execNode is a node with a command.
type execNode struct {
	of    *Node // nil for one of a sub-graph
	step  *step
	preds []int // that it depends on by edges of the graph
}

// sequence is steps in the order in which they run. It does not change.
type sequence struct {
	graph.Sequence
	steps     []*step    // all with a command
	pipelines []*variant // of the steps that are launches, which the graph holds
}

// hold keeps the pipelines while the sequence is submitted. It is called under the mu of the
// graph, which holds them, too: their users are not zero.
func (s *sequence) hold() {
	for _, v := range s.pipelines {
		v.users.Add(1)
	}
}

// held are pipelines that nobody frees: for an executable graph, those of its nodes while it
// lives; for a submission, those of its commands until they are recorded.
type held []*variant

// take takes the plan's pipeline over, as number i, in the place of another.
func (h held) take(i int, p *plan) {
	if h[i] != nil {
		h[i].users.Add(-1)
	}
	h[i], p.variant = p.variant, nil
}

func (h held) letGo() {
	for _, v := range h {
		if v != nil {
			v.users.Add(-1)
		}
	}
}

// Finalize makes the graph executable, as it is now: nodes and edges that are added later do
// not change what Finalize returned. It compiles the kernels; its errors are those of launches
// whose kernels the device does not take. It returns ErrInvalid while a queue records into the
// graph. The empty graph does nothing.
//
// The property is properties.Updatable; those of kernels are ErrInvalid.
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
	g.mu.Lock()
	err := g.notRecording("finalizing")
	if err == nil {
		ex.take(g)
	}
	g.mu.Unlock()
	if err != nil {
		return nil, err
	}
	ex.held = make(held, len(ex.nodes))
	for i := range ex.nodes {
		p, err := ex.compile(ex.nodes[i].step)
		if err != nil {
			ex.held.letGo()
			return nil, err
		}
		ex.held.take(i, &p)
	}
	runtime.AddCleanup(ex, held.letGo, ex.held)
	ex.plan()
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
		default:
			stands[i] = []int{len(ex.nodes)}
			ex.nodes = append(ex.nodes, execNode{of: n, step: n.step, preds: preds})
		}
	}
}

// takeSub takes the nodes of a graph over that is a node. Those that depend on none of it depend
// on preds. It returns those on which none of it depends, which stand for it.
func (ex *ExecutableGraph) takeSub(sub *ExecutableGraph, preds []int) []int {
	base := len(ex.nodes)
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
		ex.nodes = append(ex.nodes, execNode{step: s.step, preds: slices.Clone(own)})
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
func (ex *ExecutableGraph) compile(s *step) (plan, error) {
	c, p := s.call, s.plan
	if s.kernel == nil || p.empty {
		return p, nil
	}
	c.Specs = slices.Clone(c.Specs)
	err := ex.dev.find(background, s.kernel, &c, &p)
	return p, err
}

// plan orders the steps. The memory that they use may have changed by Update, and asks for
// edges beside the graph's.
func (ex *ExecutableGraph) plan() {
	var order dag.Graph
	for _, n := range ex.nodes {
		order.Add(n.step.uses(), n.preds...)
	}
	run := &sequence{}
	ends := make([][]int, len(ex.nodes)) // what waits for a node waits for these of run
	for _, i := range order.Order() {
		s := ex.nodes[i].step
		var waits []int
		for _, p := range order.Explicit(i) {
			waits = append(waits, ends[p]...)
		}
		if s.nothing() {
			// What depends on this node by its memory cannot be: it has none.
			ends[i] = waits
			continue
		}
		ends[i] = []int{len(run.steps)}
		n := s.node
		if s.kernel != nil {
			c := s.call
			c.Uses = slices.Clone(c.Uses)
			n = launchCommand(s.kernel, &c, &s.plan, ex.held[i])
			run.pipelines = append(run.pipelines, ex.held[i])
		}
		run.steps = append(run.steps, s)
		run.Nodes, run.Waits = append(run.Nodes, n), append(run.Waits, waits)
		run.First = append(run.First, len(waits) == 0 && len(order.Explicit(i)) == len(order.Preds(i)))
	}
	ex.run = run
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
	return &ExecutableGraph{dev: ex.dev, nodes: slices.Clone(ex.nodes)}
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
	p, err := ex.compile(s) // not under mu, which Submit waits for
	if err != nil {
		return err
	}
	defer p.letGo()
	ex.mu.Lock()
	defer ex.mu.Unlock()
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
		if i < at && dag.ReadBack(other.uses(), s.uses()) {
			return errReadBack(other.label, s.label)
		}
		if i > at && dag.ReadBack(s.uses(), other.uses()) {
			return errReadBack(s.label, other.label)
		}
	}
	ex.held.take(at, &p)
	ex.nodes[at].step = s
	ex.plan()
	return nil
}

// Submit runs the graph once, and returns without waiting for it. What it uses is ordered with
// all other commands of the device, as if its commands had been launched here, with nothing in
// between. The event is done when all have completed. If some fail, it returns the failure of
// the first, in the order of Finalize; what commands after a failed one leave is unspecified.
// A graph may be submitted again before it has completed.
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
	o, g, after, err := q.place(opts, "a graph")
	if err != nil {
		return Event{}, err
	}
	if g != nil {
		return g.recordNode(q, &Node{sub: ex.clone()}, after)
	}
	ex.mu.Lock()
	run := ex.run
	run.hold()
	ex.mu.Unlock()
	defer runtime.KeepAlive(ex)
	defer held(run.pipelines).letGo()
	return q.dev.submit(q, run, &o)
}

// submit records a sequence in the device's stream. The event stands for all of it.
func (d *Device) submit(q *Queue, run *sequence, o *launchOptions) (ev Event, err error) {
	if o.ctx != nil && o.ctx.Err() != nil {
		return Event{}, waitError(o.ctx.Err())
	}
	for _, s := range run.steps {
		if s.kernel == nil {
			continue
		}
		if err := s.kernel.checkVariables(); err != nil {
			return Event{}, err.about(s.kernel)
		}
	}
	all := newLaunched(d, nil)
	parts, group := make([]launched, len(run.steps)), &graph.Group{}
	all.parts = make([]*launched, len(parts))
	events := make([]*graph.Event, len(parts))
	for i, s := range run.steps {
		l := &parts[i]
		l.dev, l.kernel, l.local, l.ev.Owner, l.ev.Group = d, s.kernel, s.plan.local, l, group
		all.parts[i], events[i] = l, &l.ev
	}
	seq := &run.Sequence
	if o.ctx != nil && o.ctx.Done() != nil {
		pipelines := make(held, len(parts))
		defer pipelines.letGo()
		defer func() {
			if err != nil {
				release(all.parts)
			}
		}()
		if seq, err = d.cancellable(run, all.parts, o.ctx, pipelines); err != nil {
			return Event{}, err
		}
	}
	if err := d.stream.RecordAll(cmp.Or(o.ctx, background), &q.rec, seq, o.after, events); err != nil {
		return Event{}, recordError(d, err)
	}
	if len(events) == 0 {
		events = o.after
	}
	if len(events) > 0 {
		all.ev = *graph.NewMarker(events)
		all.ev.Owner = all
	}
	return Event{all}, nil
}

// cancellable returns the sequence with commands that end when ctx ends.
func (d *Device) cancellable(run *sequence, ls []*launched, ctx context.Context, h held) (*graph.Sequence, error) {
	seq := run.Sequence
	seq.Nodes = slices.Clone(seq.Nodes)
	for i, s := range run.steps {
		cancel := ls[i].endsWith(ctx)
		if s.kernel == nil {
			seq.Nodes[i].Cmd.Cancel = cancel
			continue
		}
		c, p := s.call, s.plan
		c.Specs, c.Uses, c.Cancel = slices.Clone(c.Specs), slices.Clone(c.Uses), cancel
		n, err := d.command(ctx, ls[i], &c, &p)
		h.take(i, &p)
		if err != nil {
			return nil, err
		}
		seq.Nodes[i] = n
	}
	return &seq, nil
}

// release ends what contexts would have done to commands that were not recorded.
func release(ls []*launched) {
	for _, l := range ls {
		if l.ev.Release != nil {
			l.ev.Release()
			l.ev.Release = nil
		}
	}
}

// recordError is the error of a graph that could not be recorded.
func recordError(d *Device, err error) error {
	if err == graph.ErrReleased {
		return errorf(ErrInvalid, "a buffer that the graph uses is closed")
	}
	return backendError(d, nil, "the graph was not recorded", err)
}
