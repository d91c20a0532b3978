package numbers

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
)

// longModule begins the text of a kernel over a range that reads In and writes Out, slices of int64.
const longModule = `module K built
form Range 1
items 1
args 32
param "In" Slice "[]int64" offset 0 size 16 host 0 elem 8 align 8 None
param "Out" Slice "[]int64" offset 16 size 16 host 24 elem 8 align 8 None

kernel main {
b0:
`

// runLongs runs such a kernel for so many work-items, and returns its Out.
func runLongs(t *testing.T, m *ir.Module, in []byte, items, out int) []int64 {
	t.Helper()
	l := interp.Launch{Global: [3]uint32{uint32(items), 1, 1}, Local: [3]uint32{1, 1, 1}, Args: make([]byte, 32),
		Memory: []interp.Region{{Addr: 1 << 20, Data: in}, {Addr: 1 << 30, Data: make([]byte, 8*out)}}}
	for i, r := range l.Memory {
		binary.LittleEndian.PutUint64(l.Args[16*i:], r.Addr)
		binary.LittleEndian.PutUint64(l.Args[16*i+8:], uint64(len(r.Data)/8))
	}
	result, err := interp.Run(m, l)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]int64, out)
	for i := range list {
		list[i] = int64(binary.LittleEndian.Uint64(result.Memory[1].Data[8*i:]))
	}
	return list
}

const shortDivisions = longModule + `	%0 = BuiltIn i32 GlobalInvocationId.x
	%1 = Arg addr 24
	%2 = Arg addr 40
	%3 = IMul i32 %0, i32 2
	%4 = IAdd i32 %3, i32 1
	%5 = IMul i32 %0, i32 8
	%6 = IAdd i32 %5, i32 1
	%7 = IAdd i32 %5, i32 2
	%8 = IAdd i32 %5, i32 3
	%9 = IAdd i32 %5, i32 4
	%10 = IAdd i32 %5, i32 5
	%11 = IAdd i32 %5, i32 6
	%12 = IAdd i32 %5, i32 7
	%13 = Load i64 [%1 i64, %3]
	%14 = And i64 %13, i64 2147483647
	%15 = Load i64 [%1 i64, %4]
	%16 = INe bool %15, i64 0
	Branch %16, b1, b6
b1: preds b0
	%17 = SDiv i64 %14, %15
	%18 = IMul i64 %17, %15
	%19 = ISub i64 %14, %18
	%20 = UDiv i64 %14, %15
	%21 = UMod i64 %14, %15
	Store [%2 i64, %5], %17
	Store [%2 i64, %6], %19
	Store [%2 i64, %7], %20
	Store [%2 i64, %8], %21
	%22 = SLt bool i64 0, %15
	Branch %22, b2, b3
b2: preds b1
	%23 = SDiv i64 %14, %15
	%24 = IMul i64 %15, %23
	%25 = ISub i64 %14, %24
	Store [%2 i64, %9], %23
	Store [%2 i64, %10], %25
	Jump b3
b3: preds b1, b2
	%26 = SLe bool %15, i64 2147483647
	%27 = SLe bool i64 -2147483648, %15
	Branch %26, b4, b6
b4: preds b3
	Branch %27, b5, b6
b5: preds b4
	%28 = SDiv i64 %14, %15
	%29 = IMul i64 %28, %15
	%30 = ISub i64 %14, %29
	Store [%2 i64, %11], %28
	Store [%2 i64, %12], %30
	Return
b6: preds b0, b3, b4
	Return
}
`

// TestShortDivide holds divisions in 32 bits to gc's in 64.
func TestShortDivide(t *testing.T) {
	xs := []int64{0, 1, 2, 7, 1000, 1<<16 - 1, 1 << 16, math.MaxInt32 - 1, math.MaxInt32}
	ys := []int64{0, 1, -1, 2, -2, 3, -3, 1000, -1000, 1<<31 - 2, 1<<31 - 1, 1 << 31, 1<<31 + 1, -1<<31 + 1, -1 << 31, -1<<31 - 1,
		1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<32 + 7, -1 << 32, -1<<32 + 3, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		xs = append(xs, r.Int64N(1<<31)>>r.IntN(31))
		ys = append(ys, int64(r.Uint64())>>r.IntN(64))
	}
	var in []byte
	var want []int64
	for _, x := range xs {
		for _, y := range ys {
			in = binary.LittleEndian.AppendUint64(in, uint64(x)|uint64(y)<<32&^(1<<32-1)) // what the mask leaves out
			in = binary.LittleEndian.AppendUint64(in, uint64(y))
			row := make([]int64, 8)
			if y != 0 {
				row[0], row[1] = x/y, x%y
				row[2], row[3] = int64(uint64(x)/uint64(y)), int64(uint64(x)%uint64(y))
				if y > 0 {
					row[4], row[5] = x/y, x%y
				}
				if y == int64(int32(y)) {
					row[6], row[7] = x/y, x%y
				}
			}
			want = append(want, row...)
		}
	}
	m, err := ir.Parse(shortDivisions)
	if err != nil {
		t.Fatal(err)
	}
	ShortDivide(m, nil)
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	Narrow(m, nil)
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if v.Type == ir.TypeI64 && (v.Op == ir.OpSDiv || v.Op == ir.OpUDiv || v.Op == ir.OpUMod) {
				t.Errorf("%v is left", v.Op)
			}
		}
	}
	got := runLongs(t, m, in, len(in)/16, len(want))
	for i, w := range want {
		if got[i] != w {
			n := i / 8
			t.Fatalf("%d and %d: result %d is %d, want %d", xs[n/len(ys)], ys[n%len(ys)], i%8, got[i], w)
		}
	}
}
