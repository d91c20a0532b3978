package kernels

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

// IsSorted sets Out[0] to 0 if two neighbouring elements are in the wrong order.
type IsSorted[K Keys] struct {
	Flip   K // value of Order.flip
	Keys   []K
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Out    []uint32
}

// These types instantiate the kernel IsSorted for elements of 32 and 64 bits.
type (
	IsSorted32 = IsSorted[uint32]
	IsSorted64 = IsSorted[uint64]
)

// Kernel compares two elements in each iteration. The work-items of the launch divide the elements among themselves.
func (k IsSorted[K]) Kernel(it dsl.Item1) {
	order := orderOf(it, k.Flip)
	n := first(len(k.Keys), k.Length)
	sorted := true
	for i := it.GlobalID() + 1; i < n; i += it.GlobalRange() {
		sorted = sorted && order.Ordered(k.Keys[i-1]) <= order.Ordered(k.Keys[i])
	}
	if !sorted && len(k.Out) > 0 {
		atomic.StoreUint32(&k.Out[0], 0)
	}
}

// Bool sets Out[0] to true if Word[0], which an earlier launch has set, is not 0.
type Bool struct {
	Word []uint32
	Out  []bool
}

// Kernel sets an element.
func (k Bool) Kernel(it dsl.Item1) {
	if i := it.GlobalID(); i < len(k.Word) && i < len(k.Out) {
		k.Out[i] = k.Word[i] != 0
	}
}

// Search sets Out[i] to the index of the first key that is not before Needles[i].
type Search[K Keys] struct {
	Flip    K // value of Order.flip
	Keys    []K
	Length  []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Needles []K
	Out     []int64
}

// These types instantiate the kernel Search for elements of 32 and 64 bits.
type (
	Search32 = Search[uint32]
	Search64 = Search[uint64]
)

// Kernel searches for needles. The work-items of the launch divide the needles among themselves.
func (k Search[K]) Kernel(it dsl.Item1) {
	order := orderOf(it, k.Flip)
	n := first(len(k.Keys), k.Length)
	for i := it.GlobalID(); i < min(len(k.Needles), len(k.Out)); i += it.GlobalRange() {
		x := order.Ordered(k.Needles[i])
		lo, hi := 0, n
		for lo < hi {
			mid := int(uint(lo+hi) / 2)
			if order.Ordered(k.Keys[mid]) < x {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		k.Out[i] = int64(lo)
	}
}

// MergeEach is the number of neighbouring elements that a work-item of Merge writes.
const MergeEach = 8

// Merge merges the sorted elements of A and B. Among equal elements, elements of A come first.
type Merge[K Keys] struct {
	Flip   K // value of Order.flip
	A, B   []K
	Length []int64 // number of elements of A and of B that the call uses, or an empty slice if the call uses all elements
	Out    []K
}

// These types instantiate the kernel Merge for elements of 32 and 64 bits.
type (
	Merge32 = Merge[uint32]
	Merge64 = Merge[uint64]
)

// Kernel writes blocks of MergeEach elements. The work-items of the launch divide the blocks among
// themselves. A binary search along the diagonal of the merge path finds how many elements of A
// precede a block (Green, McColl and Bader, "GPU Merge Path", 2012).
func (k Merge[K]) Kernel(it dsl.Item1) {
	order := orderOf(it, k.Flip)
	na, nb := first(len(k.A), k.Length), first(len(k.B), k.Length)
	n := min(na+nb, len(k.Out))
	for begin := it.GlobalID() * MergeEach; begin < n; begin += it.GlobalRange() * MergeEach {
		a, hi := max(begin-nb, 0), min(begin, na)
		for a < hi {
			mid := int(uint(a+hi) / 2)
			if order.Ordered(k.B[begin-1-mid]) < order.Ordered(k.A[mid]) {
				hi = mid
			} else {
				a = mid + 1
			}
		}
		b := begin - a
		for i := begin; i < min(begin+MergeEach, n); i++ {
			if b >= nb || a < na && order.Ordered(k.A[a]) <= order.Ordered(k.B[b]) {
				k.Out[i] = k.A[a]
				a++
			} else {
				k.Out[i] = k.B[b]
				b++
			}
		}
	}
}

// The kernel Both sets Out[0] to the number of elements that Merge writes if its inputs have A and B elements.
type Both struct {
	A, B   int
	Length []int64 // number of elements of A and of B that the call uses, or an empty slice if the call uses all elements
	Out    []int64
}

// Kernel sets an element.
func (k Both) Kernel(it dsl.Item1) {
	if i := it.GlobalID(); i < len(k.Out) {
		k.Out[i] = int64(first(k.A, k.Length) + first(k.B, k.Length))
	}
}
