// seed 8611058, global [4 4], local [2 4]

// NVIDIA's compiler took the bit that says how often a loop runs for another.
package kernels

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0S0 struct {
	F0 int64
	F1 uint64
	F2 float32
	F3 float32
}

type P0K struct{ shape.GroupArgs }

func (P0K) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact), properties.WorkGroupSize(2, 4)}
}

func (k P0K) Kernel(it dsl.NDItem2) {
	gid, lid := it.GroupLinearID(), it.LocalLinearID()
	id := gid*8 + lid
	if len(k.In) < 256 || len(k.Out) < 256 || len(k.Bytes) < 128 || len(k.Reals) < 64 || len(k.Recs) < 32 || len(k.Share) < 64 || len(k.Counts) < shape.Counts {
		return
	}
	out, bytes := k.Out[id*16:id*16+16], k.Bytes[id*8:][:8:8]
	reals, recs := k.Reals[4*id:4*(id+1)], k.Recs[id*2:2*id+2:len(k.Recs)]
	h := shape.Mix(uint64(id), k.In[id*16])
	_, _, _, _, _ = bytes, reals, recs, h, gid
	v2 := dsl.InclusiveScanOverGroup(it.Group(), ((float64(int16(lid))*float64(int16(gid)) + float64(int16(gid))) / (float64(int16(id)) * float64(0.5))), dsl.Minimum)
	if (int64(k.In[gid*16+2]) == int64(11)) || (int64(k.In[gid*16+(int(k.N)&15)]) == int64(549755813888)) {
		if (int16(k.In[gid*16+14]) + int16(k.In[gid*16+(int(k.N)&15)])) >= (int16(k.In[gid*16+(gid&15)]) | int16(16383)) {
			recs[0].C = (recs[uint(lid)%2].C % recs[uint(lid)%2].C)
			o3 := shape.Outer{Inner: shape.Inner{A: max((k.N * k.N), int32(h))}, B: ((gid &^ lid) * (gid % int(8185981305157454211)))}
			o3.Bump(shape.Pick(recs[0].F, k.N, k.N))
			_ = o3.A
		} else {
			c5 := complex((float64(math.Floor(v2)) + (v2*float64(-0.5) + float64(0.1))), (-(v2*v2 + v2)))
			_ = real(c5) + imag(-c5)
		}
	}
	if id == 5 || (shape.Pick(recs[0].F, int64(k.In[id*16+8]), recs[1].C) > (recs[0].C+recs[uint(k.N)%2].C)) && lid > 7 {
		panic("left 93")
	}
	if id == 5 || recs[uint(gid)%2].F && lid > 5 {
		return
	}
	for i7 := 0; i7 < int(uint((^(gid / gid)))%2); i7++ {
		c9 := func(a10 int64) int64 {
			s12 := recs[:a10]
			s12 = s12[:]
			h = shape.Mix(h, uint64(len(s12)*100+cap(s12)))
			return ((a10 / int64(7)) % ((recs[gid].C % (recs[0].C | 1)) | 1))
		}
		v13 := c9((int64(v2) * int64(recs[1].G.Y)))
		if (P0S0{F0: int64(2), F1: out[1], F3: float32(-3.25)} != P0S0{F0: int64(161804175116364443), F1: out[uint(v13)%16], F2: float32(2), F3: reals[i7]}) {
			panic("left 71")
		}
	}
	h = shape.Mix(h, uint64(id))
	h = shape.Mix(h, uint64(lid))
	h = shape.Mix(h, uint64(gid))
	h = shape.Mix(h, uint64(k.N))
	h = shape.Mix(h, uint64(bytes[6]))
	h = shape.Mix(h, shape.Bits32(reals[uint(k.N)%4]))
	h = shape.Mix(h, uint64(len(out)))
	h = shape.Mix(h, uint64(h))
	h = shape.Mix(h, uint64(k.Small[0]))
	h = shape.Mix(h, shape.Bits(v2))
	out[15] = h
}
