package kernels

import "github.com/kgen-go/kgen/dsl"

// On processors, where a work-group's barriers cost more than its memory, a work-item sorts a part of the
// keys by itself. A pass is Tally, Places and Move.

// Tally counts the digits of each part: those with digit d in part p are Counts[p*Digits+d].
type Tally[K Keys] struct {
	Flip   K      // the flip of the Order
	Shift  uint32 // the first bit of the digit
	Mask   uint32 // the bits of the digit
	Part   int    // the number of elements of a part
	Keys   []K
	Length []int64 // the number of elements of the call, or nothing
	Counts []int64 // 0 before the launch
}

// Tally of elements of each size.
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

// Places sets each count to the place of its first element: after those of smaller digits, and of the same in
// the parts before. There is one work-item.
type Places struct{ Counts []int64 }

// Kernel adds up.
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

// Move puts each key where it belongs by its digit. Places has the place of each part's next key.
type Move[K Keys] struct {
	Flip   K      // the flip of the Order
	Shift  uint32 // the first bit of the digit
	Mask   uint32 // the bits of the digit
	Part   int    // the number of elements of a part
	Keys   []K
	Length []int64 // the number of elements of the call, or nothing
	Places []int64
	Out    []K
	Values []uint32 // values, as many as there are keys, if they are Paired
	Moved  []uint32 // the values, where their keys are in Out, if they are Paired
}

// Move of elements of each size.
type (
	Move32 = Move[uint32]
	Move64 = Move[uint64]
)

// Kernel moves a part.
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
