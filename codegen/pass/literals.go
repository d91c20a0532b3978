package pass

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// hideLiterals makes the operands of float arithmetic unknown to drivers where they
// could find them to be constants: zeros of that kind come about when a driver
// unrolls a loop, or folds what kgen does not. lavapipe then takes x*0 and 0/x to be
// 0, x+0 to be x, and x/0 to be undefined, so that whole stores may vanish.
//
// What depends on constants and on rounds of loops alone, and constants that phis
// begin with, become themselves or zero, where zero is the launch block's reserved
// word.
func hideLiterals(f *ir.Func) {
	h := &hider{f: f, known: map[literalKey]bool{}}
	for _, b := range f.Blocks {
		for _, p := range b.Phis {
			for i, a := range p.Args {
				if a.IsConst() && hideable(p.Type) {
					h.b, h.out, h.done = b.Preds[i], b.Preds[i].Insts, nil
					p.Args[i] = h.hide(a, p)
					b.Preds[i].Insts = h.out
				}
			}
		}
	}
	for _, b := range f.Blocks {
		h.b, h.out, h.done = b, nil, map[*ir.Value]*ir.Value{}
		for _, v := range b.Insts {
			switch v.Op {
			case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFma:
				for i, a := range v.Args {
					if !a.IsConst() && hideable(a.Type) && h.literal(a, v.Op == ir.OpFDiv) {
						v.Args[i] = h.hide(a, v)
					}
				}
			}
			for i, a := range v.Args {
				if isSignalling(a) {
					v.Args[i] = h.hide(a, v)
				}
			}
			h.out = append(h.out, v)
		}
		b.Insts = h.out
	}
}

// hideable leaves out what has no integer of its size everywhere.
func hideable(t *ir.Type) bool { return t == ir.TypeF32 || t == ir.TypeF64 }

// hider hides values in block b, whose values so far are out.
type hider struct {
	f     *ir.Func
	b     *ir.Block
	out   []*ir.Value
	done  map[*ir.Value]*ir.Value // in b
	known map[literalKey]bool
}

// hide returns what is a, but no constant, for the use of v.
func (h *hider) hide(a, v *ir.Value) *ir.Value {
	if x := h.done[a]; x != nil {
		return x
	}
	add := func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
		x := h.f.NewValue(op, t, args...)
		x.Block, x.Pos = h.b, v.Pos
		h.out = append(h.out, x)
		return x
	}
	if isFloatZero(a) {
		zero := reservedZero(h.f, v, a)
		for _, x := range zero {
			x.Block = h.b
		}
		h.out = append(h.out, zero...)
		return zero[len(zero)-1]
	}
	zero := add(ir.OpArg, ir.TypeI32)
	zero.Bits = abi.OffsetReserved
	t := ir.TypeI32
	if a.Type == ir.TypeF64 {
		t = ir.TypeI64
		zero = add(ir.OpUConvert, t, zero)
	}
	var bits *ir.Value
	if isSignalling(a) {
		bits = h.f.Module.Const(t, a.Bits)
	} else {
		bits = add(ir.OpBitcast, t, a)
	}
	x := add(ir.OpBitcast, a.Type, add(ir.OpOr, t, bits, zero))
	if h.done != nil {
		h.done[a] = x
	}
	return x
}

// literalKey is a question that has been answered.
type literalKey struct {
	v    *ir.Value
	deep bool
}

// literal reports whether a driver may find that v is a constant: not where it is a
// sum or the like of what the kernel loads from device memory or gets as an argument.
// Only if deep is set, private memory may hold constants: loads from it are what
// blocked algorithms consist of.
func (h *hider) literal(v *ir.Value, deep bool) bool {
	if v.IsConst() || v.IsConstExpr() {
		return true
	}
	k := literalKey{v, deep}
	if may, ok := h.known[k]; ok {
		return may
	}
	is := func(x *ir.Value) bool { return h.literal(x, deep) }
	all := func() bool { return !slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return !is(x) }) }
	h.known[k] = v.Op == ir.OpPhi && slices.ContainsFunc(v.Args, (*ir.Value).IsConst)
	may := h.known[k]
	switch v.Op {
	case ir.OpArg, ir.OpBuiltIn:
	case ir.OpLoad:
		ref := v.Ref()
		may = deep && (ref == nil || ref.Var != nil && ref.Var.Storage != ir.Workgroup)
	case ir.OpSToF, ir.OpUToF: // integers in private memory are no matter of blocked algorithms
		may = h.literal(v.Args[0], true)
	case ir.OpPhi:
		may = may || slices.ContainsFunc(v.Args, is)
	case ir.OpFMul, ir.OpIMul, ir.OpAnd, ir.OpShl, ir.OpShrL, ir.OpShrA:
		// One that is zero decides; those of kgen are none.
		may = all() || slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return !x.IsConst() && is(x) })
	case ir.OpISub, ir.OpXor:
		may = all() || v.Args[0] == v.Args[1]
	case ir.OpFDiv:
		may = is(v.Args[0])
	case ir.OpFma:
		may = is(v.Args[2]) && (is(v.Args[0]) || is(v.Args[1]))
	case ir.OpSelect:
		may = is(v.Args[1]) && is(v.Args[2]) || is(v.Args[0]) && (is(v.Args[1]) || is(v.Args[2]))
	default:
		may = v.Op.Has(ir.FlagPure) && all()
	}
	h.known[k] = may
	return may
}
