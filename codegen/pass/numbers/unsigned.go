package numbers

// This file contains the pass unsigned, for drivers that round twice when they convert uint32 to
// float32.

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Unsigned changes conversions of uint32 to float32 so that every device rounds only once (see the
// quirk unsigned-float of SwiftShader). For devices without 64-bit integers, split64.Lower changes
// the conversions instead.
func Unsigned(m *ir.Module) diag.List {
	if !inWords(m) || !facts.Avoids(m, "unsigned-float") {
		return nil
	}
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				if RoundsTwice(v) {
					add := func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
						x := f.NewValue(op, t, args...)
						x.Block, x.Pos = b, v.Pos
						out = append(out, x)
						return x
					}
					x, scale := Halved(m, v.Args[0], add)
					v.Op, v.Args = ir.OpFMul, []*ir.Value{add(ir.OpSToF, v.Type, x), scale}
				}
				out = append(out, v)
			}
			b.Insts = out
		}
	}
	return nil
}

// inWords reports whether the module uses no 64-bit integers, and no 8-bit or 16-bit integers in
// device memory.
func inWords(m *ir.Module) bool {
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if facts.Has64(v) {
					return false
				}
				if r := v.Ref(); r != nil && r.Var == nil && facts.HasSmall(r.Elem) {
					return false
				}
			}
		}
	}
	return true
}

// RoundsTwice reports whether v is a conversion to floating point of a uint32 whose highest bit may
// be set.
func RoundsTwice(v *ir.Value) bool {
	if v.Op != ir.OpUToF || v.Type != ir.TypeF32 || v.Args[0].Type != ir.TypeI32 {
		return false
	}
	x := v.Args[0]
	switch x.Op {
	case ir.OpConst:
		return x.Bits>>31 != 0
	case ir.OpUConvert:
		return x.Args[0].Type.Size >= 4
	case ir.OpAnd:
		return !x.Args[1].IsConst() || x.Args[1].Bits>>31 != 0
	case ir.OpShrL:
		return !x.Args[1].IsConst() || x.Args[1].Bits == 0
	}
	return true
}

// Halved returns a signed 32-bit integer and a float32 scale whose product is the float32 nearest
// to the uint32 x. If the highest bit of x is set, the integer is x>>1 | x&1.
func Halved(m *ir.Module, x *ir.Value, add func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value) (word, scale *ir.Value) {
	n := func(n int64) *ir.Value { return m.Int(ir.TypeI32, n) }
	f := func(f float64) *ir.Value { return m.Const(ir.TypeF32, ir.FloatBits(ir.TypeF32, f)) }
	large := add(ir.OpSLt, ir.TypeBool, x, n(0))
	half := add(ir.OpOr, ir.TypeI32, add(ir.OpShrL, ir.TypeI32, x, n(1)), add(ir.OpAnd, ir.TypeI32, x, n(1)))
	return add(ir.OpSelect, ir.TypeI32, large, half, x), add(ir.OpSelect, ir.TypeF32, large, f(2), f(1))
}
