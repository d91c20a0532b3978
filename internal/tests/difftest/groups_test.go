package difftest

import (
	"context"
	"fmt"
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	"github.com/kgen-go/kgen/internal/tests/difftest/groups"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/groups/groupsgen"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	for _, n := range []int{1, 5} {
		addND(fmt.Sprintf("Zeros/%d", n), gen.RunZeros, func() (groups.Zeros, runtime.NDRange1) {
			return groups.Zeros{N: n, In: mixedInts(640), Out: out32(640)}, nd1(640, 64)
		})
	}
	for _, local := range []int{1, 8, 24, 64} {
		for _, n := range []int{192, 190, 100, 3} {
			addND(fmt.Sprintf("Stated/%d", local), gen.RunStated, func() (groups.Stated, runtime.NDRange1) {
				k := groups.Stated{N: n, X: mixedInts(192), Y: out32(192), F: make([]float32, 192)}
				for i := range k.F {
					k.F[i] = []float32{3.5, 1.5, 0, 2.5, 7}[i%5]
				}
				return k, nd1(192, local)
			})
			addND(fmt.Sprintf("Alone/%d", local), gen.RunAlone, func() (groups.Alone, runtime.NDRange1) {
				k := groups.Alone{N: n, X: mixedInts(192), F: mixedFloats[float32](192), Out: out32(192 * 6), G: make([]float32, 192*5)}
				return k, nd1(192, local)
			})
			addND(fmt.Sprintf("Ballots/%d", local), gen.RunBallots, func() (groups.Ballots, runtime.NDRange1) {
				return groups.Ballots{N: n, X: mixedInts(192), Out: make([]uint32, 192*4)}, nd1(192, local)
			})
		}
	}
	swaps()
	for _, local := range []int{1, 7, 8, 9, 10, 12, 15, 20, 33, 60, 64, 100, 127} {
		for _, first := range []int32{2, 9} {
			addND(fmt.Sprintf("Choices/%d", local), gen.RunChoices, func() (groups.Choices, runtime.NDRange1) {
				k := groups.Choices{N: 3 * local, In: make([]int32, 3*local), Out: out32(3 * local)}
				for i := range k.In {
					k.In[i] = int32(i*7%31) + first
				}
				return k, nd1(3*local, local)
			})
		}
	}
	for _, local := range []runtime.Range2{{8, 3}, {3, 8}, {1, 8}, {8, 1}, {16, 5}, {5, 24}, {2, 12}, {4, 7}} {
		rows(local)
	}
	inTurns([]int{1, 8, 24, 64, 100},
		of(whole, "Int32", gen.RunWholeInt32),
		of(whole, "Int8", gen.RunWholeInt8),
		of(whole, "Int16", gen.RunWholeInt16),
		of(whole, "Uint32", gen.RunWholeUint32),
		of(whole, "Int64", gen.RunWholeInt64),
		of(whole, "Uint64", gen.RunWholeUint64),
		of(floatsOfGroups, "32", gen.RunWholeFloat32),
		of(floatsOfGroups, "64", gen.RunWholeFloat64))
}

func init() {
	lanes(func(l groups.Lanes) groups.OwnLoops { return groups.OwnLoops{Lanes: l} }, gen.RunOwnLoops)
	lanes(func(l groups.Lanes) groups.OwnChecks { return groups.OwnChecks{Lanes: l} }, gen.RunOwnChecks)
	lanes(func(l groups.Lanes) groups.Steps { return groups.Steps{Lanes: l} }, gen.RunSteps)
	lanes(func(l groups.Lanes) groups.OneWayOut { return groups.OneWayOut{Lanes: l} }, gen.RunOneWayOut)
	lanes(func(l groups.Lanes) groups.Replaced { return groups.Replaced{Lanes: l} }, gen.RunReplaced)
	lanes(func(l groups.Lanes) groups.Search { return groups.Search{Lanes: l} }, gen.RunSearch)
	lanes(func(l groups.Lanes) groups.Votes { return groups.Votes{Lanes: l} }, gen.RunVotes)
	lanes(func(l groups.Lanes) groups.Bisections { return groups.Bisections{Lanes: l} }, gen.RunBisections)
}

