package difftest

import (
	"github.com/kgen-go/kgen/internal/tests/difftest/dispatch"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/dispatch/dispatchgen"
)

func init() {
	dispatched := func(xs []int32) dispatch.Dispatch {
		n := len(xs)
		return dispatch.Dispatch{
			In: xs, Other: ints32(n, func(i int) int32 { return int32(i*i*7+3*i)%97 - 11 }), Out: out32(16 * n),
		}
	}
	legal := func(n int) []int32 {
		var xs []int32
		for x := int32(0); len(xs) < n; x++ { // what no table is too short for
			if x&7 < 6 {
				xs = append(xs, x)
			}
		}
		return xs
	}
	add1("Dispatch", gen.RunDispatch, 150, func() dispatch.Dispatch { return dispatched(legal(150)) })
	add1("Nested", gen.RunNested, 60, func() dispatch.Nested {
		return dispatch.Nested{In: ints32(60, func(i int) int32 { return int32(i) - 5 }), Out: out32(60)}
	})
	add1("Passes", gen.RunPasses, 40, func() dispatch.Passes {
		return dispatch.Passes{
			Op: ints32(40, func(i int) int32 { return int32(i % (3 + 1/(i/4+1))) }), A: ints32(40, func(i int) int32 { return int32(i%7 - 2) }),
			B: ints32(40, func(i int) int32 { return int32(i) }), Out: out32(40),
		}
	})
	for x := range int32(80) {
		add1("Misses", gen.RunMisses, 1, func() dispatch.Misses { return dispatch.Misses{In: []int32{x}, Out: out32(1)} })
	}
	for _, x := range []int32{6, 7, -1, -2} {
		add1("DispatchFault", gen.RunDispatch, 1, func() dispatch.Dispatch { return dispatched([]int32{x}) })
	}
}
