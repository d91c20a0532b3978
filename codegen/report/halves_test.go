package report

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
)

// TestHalfNotes: constants that are numbers of package half stand behind their lines, and others do not.
func TestHalfNotes(t *testing.T) {
	m, err := ir.Parse(`module K built
form Range 1
items 1
args 48
param "Out" Slice "[]half.BFloat16" offset 0 size 16 host 0 elem 2 align 2 None
param "N" Slice "[]uint16" offset 16 size 16 host 16 elem 2 align 2 None
param "F" Slice "[]half.Float8E4M3" offset 32 size 16 host 32 elem 1 align 1 None

kernel main {
b0:
	%0 = Arg addr 24
	%1 = Arg addr 40
	%2 = Arg addr 56
	%3 = BuiltIn i32 GlobalInvocationId.x
	%4 = ULt bool %3, i32 15360
	Store [%0 i16, %3], i16 16256
	Store [%1 i16, %3], i16 16256
	Store [%2 i8, i32 56], i8 56
	Branch %4, b1, b2
b1: preds b0
	Jump b2
b2: preds b0, b1
	%5 = Phi i32 [i32 15360 b0, i32 49152 b1]
	%6 = Select i32 %4, %5, i32 31744
	%7 = HalfSqrt i32 %6, i32 16896
	%8 = Select i32 %4, i32 15360, i32 7
	Store [%1 i16, %8], i16 1
	Return
}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"half.BFloat16 1", "half.Float8E4M3 1", "half.Float16 1, half.Float16 -2", "half.Float16 +Inf", "half.Float16 3"}
	h := halvesIn(m)
	var got []string
	for _, line := range m.Lines(nil) {
		if n, ok := strings.CutPrefix(h.lineNote(line.Value), " ; "); ok {
			got = append(got, n)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("notes %q, want %q", got, want)
	}
}
