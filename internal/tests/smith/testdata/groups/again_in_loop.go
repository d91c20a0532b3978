// seed 158, global [4 8], local [4 4]

// In the host form, what is cheap to compute was not, where a work-item comes out of
// a loop with a cut whose next round would have computed it.

package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

type P7K struct{ shape.GroupArgs }

func (k P7K) Kernel(it dsl.NDItem2) {
	gid, lid := it.GroupLinearID(), it.LocalLinearID()
	id := gid*16 + lid
	out, recs := k.Out[id*16:id*16+16], k.Recs[id*2:2*id+2]
	for i := range 3 {
		v := dsl.PermuteGroupByXor(it.SubGroup(), int32(lid), 3)
		_ = v
		if recs[uint(i)%2].F {
			return
		}
	}
	v := dsl.ShiftGroupRight(it.SubGroup(), -recs[0].D, 2)
	if lid&3 >= 2 {
		out[1] = shape.Bits32(v)
	}
	out[0] = shape.Bits32(-recs[0].D)
	out[15] = 9
}
