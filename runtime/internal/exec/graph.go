package exec

import (
	"runtime"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Device is the part of a device that planning a graph asks.
type Device interface {
	// Compile sets the pipeline in the plan of a launch, which the plan holds until it is let go.
	Compile(s *Step, l *Launch, p *Plan) error
	// Fuse returns the launch that does the work of the launches of a group.
	Fuse(g *fusion.Group, parts []*Step) (*Step, error)
	// Alloc allocates memory of the device.
	Alloc(size uint64) (*stream.Memory, error)
}

// Options say how a graph is planned.
type Options struct {
	Fuse     FuseMode
	Barriers bool // fused launches have barriers between them
	Apart    bool // the device runs fused launches one after another

	// Limits of the device for fused launches; see fusion.Group.
	OneLoop     bool
	LocalMemory uint64
	LaunchBlock int
}

// Graph is a graph with an order that is fixed, and the sequence that a run records. Update changes it;
// other methods may be called meanwhile.
type Graph struct {
	Options
	dev Device

	updating sync.Mutex // held by Update
	mu       sync.Mutex // guards the fields that Update changes, for those that look at them
	nodes    []Node     // the nodes in the graph's sequence, with the nodes of sub-graphs
	sets     int        // the number of sets of nodes that are fused
	gone     []*Step    // the steps of nodes that have no command
	run      *Sequence
	held     *holder // the holder of run
	report   Report
}

// Node is a node with a command.
type Node struct {
	// Owner is the value that the node stands for, and Label its name; nil and "" for a node of a
	// sub-graph.
	Owner any
	Label string

	step  *Step
	preds []int // the nodes that it depends on by edges of the graph
	// set is that of a sub-graph: its nodes with the same number were one launch there. fused is
	// the set for graphs that this one becomes a node of.
	set, fused nodeSet
}

// nodeSet is a set of nodes that are one launch: its number, above 0, and whether there are barriers
// between its parts.
type nodeSet struct {
	number   int
	barriers bool
}

// NewGraph returns a graph without nodes for a device.
func NewGraph(d Device, o Options) *Graph { return &Graph{dev: d, Options: o} }

// Add adds a step that depends on the nodes preds, and returns the nodes that stand for it. Without a
// command it has none of its own: nodes that depend on it depend on those of preds.
func (ex *Graph) Add(owner any, label string, s *Step, preds []int) (stands []int) {
	if s.Nothing() && s.Kernel == nil {
		ex.gone = append(ex.gone, s)
		return preds
	}
	ex.nodes = append(ex.nodes, Node{Owner: owner, Label: label, step: s, preds: preds})
	return []int{len(ex.nodes) - 1}
}

// AddGraph adds the nodes of a graph. Those that depend on none of it depend on the nodes preds. It
// returns those on which none of it depends, which stand for it.
func (ex *Graph) AddGraph(sub *Graph, preds []int) (stands []int) {
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
		n := Node{step: s.step, preds: slices.Clone(own)}
		if s.fused.number > 0 {
			n.set = nodeSet{sets + s.fused.number, s.fused.barriers}
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

// Plan orders and compiles the graph, whose nodes are all there.
func (ex *Graph) Plan() error {
	ex.held = &holder{}
	p, err := ex.plan(ex.nodes, ex.Fuse)
	if err != nil {
		return err
	}
	ex.commit(p)
	runtime.AddCleanup(ex, (*holder).letGo, ex.held)
	return nil
}

// Update puts a step in the place of the node of owner, which check may refuse: it is called with
// the nodes' steps and the node's index, -1 if the graph has no such node.
func (ex *Graph) Update(owner any, s *Step, check func(steps []*Step, at int) error) error {
	ex.updating.Lock() // and not mu, which Hold waits for
	defer ex.updating.Unlock()
	at := slices.IndexFunc(ex.nodes, func(n Node) bool { return n.Owner == owner })
	if err := check(ex.Steps(), at); err != nil {
		return err
	}
	nodes := slices.Clone(ex.nodes)
	nodes[at].step = s
	p, err := ex.plan(nodes, ex.Fuse)
	if err != nil {
		return err
	}
	ex.commit(p)
	return nil
}

// Steps returns the steps of the nodes.
func (ex *Graph) Steps() []*Step {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	out := make([]*Step, len(ex.nodes))
	for i := range ex.nodes {
		out[i] = ex.nodes[i].step
	}
	return out
}

// Report returns the launches that planning made, and its reasons.
func (ex *Graph) Report() Report {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.report
}

// Hold returns the sequence of a run, which stays until the caller lets go of it.
func (ex *Graph) Hold() *Sequence {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.run.users.Add(1)
	return ex.run
}

// Clone returns the graph as it is now, to add it to others.
func (ex *Graph) Clone() *Graph {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return &Graph{dev: ex.dev, nodes: slices.Clone(ex.nodes), sets: ex.sets, gone: ex.gone}
}

// compile returns the pipeline of a launch, whose user the caller is.
func (ex *Graph) compile(s *Step) (*Pipeline, error) {
	l, p := s.Launch, s.Plan
	if p.Empty {
		return nil, nil
	}
	l.Specs = slices.Clone(l.Specs)
	err := ex.dev.Compile(s, &l, &p)
	return p.Pipeline, err
}

// planned is the result of planning, before it is the graph's.
type planned struct {
	nodes  []Node
	sets   int
	run    *Sequence
	report Report
}

// plan orders the steps of the nodes and compiles launches whose pipelines the graph does not hold yet. The memory
// that they use may have changed by Update, and asks for edges beside the graph's.
func (ex *Graph) plan(nodes []Node, fuse FuseMode) (p planned, err error) {
	next := &Graph{dev: ex.dev, Options: ex.Options, nodes: slices.Clone(nodes)}
	next.Fuse = fuse
	p = planned{nodes: next.nodes, run: newSequence()}
	divided := false
	defer func() {
		if err != nil {
			p.run.LetGo()
		}
		if err != nil && fuse == FuseWhatFits && divided { // the driver may not take a fused kernel
			failed := err
			if p, err = ex.plan(nodes, FuseNever); err == nil {
				p.report.Splits = append(p.report.Splits, failed.Error())
			}
		}
	}()
	var order dag.Graph
	for _, n := range p.nodes {
		order.Add(n.step.Uses(), n.preds...)
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
		joined.Add(u.step.Uses(), u.deps...)
	}
	p.sets = next.sets
	ends := make([][]int, len(units)) // the steps of the run that stand for a unit where others wait for it
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
			// No unit depends on this one by its memory: it uses none.
			ends[i] = waits
			continue
		}
		ends[i] = []int{len(p.run.Steps)}
		first := len(waits) == 0 && len(joined.Explicit(i)) == len(preds)
		p.run.levels = append(p.run.levels, levels[i])
		if err = ex.append(p.run, s, waits, first); err != nil {
			return p, err
		}
		ranks := units[i].nodes
		if len(ranks) == 0 { // a step that is of no node of the graph comes last
			ranks = []int{len(p.nodes)}
		}
		p.run.ranks = append(p.run.ranks, ranks)
		if s.Plan.Print != nil {
			ends[i] = []int{p.run.addPrint(s)}
		}
	}
	p.run.findIdle(p.nodes, ex.gone)
	return p, nil
}

// join makes the launches of units that have several, on devices that take them, and notes
// which nodes have become one.
func (ex *Graph) join(units []*unit) ([]*unit, error) {
	apart := ex.Apart // the device runs fused launches one after another
	for _, u := range units {
		set := 0
		if len(u.nodes) > 1 {
			ex.sets++
			set = ex.sets
		}
		var parts []*Step
		for _, i := range u.nodes {
			ex.nodes[i].fused = nodeSet{set, set > 0 && u.group.Barriers}
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
	last := make([]int, len(units)) // the last one in out of each unit
	for at, u := range units {
		var deps []int
		for _, d := range u.deps {
			deps = append(deps, last[d])
		}
		scratch := map[fusion.Slice]*stream.Memory{}
		for _, i := range u.nodes {
			s, zeros, err := ex.aside(ex.nodes[i].step, u.group, scratch)
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
func (ex *Graph) append(run *Sequence, s *Step, waits []int, first bool) error {
	n := s.Command
	if s.Kernel != nil {
		v := (*Pipeline)(nil)
		if ex.run != nil {
			v = ex.run.of[s]
		}
		if v != nil {
			v.users.Add(1) // the graph's run is a user before
		} else {
			var err error
			if v, err = ex.compile(s); err != nil {
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

// commit makes a plan the graph's.
func (ex *Graph) commit(p planned) {
	ex.mu.Lock()
	old := ex.run
	ex.held.run = p.run
	ex.nodes, ex.sets, ex.run, ex.report = p.nodes, p.sets, p.run, p.report
	ex.mu.Unlock()
	if old != nil {
		old.LetGo()
	}
}
