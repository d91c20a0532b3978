package difftest

import (
	"context"
	"math"
	"slices"

	"github.com/kgen-go/kgen/internal/tests/difftest/golang"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/golang/golanggen"
	"github.com/kgen-go/kgen/runtime"
)

// patterns are sequences that lead sorts through all of their code: n elements of
// each, one sequence for each work-item.
func patterns(n int) [][]int {
	shuffled := func(mod int) func(i int) int {
		r := rng()
		return func(int) int { return r.IntN(mod) }
	}
	killer := antiquicksort(n)
	var all [][]int
	for _, f := range []func(i int) int{
		func(i int) int { return i },
		func(i int) int { return -i },
		func(int) int { return 7 },
		func(i int) int { return i % 9 },
		func(i int) int { return min(i, n-i) },
		func(i int) int { return i ^ 1 },
		func(i int) int { return i / 8 * 8 * (i%3 - 1) },
		func(i int) int { return -i / 20 },
		func(i int) int { return i*37%101 - 20 },
		func(i int) int { return killer[i] },
		func(i int) int { return (i + n - 3) % n },
		shuffled(3), shuffled(20), shuffled(1 << 20),
	} {
		all = append(all, seq(n, f))
	}
	return all
}

// antiquicksort returns keys for which slices.SortFunc chooses bad pivots, until it
// turns to heapsort (McIlroy, "A Killer Adversary for Quicksort", 1999).
func antiquicksort(n int) []int {
	gas, solid, candidate := n, 0, 0
	val := seq(n, func(int) int { return gas })
	freeze := func(i int) { val[i], solid = solid, solid+1 }
	slices.SortFunc(seq(n, func(i int) int { return i }), func(x, y int) int {
		if val[x] == gas && val[y] == gas {
			if x == candidate {
				freeze(x)
			} else {
				freeze(y)
			}
		}
		if val[x] == gas {
			candidate = x
		} else if val[y] == gas {
			candidate = y
		}
		return val[x] - val[y]
	})
	return val
}

// loose turns a number into a float that compares as equal with others.
func loose(v, i int) float64 {
	switch {
	case v%5 == 3:
		return math.Copysign(0, float64(i%2)-0.5)
	case v%11 == 5:
		return math.NaN()
	}
	return float64(v) / 8
}

func init() {
	for _, n := range []int{0, 1, 12, 13, 49, 50, 51, 200} {
		ps := patterns(n)
		add1("SortFloats", gen.RunFloats, len(ps), func() golang.Floats {
			k := golang.Floats{N: n}
			for _, p := range ps {
				for i, v := range p {
					k.Buf = append(k.Buf, loose(v, i))
				}
			}
			return k
		})
		add1("SortUnstable", gen.RunUnstable, len(ps), func() golang.Unstable {
			k := golang.Unstable{N: n, Count: out32(len(ps))}
			for _, p := range ps {
				for i, v := range p {
					k.Buf = append(k.Buf, golang.Entry{Key: uint8(v), At: int32(i), W: float32(v)})
				}
			}
			return k
		})
		add1("SortInconsistent", gen.RunInconsistent, len(ps), func() golang.Inconsistent {
			k := golang.Inconsistent{N: n}
			for _, p := range ps {
				for i, v := range p {
					k.Buf = append(k.Buf, float32(loose(v, i)))
				}
			}
			return k
		})
	}
	var entries []golang.Entry
	for _, p := range patterns(40) {
		for i, v := range p {
			entries = append(entries, golang.Entry{Key: uint8(v), At: int32(i), W: float32(loose(v, i))})
		}
	}
	add1("SortInterfaces", gen.RunInterfaces, 14, func() golang.Interfaces {
		return golang.Interfaces{Buf: slices.Clone(entries), Out: make([]int, 14)}
	})
	add1("SortInterfacesStable", gen.RunStableInterfaces, 14, func() golang.StableInterfaces {
		return golang.StableInterfaces{Buf: slices.Clone(entries)}
	})
	add("SortShared", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := golang.Shared{}
		for _, p := range patterns(32) {
			for i, v := range p {
				k.Buf = append(k.Buf, float32(loose(v, i)))
			}
		}
		n := runtime.Range1(len(k.Buf))
		return k, launch(ctx, dev, gen.RunShared, k, runtime.NDRange1{Global: n, Local: 32})
	})
}
