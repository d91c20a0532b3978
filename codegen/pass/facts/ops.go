package facts

// This file contains predicates on ops, functions and types that need no analysis.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Speculative reports whether v may be computed on paths that do not use its result.
func Speculative(v *ir.Value) bool {
	if !v.Op.Has(ir.FlagPure) || v.Op == ir.OpPhi {
		return false
	}
	if !v.Op.Has(ir.FlagPartial) {
		return true
	}
	switch v.Op {
	case ir.OpUDiv, ir.OpUMod:
		return v.Args[1].IsConst() && v.Args[1].Bits != 0
	case ir.OpSDiv:
		return v.Args[1].IsConst() && v.Args[1].Int() > 0
	case ir.OpShl, ir.OpShrL, ir.OpShrA:
		return v.Args[1].IsConst() && v.Args[1].Bits < uint64(v.Type.Bits())
	}
	return false
}

// HasLoop reports whether the function has a back edge.
func HasLoop(f *ir.Func) bool {
	d := f.Dominators()
	for _, b := range d.Order {
		for _, s := range b.Term.Succs {
			if d.IsBackEdge(b, s) {
				return true
			}
		}
	}
	return false
}

// Meets reports whether f contains a barrier or a group operation.
func Meets(f *ir.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if v.Op.Has(ir.FlagSync) {
				return true
			}
		}
	}
	return false
}

// IsAtomic reports whether v is an atomic operation on memory.
func IsAtomic(v *ir.Value) bool { return v.Op.Has(ir.FlagAtomic) && v.Ref() != nil }

// Has64 reports whether v or one of its operands is a 64-bit integer.
func Has64(v *ir.Value) bool {
	return v.Type == ir.TypeI64 || slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a.Type == ir.TypeI64 })
}

// Deep64 reports whether v or any direct or indirect operand of v is a 64-bit integer.
func Deep64(v *ir.Value, seen map[*ir.Value]bool) bool {
	is, ok := seen[v]
	if !ok {
		is = v.Type == ir.TypeI64 || slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return Deep64(a, seen) })
		seen[v] = is
	}
	return is
}

// HasSmall reports whether memory of type t has integers of 8 or 16 bits.
func HasSmall(t *ir.Type) bool {
	switch t.Kind {
	case ir.I8, ir.I16:
		return true
	case ir.Array:
		return HasSmall(t.Elem)
	case ir.Struct:
		for _, f := range t.Fields {
			if HasSmall(f.Type) {
				return true
			}
		}
	}
	return false
}

// MayBeProduct reports whether v is a product or might become a product when the code is
// simplified.
func MayBeProduct(v *ir.Value) bool {
	switch v.Op {
	case ir.OpFMul, ir.OpFNegate, ir.OpPhi, ir.OpSelect, ir.OpLoad:
		return true
	}
	return false
}

// Inexact reports whether v is a float32 division or square root, which devices may round
// incorrectly. To correct the result of an inexact op, the pass exactdiv adds code with a divergent
// branch.
func Inexact(v *ir.Value) bool {
	switch v.Op {
	case ir.OpFDiv, ir.OpFSqrt, ir.OpFInvSqrt:
		return v.Type == ir.TypeF32
	}
	return false
}