// lanes adds cases of a kernel that work-items leave at different places: none, some,
// whole groups, all.
func lanes[K any](kernel func(groups.Lanes) K, run runnerND[K]) {
	for _, local := range []int{1, 8, 24} {
		for _, n := range []int{2, 3, 5, 9, -1} {
			for _, m := range []int{0, 3, 5} {
				addND(fmt.Sprintf("%T/%d", *new(K), local), run, func() (K, runtime.NDRange1) {
					l := groups.Lanes{N: n, M: m, T: []int32{4, 0, 2, 6, 1, 3}, X: mixedInts(192), Y: out32(192)}
					for i := range 48 {
						l.X[i+48] = 51
						l.X[i+96] = 3
					}
					// Which of several faults is told is not the same everywhere.
					for i := range l.X {
						if (m == 0 || n < 0 || n > 5) && i != 30 {
							l.X[i] = 3
						}
					}
					return kernel(l), nd1(192, local)
				})
			}
		}
	}
}

// whole adds cases in which all work-items stay, some leave, and one divides by zero.
func whole[T corpus.Integer](name string, run runnerND[groups.Whole[T]], local int) {
	n := local * 4
	for _, left := range []int{0, local + local/2} {
		for _, bad := range []int{-1, local / 3, 2*local + local/2} {
			if left > 0 && bad >= 0 {
				continue
			}
			addND(fmt.Sprintf("Whole%s/%d", name, local), run, func() (groups.Whole[T], runtime.NDRange1) {
				_, in := intPairs[T](n)
				k := groups.Whole[T]{N: n - left, In: in[len(in)-n:], Out: make([]T, n*groups.WholeResults)}
				if bad >= 0 {
					k.In[bad] = 0
				}
				return k, nd1(n, local)
			})
		}
	}
}

func floatsOfGroups[T ~float32 | ~float64](name string, run runnerND[groups.WholeFloats[T]], local int) {
	n := local * 4
	for _, left := range []int{0, local + local/2} {
		addND(fmt.Sprintf("WholeFloat%s/%d", name, local), run, func() (groups.WholeFloats[T], runtime.NDRange1) {
			k := groups.WholeFloats[T]{N: n - left, In: mixedFloats[T](n), Out: make([]T, n*groups.WholeResults)}
			k.In[local+local/2] = T(math.NaN())
			k.In[2*local] = T(math.Copysign(0, -1))
			return k, nd1(n, local)
		})
	}
}

// rows adds cases of work-groups of that size.
func rows(local runtime.Range2) {
	n := local[0] * local[1]
	r := runtime.NDRange2{Global: runtime.Range2{2 * local[0], 2 * local[1]}, Local: local}
	in := make([]int32, 4*n)
	for i := range in {
		in[i] = int32(i * 7 % 31)
	}
	for _, choice := range []int32{0, 2, 9} {
		add(fmt.Sprintf("Rows/%dx%d", local[0], local[1]), func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := groups.Rows{Choice: []int32{choice, choice + 1, choice, 5}, In: in, Out: out32(4 * n)}
			return k, launch(ctx, dev, gen.RunRows, k, r)
		})
	}
	add(fmt.Sprintf("UniformRows/%dx%d", local[0], local[1]), func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := groups.UniformRows{In: in, Out: out32(4 * n)}
		return k, launch(ctx, dev, gen.RunUniformRows, k, r)
	})
}

// swaps adds cases of double buffers. Drivers compile a pipeline for each size of work-groups.
func swaps() {
	const local = 8
	of := func(rounds, n, b int) groups.Swaps {
		return groups.Swaps{Rounds: rounds, In: mixedInts(n), Out: out32(n * groups.SwapResults), A: accessors[local], B: accessors[b]}
	}
	for _, rounds := range []int{0, 1, 5} {
		addND("Swaps", gen.RunSwaps, func() (groups.Swaps, runtime.NDRange1) { return of(rounds, 32, local), nd1(32, local) })
		addND("SwapUses", gen.RunSwapUses, func() (groups.SwapUses, runtime.NDRange1) {
			return groups.SwapUses{Swaps: of(rounds, 32, local)}, nd1(32, local)
		})
		// The last work-item's index is out of range once the buffers are swapped.
		addND("Swaps/short", gen.RunSwaps, func() (groups.Swaps, runtime.NDRange1) { return of(rounds, local, local-1), nd1(local, local) })
	}
}

// accessors are the same in all runs of a case.
var accessors = map[int]dsl.LocalAccessor[int32]{7: dsl.LocalLen[int32](7), 8: dsl.LocalLen[int32](8)}
