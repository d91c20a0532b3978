package numbers_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/codegen/pass/split64"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

const longDivisions = `module K built
form Range 1
items 1
args 32
param "In" Slice "[]int64" offset 0 size 16 host 0 elem 8 align 8 None
param "Out" Slice "[]int64" offset 16 size 16 host 24 elem 8 align 8 None

kernel main {
b0:
	%0 = BuiltIn i32 GlobalInvocationId.x
	%1 = Arg addr 24
	%2 = Arg addr 40
	%3 = IMul i32 %0, i32 2
	%4 = IAdd i32 %3, i32 1
	%5 = IMul i32 %0, i32 3
	%6 = IAdd i32 %5, i32 1
	%7 = IAdd i32 %5, i32 2
	%8 = Load i64 [%1 i64, %3]
	%9 = Load i64 [%1 i64, %4]
	%10 = SDiv i64 %8, %9
	%11 = UDiv i64 %8, %9
	%12 = UMod i64 %8, %9
	Store [%2 i64, %5], %10
	Store [%2 i64, %6], %11
	Store [%2 i64, %7], %12
	Return
}
`

// TestLongDivide holds divisions that are written out to gc's, with 64 bits and in words,
// whatever is done to float32s within what Vulkan allows.
func TestLongDivide(t *testing.T) {
	edges := []uint64{0, 1, 2, 3, 5, 7, 10, 1<<16 - 1, 1 << 16, 1<<23 - 1, 1<<24 - 1, 1 << 24, 1<<24 + 1, 1<<25 - 1,
		1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<33 - 1, 1<<40 - 1, 1<<48 + 1, 1<<62 - 1,
		1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 1<<40, 1<<64 - 1<<39, 1<<64 - 1<<32, 1<<64 - 2, 1<<64 - 1}
	r := rand.New(rand.NewPCG(1, 2))
	var xs, ys []uint64
	add := func(x, y uint64) {
		if y == 0 || int64(x) == math.MinInt64 && int64(y) == -1 {
			return
		}
		xs, ys = append(xs, x), append(ys, y)
	}
	for _, x := range edges {
		for _, y := range edges {
			add(x, y)
		}
	}
	for range sample.Of(10000, 1000) {
		y := r.Uint64() >> r.IntN(64)
		add(r.Uint64()>>r.IntN(64), y)
		if y == 0 {
			continue
		}
		// Multiples, and what is next to them.
		q := math.MaxUint64 / y
		if q > 1 {
			q = r.Uint64N(q) >> r.IntN(64)
		}
		for d := range uint64(3) {
			add(q*y+d-1, y)
		}
	}
	var in []byte
	for i, x := range xs {
		in = binary.LittleEndian.AppendUint64(in, x)
		in = binary.LittleEndian.AppendUint64(in, ys[i])
	}
	for name, change := range map[string]func(m *ir.Module){
		"64 bits": func(*ir.Module) {},
		"words": func(m *ir.Module) {
			if !split64.Lower(m) {
				t.Fatal("no words")
			}
		},
		"least": func(m *ir.Module) { worsen(m, 1-7.0/(1<<23)) },
		"most":  func(m *ir.Module) { worsen(m, 1+7.0/(1<<23)) },
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ir.Parse(longDivisions)
			if err != nil {
				t.Fatal(err)
			}
			numbers.LongDivide(m)
			change(m)
			if err := ir.Verify(m); err != nil {
				t.Fatal(err)
			}
			for _, b := range m.Kernel.Blocks {
				for _, v := range b.Insts {
					if numbers.IsLongDivision(v) {
						t.Errorf("%v is left", v.Op)
					}
				}
			}
			l := interp.Launch{Global: [3]uint32{uint32(len(xs)), 1, 1}, Local: [3]uint32{1, 1, 1},
				Memory: []interp.Region{{Addr: 1 << 20, Data: in}, {Addr: 1 << 30, Data: make([]byte, 24*len(xs))}}}
			l.Args = make([]byte, 32)
			for i, a := range []uint64{1 << 20, 1 << 30} {
				binary.LittleEndian.PutUint64(l.Args[16*i:], a)
				binary.LittleEndian.PutUint64(l.Args[16*i+8:], uint64(3*len(xs)))
			}
			result, err := interp.Run(m, l)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range xs {
				y := ys[i]
				for j, want := range []uint64{uint64(int64(x) / int64(y)), x / y, x % y} {
					if got := binary.LittleEndian.Uint64(result.Memory[1].Data[24*i+8*j:]); got != want {
						t.Fatalf("%#x and %#x: result %d is %#x, want %#x", x, y, j, got, want)
					}
				}
			}
		})
	}
}

// worsen multiplies the reciprocals that numbers.LongDivide makes, by as much as all that rounds
// may be off together.
func worsen(m *ir.Module, by float64) {
	for _, b := range m.Kernel.Blocks {
		var out []*ir.Value
		for _, v := range b.Insts {
			out = append(out, v)
			if v.Op != ir.OpFDiv {
				continue
			}
			x := m.Kernel.NewValue(ir.OpFDiv, v.Type, v.Args...)
			x.Block = b
			v.Op, v.Args = ir.OpFMul, []*ir.Value{x, m.Const(v.Type, ir.FloatBits(v.Type, by))}
			out = append(out[:len(out)-1], x, v)
		}
		b.Insts = out
	}
}
