package kernelimpl

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/runtime/internal/host"
)

// HostForm is the host form of a kernel, which is generated Go code that runs all work-items of a
// work-group. kgen generates host forms for kernels with barriers. The type of a host form has the
// methods HostGroup, Begin and Run.
type HostForm = host.Form

// HostGroup is the state that all host forms have.
type HostGroup = host.Group

// HostAddr is an address that may point into one of several slices.
type HostAddr struct {
	Base unsafe.Pointer
	Off  int // offset of the address in the slice, in bytes
}

// HostArg returns the value at an offset of the launch block.
func HostArg[T any](g *HostGroup, off int) T { return host.BlockValue[T](g, off) }

// HostSpec returns the value of a specialization constant, or its default.
func HostSpec[T any](g *HostGroup, id uint32, def T) T {
	if n, ok := g.SpecBits(id); ok {
		return *(*T)(unsafe.Pointer(&n)) // the low bytes come first in memory on all machines with Vulkan
	}
	return def
}

// HostRoom sets the lengths of the slices to n. If the capacity of a slice is too small, HostRoom
// replaces the slice.
func HostRoom[T any](n int, slices ...*[]T) {
	for _, s := range slices {
		if cap(*s) < n {
			*s = make([]T, n)
		}
		*s = (*s)[:n]
	}
}

// HostConst returns v, so that the compiler does not treat it as a constant.
func HostConst[T any](v T) T { return v }

// HostFill sets all elements to v.
func HostFill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

// HostGather copies the work-items' values from src to dst, and returns dst. For work-items that
// have returned, HostGather stores the value e.
func HostGather[T any](g *HostGroup, dst, src []T, e T) []T {
	copy(dst, src)
	return fillDead(g, dst, e)
}

// HostGatherSame is like HostGather, but all work-items have the same value v.
func HostGatherSame[T any](g *HostGroup, in []T, v, e T) []T {
	HostFill(in, v)
	return fillDead(g, in, e)
}

// fillDead stores e in the elements of s that belong to work-items that have returned.
func fillDead[T any](g *HostGroup, s []T, e T) []T {
	if g.AnyDead() {
		for i, dead := range g.Dead[:len(s)] {
			if dead {
				s[i] = e
			}
		}
	}
	return s
}

// hostNumber is the type of the numbers that reductions and scans combine.
type hostNumber interface {
	int32 | int64 | float32 | float64
}

type hostInteger interface{ int32 | int64 }

// The functions below combine two numbers. Integers have signed types, but HostUMin and HostUMax treat the bits as
// unsigned.

func HostAdd[T hostNumber](x, y T) T   { return x + y }
func HostMul[T hostNumber](x, y T) T   { return x * y }
func HostMin[T hostNumber](x, y T) T   { return min(x, y) }
func HostMax[T hostNumber](x, y T) T   { return max(x, y) }
func HostAnd[T hostInteger](x, y T) T  { return x & y }
func HostOr[T hostInteger](x, y T) T   { return x | y }
func HostXor[T hostInteger](x, y T) T  { return x ^ y }
func HostUMin[T hostInteger](x, y T) T { return T(min(uint64(x), uint64(y))) }
func HostUMax[T hostInteger](x, y T) T { return T(max(uint64(x), uint64(y))) }

// reduceGroup combines all elements of s in the order that package dsl defines, and overwrites s. reduceGroup is so
// small that the compiler inlines it, with op, into each caller.
func reduceGroup[T any](s []T, op func(x, y T) T) T {
	for d := 1; d < len(s); d *= 2 {
		for i := d; i < len(s); i += 2 * d {
			s[i-d] = op(s[i-d], s[i])
		}
	}
	return s[0]
}

// The functions below combine all elements of a slice.

