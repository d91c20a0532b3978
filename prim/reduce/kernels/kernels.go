// Package kernels contains the kernels of package reduce, and the interface of operations for By.
// Users' kernel packages import this package, which does not import the runtime.
//
//kgen:variants load
package kernels

//go:generate go tool kgen .

// The constants Size and Each determine the order of operations. A block has Size leaves, and a leaf
// has Each elements. Size and Each must not be tuned, because results of floats depend on them.
const (
	Size  = 256
	Each  = 16
	Shift = 12
	Block = 1 << Shift // equal to Size * Each
)

const _ = -(uint(Block) ^ uint(Size*Each))

// The type `bits` constrains elements to unsigned integers, because kernels count and compare elements by their bits.
type bits interface {
	uint8 | uint16 | uint32 | uint64
}

// first() returns the number of elements that a launch processes, which is at most n. If length is not
// empty, the call uses length[0] elements. Each element of a launch combines 1<<shift elements of the call.
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
