package kernels

import (
	"math/bits"
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

// The kernels find the k-th element digit by digit, beginning with the highest digit. Select counts how often each
// value of a digit occurs, and Choose chooses the digit of the k-th element. Top then picks the first k elements.

// The constants are indices into the slice Found of the kernels.
const (
	Prefix = iota // digits, found so far, of the number that Order.Ordered returns for the k-th element
	Left          // number of elements, among the first k, that have the digits Prefix
	Picked        // number of picked elements, which is the lesser of k and the number of all elements
	FoundLen
)

// Select counts the values of the next digit, among elements whose higher digits are equal to Found[Prefix].
type Select struct {
	Flip   uint32 // value of Order.flip
	Shift  uint32 // position of the digit's lowest bit
	High   uint32 // mask of the higher digits
	Keys   []uint32
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Found  []uint32
	Counts []uint32 // count of each value of the digit; the counts are 0 before the launch
}

// Properties sets the work-group size.
func (Select) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size)}
}

// Kernel counts digits in work-group memory. The work-groups of the launch divide the elements among themselves.
func (k Select) Kernel(it dsl.NDItem1) {
	counts := dsl.Local[[Digits]atomic.Uint32](it)
	order, l := orderOf(it, k.Flip), it.LocalID()
	n := first(len(k.Keys), k.Length)
	prefix := uint32(0)
	if len(k.Found) > Prefix {
		prefix = k.Found[Prefix] & k.High
	}
	counts[l].Store(0)
	it.Barrier()
	for base := it.GroupID() * ahead * Size; base < n; base += it.GroupRange() * ahead * Size {
		var key [ahead]uint32
		for j := range key {
			if i := base + j*Size + l; i < n {
				key[j] = k.Keys[i]
			}
		}
		for j := range key {
			if x := order.Ordered(key[j]); base+j*Size+l < n && x&k.High == prefix {
				counts[x>>(k.Shift%32)%Digits].Add(1)
			}
		}
	}
	it.Barrier()
	if c := counts[l].Load(); c > 0 && l < len(k.Counts) {
		atomic.AddUint32(&k.Counts[l], c)
	}
}

// Choose chooses the digit of the k-th element from the counts of Select. Then Choose sets the
// counts to 0. The launch has one work-group.
type Choose struct {
	Shift  uint32 // position of the digit's lowest bit
	First  bool   // the digit is the highest digit
	K, N   int    // number of elements to pick, and number of all elements
	Length []int64
	Counts []uint32
	Found  []uint32
}

// Properties sets the work-group size.
func (Choose) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel chooses the digit.
func (k Choose) Kernel(it dsl.NDItem1) {
	d := it.LocalID()
	prefix, left := uint32(0), uint32(min(k.K, first(k.N, k.Length)))
	if !k.First && len(k.Found) == FoundLen {
		prefix, left = k.Found[Prefix], k.Found[Left]
	}
	count := uint32(0)
	if d < len(k.Counts) {
		count = k.Counts[d]
		k.Counts[d] = 0
	}
	before := dsl.ExclusiveScanOverGroup(it.Group(), count, dsl.Plus)
	if len(k.Found) != FoundLen {
		return
	}
	if d == 0 && k.First {
		k.Found[Picked] = left
		if left == 0 {
			k.Found[Prefix], k.Found[Left] = 0, 0
		}
	}
	if before < left && left-before <= count {
		k.Found[Prefix], k.Found[Left] = prefix|uint32(d)<<(k.Shift%32), left-before
	}
}

// TopEach is the number of neighbouring elements that a work-item of Top processes, and TopTile is the number of elements in a tile.
const (
	TopEach = 16
	TopTile = Size * TopEach
)

// Top picks the elements that are before the k-th element in the sorted order, and keeps their order.
// Among elements equal to the k-th element, Top picks the first ones, as many as are still needed.
type Top struct {
	Flip   uint32 // value of Order.flip
	Mask   uint32 // mask of the bits that an element has
	Keys   []uint32
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Found  []uint32
	State  []uint32 // memory of a lookback.Board
	Out    []uint32
	Count  []int64 // number of picked elements
}

// Properties sets the work-group size.
func (Top) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// picked() returns two sets of a leaf's elements: elements before the k-th element, and elements equal to the k-th element.
func (k Top) picked(order Order[uint32], leaf, n int, kth uint32) (less, equal uint32) {
	for j := range TopEach {
		if i := leaf + j; i >= 0 && i < n {
			switch x := order.Ordered(k.Keys[i]) & k.Mask; {
			case x < kth:
				less |= 1 << j
			case x == kth:
				equal |= 1 << j
			}
		}
	}
	return less, equal
}

// numbers() packs the sizes of two sets into one word, with 16 bits for each size.
func numbers(less, equal uint32) uint32 {
	return uint32(bits.OnesCount32(less))<<16 | uint32(bits.OnesCount32(equal))
}

// unpacked() converts two packed sizes to 32 bits each, which is enough for the sums of many tiles.
func unpacked(n uint32) uint64 { return uint64(n>>16)<<32 | uint64(n&0xffff) }

// Kernel picks elements of a tile.
func (k Top) Kernel(it dsl.NDItem1) {
	order, l, g := orderOf(it, k.Flip), it.LocalID(), it.Group()
	n := first(len(k.Keys), k.Length)
	if len(k.Found) != FoundLen {
		return
	}
	kth, left := k.Found[Prefix], k.Found[Left]
	t := lookback.Ticket(it, k.State)
	if l == 0 && t == 0 && len(k.Count) > 0 {
		k.Count[0] = int64(k.Found[Picked])
	}
	if left == 0 || int(t)*TopTile >= n {
		return
	}
	leaf := int(t)*TopTile + l*TopEach
	less, equal := k.picked(order, leaf, n, kth)
	own := numbers(less, equal)
	inTile := dsl.ExclusiveScanOverGroup(g, own, dsl.Plus)
	all := unpacked(dsl.GroupBroadcast(g, inTile+own, Size-1))
	before := unpacked(inTile) + lookback.BeforeSum(it, lookback.Packed[uint64, lookback.Uint64]{State: k.State}, t, all, func(tile uint32) uint64 {
		return unpacked(dsl.ReduceOverGroup(g, numbers(k.picked(order, int(tile)*TopTile+l*TopEach, n, kth)), dsl.Plus))
	})
	lesser, equals := uint32(before>>32), uint32(before)
	for j := range TopEach {
		if to := int(lesser + min(equals, left)); (less>>j&1 != 0 || equal>>j&1 != 0 && equals < left) && to < len(k.Out) && leaf+j < n {
			k.Out[to] = k.Keys[leaf+j]
		}
		lesser += less >> j & 1
		equals += equal >> j & 1
	}
}
