package difftest

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/difftest/groups"
	gen "github.com/kgen-go/kgen/internal/difftest/groups/groupsgen"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
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
}
