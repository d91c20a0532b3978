package move

import (
	"unsafe"

	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// maxItems is the largest number of work-items of a launch. Devices allow twice as many. Longer
// views need several launches.
var maxItems = 1 << 30

// wordFormat describes the words in which elements of a type are moved.
type wordFormat struct {
	size int // size of a word in bytes: 1, 2 or 4
	n    int // number of words of an element
}

// wordsOf returns the wordFormat for elements of type T.
func wordsOf[T any](c *call.Call) wordFormat {
	var zero T
	n := int(unsafe.Sizeof(zero))
	switch {
	case n == 0:
		c.Refuse("", "the elements have no bytes")
		return wordFormat{1, 1}
	case n%4 == 0:
		return wordFormat{4, n / 4}
	case n%2 == 0:
		return wordFormat{2, n / 2}
	}
	return wordFormat{1, n}
}

// eachChunk divides n elements into ranges that are small enough for one launch. For each range,
// eachChunk calls f with the first index of the range and the index after its last one.
func (w wordFormat) eachChunk(n int, f func(lo, hi int)) {
	step := max(maxItems/w.n, 1)
	for lo := 0; lo < n; lo += step {
		f(lo, min(n, lo+step))
	}
}

// as8, as16 and as32 return a view as words of 8, 16 and 32 bits.
func as8[T any](v runtime.View[T]) runtime.View[uint8]   { return primimpl.Cast[uint8](v) }
func as16[T any](v runtime.View[T]) runtime.View[uint16] { return primimpl.Cast[uint16](v) }
func as32[T any](v runtime.View[T]) runtime.View[uint32] { return primimpl.Cast[uint32](v) }
