// seed 8695136, global [8], local [2]

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

var _, _, _, _ = 0, 0, cmp.Less[int], 0
var _, _ = slices.Max[[]int], atomic.AddUint64
var _ = binary.LittleEndian
var _ rand.PCG

type P0K struct{ shape.GroupArgs }

func (P0K) Properties() properties.List {
	return properties.List{}
}

func (k P0K) Kernel(it dsl.NDItem1) {
	gid, lid := it.GroupLinearID(), 1
	id := it.GlobalID()
	out, bytes := k.Out[id*16:id*16+16], k.Bytes[id*8:][:8:8]
	reals, recs := k.Reals[4*id:4*(id+1)], k.Recs[id*2:2*id+2:len(k.Recs)]
	h := k.In[id]

	t1 := it
	_ = t1

	var u3 int16 = 0

	var u4 uint32 = dsl.ReduceOverGroup(it.Group(), uint32(3502764050)>>k.In[id+int(u3)], dsl.Minimum)
	_ = u4

	var u5 bool = false

L6:
	switch h % 5 {
	case 0:
		c7 := func(a8 int64) uint32 {
			out[3] = shape.Mix(out[3], 0)
			return 1
		}
		v9 := c7(8 << k.In[id+15])

		if false {
			c10 := math.Floor(0)
			v11 := c10
			_ = v11
			v12 := utf8.RuneLen(0)
			_ = v12
			s13 := 2

			v14 := s13
			_ = v14

		} else {
			recs[0].B = uint16(0 + float64(int16(id)))
			if recs[1].F {
				break L6
			}
			recs[0].C = recs[id].C ^ int64(^v9)
		}

	}

	it.Barrier()
	c17 := func(a18 int) uint {
		v19 := dsl.InclusiveScanOverGroup(it.Group(), uint8(h), dsl.BitAnd)
		_ = v19
		v20 := dsl.InclusiveScanOverGroup(it.Group(), recs[1].A, dsl.BitXor)
		_ = v20
		t21 := dsl.Local[[8]uint32](it)
		_ = t21

		return uint(bits.OnesCount64(uint64(recs[0].B)))
	}
	v28 := c17(1)

	recs[0].A = max(bytes[0]%(recs[0].A|1), 1^recs[uint(gid)%2].A) << uint8(k.In[1])
	v29 := dsl.InclusiveScanOverGroup(it.Group(), u5, dsl.LogicalAnd)
	_ = v29
	t30 := dsl.Local[[2]bool](it)

	own31 := &t30[lid]

	h = 1
	h = 1

	h = 0
	h = 1
	h = shape.Mix(h, shape.Bits32(reals[uint(gid)%4]))
	h = uint64(len(out))

	h = h
	h = shape.Mix(h, uint64(v28))
	h = h
	h = shape.Mix(h, shape.B(*own31))
	out[15] = h
}
