// seed 7300877, global [2 3 4], local [1 3 4]

// NVIDIA's compiler loaded by another index than gid%2 where a check of the loop's state,
// which kgen now leaves out, made the control flow more tangled.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

type P0K struct{ shape.GroupArgs }

func (k P0K) Kernel(it dsl.NDItem3) {
	gid, lid := it.GroupLinearID(), it.LocalLinearID()
	id := gid*12 + lid
	out, recs := k.Out[id*16:id*16+16], k.Recs[id*2:2*id+2:len(k.Recs)]
	v := shape.F32(shape.F32(float32(float64(float32(lid)))))
L:
	for range shape.Upto(3) {
		if recs[1].F && recs[uint(gid)%2].F {
			break L
		}
		recs[0].G.Y--
	}
	out[15] = shape.Bits32(v - v)
}
