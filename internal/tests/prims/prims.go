// Package prims provides elements and memory for the tests of package prim's families.
package prims

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/runtime"
)

// Real constrains type parameters to the number types of Go.
type Real interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~float32 | ~float64
}

// IsFloat reports whether T is a float type.
func IsFloat[T Real]() bool { return T(1)/2 != 0 }

// Lengths returns lengths for tests. Some lengths are near block lengths, some are short, one is
// long, and one is random. With -short, Lengths returns only one length near each block's length.
func Lengths(blocks ...int) []int {
	if testing.Short() {
		l := []int{0, 1, 257}
		for i, b := range blocks {
			l = append(l, b+i%3-1)
		}
		return append(l, 2*blocks[len(blocks)-1]+1+rand.IntN(5000))
	}
	l := []int{0, 1, 2, 31, 255, 256, 257}
	for _, b := range blocks {
		l = append(l, b-1, b, b+1)
	}
	long := 1<<22 + 4097
	if swiftshader.On() {
		long = 70001 // SwiftShader is slow
	}
	return append(l, long, 1+rand.IntN(20000))
}

// Fill sets elements to random integers of all sizes, or to random normal floats.
func Fill[T Real](xs []T) {
	for i := range xs {
		if IsFloat[T]() {
			xs[i] = T(rand.NormFloat64())
		} else {
			xs[i] = FromBits[T](rand.Uint64())
		}
	}
}

// Bits returns the bits of a value.
func Bits[T any](v T) (b uint64) {
	*(*T)(unsafe.Pointer(&b)) = v
	return b
}

// FromBits returns the value of type T whose bits are the low bits of b.
func FromBits[T any](b uint64) T { return *(*T)(unsafe.Pointer(&b)) }

// Special sets some elements of floats to zeros of both signs, infinities and, if nan is set, NaNs
// with payloads.
func Special[T Real](xs []T, nan bool) {
	if !IsFloat[T]() || len(xs) == 0 {
		return
	}
	inf, sign, quiet := uint64(0x7f800000), uint64(1)<<31, uint64(1)<<22
	if unsafe.Sizeof(xs[0]) == 8 {
		inf, sign, quiet = 0x7ff<<52, 1<<63, 1<<51
	}
	values := []uint64{0, sign, inf - 1, inf, inf | sign}
	if nan {
		values = append(values, inf|quiet, inf|quiet|5, inf|1, inf|sign|quiet, inf|sign|77)
	}
	for range 1 + len(xs)/50 {
		xs[rand.IntN(len(xs))] = FromBits[T](values[rand.IntN(len(values))])
	}
}

// Subnormal sets some elements of floats to the least subnormals of both signs.
func Subnormal[T Real](xs []T) {
	if !IsFloat[T]() || len(xs) == 0 {
		return
	}
	for range 1 + len(xs)/50 {
		xs[rand.IntN(len(xs))] = FromBits[T](1 | rand.Uint64N(2)<<(8*unsafe.Sizeof(xs[0])-1))
	}
}

// Views allocates the memory of a test, on the device of a queue.
type Views struct {
	T    *testing.T
	Q    *runtime.Queue
	Opts []prim.Option
	// Offset is the buffer index at which each view begins. If Offset is 0, views begin at index 3.
	Offset int
}

// View returns a view of a copy of xs, at an odd offset.
func View[T any](v Views, xs []T) runtime.View[T] {
	v.T.Helper()
	offset := cmp.Or(v.Offset, 3)
	b, err := runtime.BufferOf(v.Q.Device(), append(make([]T, offset), xs...))
	if err != nil {
		v.T.Fatal(err)
	}
	v.T.Cleanup(func() { b.Close() })
	return b.Slice(offset, offset+len(xs))
}

// Read returns the elements of a view.
func Read[T any](v Views, x runtime.View[T]) []T {
	v.T.Helper()
	out := make([]T, x.Len())
	if err := x.CopyTo(v.T.Context(), v.Q, out); err != nil {
		v.T.Fatal(err)
	}
	return out
}

// Result calls the function `on` with a view for n results, and returns the results.
func Result[R any](v Views, n int, on func(out runtime.View[R], opts ...prim.Option) (runtime.Event, error)) []R {
	v.T.Helper()
	out := View(v, make([]R, n))
	if _, err := on(out, v.Opts...); err != nil {
		v.T.Fatal(err)
	}
	return Read(v, out)
}

// Same fails the test if two values differ. Same compares values by their bits, as Equal does.
func Same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	Equal(t, what, []T{got}, []T{want})
}

// Equal fails the test if the elements of got and want differ. Equal compares the bits of elements, except
// that all NaNs are equal.
func Equal[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d elements, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if text(got[i]) != text(want[i]) {
			t.Errorf("%s: element %d of %d is %v, want %v", what, i, len(got), got[i], want[i])
			return
		}
	}
}

func text[T any](v T) string {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := r.Float(); math.IsNaN(f) {
			return "NaN"
		} else if f == 0 && math.Signbit(f) {
			return "-0"
		}
	}
	return fmt.Sprint(v)
}
