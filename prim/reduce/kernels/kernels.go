// Package kernels contains the kernels of package reduce, and the interface of operations for By.
// Users' kernel packages import this package, which does not import the runtime.
//
//kgen:variants load
package kernels

//go:generate go tool kgen .

// The constants determine the order of operations. A block has Size leaves, and Each is the number of
// elements in a leaf. These constants must not be tuned, because results of floats depend on them.
const (
	Size  = 256
	Each  = 16
	Shift = 12
	Block = 1 << Shift // equal to Size * Each
)

const _ = -(uint(Block) ^ uint(Size*Each))

// To count or compare elements, kernels use unsigned integers with the elements' bits.
type bits interface {
	uint8 | uint16 | uint32 | uint64
}

// first() returns the number of elements that a launch processes, which is n, or length[0] if that is
// smaller. In later launches, each element is the result of 1<<shift elements of the call, whose number is length[0].
func first(n int, length []int64, shift uint32) int {
	if len(length) == 0 {
		return n
	}
	m := max(length[0], 0)
	all := m >> shift
	if m&(1<<shift-1) != 0 {
		all++
	}
	return int(min(int64(n), all))
}
