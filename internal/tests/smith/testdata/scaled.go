// NVIDIA's compiler compared fewer bits of 2*x and 4*x with constants, without the sign.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

var P0Table = [8]uint{6}

type P0K struct{ shape.Args }

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out, recs := k.Out[id*16:id*16+16], k.Recs[id*2:2*id+2]
	if x := int(k.In[id]); x+x > 3 {
		out[0] -= uint64(id) % uint64(P0Table[0])
	}
	_, m := shape.DivMod(1, 1>>uint64(id)|1)
	for i, x := range k.In[id*16 : id*16+8] {
		h := shape.B(len("kgen")*int(x) > 3)
		h = shape.Mix(h, shape.B(int32(x)*4 > 7))
		h = shape.Mix(h, uint64(recs[m%2].G.X))
		out[i+1] = h
	}
}
