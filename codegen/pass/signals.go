package pass

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// isSignalling reports whether v is a signalling NaN of 32 bits. NVIDIA's compiler makes
// such constants quiet.
func isSignalling(v *ir.Value) bool {
	return v.IsConst() && v.Type == ir.TypeF32 && v.Bits&0x7fc00000 == 0x7f800000 && v.Bits&0x7fffff != 0
}

// keepSignals has tables with signalling NaNs hold the bits.
func keepSignals(m *ir.Module) {
	changed := map[*ir.Var]bool{}
	for _, t := range m.Vars {
		if !slices.ContainsFunc(t.Init, isSignalling) {
			continue
		}
		changed[t] = true
		t.Type = integerOf(m, t.Type)
		for i, c := range t.Init {
			if c.Type == ir.TypeF32 {
				t.Init[i] = m.Const(ir.TypeI32, c.Bits)
			}
		}
	}
	if len(changed) == 0 {
		return
	}
	for _, f := range bodies(m) {
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				if r := v.Ref(); r != nil && changed[r.Var] && v.Op == ir.OpLoad && v.Type == ir.TypeF32 {
					load := &maker{f: f, at: v}
					load.op(ir.OpLoad, ir.TypeI32, v.Args...).Aux = &ir.Ref{Var: r.Var, Elem: r.Elem}
					out = append(out, load.made...)
					v.Op, v.Args, v.Aux = ir.OpBitcast, load.made, nil
				}
				out = append(out, v)
			}
			b.Insts = out
		}
	}
}

// integerOf returns t with integers for its float32s.
func integerOf(m *ir.Module, t *ir.Type) *ir.Type {
	switch t.Kind {
	case ir.F32:
		return ir.TypeI32
	case ir.Array:
		return m.ArrayOf(integerOf(m, t.Elem), t.Len)
	case ir.Struct:
		fields := slices.Clone(t.Fields)
		for i := range fields {
			fields[i].Type = integerOf(m, fields[i].Type)
		}
		return m.StructOf(fields, t.Size, t.Align)
	}
	return t
}
