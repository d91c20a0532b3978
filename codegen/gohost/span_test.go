package gohost

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// TestSpans evaluates random expressions as Go does and compares the values with their spans.
func TestSpans(t *testing.T) {
	narrow := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(7, seed))
		m := kernelOf(ir.OpIAdd)
		w := &formWriter{m: m}
		b := m.Kernel.Blocks[0]
		arg := func(t *ir.Type, off uint64) *ir.Value {
			v := b.Append(ir.OpArg, t)
			v.Bits = abi.OffsetArgs + off
			return v
		}
		length, wide, word := arg(ir.TypeI64, 8), arg(ir.TypeI64, 16), arg(ir.TypeI32, 24) // X's length, and any values
		of := map[*ir.Value]func(in [3]int64) int64{
			length: func(in [3]int64) int64 { return in[0] }, wide: func(in [3]int64) int64 { return in[1] },
		}
		list := []*ir.Value{length, wide}
		add := func(v *ir.Value, eval func(in [3]int64) int64) {
			of[v] = eval
			list = append(list, v)
		}
		any := func() (*ir.Value, func(in [3]int64) int64) {
			v := list[r.IntN(len(list))]
			return v, of[v]
		}
		for range 12 {
			x, fx := any()
			y, fy := any()
			switch r.IntN(8) {
			case 0:
				n := []int64{0, 1, -1, 4096, 1 << 40, -1 << 62, math.MaxInt64}[r.IntN(7)]
				add(m.Int(ir.TypeI64, n), func([3]int64) int64 { return n })
			case 1:
				add(b.Append(ir.OpUConvert, ir.TypeI64, word), func(in [3]int64) int64 { return int64(uint32(in[2])) })
			case 2:
				add(b.Append(ir.OpSConvert, ir.TypeI64, word), func(in [3]int64) int64 { return int64(int32(in[2])) })
			case 3:
				add(b.Append(ir.OpIAdd, ir.TypeI64, x, y), func(in [3]int64) int64 { return fx(in) + fy(in) })
			case 4:
				add(b.Append(ir.OpIMul, ir.TypeI64, x, y), func(in [3]int64) int64 { return fx(in) * fy(in) })
			case 5:
				n := r.IntN(64)
				add(b.Append(ir.OpShrL, ir.TypeI64, x, m.Int(ir.TypeI64, int64(n))), func(in [3]int64) int64 { return int64(uint64(fx(in)) >> n) })
			case 6:
				add(b.Append(ir.OpSelect, ir.TypeI64, b.Append(ir.OpSLt, ir.TypeBool, x, y), x, y), func(in [3]int64) int64 { return min(fx(in), fy(in)) })
			case 7:
				add(b.Append(ir.OpSelect, ir.TypeI64, b.Append(ir.OpSLe, ir.TypeBool, x, y), y, x), func(in [3]int64) int64 { return max(fx(in), fy(in)) })
			}
		}
		values := func() int64 {
			n := []int64{0, 1, -1, 4095, 1<<31 - 1, -1 << 31, math.MinInt64, math.MaxInt64, int64(r.Uint64())}
			return n[r.IntN(len(n))]
		}
		for _, v := range list {
			s := w.spanOf(v)
			if s.lo > math.MinInt64/2 || s.hi < math.MaxInt64/2 {
				narrow++
			}
			for range 20 {
				in := [3]int64{r.Int64N(1 << 40), values(), values()}
				if got := of[v](in); got < s.lo || got > s.hi {
					t.Fatalf("seed %d: %s is %d for %v, outside of %v", seed, v.LongString(), got, in, s)
				}
			}
		}
	}
	if narrow < 1000 {
		t.Errorf("%d spans say something", narrow)
	}
}
