// A loop that some work-items leave by its condition and others by a fault.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0K struct{ shape.Args }

func (P0K) Properties() properties.List { return properties.List{} }

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out, recs := k.Out[id*16:id*16+16], k.Recs[id*2:2*id+2:len(k.Recs)]
	for i := 0; recs[1].C<<uint(23+id) >= 0; i++ {
		recs[i].F = true
	}
	out[15] = uint64(id) + 1
	for i := 0; int64(k.In[id*16]) >= int64(i&1); i++ {
		recs[i].A++
	}
	out[14] = uint64(id) + 1
}
