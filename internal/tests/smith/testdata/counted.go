// NVIDIA's compiler counts the bits of a number of 8 bits, and those of its sign with them.
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

type P0K struct{ shape.Args }

func (P0K) Properties() properties.List {
	return properties.List{}
}

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out, bytes := k.Out[id*16:id*16+16], k.Bytes[id*8:][:8:8]
	reals, recs := 0, k.Recs[id*2:2*id+2:len(k.Recs)]
	h := uint64(id)
	_, _, _, _ = bytes, reals, recs, h
	f35 := shape.Negate[uint64]
	v36 := f35(0)
	_ = v36
	var b37 [8]byte
	s44 := make([]int64, 1, 2)
	s44 = append(s44, int64(bits.OnesCount8(uint8(shape.Pair[uint8, int8]{b37[0], recs[1].A}.Key()))))
	v45 := 1
	v45 <<= (recs[0].B)
	var r46 rand.PCG
	r46.Seed(0, uint64(float64(int16(v45))))
	v47 := r46.Uint64()
	n48 := 0
	h = uint64(s44[1])
	h = shape.Mix(h, uint64(v47))
	h = shape.Mix(h, uint64(n48))
	out[15] = h
}
