package kernels

import "github.com/kgen-go/kgen/dsl"

// Widen makes words of small elements, which the passes sort.
type Widen[K uint8 | uint16] struct {
	Keys []K
	Out  []uint32
}

// Narrow makes small elements of words.
type Narrow[K uint8 | uint16] struct {
	Keys   []uint32
	Length []int64 // the number of elements of the call, or nothing
	Out    []K
}

// Widen and Narrow for elements of each size.
type (
	Widen8   = Widen[uint8]
	Widen16  = Widen[uint16]
	Narrow8  = Narrow[uint8]
	Narrow16 = Narrow[uint16]
)

// Kernel copies elements, which the launch's work-items share out.
func (k Widen[K]) Kernel(it dsl.Item1) {
	for i := it.GlobalID(); i < min(len(k.Keys), len(k.Out)); i += it.GlobalRange() {
		k.Out[i] = uint32(k.Keys[i])
	}
}

// Kernel copies elements, which the launch's work-items share out.
func (k Narrow[K]) Kernel(it dsl.Item1) {
	for i := it.GlobalID(); i < first(min(len(k.Keys), len(k.Out)), k.Length); i += it.GlobalRange() {
		k.Out[i] = K(k.Keys[i])
	}
}

// Indices sets each element to its index.
type Indices struct{ Out []uint32 }

// Kernel sets elements, which the launch's work-items share out.
func (k Indices) Kernel(it dsl.Item1) {
	for i := it.GlobalID(); i < len(k.Out); i += it.GlobalRange() {
		k.Out[i] = uint32(i)
	}
}

// Gather moves values of several words, given the index of each.
type Gather[T uint8 | uint32] struct {
	Values []T
	At     []uint32
	Length []int64 // the number of values of the call, or nothing
	Words  int     // the words of a value
	Moved  []T
}

// Gather of values whose size is a multiple of 4 bytes, and of others.
type (
	Gather8  = Gather[uint8]
	Gather32 = Gather[uint32]
)

// Kernel moves words, which the launch's work-items share out.
func (k Gather[T]) Kernel(it dsl.Item1) {
	n := min(first(len(k.At), k.Length)*k.Words, len(k.Moved))
	for i := it.GlobalID(); i < n; i += it.GlobalRange() {
		k.Moved[i] = k.Values[int(k.At[i/k.Words])*k.Words+i%k.Words]
	}
}
