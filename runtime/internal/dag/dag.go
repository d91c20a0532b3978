// Package dag orders the nodes of a graph of commands.
//
// A [Graph] has a node for each command. Nodes are numbered in the order in which they were added.
// The user of a [Graph] makes some edges explicitly. Other edges follow from conflicts in memory.
// Two commands conflict if they use the same memory (of the device or of the host), and at least
// one of them writes to this memory. If two commands conflict, the later command depends on the
// earlier command.
//
// For example, if commands 1 and 2 read memory that command 0 writes, there are edges from node 0
// to the nodes 1 and 2 (read after write). If command 3 then writes the same memory, there are
// edges from the nodes 1 and 2 to node 3 (write after read).
package dag

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Graph is a directed graph without cycles. The zero Graph is empty.
type Graph struct{ nodes []node }

type node struct {
	uses         Uses
	preds, succs []int // sorted
}

// The type Uses describes the memory of the device and of the host that a command uses.
type Uses struct {
	Device []stream.Use
	Host   []HostUse
	// The field All says that the command may use any memory.
	All bool
	// Func says that the command is a host function. A host function may read bytes that earlier copies
	// wrote to memory of the host.
	Func bool
}

// HostUse is a range of the host's memory that a command reads or writes.
type HostUse struct {
	Lo, Hi uintptr
	Write  bool
}

// Explicit returns the nodes that node i depends on. Nodes that conflict with node i in device
// memory are omitted.
func (g *Graph) Explicit(i int) []int {
	return slices.DeleteFunc(g.Preds(i), func(p int) bool { return onDevice(g.nodes[p].uses.Device, g.nodes[i].uses.Device) })
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.nodes) }

// Preds returns the nodes that node i depends on.
func (g *Graph) Preds(i int) []int { return slices.Clone(g.nodes[i].preds) }

// Succs returns the nodes that depend on node i.
func (g *Graph) Succs(i int) []int { return slices.Clone(g.nodes[i].succs) }

// Add adds a node for a command that uses the given memory. The new node depends on the nodes in
// the slice `after`, and on all earlier nodes that conflict with the new node. Add returns the
// node's number.
func (g *Graph) Add(uses Uses, after ...int) int {
	n := len(g.nodes)
	g.nodes = append(g.nodes, node{uses: uses})
	for _, a := range after {
		g.connect(a, n)
	}
	// If the new node already depends on an earlier node indirectly, no edge from the earlier node
	// is added.
	known := make([]bool, n)
	for _, a := range after {
		g.ancestors(a, known)
	}
	for i := n - 1; i >= 0; i-- {
		if !known[i] && conflictsWith(g.nodes[i].uses, uses) {
			g.connect(i, n)
			g.ancestors(i, known)
		}
	}
	return n
}

// The method `ancestors` marks node i, and all nodes that node i depends on directly or indirectly.
func (g *Graph) ancestors(i int, known []bool) {
	work := []int{i}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if i >= len(known) || known[i] {
			continue
		}
		known[i] = true
		work = append(work, g.nodes[i].preds...)
	}
}

// Connect adds an edge between two nodes, so that the second node depends on the first node. If the
// edge would make a cycle, Connect returns false and adds no edge.
func (g *Graph) Connect(from, to int) bool {
	known := make([]bool, len(g.nodes))
	g.ancestors(from, known)
	if known[to] {
		return false
	}
	g.connect(from, to)
	return true
}

func (g *Graph) connect(from, to int) {
	insert := func(list []int, i int) []int {
		at, found := slices.BinarySearch(list, i)
		if found {
			return list
		}
		return slices.Insert(list, at, i)
	}
	g.nodes[from].succs = insert(g.nodes[from].succs, to)
	g.nodes[to].preds = insert(g.nodes[to].preds, from)
}

// Sequence returns the nodes in the order in which they were added, as far as the edges allow this
// order.
func (g *Graph) Sequence() []int {
	level := make([]int, len(g.nodes))
	return g.sort(level)
}

// Order returns the nodes sorted by level, and then by number. Each node comes after the nodes that
// it depends on. The level of a node is the length of the longest path that ends at the node. Nodes
// of the same level do not depend on each other, so a device needs only one barrier for each level.
func (g *Graph) Order() []int {
	level := make([]int, len(g.nodes))
	order := g.sort(level)
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(level[a], level[b]), cmp.Compare(a, b))
	})
	return order
}

// The method `sort` returns the nodes in topological order. If several nodes could be next, the
// node with the least number is next. The method `sort` also stores the level of each node in the
// slice `level`.
func (g *Graph) sort(level []int) []int {
	left := make([]int, len(g.nodes))
	var ready nodeNumbers
	for i := range g.nodes {
		if left[i] = len(g.nodes[i].preds); left[i] == 0 {
			ready = append(ready, i)
		}
	}
	order := make([]int, 0, len(g.nodes))
	for len(ready) > 0 {
		i := heap.Pop(&ready).(int)
		order = append(order, i)
		for _, s := range g.nodes[i].succs {
			level[s] = max(level[s], level[i]+1)
			if left[s]--; left[s] == 0 {
				heap.Push(&ready, s)
			}
		}
	}
	return order
}

// nodeNumbers is a heap of node numbers, with the least number first.
type nodeNumbers []int

func (h nodeNumbers) Len() int           { return len(h) }
func (h nodeNumbers) Less(i, j int) bool { return h[i] < h[j] }
func (h nodeNumbers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *nodeNumbers) Push(x any)        { *h = append(*h, x.(int)) }
func (h *nodeNumbers) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// conflictsWith reports whether a command must wait for an earlier command because both use the
// same memory.
func conflictsWith(earlier, later Uses) bool {
	return earlier.All || later.All || onDevice(earlier.Device, later.Device) || onHost(earlier.Host, later.Host)
}

func onDevice(earlier, later []stream.Use) bool {
	for _, e := range earlier {
		for _, l := range later {
			if e.Mem == l.Mem && e.Lo < l.Hi && l.Lo < e.Hi && (e.Access|l.Access)&abi.Write != 0 && e.Access != 0 && l.Access != 0 {
				return true
			}
		}
	}
	return false
}

func onHost(earlier, later []HostUse) bool {
	for _, e := range earlier {
		for _, l := range later {
			if e.Lo < l.Hi && l.Lo < e.Hi && (e.Write || l.Write) {
				return true
			}
		}
	}
	return false
}

// ReadBack reports whether a later command reads host memory that an earlier command writes. If a
// host function between the two commands uses the same memory, ReadBack returns false.
func ReadBack(earlier, later Uses, between func(yield func(Uses) bool)) bool {
	for _, e := range earlier.Host {
		for _, l := range later.Host {
			if !e.Write || l.Write || e.Hi <= l.Lo || l.Hi <= e.Lo || earlier.Func || later.Func {
				continue
			}
			seen := false
			for u := range between {
				seen = seen || u.Func && (u.All || onHost([]HostUse{{max(e.Lo, l.Lo), min(e.Hi, l.Hi), false}}, u.Host))
			}
			if !seen {
				return true
			}
		}
	}
	return false
}
