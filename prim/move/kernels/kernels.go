// Package kernels contains the kernels of package move, which move words. An element consists of
// one or more words, so three sizes of words are enough for elements of all types.
//
//kgen:variants load
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// The type `word` constrains the types of the words of an element.
type word interface{ uint8 | uint16 | uint32 }

// MaxWords is the largest number of words in an element for Fill.
const MaxWords = 16

// first() returns the number of elements that a launch processes. This number is n, or length[0] if length[0] is smaller.
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// place() returns the index of the element that word i belongs to, and the word's index in this element. Elements have n words.
func place(i, n int) (element, word int) {
	if n == 1 {
		return i, 0
	}
	return i / n, i % n
}

// Fill sets the elements of Out. The first element of Out has the index Base in the call.
type Fill[T word] struct {
	Out    []T
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	Base   int
	Words  int // number of words of an element
	Value  [MaxWords]T
}

// These types instantiate the kernel Fill for words of each size.
type (
	Fill8  = Fill[uint8]
	Fill16 = Fill[uint16]
	Fill32 = Fill[uint32]
)

// Kernel sets a word.
func (k Fill[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	e, w := place(i, k.Words)
	if k.Base+e < first(k.Base+e+1, k.Length) {
		k.Out[i] = k.Value[w%MaxWords]
	}
}

// Iota sets each element of Out to First + i*Step, where i is the element's index in the call.
type Iota[T uint8 | uint16 | uint32 | uint64 | float32 | float64] struct {
	Out         []T
	Length      []int64 // element count of the whole call, or empty for all elements of the slice
	Base        int
	First, Step T
}

// The kernels for unsigned integers also compute Iota of signed integers.
type (
	IotaUint8   = Iota[uint8]
	IotaUint16  = Iota[uint16]
	IotaUint32  = Iota[uint32]
	IotaUint64  = Iota[uint64]
	IotaFloat32 = Iota[float32]
	IotaFloat64 = Iota[float64]
)

// Properties requires that each operation is rounded.
func (Iota[T]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel sets an element.
func (k Iota[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	at := k.Base + i
	if at < first(at+1, k.Length) {
		k.Out[i] = k.First + T(T(at)*k.Step)
	}
}

// Reverse sets Out to the elements of X in reverse order. Out may be X, because each work-item
// exchanges two words.
type Reverse[T word] struct {
	X, Out []T
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	Base   int     // index of the first word
	Words  int     // number of words of an element
}

// These types instantiate the kernel Reverse for words of each size.
type (
	Reverse8  = Reverse[uint8]
	Reverse16 = Reverse[uint16]
	Reverse32 = Reverse[uint32]
)

// Kernel exchanges a word of the first half with the corresponding word of the second half.
func (k Reverse[T]) Kernel(it dsl.Item1) {
	i := k.Base + it.GlobalID()
	e, w := place(i, k.Words)
	last := first(len(k.X)/k.Words, k.Length) - 1 - e
	if e > last {
		return
	}
	j := last*k.Words + w
	x, y := k.X[i], k.X[j]
	k.Out[i], k.Out[j] = y, x
}

// Gather sets element i of Out to element At[i] of X. If X has no element At[i], the result is zero.
type Gather[T word] struct {
	X      []T
	At     []int64
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	Base   int     // index in the call of the first element of At
	Words  int     // number of words of an element
	Out    []T
}

// These types instantiate the kernel Gather for words of each size.
type (
	Gather8  = Gather[uint8]
	Gather16 = Gather[uint16]
	Gather32 = Gather[uint32]
)

// Kernel sets a word.
func (k Gather[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	e, w := place(i, k.Words)
	if k.Base+e >= first(k.Base+e+1, k.Length) {
		return
	}
	var x T
	if at := k.At[e]; at >= 0 && at < int64(len(k.X)/k.Words) {
		x = k.X[int(at)*k.Words+w]
	}
	k.Out[i] = x
}

// Claim sets Owner[at] for each destination `at` in At. The value is the number of the last element
// that moves there. Numbers of elements begin with 1.
type Claim struct {
	At     []int64
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	Base   int     // index in the call of the first element of At
	Owner  []uint32
}

// Kernel claims an element.
func (k Claim) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if k.Base+i >= first(k.Base+i+1, k.Length) {
		return
	}
	if at := k.At[i]; at >= 0 && at < int64(len(k.Owner)) {
		dsl.AtomicMax(&k.Owner[at], uint32(i+1))
	}
}

// Scatter sets element At[i] of Out to element i of X. If Owner is not empty, an element moves only
// if it is the owner of its destination.
type Scatter[T word] struct {
	X      []T
	At     []int64
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	Base   int     // index in the call of the first element of At
	Words  int     // number of words of an element
	Owner  []uint32
	Out    []T
}

// These types instantiate the kernel Scatter for words of each size.
type (
	Scatter8  = Scatter[uint8]
	Scatter16 = Scatter[uint16]
	Scatter32 = Scatter[uint32]
)

// Kernel moves a word.
func (k Scatter[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	e, w := place(i, k.Words)
	if k.Base+e >= first(k.Base+e+1, k.Length) {
		return
	}
	at := k.At[e]
	if at < 0 || at >= int64(len(k.Out)/k.Words) {
		return
	}
	if len(k.Owner) > 0 && k.Owner[at] != uint32(e+1) {
		return
	}
	k.Out[int(at)*k.Words+w] = k.X[i]
}

// Tile is the number of rows, and also of columns, that a work-group of Transpose moves. Lines is
// the number of work-items in a column of the work-group.
const (
	Tile  = 32
	Lines = 8
)

// Transpose sets the rows of Out to the columns of X. X has Rows rows, and Out has Columns rows.
type Transpose[T word] struct {
	X, Out        []T
	Rows, Columns int
	Words         int // number of words of an element
}

// These types instantiate the kernel Transpose for words of each size.
type (
	Transpose8  = Transpose[uint8]
	Transpose16 = Transpose[uint16]
	Transpose32 = Transpose[uint32]
)

// Properties sets the work-group's size.
func (Transpose[T]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Lines, Tile)}
}

// Kernel moves a tile through work-group memory, so that neighbouring work-items read and write
// neighbouring elements.
func (k Transpose[T]) Kernel(it dsl.NDItem2) {
	tile := dsl.Local[[Tile][Tile + 1]T](it)
	gy, gx := it.GroupID()
	ly, lx := it.LocalID()
	for w := range k.Words {
		for j := 0; j < Tile; j += Lines {
			if y, x := gy*Tile+ly+j, gx*Tile+lx; y < k.Rows && x < k.Columns {
				tile[ly+j][lx] = k.X[(y*k.Columns+x)*k.Words+w]
			}
		}
		it.Barrier()
		for j := 0; j < Tile; j += Lines {
			if y, x := gx*Tile+ly+j, gy*Tile+lx; y < k.Columns && x < k.Rows {
				k.Out[(y*k.Rows+x)*k.Words+w] = tile[lx][ly+j]
			}
		}
		it.Barrier()
	}
}
