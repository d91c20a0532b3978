// seed 8662326, global [16], local [8]

// The host form computed what two ballots of a loop need in the first one alone.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0K struct{ shape.GroupArgs }

func (P0K) Properties() properties.List { return nil }

func (k P0K) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	out, recs := k.Out[id*16:id*16+16], k.Recs[id*2:2*id+2:len(k.Recs)]
	h := uint64(id)
L5:
	for i := 0; true; i++ {
		lane := it.SubGroup().LocalID() &^ 3
		m := dsl.GroupBallot(it.SubGroup(), recs[0].F)
		_ = m[lane/32] >> (lane % 32) & 15
		n := dsl.GroupBallot(it.SubGroup(), true)
		v := n[lane/32] >> (lane % 32) & 15
		if (k.N ^ k.N) > (k.N + k.N) {
			return
		}
		if recs[0].A > 0 || [4]uint64{out[v%16], 2} == [4]uint64{h, h, h} {
			return
		} else {
			continue L5
		}
	}
}
