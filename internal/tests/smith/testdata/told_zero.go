// seed 8731027

// NVIDIA's compiler saw through the index of one bit, behind a comparison that told it
// that the zero was one: recs[1] became recs[0].
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

type P0K struct{ shape.Args }

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out := k.Out[id*16 : id*16+16]
	reals, recs := k.Reals[4*id:4*(id+1)], k.Recs[id*2:2*id+2:len(k.Recs)]
	h := uint64(id)
	change := func(int64) int64 { return 0 }
	if recs[0].F {
		change = func(x int64) int64 { recs[uint(x)%2].E[0] ^= 1; return x }
	}
	if 0 <= ^id {
		change = func(int64) int64 { return int64(reals[4]) }
	}
	x := change(1)
	for i := range 2 {
		change(max(x, recs[i].C))
		h++
	}
	out[15] = h
}
