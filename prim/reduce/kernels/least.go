package kernels

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// The type `word` constrains the types of keys.
type word interface{ uint32 | uint64 }

// An Order converts elements' bits to keys. Flip decides whether the least or the greatest element has the least key,
// but the key of a NaN is always least. Different elements have different keys, except that all NaNs have the same key.
type Order[K word] struct {
	Flip K // bits of a key that are inverted
	// Half is the mask of all bits of a float except the sign bit. Half is 0 for integers.
	Half K
	// Inf has the bits of the infinite float.
	Inf K
}

// The constant Floats says that elements are floats. Low and High say that the kernel computes the least
// and the greatest element, respectively. Computing only one of the two takes fewer operations.
var (
	Floats = dsl.NewSpecConstant(false)
	Low    = dsl.NewSpecConstant(true)
	High   = dsl.NewSpecConstant(true)
)

// key() returns an element's key.
func (o Order[K]) key(x K, float bool) K {
	if !float {
		return x ^ o.Flip
	}
	if x&o.Half > o.Inf {
		return 0
	}
	if x > o.Half {
		x ^= o.Half
	}
	return x ^ o.Flip
}

// value() returns the element with the given key. For the key of NaNs, value() returns the quiet NaN with the payload 0.
func (o Order[K]) value(key K) K {
	x := key ^ o.Flip
	if o.Half == 0 {
		return x
	}
	if key == 0 {
		return o.Inf | o.Inf&-o.Inf>>1
	}
	if x > o.Half {
		x ^= o.Half
	}
	return x
}

// For each part of X, Ends writes two keys: to Low the least key in the order Least, to High the least key in the order Greatest.
type Ends[T bits, K word] struct {
	X        []T
	Length   []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Part     int     // number of elements of a work-group's part, a multiple of Size
	Least    Order[K]
	Greatest Order[K]
	Low      []K
	High     []K
}

// These types instantiate the kernel Ends for elements of each size.
type (
	Ends8  = Ends[uint8, uint32]
	Ends16 = Ends[uint16, uint32]
	Ends32 = Ends[uint32, uint32]
	Ends64 = Ends[uint64, uint64]
)

// Properties sets the work-group size.
func (Ends[T, K]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size)}
}

// Kernel computes the two least keys of the work-group's part.
func (k Ends[T, K]) Kernel(it dsl.NDItem1) {
	base := it.GroupID() * k.Part
	end := min(base+k.Part, first(len(k.X), k.Length, 0))
	low, high := ^K(0), ^K(0)
	float, lows, highs := Floats.Get(it), Low.Get(it), High.Get(it)
	each := func(x K) {
		if lows {
			low = min(low, k.Least.key(x, float))
		}
		if highs {
			high = min(high, k.Greatest.key(x, float))
		}
	}
	for i := base + it.LocalID(); i < end; i += 4 * Size {
		x, y, z, w := four[T, K](k.X, i, end)
		for range 2 {
			each(x)
			each(y)
			x, y = z, w
		}
	}
	low = dsl.ReduceOverGroup(it.Group(), low, dsl.Minimum)
	high = dsl.ReduceOverGroup(it.Group(), high, dsl.Minimum)
	if it.LocalID() == 0 {
		k.Low[it.GroupID()], k.High[it.GroupID()] = low, high
	}
}

// four() returns the elements of xs at the indices i, i+Size, i+2*Size and i+3*Size. In place of
// elements at `end` or later, four() returns xs[i]. The four loads are in progress at the same time.
func four[T bits, K word](xs []T, i, end int) (x, y, z, w K) {
	x = K(xs[i])
	y, z, w = x, x, x
	if i+Size < end {
		y = K(xs[i+Size])
	}
	if i+2*Size < end {
		z = K(xs[i+2*Size])
	}
	if i+3*Size < end {
		w = K(xs[i+3*Size])
	}
	return x, y, z, w
}

// EndsEnd combines the keys of parts, and writes the corresponding elements to Min and Max. Min or
// Max may be empty.
type EndsEnd[T bits, K word] struct {
	Low      []K
	High     []K
	N        int     // number of elements of the call if Length is empty
	Length   []int64 // number of elements that the call uses, or an empty slice if that number is N
	Least    Order[K]
	Greatest Order[K]
	Min      []T
	Max      []T
}

