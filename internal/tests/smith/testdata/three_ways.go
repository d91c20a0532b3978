// NVIDIA's compiler fails over a number that is -1, 0 or 1 by two comparisons.
package kernels

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

type P0K struct{ shape.Args }

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out := k.Out[id*16 : id*16+16]
	bytes := k.Bytes[id*8:][:8]
	out[1] = uint64(cmp.Compare(int(out[0]), int(k.In[id*16])))
	out[2] = uint64(slices.Compare(bytes[:4], bytes[4:])) % 3
	out[3] = uint64(cmp.Compare(k.Reals[id*4], k.Reals[id*4+1])+1) % 3
}
