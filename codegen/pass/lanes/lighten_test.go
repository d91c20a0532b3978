package lanes_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
)

// lightenHead declares what the kernels of TestLighten use: %1 is a slice's address, tile and
// other are work-group memory, and own is a work-item's.
const lightenHead = `
module K built
form NDRange 1
items 1
args 16
group
param "Out" Slice "[]uint32" offset 0 size 16 host 0 elem 4 align 4 None
var tile Workgroup i32

kernel main {
	var own i32
	var kept i32
b0:
	%0 = BuiltIn i32 LocalInvocationIndex
	%1 = Arg addr 24
	%2 = ULt bool %0, i32 3
	Jump b1
`

// lightenCases are the bodies behind lightenHead's, and whether their barriers become light.
var lightenCases = []struct {
	name, code string
	light      bool
}{
	{"tiles", `
b1: preds b0, b1
	%3 = Phi i32 [i32 0 b0, %8 b1]
	%4 = Phi i32 [i32 0 b0, %7 b1]
	%5 = Load i32 [%1 i32, %3]
	Store [var tile], %5
	Barrier WorkGroup
	%6 = Load i32 [var tile]
	%7 = IAdd i32 %4, %6
	Barrier WorkGroup
	%8 = IAdd i32 %3, i32 1
	%9 = ULt bool %8, i32 9
	Branch %9, b1, b2
b2: preds b1
	Store [%1 i32, %0], %7
	Return
`, true},
	{"loaded a round ahead", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	Jump b2
b2: preds b1, b2
	%4 = Phi i32 [i32 0 b1, %9 b2]
	%5 = Phi i32 [%3 b1, %6 b2]
	Store [var tile], %5
	Barrier WorkGroup
	%6 = Load i32 [%1 i32, %4]
	%7 = Load i32 [var tile]
	Store [var own], %7
	Barrier WorkGroup
	%9 = IAdd i32 %4, i32 1
	%10 = ULt bool %9, i32 9
	Branch %10, b2, b3
b3: preds b2
	%11 = Load i32 [var own]
	Store [%1 i32, %0], %11
	Return
`, true},
	{"loaded behind the last barrier", `
b1: preds b0
	Store [var tile], %0
	Barrier WorkGroup
	%3 = Load i32 [var tile]
	%4 = Load i32 [%1 i32, %0]
	%5 = IAdd i32 %3, %4
	Store [%1 i32, %0], %5
	Return
`, true},
	{"a store ahead", `
b1: preds b0
	Store [%1 i32, %0], %0
	Barrier WorkGroup
	%3 = Load i32 [%1 i32, i32 0]
	Store [var tile], %3
	Return
`, false},
	{"a store in the round before", `
b1: preds b0, b1
	%3 = Phi i32 [i32 0 b0, %4 b1]
	Barrier WorkGroup
	Store [%1 i32, %3], %0
	%4 = IAdd i32 %3, i32 1
	%5 = ULt bool %4, i32 9
	Branch %5, b1, b2
b2: preds b1
	Return
`, false},
	{"an atomic addition ahead", `
b1: preds b0
	%3 = AtomicIAdd i32 [%1 i32, %0], i32 1
	Barrier WorkGroup
	Return
`, false},
	{"a fence ahead", `
b1: preds b0
	AtomicFence Device
	Barrier WorkGroup
	Return
`, false},
	{"stored behind", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	Barrier WorkGroup
	%4 = IAdd i32 %3, i32 1
	%5 = ISub i32 i32 9, %0
	Store [%1 i32, %5], %4
	Return
`, false},
	{"stored to work-group memory behind, which no barrier follows", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	Barrier WorkGroup
	Store [var tile], %3
	%4 = Load i32 [var tile]
	Store [%1 i32, %0], %4
	Return
`, false},
	{"stored to work-group memory where a barrier may follow", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	Barrier WorkGroup
	Store [var tile], %3
	Branch %2, b2, b3
b2: preds b1
	Barrier WorkGroup
	Jump b3
b3: preds b1, b2
	Store [%1 i32, %0], %0
	Return
`, false},
	{"kept in a variable", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	Store [var own], %3
	Barrier WorkGroup
	%4 = Load i32 [var own]
	Store [%1 i32, i32 1], %4
	Return
`, false},
	{"kept in the copy of a variable", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	Store [var own], %3
	CopyVar [var kept], [var own]
	Barrier WorkGroup
	%4 = Load i32 [var kept]
	Store [%1 i32, i32 1], %4
	Return
`, false},
	{"kept in a phi", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	Branch %2, b2, b3
b2: preds b1
	Jump b3
b3: preds b1, b2
	%4 = Phi i32 [%3 b1, i32 7 b2]
	Barrier WorkGroup
	Store [%1 i32, i32 1], %4
	Return
`, false},
	{"an index behind", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	Barrier WorkGroup
	Store [%1 i32, %3], i32 1
	Return
`, false},
	{"a branch ahead", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	%4 = ULt bool %3, i32 5
	Branch %4, b2, b3
b2: preds b1
	Jump b3
b3: preds b1, b2
	%5 = Phi i32 [i32 1 b1, i32 7 b2]
	Barrier WorkGroup
	Store [%1 i32, i32 1], %5
	Return
`, false},
	{"a branch behind", `
b1: preds b0
	%3 = Load i32 [%1 i32, %0]
	Barrier WorkGroup
	%4 = ULt bool %3, i32 5
	Branch %4, b2, b3
b2: preds b1
	Store [%1 i32, i32 1], i32 7
	Jump b3
b3: preds b1, b2
	Return
`, false},
}

// TestLighten: barriers order work-group memory alone only where no load can be delayed past one,
// and no store waits for one.
func TestLighten(t *testing.T) {
	for _, tt := range lightenCases {
		t.Run(tt.name, func(t *testing.T) {
			m, err := ir.Parse(lightenHead[1:] + tt.code[1:] + "}\n")
			if err != nil {
				t.Fatal(err)
			}
			if err := ir.Verify(m); err != nil {
				t.Fatal(err)
			}
			if ds := lanes.Lighten(m); len(ds) > 0 {
				t.Fatal(ds)
			}
			if err := ir.Verify(m); err != nil {
				t.Fatal(err)
			}
			text := m.String()
			light, heavy := strings.Contains(text, "BarrierLocal "), strings.Contains(text, "Barrier WorkGroup")
			if light != tt.light || heavy == tt.light {
				t.Errorf("light %v, want %v\n%s", light, tt.light, text)
			}
		})
	}
}
