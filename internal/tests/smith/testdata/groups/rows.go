// seed 2, global [4 4], local [2 4]

// lavapipe cuts each row of a work-group into sub-groups.

package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

type P0K struct{ shape.GroupArgs }

func (k P0K) Kernel(it dsl.NDItem2) {
	gid, lid := it.GroupLinearID(), it.LocalLinearID()
	id := gid*it.Group().LocalRange() + lid
	out := k.Out[id*16:][:16]
	out[0] = uint64(dsl.ReduceOverGroup(it.Group(), id, dsl.Multiplies))
	out[1] = uint64(dsl.ReduceOverGroup(it.Group(), id, dsl.Plus))
	out[2] = uint64(dsl.ReduceOverGroup(it.Group(), int32(id), dsl.Plus))
	out[3] = uint64(dsl.ReduceOverGroup(it.Group(), int32(id), dsl.Multiplies))
}
