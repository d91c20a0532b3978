package lanes

// This file is the part of the pass zerolocal that zeroes large private arrays in loops.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// maxZero is the largest number of scalars in a variable that is zeroed by one store. Drivers split
// a store of a whole variable into scalars, and lavapipe needs half a minute for a thousand
// scalars.
const maxZero = 64

// zeroPrivate replaces each Zero of a large private array by a loop.
func zeroPrivate(f *ir.Func) {
	rewrite.WriteOut(f, func(v *ir.Value) bool { return v.Op == ir.OpZero && scalars(v.Ref().Var.Type) > maxZero }, func(b *ir.Block, v *ir.Value) *ir.Block {
		z := &zeroer{m: f.Module, f: f, b: b, ref: v.Ref(), pos: v.Pos, private: true}
		z.zeroLeaves(f.Module.Int(ir.TypeI32, 0), f.Module.Int(ir.TypeI32, 1))
		return z.b
	})
}

// `scalars` returns the number of scalars in a type. If the number depends on constants that the
// host sets, `scalars` returns 0.
func scalars(t *ir.Type) uint64 {
	switch t.Kind {
	case ir.Array:
		if !t.Len.IsConst() {
			return 0
		}
		return t.Len.Bits * scalars(t.Elem)
	case ir.Struct:
		n := uint64(0)
		for _, f := range t.Fields {
			n += scalars(f.Type)
		}
		return n
	}
	return 1
}
