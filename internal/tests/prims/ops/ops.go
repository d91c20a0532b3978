// Package ops contains operations for tests and examples. Users of package prim write operations in the same way.
//
//kgen:bare views
package ops

import (
	pick "github.com/kgen-go/kgen/prim/pick/kernels"
	"github.com/kgen-go/kgen/prim/reduce/kernels"
	scan "github.com/kgen-go/kgen/prim/scan/kernels"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Square adds up the squares of differences from a number.
type Square struct{ From float32 }

// Map returns the square of the difference between x and From.
func (s Square) Map(x float32) float32 { return (x - s.From) * (x - s.From) }

// Combine returns the sum.
func (Square) Combine(x, y float32) float32 { return x + y }

// Identity returns 0.
func (Square) Identity() float32 { return 0 }

// SumSquares is the reduction kernel of Square.
type SumSquares = kernels.Reduce[float32, float32, Square]

// Affine is the function that maps x to A*x + B.
type Affine struct{ A, B uint32 }

// Compose combines functions into one function that calls them in order. The order affects the result.
type Compose struct{}

// Map returns the affine function that belongs to the number x.
func (Compose) Map(x uint32) Affine { return Affine{2*x + 1, x} }

// Combine returns the composition that applies f, and then g.
func (Compose) Combine(f, g Affine) Affine { return Affine{g.A * f.A, g.A*f.B + g.B} }

// Identity returns the identity function.
func (Compose) Identity() Affine { return Affine{A: 1} }

// Composition is the reduction kernel of Compose.
type Composition = kernels.Reduce[uint32, Affine, Compose]

// Compositions is the scan kernel of Compose.
type Compositions = scan.By[uint32, Affine, Compose]

// Distances is the scan kernel of Square.
type Distances = scan.By[float32, float32, Square]

// Greater picks numbers above a limit.
type Greater struct{ Than float32 }

// Test reports whether x is above the limit.
func (g Greater) Test(x float32) bool { return x > g.Than }

// Above is the kernel that picks numbers by Greater.
type Above = pick.Where[float32, Greater]

// Split is the kernel that moves the numbers picked by Greater before the other numbers.
type Split = pick.Partition[float32, Greater]
