package dsl

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// PrivateLength is what sets the length of private memory: a specialization
// constant, or an expression of such constants (and of ordinary ones) that is a
// bool or an integer. True is 1.
type PrivateLength interface {
	~bool | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		*SpecConstant[bool] |
		*SpecConstant[int] | *SpecConstant[int8] | *SpecConstant[int16] | *SpecConstant[int32] | *SpecConstant[int64] |
		*SpecConstant[uint] | *SpecConstant[uint8] | *SpecConstant[uint16] | *SpecConstant[uint32] | *SpecConstant[uint64]
}

// PrivateAlloca returns a slice of n elements of the work-item's own memory, all
// zero. It is an array whose length a specialization constant sets:
//
//	var Window = dsl.NewSpecConstant(9)
//
//	near := dsl.PrivateAlloca[float32](it, Window)
//	both := dsl.PrivateAlloca[float32](it, 2*Window.Get(it))
//
// Each call site has memory of its own, zero each time the call is reached. It
// ends with the function that makes the call: a function may pass it on, but
// neither return it nor keep it in a variable of its caller. A length below 1 is
// an error before the launch, and so is more memory than the device has for a
// work-item. The call needs the aspect properties.PrivateAlloca.
//
// With a zero item, outside of any launch, it panics with an error that matches
// runtime.ErrFeatureNotSupported.
func PrivateAlloca[T any, N PrivateLength](it KernelHandler, n N) []T {
	return make([]T, privateLength(it, n, "PrivateAlloca"))
}

// AlignedPrivateAlloca is [PrivateAlloca] with the alignment that the memory has
// at least: a constant, a power of two no smaller than the element's alignment
// and no larger than 2^27. Devices address private memory by element, so all
// that it changes is what the kernel's description says.
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

// otherLength is the length that a bool or an integer of any type is.
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
