package numbers_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
)

// divisions has divisions and roots wherever they may stand: in the header of a selection, of
// a loop, where the loop goes on, several in one block and with one divisor, by constants and
// of them.
const divisions = `module K structured
form Range 1
items 1
args 32
param "In" Slice "[]float32" offset 0 size 16 host 0 elem 4 align 4 None
param "Out" Slice "[]float32" offset 16 size 16 host 24 elem 4 align 4 None

kernel main {
b0: merge b2
	%0 = BuiltIn i32 GlobalInvocationId.x
	%1 = Arg addr 24
	%2 = Arg addr 40
	%3 = Load f32 [%1 f32, %0]
	%4 = IAdd i32 %0, i32 1
	%5 = Load f32 [%1 f32, %4]
	%6 = FDiv f32 %3, %5
	%7 = FDiv f32 f32 1, %5
	%8 = FAdd f32 %6, %7
	%9 = FLt bool %6, f32 1
	Branch %9, b1, b2
b1: preds b0
	%10 = FDiv f32 %8, %5
	%11 = FDiv f32 %10, f32 3
	%12 = FDiv f32 f32 7, %11
	Jump b2
b2: preds b0, b1
	%13 = Phi f32 [%8 b0, %12 b1]
	%14 = FAbs f32 %13
	Jump b3
b3: preds b2, b6 merge b7 continue b6
	%15 = Phi i32 [i32 0 b2, %22 b6]
	%16 = Phi f32 [%14 b2, %23 b6]
	%17 = FInvSqrt f32 %16
	Jump b4
b4: preds b3
	%18 = ULt bool %15, i32 4
	%19 = FDiv f32 %17, %3
	Branch %18, b5, b7
b5: preds b4
	%20 = FAdd f32 %19, %17
	%21 = FSqrt f32 %20
	Jump b6
b6: preds b5
	%22 = IAdd i32 %15, i32 1
	%23 = FDiv f32 %21, %16
	Jump b3
b7: preds b4
	Store [%2 f32, %0], %19
	Return
}
`

// TestExactDivideBlocks compares modules with what they compute before the pass, whatever the
// constants say: the interpreter rounds correctly, and once.
func TestExactDivideBlocks(t *testing.T) {
	const n = 600
	in := make([]byte, 4*(n+1))
	r := rand.New(rand.NewPCG(5, 6))
	for i := 0; i < len(in); i += 4 {
		x := operand(r)
		if i%3 == 0 {
			x = x&(numbers.SignBit|numbers.Fraction) | 126<<23 // what is done to the others mostly ends in zero or infinity
		}
		binary.LittleEndian.PutUint32(in[i:], x)
	}
	run := func(m *ir.Module, specs map[uint32]uint64) []byte {
		l := interp.Launch{Global: [3]uint32{n, 1, 1}, Local: [3]uint32{1, 1, 1}, Args: make([]byte, 32), Specs: specs,
			Memory: []interp.Region{{Addr: 1 << 20, Data: bytes.Clone(in)}, {Addr: 1 << 30, Data: make([]byte, 4*n)}}}
		for i, a := range []uint64{1 << 20, 1 << 30} {
			binary.LittleEndian.PutUint64(l.Args[16*i:], a)
			binary.LittleEndian.PutUint64(l.Args[16*i+8:], n)
		}
		result, err := interp.Run(m, l)
		if err != nil {
			t.Fatal(err)
		}
		return result.Memory[1].Data
	}
	parse := func() *ir.Module {
		m, err := ir.Parse(divisions)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	want := run(parse(), nil)
	m := parse()
	numbers.ExactDivide(m)
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	// Two blocks more for each operation but the two that stand in the loop's header and where
	// it goes on, which have no branch.
	if got := len(m.Kernel.Blocks); got != 8+2*7 {
		t.Errorf("%d blocks", got)
	}
	finite := 0
	for exact := range uint64(2) {
		for fused := range uint64(2) {
			got := run(m, map[uint32]uint64{abi.SpecExactDivide: exact, abi.SpecFused: fused})
			for i := 0; i < len(want); i += 4 {
				x, y := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:])
				if !sameFloat(x, y) {
					t.Fatalf("exact %d, fused %d: work-item %d has %#08x, want %#08x", exact, fused, i/4, x, y)
				}
				if f := math.Float32frombits(y); f-f == 0 && f != 0 {
					finite++
				}
			}
		}
	}
	if finite < n {
		t.Errorf("%d results of %d are neither zero nor special", finite, 4*n)
	}
}
