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
	held      *held

	mu    sync.Mutex // steps and the order
	steps []stepOf   // in the order in which they run
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

// held are the pipelines of an executable graph, which nobody frees while it lives.
type held struct{ variants []*variant }

func (h *held) add(p *plan) {
	if p.variant != nil {
		h.variants = append(h.variants, p.variant)
		p.variant = nil
	}
}

// letGo ends what the pipelines are held for.
func (h *held) letGo() {
	for _, v := range h.variants {
		v.users.Add(-1)
	}
	h.variants = nil
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
	ex := &ExecutableGraph{dev: g.dev, held: &held{}}
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
	for i := range ex.nodes {
		if err := ex.compile(ex.nodes[i].step); err != nil {
			ex.held.letGo()
			return nil, err
		}
	}
	runtime.AddCleanup(ex, (*held).letGo, ex.held)
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

// compile makes the step's pipeline, and holds it.
func (ex *ExecutableGraph) compile(s *step) error {
	if s.kernel == nil || s.plan.empty {
		return nil
	}
	c, p := s.call, s.plan
	c.Specs = slices.Clone(c.Specs)
	if err := ex.dev.find(background, s.kernel, &c, &p); err != nil {
		return err
	}
	ex.held.add(&p)
	return nil
}

// plan orders the steps. The memory that they use may have changed by Update, and asks for
// edges beside the graph's.
func (ex *ExecutableGraph) plan() {
	var order dag.Graph
	for _, n := range ex.nodes {
		order.Add(n.step.uses(), n.preds...)
	}
	at := make([]int, len(ex.nodes))
	ex.steps = ex.steps[:0]
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
	return &ExecutableGraph{dev: ex.dev, nodes: slices.Clone(ex.nodes), held: ex.held}
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
	at := slices.IndexFunc(ex.nodes, func(e execNode) bool { return n != nil && e.of == n })
	if at < 0 {
		return errorf(ErrInvalid, "%v is no node of the graph with a command, or was added after Finalize", n)
	}
	s, err := n.graph.prepare(c)
	if err != nil {
		return err
	}
	ex.mu.Lock()
	defer ex.mu.Unlock()
	old := ex.nodes[at].step
	switch {
	case old.kernel != s.kernel:
		return errorf(ErrInvalid, "the node %v cannot become a %v: the kernel of a node stays", n, c)
	case s.kernel == nil && (s.nothing() || s.node.Cmd.Op != old.node.Cmd.Op):
		return errorf(ErrInvalid, "the node %v cannot become a %v: a copy stays one of its kind", n, c)
	}
	if err := ex.compile(s); err != nil {
		return err
	}
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
	defer ex.mu.Unlock()
	return q.dev.submit(q, ex.steps, &o, true)
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
	held := held{}
	defer held.letGo()
	nodes := make([]graph.Node, 0, len(steps))
	at := make([]*launched, len(steps)) // nil for a step without a command
	for i := range steps {
		s := steps[i].step
		if s.nothing() {
			continue
		}
		l := newLaunched(d, s.kernel)
		n, err := d.bind(ctx, s, l, l.endsWith(o.ctx), &held)
		if err != nil {
			release(l)
			return Event{}, err
		}
		for _, a := range steps[i].after {
			if at[a] != nil {
				n.After = append(n.After, &at[a].ev)
			}
		}
		if len(n.After) == 0 {
			n.After = o.after
		}
		at[i] = l
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

// bind makes a step a command of the device's stream.
func (d *Device) bind(ctx context.Context, s *step, l *launched, cancel *hal.Cancel, h *held) (graph.Node, error) {
	if s.kernel == nil {
		n := s.node
		n.Cmd.Cancel = cancel
		return n, nil
	}
	if err := s.kernel.checkVariables(); err != nil {
		return graph.Node{}, err.about(s.kernel)
	}
	c, p := s.call, s.plan
	c.Specs, c.Uses, c.Cancel = slices.Clone(c.Specs), slices.Clone(c.Uses), cancel
	l.local = p.local
	n, err := d.command(ctx, l, &c, &p)
	h.add(&p)
	return n, err
}

// recordError is the error of a graph that could not be recorded.
func recordError(d *Device, err error) error {
	if err == graph.ErrReleased {
		return errorf(ErrInvalid, "a buffer that the graph uses is closed")
	}
	return backendError(d, nil, "the graph was not recorded", err)
}
