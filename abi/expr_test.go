package abi

import "testing"

func TestExpr(t *testing.T) {
	spec := map[uint32]uint64{0: 5, 1: 0xfffffffe /* -2 */, 2: 1, 3: 1 << 63}
	value := func(id uint32) (uint64, bool) {
		v, ok := spec[id]
		return v, ok
	}
	for _, c := range []struct {
		expr Expr
		want int64
	}{
		{"7", 7},
		{"-7", -7},
		{"$0 SConvert32:64", 5},
		{"$1 SConvert32:64", -2},
		{"$1 UConvert32:64", 0xfffffffe},
		{"$0 SConvert32:64 2 IMul64 1 IAdd64", 11},
		{"$0 SConvert32:64 7 ISub64", -2},
		{"-7 2 SDiv64", -3},
		{"7 2 UMod64", 1},
		{"1 $0 Shl64", 32},
		{"-8 1 ShrA64", -4},
		{"-1 60 ShrL64", 15},
		{"6 3 And64 8 Or64 1 Xor64", 11},
		{"0 Not64", -1},
		{"$2 10 20 Select64", 10},
		{"$2 LNot1 10 20 Select64", 20},
		{"$1 3 SLt32 10 20 Select64", 10},
		{"$1 3 ULt32 10 20 Select64", 20},
		{"2 2 IEq64 $2 LAnd1 10 20 Select64", 10},
		{"$0 $0 IMul32 UConvert32:64", 25},
		{"-2147483647 SFits32 2147483647 SFits32 SDiv64", -1},
		{"4294967295 UFits32 2 UFits32 UDiv64", 1<<31 - 1},
	} {
		got, err := c.expr.Eval(value)
		if err != nil || got != c.want {
			t.Errorf("%s: %d, %v; want %d", c.expr, got, err, c.want)
		}
	}
	for _, bad := range []Expr{"", "1 2", "$9", "1 0 SDiv64", "1 0 UDiv64", "$3 -1 SDiv64", "1 2 Frob64", "IAdd",
		"2147483648 SFits32", "-2147483648 SFits32", "4294967296 UFits32", "-1 UFits32"} {
		if n, err := bad.Eval(value); err == nil {
			t.Errorf("%q: %d, want an error", bad, n)
		}
	}
}
