// Package primimpl provides functions of the runtime, beyond its API, that the packages of prim
// need. No other package calls these functions.
package primimpl

import (
	"fmt"
	"unsafe"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// api contains methods of package runtime that users of package runtime cannot call.
var api = launch.Runtime.(interface {
	Usable(*runtime.Queue) error
	CheckView(q *runtime.Queue, name string, s launch.Slice) error
	Recorded(runtime.Event) bool
	OrderAlone() runtime.LaunchOption
	Fuses(*runtime.Device) bool
	Fuses64(*runtime.Device) bool
	Attached(dev *runtime.Device, key any, made func() any) any
})

// Usable returns an error if the queue cannot accept launches, because it is nil or its device is
// closed.
func Usable(q *runtime.Queue) error { return api.Usable(q) }

// Recorded reports whether e is the event of a node of a graph.
func Recorded(e runtime.Event) bool { return api.Recorded(e) }

// Fuses reports whether math32.HasFMA is true in kernels on the device. The device must be open.
func Fuses(dev *runtime.Device) bool { return api.Fuses(dev) }

// Fuses64 reports whether math32.HasFMA64 is true in kernels on the device. The device must be open.
func Fuses64(dev *runtime.Device) bool { return api.Fuses64(dev) }

// OrderAlone returns an option for a command that is not a launch. Options before OrderAlone that
// are only for launches have no effect.
func OrderAlone() runtime.LaunchOption { return api.OrderAlone() }

// Attached returns the value that the device stores under a key. In the first call for a key, the
// function `made` returns the value. The garbage collector frees the value together with the
// device.
func Attached(dev *runtime.Device, key any, made func() any) any {
	return api.Attached(dev, key, made)
}

// Used describes the memory of a view that a caller has passed to a function of package prim.
type Used struct {
	name string
	at   launch.Slice
	size uint64 // size in bytes
}

// Use returns the memory of a view. The argument name is the view's name in error messages.
func Use[T any](name string, v runtime.View[T]) Used {
	var zero T
	return Used{name, v.Arg(), uint64(v.Len()) * uint64(unsafe.Sizeof(zero))}
}

// Name returns the view's name.
func (u Used) Name() string { return u.name }

// Check returns an error if the view's buffer is nil or closed, or belongs to another device than
// the queue. A launch with the view returns the same error. The queue must be usable.
func (u Used) Check(q *runtime.Queue) error { return api.CheckView(q, u.name, u.at) }

// Aligned reports whether the view begins at a multiple of n bytes in its buffer.
func (u Used) Aligned(n uint64) bool { return u.at.Off%n == 0 }

// Overlaps reports whether two views have a byte in common.
func (u Used) Overlaps(v Used) bool {
	return u.at.Mem != nil && u.at.Mem == v.at.Mem && u.size > 0 && v.size > 0 &&
		u.at.Off < v.at.Off+v.size && v.at.Off < u.at.Off+u.size
}

// Same reports whether two views consist of the same bytes.
func (u Used) Same(v Used) bool {
	return u.at.Mem == v.at.Mem && u.at.Off == v.at.Off && u.size == v.size
}

// Cast returns a view of the same memory with elements of another type U. The result has as many
// elements as fit into the memory. If the size of U is a multiple of 8 or 16 bytes, kernels load
// and store vectors of 8 or 16 bytes. If the view does not begin at a multiple of the vector's
// size, Cast panics.
func Cast[U, T any](v runtime.View[T]) runtime.View[U] {
	s := v.Arg()
	var t T
	var u U
	if s.Len > 0 && unsafe.Sizeof(t) != unsafe.Sizeof(u) {
		s.Len = int(uint64(s.Len) * uint64(unsafe.Sizeof(t)) / uint64(unsafe.Sizeof(u)))
	}
	if size := uint64(unsafe.Sizeof(u)); s.Len > 0 && size%8 == 0 && s.Off%min(size&-size, 16) != 0 {
		panic(fmt.Sprintf("BUG: a view at byte %d as elements of %d bytes", s.Off, size))
	}
	return *(*runtime.View[U])(unsafe.Pointer(&s)) // a View has the same layout as a Slice (see TestCast)
}

// A View and a Slice have the same size.
const _ = -(unsafe.Sizeof(runtime.View[byte]{}) ^ unsafe.Sizeof(launch.Slice{}))
