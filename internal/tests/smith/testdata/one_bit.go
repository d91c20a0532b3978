// NVIDIA's compiler takes an index of one bit that is computed for one with a sign.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

type P0K struct{ shape.Args }

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out, recs := k.Out[id*16:id*16+16], k.Recs[id*2:2*id+2:len(k.Recs)]
	x, y := int(out[0]), int(k.In[id*16])
	out[1] = uint64(recs[uint(x%(y|1))%2].C)
	out[2] = uint64(recs[uint(x/(y|1))&1].B)
	out[3] = uint64(recs[uint(x*y+id)>>63].A)
}
