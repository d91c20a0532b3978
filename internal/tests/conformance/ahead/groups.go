package ahead

// This file defines kernels that call other kernels. In the called kernels, work-items return before a barrier.

import "github.com/kgen-go/kgen/dsl"

// Swap stores the neighbour's element plus one. Work-items past N return before the barrier.
type Swap struct {
	N       int
	In, Out []int32
}

// Kernel swaps the elements of pairs of work-items.
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

// Share adds the sum of the group to each work-item's element. Work-items past N, and every third work-item, return
// before the reduction.
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

// Add adds By to the elements of all work-items.
type Add struct {
	By  int32
	Out []int32
}

// Kernel adds.
func (k Add) Kernel(it dsl.NDItem1) { k.Out[it.GlobalID()] += k.By }

// SwapTwice calls Swap twice. Work-items return early from both calls under the same condition.
type SwapTwice struct {
	N       int
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel swaps the elements, and swaps them back.
func (k SwapTwice) Kernel(it dsl.NDItem1) {
	Swap{k.N, k.In, k.Tmp}.Kernel(it)
	Swap{k.N, k.Tmp, k.Out}.Kernel(it)
}

// ShareTwice calls Share twice. Work-items return early from both calls under one of two conditions.
type ShareTwice struct {
	N       int
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel runs Share twice.
func (k ShareTwice) Kernel(it dsl.NDItem1) {
	Share{k.N, k.In, k.Tmp}.Kernel(it)
	Share{k.N, k.Tmp, k.Out}.Kernel(it)
}

// SwapAdd calls Swap, and then a kernel without barriers.
type SwapAdd struct {
	N       int
	In, Out []int32
}

// Kernel runs Swap, and adds 100 to all elements.
func (k SwapAdd) Kernel(it dsl.NDItem1) {
	Swap{k.N, k.In, k.Out}.Kernel(it)
	Add{100, k.Out}.Kernel(it)
}

// SwapAddSwap calls Swap, then a kernel without barriers, and then Swap again. Both calls of Swap have early returns.
type SwapAddSwap struct {
	N            int
	In, Mid, Out []int32
}

// Kernel swaps, adds 100 to all elements, swaps back, and adds 1000 to the elements that are not zero.
func (k SwapAddSwap) Kernel(it dsl.NDItem1) {
	Swap{k.N, k.In, k.Mid}.Kernel(it)
	Add{100, k.Mid}.Kernel(it)
	Swap{k.N, k.Mid, k.Out}.Kernel(it)
	if i := it.GlobalID(); k.Out[i] != 0 {
		k.Out[i] += 1000
	}
}

// Guarded computes the same as Swap, but all work-items reach the barrier.
type Guarded struct {
	N       int
	In, Out []int32
}

// Kernel guards loads and stores by conditions.
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

// GuardedShare has a group algorithm after a call of Guarded.
type GuardedShare struct {
	N       int
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel swaps, and adds the sum of the group's elements.
func (k GuardedShare) Kernel(it dsl.NDItem1) {
	Guarded{k.N, k.In, k.Tmp}.Kernel(it)
	i := it.GlobalID()
	k.Out[i] = k.Tmp[i] + dsl.ReduceOverGroup(it.Group(), k.Tmp[i], dsl.Plus)
}
