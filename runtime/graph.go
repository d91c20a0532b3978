package runtime

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/exec"
)

// Graph is a set of commands (its nodes) with an order (its edges). Graphs are for commands that
// run many times, with one call for each run. Add adds a node to a graph. After
// Queue.BeginRecording, launches on a queue become nodes. Finalize makes an executable graph from
// the graph. Queue.Submit runs the executable graph:
//
//	g := runtime.NewGraph(dev)
//	if err := q.BeginRecording(g); err != nil { … }
//	step1.ParallelFor(q, n) // nothing runs, because these calls make nodes
//	step2.ParallelFor(q, n)
//	q.EndRecording()
//	ex, err := g.Finalize()
//	for range 1000 {
//		ev, err := q.Submit(ex)
//	} // The loop runs the graph 1000 times.
//
// If two nodes use the same memory, and at least one of them writes to the memory, there is an edge
// from the earlier node to the later node. An edge means that the later node depends on the earlier
// node. The option After and the method MakeEdge add other edges. Nodes without a path between them
// may run at the same time.
//
// The methods of a graph may be called from several goroutines. Graphs correspond to SYCL's
// extension sycl_ext_oneapi_graph.
type Graph struct {
	dev *Device

	mu     sync.Mutex
	nodes  []*Node
	order  dag.Graph
	queues []*Queue // queues that record into the graph
}

// Node is a command of a graph.
type Node struct {
	graph *Graph
	index int
	step  *exec.Step
	sub   *exec.Graph // finalized graph that the node contains in place of a step, or nil
}

// NewGraph returns an empty graph for the device. Using the graph is an error if the device is nil
// or closed.
func NewGraph(dev *Device) *Graph { return &Graph{dev: dev} }

// Device returns the graph's device.
func (g *Graph) Device() *Device {
	if g == nil {
		return nil
	}
	return g.dev
}

func (g *Graph) usable() error {
	if g == nil {
		return errorf(ErrInvalid, "no graph").advise("make one by NewGraph")
	}
	return g.dev.usable()
}

// NodeOption is an option of Add and AddGraph.
type NodeOption interface{ applyNode(*nodeOptions) }

type nodeOptions struct {
	after  []*Node
	leaves bool
}

type after []*Node

func (a after) applyNode(o *nodeOptions) { o.after = append(o.after, a...) }

// The option After makes the new node depend on other nodes of its graph.
func After(nodes ...*Node) NodeOption { return after(nodes) }

type afterLeaves struct{}

func (afterLeaves) applyNode(o *nodeOptions) { o.leaves = true }

// AfterLeaves makes the new node depend on all leaves of the graph, which are the nodes that no
// other node depends on.
func AfterLeaves() NodeOption { return afterLeaves{} }

// Add adds a node. Add returns the errors that Queue.Enqueue would return for the command. Add also
// returns ErrInvalid while a queue records into the graph, and if an option names a node of another
// graph.
func (g *Graph) Add(c Command, opts ...NodeOption) (*Node, error) {
	if err := g.usable(); err != nil {
		return nil, err
	}
	s, err := g.prepareStep(c)
	if err != nil {
		return nil, err
	}
	return g.addNode(&Node{step: s}, opts)
}

// prepareStep checks a command and returns its step.
func (g *Graph) prepareStep(c Command) (*exec.Step, error) {
	if c.c == nil {
		return &exec.Step{Label: emptyLabel}, nil
	}
	o, err := parseOptions(c.c.opts)
	if err != nil {
		return nil, err
	}
	if o.ctx != nil || len(o.after) > 0 {
		return nil, errorf(ErrInvalid, "DependsOn and WithContext have no meaning for a node").
			advise("use After for the edges; give the context to Submit")
	}
	return g.dev.checkCommand(c.c, &o)
}

// AddGraph adds a node that contains a copy of the graph sub. Both graphs must belong to the same
// device (ErrInvalid otherwise). The nodes of sub run after the nodes that the new node depends on,
// and before the nodes that depend on the new node. Later calls of sub.Update do not change the
// copy.
func (g *Graph) AddGraph(sub *ExecutableGraph, opts ...NodeOption) (*Node, error) {
	if err := g.usable(); err != nil {
		return nil, err
	}
	if err := sub.usable(g.dev); err != nil {
		return nil, err
	}
	return g.addNode(&Node{sub: sub.graph.Clone()}, opts)
}

