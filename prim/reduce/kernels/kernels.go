// Package kernels has the kernels of package reduce, and the interface of the operations that
// users give to By. Kernel packages import it, and nothing of the runtime comes with it.
//
//kgen:variants load
package kernels

//go:generate go tool kgen .

// The constants that fix the order of operations: a block has Size leaves, and a leaf Each
// elements. Nothing tunes them, since results of floats depend on them.
const (
	Size  = 256
	Each  = 16
	Shift = 12
	Block = 1 << Shift // Size * Each
)

const _ = -(uint(Block) ^ uint(Size*Each))

// Elements of slices, as they are counted and compared: by their bits.
type bits interface {
	uint8 | uint16 | uint32 | uint64
}

// first returns how many elements a launch processes: n, or less if length has a number. That
// counts the elements of the call, of which each element here stands for 1<<shift.
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
