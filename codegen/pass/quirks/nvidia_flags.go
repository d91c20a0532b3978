package quirks

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file contains the workarounds for NVIDIA's bugs with comparisons, bools and NaNs.

// splitComparisons replaces the comparison y < x by (y | zeros) < x if the function also computes x
// < y.
func splitComparisons(h *hider) {
	type order struct {
		signed bool
		x, y   *ir.Value
	}
	seen := map[order]bool{}
	for _, b := range h.f.Blocks {
		var out []*ir.Value
		for _, v := range b.Insts {
			var k order
			switch v.Op {
			case ir.OpSLt, ir.OpULt:
				k = order{v.Op == ir.OpSLt, v.Args[0], v.Args[1]}
			case ir.OpSLe, ir.OpULe: // the comparison equals the negation of y < x
				k = order{v.Op == ir.OpSLe, v.Args[1], v.Args[0]}
			}
			switch {
			case k.x == nil || k.x.IsConst() || k.y.IsConst():
			case seen[order{k.signed, k.y, k.x}]:
				made := h.orZero(v.Args[0], v)
				out = append(out, made...)
				v.Args[0] = made[len(made)-1]
			default:
				seen[k] = true
			}
			out = append(out, v)
		}
		b.Insts = out
	}
}

// splitMinima hides an operand of a float comparison x < y if the function chooses between x and y.
// For float32, a comparison x < y becomes float(bits(x) | zeros) < y.
func splitMinima(h *hider) {
	chosen := map[[2]*ir.Value]bool{}
	for _, b := range h.f.Blocks {
		for _, v := range b.Insts {
			if v.Op == ir.OpSelect && v.Type == ir.TypeF32 {
				chosen[[2]*ir.Value{v.Args[1], v.Args[2]}] = true
			}
		}
		for _, phi := range b.Phis {
			if phi.Type != ir.TypeF32 || b.Continue != nil {
				continue
			}
			for _, x := range phi.Args {
				for _, y := range phi.Args {
					if x != y {
						chosen[[2]*ir.Value{x, y}] = true
					}
				}
			}
		}
	}
	for _, b := range h.f.Blocks {
		var out []*ir.Value
		for _, v := range b.Insts {
			if v.Op == ir.OpFLt || v.Op == ir.OpFLe {
				x, y := v.Args[0], v.Args[1]
				i := 0
				if x.IsConst() {
					i = 1
				}
				if chosen[[2]*ir.Value{x, y}] || chosen[[2]*ir.Value{y, x}] {
					made := h.bitsOrZero(v.Args[i], v)
					out = append(out, made...)
					v.Args[i] = made[len(made)-1]
				}
			}
			out = append(out, v)
		}
		b.Insts = out
	}
}

// numberFlags turns a comparison of two bools, such as a != b, into the comparison (int(a) | zeros)
// != int(b) of numbers.
func numberFlags(h *hider, v *ir.Value) []*ir.Value {
	if v.Op != ir.OpLNe && v.Op != ir.OpLEq {
		return nil
	}
	zero, one := h.f.Module.Int(ir.TypeI32, 0), h.f.Module.Int(ir.TypeI32, 1)
	m := &rewrite.Maker{Func: h.f, At: v}
	x := m.Op(ir.OpSelect, ir.TypeI32, v.Args[0], one, zero)
	x = m.Op(ir.OpOr, ir.TypeI32, x, m.Zeros(kindBits(v.ID%h.zeroKinds)))
	y := m.Op(ir.OpSelect, ir.TypeI32, v.Args[1], one, zero)
	op := ir.OpIEq
	if v.Op == ir.OpLNe {
		op = ir.OpINe
	}
	v.Op, v.Args = op, []*ir.Value{x, y}
	return m.Made
}

// countedFlags turns each bool phi in the header of a loop into an integer phi and a comparison of
// that phi with 0.
func countedFlags(f *ir.Func) {
	m := f.Module
	zero, one := m.Int(ir.TypeI32, 0), m.Int(ir.TypeI32, 1)
	flags := map[*ir.Value]*ir.Value{}
	for _, h := range f.Blocks {
		if h.Continue == nil {
			continue
		}
		var insts []*ir.Value
		for _, phi := range h.Phis {
			if phi.Type.Kind == ir.Bool {
				flag := f.NewValue(ir.OpINe, ir.TypeBool)
				flag.Block, flag.Pos = h, phi.Pos
				flags[phi] = flag
				insts = append(insts, flag)
			}
		}
		h.Insts = append(insts, h.Insts...)
	}
	rewrite.ReplaceUses(f, func(v *ir.Value) *ir.Value {
		if flag := flags[v]; flag != nil {
			return flag
		}
		return v
	})
	for _, h := range f.Blocks {
		for _, phi := range h.Phis {
			flag := flags[phi]
			if flag == nil {
				continue
			}
			phi.Type, flag.Args = ir.TypeI32, []*ir.Value{phi, zero}
			for i, a := range phi.Args {
				switch {
				case a == flag:
					phi.Args[i] = phi
				case a.IsConst():
					phi.Args[i] = m.Const(ir.TypeI32, a.Bits)
				default:
					from := h.Preds[i]
					n := f.NewValue(ir.OpSelect, ir.TypeI32, a, one, zero)
					n.Block, n.Pos = from, phi.Pos
					from.Insts = append(from.Insts, n)
					phi.Args[i] = n
				}
			}
		}
	}
}