// addNode adds a node whose command has been checked.
func (g *Graph) addNode(n *Node, opts []NodeOption) (*Node, error) {
	var o nodeOptions
	for _, opt := range opts {
		if opt == nil {
			return nil, errorf(ErrInvalid, "a node option is nil")
		}
		opt.applyNode(&o)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.notRecording("adding a node"); err != nil {
		return nil, err
	}
	if o.leaves {
		for i, other := range g.nodes {
			if len(g.order.Succs(i)) == 0 {
				o.after = append(o.after, other)
			}
		}
	}
	if err := g.insertNode(n, o.after); err != nil {
		return nil, err
	}
	return n, nil
}

// insertNode adds the node n to the graph. The new node depends on the nodes in the slice predNodes.
func (g *Graph) insertNode(n *Node, predNodes []*Node) error {
	var preds []int
	for _, a := range predNodes {
		if err := g.owns(a); err != nil {
			return err
		}
		preds = append(preds, a.index)
	}
	uses := n.memoryUses()
	for i, other := range g.nodes {
		between := func(yield func(dag.Uses) bool) {
			for _, n := range g.nodes[i+1:] {
				if !yield(n.memoryUses()) {
					return
				}
			}
		}
		if dag.ReadBack(other.memoryUses(), uses, between) {
			return errReadBack(other.String(), n.nodeLabel())
		}
	}
	n.graph, n.index = g, g.order.Add(uses, preds...)
	g.nodes = append(g.nodes, n)
	return nil
}

// errReadBack returns the error for a graph in which one node writes host memory and another node
// reads the same memory.
func errReadBack(writes, reads string) error {
	return errorf(ErrInvalid, "the %v reads memory of the host that the %v writes: within a graph that is there only when all of it is done",
		reads, writes).advise("copy on the device, with runtime.Copy, or make two graphs of it, or add a HostFunc between that writes it")
}

func (g *Graph) owns(n *Node) error {
	if n == nil || n.graph == nil {
		return errorf(ErrInvalid, "a node is nil").advise("look at the error that Add returned")
	}
	if n.graph != g {
		return errorf(ErrInvalid, "the node %v is of another graph", n)
	}
	return nil
}

// notRecording returns an error if a queue records into the graph.
func (g *Graph) notRecording(what string) error {
	if len(g.queues) > 0 {
		return errorf(ErrInvalid, "%s while a queue records into the graph", what).advise("call EndRecording before")
	}
	return nil
}

// MakeEdge adds an edge between two nodes of the graph, so that the second node depends on the
// first node. MakeEdge returns ErrInvalid if a node is of another graph, if the edge would make a
// cycle, or if a queue records into the graph. If MakeEdge returns an error, the graph does not
// change.
func (g *Graph) MakeEdge(from, to *Node) error {
	if err := g.usable(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.notRecording("making an edge"); err != nil {
		return err
	}
	for _, n := range []*Node{from, to} {
		if err := g.owns(n); err != nil {
			return err
		}
	}
	switch {
	case from == to:
		return errorf(ErrInvalid, "an edge from the node %v to itself", from)
	case !g.order.Connect(from.index, to.index):
		return errorf(ErrInvalid, "an edge from %v to %v would close a cycle: %v depends on %v", from, to, from, to)
	}
	return nil
}

// Nodes returns the nodes in the order in which they were added.
func (g *Graph) Nodes() []*Node {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.nodes)
}

// Roots returns the nodes that depend on no other node.
func (g *Graph) Roots() []*Node {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []*Node
	for i, n := range g.nodes {
		if len(g.order.Preds(i)) == 0 {
			out = append(out, n)
		}
	}
	return out
}

// Preds returns the nodes that have an edge to n.
func (n *Node) Preds() []*Node { return n.near((*dag.Graph).Preds) }

// Succs returns the nodes that have an edge from n.
func (n *Node) Succs() []*Node { return n.near((*dag.Graph).Succs) }

func (n *Node) near(edges func(*dag.Graph, int) []int) []*Node {
	if n == nil || n.graph == nil {
		return nil
	}
	g := n.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []*Node
	for _, i := range edges(&g.order, n.index) {
		out = append(out, g.nodes[i])
	}
	return out
}

// String returns the node's number and its label.
func (n *Node) String() string {
	if n == nil || n.graph == nil && n.step == nil && n.sub == nil {
		return "no node"
	}
	return fmt.Sprintf("%d: %s", n.index, n.nodeLabel())
}

// nodeLabel returns a short description of the node's command.
func (n *Node) nodeLabel() string {
	if n.sub != nil {
		return fmt.Sprintf("graph of %d", len(n.sub.Steps()))
	}
	return n.step.Label
}

// memoryUses returns the memory that the node reads and writes.
func (n *Node) memoryUses() dag.Uses {
	if n.sub == nil {
		return n.step.Uses()
	}
	var all dag.Uses
	for _, s := range n.sub.Steps() {
		u := s.Uses()
		all.Device, all.Host = append(all.Device, u.Device...), append(all.Host, u.Host...)
		all.All, all.Func = all.All || u.All, all.Func || u.Func
	}
	return all
}

// WriteDOT writes the graph in the language of Graphviz. The output has a box for each node, in the
// order of their numbers, and an arrow for each edge.
func (g *Graph) WriteDOT(w io.Writer) error {
	if g == nil {
		return g.usable()
	}
	_, err := w.Write(g.dot())
	return err
}

func (g *Graph) dot() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := []byte("digraph kgen {\n\tnode [shape=box];\n")
	for i, n := range g.nodes {
		b = fmt.Appendf(b, "\tn%d [label=%q];\n", i, n)
	}
	for i := range g.nodes {
		for _, s := range g.order.Succs(i) {
			b = fmt.Appendf(b, "\tn%d -> n%d;\n", i, s)
		}
	}
	return append(b, "}\n"...)
}
