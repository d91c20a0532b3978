package rand

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/prim/rand/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// The seeds of these tests are fixed, and so are the numbers: no test fails by chance. A statistic of numbers that
// are what they are to be would be out of bounds for few seeds of a million.

// within tests a statistic that has mean 0 and deviation 1 if the numbers are right.
func within(t *testing.T, name string, z float64) {
	t.Helper()
	if !(math.Abs(z) < 5) {
		t.Errorf("%s: %.1f deviations from the mean", name, z)
	}
}

// fair fails the test if counts of equally likely results differ too much.
func fair(t *testing.T, name string, counts []int) {
	t.Helper()
	chiSquare(t, name, counts, float64(len(counts)-1), 1)
}

// chiSquare is fair for counts with so many degrees of freedom; chi-square is multiplied by scale.
func chiSquare(t *testing.T, name string, counts []int, freedom, scale float64) {
	t.Helper()
	total, sum := 0, 0.0
	for _, n := range counts {
		total += n
	}
	each := float64(total) / float64(len(counts))
	for _, n := range counts {
		sum += (float64(n) - each) * (float64(n) - each) / each
	}
	// The cube root of chi-square is nearly normal (Wilson and Hilferty, 1931).
	within(t, name, (math.Cbrt(sum*scale/freedom)-(1-2/(9*freedom)))/math.Sqrt(2/(9*freedom)))
}

const many = 1 << 18

// numbers returns the numbers that a function makes on the host.
func numbers[T any](t *testing.T, n int, f func(ctx context.Context, dev *runtime.Device, s Stream, xs []T) error) []T {
	xs := make([]T, n)
	check(t, f(t.Context(), devtest.Host(t), Stream{Seed: 20, Sequence: 26}, xs))
	return xs
}

// moments compares a distribution's mean, variance and fourth moment, and neighbours' correlation, with their limits,
// and how many numbers are in each of 256 parts of it that are equally likely.
func moments[T Float](t *testing.T, name string, xs []T, mean, variance, fourth float64, part func(x float64) float64) {
	t.Helper()
	var sum, square, next, column float64
	counts := make([]int, 256)
	n := float64(len(xs))
	for i, v := range xs {
		d := float64(v) - mean
		sum += d
		square += d*d - variance
		next += d * (float64(xs[(i+1)%len(xs)]) - mean)
		column += d * (float64(xs[(i+256)%len(xs)]) - mean) // mostly of the same block
		counts[int(part(float64(v))*256)]++
	}
	within(t, name+", mean", sum/math.Sqrt(n*variance))
	within(t, name+", variance", square/math.Sqrt(n*(fourth-variance*variance)))
	within(t, name+", neighbours", next/(variance*math.Sqrt(n)))
	within(t, name+", columns", column/(variance*math.Sqrt(n)))
	fair(t, name, counts)
}

// TestDistributions: floats have the distributions that they are to have.
func TestDistributions(t *testing.T) {
	same := func(x float64) float64 { return x }
	moments(t, "Uniform of float32", numbers(t, many, Uniform[float32]), 0.5, 1.0/12, 1.0/80, same)
	moments(t, "Uniform of float64", numbers(t, many, Uniform[float64]), 0.5, 1.0/12, 1.0/80, same)
	below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	moments(t, "Normal of float32", numbers(t, many, Normal[float32]), 0, 1, 3, below)
	moments(t, "Normal of float64", numbers(t, many, Normal[float64]), 0, 1, 3, below)
}

// TestIntegers: integers are equally likely, also below numbers for which a remainder is not.
func TestIntegers(t *testing.T) {
	for _, n := range []uint32{3, 6, 100, 3 << 30, 1<<31 + 1} {
		xs := numbers(t, many, func(ctx context.Context, dev *runtime.Device, s Stream, xs []uint32) error {
			return IntN(ctx, dev, s, n, xs)
		})
		parts := min(n, 96)
		counts, odd := make([]int, parts), make([]int, 2)
		for _, x := range xs {
			if x >= n {
				t.Fatalf("%d is not below %d", x, n)
			}
			counts[uint64(x)*uint64(parts)/uint64(n)]++
			odd[x&1]++
		}
		if n%parts == 0 || n > 1<<20 {
			fair(t, fmt.Sprintf("below %d", n), counts)
		}
		if n%2 == 0 || n > 1<<20 {
			fair(t, fmt.Sprintf("odd ones below %d", n), odd)
		}
	}
	counts := make([]int, 64)
	for _, x := range numbers(t, many, Bits[uint64]) {
		for b := range counts {
			counts[b] += int(x >> b & 1)
		}
	}
	for b, n := range counts {
		within(t, fmt.Sprintf("bit %d", b), (float64(n)-many/2)/math.Sqrt(many/4))
	}
}

// TestOrders: all orders of few elements come equally often, elements of more are at all places equally often, and
// orders of both signs come.
func TestOrders(t *testing.T) {
	order := func(s Stream, n int) []int {
		keys, swap := keysOf(s)
		p := make([]int, n)
		for i := range p {
			p[i] = int(kernels.Place(uint64(i), uint64(n), keys, swap))
		}
		return p
	}
	for n := 2; n <= sample.Of(7, 5); n++ {
		orders := 1
		for i := range n {
			orders *= i + 1
		}
		counts := make([]int, orders)
		for i := range 40 * orders {
			rank, left := 0, make([]int, n)
			for j := range left {
				left[j] = j
			}
			for j, x := range order(Stream{Seed: uint64(n), Offset: uint64(i)}, n) {
				at := 0
				for left[at] != x {
					at++
				}
				left = append(left[:at], left[at+1:]...)
				rank = rank*(n-j) + at
			}
			counts[rank]++
		}
		fair(t, fmt.Sprintf("orders of %d", n), counts)
	}
	for _, n := range []int{8, 16, 31, 64, 100} {
		places, neighbours, signs := make([]int, n*n), make([]int, n), make([]int, 2)
		for i := range 40 * n {
			p := order(Stream{Seed: 1, Sequence: uint64(n), Offset: uint64(i)}, n)
			sign, seen := n, make([]bool, n) // n less the number of cycles
			for j, x := range p {
				places[j*n+x]++
				neighbours[(p[(j+1)%n]-x+n)%n]++
				if !seen[j] {
					sign--
				}
				for k := j; !seen[k]; k = p[k] {
					seen[k] = true
				}
			}
			signs[sign&1]++
		}
		free := float64(n - 1)
		chiSquare(t, fmt.Sprintf("places of %d", n), places, free*free, free/float64(n))
		fair(t, fmt.Sprintf("differences of %d", n), neighbours[1:])
		fair(t, fmt.Sprintf("signs of %d", n), signs)
	}
}
