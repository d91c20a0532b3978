// seed 8202603, global [4 8], local [4 4]

// NVIDIA's compiler went the wrong way at a branch by whether two conditions differ.
package kernels

import (
	"cmp"
	"encoding/binary"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

var _, _, _, _ = math.Abs, bits.Len, cmp.Less[int], utf8.RuneLen
var _, _ = slices.Max[[]int], atomic.AddUint64
var _ = binary.LittleEndian
var _ rand.PCG

var P0Table = [8]uint16{35968, 255, 6, 32, 8, 27134, 13675, 9}

type P0S0 struct {
	F0 int32
	F1 int8
}

func (m P0S0) M0(p0 uint, w uint64) (res uint) {
	return
}

type P0S1 struct {
	F0 uint16
	F1 bool
}

func (m P0S1) M1(p0 []uint, p1 uint8, p2 uint, w uint64) (res uint) {
	c1 := complex((-(float64(math.RoundToEven(float64(int16(int(w))))))), ((float64(int16(int(w))) - float64(int16(int(w)))) * float64(shape.F32(float32(int16(int(w)))))))
	c1 = c1 + complex(((float64(int16(int(w)))+float64(1))-float64(0.1)), float64((m.F0%uint16(11))))
	c1 = c1 * complex(float64(math.RoundToEven((float64(int16(int(w)))*float64(int16(int(w)))+float64(100)))), ((float64(int16(int(w)))/float64(1))/(float64(int16(int(w)))+float64(0.1))))
	v2 := real(c1) + imag(-c1)
	_ = v2
	pair4 := shape.Pair[uint32, uint16]{(+(uint32(bits.Reverse64(w)))), shape.Pick(m.F1, (m.F0 * m.F0), (uint16(w) * uint16(w)))}
	pair4.Step(((int(w) | int(8825078312676520657)) << (p1 + p1)))
	v3 := pair4.Flip().Key()
	_ = v3
	return
}

type P0K struct{ shape.GroupArgs }

func (P0K) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact), properties.WorkGroupSize(4, 4)}
}