// These types instantiate the kernel EndsEnd for elements of each size.
type (
	EndsEnd8  = EndsEnd[uint8, uint32]
	EndsEnd16 = EndsEnd[uint16, uint32]
	EndsEnd32 = EndsEnd[uint32, uint32]
	EndsEnd64 = EndsEnd[uint64, uint64]
)

// Properties sets the work-group size.
func (EndsEnd[T, K]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size)}
}

// Kernel is launched with one work-group.
func (k EndsEnd[T, K]) Kernel(it dsl.NDItem1) {
	low, high := ^K(0), ^K(0)
	for i := it.LocalID(); i < min(len(k.Low), len(k.High)); i += Size {
		low = min(low, k.Low[i])
		high = min(high, k.High[i])
	}
	low = dsl.ReduceOverGroup(it.Group(), low, dsl.Minimum)
	high = dsl.ReduceOverGroup(it.Group(), high, dsl.Minimum)
	if it.LocalID() > 0 || first(k.N, k.Length, 0) == 0 {
		return
	}
	if len(k.Min) > 0 {
		k.Min[0] = T(k.Least.value(low))
	}
	if len(k.Max) > 0 {
		k.Max[0] = T(k.Greatest.value(high))
	}
}

// Arg computes the least key of each part of X, and the index of the first element with that key.
// Each work-group writes the key of one part to Keys, and the index to At.
type Arg[T bits, K word] struct {
	X      []T
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Part   int     // number of elements of a work-group's part, a multiple of Size
	Order  Order[K]
	Keys   []K
	At     []int64
}

// These types instantiate the kernel Arg for elements of each size.
type (
	Arg8  = Arg[uint8, uint32]
	Arg16 = Arg[uint16, uint32]
	Arg32 = Arg[uint32, uint32]
	Arg64 = Arg[uint64, uint64]
)

// Properties sets the work-group size.
func (Arg[T, K]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size)}
}

// Kernel processes a part. A work-item processes elements in the order of their indices. Among
// equal elements, the work-item therefore finds the first.
func (k Arg[T, K]) Kernel(it dsl.NDItem1) {
	base := it.GroupID() * k.Part
	end := min(base+k.Part, first(len(k.X), k.Length, 0))
	least, at := ^K(0), int64(math.MaxInt64)
	float := Floats.Get(it)
	for i := base + it.LocalID(); i < end; i += Size {
		if key := k.Order.key(K(k.X[i]), float); key < least || at == math.MaxInt64 {
			least, at = key, int64(i)
		}
	}
	least, at = firstOver(it.Group(), least, at)
	if it.LocalID() == 0 {
		k.Keys[it.GroupID()], k.At[it.GroupID()] = least, at
	}
}

// firstOver returns the least key of all work-items of a group, and the least index of an element with that key.
func firstOver[K word](g dsl.Group, key K, at int64) (K, int64) {
	least := dsl.ReduceOverGroup(g, key, dsl.Minimum)
	if key != least {
		at = math.MaxInt64
	}
	return least, dsl.ReduceOverGroup(g, at, dsl.Minimum)
}

// ArgEnd combines the keys and indices of parts.
type ArgEnd[K word] struct {
	Keys   []K
	At     []int64
	N      int     // number of elements of the call if Length is empty
	Length []int64 // number of elements that the call uses, or an empty slice if that number is N
	Out    []int64
}

// These types instantiate the kernel ArgEnd for keys of each size.
type (
	ArgEnd32 = ArgEnd[uint32]
	ArgEnd64 = ArgEnd[uint64]
)

// Properties sets the work-group size.
func (ArgEnd[K]) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel is launched with one work-group. A work-item processes parts in the order of their
// indices. For a part without elements, At contains an index larger than the index of any element.
func (k ArgEnd[K]) Kernel(it dsl.NDItem1) {
	least, at := ^K(0), int64(math.MaxInt64)
	for i := it.LocalID(); i < min(len(k.Keys), len(k.At)); i += Size {
		if key := k.Keys[i]; key < least || at == math.MaxInt64 {
			least, at = key, k.At[i]
		}
	}
	_, at = firstOver(it.Group(), least, at)
	if it.LocalID() == 0 && first(k.N, k.Length, 0) > 0 {
		k.Out[0] = at
	}
}
