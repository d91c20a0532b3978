package difftest

import (
	"context"
	"math"

	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/runtime"
)

// add1 adds a case of a kernel over n work-items.
func add1[K any](name string, run runner[K], n int, arg func() K) {
	add(name, func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := arg()
		return k, launch(ctx, dev, run, k, runtime.Range1(n))
	})
}

func mixedInts(n int) []int32 { return ints32(n, func(i int) int32 { return int32(i*37%211 - 60) }) }

func out32(n int) []int32 { return make([]int32, n) }

func vecs(n int) []corpus.Vec {
	s := make([]corpus.Vec, n)
	for i := range s {
		s[i] = corpus.Vec{X: float32(i * 29 % 17), Y: float32(i) / 4, Z: -1}
	}
	return s
}

func init() {
	pointerCases()
	typeCases()
	loopCases()
	countedCases()
}

func pointerCases() {
	add1("MaybeNil", gen.RunMaybeNil, 30, func() corpus.MaybeNil { return corpus.MaybeNil{X: mixedInts(30), Out: out32(30)} })
	add1("NilAgain", gen.RunNilAgain, 30, func() corpus.NilAgain { return corpus.NilAgain{Out: out32(30)} })
	add1("NilFault", gen.RunNilFault, 30, func() corpus.NilFault { return corpus.NilFault{At: 11, Out: out32(30)} })
	add1("Best", gen.RunBest, 30, func() corpus.Best { return corpus.Best{In: vecs(30), Out: make([]float32, 30)} })
	add1("BestLocal", gen.RunBestLocal, 30, func() corpus.BestLocal { return corpus.BestLocal{In: vecs(30), Out: make([]float32, 30)} })
	add1("Search", gen.RunSearch, 60, func() corpus.Search {
		var nodes []corpus.Node
		for _, n := range [][3]int32{{25, 1, 2}, {10, 3, 4}, {40, 5, -1}, {4, -1, -1}, {11, -1, -1}, {30, -1, 6}, {37, -1, -1}} {
			nodes = append(nodes, corpus.Node{Val: n[0], Left: n[1], Right: n[2]})
		}
		return corpus.Search{Nodes: nodes, Out: out32(60)}
	})
	add1("Pointers", gen.RunPointers, 30, func() corpus.Pointers {
		k := corpus.Pointers{Out: out32(30), Tmp: make([]corpus.Counter, 30)}
		for i := range k.Tmp {
			k.Tmp[i] = corpus.Counter{N: int32(i), Each: [3]int32{1, int32(i), 3}}
		}
		return k
	})
	add1("Fresh", gen.RunFresh, 8, func() corpus.Fresh { return corpus.Fresh{Out: out32(8)} })
	add1("FoundLast", gen.RunFoundLast, 8, func() corpus.FoundLast { return corpus.FoundLast{Out: out32(24)} })
	add1("BothKinds", gen.RunBothKinds, 30, func() corpus.BothKinds { return corpus.BothKinds{X: mixedInts(120), Out: out32(30)} })
}

func typeCases() {
	add1("Embedded", gen.RunEmbedded, 20, func() corpus.Embedded {
		k := corpus.Embedded{In: make([]corpus.Outer, 20), Out: make([]corpus.Outer, 20), Keys: out32(20), Eq: make([]bool, 80)}
		for i := range k.In {
			k.In[i].Base = corpus.Base{ID: uint16(i * 3), Flag: i%2 == 0}
			k.In[i].Vec = corpus.Vec{X: float32(i), Y: 2, Z: 3}
			k.In[i].ID = int8(-i)
			k.In[i].Tail[0] = corpus.Base{ID: 1, Flag: true}
		}
		return k
	})
	add1("Odds", gen.RunOdds, 20, func() corpus.Odds {
		k := corpus.Odds{In: make([]corpus.Odd, 20), Out: make([]corpus.Odd, 20), One: [1]int32{-5}, N: out32(20)}
		for i := range k.In {
			k.In[i].A, k.In[i].B[0], k.In[i].D[1], k.In[i].E.X = byte(i), -int64(i)<<33, i%2 == 0, -128
			k.In[i].E.Y.Z = float64(i) / 3
		}
		return k
	})
	add1("Small", gen.RunSmall, 301, func() corpus.Small {
		k := corpus.Small{A: make([]int8, 301), B: make([]uint16, 301), C: make([]bool, 301), D: make([]uint8, 301), E: make([]int16, 301), F: make([][3]int8, 301)}
		for i := range k.A {
			k.A[i], k.B[i], k.C[i], k.D[i], k.E[i] = int8(i*3), uint16(i*999), i%5 < 2, uint8(i), int16(i*321)
			k.F[i] = [3]int8{int8(i), int8(-i), 3}
		}
		return k
	})
	add1("Generics", gen.RunGenerics, 30, func() corpus.Generics { return corpus.Generics{In: mixedInts(30), Out: make([]float64, 30)} })
	add1("Complex", gen.RunComplex, len(floatEdges)*len(floatEdges), func() corpus.Complex {
		n := len(floatEdges) * len(floatEdges)
		k := corpus.Complex{Out: make([][2]float64, n*corpus.ComplexResults), Small: make([][2]float32, n), Eq: make([]bool, n)}
		for _, x := range floatEdges {
			for _, y := range floatEdges {
				k.X, k.Y = append(k.X, x), append(k.Y, y)
			}
		}
		return k
	})
	add1("LargeStructs", gen.RunLargeStructs, 9, func() corpus.LargeStructs {
		k := corpus.LargeStructs{In: make([]corpus.Wide, 9), Out: make([]corpus.Wide, 9), Eq: make([]bool, 9)}
		k.By = corpus.Wide{A3: 5, A4: 9, B0: -3, B9: 4, C5: 2.5, D1: true, J7: corpus.Base{ID: 65535, Flag: true}}
		for i := range k.In {
			if k.In[i] = k.By; i%2 == 1 {
				k.In[i].J9.Flag, k.In[i].B0, k.In[i].H9 = i%4 == 1, int8(i), int16(-i)
			}
		}
		return k
	})
	add1("Spilled", gen.RunSpilled, 20, func() corpus.Spilled {
		k := corpus.Spilled{H: 1, I: 2, J: 3, K: -400, L: [6]int16{1, -2, 3, -4, 5, -6}, M: true, N: 0.5, O: corpus.Vec{Y: 0.25}, Out: make([]float32, 20)}
		for i, s := range []*[]int32{&k.A, &k.B, &k.C, &k.D, &k.E, &k.F, &k.G} {
			*s = ints32(20+i, func(j int) int32 { return int32(i*100 + j) })
		}
		k.P.Q, k.P.R = make([]float32, 20), 200
		for i := range k.P.Q {
			k.P.Q[i] = float32(i)
		}
		return k
	})
}

