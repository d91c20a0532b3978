// Package wrong contains kernels with one mistake each. kgen cannot detect these mistakes, and devices may not
// show them. The checked mode of the host device finds each mistake at the line with a want comment.
//
//kgen:bare noform=MatrixMissingBarrier
package wrong

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

//go:generate go tool kgen .

// Mem contains the arguments of the kernels. X is never written.
type Mem struct {
	N       int
	X       []int32
	Y       []int32
	Scratch dsl.LocalAccessor[int32]
}

// Flat contains the arguments of kernels over ranges.
type Flat struct {
	X, Y []int32
}

// MissingBarrier reads an element that another work-item writes.
type MissingBarrier struct{ Mem }

// Kernel lacks a barrier before the load.
func (k MissingBarrier) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	l := it.LocalID()
	tile[l] = k.X[it.GlobalID()]
	k.Y[it.GlobalID()] = tile[63-l] // want race
}

// MissingSecond writes elements before other work-items have read them.
type MissingSecond struct{ Mem }

// Kernel lacks a barrier at the end of the loop.
func (k MissingSecond) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	l, sum := it.LocalID(), int32(0)
	for r := range 4 {
		tile[l] = k.X[it.GlobalID()] + int32(r) // want race
		it.Barrier()
		sum += tile[63-l]
	}
	k.Y[it.GlobalID()] = sum
}

// SameElement lets all work-items write one element.
type SameElement struct{ Mem }

// Kernel leaves the value of the last store in the element, but the order of the stores is undefined.
func (k SameElement) Kernel(it dsl.NDItem1) {
	k.Y[0] = k.X[it.GlobalID()] // want race
}

// Neighbour also writes the next work-item's element.
type Neighbour struct{ Flat }

// Kernel has two stores to most elements.
func (k Neighbour) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Y[i] = 1
	if i+1 < len(k.Y) {
		k.Y[i+1] = 2 // want race
	}
}

// InPlace writes sums to a slice from which it also reads.
type InPlace struct{ Flat }

// Kernel reads elements that other work-items write.
func (k InPlace) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i > 0 {
		k.Y[i] = k.Y[i-1] + k.X[i] // want race
	}
}

// Counts counts values in local memory, but uses no atomic operations.
type Counts struct{ Mem }

// Kernel loses counts.
func (k Counts) Kernel(it dsl.NDItem1) {
	bins := dsl.Local[[4]int32](it)
	if l := it.LocalID(); l < 4 {
		bins[l] = 0
	}
	it.Barrier()
	bins[k.X[it.GlobalID()]&3]++ // want race
	it.Barrier()
	if l := it.LocalID(); l < 4 {
		k.Y[it.GroupID()*4+l] = bins[l]
	}
}

// GlobalCounts counts values in device memory, but uses no atomic operations.
type GlobalCounts struct{ Flat }

// Kernel loses counts.
func (k GlobalCounts) Kernel(it dsl.Item1) {
	k.Y[k.X[it.GlobalID()]&3]++ // want race
}

// HalfAtomic uses a plain load to read an element that atomic operations change.
type HalfAtomic struct{ Mem }

// Kernel lacks a barrier before the load.
func (k HalfAtomic) Kernel(it dsl.NDItem1) {
	n := dsl.Local[[1]int32](it)
	atomic.AddInt32(&n[0], 1)
	if n[0] == 64 { // want race
		k.Y[it.GlobalID()] = 1
	}
}

// Halo reads a border element that no work-item has stored.
type Halo struct{ Mem }

// Kernel reads the element after the work-item's own element.
func (k Halo) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[65]int32](it)
	l := it.LocalID()
	tile[l] = k.X[it.GlobalID()]
	it.Barrier()
	k.Y[it.GlobalID()] = tile[l] + tile[l+1] // want unwritten
}

// Guarded adds up all elements, although only elements that are in range are stored.
type Guarded struct{ Mem }

// Kernel assumes that work-items past the end also write elements.
func (k Guarded) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	if i := it.GlobalID(); i < k.N {
		tile[it.LocalID()] = k.X[i]
	}
	it.Barrier()
	if it.LocalID() == 0 {
		sum := int32(0)
		for _, v := range tile[:] { // want unwritten
			sum += v
		}
		k.Y[it.GroupID()] = sum
	}
}

// Evens lets only every other work-item write.
type Evens struct{ Mem }

// Kernel reads an element that the work-item itself has not written.
func (k Evens) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	l := it.LocalID()
	if l%2 == 0 {
		tile[l] = 1
	}
	it.Barrier()
	k.Y[it.GlobalID()] = tile[l] // want unwritten
}

// Accessor reads an accessor's memory, to which no work-item writes.
type Accessor struct{ Mem }

// Kernel does not fill the memory.
func (k Accessor) Kernel(it dsl.NDItem1) {
	s := k.Scratch.Slice(it)
	k.Y[it.GlobalID()] = s[it.LocalID()%len(s)] // want unwritten
}

// SmallBarrier waits only for the sub-group.
type SmallBarrier struct{ Mem }

// Kernel reads an element that another sub-group writes.
func (k SmallBarrier) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	l := it.LocalID()
	tile[l] = k.X[it.GlobalID()]
	it.SubGroup().Barrier()
	k.Y[it.GlobalID()] = tile[63-l] // want race
}

// Tree adds up the elements as a binary tree, without barriers between the steps.
type Tree struct{ Mem }

// Kernel lacks a barrier in the loop.
func (k Tree) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	l := it.LocalID()
	tile[l] = k.X[it.GlobalID()]
	it.Barrier()
	for s := 32; s > 0; s /= 2 {
		if l < s {
			tile[l] += tile[l+s] // want race
		}
	}
	if l == 0 {
		k.Y[it.GroupID()] = tile[0]
	}
}

