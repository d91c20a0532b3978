// seed 10, global [24], local [8]

// A store of what its place has already was left out of the host form, and with it the only use of
// the index that chooses the place: gc refused the form.

package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

type P0K struct{ shape.GroupArgs }

func (k P0K) Kernel(it dsl.NDItem1) {
	gid, lid := it.GroupLinearID(), it.LocalLinearID()
	id := gid*8 + lid
	recs := k.Recs[id*2 : 2*id+2]
	recs[uint(id)%2].G.X = max(recs[0].G.Y-recs[0].G.Y, recs[uint(id)%2].G.X)
	k.Out[id*16+15] = uint64(dsl.ReduceOverGroup(it.Group(), recs[1].G.X, dsl.Minimum))
}
