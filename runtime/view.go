package runtime

import (
	"fmt"
	"unsafe"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// View is a slice of device memory, which a kernel sees as a []T. A View is a small value, cheap to
// copy and to slice. The zero View is an empty slice. A View keeps its buffer's memory alive. The
// buffer can still be closed, and using a view of a closed buffer is an error (ErrKernelArgument).
type View[T any] struct {
	_ [0]*T // keeps views of different types from converting into each other
	s launch.Slice
}

// Len returns the number of elements.
func (v View[T]) Len() int { return max(v.s.Len, 0) }

// Slice returns the view of the elements [i, j), as v[i:j] would. Slice panics if i or j is out of
// range.
func (v View[T]) Slice(i, j int) View[T] {
	if i < 0 || j < i || j > v.s.Len {
		panic(fmt.Sprintf("runtime: slice bounds out of range [%d:%d] with length %d", i, j, v.Len()))
	}
	var zero T
	v.s.Off += uint64(i) * uint64(unsafe.Sizeof(zero))
	v.s.Len = j - i
	return v
}

// With returns the view with the properties AccessScope, FusionInternalMemory or NoInit of package
// properties. AccessScope, FusionInternalMemory and NoInit have an effect in graphs whose launches
// are fused. A launch returns ErrInvalid if its view has other properties.
func (v View[T]) With(props ...properties.Property) View[T] {
	v.s.View = v.s.View.With(props)
	return v
}

// Arg returns the content of the view. Only generated code calls Arg.
func (v View[T]) Arg() launch.Slice { return v.s }
