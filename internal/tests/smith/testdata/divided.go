// NVIDIA's compiler divides without signs as if numbers of few bits had none.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

type P0K struct{ shape.Args }

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out, in, rec := k.Out[id*16:id*16+16], k.In[id*16:id*16+16], k.Recs[id*2]
	d := uint32(in[1]) | 1
	out[0] = uint64(uint32(rec.E[0]) / d)
	out[1] = uint64(uint32(rec.E[0]) % d)
	out[2] = uint64(uint32(rec.E[0]) / uint32(id+1))
	out[3] = uint64(uint32(rec.A) / (shape.Pick(in[0] > 3, uint32(9), 0) | 1))
	out[4] = uint64(uint32(rec.A) % (uint32(id) + 1))
	out[5] = uint64(uint32(k.Small[0]) % d)
}
