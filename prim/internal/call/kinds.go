package call

import (
	"reflect"

	"github.com/kgen-go/kgen/dsl/half"
)

// Number constrains type parameters to Go's integer and float types.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Kind describes how to compute with elements of a type.
type Kind struct {
	Size          int // size of an element in bytes
	Signed, Float bool
	// For a float type, Half is a mask of all bits except the sign. Inf contains the bits of the
	// largest number that is not a NaN.
	Half, Inf uint64
	// Small reports whether the type is a type of package half.
	Small bool
}

// KindOf returns the kind of a type of numbers, or of bools.
func KindOf[T any]() Kind {
	var zero T
	t := reflect.TypeFor[T]()
	k := Kind{Size: int(t.Size())}
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		k.Float = true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		k.Signed = true
	}
	k.Half = uint64(1)<<(8*k.Size-1) - 1
	switch any(zero).(type) {
	case half.Float16:
		k.Small, k.Inf = true, 0x7c00
	case half.BFloat16:
		k.Small, k.Inf = true, 0x7f80
	case half.Float8E5M2:
		k.Small, k.Inf = true, 0x7c
	case half.Float8E4M3:
		k.Small, k.Inf = true, 0x7e // the type has no infinity, and 0x7f is the NaN
	}
	switch {
	case k.Small:
		k.Float = true
	case k.Float && k.Size == 4:
		k.Inf = 0x7f800000
	case k.Float:
		k.Inf = 0x7ff0000000000000
	default:
		k.Half = 0
	}
	return k
}
