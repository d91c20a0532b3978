package lanes_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass"
)

// deadLoads begins a kernel that loads A[i], and then A[0], as every work-item does.
const deadLoads = `module K built
form NDRange 1
items 1
args 32
group
param "A" Slice "[]int32" offset 0 size 16 host 0 elem 4 align 4 None
param "Out" Slice "[]int32" offset 16 size 16 host 16 elem 4 align 4 None
site 0 kind 1 "k.go":3:4 ""
site 1 kind 1 "k.go":4:4 ""
site 2 kind 1 "k.go":5:4 ""

kernel main {
b0:
	%0 = BuiltIn i32 LocalInvocationId.x
	%1 = UConvert i64 %0
	%2 = Arg addr 24
	%3 = Arg i64 32
	%4 = Arg addr 40
	%5 = Arg i64 48
	%6 = ULt bool %1, %3
	Branch %6, b1, b2
b2: preds b0
	Fault site 0, %1, %3, %0, i32 0, i32 0
	Return
b1: preds b0
	%7 = Load i32 [%2 i32, %1]
	%8 = ULt bool i64 0, %3
	Branch %8, b3, b4
b4: preds b1
	Fault site 1, i64 0, %3, %0, i32 0, i32 0
	Return
b3: preds b1
	%9 = Load i32 [%2 i32, i64 0]
`

// checkDeadLoads runs the kernel that ends so where A has no elements: the first check
// fails for all work-items, and nothing is loaded.
func checkDeadLoads(t *testing.T, end string) {
	t.Helper()
	m, err := ir.Parse(deadLoads + end)
	if err != nil {
		t.Fatal(err)
	}
	if _, ds := pass.Run(m, ir.Target{}, nil); len(ds) > 0 {
		t.Fatal(ds)
	}
	out := make([]byte, 16)
	l := interp.Launch{Global: [3]uint32{4, 1, 1}, Local: [3]uint32{4, 1, 1}, Memory: []interp.Region{{Addr: 1 << 20, Data: out}}}
	for _, x := range []uint64{0, 0, 1 << 20, 4} {
		l.Args = binary.LittleEndian.AppendUint64(l.Args, x)
	}
	r, err := interp.Run(m, l)
	if err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	if r.Fault == nil || r.Fault.Site.Pos.Line != 3 || r.Fault.B != 0 || !bytes.Equal(out, make([]byte, 16)) {
		t.Errorf("fault %v, out %v", r.Fault, out)
	}
}

// TestDeadLanesLoad has a load that all work-items do alike, of an element that is there
// where a check that some of them pass has held: dead lanes must not do it where none
// has passed.
func TestDeadLanesLoad(t *testing.T) {
	checkDeadLoads(t, `	Barrier WorkGroup
	%10 = IAdd i32 %7, %9
	%11 = ULt bool %1, %5
	Branch %11, b5, b6
b6: preds b3
	Fault site 2, %1, %5, %0, i32 0, i32 0
	Return
b5: preds b3
	Store [%4 i32, %1], %10
	Return
}
`)
}

// TestDeadLanesLoop does so where a uniform branch needs what is loaded.
func TestDeadLanesLoop(t *testing.T) {
	checkDeadLoads(t, `	Jump b5
b5: preds b3, b6
	%10 = Phi i32 [i32 0 b3, %12 b6]
	%11 = SLt bool %10, %9
	Branch %11, b6, b7
b6: preds b5
	Barrier WorkGroup
	%12 = IAdd i32 %10, i32 1
	Jump b5
b7: preds b5
	%13 = ULt bool %1, %5
	Branch %13, b8, b9
b8: preds b7
	Store [%4 i32, %1], %7
	Return
b9: preds b7
	Fault site 2, %1, %5, %0, i32 0, i32 0
	Return
}
`)
}
