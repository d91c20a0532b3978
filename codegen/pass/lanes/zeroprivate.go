package lanes

// This file zeroes large arrays of a work-item's own, for zerolocal.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// maxZero is how many scalars a variable may have that is zeroed by one store:
// drivers take that apart. lavapipe needs half a minute for a thousand.
const maxZero = 64

// zeroPrivate replaces each Zero of a large array of a work-item's own by a loop.
func zeroPrivate(f *ir.Func) {
	rewrite.WriteOut(f, func(v *ir.Value) bool { return v.Op == ir.OpZero && scalars(v.Ref().Var.Type) > maxZero }, func(b *ir.Block, v *ir.Value) *ir.Block {
		z := &zeroer{m: f.Module, f: f, b: b, ref: v.Ref(), pos: v.Pos, private: true}
		z.zero(f.Module.Int(ir.TypeI32, 0), f.Module.Int(ir.TypeI32, 1))
		return z.b
	})
}

// scalars returns the number of scalars in a type, or 0 where constants that the host
// sets decide on it.
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
