package dsl

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// PrivateLength is the type of the length of private memory. A PrivateLength is a specialization
// constant, or an expression of type bool or of an integer type. The operands of the expression are
// specialization constants or ordinary constants. A bool that is true means length 1.
type PrivateLength interface {
	~bool | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		*SpecConstant[bool] |
		*SpecConstant[int] | *SpecConstant[int8] | *SpecConstant[int16] | *SpecConstant[int32] | *SpecConstant[int64] |
		*SpecConstant[uint] | *SpecConstant[uint8] | *SpecConstant[uint16] | *SpecConstant[uint32] | *SpecConstant[uint64]
}

// PrivateAlloca returns a slice of n zero elements of the work-item's private memory. The length n
// may depend on specialization constants, as in the example below.
//
// Each call site has its own memory, which each call sets to zero. The memory is valid until the
// calling function returns. That function may pass the slice on, but must not return the slice or
// store it in a variable of its caller. If the length is below 1, or the memory exceeds the device's
// limit for a work-item, the launch returns an error and does not start.
// PrivateAlloca needs a device with the aspect properties.PrivateAlloca.
//
// For a zero item, which belongs to no launch, PrivateAlloca panics with an error that matches
// runtime.ErrFeatureNotSupported.
//
//	var Window = dsl.NewSpecConstant(9)
//
//	near := dsl.PrivateAlloca[float32](it, Window)
//	both := dsl.PrivateAlloca[float32](it, 2*Window.Get(it))
func PrivateAlloca[T any, N PrivateLength](it KernelHandler, n N) []T {
	return make([]T, privateLength(it, n, "PrivateAlloca"))
}

// AlignedPrivateAlloca is like [PrivateAlloca], with a minimal alignment. The argument `align`
// is a constant power of two, no smaller than the element's alignment and no larger than
// 2^27. Devices address private memory by element, so the alignment changes only the kernel's
// description.
func AlignedPrivateAlloca[T any, N PrivateLength](it KernelHandler, n N, align int) []T {
	var zero T
	if align < 1 || align&(align-1) != 0 || align < int(unsafe.Alignof(zero)) || align > math.MaxInt32/8 {
		panic(fmt.Sprintf("dsl: AlignedPrivateAlloca: bad alignment %d", align))
	}
	return make([]T, privateLength(it, n, "AlignedPrivateAlloca"))
}

func privateLength[N PrivateLength](it KernelHandler, n N, what string) int {
	launchOf(it, what)
	switch n := any(n).(type) {
	case int:
		return n
	case *SpecConstant[bool]:
		return asLength(n.Get(it))
	case *SpecConstant[int]:
		return n.Get(it)
	case *SpecConstant[int8]:
		return int(n.Get(it))
	case *SpecConstant[int16]:
		return int(n.Get(it))
	case *SpecConstant[int32]:
		return int(n.Get(it))
	case *SpecConstant[int64]:
		return int(n.Get(it))
	case *SpecConstant[uint]:
		return int(n.Get(it))
	case *SpecConstant[uint8]:
		return int(n.Get(it))
	case *SpecConstant[uint16]:
		return int(n.Get(it))
	case *SpecConstant[uint32]:
		return int(n.Get(it))
	case *SpecConstant[uint64]:
		return int(n.Get(it))
	}
	return otherLength(n)
}

func asLength(b bool) int {
	if b {
		return 1
	}
	return 0
}

// otherLength converts n, a bool or an integer of any type, to a length.
func otherLength(n any) int {
	v := reflect.ValueOf(n)
	switch {
	case v.Kind() == reflect.Bool:
		return asLength(v.Bool())
	case v.CanInt():
		return int(v.Int())
	}
	return int(v.Uint())
}
