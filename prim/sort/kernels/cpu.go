package kernels

import "github.com/kgen-go/kgen/dsl"

// On CPUs, barriers of a work-group cost more time than accesses to memory. So on CPUs, each work-item
// sorts a part of the keys by itself. A pass consists of the kernels Tally, Places and Move.

// Tally counts the digits of each part. The number of keys with digit d in part p is Counts[p*Digits+d].
type Tally[K Keys] struct {
	Flip   K      // value of Order.flip
	Shift  uint32 // position of the digit's lowest bit
	Mask   uint32 // mask of the digit, after the key is shifted by Shift
	Part   int    // number of elements of a part
	Keys   []K
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Counts []int64 // counts of digits, which the caller has set to 0
}

// These types instantiate the kernel Tally for elements of each size.
type (
	Tally32 = Tally[uint32]
	Tally64 = Tally[uint64]
)

// Kernel counts the digits of a part.
func (k Tally[K]) Kernel(it dsl.Item1) {
	p := it.GlobalID()
	n := first(len(k.Keys), k.Length)
	order, counts := orderOf(it, k.Flip), k.Counts[p*Digits:(p+1)*Digits]
	for i := p * k.Part; i < min((p+1)*k.Part, n); i++ {
		counts[uint32(order.Ordered(k.Keys[i])>>k.Shift)&k.Mask]++
	}
}

// The kernel Places replaces each count by the index of the first counted element in the sorted order. All elements with
// smaller digits, and elements with the same digit in earlier parts, get smaller indices. The launch has one work-item.
type Places struct{ Counts []int64 }

// Kernel adds up the counts.
func (k Places) Kernel(it dsl.Item1) {
	if it.GlobalID() > 0 {
		return
	}
	place := int64(0)
	for d := range Digits {
		for i := d; i < len(k.Counts); i += Digits {
			n := k.Counts[i]
			k.Counts[i] = place
			place += n
		}
	}
}

// Move copies each key to its index in the order of digits. For each part and digit, the field Places contains the index of the next key.
type Move[K Keys] struct {
	Flip   K      // value of Order.flip
	Shift  uint32 // position of the digit's lowest bit
	Mask   uint32 // mask of the digit, after the key is shifted by Shift
	Part   int    // number of elements of a part
	Keys   []K
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Places []int64
	Out    []K
	Values []uint32 // one value for each key if Paired is set
	Moved  []uint32 // values in the order of the keys in Out, if Paired is set
}

// These types instantiate the kernel Move for elements of each size.
type (
	Move32 = Move[uint32]
	Move64 = Move[uint64]
)

// Kernel copies the keys of a part.
func (k Move[K]) Kernel(it dsl.Item1) {
	p := it.GlobalID()
	n := first(len(k.Keys), k.Length)
	order, places, paired := orderOf(it, k.Flip), k.Places[p*Digits:(p+1)*Digits], Paired.Get(it)
	for i := p * k.Part; i < min((p+1)*k.Part, n); i++ {
		x := k.Keys[i]
		d := uint32(order.Ordered(x)>>k.Shift) & k.Mask
		to := places[d]
		places[d] = to + 1
		k.Out[to] = x
		if paired {
			k.Moved[to] = k.Values[i]
		}
	}
}