// LastSteps adds up the elements as a binary tree. It has barriers only while more than one sub-group is active.
type LastSteps struct{ Mem }

// Kernel assumes that the work-items of a sub-group run in lockstep.
func (k LastSteps) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	l := it.LocalID()
	tile[l] = k.X[it.GlobalID()]
	it.Barrier()
	for s := 32; s > 0; s /= 2 {
		if l < s {
			tile[l] += tile[l+s] // want race
		}
		if s > 4 {
			it.Barrier()
		}
	}
	if l == 0 {
		k.Y[it.GroupID()] = tile[0]
	}
}

// Lie declares that a value is uniform, although it differs between work-items.
type Lie struct{ Mem }

// Kernel has a barrier that only some work-items may reach.
func (k Lie) Kernel(it dsl.NDItem1) {
	if dsl.Uniform(k.X[it.GlobalID()]) > 3 { // want uniform
		it.Barrier()
	}
	k.Y[it.GlobalID()] = 1
}

// LieRounds declares that a number of iterations is uniform, although it differs between work-items.
type LieRounds struct{ Mem }

// Kernel has a barrier in a loop whose iteration count depends on the id.
func (k LieRounds) Kernel(it dsl.NDItem1) {
	for range dsl.Uniform(it.LocalID() / 32) { // want uniform
		it.Barrier()
	}
	k.Y[it.GlobalID()] = 1
}

// Overlap has groups whose outputs overlap by one element.
type Overlap struct{ Mem }

// Kernel computes a wrong start index for its group.
func (k Overlap) Kernel(it dsl.NDItem1) {
	k.Y[it.GroupID()*(it.LocalRange()-1)+it.LocalID()] = int32(it.GroupID()) // want race
}

// Flag passes a message, but uses no atomic operations.
type Flag struct{ Mem }

// Kernel lets one work-item read a flag that another work-item sets.
func (k Flag) Kernel(it dsl.NDItem1) {
	flag := dsl.Local[[1]int32](it)
	if it.LocalID() == 1 {
		flag[0] = 0
	}
	it.Barrier()
	switch it.LocalID() {
	case 0:
		flag[0] = 1
	case 63:
		k.Y[it.GlobalID()] = flag[0] // want race
	}
}

// Shared passes a value to the work-group without a barrier.
type Shared struct{ Mem }

// Kernel lacks a barrier before the group's loads.
func (k Shared) Kernel(it dsl.NDItem1) {
	base := dsl.Local[[1]int32](it)
	if it.LocalID() == 0 {
		base[0] = k.X[it.GroupID()]
	}
	k.Y[it.GlobalID()] = base[0] // want race
}

// Halves writes two parts of one array, which overlap.
type Halves struct{ Mem }

// Kernel uses 40 instead of 32 as the middle of 64 elements.
func (k Halves) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	a, b := tile[:40], tile[24:]
	if l := it.LocalID(); l < 32 {
		a[l] = 1
	} else {
		b[l-32] = 2 // want race
	}
	it.Barrier()
	k.Y[it.GlobalID()] = tile[it.LocalID()%48]
}

// AfterReduction overwrites a neighbour's element after a group algorithm.
type AfterReduction struct{ Mem }

// Kernel has no barrier between the loads and the last store.
func (k AfterReduction) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	sum := dsl.ReduceOverGroup(it.Group(), k.X[i], dsl.Plus)
	k.Y[i] = sum
	k.Y[i^1] = -sum // want race
}

// Swapped has double buffers, with one barrier too few.
type Swapped struct{ Mem }

// Kernel swaps the buffers before other work-items have read them.
func (k Swapped) Kernel(it dsl.NDItem1) {
	src, dst := dsl.Local[[64]int32](it), k.Scratch.Slice(it)
	l, from := it.LocalID(), src[:]
	from[l] = k.X[it.GlobalID()]
	it.Barrier()
	for r := range 4 {
		v := from[(l+1)%64]
		if r%2 == 0 {
			it.Barrier()
		}
		from[l] = v // want race
		from, dst = dst, from
	}
	k.Y[it.GlobalID()] = from[l]
}

// MatrixMissingBarrier loads the transpose of a matrix that other work-items store.
type MatrixMissingBarrier struct{ Mem }

// Kernel lacks a barrier of the sub-group before the second load.
func (k MatrixMissingBarrier) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	tile := dsl.Local[[16 * 64]int32](it)
	own := tile[sg.GroupID()*16:]
	acc := dsl.LoadAccumulator[[4][4]int32](sg, k.X, 4, dsl.RowMajor)
	dsl.StoreAccumulator(sg, acc, own, 4, dsl.RowMajor)
	acc = dsl.LoadAccumulator[[4][4]int32](sg, own, 4, dsl.ColumnMajor) // want race
	k.Y[it.GlobalID()] = 0
	if dsl.ElementCount(sg, acc) > 0 {
		k.Y[it.GlobalID()] = dsl.Element[int32](sg, acc, 0)
	}
}

// MatrixOfEach loads a matrix with a different slice in each work-item of one work-group.
type MatrixOfEach struct{ Mem }

// Kernel loads from a slice that begins at the work-item's id.
func (k MatrixOfEach) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	acc := dsl.LoadAccumulator[[2][2]int32](sg, k.X[it.LocalID()*(1-it.GroupID()):], 2, dsl.RowMajor) // want uniform
	k.Y[it.GlobalID()] = int32(dsl.ElementCount(sg, acc))
}
