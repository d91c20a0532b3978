package runtime

import (
	"slices"
)

// This file records the commands of queues into graphs.

// BeginRecording makes the queue record commands into the graph g. Until EndRecording is called,
// launches and copies on the queue become nodes of g, and do not run. Launches are checked as
// always. The events of recorded launches represent nodes. A program may pass the events of nodes
// to DependsOn in launches of the same graph, but cannot wait for these events. If a launch on
// another queue of the device depends on the event of a node, the commands of that queue are
// recorded, too. Calls of CopyFrom and CopyTo become nodes of the kinds Upload and Download. Each
// run of the graph then reads and writes the slices that were passed to CopyFrom and CopyTo.
//
// BeginRecording returns ErrInvalid if the queue's commands are already being recorded, or if the
// queue and the graph belong to different devices.
func (q *Queue) BeginRecording(g *Graph) error {
	if err := q.usable(); err != nil {
		return err
	}
	if err := g.usable(); err != nil {
		return err
	}
	if g.dev != q.dev {
		return errorf(ErrInvalid, "a queue of the device %s cannot record into a graph of the device %s", q.dev.Name(), g.dev.Name())
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !q.into.CompareAndSwap(nil, g) {
		return errorf(ErrInvalid, "the queue records already").advise("call EndRecording before")
	}
	g.queues = append(g.queues, q)
	return nil
}

// EndRecording ends the recording that BeginRecording began. If the queue's commands are not being
// recorded, EndRecording does nothing.
func (q *Queue) EndRecording() error {
	if err := q.usable(); err != nil {
		return err
	}
	if g := q.into.Load(); g != nil {
		return g.EndRecording(q)
	}
	return nil
}

// EndRecording ends the recording of the queues into the graph. Without arguments, EndRecording
// ends the recording of all queues into the graph. Graph.EndRecording returns ErrInvalid if the
// commands of one of the queues are being recorded into another graph.
func (g *Graph) EndRecording(queues ...*Queue) error {
	if g == nil {
		return g.usable()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range queues {
		if q == nil {
			return q.usable()
		}
		if into := q.into.Load(); into != nil && into != g {
			return errorf(ErrInvalid, "the queue records into another graph")
		}
	}
	if len(queues) == 0 {
		queues = slices.Clone(g.queues)
	}
	for _, q := range queues {
		if i := slices.Index(g.queues, q); i >= 0 {
			g.queues = slices.Delete(g.queues, i, i+1)
			q.into.Store(nil)
		}
	}
	return nil
}

// notRecording returns an error if the queue is recording a graph. The argument names the call that
// is not allowed during the recording.
func (q *Queue) notRecording(what string) error {
	if q.into.Load() != nil {
		return errorf(ErrInvalid, "%s on a queue that records into a graph", what).advise("call EndRecording before")
	}
	return nil
}

// graphFor returns the graph that a command with the given options is recorded into, or nil. If the
// options name events of nodes, graphFor also returns these nodes. The command is then recorded
// even if the queue's earlier commands were not.
func (q *Queue) graphFor(o *launchOptions) (*Graph, []*Node, error) {
	g := q.into.Load()
	if n := o.firstNode(); g == nil && n != nil {
		if n.graph.dev != q.dev || !n.graph.isRecordedInto() {
			return nil, nil, errNodeOutside(n)
		}
		g = n.graph
	}
	if g == nil {
		return nil, nil, nil
	}
	var nodes []*Node
	for _, e := range o.after {
		l, _ := e.Owner.(*pending)
		if l == nil || l.rareFields().node == nil {
			return nil, nil, errorf(ErrInvalid, "a command of a graph cannot depend on one that is none").
				advise("give the event to Submit")
		}
		if l.rareFields().node.graph != g {
			return nil, nil, errNodeOutside(l.rareFields().node)
		}
		nodes = append(nodes, l.rareFields().node)
	}
	if o.ctx != nil {
		return nil, nil, errorf(ErrInvalid, "WithContext has no meaning for a node").advise("give the context to Submit")
	}
	return g, nodes, nil
}

// firstNode returns the first node that the options depend on, or nil.
func (o *launchOptions) firstNode() *Node {
	for _, e := range o.after {
		if l, ok := e.Owner.(*pending); ok && l.rareFields().node != nil {
			return l.rareFields().node
		}
	}
	return nil
}

// errNodeOutside returns the error for a command that depends on a node, but is not in the same
// graph.
func errNodeOutside(n *Node) *Error {
	return errorf(ErrInvalid, "the event of the node %v orders commands of its graph alone, while that is recorded", n).
		advise("depend on the event that Submit returns")
}

// isRecordedInto reports whether the commands of any queue are being recorded into the graph.
func (g *Graph) isRecordedInto() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.queues) > 0
}

// recordCommand adds a command of a queue to the graph.
func (g *Graph) recordCommand(q *Queue, c *commandData, o *commandOrder) (Event, error) {
	s, err := g.dev.checkCommand(c, &o.launchOptions)
	if err != nil {
		return Event{}, err
	}
	return g.recordNode(q, &Node{step: s}, o.preds)
}

// recordNode adds a node for a command of the queue. The caller has checked the command.
func (g *Graph) recordNode(q *Queue, n *Node, after []*Node) (Event, error) {
	l := newPending(g.dev, nil)
	if n.step != nil && n.step.Kernel != nil {
		l.kernel = kernelOf(n.step)
		l.setLocalRange(n.step.Plan.Local)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	into := q.into.Load()
	joins := into == nil && len(after) > 0 && len(g.queues) > 0
	if into != g && !joins {
		return Event{}, errorf(ErrInvalid, "the queue ceased to record meanwhile")
	}
	if err := g.insertNode(n, after); err != nil {
		return Event{}, err
	}
	if joins && q.into.CompareAndSwap(nil, g) {
		g.queues = append(g.queues, q)
	}
	l.needRare().node = n
	return Event{l}, nil
}

// recordCopy adds the copy command c to the graph as a node, if the queue is recording a graph.
func (q *Queue) recordCopy(c Command) (recorded bool, err error) {
	g := q.into.Load()
	if g == nil {
		return false, nil
	}
	_, err = g.recordCommand(q, c.c, &commandOrder{})
	return true, err
}

// waitRecorded returns the error of a wait for the event of a node.
func (l *pending) waitRecorded() error {
	return errorf(ErrInvalid, "the event of a node of a graph cannot be waited for: the node is %v", l.rareFields().node).
		advise("wait for the event that Submit returns")
}
