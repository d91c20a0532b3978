package difftest

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/tests/difftest/groups"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/groups/groupsgen"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	groupArrays(func(a groups.Arrays) groups.Fields { return groups.Fields{Arrays: a} }, gen.RunFields)
	groupArrays(func(a groups.Arrays) groups.Tables { return groups.Tables{Arrays: a} }, gen.RunTables)
	groupArrays(func(a groups.Arrays) groups.Literals { return groups.Literals{Arrays: a} }, gen.RunLiterals)
	groupArrays(func(a groups.Arrays) groups.Filled { return groups.Filled{Arrays: a} }, gen.RunFilled)
	groupArrays(func(a groups.Arrays) groups.Summed {
		return groups.Summed{Arrays: a, Wide: []int64{5, -3, 1 << 40, 7, 9, 2, 8}}
	}, gen.RunSummed)
}

// groupArrays adds cases of a kernel with barriers in loops over arrays: all work-items stay,
// some leave, and all of some groups.
func groupArrays[K any](kernel func(groups.Arrays) K, run runnerND[K]) {
	for _, local := range []int{1, 8, 24} {
		if _, ok := any(*new(K)).(groups.Summed); ok && local != 24 {
			continue // its size is 24
		}
		for m, n := range []int{192, 100, 3} {
			addND(fmt.Sprintf("%T/%d", *new(K), local), run, func() (K, runtime.NDRange1) {
				a := groups.Arrays{N: n, M: m, Sizes: [3]int{2, 0, 1 + m}, X: mixedInts(192), Y: out32(192)}
				a.V = groups.Matrix{Shape: [2]int{2, 3 - m}, Stride: [2]int{1, 1}}
				for i := range 48 {
					a.X[i+48], a.X[i+96] = 27, 3
				}
				if m == 0 { // none leaves in a loop // none leaves
					for i := range a.X {
						a.X[i] = 27*7*11*5*int32(i+1) + 17
					}
				}
				return kernel(a), nd1(192, local)
			})
		}
	}
}
