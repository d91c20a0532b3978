package ops

import (
	"github.com/kgen-go/kgen/dsl/half"
	pick "github.com/kgen-go/kgen/prim/pick/kernels"
	"github.com/kgen-go/kgen/prim/reduce/kernels"
	scan "github.com/kgen-go/kgen/prim/scan/kernels"
)

// The kernels below have types for which the packages of prim have no modules.

// Add adds up numbers of a Go integer type.
type Add[T int8 | uint16] struct{}

// Map returns x.
func (Add[T]) Map(x T) T { return x }

// Combine returns the sum, which may wrap around.
func (Add[T]) Combine(x, y T) T { return x + y }

// Identity returns 0.
func (Add[T]) Identity() T { return 0 }

// ByteSums is the kernel for prefix sums of bytes.
type ByteSums = scan.By[int8, int8, Add[int8]]

// ShortSums is the kernel for prefix sums of 16-bit numbers.
type ShortSums = scan.By[uint16, uint16, Add[uint16]]

// Widen adds up Float16s as float32s.
type Widen struct{}

// Map returns x as a float32.
func (Widen) Map(x half.Float16) float32 { return x.Float32() }

// Combine returns the sum.
func (Widen) Combine(x, y float32) float32 { return x + y }

// Identity returns 0.
func (Widen) Identity() float32 { return 0 }

// HalfSum is the kernel for the sum of Float16s.
type HalfSum = kernels.Reduce[half.Float16, float32, Widen]

// Products adds up products of Float16s.
type Products struct{ Widen }

// Map returns the exact product of a pair.
func (Products) Map(x [2]half.Float16) float32 { return x[0].Float32() * x[1].Float32() }

// HalfDot is the kernel for the scalar product of pairs of Float16s.
type HalfDot = kernels.Reduce[[2]half.Float16, float32, Products]

// AddHalves adds up Float16s, and rounds each sum to a Float16.
type AddHalves struct{}

// Map returns x.
func (AddHalves) Map(x half.Float16) half.Float16 { return x }

// Combine returns the sum.
func (AddHalves) Combine(x, y half.Float16) half.Float16 { return x.Add(y) }

// Identity returns 0.
func (AddHalves) Identity() half.Float16 { return 0 }

// HalfSums is the kernel for prefix sums of Float16s.
type HalfSums = scan.By[half.Float16, half.Float16, AddHalves]

// Keyed is a value with its key.
type Keyed struct {
	Key   uint16
	Value int8
}

// Run describes consecutive elements. Sum is the sum of the values in the last run of equal keys.
// Equal is true if all keys are equal.
type Run struct {
	First, Last uint16
	Sum         int8
	Equal, Some bool
}

// Restart adds up values, and begins a new sum at each run of equal keys.
type Restart struct{}

// Map returns a Run that consists of the single value x.
func (Restart) Map(x Keyed) Run { return Run{x.Key, x.Key, x.Value, true, true} }

// Combine returns the Run that describes the elements of x, followed by the elements of y.
func (Restart) Combine(x, y Run) Run {
	if !x.Some {
		return y
	}
	if !y.Some {
		return x
	}
	same := x.Last == y.First
	if y.Equal && same {
		y.Sum += x.Sum
	}
	y.First, y.Equal = x.First, x.Equal && y.Equal && same
	return y
}

// Identity returns the empty Run.
func (Restart) Identity() Run { return Run{} }

// KeyedSums is the kernel for prefix sums that restart at each run of equal keys.
type KeyedSums = scan.By[Keyed, Run, Restart]

// Steps computes Float16s from integers.
type Steps struct{ First, Step float32 }

// Map returns the Float16 nearest to First + i*Step.
func (s Steps) Map(i int32) half.Float16 {
	return half.FromFloat32[half.Float16](s.First + float32(i)*s.Step)
}

// Combine returns y, so that each result depends only on its own element.
func (Steps) Combine(_, y half.Float16) half.Float16 { return y }

// Identity returns 0.
func (Steps) Identity() half.Float16 { return 0 }

// HalfSteps is the kernel that computes Float16s in equal steps.
type HalfSteps = scan.By[int32, half.Float16, Steps]

// Warmer picks Float16s above a limit.
type Warmer struct{ Than half.Float16 }

// Test reports whether x is above the limit.
func (w Warmer) Test(x half.Float16) bool { return w.Than.Less(x) }

// Warm is the kernel that picks numbers by Warmer.
type Warm = pick.Where[half.Float16, Warmer]
