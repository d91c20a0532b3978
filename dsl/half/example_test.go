package half_test

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/dsl/math32"
)

// Package math32's functions take float32s.
func Example_math32() {
	x := half.FromFloat32[half.Float16](0.75)
	fmt.Println(half.FromFloat32[half.Float16](math32.Sin(x.Float32())), half.Exp(x))
	// Output: 0.6816 2.117
}

// Sums of many numbers keep more digits in a float32.
func ExampleDot() {
	xs := slices.Repeat([]half.BFloat16{half.FromFloat32[half.BFloat16](1)}, 1000)
	sum := half.BFloat16(0)
	for _, x := range xs {
		sum = sum.Add(x.Mul(x))
	}
	fmt.Println(half.Dot(xs, xs), sum)
	// Output: 1000 256
}
