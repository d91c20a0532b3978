package runtime

import (
	"context"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// ExecutableGraph is the result of Graph.Finalize. The kernels of the graph are compiled, and the
// order of the commands is fixed. Queue.Submit runs the graph, any number of times. The methods of
// an ExecutableGraph may be called from several goroutines.
type ExecutableGraph struct {
	dev       *Device
	updatable bool
	graph     *exec.Graph

	mu     sync.Mutex
	events []pending // unused events for submissions; several events are allocated at a time
}

// Finalize makes an executable graph from the graph's present nodes and edges. Nodes and edges that
// are added later do not change the executable graph. Finalize compiles the kernels. If the device
// does not accept a kernel, Finalize returns the same error as a launch of the kernel. Finalize
// returns ErrInvalid while a queue records into the graph. The graph may be empty.
//
// Finalize accepts the properties Updatable, EnableFusion, RequireFusion and InsertBarriers of
// package properties, and returns ErrInvalid for other properties.
func (g *Graph) Finalize(props ...properties.Property) (*ExecutableGraph, error) {
	if err := g.usable(); err != nil {
		return nil, err
	}
	list := properties.List(props)
	if err := list.Validate(); err != nil {
		return nil, &Error{Class: ErrInvalid, Problem: "the graph's properties", Err: err}
	}
	for _, p := range props {
		if !p.Key().OfGraphs() {
			return nil, errorf(ErrInvalid, "%v is no property of graphs", p).advise("give it to a launch by runtime.With")
		}
	}
	fuse, err := g.dev.fuseModeOf(list)
	if err != nil {
		return nil, err
	}
	limits := &g.dev.info.Limits
	ex := &ExecutableGraph{dev: g.dev, updatable: list.Has(properties.KeyUpdatable),
		graph: exec.NewGraph((*graphPlanner)(g.dev), exec.Options{
			Fuse: fuse, Barriers: list.Has(properties.KeyInsertBarriers), Apart: g.dev.isHost(),
			OneLoop: g.dev.info.EndsLoops, LocalMemory: uint64(limits.LocalMemory), LaunchBlock: limits.MaxLaunchBlock,
		})}
	g.mu.Lock()
	err = g.notRecording("finalizing")
	if err == nil {
		ex.addAll(g)
	}
	g.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := ex.graph.Plan(); err != nil {
		return nil, planError(err)
	}
	return ex, nil
}

// addAll adds the nodes of g to the executable graph.
func (ex *ExecutableGraph) addAll(g *Graph) {
	stands := make([][]int, len(g.nodes)) // for each node of g, the indexes of the nodes of ex that replace it as a predecessor of later nodes
	for _, i := range g.order.Sequence() {
		n := g.nodes[i]
		var preds []int
		for _, p := range g.order.Preds(i) {
			preds = append(preds, stands[p]...)
		}
		slices.Sort(preds)
		preds = slices.Compact(preds)
		if n.sub != nil {
			stands[i] = ex.graph.AddGraph(n.sub, preds)
		} else {
			stands[i] = ex.graph.Add(n, n.String(), n.step, preds)
		}
	}
}

// planError converts an error of exec.Graph.Plan or Update to an error of this package.
func planError(err error) error {
	switch e := err.(type) {
	case exec.ConflictError:
		return errorf(ErrInvalid, "%s", e)
	case exec.SplitError:
		return errorf(ErrKernelNotSupported, "the graph cannot be fused: %s", e).
			advise("finalize with EnableFusion, which fuses what it can, or put a graph of its own (AddGraph) between")
	}
	return err
}

func (ex *ExecutableGraph) usable(dev *Device) error {
	switch {
	case ex == nil || ex.dev == nil:
		return errorf(ErrInvalid, "no executable graph").advise("look at the error that Finalize returned")
	case ex.dev != dev:
		return errorf(ErrInvalid, "the graph is of the device %s, and not of %s", ex.dev.Name(), otherName(dev, ex.dev))
	}
	return nil
}

// Update replaces a node's command for all later runs. If the node is a launch, the new command
// must be a launch of the same kernel, but may have other arguments, another range or other values
// of constants. If the node is not a launch, the new command must be of the same kind, for example
// a copy in place of a copy. Update does not change runs that were submitted before. The order of
// later runs depends on the memory that the new command uses.
//
// Update returns ErrInvalid, and changes nothing, if the graph was finalized without Updatable.
// Update also returns ErrInvalid if n is not a node of the graph, if n has no command, or if the
// old and the new command have different kinds or kernels. Update also returns the errors of
// Graph.Add.
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
	s, err := n.graph.prepareStep(c)
	if err != nil {
		return err
	}
	return planError(ex.graph.Update(n, s, func(steps []*exec.Step, at int) error { return checkUpdate(n, c, s, steps, at) }))
}

