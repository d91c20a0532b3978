package dsl

import (
	"sync/atomic"
	"unsafe"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/dslhook"
)

// AtomicNumber is any number type of Go that the atomic functions of this package accept.
type AtomicNumber interface {
	~int32 | ~int64 | ~uint32 | ~uint64 | ~int | ~uint | ~float32 | ~float64
}

// AtomicValue is any type that the atomic functions of this package accept: the types of
// [AtomicNumber] and the floats of package half.
type AtomicValue interface {
	AtomicNumber | half.Float16 | half.BFloat16 | half.Float8E4M3 | half.Float8E5M2
}

// AtomicAdd adds v to *p in one step that no other atomic operation interrupts, and returns the new
// value, as sync/atomic's Add functions do. Sums of floats depend on the order of the work-items,
// except sums that are exact.
//
// Values of 64 bits need the aspect properties.Atomic64. If the kernel's properties.DeviceHas
// lists properties.AtomicFloat32 or AtomicFloat64, the device's own instruction adds floats in
// device memory. The device's own instruction may treat subnormal numbers as zero
// (runtime.Subnormals).
//
// Numbers of package half are added by their method Add, so each sum is rounded. A device repeats a
// compare-and-swap of the number's 32-bit word until the swap succeeds.
func AtomicAdd[T AtomicValue](p *T, v T) T { return update(p, v, Plus[T]) }

// AtomicMin atomically replaces *p by min(*p, v) (see [AtomicAdd]), and returns the new value. If
// *p or v is a NaN, the new value is a NaN.
func AtomicMin[T AtomicValue](p *T, v T) T { return update(p, v, Minimum[T]) }

// AtomicMax atomically replaces *p by max(*p, v) (see [AtomicAdd]), and returns the new value. If
// *p or v is a NaN, the new value is a NaN.
func AtomicMax[T AtomicValue](p *T, v T) T { return update(p, v, Maximum[T]) }

// update() replaces *p by op(*p, v).
func update[T AtomicValue](p *T, v T, op func(x, y T) T) T {
	if unsafe.Sizeof(v) < 4 {
		m := dslhook.Turn(unsafe.Pointer(p))
		m.Lock()
		defer m.Unlock()
		*p = op(*p, v)
		return *p
	}
	if unsafe.Sizeof(v) == 4 {
		q := (*uint32)(unsafe.Pointer(p))
		for {
			old := atomic.LoadUint32(q)
			x := op(*(*T)(unsafe.Pointer(&old)), v)
			if atomic.CompareAndSwapUint32(q, old, *(*uint32)(unsafe.Pointer(&x))) {
				return x
			}
		}
	}
	q := (*uint64)(unsafe.Pointer(p))
	for {
		old := atomic.LoadUint64(q)
		x := op(*(*T)(unsafe.Pointer(&old)), v)
		if atomic.CompareAndSwapUint64(q, old, *(*uint64)(unsafe.Pointer(&x))) {
			return x
		}
	}
}

// AtomicInteger is any integer type that the functions [AtomicLoadRelaxed], [AtomicStoreRelaxed]
// and [AtomicAddRelaxed] work on.
type AtomicInteger interface {
	~int32 | ~int64 | ~uint32 | ~uint64 | ~int | ~uint
}

// AtomicLoadRelaxed returns *p, in one step that no other atomic operation interrupts.
// AtomicLoadRelaxed does not order other accesses, like memory_order_relaxed of C++ and SYCL. If a
// work-item sees a store of another work-item, earlier writes of the other one may be invisible, unless
// both call [AtomicFence] between their accesses. Loads of one location never go back to an older value.
// On devices, AtomicLoadRelaxed is a plain load, but a load function of sync/atomic is a read-modify-write.
//
// Values of 64 bits need the aspect properties.Atomic64.
func AtomicLoadRelaxed[T AtomicInteger](p *T) T {
	if unsafe.Sizeof(*p) == 4 {
		return T(atomic.LoadUint32((*uint32)(unsafe.Pointer(p))))
	}
	return T(atomic.LoadUint64((*uint64)(unsafe.Pointer(p))))
}

// AtomicStoreRelaxed sets *p to v, with the guarantees of [AtomicLoadRelaxed].
func AtomicStoreRelaxed[T AtomicInteger](p *T, v T) {
	if unsafe.Sizeof(v) == 4 {
		atomic.StoreUint32((*uint32)(unsafe.Pointer(p)), uint32(v))
		return
	}
	atomic.StoreUint64((*uint64)(unsafe.Pointer(p)), uint64(v))
}

// AtomicAddRelaxed adds v to *p in one step and returns the new value, as [AtomicAdd] does. AtomicAddRelaxed
// does not order other accesses, like [AtomicLoadRelaxed]. AtomicAddRelaxed is for tickets and for counts.
func AtomicAddRelaxed[T AtomicInteger](p *T, v T) T {
	if unsafe.Sizeof(v) == 4 {
		return T(atomic.AddUint32((*uint32)(unsafe.Pointer(p)), uint32(v)))
	}
	return T(atomic.AddUint64((*uint64)(unsafe.Pointer(p)), uint64(v)))
}

// MemoryScope is the set of work-items for which a fence orders accesses.
type MemoryScope uint8

// The scopes.
const (
	MemoryScopeDevice MemoryScope = iota
	MemoryScopeWorkGroup
	MemoryScopeSubGroup
)

// All fences on the host access the variable `fences`.
var fences atomic.Uint32

// AtomicFence orders the caller's memory accesses for all work-items of the scope: the accesses
// before the call come before the accesses after the call. If a work-item reads a write made after
// the fence, and then calls AtomicFence, it sees all writes made before the first fence.
// AtomicFence does not wait. Atomic operations that are not relaxed need no fences (see the
// package's doc).
//
// The argument scope is one of the MemoryScope constants.
func AtomicFence(scope MemoryScope) { fences.Add(1) }
