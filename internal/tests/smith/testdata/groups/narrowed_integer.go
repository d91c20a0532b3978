// seed 8903105, global [6 4], local [3 2]

package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0K struct{ shape.GroupArgs }

func (P0K) Properties() properties.List {
	return properties.List{}
}

func (k P0K) Kernel(it dsl.NDItem2) {
	gid, lid := it.GroupLinearID(), it.LocalLinearID()
	id := gid*it.Group().LocalRange() + lid
	out := k.Out[id*16:][:16]
	if float64(int16(lid)) > float64(k.Reals[id*4])*3 {
		out[0] = 1
	}
	it.Group().Barrier()
	if k.Recs[2*id].F {
		return
	}
	out[13] = shape.Mix(out[13], shape.Bits32(float32(float64(int16(lid)))/-0.001))
}