func loopCases() {
	add1("ZeroDivisors", gen.RunZeroDivisors, 6, func() corpus.ZeroDivisors {
		return corpus.ZeroDivisors{X: []float32{0, 1, -1, float32(math.Inf(1)), float32(math.NaN()), 3}, Out: make([]uint32, 6)}
	})
	add1("Loops", gen.RunLoops, 50, func() corpus.Loops { return corpus.Loops{N: mixedInts(50), Out: make([]int64, 50)} })
	add1("Ranges", gen.RunRanges, 30, func() corpus.Ranges { return corpus.Ranges{In: mixedInts(40), Out: out32(30)} })
	add1("Deep", gen.RunDeep, 200, func() corpus.Deep { return corpus.Deep{In: mixedInts(200), Out: out32(200)} })
	add1("Bounds", gen.RunBounds, 100, func() corpus.Bounds {
		k := corpus.Bounds{Sorted: make([]int32, 77), Limit: []int64{70}, Needles: mixedInts(192), Out: make([]int64, 192)}
		for i := range k.Sorted {
			k.Sorted[i] = int32(i-30) * 1000
		}
		return k
	})
	add1("Searches", gen.RunSearches, 300, func() corpus.Searches {
		k := corpus.Searches{Seeds: make([]uint32, 300), Found: make([][corpus.Kinds]uint32, 300)}
		for i := range k.Seeds {
			k.Seeds[i] = uint32(i) * 2654435761
		}
		return k
	})
	for _, from := range []int32{0, 3, 4} { // of which the first work-item faults in two
		add1("RangeNil", gen.RunRangeNil, 1, func() corpus.RangeNil { return corpus.RangeNil{In: []int32{from}, Out: out32(1)} })
	}
	add1("Jumps", gen.RunJumps, 200, func() corpus.Jumps { return corpus.Jumps{In: mixedInts(200), Out: out32(200)} })
	add1("Results", gen.RunResults, 60, func() corpus.Results { return corpus.Results{In: mixedInts(70), Out: out32(60)} })
	add1("OnlyReturn", gen.RunOnlyReturn, 60, func() corpus.OnlyReturn { return corpus.OnlyReturn{Out: out32(60)} })
}

// countedCases has one work-item each: which of several that fault is first, is open.
func countedCases() {
	ends := [][3]int{
		{0, 12, 1}, {0, 13, 1}, {-1, 5, 1}, {3, 4, 0}, {5, 2, 3}, {0, 4, -1}, {1, 4, 3}, {0, 3, 4}, {2, 9, 1 << 40},
		{math.MaxInt32, math.MaxInt32, 1}, {math.MaxInt32 - 4, 6, 1}, {math.MinInt32, 0, 2}, {math.MinInt32 + 6, math.MinInt32 + 8, 1},
		{math.MaxInt64, math.MinInt64, 1}, {math.MaxInt64 - 2, math.MaxInt64 - 1, 0}, {math.MinInt64, math.MinInt64 + 3, 0}, {1 << 32, 1<<32 + 3, 0}, {250, 255, 246},
	}
	for how := range corpus.CountedWays {
		for _, e := range ends {
			if how == 8 && e[0] == math.MinInt32 && e[1] == 0 {
				continue // 2^31 rounds of nothing, which devices take for a hang
			}
			add1("Counted", gen.RunCounted, 1, func() corpus.Counted {
				return corpus.Counted{How: how, From: e[0], To: e[1], By: e[2], In: mixedInts(12), Out: out32(12)}
			})
		}
	}
}
