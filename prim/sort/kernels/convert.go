package kernels

import "github.com/kgen-go/kgen/dsl"

// Widen converts elements of one or two bytes to 32-bit words, which the passes of a sort use as keys.
type Widen struct {
	Keys  []uint8
	Bytes int // size of an element in bytes
	Out   []uint32
}

// Kernel converts elements. The work-items of the launch divide the elements among themselves.
func (k Widen) Kernel(it dsl.Item1) {
	for i := it.GlobalID(); i < len(k.Out); i += it.GlobalRange() {
		x := uint32(k.Keys[i*k.Bytes])
		if k.Bytes > 1 {
			x |= uint32(k.Keys[i*k.Bytes+1]) << 8
		}
		k.Out[i] = x
	}
}

// Narrow converts words to elements of one or two bytes.
type Narrow struct {
	Keys   []uint32
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Bytes  int     // size of an element in bytes
	Out    []uint8
}

// Kernel converts elements. The work-items of the launch divide the elements among themselves.
func (k Narrow) Kernel(it dsl.Item1) {
	for i := it.GlobalID(); i < first(len(k.Keys), k.Length); i += it.GlobalRange() {
		k.Out[i*k.Bytes] = uint8(k.Keys[i])
		if k.Bytes > 1 {
			k.Out[i*k.Bytes+1] = uint8(k.Keys[i] >> 8)
		}
	}
}

// Indices sets each element to its index.
type Indices struct{ Out []uint32 }

// Kernel sets elements. The work-items of the launch divide the elements among themselves.
func (k Indices) Kernel(it dsl.Item1) {
	for i := it.GlobalID(); i < len(k.Out); i += it.GlobalRange() {
		k.Out[i] = uint32(i)
	}
}

// Gather sets value i of Moved to value At[i] of Values, for values of several words.
type Gather[T uint8 | uint32] struct {
	Values []T
	At     []uint32
	Length []int64 // number of values that the call uses, or an empty slice if the call uses all values
	Words  int     // number of words of a value
	Moved  []T
}

// These types instantiate the kernel Gather. Gather32 is for values whose size is a multiple of 4 bytes.
type (
	Gather8  = Gather[uint8]
	Gather32 = Gather[uint32]
)

// Kernel moves words. The work-items of the launch divide the words among themselves.
func (k Gather[T]) Kernel(it dsl.Item1) {
	n := min(first(len(k.At), k.Length)*k.Words, len(k.Moved))
	for i := it.GlobalID(); i < n; i += it.GlobalRange() {
		k.Moved[i] = k.Values[int(k.At[i/k.Words])*k.Words+i%k.Words]
	}
}
