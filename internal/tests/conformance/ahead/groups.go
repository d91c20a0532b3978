package ahead

// This file has kernels of kernels in which work-items return from a part before its barrier.

import "github.com/kgen-go/kgen/dsl"

// Swap adds one to the neighbour's element. Work-items past N return ahead of the barrier.
type Swap struct {
	N       int
	In, Out []int32
}

// Kernel swaps in pairs.
func (k Swap) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[8]int32](it)
	i, l := it.GlobalID(), it.LocalID()
	if i >= k.N {
		return
	}
	tile[l] = k.In[i]
	it.Barrier()
	k.Out[i] = tile[l^1] + 1
}

// Share adds the sum of the group to the own element. Work-items past N, and every third, return
// ahead of it.
type Share struct {
	N       int
	In, Out []int32
}

// Kernel reduces.
func (k Share) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	if i >= k.N || i%3 == 1 {
		return
	}
	k.Out[i] = k.In[i] + dsl.ReduceOverGroup(it.Group(), k.In[i], dsl.Plus)
}

// Add adds to the own element, of all work-items.
type Add struct {
	By  int32
	Out []int32
}

// Kernel adds.
func (k Add) Kernel(it dsl.NDItem1) { k.Out[it.GlobalID()] += k.By }

// SwapTwice returns from both parts at one condition.
type SwapTwice struct {
	N       int
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel swaps, and swaps back.
func (k SwapTwice) Kernel(it dsl.NDItem1) {
	Swap{k.N, k.In, k.Tmp}.Kernel(it)
	Swap{k.N, k.Tmp, k.Out}.Kernel(it)
}

// ShareTwice returns from both parts at one of two conditions.
type ShareTwice struct {
	N       int
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel shares, and shares again.
func (k ShareTwice) Kernel(it dsl.NDItem1) {
	Share{k.N, k.In, k.Tmp}.Kernel(it)
	Share{k.N, k.Tmp, k.Out}.Kernel(it)
}

// SwapAdd goes on to a part without barriers.
type SwapAdd struct {
	N       int
	In, Out []int32
}

// Kernel swaps, and adds 100 to all.
func (k SwapAdd) Kernel(it dsl.NDItem1) {
	Swap{k.N, k.In, k.Out}.Kernel(it)
	Add{100, k.Out}.Kernel(it)
}

// SwapAddSwap goes on to a part without barriers, and returns from the one behind it.
type SwapAddSwap struct {
	N            int
	In, Mid, Out []int32
}

// Kernel swaps, adds 100 to all, swaps back, and adds 1000 where there is anything.
func (k SwapAddSwap) Kernel(it dsl.NDItem1) {
	Swap{k.N, k.In, k.Mid}.Kernel(it)
	Add{100, k.Mid}.Kernel(it)
	Swap{k.N, k.Mid, k.Out}.Kernel(it)
	if i := it.GlobalID(); k.Out[i] != 0 {
		k.Out[i] += 1000
	}
}

// Guarded does what Swap does, and lets all work-items through to the barrier.
type Guarded struct {
	N       int
	In, Out []int32
}

// Kernel guards the loads and stores.
func (k Guarded) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[8]int32](it)
	i, l := it.GlobalID(), it.LocalID()
	if i < k.N {
		tile[l] = k.In[i]
	}
	it.Barrier()
	if i < k.N {
		k.Out[i] = tile[l^1] + 1
	}
}

// GuardedShare meets again behind a part.
type GuardedShare struct {
	N       int
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel swaps, and adds the sum of what all have.
func (k GuardedShare) Kernel(it dsl.NDItem1) {
	Guarded{k.N, k.In, k.Tmp}.Kernel(it)
	i := it.GlobalID()
	k.Out[i] = k.Tmp[i] + dsl.ReduceOverGroup(it.Group(), k.Tmp[i], dsl.Plus)
}
