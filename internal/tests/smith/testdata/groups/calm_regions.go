// seed 8, global [24], local [8]

// Regions that do not read their work-item: the host form declared its number for nothing, and did
// not compile.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0K struct{ shape.GroupArgs }

func (P0K) Properties() properties.List { return nil }

func (k P0K) Kernel(it dsl.NDItem1) {
	it.Barrier()
	n := 0
	for i := 0; i < int(k.N&3)+2; i++ {
		it.Barrier()
		n += i + 1
	}
	all := dsl.ReduceOverGroup(it.Group(), 1, dsl.Plus[int])
	if k.N > 3 {
		it.Barrier()
		all++
	}
	if id := it.GlobalID(); id*16 < len(k.Out) {
		k.Out[id*16] = uint64(n*100 + all)
	}
	it.Barrier()
}