func (k P0K) Kernel(it dsl.NDItem2) {
	gid, lid := it.GroupLinearID(), it.LocalLinearID()
	id := gid*16 + lid
	if len(k.In) < 512 || len(k.Out) < 512 || len(k.Bytes) < 256 || len(k.Reals) < 128 || len(k.Recs) < 64 || len(k.Share) < 128 || len(k.Counts) < shape.Counts {
		return
	}
	out, bytes := k.Out[id*16:id*16+16], k.Bytes[id*8:][:8:8]
	reals, recs := k.Reals[4*id:4*(id+1)], k.Recs[id*2:2*id+2:len(k.Recs)]
	h := shape.Mix(uint64(id), k.In[id*16])
	_, _, _, _, _ = bytes, reals, recs, h, gid
	own5 := k.Share[id*4:][:4]
	_ = own5
	if (uint8(k.In[id*16+(id&15)]) > uint8(4)) && (lid > int(140737488355328)) {
		goto G6
	}
	{
		c7 := func(a8 int) bool {
			if recs[0].F {
				return (int8(recs[0].G.Y) > (bytes[uint(k.N)%8] >> 0))
			}
			return (P0S1{F0: recs[0].B, F1: recs[0].F} != P0S1{F0: uint16(k.In[id*16+15]), F1: recs[uint(lid)%2].F})
		}
		v9 := c7((int(len(k.Recs)) - int(float64(int16(id)))))
		_ = v9
		v10 := c7((+(id + lid)))
		_ = v10
	}
G6:
	h++
	it.SubGroup().Barrier()
	if (k.In[gid*16+(int(k.N)&15)]&1 == 0) != ((k.N > 3) && (float64(int16(gid)) >= float64(int16(gid)))) {
		if recs[uint(id)%2].F {
			goto G11
		}
		{
			v12, v13 := shape.DivMod((int8(k.N) ^ (recs[0].A &^ recs[1].A)), (int8(recs[uint(lid)%2].C)-(recs[uint(id)%2].A|recs[0].A))|1)
			_, _ = v12, v13
			recs[uint(id)%2].D = shape.Real(shape.F32((shape.F32((shape.F32((reals[uint(id)%4] * reals[uint(v13)%4])) + (-(shape.F32(float32(int16(gid))))))) * shape.F32(float32(math.Abs(float64((-(recs[1].D)))))))))
			recs[0].F = (((float64(int16(lid)) != float64(int16(id))) && (recs[1].F && recs[uint(id)%2].F)) || recs[1].F)
		}
	G11:
		h++
		v14, v15 := shape.DivMod(shape.Pick((lid > 3), (-(uint(k.In[id*16+5]))), (uint(k.In[id*16+(lid&15)])*uint(k.In[id*16+6]))), (shape.Pick(recs[uint(k.N)%2].F, uint(k.In[id*16+(id&15)]), uint(k.In[id*16+(int(h)&15)]))-uint(recs[k.N].G.Y))|1)
		_, _ = v14, v15
		if !(recs[0].F || recs[1].F) {
			ptr16 := &v15
			_ = ptr16
			s17 := recs[k.N:]
			s17 = s17[:]
			_ = s17
			h = shape.Mix(h, uint64(len(s17)*100+cap(s17)))
		} else {
		}
		switch (gid >> (gid & 15)) % 4 {
		case 0:
			if id == 2 || (lid > 3) && lid > 8 {
				s18 := make([]uint16, 1, 3)
				s18 = append(s18, uint16(int(recs[uint(gid)%2].C)))
				s18 = append(s18, (recs[0].B / recs[1].B))
				_ = s18
				v19 := len(s18)*10 + cap(s18)
				_ = v19
				pair21 := shape.Pair[uint16, uint]{uint16(bits.OnesCount32((recs[0].G.X / (recs[0].G.X | 1)))), uint(shape.Pair[uint, int8]{(v14 % uint(k.In[id*16+14])), (recs[0].A ^ recs[0].A)}.Key())}
				pair21.Step(((id / (id | 1)) * (gid % (gid | 1))))
				v20 := pair21.Key()
				_ = v20
				panic("left 93")
			}
		}
		v22 := dsl.SelectFromGroup(it.SubGroup(), (min(recs[1].C, recs[0].C) << 58), it.SubGroup().LocalID()&^3|gid&3)
		_ = v22
	} else {
		it.Group().Barrier()
		if (shape.F32((shape.F32(float32(int16(gid))) / shape.F32(float32(int16(gid))))) == shape.F32((shape.F32(float32(int16(gid)))*shape.F32(float32(int16(gid))) + shape.F32(float32(int16(gid)))))) && ((uint8(k.In[gid*16+12]) >> 2) <= (uint8(k.In[gid*16+10]) ^ uint8(k.In[gid*16+13]))) {
			return
		}
		it.SubGroup().Barrier()
	}
	s23 := bytes[1:2:8]
	_ = s23
	v24 := ((int(k.N) + min(gid, int(-4))) > int(P0Table[uint8((id&id))%8]))
	_ = v24
	atomic.AddInt64(&k.Longs[3], (int64(P0Table[uint8(lid)%8]) / int64(32768)))
	t25 := dsl.Local[[16]uint](it)
	_ = t25
	var u26 uint = dsl.Uniform(t25[5])
	_ = u26
	if ((uint16(k.In[gid*16+2]) % uint16(k.In[gid*16+(int(k.N)&15)])) < (uint16(k.In[gid*16+(gid&15)]) - uint16(2))) && (gid&1 == 0) {
		if uint(float64(int16(gid))) >= u26 {
		} else {
			if id == 1 || ((uint64(k.In[id*16+(int(k.N)&15)])-(uint64(k.In[id*16+5])-out[u26])) >= ((own5[uint(id)%4]%(own5[0]|1))&(h<<65))) && lid > 6 {
				panic("left 79")
			}
		}
		if gid&1 == 0 {
			v27 := dsl.ExclusiveScanOverGroup(it.Group(), ((recs[uint(id)%2].E[uint(k.N)%3] / k.Small[0]) - (recs[uint(gid)%2].E[1] % (k.Small[0] | 1))), dsl.BitAnd)
			_ = v27
			dsl.AtomicAdd(&k.Longs[0], ((recs[0].C % recs[1].C) * (int64(k.In[id*16+(int(u26)&15)]) + recs[0].C)))
			s28 := bytes[k.N:]
			s28 = s28[:]
			_ = s28
			h = shape.Mix(h, uint64(len(s28)*100+cap(s28)))
		}
	} else {
		it.Barrier()
		var u29 uint64 = dsl.Uniform(k.Share[gid*64+58])
		_ = u29
		n30 := 0
		for {
			if n30++; n30 > 2 {
				break
			}
			var v32 P0S0 = P0S0{F0: (k.N >> recs[0].E[0]), F1: int8(bits.Len32((recs[0].G.Y - recs[uint(lid)%2].G.X)))}
			_ = v32
		}
		if (shape.Pick(false, lid, lid) >> shape.Pick(v24, out[0], h)) < min((n30/(lid|1)), int(P0Table[uint8(gid)%8])) {
			v33 := utf8.RuneLen(rune(int32(uint32(bits.TrailingZeros8(uint8(k.In[id*16+(id&15)]))))))
			_ = v33
			pair35 := shape.Pair[int64, uint8]{(+(int64(h))), (uint8(P0Table[uint8(gid)%8]) + uint8(k.In[id*16+11]))}
			v34 := pair35.Key()
			_ = v34
			rec36 := recs[1]
			_ = rec36
		} else {
			v37 := utf8.RuneLen(rune(int32((recs[1].A - int8(-115)))))
			_ = v37
		}
		it.Barrier()
	}
	h = shape.Mix(h, uint64(id))
	h = shape.Mix(h, uint64(lid))
	h = shape.Mix(h, uint64(gid))
	h = shape.Mix(h, uint64(k.N))
	h = shape.Mix(h, uint64(bytes[uint(id)%8]))
	h = shape.Mix(h, shape.Bits32(reals[uint(gid)%4]))
	h = shape.Mix(h, uint64(len(out)))
	h = shape.Mix(h, uint64(h))
	h = shape.Mix(h, uint64(k.Small[uint(id)%3]))
	h = shape.Mix(h, uint64(own5[uint(gid)%4]))
	h = shape.Mix(h, uint64(s23[0]))
	h = shape.Mix(h, shape.B(v24))
	h = shape.Mix(h, uint64(u26))
	h = shape.Mix(h, uint64(t25[(lid+1)%16]))
	out[15] = h
}
