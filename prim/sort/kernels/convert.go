package kernels

import "github.com/kgen-go/kgen/dsl"

// Widen makes words of elements of one or two bytes, which the passes sort.
type Widen struct {
	Keys  []uint8
	Bytes int // the bytes of an element
	Out   []uint32
}

// Kernel copies elements, which the launch's work-items share out.
func (k Widen) Kernel(it dsl.Item1) {
	for i := it.GlobalID(); i < len(k.Out); i += it.GlobalRange() {
		x := uint32(k.Keys[i*k.Bytes])
		if k.Bytes > 1 {
			x |= uint32(k.Keys[i*k.Bytes+1]) << 8
		}
		k.Out[i] = x
	}
}

// Narrow makes elements of one or two bytes of words.
type Narrow struct {
	Keys   []uint32
	Length []int64 // the number of elements of the call, or nothing
	Bytes  int     // the bytes of an element
	Out    []uint8
}

// Kernel copies elements, which the launch's work-items share out.
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