func HostReduceAdd[T hostNumber](s []T) T   { return reduceGroup(s, func(x, y T) T { return x + y }) }
func HostReduceMul[T hostNumber](s []T) T   { return reduceGroup(s, func(x, y T) T { return x * y }) }
func HostReduceMin[T hostNumber](s []T) T   { return reduceGroup(s, func(x, y T) T { return min(x, y) }) }
func HostReduceMax[T hostNumber](s []T) T   { return reduceGroup(s, func(x, y T) T { return max(x, y) }) }
func HostReduceAnd[T hostInteger](s []T) T  { return reduceGroup(s, func(x, y T) T { return x & y }) }
func HostReduceOr[T hostInteger](s []T) T   { return reduceGroup(s, func(x, y T) T { return x | y }) }
func HostReduceXor[T hostInteger](s []T) T  { return reduceGroup(s, func(x, y T) T { return x ^ y }) }
func HostReduceUMin[T hostInteger](s []T) T { return reduceGroup(s, HostUMin[T]) }
func HostReduceUMax[T hostInteger](s []T) T { return reduceGroup(s, HostUMax[T]) }

// scanGroup sets each element to the combination of this element and all elements before it. The
// result of op must not depend on the order of combining.
func scanGroup[T any](s []T, op func(x, y T) T) {
	acc := s[0]
	for i := 1; i < len(s); i++ {
		acc = op(acc, s[i])
		s[i] = acc
	}
}

// scanDoubling is like scanGroup, but combines the elements in the order that package dsl defines.
func scanDoubling[T any](s []T, op func(x, y T) T) {
	for d := 1; d < len(s); d *= 2 {
		for i := len(s) - 1; i >= d; i-- {
			s[i] = op(s[i-d], s[i])
		}
	}
}

// The functions below scan a slice. A scan sets each element to the combination of this element and
// all elements before it.

func HostScanAdd[T hostInteger](s []T)  { scanGroup(s, func(x, y T) T { return x + y }) }
func HostScanMul[T hostInteger](s []T)  { scanGroup(s, func(x, y T) T { return x * y }) }
func HostScanMin[T hostNumber](s []T)   { scanGroup(s, func(x, y T) T { return min(x, y) }) }
func HostScanMax[T hostNumber](s []T)   { scanGroup(s, func(x, y T) T { return max(x, y) }) }
func HostScanAnd[T hostInteger](s []T)  { scanGroup(s, func(x, y T) T { return x & y }) }
func HostScanOr[T hostInteger](s []T)   { scanGroup(s, func(x, y T) T { return x | y }) }
func HostScanXor[T hostInteger](s []T)  { scanGroup(s, func(x, y T) T { return x ^ y }) }
func HostScanUMin[T hostInteger](s []T) { scanGroup(s, HostUMin[T]) }
func HostScanUMax[T hostInteger](s []T) { scanGroup(s, HostUMax[T]) }

func HostScanAddDoubling[T float32 | float64](s []T) {
	scanDoubling(s, func(x, y T) T { return x + y })
}
func HostScanMulDoubling[T float32 | float64](s []T) {
	scanDoubling(s, func(x, y T) T { return x * y })
}

// HostScans divides s into ranges of `size` elements, one for each sub-group, and calls scanPart
// for each range.
func HostScans[T any](s []T, size int, scanPart func(s []T)) {
	for lo := 0; lo < len(s); lo += size {
		scanPart(s[lo:min(lo+size, len(s))])
	}
}

// HostShift copies the slice `in` to the slice `out`, shifted by one element within each sub-group.
// A sub-group has `size` consecutive elements. The first element of each sub-group in `out` becomes
// e.
func HostShift[T any](out, in []T, size int, e T) {
	for lo := 0; lo < len(in); lo += size {
		hi := min(lo+size, len(in))
		out[lo] = e
		copy(out[lo+1:hi], in[lo:hi-1])
	}
}

// HostAny reports whether any element is true.
func HostAny(s []bool) bool {
	for _, b := range s {
		if b {
			return true
		}
	}
	return false
}

// HostAll reports whether all elements are true.
func HostAll(s []bool) bool {
	for _, b := range s {
		if !b {
			return false
		}
	}
	return true
}

// HostBySubGroup calls f for each sub-group, with the `size` elements of the slice `in` that belong
// to the sub-group. HostBySubGroup stores the result of f in all elements of the sub-group in
// `out`.
func HostBySubGroup[T any](out, in []T, size int, f func(s []T) T) {
	for lo := 0; lo < len(in); lo += size {
		hi := min(lo+size, len(in))
		HostFill(out[lo:hi], f(in[lo:hi]))
	}
}

