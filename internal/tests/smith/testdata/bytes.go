// NVIDIA's compiler loses a byte where the two of 16 bits change places.
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

type P0K struct{ shape.Args }

func (P0K) Properties() properties.List {
	return properties.List{}
}

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out, bytes := k.Out[id*16:id*16+16], 0
	reals, recs := k.Reals[4*id:4*(id+1)], 0
	h := uint64(id)
	_, _, _, _ = bytes, reals, recs, h
	var b55 [8]byte
	binary.LittleEndian.PutUint64(b55[:], -h%10)
	v56 := binary.BigEndian.Uint32(b55[2:])
	s60 := make([]float32, 1, 4)
	s60 = append(s60, shape.F32(shape.F32(float32(float64(reals[0])))))
	var r65 rand.PCG
	v66 := r65.Uint64()
	h = uint64(v56)
	h = shape.Mix(h, v66)
	out[15] = h
}
