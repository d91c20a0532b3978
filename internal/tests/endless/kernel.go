// Package endless contains kernels for tests of cancelled launches. The arguments of a kernel decide whether it
// ends.
//
//kgen:bare views
package endless

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Seeds contains the numbers at which searches start and end. A search for 0 never ends, unless it starts at 0.
type Seeds struct {
	From, To []uint32
	Rounds   []uint32 // number of iterations of each search
}

// next() returns the successor of s in a cycle that contains all uint32s except 0.
func next(s uint32) uint32 {
	s ^= s << 13
	s ^= s >> 17
	return s ^ s<<5
}

func (k Seeds) search(i int) {
	n := uint32(0)
	for s := k.From[i]; s != k.To[i]; s = next(s) {
		n++
	}
	k.Rounds[i] = n
}

// Search runs one search in each work-item of a range.
type Search struct{ Seeds }

// Kernel searches.
//
//kgen:cancel
func (k Search) Kernel(it dsl.Item1) { k.search(it.GlobalID()) }

// Alone runs search 0 as a task.
type Alone struct{ Seeds }

// Kernel searches.
//
//kgen:cancel
func (k Alone) Kernel(dsl.Task) { k.search(0) }

// Count counts in nested loops of N by N by N iterations.
type Count struct {
	N   int
	Out []int32
}

// Kernel counts.
//
//kgen:cancel
func (k Count) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	n := int32(0)
	for a := range k.N {
		for b := range k.N {
			for c := range k.N {
				n = n*3 ^ int32(a+b*c+x)
			}
		}
	}
	k.Out[y*w+x] = n
}

// Wait runs one search per work-item, and some searches take long. After its search, a work-item waits at a barrier.
type Wait struct {
	Seeds
	Scratch dsl.LocalAccessor[uint32]
}

// Kernel stores how many iterations the neighbouring work-item's search needed.
//
//kgen:cancel
func (k Wait) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	n := uint32(0)
	for s := k.From[i]; s != k.To[i]; s = next(s) {
		n++
	}
	scratch := k.Scratch.Slice(it)
	scratch[l] = n
	it.Barrier()
	k.Rounds[i] = scratch[(l+1)%it.LocalRange()]
}

// Leaver is a limit. Only work-items whose values are below Leaver take part in the kernel Meet.
const Leaver = 1 << 30

// Meet lets the work-items of a group wait at a barrier in each of N iterations.
type Meet struct {
	N       int
	Values  []uint32
	Scratch dsl.LocalAccessor[uint32]
}

// Kernel passes each value to the neighbouring work-item, in each of N iterations. The kernel never
// ends if N is below 0. Work-items whose values are at least Leaver do not take part.
//
//kgen:cancel
func (k Meet) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	scratch := k.Scratch.Slice(it)
	v := k.Values[i]
	if v >= Leaver {
		return
	}
	for n := 0; n != k.N; n++ {
		scratch[l] = v + uint32(n)
		it.Barrier()
		v = scratch[(l+1)%it.LocalRange()]
		it.Barrier()
	}
	k.Values[i] = v
}
