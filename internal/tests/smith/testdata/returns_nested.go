// Returns out of two loops, of which drivers unroll the inner one.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0K struct{ shape.Args }

func (P0K) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out, recs := k.Out[id*16:id*16+16], k.Recs[id*2:2*id+2]
	_ = recs
	for range int(k.In[0]>>60) + 3 {
		for range 3 {
			if recs[1].F {
				return
			}
		}
	}
	out[15] = 7
}
