// Assignments that fault: what is on the right comes before, and so do the
// assignments to the left.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0S struct {
	A [3]int32
	B int32
}

type P0K struct{ shape.Args }

func (P0K) Properties() properties.List { return properties.List{} }

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func P0f0(out []uint64) uint64 {
	out[0] = 7
	return 8
}

func (k P0K) Run(id int) {
	out, recs, n := k.Out[id*16:id*16+16], k.Recs[id*2:2*id+2], 16+id
	var a [4]P0S
	var p *P0S
	if k.In[0] == 1<<60 {
		p = &a[1]
	}
	switch id {
	case 0:
		recs[0].F, recs[n].F = !recs[0].F, true
	case 1:
		out[n] = P0f0(out)
	case 2:
		out[1], a[n].A[1] = 5, int32(P0f0(out))
	case 3:
		recs[1].E[0], recs[n].E[n] = 9, recs[0].E[1]
	case 4:
		out[2], p.B = 5, 6
	case 5:
		recs[n] = shape.Rec{A: 1, C: int64(P0f0(out))}
	case 6:
		out[3], out[n], out[4] = P0f0(out), 1, 2
	case 7:
		q := &out[n]
		P0f0(out)
		*q = 1
	case 8:
		var i int
		for i, out[n] = range out {
			_ = i
			P0f0(out)
		}
	case 9:
		a[1].A[0], a[n-25].A = 4, [3]int32{1, 2, int32(P0f0(out))}
		out[5] = uint64(a[1].A[0])
	}
	out[15] = uint64(a[0].A[2] + a[1].B)
}
