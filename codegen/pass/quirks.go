package pass

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// quirks writes in another way what drivers are known to compile wrongly. Zeros in
// float arithmetic become the launch block's reserved word, which is zero: lavapipe
// folds x*0 and x+0 where the zero is a literal, and neither NoContraction nor
// SignedZeroInfNanPreserve keeps it from that. See also bitsOfNaN, swapBytes,
// maskPhis, widenBits and hideLiterals.
func quirks(m *ir.Module) diag.List {
	for _, f := range bodies(m) {
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				switch v.Op {
				case ir.OpOr:
					out = append(out, swapBytes(f, v)...)
				case ir.OpStore:
					out = append(out, maskPhis(f, v)...)
				case ir.OpFNe, ir.OpFEq:
					if v.Args[0] == v.Args[1] {
						out = append(out, bitsOfNaN(f, v)...)
					}
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
		widenBits(f)
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
	bits := f.NewValue(ir.OpBitcast, t, x)
	abs := f.NewValue(ir.OpAnd, t, bits, m.Const(t, magnitude))
	for _, w := range []*ir.Value{bits, abs} {
		w.Block, w.Pos = v.Block, v.Pos
	}
	if v.Op == ir.OpFNe {
		v.Op, v.Args = ir.OpULt, []*ir.Value{m.Const(t, inf), abs}
	} else {
		v.Op, v.Args = ir.OpULe, []*ir.Value{abs, m.Const(t, inf)}
	}
	return []*ir.Value{bits, abs}
}

// swapBytes turns v into another form, if it is x>>8 | x<<8&0xffff for an x of 16
// bits, and returns the values to stand before it: NVIDIA's compiler loses the
// lower byte of that one.
func swapBytes(f *ir.Func, v *ir.Value) []*ir.Value {
	m := f.Module
	isConst := func(x *ir.Value, n uint64) bool { return x.IsConst() && x.Type == ir.TypeI32 && x.Bits == n }
	for i, down := range v.Args {
		up := v.Args[1-i]
		if down.Op != ir.OpShrL || !isConst(down.Args[1], 8) || up.Op != ir.OpAnd || !isConst(up.Args[1], 0xffff) {
			continue
		}
		shl, x := up.Args[0], down.Args[0]
		if shl.Op != ir.OpShl || shl.Args[0] != x || !isConst(shl.Args[1], 8) || x.Op != ir.OpAnd || !isConst(x.Args[1], 0xffff) {
			continue
		}
		twice := f.NewValue(ir.OpIMul, ir.TypeI32, x, m.Int(ir.TypeI32, 0x10001))
		shifted := f.NewValue(ir.OpShrL, ir.TypeI32, twice, m.Int(ir.TypeI32, 8))
		for _, w := range []*ir.Value{twice, shifted} {
			w.Block, w.Pos = v.Block, v.Pos
		}
		v.Op, v.Args = ir.OpAnd, []*ir.Value{shifted, up.Args[1]}
		return []*ir.Value{twice, shifted}
	}
	return nil
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

// widenBits keeps the lowest bits of numbers, and choices of -1, 0 and 1, from being taken
// for what they are, by what is only known to be zero when a kernel runs: of such an index,
// as in s[(x*y)%2], NVIDIA's compiler (driver 580) makes one bit with a sign, and s[1]
// becomes s[-1]; and it fails where a number is -1, 0 or 1 by two comparisons, as that of
// cmp.Compare.
func widenBits(f *ir.Func) {
	bits := map[*ir.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			for _, a := range v.Args {
				if isBit(a) && !isCompare(v.Op) && (a.Op != ir.OpSelect || v.Op == ir.OpSelect) {
					bits[a] = true
				}
			}
		}
		for _, phi := range b.Phis {
			for _, a := range phi.Args {
				bits[a] = bits[a] || isBit(a)
			}
		}
	}
	wide := map[*ir.Value]*ir.Value{}
	for _, b := range f.Blocks {
		var out []*ir.Value
		for _, v := range b.Insts {
			out = append(out, v)
			if bits[v] {
				made := orZero(f, v)
				out = append(out, made...)
				wide[v] = made[len(made)-1]
			}
		}
		b.Insts = out
	}
	for _, b := range f.Blocks {
		for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
			for _, v := range vs {
				for i, a := range v.Args {
					if w := wide[a]; w != nil && w != v && !isCompare(v.Op) {
						v.Args[i] = w
					}
				}
			}
		}
	}
}

// isBit reports whether v is computed and 0, 1 or -1 by its op.
func isBit(v *ir.Value) bool {
	if v.Block == nil || !v.Type.IsInt() {
		return false
	}
	switch v.Op {
	case ir.OpAnd:
		return v.Args[0].IsConst() && v.Args[0].Bits == 1 || v.Args[1].IsConst() && v.Args[1].Bits == 1
	case ir.OpUMod:
		return v.Args[1].IsConst() && v.Args[1].Bits == 2
	case ir.OpShrL:
		return v.Args[1].IsConst() && v.Args[1].Bits == uint64(v.Type.Bits()-1)
	case ir.OpSelect:
		small := func(a *ir.Value) bool { return a.IsConst() && a.Int() >= -1 && a.Int() <= 1 }
		return small(v.Args[1]) && small(v.Args[2])
	}
	return false
}

// orZero returns v | z with the launch block's zero for z, and what that takes.
func orZero(f *ir.Func, v *ir.Value) []*ir.Value {
	z := f.NewValue(ir.OpArg, ir.TypeI32)
	z.Bits = abi.OffsetReserved
	made := []*ir.Value{z}
	if v.Type != ir.TypeI32 {
		z = f.NewValue(ir.OpUConvert, v.Type, z)
		made = append(made, z)
	}
	made = append(made, f.NewValue(ir.OpOr, v.Type, v, z))
	for _, w := range made {
		w.Block, w.Pos = v.Block, v.Pos
	}
	return made
}

// isFloatZero reports whether v is the constant 0 or -0.
func isFloatZero(v *ir.Value) bool {
	return v.IsConst() && v.Type.IsFloat() && v.Bits<<(64-v.Type.Bits()+1) == 0
}

// reservedZero returns values, the last of which is the zero z, to stand before
// v.
func reservedZero(f *ir.Func, v, z *ir.Value) []*ir.Value {
	var out []*ir.Value
	add := func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
		x := f.NewValue(op, t, args...)
		x.Block, x.Pos = v.Block, v.Pos
		out = append(out, x)
		return x
	}
	x := add(ir.OpArg, ir.TypeF32)
	x.Bits = abi.OffsetReserved
	if z.Type != ir.TypeF32 {
		x = add(ir.OpFConvert, z.Type, x)
	}
	if z.Bits != 0 {
		add(ir.OpFNegate, z.Type, x)
	}
	return out
}
