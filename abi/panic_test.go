package abi

import (
	"fmt"
	"math"
	"testing"
)

// TestPanicText compares with package fmt, which prints these values as gc does.
func TestPanicText(t *testing.T) {
	f32 := func(x float32) int64 { return int64(math.Float32bits(x)) }
	f64 := func(x float64) int64 { return int64(math.Float64bits(x)) }
	for _, c := range []struct {
		verb PanicVerb
		a, b int64
		v    any
	}{
		{PanicInt, -7, 0, -7}, {PanicUint, -1, 0, uint64(math.MaxUint64)}, {PanicBool, 1, 0, true}, {PanicBool, 0, 0, false},
		{PanicFloat32, f32(0.1), 0, float32(0.1)}, {PanicFloat64, f64(-1e21), 0, -1e21}, {PanicFloat64, f64(math.Inf(1)), 0, math.Inf(1)},
		{PanicFloat64, f64(100000), 0, 100000.0}, {PanicFloat64, f64(1e-7), 0, 1e-7},
		{PanicComplex64, f32(0.1), f32(-2), complex64(complex(0.1, -2))}, {PanicComplex, f64(3), f64(0.25), 3 + 0.25i},
	} {
		if got, want := PanicText(PanicMessage(c.verb, "main.T(", ")", ""), c.a, c.b), fmt.Sprintf("main.T(%v)", c.v); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := PanicText(PanicMessage(PanicString, `m.S("`, `")`, "ab\x00cd"), 1, 3); got != "m.S(\"b\x00c\")" {
		t.Errorf("got %q", got)
	}
	for _, text := range []string{"", "plain", "\x00", "\x00d", "\x00=x", "a\x00b"} {
		if got := PanicText(PlainMessage(text), 1, 2); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}
