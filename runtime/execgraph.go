package runtime

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/graph"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// ExecutableGraph is what Graph.Finalize makes of a graph: all kernels are compiled, and the
// order is fixed. Queue.Submit runs it, as often as one likes. Its methods may be called from
// several goroutines.
type ExecutableGraph struct {
	dev       *Device
	updatable bool
	nodes     []execNode // in the graph's sequence, those of sub-graphs among them
	held      held       // of the nodes

	mu    sync.Mutex // of what Update changes: steps, and the nodes' and what they hold
	steps []stepOf   // in the order in which they run; replaced by Update, and not changed
}

// execNode is a node with a command.
type execNode struct {
	of    *Node // nil for one of a sub-graph
	step  *step
	preds []int // that it depends on by edges of the graph
}

// stepOf is a step with its place among others.
type stepOf struct {
	step  *step
	after []int // which of the others it depends on
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

// FinalizeOption is an option of Graph.Finalize.
type FinalizeOption interface{ applyFinalize(*ExecutableGraph) }

type finalizeFunc func(*ExecutableGraph)

func (f finalizeFunc) applyFinalize(ex *ExecutableGraph) { f(ex) }

// Updatable has an executable graph take Update.
func Updatable() FinalizeOption {
	return finalizeFunc(func(ex *ExecutableGraph) { ex.updatable = true })
}

// Finalize makes the graph executable, as it is now: nodes and edges that are added later do
// not change what Finalize returned. It compiles the kernels; its errors are those of launches
// whose kernels the device does not take. It returns ErrInvalid while a queue records into the
// graph. The empty graph does nothing.
func (g *Graph) Finalize(opts ...FinalizeOption) (*ExecutableGraph, error) {
	if err := g.usable(); err != nil {
		return nil, err
	}
	ex := &ExecutableGraph{dev: g.dev}
	for _, opt := range opts {
		if opt == nil {
			return nil, errorf(ErrInvalid, "an option of Finalize is nil")
		}
		opt.applyFinalize(ex)
	}
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
			base := len(ex.nodes)
			for _, s := range n.sub.nodes {
				all := slices.Clone(preds)
				for _, p := range s.preds {
					all = append(all, base+p)
				}
				stands[i] = append(stands[i], len(ex.nodes))
				ex.nodes = append(ex.nodes, execNode{step: s.step, preds: all})
			}
			if len(n.sub.nodes) == 0 {
				stands[i] = preds
			}
		case n.step.nothing() && n.step.kernel == nil:
			stands[i] = preds
		default:
			stands[i] = []int{len(ex.nodes)}
			ex.nodes = append(ex.nodes, execNode{of: n, step: n.step, preds: preds})
		}
	}
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
	at := make([]int, len(ex.nodes))
	ex.steps = make([]stepOf, 0, len(ex.nodes)) // a Submit may have the old ones
	for _, i := range order.Order() {
		s := stepOf{step: ex.nodes[i].step}
		for _, p := range order.Preds(i) {
			s.after = append(s.after, at[p])
		}
		at[i] = len(ex.steps)
		ex.steps = append(ex.steps, s)
	}
}

func (ex *ExecutableGraph) usable(dev *Device) error {
	switch {
	case ex == nil:
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
	if ex == nil {
		return ex.usable(nil)
	}
	if err := ex.dev.usable(); err != nil {
		return err
	}
	if !ex.updatable {
		return errorf(ErrInvalid, "the graph cannot be updated").advise("give Finalize the option Updatable")
	}
	if n == nil {
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
	case s.kernel == nil && (s.nothing() || s.node.Cmd.Op != old.node.Cmd.Op):
		return errorf(ErrInvalid, "the node %v cannot become a %v: a copy stays one of its kind", n, c)
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
	o, err := readOptions(nil, q.dev, opts)
	if err != nil {
		return Event{}, err
	}
	if err := o.onlyOrder("a graph"); err != nil {
		return Event{}, err
	}
	g, after, err := q.graphFor(&o)
	if err != nil {
		return Event{}, err
	}
	if g != nil {
		return g.recordNode(q, &Node{sub: ex.clone()}, after)
	}
	ex.mu.Lock()
	steps := ex.steps
	ex.mu.Unlock()
	return q.dev.submit(q, steps, &o, true)
}

// submit records steps in the device's stream, one behind the other. The event of one step is
// its own; that of several, or of a graph, stands for all.
func (d *Device) submit(q *Queue, steps []stepOf, o *launchOptions, whole bool) (ev Event, err error) {
	if o.ctx != nil && o.ctx.Err() != nil {
		return Event{}, waitError(o.ctx.Err())
	}
	ctx := cmp.Or(o.ctx, background)
	var recorded []*launched
	release := func(l *launched) {
		if l.ev.Release != nil {
			l.ev.Release()
			l.ev.Release = nil
		}
	}
	defer func() {
		if err != nil {
			for _, l := range recorded {
				release(l)
			}
		}
	}()
	pipelines := make(held, len(steps))
	defer pipelines.letGo()
	nodes := make([]graph.Node, 0, len(steps))
	ends := make([][]*graph.Event, len(steps)) // what waits for a step waits for these
	for i := range steps {
		s := steps[i].step
		var after []*graph.Event
		for _, a := range steps[i].after {
			after = append(after, ends[a]...)
		}
		if s.nothing() {
			ends[i] = after
			continue
		}
		l := newLaunched(d, s.kernel)
		p := s.plan
		n, err := d.bind(ctx, s, &p, l, l.endsWith(o.ctx))
		pipelines.take(i, &p)
		if err != nil {
			release(l)
			return Event{}, err
		}
		if n.After = after; len(after) == 0 {
			n.After = o.after
		}
		ends[i] = []*graph.Event{&l.ev}
		recorded, nodes = append(recorded, l), append(nodes, n)
	}
	events := eventsOf(recorded)
	if err := d.stream.RecordAll(ctx, &q.rec, nodes, events); err != nil {
		return Event{}, recordError(d, err)
	}
	if !whole && len(recorded) == 1 {
		return Event{recorded[0]}, nil
	}
	if len(events) == 0 {
		events = o.after
	}
	all := newLaunched(d, nil)
	if len(events) > 0 {
		all.ev = *graph.NewMarker(events)
		all.ev.Owner = all
	}
	all.parts = recorded
	return Event{all}, nil
}

// bind makes a step a command of the device's stream. The plan of a launch has its pipeline then.
func (d *Device) bind(ctx context.Context, s *step, p *plan, l *launched, cancel *hal.Cancel) (graph.Node, error) {
	if s.kernel == nil {
		n := s.node
		n.Cmd.Cancel = cancel
		return n, nil
	}
	if err := s.kernel.checkVariables(); err != nil {
		return graph.Node{}, err.about(s.kernel)
	}
	c := s.call
	c.Specs, c.Uses, c.Cancel = slices.Clone(c.Specs), slices.Clone(c.Uses), cancel
	l.local = p.local
	return d.command(ctx, l, &c, p)
}

// recordError is the error of a graph that could not be recorded.
func recordError(d *Device, err error) error {
	if err == graph.ErrReleased {
		return errorf(ErrInvalid, "a buffer that the graph uses is closed")
	}
	return backendError(d, nil, "the graph was not recorded", err)
}
