package kernels

import "github.com/kgen-go/kgen/dsl"

// On CPUs, barriers of a work-group cost more time than accesses to memory. So each work-item sorts
// a part of the keys by itself. A pass consists of the kernels Tally, Places and Move.

// Tally counts the digits of each part. The number of keys with digit d in part p is Counts[p*Digits+d].
type Tally[K Keys] struct {
	Flip   K      // value of the field `flip` of type Order
	Shift  uint32 // first bit of the digit
	Mask   uint32 // bits of the digit
	Part   int    // number of elements of a part
	Keys   []K
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	Counts []int64 // counts of digits, which are 0 before the launch
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

// Places converts each count to the index of its first element. Elements with smaller digits, or
// with the same digit in earlier parts, are before that index. The launch has one work-item.
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

// Move moves each key to its index in the order of digits. Places contains the index of the next key for each digit of each part.
type Move[K Keys] struct {
	Flip   K      // value of the field `flip` of type Order
	Shift  uint32 // first bit of the digit
	Mask   uint32 // bits of the digit
	Part   int    // number of elements of a part
	Keys   []K
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	Places []int64
	Out    []K
	Values []uint32 // values, as many as keys, if Paired is set
	Moved  []uint32 // values at the indices of their keys in Out, if Paired is set
}

// These types instantiate the kernel Move for elements of each size.
type (
	Move32 = Move[uint32]
	Move64 = Move[uint64]
)

// Kernel moves the keys of a part.
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
