// A value that is loaded in a loop which work-items leave at different times, and
// used behind it.
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
	i, x := 0, uint32(0)
	for {
		x = recs[i&1].G.X + uint32(i)
		i++
		if x&3 == 0 || i > 50 {
			break
		}
	}
	out[15] = uint64(x)
	i = 0
	for range int(k.In[0]>>60) + 3 {
		for {
			x = recs[i&1].G.X + uint32(i)
			i++
			if x&3 == 0 || i > 50 {
				break
			}
		}
		if x&4 == 0 {
			break
		}
	}
	out[14] = uint64(x)
}
