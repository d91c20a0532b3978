package dsl

import "unsafe"

// The group algorithms are functions on the values of a work-group, it.Group(), or of a
// sub-group, it.SubGroup(). All work-items of the group call a group algorithm
// together, in control flow that is uniform over the work-group. Like Barrier, a group
// algorithm orders the work-items' reads and writes of memory. Work-items that have
// returned or faulted contribute the identity of the operation, which changes no
// result.
//
// Results do not depend on the device or on the size of its sub-groups. The order of operations,
// which affects sums of floats, depends only on the size of the group.
//
//	A reduction of n values has a step for each d = 1, 2, 4 and so on below n. Step d
//	sets v[i] to op(v[i], v[i+d]) for i = 0, 2d, 4d and so on, if i+d < n.
//	A scan of n values has a step for each d = 1, 2, 4 and so on below n. Step d sets all
//	v[i] with i >= d to op(v[i-d], v[i]) at the same time.
//
// Numbers of package half are combined by their methods Add, Mul, Min and Max. So each combination
// is rounded, and each NaN result is the NaN that Add, Mul, Min and Max return. For sums with the
// precision of float32, first convert the numbers by x.Float32().

// AnyGroup is [Group] or [SubGroup].
type AnyGroup interface {
	Group | SubGroup
	LocalID() int
	LocalRange() int
	members() members
}

// Integer is any integer type.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Number is any type with an order and arithmetic.
type Number interface {
	Integer | ~float32 | ~float64
}

// Scalar is any type that group algorithms can pass between work-items.
type Scalar interface {
	Number | ~bool
}

// Reductions and scans accept only the functions below, which kgen recognizes by name. Plus,
// Multiplies, Minimum and Maximum accept numbers of package half, and combine their values. BitAnd,
// BitOr and BitXor are only for integers.

// Plus returns x + y. The identity of Plus is 0.
func Plus[T Number](x, y T) T {
	if unsafe.Sizeof(x) <= 2 {
		if x, ok := halfOf(x); ok {
			return x.Add(y)
		}
	}
	return x + y
}

// Multiplies returns x * y. The identity of Multiplies is 1.
func Multiplies[T Number](x, y T) T {
	if unsafe.Sizeof(x) <= 2 {
		if x, ok := halfOf(x); ok {
			return x.Mul(y)
		}
	}
	return x * y
}

// Minimum returns min(x, y), which is NaN if x or y is NaN. The identity of Minimum is the type's
// greatest value, which is +Inf for floats with infinities.
func Minimum[T Number](x, y T) T {
	if unsafe.Sizeof(x) <= 2 {
		if x, ok := halfOf(x); ok {
			return x.Min(y)
		}
	}
	return min(x, y)
}

// Maximum returns max(x, y), which is NaN if x or y is NaN. The identity of Maximum is the type's
// least value, which is -Inf for floats with infinities.
func Maximum[T Number](x, y T) T {
	if unsafe.Sizeof(x) <= 2 {
		if x, ok := halfOf(x); ok {
			return x.Max(y)
		}
	}
	return max(x, y)
}

// BitAnd returns x & y. The identity of BitAnd has all bits set.
func BitAnd[T Integer](x, y T) T { return x & y }

// BitOr returns x | y. The identity of BitOr is 0.
func BitOr[T Integer](x, y T) T { return x | y }

// BitXor returns x ^ y. The identity of BitXor is 0.
func BitXor[T Integer](x, y T) T { return x ^ y }

// LogicalAnd returns x && y. The identity of LogicalAnd is true.
func LogicalAnd[T ~bool](x, y T) T { return x && y }

// LogicalOr returns x || y. The identity of LogicalOr is false.
func LogicalOr[T ~bool](x, y T) T { return x || y }

// ReduceOverGroup combines the group's values of v by op and returns the result to all work-items
// of the group.
//
//go:norace
func ReduceOverGroup[G AnyGroup, T Scalar](g G, v T, op func(x, y T) T) T {
	m := g.members()
	return exchange(m, canonical(v), func(vs []T, here []bool) { reduce(vs, here, op) })[0]
}

