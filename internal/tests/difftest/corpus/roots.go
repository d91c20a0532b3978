package corpus

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// RootResults is the number of results that Roots stores for each pair of operands.
const RootResults = 40

// Roots computes square roots next to comparisons with zero, and absolute values of roots. In code that
// computes with roots, kgen hides comparisons with zero from drivers, so most results are only stored.
type Roots[T ~float32 | ~float64] struct {
	A, B, Out []T
}

// rootUnlessNegative guards a square root by a comparison, as users write it.
func rootUnlessNegative[T ~float32 | ~float64](x T) T {
	if x < 0 {
		return 0
	}
	return T(math.Sqrt(float64(x)))
}

func (k Roots[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	out := k.Out[i*RootResults:][:RootResults]
	k.inBranches(i, out)
	k.chosen(i, out[14:])
	k.magnitudes(i, out[28:])
}

// inBranches computes each root in a branch, so that a phi joins the root with a zero.
func (k Roots[T]) inBranches(i int, out []T) {
	a, b := k.A[i], k.B[i]
	negative := T(math.Copysign(0, -1))
	root := func(x T) T { return T(math.Sqrt(float64(x))) }
	out[0] = rootUnlessNegative(a)
	out[1] = rootUnlessNegative(a - b)
	out[2] = rootUnlessNegative(a*a - b)
	out[3] = rootUnlessNegative(-a)
	if a > 0 {
		out[4] = root(a)
	} else {
		out[4] = 0
	}
	if a >= 0 {
		out[5] = root(a)
	}
	if !(a < 0) {
		out[6] = root(a)
	}
	if !(a <= 0) {
		out[7] = root(a)
	}
	if negative > a {
		out[8] = negative
	} else {
		out[8] = root(a)
	}
	switch {
	case a < 0:
		out[9] = 0
	case a > 5:
		out[9] = 3
	default:
		out[9] = root(a)
	}
	s := a
	for range 3 {
		if s < 0 {
			s = 0
		} else {
			s = root(s)
		}
	}
	out[10] = s
	s = b
	if a < 0 {
		s += 0
	} else {
		s += root(a)
	}
	out[11] = s
	if a < -a {
		out[12] = 0
	} else {
		out[12] = root(a)
	}
	var t [2]T
	if a < 0 {
		t[0] = 0
	} else {
		t[0] = root(a)
	}
	out[13] = t[i&1] + t[1-i&1]
}

// chosen() computes each root unconditionally, and then selects the root or a zero.
func (k Roots[T]) chosen(i int, out []T) {
	a, b := k.A[i], k.B[i]
	negative := T(math.Copysign(0, -1))
	root := T(math.Sqrt(float64(a)))
	or := func(zero T, instead bool) T {
		if instead {
			return zero
		}
		return root
	}
	out[0] = or(0, a < 0)
	out[1] = or(0, a <= 0)
	out[2] = or(0, !(a >= 0))
	out[3] = or(0, !(a > 0))
	out[4] = or(0, 0 > a)
	out[5] = or(0, 0 >= a)
	out[6] = or(negative, a < 0)
	out[7] = or(0, a < negative)
	out[8] = or(negative, negative > a)
	out[9] = or(0, a == 0)
	out[10] = or(0, a < 0 || b < 0)
	out[11] = -or(0, a < 0)
	out[12] = 1 / or(0, a < 0)
	out[13] = or(T(i-i), a < T(i-i))
}

// magnitudes() computes absolute values of roots, and of other numbers that cannot be less than
// zero but may be -0.
func (k Roots[T]) magnitudes(i int, out []T) {
	a, b := k.A[i], k.B[i]
	negative := T(math.Copysign(0, -1))
	root := func(x T) T { return T(math.Sqrt(float64(x))) }
	abs := func(x T) T { return T(math.Abs(float64(x))) }
	out[0] = abs(root(a))
	out[1] = abs(root(a) + root(b))
	out[2] = abs(root(a) * 2)
	out[3] = 1 / abs(root(a))
	out[4] = abs(T(math.Floor(float64(root(a)))))
	out[5] = abs(root(a) * root(b))
	s := a * a
	if b > 0 {
		s = negative
	}
	out[6] = abs(s)
	s = root(a)
	if b > 0 {
		s = 1
	}
	out[7] = abs(s)
	out[8] = abs(-root(a) * -root(b))
	out[9] = abs(root(a) / 2)
	out[10] = abs(root(a) - negative*b*b)
	out[11] = abs(-(-root(a) - root(b)))
}

// ExactRoots computes the same as Roots, but rounds every operation.
type ExactRoots[T ~float32 | ~float64] struct{ Roots[T] }

// Properties requires the same bits on every device.
func (ExactRoots[T]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// FastRoots computes the same as Roots, but the device may contract and reassociate. Tests use only operands for
// which contraction and reassociation do not change the results.
type FastRoots[T ~float32 | ~float64] struct{ Roots[T] }

// Properties allows the device to contract and reassociate.
func (FastRoots[T]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatFast)}
}

// Instances of the kernels for float32 and float64.
type (
	RootsFloat32      = Roots[float32]
	RootsFloat64      = Roots[float64]
	ExactRootsFloat32 = ExactRoots[float32]
	ExactRootsFloat64 = ExactRoots[float64]
	FastRootsFloat32  = FastRoots[float32]
	FastRootsFloat64  = FastRoots[float64]
)
