// What a search finds is computed from a state that goes on before the work-item leaves.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

func P0f(s uint32) uint32 {
	for {
		x := s >> 8
		s = s*1664525 + 1013904223
		if s&3 == 0 {
			return x
		}
	}
}

type P0K struct{ shape.Args }

func (P0K) Properties() properties.List { return properties.List{} }

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	in, out := k.In[id*16:][:16], k.Out[id*16:][:16]
	for i := range out {
		out[i] = uint64(P0f(uint32(in[i])))
	}
}
