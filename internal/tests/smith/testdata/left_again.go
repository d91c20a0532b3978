// A search from one state to the next, which returns what it makes of the state where it
// ends: work-items leave the loop in different rounds, in two ways.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

func P0f(s uint32) int16 {
	for n := 24; s%7 == 2; n-- {
		s = s * 1664525
		if s == 1 {
			return int16(s)
		}
	}
	return int16(s)
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
