package dsl

import (
	"unsafe"

	"github.com/kgen-go/kgen/dsl/half"
)

// halfNumber is implemented by numbers of package half, and has the operations of group algorithms.
type halfNumber[T any] interface {
	Add(y T) T
	Mul(y T) T
	Min(y T) T
	Max(y T) T
}

// halfOf returns x as a halfNumber if x has a type of package half.
func halfOf[T any](x T) (halfNumber[T], bool) {
	switch any(x).(type) {
	case half.Float16, half.BFloat16, half.Float8E4M3, half.Float8E5M2:
		return any(x).(halfNumber[T]), true
	}
	return nil, false
}

// canonical() returns x, but replaces any NaN of package half by the NaN that operations return.
func canonical[T any](x T) T {
	if unsafe.Sizeof(x) <= 2 {
		if h, ok := halfOf(x); ok {
			return h.Min(x)
		}
	}
	return x
}

// halfEdges returns the values of edges() for a type of package half.
func halfEdges[T any]() []T {
	var zero T
	var list any
	switch any(zero).(type) {
	case half.Float16:
		list = edgesOf[half.Float16]()
	case half.BFloat16:
		list = edgesOf[half.BFloat16]()
	case half.Float8E4M3:
		list = edgesOf[half.Float8E4M3]()
	case half.Float8E5M2:
		list = edgesOf[half.Float8E5M2]()
	}
	edges, _ := list.([]T)
	return edges
}

func edgesOf[T half.Float[T]]() (list []T) {
	for _, x := range []T{half.FromFloat32[T](1), half.FromFloat32[T](2), half.Largest[T](), half.Inf[T](1)} {
		if !x.IsNaN() {
			list = append(list, x, x.Neg())
		}
	}
	return append(list, 0)
}
