package pass

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
)

// hostKernel is a kernel of some work-items; body has block b1 to go to, and X[id]
// takes what b9 stores.
const hostKernel = `module t built
form Range 1
items 1
args 16
param "X" Slice "[]int32" offset 0 size 16 host 0 elem 4 align 4 None
site 0 kind 1 "k.go":1:1 ""

kernel main {
b0:
	%%0 = BuiltIn i32 GlobalInvocationId.x
	%%1 = Arg addr 24
	%%2 = Load i32 [%%1 i32, %%0]
	Jump b1
%s
}
`

// hostLoops are loops with the number of branches that ForHost leaves.
var hostLoops = []struct {
	name, body string
	branches   int
}{
	{"tested at the head", `b1:
	%10 = Phi i32 [%13 b2, i32 0 b0]
	%11 = Phi i32 [%12 b2, %2 b0]
	%14 = SLt bool %10, i32 5
	Branch %14, b2, b9
b2:
	%15 = IMul i32 %11, i32 3
	%12 = IAdd i32 %15, %10
	%13 = IAdd i32 %10, i32 1
	Jump b1
b9:
	Store [%1 i32, %0], %11
	Return`, 0},
	{"tested at the end, down, unsigned", `b1:
	%10 = Phi i32 [%13 b1, i32 3 b0]
	%11 = Phi i32 [%12 b1, %2 b0]
	%15 = IMul i32 %11, i32 3
	%12 = IAdd i32 %15, %10
	%13 = IAdd i32 %10, i32 -1
	%14 = ULt bool %13, i32 3
	Branch %14, b1, b9
b9:
	Store [%1 i32, %0], %15
	Return`, 0},
	{"left early", `b1:
	%10 = Phi i32 [%13 b3, i32 0 b0]
	%11 = Phi i32 [%12 b3, %2 b0]
	%14 = SLt bool %10, i32 4
	Branch %14, b2, b9
b2:
	%15 = IMul i32 %11, i32 3
	%16 = SLt bool %15, i32 1000
	Branch %16, b3, b8
b3:
	%12 = IAdd i32 %15, %10
	%13 = IAdd i32 %10, i32 1
	Jump b1
b8:
	%17 = SConvert i64 %15
	Fault site 0, %17, i64 7, %0, i32 0, i32 0
	Return
b9:
	%18 = IAdd i32 %10, %11
	Store [%1 i32, %0], %18
	Return`, 4},
	{"nested", `b1:
	%10 = Phi i32 [%20 b4, i32 0 b0]
	%11 = Phi i32 [%13 b4, %2 b0]
	Jump b3
b3:
	%12 = Phi i32 [%15 b3, i32 0 b1]
	%13 = Phi i32 [%14 b3, %11 b1]
	%16 = IMul i32 %10, %12
	%17 = IMul i32 %13, i32 5
	%14 = IAdd i32 %17, %16
	%15 = IAdd i32 %12, i32 1
	%18 = SLt bool %15, i32 3
	Branch %18, b3, b4
b4:
	%20 = IAdd i32 %10, i32 1
	%21 = INe bool %20, i32 3
	Branch %21, b1, b9
b9:
	%19 = IAdd i32 %14, %12
	Store [%1 i32, %0], %19
	Return`, 0},
	{"unknown", `b1:
	%10 = Phi i32 [%13 b2, i32 0 b0]
	%11 = Phi i32 [%12 b2, i32 1 b0]
	%14 = SLt bool %10, %2
	Branch %14, b2, b9
b2:
	%12 = IMul i32 %11, i32 3
	%13 = IAdd i32 %10, i32 1
	Jump b1
b9:
	Store [%1 i32, %0], %11
	Return`, 1},
	{"too many", `b1:
	%10 = Phi i32 [%13 b1, i32 0 b0]
	%11 = Phi i32 [%12 b1, %2 b0]
	%12 = IMul i32 %11, i32 3
	%13 = IAdd i32 %10, i32 1
	%14 = SLt bool %13, i32 100
	Branch %14, b1, b9
b9:
	Store [%1 i32, %0], %12
	Return`, 1},
	{"a small branch", `b1:
	%10 = SLt bool %2, i32 100
	Branch %10, b2, b9
b2:
	%11 = IAdd i32 %2, i32 7
	Jump b9
b9:
	%12 = Phi i32 [%2 b1, %11 b2]
	Store [%1 i32, %0], %12
	Return`, 0},
	{"two small sides", `b1:
	%10 = SLt bool %2, i32 100
	Branch %10, b2, b3
b2:
	%11 = IAdd i32 %2, i32 7
	Jump b9
b3:
	%13 = ISub i32 %2, i32 7
	Jump b9
b9:
	%12 = Phi i32 [%13 b3, %11 b2]
	Store [%1 i32, %0], %12
	Return`, 0},
	{"a side that may do harm", `b1:
	%10 = INe bool %2, i32 0
	Branch %10, b2, b9
b2:
	%11 = SDiv i32 i32 100, %2
	Jump b9
b9:
	%12 = Phi i32 [i32 0 b1, %11 b2]
	Store [%1 i32, %0], %12
	Return`, 1},
}

// TestForHost: what ForHost leaves does what was there before, without the loops.
func TestForHost(t *testing.T) {
	for _, c := range hostLoops {
		t.Run(c.name, func(t *testing.T) {
			m, err := ir.Parse(fmt.Sprintf(hostKernel, c.body))
			if err != nil {
				t.Fatal(err)
			}
			want := runHost(t, m)
			ForHost(m)
			got := runHost(t, m)
			if got != want {
				t.Errorf("got %s, want %s\n%s", got, want, m)
			}
			n := 0
			for _, b := range m.Kernel.Blocks {
				if b.Term.Kind == ir.Branch {
					n++
				}
			}
			if n != c.branches {
				t.Errorf("%d branches, want %d\n%s", n, c.branches, m)
			}
		})
	}
}

// runHost returns what the kernel leaves in memory, and its fault.
func runHost(t *testing.T, m *ir.Module) string {
	t.Helper()
	var x []byte
	for _, n := range []int32{0, 1, 5, 99, 100, -3, 17, 40} {
		x = binary.LittleEndian.AppendUint32(x, uint32(n))
	}
	args := binary.LittleEndian.AppendUint64(nil, 0x1000)
	args = binary.LittleEndian.AppendUint64(args, 8)
	r, err := interp.Run(m, interp.Launch{Global: [3]uint32{8, 1, 1}, Local: [3]uint32{8, 1, 1}, Args: args,
		Memory: []interp.Region{{Addr: 0x1000, Data: x}}})
	if err != nil {
		t.Fatalf("%v\n%s", err, m)
	}
	fault := ""
	if r.Fault != nil {
		fault = r.Fault.String()
	}
	if bytes.Equal(r.Memory[0].Data, x) {
		t.Error("nothing is stored")
	}
	return fmt.Sprintf("%x %s", r.Memory[0].Data, fault)
}
