// seed 7002763, global [24], local [8]

// NVIDIA's compiler crashes over some bools that loops carry from round to round.

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

type P0K struct{ shape.GroupArgs }

func (P0K) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact), properties.WorkGroupSize(8)}
}

func (k P0K) Kernel(it dsl.NDItem1) {
	gid, lid := it.GroupLinearID(), it.LocalLinearID()
	id := gid*8 + lid
	if len(k.In) < 384 || len(k.Out) < 384 || len(k.Bytes) < 192 || len(k.Reals) < 96 || len(k.Recs) < 48 || len(k.Share) < 96 || len(k.Counts) < shape.Counts {
		return
	}
	out, bytes := k.Out[id*16:id*16+16], k.Bytes[id*8:][:8:8]
	reals, recs := k.Reals[4*id:4*(id+1)], k.Recs[id*2:2*id+2:len(k.Recs)]
	h := shape.Mix(uint64(id), k.In[id*16])
	_, _, _, _, _ = bytes, reals, recs, h, gid
L3:
	for i1 := range uint64(7) {
		_ = i1
		if recs[0].F && ((id != int(127)) && recs[uint(lid)%2].F) {
			panic("deliberate 23")
		}
		if ([1]int8{int8(102)} == [1]int8{int8(2)}) || (recs[uint(gid)%2].F == recs[uint(lid)%2].F) {
			break L3
		}
		var v4 [1]bool = shape.Pick((recs[uint(gid)%2].F == recs[uint(id)%2].F), [1]bool{recs[uint(k.N)%2].F}, shape.Pick(recs[uint(gid)%2].F, [1]bool{recs[0].F}, [1]bool{recs[0].F}))
		_ = v4
	}
	it.Barrier()
	var u5 uint16 = max((uint16(k.In[gid*16+(int(k.N)&15)]) + uint16(k.In[gid*16+14])), (-(uint16(k.In[gid*16+9]))))
	_ = u5
	h = shape.Mix(h, uint64(id))
	h = shape.Mix(h, uint64(lid))
	h = shape.Mix(h, uint64(gid))
	h = shape.Mix(h, uint64(k.N))
	h = shape.Mix(h, uint64(bytes[0]))
	h = shape.Mix(h, shape.Bits32(reals[1]))
	h = shape.Mix(h, uint64(len(out)))
	h = shape.Mix(h, uint64(h))
	h = shape.Mix(h, uint64(k.Small[uint(gid)%3]))
	h = shape.Mix(h, uint64(u5))
	out[15] = h
}