// checkUpdate checks whether the command c can replace the command of the node n. The step of c is
// s. The step of n is steps[stepIndex], or stepIndex is -1 if n has no step.
func checkUpdate(n *Node, c Command, s *exec.Step, steps []*exec.Step, stepIndex int) error {
	if stepIndex < 0 {
		return errorf(ErrInvalid, "%v is no node of the graph with a command, or was added after Finalize", n)
	}
	switch old := steps[stepIndex]; {
	case old.Kernel != s.Kernel:
		return errorf(ErrInvalid, "the node %v cannot become a %v: the kernel of a node stays", n, c)
	case s.Kernel == nil && (s.Nothing() || s.Kind != old.Kind):
		return errorf(ErrInvalid, "the node %v cannot become a %v: a copy stays one of its kind", n, c)
	}
	for i, other := range steps {
		between := func(yield func(dag.Uses) bool) {
			for j := min(i, stepIndex) + 1; j < max(i, stepIndex) && yield(steps[j].Uses()); j++ {
			}
		}
		if i < stepIndex && dag.ReadBack(other.Uses(), s.Uses(), between) {
			return errReadBack(other.Label, s.Label)
		}
		if i > stepIndex && dag.ReadBack(s.Uses(), other.Uses(), between) {
			return errReadBack(s.Label, other.Label)
		}
	}
	return nil
}

// Submit starts one run of the graph, and returns without waiting for the run. The run is ordered
// with the device's other commands as if Submit had launched all commands of the graph one after
// another. The event is done when all commands of the graph have completed. If several commands
// fail, the event returns only the failure of the first failed command, in the order that Finalize
// chose. The results of commands after the failed command are unspecified. A graph may be submitted
// again before an earlier run has completed.
//
// Submit returns ErrInvalid if a node of the graph has a view of a closed buffer, even if no
// command uses the buffer. For example, fusion may have replaced the buffer's memory by registers.
//
// Submit accepts the options DependsOn and WithContext, and returns ErrInvalid for other options.
// While the queue records, Submit adds the graph as a node, as AddGraph does.
func (q *Queue) Submit(ex *ExecutableGraph, opts ...LaunchOption) (Event, error) {
	if err := q.usable(); err != nil {
		return Event{}, err
	}
	if err := ex.usable(q.dev); err != nil {
		return Event{}, err
	}
	o, err := q.readOptions(opts, "a graph")
	if err != nil {
		return Event{}, err
	}
	if o.graph != nil {
		return o.graph.recordNode(q, &Node{sub: ex.graph.Clone()}, o.preds)
	}
	run := ex.graph.Hold()
	defer run.LetGo()
	all := ex.newRunEvent()
	all.dev, all.ev.Owner, all.ev.Times = q.dev, all, q.dev.newTimes(run)
	o.recorderEnds = true
	return o.runSteps(all, func() error { return q.dev.checkRun(run) }, func(ctx context.Context, cancel *hal.Cancel) error {
		return q.dev.recordRun(ctx, &q.rec, run, all, cancel != nil, o.after)
	})
}

// newRunEvent returns the event of a submission.
func (ex *ExecutableGraph) newRunEvent() *pending {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if len(ex.events) == 0 {
		ex.events = make([]pending, 16)
	}
	all := &ex.events[0]
	ex.events = ex.events[1:]
	return all
}

// checkRun checks facts that may have changed since the sequence was planned. The package-level
// variables that the kernels read must still have the same values. Buffers of the graph must still
// be open, even if no command uses them.
func (d *Device) checkRun(run *exec.Sequence) error {
	for _, k := range run.Kernels {
		k := k.Owner.(*Kernel)
		if err := k.checkVariables(); err != nil {
			return err.setKernel(k)
		}
	}
	if slices.ContainsFunc(run.Idle, (*stream.Memory).Released) {
		return recordError(d, stream.ErrReleased)
	}
	return nil
}

