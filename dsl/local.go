package dsl

import "fmt"

// Local returns work-group memory, a T (usually an array) that all work-items of the group
// share.
//
//	tile := dsl.Local[[16][17]float32](it)
//	tile[y][x] = k.In[i]
//	it.Barrier()
//
// Each call site has its own memory. Each call of Local sets the memory to zero, also in
// each iteration of a loop, so calls must be in control flow that is uniform over the
// group.
//
//go:norace
func Local[T any](it GroupItem) *T {
	w := it.item()
	cell := w.nextLocal()
	p, ok := cell.memory.(*T)
	switch {
	case cell.reached > 0:
		if !ok {
			panic(divergentLocal)
		}
	case !ok:
		p = new(T)
		cell.memory = p
	default:
		var zero T
		*p = zero
	}
	cell.reached++
	return p
}

// LocalSlice returns a slice of n elements of work-group memory. LocalSlice is like [Local], for
// lengths that depend on specialization constants. The length n is computed from specialization
// constants and ordinary constants.
//
//go:norace
func LocalSlice[T any](it GroupItem, n int) []T {
	w := it.item()
	cell := w.nextLocal()
	s, ok := cell.memory.([]T)
	switch {
	case cell.reached > 0:
		if !ok || len(s) != n {
			panic(divergentLocal)
		}
	case ok && len(s) == n:
		clear(s)
	default:
		s = make([]T, n)
		cell.memory = s
	}
	cell.reached++
	return s
}

const divergentLocal = "dsl: work-items of one group reach different calls of Local: control flow is not uniform"

// LocalAccessor is work-group memory whose length the host sets for each launch. A LocalAccessor is
// a field of the kernel:
//
//	type Sum struct {
//		X       []float32
//		Scratch dsl.LocalAccessor[float32] // the host gives dsl.LocalLen[float32](n)
//	}
//
// Each field needs its own call of LocalLen. The zero LocalAccessor has length zero.
type LocalAccessor[T any] struct {
	_   [0]*T // prevents conversions between accessors with different T
	key *accessorKey
}

// accessorKey identifies an accessor by its address.
type accessorKey struct{ n int }

// LocalLen returns an accessor of n elements. LocalLen panics if n is negative.
func LocalLen[T any](n int) LocalAccessor[T] {
	if n < 0 {
		panic(fmt.Sprintf("dsl: LocalLen(%d): negative length", n))
	}
	return LocalAccessor[T]{key: &accessorKey{n}}
}

// Len returns the accessor's length in elements.
func (a LocalAccessor[T]) Len() int {
	if a.key == nil {
		return 0
	}
	return a.key.n
}

// Slice returns the accessor's memory, which the work-items of the group share. The memory is zero
// when the group starts. Further calls of Slice return the same memory.
//
//go:norace
func (a LocalAccessor[T]) Slice(it GroupItem) []T {
	if a.Len() == 0 {
		return nil
	}
	g := it.item().g
	for i := range g.accessors {
		if c := &g.accessors[i]; c.key == a.key {
			s := c.memory.([]T)
			if !c.live {
				c.live = true
				clear(s)
			}
			return s
		}
	}
	s := make([]T, a.key.n)
	g.accessors = append(g.accessors, accessorCell{key: a.key, memory: s, live: true})
	return s
}

// localCell contains the memory of one call of Local. In uniform control flow, all work-items of a
// group share the memory of their n-th calls of Local.
type localCell struct {
	memory  any // the *T or []T that the call returns
	reached int // number of work-items that have made this call
}

type accessorCell struct {
	key    *accessorKey
	memory any
	live   bool // whether the current work-group uses the memory
}

// keptLocals is the number of calls of Local whose memory the next work-group reuses. The memory of
// later calls, such as calls in a loop, is released when all work-items have made the call.
const keptLocals = 16

// nextLocal returns the localCell for the work-item's next call of Local. The pointer is valid until the
// next call of nextLocal.
//
//go:norace
func (w *workItem) nextLocal() *localCell {
	g, n := w.g, w.locals
	w.locals++
	if n < keptLocals {
		return &g.locals[n]
	}
	for len(g.late) > 0 && g.late[0].reached == len(g.items) {
		g.late[0] = localCell{}
		g.late = g.late[1:]
		g.lateBase++
	}
	for n-keptLocals >= g.lateBase+len(g.late) {
		g.late = append(g.late, localCell{})
	}
	return &g.late[n-keptLocals-g.lateBase]
}

// resetLocals prepares work-group memory for the next group.
func (g *group) resetLocals() {
	for i := range g.locals {
		g.locals[i].reached = 0
	}
	clear(g.late)
	g.late, g.lateBase = g.late[:0], 0
	for i := range g.accessors {
		g.accessors[i].live = false
	}
}
