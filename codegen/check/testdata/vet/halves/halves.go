// Package halves has code of the host that takes numbers of package half for integers.
package halves

import (
	"slices"

	"github.com/kgen-go/kgen/dsl/half"
)

var table = []half.Float16{0, 1} // want KG209 `the constant 1`

var good = []half.Float16{half.FromFloat32[half.Float16](1), half.FromBits[half.Float16](0x3c00)}

// Sum is of integers.
func Sum(xs []half.Float16) float32 {
	sum := table[0]
	for _, x := range xs {
		sum += x // want KG209 `operator \+`
	}
	func() {
		slices.Sort(xs) // want KG209 `slices.Sort`
	}()
	if slices.Index(xs, sum) < 0 {
		sum = sum.Add(good[0])
	}
	return float32(sum) // want KG209 `conversion`
}

// Add is of numbers.
func Add[T half.Float[T]](x, y T) T { return x.Add(y) }