// InclusiveScanOverGroup combines the caller's v with the v of all work-items that have a smaller
// LocalID, in the order of LocalID.
//
//go:norace
func InclusiveScanOverGroup[G AnyGroup, T Scalar](g G, v T, op func(x, y T) T) T {
	m := g.members()
	return exchange(m, canonical(v), func(vs []T, here []bool) { scan(vs, here, op) })[m.id()]
}

// ExclusiveScanOverGroup combines op's identity with the v of all work-items that have a
// smaller LocalID than the caller, in the order of LocalID. The first work-item gets op's
// identity.
//
//go:norace
func ExclusiveScanOverGroup[G AnyGroup, T Scalar](g G, v T, op func(x, y T) T) T {
	m := g.members()
	before := exchange(m, canonical(v), func(vs []T, here []bool) { scanBefore(vs, here, identity(op), op) })
	return before[m.id()]
}

// AnyOfGroup reports whether pred is true for any work-item of the group.
func AnyOfGroup[G AnyGroup](g G, pred bool) bool { return ReduceOverGroup(g, pred, LogicalOr) }

// AllOfGroup reports whether pred is true for all work-items of the group.
func AllOfGroup[G AnyGroup](g G, pred bool) bool { return ReduceOverGroup(g, pred, LogicalAnd) }

// NoneOfGroup reports whether pred is true for no work-item of the group.
func NoneOfGroup[G AnyGroup](g G, pred bool) bool { return !AnyOfGroup(g, pred) }

// GroupBallot returns the set of the sub-group's lanes for which pred is true. Lane i is bit i%32
// of the array element i/32.
//
//go:norace
func GroupBallot(g SubGroup, pred bool) (lanes [4]uint32) {
	for i, in := range exchange(g.members(), pred, func([]bool, []bool) {}) {
		if in {
			lanes[i/32] |= 1 << (i % 32)
		}
	}
	return lanes
}

// GroupBroadcast returns v of the work-item whose LocalID is lane. The result is zero if no
// work-item has this LocalID, or if that work-item has returned or faulted.
//
//go:norace
func GroupBroadcast[G AnyGroup, T Scalar](g G, v T, lane int) T {
	vs := exchange(g.members(), v, func([]T, []bool) {})
	if uint(lane) >= uint(len(vs)) {
		var zero T
		return zero
	}
	return vs[lane]
}

// SelectFromGroup is like [GroupBroadcast] in a sub-group, but the argument lane may differ between
// work-items.
func SelectFromGroup[T Scalar](g SubGroup, v T, lane int) T { return GroupBroadcast(g, v, lane) }

// ShiftGroupLeft returns v of the work-item whose lane is this work-item's lane plus delta. If this
// lane does not exist, the result is zero, as for [GroupBroadcast].
func ShiftGroupLeft[T Scalar](g SubGroup, v T, delta int) T {
	return GroupBroadcast(g, v, g.LocalID()+delta)
}

// ShiftGroupRight returns v of the work-item whose lane is this work-item's lane minus delta. If
// this lane does not exist, the result is zero, as for [GroupBroadcast].
func ShiftGroupRight[T Scalar](g SubGroup, v T, delta int) T {
	return GroupBroadcast(g, v, g.LocalID()-delta)
}

// PermuteGroupByXor returns v of the work-item whose lane is this work-item's lane XOR mask. If
// this lane does not exist, the result is zero, as for [GroupBroadcast].
func PermuteGroupByXor[T Scalar](g SubGroup, v T, mask int) T {
	return GroupBroadcast(g, v, g.LocalID()^mask)
}

// Uniform returns v. Uniform tells kgen that v is the same in all work-items of the work-group, so
// v may decide whether a barrier is reached. All work-items call Uniform together. If the
// work-items pass different values, the effects of the launch are undefined. In checked mode, the
// host device reports calls of Uniform with different values.
func Uniform[T Scalar](v T) T { return v }
