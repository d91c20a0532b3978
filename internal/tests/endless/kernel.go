// Package endless has kernels that end or not, as their arguments have it, for tests of
// launches that are cancelled.
//
//kgen:bare views
package endless

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Seeds are what the searches begin with, and go on to. No number but 0 ever comes to 0.
type Seeds struct {
	From, To []uint32
	Rounds   []uint32 // what the search of each took
}

// next returns the number behind s. It goes through all but 0 before it comes to s again.
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

// Search is a search for each work-item of a range.
type Search struct{ Seeds }

// Kernel searches.
//
//kgen:cancel
func (k Search) Kernel(it dsl.Item1) { k.search(it.GlobalID()) }

// Alone is the search of number 0 as a task.
type Alone struct{ Seeds }

// Kernel searches.
//
//kgen:cancel
func (k Alone) Kernel(dsl.Task) { k.search(0) }

// Count counts in loops of N by N by N rounds.
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

// Wait has the work-items of a group search, some for long, and then meet.
type Wait struct {
	Seeds
	Scratch dsl.LocalAccessor[uint32]
}

// Kernel leaves in each element what the neighbour's search took.
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

// Leaver is what keeps a work-item of Meet from taking part.
const Leaver = 1 << 30

// Meet has the work-items of a group meet in each of N rounds.
type Meet struct {
	N       int
	Values  []uint32
	Scratch dsl.LocalAccessor[uint32]
}

// Kernel hands the values on, from neighbour to neighbour, in N rounds, which is for ever
// if N is below 0. Work-items whose values are Leaver or more take no part.
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
