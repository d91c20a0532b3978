package pass

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// quirks writes in another way what drivers are known to compile wrongly. Zeros in
// float arithmetic become the launch block's reserved word, which is zero: lavapipe
// folds x*0 and x+0 where the zero is a literal, and neither NoContraction nor
// SignedZeroInfNanPreserve keeps it from that. See also bitsOfNaN, maskPhis,
// numberFlags, hideValues, countedFlags, hideFlags, hideLiterals and keepSignals.
func quirks(m *ir.Module) diag.List {
	keepSignals(m)
	for _, f := range bodies(m) {
		h := newZeroHider(f)
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				switch v.Op {
				case ir.OpStore:
					out = append(out, maskPhis(f, v)...)
				case ir.OpFNe, ir.OpFEq:
					if v.Args[0] == v.Args[1] {
						out = append(out, bitsOfNaN(f, v)...)
					}
				case ir.OpLNe, ir.OpLEq:
					out = append(out, h.numberFlags(v)...)
				case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFma, ir.OpSelect:
					for i, a := range v.Args {
						if isFloatZero(a) {
							z := reservedZero(f, v, a)
							out = append(out, z...)
							v.Args[i] = z[len(z)-1]
						}
					}
				}
				out = append(out, v)
			}
			b.Insts = out
		}
		h.hideValues()
		countedFlags(f)
		h.hideFlags()
		hideLiterals(f)
	}
	return nil
}

// bitsOfNaN turns v, x != x or x == x, into a comparison of x's bits, and returns
// the values to stand before it: NVIDIA's compiler takes x to be no NaN.
func bitsOfNaN(f *ir.Func, v *ir.Value) []*ir.Value {
	x := v.Args[0]
	t, inf, magnitude := ir.TypeI32, uint64(0x7f800000), uint64(1<<31-1)
	switch x.Type {
	case ir.TypeF64:
		t, inf, magnitude = ir.TypeI64, 0x7ff<<52, 1<<63-1
	case ir.TypeF16:
		return nil
	}
	m := f.Module
	make := &maker{f: f, at: v}
	abs := make.op(ir.OpAnd, t, make.op(ir.OpBitcast, t, x), m.Const(t, magnitude))
	if v.Op == ir.OpFNe {
		v.Op, v.Args = ir.OpULt, []*ir.Value{m.Const(t, inf), abs}
	} else {
		v.Op, v.Args = ir.OpULe, []*ir.Value{abs, m.Const(t, inf)}
	}
	return make.made
}

// maskPhis turns the indices of v, a store in a private array, that are phis into
// others of the same value, and returns these: lavapipe may keep a phi and what it
// will be next in one register where the phi is used in the index of a store alone,
// so that the store of s[j], s[j-1] = s[j-1], s[j] goes astray.
func maskPhis(f *ir.Func, v *ir.Value) []*ir.Value {
	ref, ok := v.Aux.(*ir.Ref)
	if !ok || ref.Var == nil || ref.Var.Storage == ir.Workgroup {
		return nil
	}
	var out []*ir.Value
	for i, a := range v.Args[1:] {
		if a.Op == ir.OpPhi && a.Type == ir.TypeI32 {
			w := f.NewValue(ir.OpAnd, ir.TypeI32, a, f.Module.Int(ir.TypeI32, 1<<31-1))
			w.Block, w.Pos = v.Block, v.Pos
			out = append(out, w)
			v.Args[1+i] = w
		}
	}
	return out
}

// isFloatZero reports whether v is the constant 0 or -0.
func isFloatZero(v *ir.Value) bool {
	return v.IsConst() && v.Type.IsFloat() && v.Bits<<(64-v.Type.Bits()+1) == 0
}

// reservedZero returns values, the last of which is the zero z, to stand before
// v.
func reservedZero(f *ir.Func, v, z *ir.Value) []*ir.Value {
	m := &maker{f: f, at: v}
	x := m.op(ir.OpArg, ir.TypeF32)
	x.Bits = abi.OffsetReserved
	if z.Type != ir.TypeF32 {
		x = m.op(ir.OpFConvert, z.Type, x)
	}
	if z.Bits != 0 {
		m.op(ir.OpFNegate, z.Type, x)
	}
	return m.made
}