// joinedFlags replaces each bool phi by (int(phi) | zeros) != 0 in all its uses except other phis.
//
// joinedFlags changes only functions with Sync ops. In functions without Sync ops, it is harmless
// if the compiler lets some work-items skip a join.
func joinedFlags(h *hider) {
	f := h.f
	if !facts.Meets(f) {
		return
	}
	zero, one := f.Module.Int(ir.TypeI32, 0), f.Module.Int(ir.TypeI32, 1)
	hidden := map[*ir.Value]*ir.Value{}
	own := map[*ir.Value]bool{} // values that hide a phi, and so must use the phi itself
	used := map[*ir.Value]bool{}
	for _, b := range f.Blocks {
		used[b.Term.Cond] = true
		for _, v := range b.Insts {
			for _, a := range v.Args {
				used[a] = true
			}
		}
	}
	for _, b := range f.Blocks {
		var made []*ir.Value
		for _, phi := range b.Phis {
			if phi.Type.Kind != ir.Bool || !used[phi] {
				continue
			}
			m := &rewrite.Maker{Func: f, At: phi}
			x := m.Op(ir.OpSelect, ir.TypeI32, phi, one, zero)
			own[x] = true
			hidden[phi] = m.Op(ir.OpINe, ir.TypeBool, m.Op(ir.OpOr, ir.TypeI32, x, m.Zeros(flagBit(len(hidden)))), zero)
			made = append(made, m.Made...)
		}
		b.Insts = append(made, b.Insts...)
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			for i, a := range v.Args {
				if w := hidden[a]; w != nil && !own[v] {
					v.Args[i] = w
				}
			}
		}
		if w := hidden[b.Term.Cond]; w != nil {
			b.Term.Cond = w
		}
	}
}

// bitsOfNaN turns a comparison of a float x with itself into a comparison of x's bits. For float32,
// x != x becomes 0x7f800000 < (bits(x) & 0x7fffffff).
func bitsOfNaN(h *hider, v *ir.Value) []*ir.Value {
	if v.Op != ir.OpFNe && v.Op != ir.OpFEq || v.Args[0] != v.Args[1] {
		return nil
	}
	x := v.Args[0]
	t, inf, magnitude := ir.TypeI32, uint64(0x7f800000), uint64(1<<31-1)
	switch x.Type {
	case ir.TypeF64:
		t, inf, magnitude = ir.TypeI64, 0x7ff<<52, 1<<63-1
	case ir.TypeF16:
		return nil
	}
	m := h.f.Module
	mk := &rewrite.Maker{Func: h.f, At: v}
	abs := mk.Op(ir.OpAnd, t, mk.Op(ir.OpBitcast, t, x), m.Const(t, magnitude))
	if v.Op == ir.OpFNe {
		v.Op, v.Args = ir.OpULt, []*ir.Value{m.Const(t, inf), abs}
	} else {
		v.Op, v.Args = ir.OpULe, []*ir.Value{abs, m.Const(t, inf)}
	}
	return mk.Made
}

// isSignalling reports whether v is a float32 constant that is a signalling NaN.
func isSignalling(v *ir.Value) bool {
	return v.IsConst() && v.Type == ir.TypeF32 && v.Bits&0x7fc00000 == 0x7f800000 && v.Bits&0x7fffff != 0
}

// keepSignals replaces the floats of a table of constants by integers with the same bits, if the
// table contains signalling NaNs.
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
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				if r := v.Ref(); r != nil && changed[r.Var] && v.Op == ir.OpLoad && v.Type == ir.TypeF32 {
					load := &rewrite.Maker{Func: f, At: v}
					load.Op(ir.OpLoad, ir.TypeI32, v.Args...).Aux = &ir.Ref{Var: r.Var, Elem: r.Elem}
					out = append(out, load.Made...)
					v.Op, v.Args, v.Aux = ir.OpBitcast, load.Made, nil
				}
				out = append(out, v)
			}
			b.Insts = out
		}
	}
}

// integerOf returns the type t with 32-bit integers instead of float32s.
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

// hideSignals hides constants that are signalling NaNs. hideSignals combines the bits of the
// constant with an unknown zero.
func hideSignals(h *hider) {
	h.eachIncoming(func(_, a *ir.Value) bool { return isSignalling(a) })
	h.rewriteInsts(func(v *ir.Value) {
		for i, a := range v.Args {
			if isSignalling(a) {
				v.Args[i] = h.hideFloat(a, v)
			}
		}
	})
}
