package exec

import (
	"runtime"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Device contains the device's methods that are needed for planning a graph.
type Device interface {
	// Compile sets the pipeline in the plan of a launch. The pipeline stays in use until the plan's
	// method LetGo is called.
	Compile(s *Step, l *Launch, p *Plan) error
	// Fuse returns one launch that does the work of all launches in a group.
	Fuse(g *fusion.Group, parts []*Step) (*Step, error)
	// Alloc allocates memory of the device.
	Alloc(size uint64) (*stream.Memory, error)
}

// Options are options for planning a graph.
type Options struct {
	Fuse     FuseMode
	Barriers bool // work-items of a work-group meet at a barrier between the kernels of a fused launch
	Apart    bool // the device runs the kernels of a fused launch as separate launches, one after another

	// Limits of the device for fused launches; see fusion.Group.
	OneLoop     bool
	LocalMemory uint64
	LaunchBlock int
}

// Graph contains nodes. Once Plan has been called, the Graph also contains the sequence of commands
// that each run submits. Other methods may be called at the same time as Update.
type Graph struct {
	Options
	dev Device

	updating  sync.Mutex // locked while Update runs
	mu        sync.Mutex // guards the fields that Update changes
	nodes     []Node     // nodes in the order of the graph, including the nodes of sub-graphs
	setCount  int        // number of fused launches so far; each of them stands for a set of nodes
	goneSteps []*Step    // steps of nodes that have no command
	run       *Sequence
	held      *runHolder // holder that keeps the sequence of the field `run` in use
	report    Report
}

// Node contains a step, and the numbers of the nodes that the step depends on.
type Node struct {
	// Owner is package runtime's node, and Label is the node's name. For a node of a sub-graph,
	// Owner is nil and Label is "".
	Owner any
	Label string

	step  *Step
	preds []int // numbers of the nodes that have an edge to this node
	// fusedSet is the set of nodes that were fused with this node in the node's original sub-graph.
	// ownSet is the set of nodes that are fused with this node in this graph.
	fusedSet, ownSet nodeSet
}

// nodeSet identifies a set of nodes that were fused into one launch. The zero nodeSet identifies no
// set. The field `barriers` says whether the fused launch has barriers between the nodes' kernels.
type nodeSet struct {
	number   int
	barriers bool
}

// NewGraph returns a graph without nodes for a device.
func NewGraph(d Device, o Options) *Graph { return &Graph{dev: d, Options: o} }

// Add adds a step that depends on the nodes in `preds`. Add returns the nodes that stand for the
// step. A node that must run after the step depends on the returned nodes. For a step without a
// command, Add adds no node and returns preds.
func (ex *Graph) Add(owner any, label string, s *Step, preds []int) (stands []int) {
	if s.Nothing() && s.Kernel == nil {
		ex.goneSteps = append(ex.goneSteps, s)
		return preds
	}
	ex.nodes = append(ex.nodes, Node{Owner: owner, Label: label, step: s, preds: preds})
	return []int{len(ex.nodes) - 1}
}

// AddGraph adds the nodes of the graph sub. Nodes of sub without predecessors depend on the nodes
// in `preds`. AddGraph returns the exit nodes of sub, which are the nodes that no other node of sub
// depends on.
func (ex *Graph) AddGraph(sub *Graph, preds []int) (stands []int) {
	base, sets := len(ex.nodes), ex.setCount
	ex.setCount += sub.setCount
	ex.goneSteps = append(ex.goneSteps, sub.goneSteps...)
	inner := make([]bool, len(sub.nodes)) // marks the nodes of sub that another node of sub depends on
	for _, s := range sub.nodes {
		own := preds
		if len(s.preds) > 0 {
			own = nil
		}
		for _, p := range s.preds {
			own = append(own, base+p)
			inner[p] = true
		}
		n := Node{step: s.step, preds: slices.Clone(own)}
		if s.ownSet.number > 0 {
			n.fusedSet = nodeSet{sets + s.ownSet.number, s.ownSet.barriers}
		}
		ex.nodes = append(ex.nodes, n)
	}
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

// The method Plan orders and compiles the graph. All nodes must have been added before Plan is
// called.
func (ex *Graph) Plan() error {
	ex.held = &runHolder{}
	p, err := ex.planNodes(ex.nodes, ex.Fuse)
	if err != nil {
		return err
	}
	ex.commitPlan(p)
	runtime.AddCleanup(ex, (*runHolder).letGo, ex.held)
	return nil
}

// Update finds the node with the given owner, and replaces the step of that node with s. Before the
// replacement, Update calls the function `check` with two arguments: the steps of all nodes, and
// the index of the node, or -1 if no node has this owner. If check returns an error, Update returns
// the error and changes nothing.
func (ex *Graph) Update(owner any, s *Step, check func(steps []*Step, at int) error) error {
	ex.updating.Lock() // mu is not locked during planning, because Hold would wait for mu
	defer ex.updating.Unlock()
	at := slices.IndexFunc(ex.nodes, func(n Node) bool { return n.Owner == owner })
	if err := check(ex.Steps(), at); err != nil {
		return err
	}
	nodes := slices.Clone(ex.nodes)
	nodes[at].step = s
	p, err := ex.planNodes(nodes, ex.Fuse)
	if err != nil {
		return err
	}
	ex.commitPlan(p)
	return nil
}

// Steps returns the steps of all nodes, in the order of the nodes.
func (ex *Graph) Steps() []*Step {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	out := make([]*Step, len(ex.nodes))
	for i := range ex.nodes {
		out[i] = ex.nodes[i].step
	}
	return out
}

// Report returns the launches that run in place of the graph's launches, and the reasons why
// launches were not fused.
func (ex *Graph) Report() Report {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.report
}

// Hold returns the sequence for a run of the graph. The sequence stays valid until the caller calls
// Sequence.LetGo.
func (ex *Graph) Hold() *Sequence {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.run.users.Add(1)
	return ex.run
}

// Clone returns a copy of the graph's present nodes, which AddGraph can add to other graphs.
func (ex *Graph) Clone() *Graph {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return &Graph{dev: ex.dev, nodes: slices.Clone(ex.nodes), setCount: ex.setCount, goneSteps: ex.goneSteps}
}

// compileStep returns the pipeline of a launch, and makes the caller a user of the pipeline.
func (ex *Graph) compileStep(s *Step) (*Pipeline, error) {
	l, p := s.Launch, s.Plan
	if p.Empty {
		return nil, nil
	}
	l.Specs = slices.Clone(l.Specs)
	err := ex.dev.Compile(s, &l, &p)
	return p.Pipeline, err
}

// planResult is the result of planning, which commitPlan stores in the graph.
type planResult struct {
	nodes  []Node
	sets   int
	run    *Sequence
	report Report
}

// planNodes orders the steps of the nodes, and compiles launches whose pipelines the graph does not
// hold yet. The edges for conflicts in memory are computed again, because Update may have changed
// the memory that nodes use.
func (ex *Graph) planNodes(nodes []Node, fuse FuseMode) (p planResult, err error) {
	next := &Graph{dev: ex.dev, Options: ex.Options, nodes: slices.Clone(nodes)}
	next.Fuse = fuse
	p = planResult{nodes: next.nodes, run: newSequence()}
	divided := false
	defer func() {
		if err != nil {
			p.run.LetGo()
		}
		if err != nil && fuse == FuseWhatFits && divided { // the driver may have rejected a fused kernel, so plan again without fusion
			failed := err
			if p, err = ex.planNodes(nodes, FuseNever); err == nil {
				p.report.Splits = append(p.report.Splits, failed.Error())
			}
		}
	}()
	var order dag.Graph
	for _, n := range p.nodes {
		order.Add(n.step.Uses(), n.preds...)
	}
	units, report, err := next.divideUnits(&order)
	if err != nil {
		return p, err
	}
	divided = true
	p.report = report
	if units, err = next.joinUnits(units); err != nil {
		return p, err
	}
	var joined dag.Graph
	for _, u := range units {
		joined.Add(u.step.Uses(), u.deps...)
	}
	p.sets = next.setCount
	ends := make([][]int, len(units)) // ends[i] lists the steps that must run before the units that depend on unit i
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
		if s.Nothing() {
			// A unit without a command uses no memory, so other units depend on the unit only by
			// explicit edges.
			ends[i] = waits
			continue
		}
		ends[i] = []int{len(p.run.Steps)}
		first := len(waits) == 0 && len(joined.Explicit(i)) == len(preds)
		p.run.levels = append(p.run.levels, levels[i])
		if err = ex.appendStep(p.run, s, waits, first); err != nil {
			return p, err
		}
		ranks := units[i].nodes
		if len(ranks) == 0 { // the step belongs to no node of the graph, so its failure has the last rank
			ranks = []int{len(p.nodes)}
		}
		p.run.ranks = append(p.run.ranks, ranks)
		if s.Plan.Print != nil {
			ends[i] = []int{p.run.addPrint(s)}
		}
	}
	p.run.findIdle(p.nodes, ex.goneSteps)
	return p, nil
}

// joinUnits makes the fused launch of each unit with several nodes, and records which nodes were
// fused. On devices that run the kernels as separate launches, joinUnits makes a unit for each
// launch.
func (ex *Graph) joinUnits(units []*unit) ([]*unit, error) {
	apart := ex.Apart // the device runs the kernels of a fused launch as separate launches
	for _, u := range units {
		set := 0
		if len(u.nodes) > 1 {
			ex.setCount++
			set = ex.setCount
		}
		var parts []*Step
		for _, i := range u.nodes {
			ex.nodes[i].ownSet = nodeSet{set, set > 0 && u.group.Barriers}
			parts = append(parts, ex.nodes[i].step)
		}
		if set > 0 && !apart {
			var err error
			if u.step, err = ex.dev.Fuse(u.group, parts); err != nil {
				return nil, err
			}
		}
	}
	if !apart {
		return units, nil
	}
	var out []*unit
	last := make([]int, len(units)) // last[i] is the index in `out` of the last step of unit i
	for at, u := range units {
		var deps []int
		for _, d := range u.deps {
			deps = append(deps, last[d])
		}
		scratch := map[fusion.Slice]*stream.Memory{}
		for _, i := range u.nodes {
			s, zeros, err := ex.launchApart(ex.nodes[i].step, u.group, scratch)
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

// appendStep adds a step to a run. If the step is a launch, the run keeps the launch's pipeline in
// use.
func (ex *Graph) appendStep(run *Sequence, s *Step, waits []int, first bool) error {
	n := s.Command
	if s.Kernel != nil {
		v := (*Pipeline)(nil)
		if ex.run != nil {
			v = ex.run.of[s]
		}
		if v != nil {
			v.users.Add(1) // the new run uses the pipeline, like the graph's present run
		} else {
			var err error
			if v, err = ex.compileStep(s); err != nil {
				return err
			}
		}
		run.pipelines, run.of[s] = append(run.pipelines, v), v
		if !slices.Contains(run.Kernels, s.Kernel) {
			run.Kernels = append(run.Kernels, s.Kernel)
		}
		c := s.Launch
		c.Uses = slices.Clone(c.Uses)
		n = c.Command(s.Kernel.ABI, &s.Plan, v)
	}
	run.Steps = append(run.Steps, s)
	run.Commands, run.Waits, run.First = append(run.Commands, n), append(run.Waits, waits), append(run.First, first)
	return nil
}

// commitPlan stores the result of planning in the graph.
func (ex *Graph) commitPlan(p planResult) {
	ex.mu.Lock()
	old := ex.run
	ex.held.run = p.run
	ex.nodes, ex.setCount, ex.run, ex.report = p.nodes, p.sets, p.run, p.report
	ex.mu.Unlock()
	if old != nil {
		old.LetGo()
	}
}
