// Package runs has the kernels that packages reduce and scan share: those that add up runs, which are
// neighbours with equal keys. Keys are equal if cmp.Compare says so: all NaNs are, and so are the two
// zeros.
//
//kgen:variants load
package runs

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
)

// The constants that fix the order of operations: a tile has Size leaves, and a leaf Each neighbours.
// Nothing tunes them, since results of floats depend on them.
const (
	Size = lookback.Size
	Each = 8
	Tile = Size * Each
)

// key is a type that has the bits of keys.
type key interface {
	uint8 | uint16 | uint32 | uint64
}

// Format is how keys are compared.
type Format struct {
	Width uint32 // the bytes of a key
	Half  uint64 // all bits of a float but its sign; 0 for integers
	Inf   uint64 // the greatest float that is no NaN
}

// begins reports whether a key differs from the one before, or has none before it.
func begins[K key](keys []K, half, inf K, i int) bool {
	if i == 0 || i >= len(keys) {
		return true
	}
	x, y := keys[i], keys[i-1]
	return x != y && (half == 0 || (x&half <= inf || y&half <= inf) && (x|y)&half != 0)
}

// sum is a type that values are added up in.
type sum interface{ uint64 | float32 | float64 }

// Total is the sum of some neighbours.
type Total[S sum] struct {
	Runs int64 // the runs that begin among them
	Sum  S     // the sum of the elements from the last beginning on, or of all
}

// Then returns the total of two parts.
func (x Total[S]) Then(y Total[S]) Total[S] {
	if y.Runs == 0 {
		y.Sum = x.Sum + y.Sum
	}
	y.Runs += x.Runs
	return y
}

// scan sets each element of tile to the total of the work-items up to that one, and returns the last.
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

// before returns the total of all elements before the work-item's leaf, of the tile t, of which the
// work-group has made total by scan. Again returns that of another tile.
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

// Values is how values of type S are kept in slices of type T. A value has a number of words.
type Values[T any, S sum] interface {
	Get(x []T, i, words int) S
	Set(x []T, i, words int, v S)
}

// Words keeps integers in one word or two.
type Words struct{}

// Get returns a value. A narrow one has zeros above it.
func (Words) Get(x []uint32, i, words int) (v uint64) {
	if i = i * words; i+words <= len(x) {
		v = uint64(x[i])
		if words == 2 {
			v |= uint64(x[i+1]) << 32
		}
	}
	return v
}

// Set writes a value's lowest words.
func (Words) Set(x []uint32, i, words int, v uint64) {
	if i = i * words; i >= 0 && i+words <= len(x) {
		x[i] = uint32(v)
		if words == 2 {
			x[i+1] = uint32(v >> 32)
		}
	}
}

// Floats keeps floats as they are.
type Floats[T float32 | float64] struct{}

// Get returns a value.
func (Floats[T]) Get(x []T, i, _ int) (v T) {
	if i < len(x) {
		v = x[i]
	}
	return v
}

// Set writes a value.
func (Floats[T]) Set(x []T, i, _ int, v T) {
	if i >= 0 && i < len(x) {
		x[i] = v
	}
}