// recordRun records a sequence in the device's stream. runEvent is the event of the whole sequence.
// If endsWithCtx is set, the commands are cancelled when ctx ends.
func (d *Device) recordRun(ctx context.Context, rec *stream.Recorder, run *exec.Sequence, runEvent *pending, endsWithCtx bool, after []*stream.Event) (err error) {
	if !endsWithCtx {
		if r := run.Replay(d.hal, d.stream, (*graphPlanner)(d)); r != nil {
			if err := d.stream.RecordReplay(ctx, rec, r, after, &runEvent.ev); err != nil {
				return recordError(d, err)
			}
			return nil
		}
	}
	parts, events := d.stepEvents(run)
	runEvent.needRare().parts = parts
	for _, l := range parts {
		l.ev.Times = d.newTimes(nil)
	}
	seq := &run.Sequence
	if endsWithCtx {
		pipelines := make(exec.Held, len(parts))
		defer pipelines.LetGo()
		defer func() {
			if err != nil {
				for _, l := range parts {
					l.undoEndsWith()
				}
			}
		}()
		if seq, err = d.cancellableRun(run, parts, ctx, pipelines); err != nil {
			return err
		}
	}
	undo := func() {}
	if run.Prints {
		if seq, undo, err = d.withPrints(ctx, run, seq); err != nil {
			return err
		}
	}
	if err := d.stream.RecordAll(ctx, rec, seq, after, events); err != nil {
		undo()
		return recordError(d, err)
	}
	for i, s := range run.Steps {
		if s.Prints != nil {
			d.prints.addWriters(events[i])
		}
	}
	if len(events) == 0 {
		events = after
	}
	runEvent.dependOnEvents(events)
	return nil
}

// stepEvents returns an event for each step.
func (d *Device) stepEvents(run *exec.Sequence) ([]*pending, []*stream.Event) {
	parts, group := make([]pending, len(run.Steps)), &stream.Group{}
	list, events := make([]*pending, len(parts)), make([]*stream.Event, len(parts))
	for i, step := range run.Steps {
		l := &parts[i]
		l.dev, l.kernel, l.ev.Owner = d, kernelOf(step), l
		r := l.ev.NeedRare()
		r.Group, r.Ranks = group, run.Ranks(i)
		l.setLocalRange(step.Plan.Local)
		l.hostFunc = step.Command.Run != nil
		if step.Prints != nil {
			l.kernel, l.hostFunc, l.prints = kernelOf(step.Prints), false, true
		}
		list[i], events[i] = l, &l.ev
	}
	return list, events
}

// kernelOf returns the kernel of a step that is a launch, or nil for other steps.
func kernelOf(s *exec.Step) *Kernel {
	if s.Kernel == nil {
		return nil
	}
	return s.Kernel.Owner.(*Kernel)
}

// Events returns an event for each step of a sequence.
func (p *graphPlanner) Events(run *exec.Sequence) []*stream.Event {
	_, events := (*Device)(p).stepEvents(run)
	return events
}

// cancellableRun returns a copy of the sequence. When ctx ends, all commands of the copy are
// cancelled.
func (d *Device) cancellableRun(run *exec.Sequence, ls []*pending, ctx context.Context, h exec.Held) (*stream.Sequence, error) {
	seq := run.Sequence
	seq.Commands = slices.Clone(seq.Commands)
	for i, s := range run.Steps {
		if s.Prints != nil {
			continue // the output of kernels is written even if ctx has ended
		}
		cancel := ls[i].endsWith(ctx, false)
		if s.Kernel == nil {
			n := &seq.Commands[i]
			n.Cmd.Cancel, n.Run, n.Cross = cancel, joinContexts(ctx, n.Run), crossWithin(ctx, n.Cross)
			continue
		}
		c, p := s.Launch, s.Plan
		c.Specs, c.Uses, c.Cancel = slices.Clone(c.Specs), slices.Clone(c.Uses), cancel
		n, err := d.launchCommand(ctx, ls[i], &c, &p)
		h.Take(i, &p)
		if err != nil {
			return nil, err
		}
		seq.Commands[i] = n
	}
	return &seq, nil
}

// recordError makes an error of this package from an error that occurred while a graph was
// recorded.
func recordError(d *Device, err error) error {
	if err == stream.ErrReleased {
		return errorf(ErrInvalid, "a buffer that the graph uses is closed")
	}
	return backendError(d, nil, "the graph was not recorded", err)
}
