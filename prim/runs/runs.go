// Package runs contains kernels that add up runs, for the packages reduce and scan. A run consists
// of neighbours with equal keys. Keys are equal if cmp.Compare returns 0, so all NaNs are equal,
// and so are the two zeros.
//
//kgen:variants load
package runs

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
)

// The constants Size and Each determine the order of operations. A tile has Size leaves, and a leaf consists
// of Each neighbouring elements. Size and Each must not be tuned, because results of floats depend on them.
const (
	Size = lookback.Size
	Each = 8
	Tile = Size * Each
)

// The type `key` is an unsigned integer with the bits of a key.
type key interface {
	uint8 | uint16 | uint32 | uint64
}

// Format describes how keys are compared.
type Format struct {
	Width uint32 // size of a key in bytes
	Half  uint64 // mask of all bits of a float except the sign bit, or 0 for integers
	Inf   uint64 // bits of the greatest float that is not a NaN
}

// begins() reports whether key i begins a run, which means that key i is the first key or differs from the previous key.
func begins[K key](keys []K, half, inf K, i int) bool {
	if i == 0 || i >= len(keys) {
		return true
	}
	x, y := keys[i], keys[i-1]
	return x != y && (half == 0 || (x&half <= inf || y&half <= inf) && (x|y)&half != 0)
}

// The type `sum` constrains the types of sums.
type sum interface{ uint64 | float32 | float64 }

// Total is the intermediate result for a range of elements.
type Total[S sum] struct {
	Runs int64 // number of runs that begin in the range
	Sum  S     // sum of the elements from the beginning of the last run to the end of the range, or of all elements if no run begins
}

// Then() returns the total of two adjacent ranges, whose totals are x and y.
func (x Total[S]) Then(y Total[S]) Total[S] {
	if y.Runs == 0 {
		y.Sum = x.Sum + y.Sum
	}
	y.Runs += x.Runs
	return y
}

// scan() sets tile[i] to the total of the leaves 0 to i, and returns the total of all leaves. The total of the work-item's leaf is v.
func scan[S sum](it dsl.NDItem1, tile *[Size]Total[S], v Total[S]) Total[S] {
	l := it.LocalID()
	it.Barrier()
	tile[l] = v
	for d := 1; d < Size; d *= 2 {
		it.Barrier()
		x := v
		if l >= d {
			x = tile[l-d]
		}
		it.Barrier()
		if l >= d {
			v = x.Then(v)
			tile[l] = v
		}
	}
	it.Barrier()
	return tile[Size-1]
}

// before() returns the total of all elements before the work-item's leaf in tile t. The argument `total` is
// the total of the tile, which scan() returned. The function again() computes the total of another tile.
func before[S sum](it dsl.NDItem1, tile *[Size]Total[S], state []uint32, values []Total[S], t uint32, total Total[S], again func(tile uint32) Total[S]) Total[S] {
	var v Total[S]
	l := it.LocalID()
	if l > 0 {
		v = tile[l-1]
	}
	start := lookback.Before(it, tile, lookback.Plain[Total[S]]{State: state, Values: values}, t, total, again, func(x, y Total[S]) Total[S] { return x.Then(y) })
	switch {
	case t == 0:
		return v
	case l == 0:
		return start
	}
	return start.Then(v)
}

// The methods of Values load and store values of type S in slices of type T. A value may consist of several elements.
type Values[T any, S sum] interface {
	Get(x []T, i, words int) S
	Set(x []T, i, words int, v S)
}

// The type Words stores integers in one or two words.
type Words struct{}

// Get returns value i. A value of less than 64 bits is zero-extended.
func (Words) Get(x []uint32, i, words int) (v uint64) {
	if i = i * words; i+words <= len(x) {
		v = uint64(x[i])
		if words == 2 {
			v |= uint64(x[i+1]) << 32
		}
	}
	return v
}

// Set stores the lowest words of v as value i.
func (Words) Set(x []uint32, i, words int, v uint64) {
	if i = i * words; i >= 0 && i+words <= len(x) {
		x[i] = uint32(v)
		if words == 2 {
			x[i+1] = uint32(v >> 32)
		}
	}
}

// The type Floats stores floats without conversion.
type Floats[T float32 | float64] struct{}

// Get returns x[i], or 0 if i is out of range.
func (Floats[T]) Get(x []T, i, _ int) (v T) {
	if i < len(x) {
		v = x[i]
	}
	return v
}

// Set sets x[i], unless i is out of range.
func (Floats[T]) Set(x []T, i, _ int, v T) {
	if i >= 0 && i < len(x) {
		x[i] = v
	}
}