// Each of the functions below implements an op that only sub-groups have. The name of the function
// contains the name of the op. The parameters are the elements of the result, the elements of each
// argument, and the size of sub-groups. If the op has several results, the last parameter is the
// index of the result's 32-bit word. kgen relies on these rules for names and parameters when it
// generates calls.

// HostBallot packs the elements of each sub-group into bits. HostBallot sets all elements of the
// sub-group in `out` to 32 of these bits, beginning with the bit of element 32*word.
func HostBallot(out []int32, in []bool, size, word int) {
	for lo := 0; lo < len(in); lo += size {
		hi := min(lo+size, len(in))
		set := uint32(0)
		for i := lo + 32*word; i < min(hi, lo+32*word+32); i++ {
			if in[i] {
				set |= 1 << ((i - lo) % 32)
			}
		}
		HostFill(out[lo:hi], int32(set))
	}
}

// HostSelect sets out[i] to an element of the slice `in`. The element belongs to the same sub-group
// as element i, and index[i] is the element's index in the sub-group. If work-item i has returned,
// index[i] may have any value.
func HostSelect[T any](out, in []T, size int, index []int32) {
	for i := range out {
		if at := i/size*size + int(uint32(index[i])); at < len(in) {
			out[i] = in[at]
		}
	}
}

// HostSelectSame is like HostSelect, but all indices are the same.
func HostSelectSame[T any](out, in []T, size int, index int32) {
	for i := range out {
		if at := i/size*size + int(uint32(index)); at < len(in) {
			out[i] = in[at]
		}
	}
}

// HostUpdate replaces *p by op(*p, v), atomically, and returns the old value.
func HostUpdate[T hostNumber](p *T, v T, op func(x, y T) T) T {
	if unsafe.Sizeof(v) == 4 {
		q := (*uint32)(unsafe.Pointer(p))
		for {
			old := atomic.LoadUint32(q)
			is := *(*T)(unsafe.Pointer(&old))
			x := op(is, v)
			if atomic.CompareAndSwapUint32(q, old, *(*uint32)(unsafe.Pointer(&x))) {
				return is
			}
		}
	}
	q := (*uint64)(unsafe.Pointer(p))
	for {
		old := atomic.LoadUint64(q)
		is := *(*T)(unsafe.Pointer(&old))
		x := op(is, v)
		if atomic.CompareAndSwapUint64(q, old, *(*uint64)(unsafe.Pointer(&x))) {
			return is
		}
	}
}

// HostSwapIf sets *p to v if *p equals old, and reports whether it has set *p. No other goroutine
// may use *p.
func HostSwapIf[T hostInteger | int8 | int16](p *T, old, v T) bool {
	if *p != old {
		return false
	}
	*p = v
	return true
}

// HostLoadPart returns *p, which is 8 or 16 bits of a 32-bit word. The load is atomic with respect to HostSwapPart.
func HostLoadPart[T int8 | int16](p *T) T {
	m := dslhook.Turn(unsafe.Pointer(p))
	m.Lock()
	defer m.Unlock()
	return *p
}

// HostSwapPart sets *p, which is 8 or 16 bits of a 32-bit word, to v if *p equals old. The swap is atomic, and
// HostSwapPart reports whether it has set *p.
func HostSwapPart[T int8 | int16](p *T, old, v T) bool {
	m := dslhook.Turn(unsafe.Pointer(p))
	m.Lock()
	defer m.Unlock()
	return HostSwapIf(p, old, v)
}

// HostFence has the effect of dsl.AtomicFence for all work-items of the group.
func HostFence() { dsl.AtomicFence(dsl.MemoryScopeDevice) }

// HostFindLsb returns the index of the lowest set bit of x, or -1 if x is 0.
func HostFindLsb(x uint32) int32 {
	if x == 0 {
		return -1
	}
	return int32(bits.TrailingZeros32(x))
}
