package dsl_test

import (
	"math"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
)

// testAtomics runs each function on many goroutines; the race detector looks on.
func testAtomics[T dsl.AtomicNumber](t *testing.T) {
	t.Helper()
	const n = 1000
	var sum, least, most T
	least = 50
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range n {
				if dsl.AtomicAdd(&sum, 1) < 1 {
					t.Error("the new value does not count what was added")
				}
				dsl.AtomicMin(&least, T(7+(i+g)%100))
				dsl.AtomicMax(&most, T((i+g)%100))
				dsl.AtomicFence(dsl.MemoryScopeDevice)
			}
		})
	}
	wg.Wait()
	if sum != 4*n || least != 7 || most != 99 {
		t.Errorf("%T: sum %v, least %v, most %v", sum, sum, least, most)
	}
}

func TestAtomics(t *testing.T) {
	testAtomics[int32](t)
	testAtomics[uint32](t)
	testAtomics[int64](t)
	testAtomics[uint64](t)
	testAtomics[int](t)
	testAtomics[float32](t)
	testAtomics[float64](t)
}

// TestRelaxed has goroutines take tickets and post them.
func TestRelaxed(t *testing.T) {
	testRelaxed[int32](t)
	testRelaxed[uint64](t)
	testRelaxed[int](t)
}

func testRelaxed[T dsl.AtomicInteger](t *testing.T) {
	var next T
	posts := make([]T, 400)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range len(posts) / 4 {
				n := dsl.AtomicAddRelaxed(&next, 1)
				dsl.AtomicStoreRelaxed(&posts[n-1], n)
			}
		})
	}
	wg.Wait()
	for i := range posts {
		if got := dsl.AtomicLoadRelaxed(&posts[i]); got != T(i+1) {
			t.Errorf("%T: post %d is %d", got, i, got)
		}
	}
}

// TestAtomicHalves adds on many goroutines to numbers that share a word.
func TestAtomicHalves(t *testing.T) {
	testAtomicHalves[half.Float16](t)
	testAtomicHalves[half.BFloat16](t)
	testAtomicHalves[half.Float8E4M3](t)
	testAtomicHalves[half.Float8E5M2](t)
}

func testAtomicHalves[T interface {
	half.Float[T]
	dsl.AtomicValue
}](t *testing.T) {
	var cells [9]T
	var wg sync.WaitGroup
	one := half.FromFloat32[T](1)
	for range 8 {
		wg.Go(func() {
			for i := range cells {
				if dsl.AtomicAdd(&cells[i], one).Less(one) {
					t.Error("the new value does not count the addition")
				}
			}
		})
	}
	wg.Wait()
	for i, x := range cells {
		if x.Float32() != 8 || dsl.AtomicMin(&cells[i], one) != one || dsl.AtomicMax(&cells[i], x) != x {
			t.Errorf("%T: cell %d has %v of 8 additions", x, i, x)
		}
	}
}

func TestAtomicFloats(t *testing.T) {
	nan, zero := math.NaN(), 0.0
	if x := dsl.AtomicMin(&nan, 1); x == x {
		t.Error("the least of NaN and 1 is", x)
	}
	if x := dsl.AtomicMin(&zero, math.Copysign(0, -1)); !math.Signbit(x) || !math.Signbit(zero) {
		t.Error("the least of 0 and -0 is 0")
	}
	if x := dsl.AtomicMax(&zero, 0); math.Signbit(x) {
		t.Error("the greatest of 0 and -0 is -0")
	}
}
