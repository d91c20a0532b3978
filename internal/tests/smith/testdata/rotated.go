// seed 8953769

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

var _, _, _, _ = math.Abs, 0, cmp.Less[int], utf8.RuneLen
var _, _ = slices.Max[[]int], atomic.AddUint64
var _ = binary.LittleEndian
var _ rand.PCG

type P0K struct{ shape.Args }

func (P0K) Properties() properties.List {
	return properties.List{}
}

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out, bytes := k.Out[id*16:id*16+16], 1
	reals, recs := 1, k.Recs[id*2:2*id+2:len(k.Recs)]
	h := uint64(id)
	_, _, _, _ = bytes, reals, recs, h
	pair4 := shape.Pair[uint32, uint8]{0, 0}
	v3 := pair4.Key()
	_ = v3

	recs[1].C = recs[0].C*288230376151711744 + recs[0].C>>6

	c13 := func(a14 int16) uint64 {
		return 1
	}
	v15 := c13(1)

	v16 := bits.LeadingZeros64(v15)
	_ = v16

	out[15] = h
}
