package facts_test

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

func TestFold(t *testing.T) {
	m := ir.NewModule("t")
	f := m.NewFunc("main")
	f32 := func(x float64) *ir.Value { return m.Const(ir.TypeF32, uint64(math.Float32bits(float32(x)))) }
	f64 := func(x float64) *ir.Value { return m.Const(ir.TypeF64, math.Float64bits(x)) }
	i32 := func(x int64) *ir.Value { return m.Int(ir.TypeI32, x) }
	i64 := func(x int64) *ir.Value { return m.Int(ir.TypeI64, x) }
	negZero := math.Copysign(0, -1)
	for i, c := range []struct {
		op   ir.Op
		args []*ir.Value
		want *ir.Value // nil: left alone; its type is the result's
		typ  *ir.Type
	}{
		{ir.OpSDiv, []*ir.Value{i32(-7), i32(2)}, i32(-3), nil},
		{ir.OpSDiv, []*ir.Value{i32(math.MinInt32), i32(-1)}, i32(math.MinInt32), nil},
		{ir.OpSDiv, []*ir.Value{i32(1), i32(0)}, nil, ir.TypeI32},
		{ir.OpUDiv, []*ir.Value{i32(-1), i32(2)}, i32(math.MaxInt32), nil},
		{ir.OpShl, []*ir.Value{i32(1), i32(32)}, nil, ir.TypeI32},
		{ir.OpShrA, []*ir.Value{i32(-8), i32(1)}, i32(-4), nil},
		{ir.OpShrL, []*ir.Value{i64(-1), i64(63)}, i64(1), nil},
		{ir.OpUMulHi, []*ir.Value{i32(-1), i32(-1)}, i32(-2), nil},
		{ir.OpFindLsb, []*ir.Value{i32(0)}, i32(-1), nil},
		{ir.OpFindLsb, []*ir.Value{i32(8)}, i32(3), nil},
		{ir.OpFindUMsb, []*ir.Value{i32(0)}, i32(-1), nil},
		{ir.OpFindUMsb, []*ir.Value{i32(-1)}, i32(31), nil},
		{ir.OpSConvert, []*ir.Value{i32(-1)}, i64(-1), nil},
		{ir.OpUConvert, []*ir.Value{i32(-1)}, i64(1<<32 - 1), nil},
		{ir.OpFAdd, []*ir.Value{f32(0.1), f32(0.2)}, m.Const(ir.TypeF32, uint64(math.Float32bits(float32(0.1)+float32(0.2)))), nil},
		{ir.OpFSub, []*ir.Value{f64(1), f64(1)}, f64(0), nil},
		{ir.OpFDiv, []*ir.Value{f32(0), f32(0)}, nil, ir.TypeF32},              // NaN
		{ir.OpFMul, []*ir.Value{f32(0x1p-100), f32(0x1p-30)}, nil, ir.TypeF32}, // subnormal
		{ir.OpFMul, []*ir.Value{f64(0x1p-600), f64(0x1p-450)}, f64(0x1p-1050), nil},
		{ir.OpFSqrt, []*ir.Value{f32(2)}, f32(math.Sqrt2), nil},
		{ir.OpFNegate, []*ir.Value{f32(0)}, f32(negZero), nil},
		{ir.OpFAbs, []*ir.Value{f64(negZero)}, f64(0), nil},
		{ir.OpFNegate, []*ir.Value{m.Const(ir.TypeF64, 0xfff7ffffffffffff)}, m.Const(ir.TypeF64, 0x7ff7ffffffffffff), nil},
		{ir.OpFAbs, []*ir.Value{m.Const(ir.TypeF32, 0xff800001)}, m.Const(ir.TypeF32, 0x7f800001), nil},
		{ir.OpFNegate, []*ir.Value{m.Const(ir.TypeF32, 1)}, m.Const(ir.TypeF32, 1<<31|1), nil}, // subnormal
		{ir.OpFEq, []*ir.Value{f32(0), f32(negZero)}, m.Bool(true), nil},
		{ir.OpFToS, []*ir.Value{f32(-1.9)}, i32(-1), nil},
		{ir.OpFToS, []*ir.Value{f32(0x1p31)}, nil, ir.TypeI32},
		{ir.OpFToU, []*ir.Value{f64(0x1p32 - 1)}, i32(-1), nil},
		{ir.OpSToF, []*ir.Value{i64(1<<24 + 1)}, f32(1 << 24), nil},
		{ir.OpUToF, []*ir.Value{i32(-1)}, f64(1<<32 - 1), nil},
		{ir.OpFConvert, []*ir.Value{f64(0x1p-140)}, nil, ir.TypeF32},
		{ir.OpFConvert, []*ir.Value{m.Const(ir.TypeF64, 0x7ff8000000000001)}, m.Const(ir.TypeF32, 0x7fc00000), nil},
		{ir.OpFConvert, []*ir.Value{m.Const(ir.TypeF64, 0xfff4000020000001)}, m.Const(ir.TypeF32, 0xffe00001), nil},
		{ir.OpFConvert, []*ir.Value{m.Const(ir.TypeF32, 0xff800001)}, m.Const(ir.TypeF64, 0xfff8000020000000), nil},
		{ir.OpFConvert, []*ir.Value{m.Const(ir.TypeF32, 0x7fd55555)}, m.Const(ir.TypeF64, 0x7ffaaaaaa0000000), nil},
		{ir.OpFFromHalf, []*ir.Value{i32(0x1230001)}, f32(0x1p-24), nil},
		{ir.OpFFromHalf, []*ir.Value{i32(0xfc01)}, m.Const(ir.TypeF32, 0x7fc00000), nil},
		{ir.OpFToHalf, []*ir.Value{f32(-65520)}, i32(0xfc00), nil},
		{ir.OpFToHalf, []*ir.Value{f32(1 + 0x1p-11)}, i32(0x3c00), nil},
		{ir.OpAddrIsNull, []*ir.Value{m.Const(ir.TypeAddr, 0)}, m.Bool(true), nil},
	} {
		typ := c.typ
		if c.want != nil {
			typ = c.want.Type
		}
		if got := facts.FoldConst(m, f.NewValue(c.op, typ, c.args...)); got != c.want {
			t.Errorf("%d: %v: %v, want %v", i, c.op, got, c.want)
		}
	}
}
