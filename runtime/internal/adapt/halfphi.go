package adapt

import "github.com/kgen-go/kgen/codegen/spirv"

// This file keeps float16s in 16-bit registers across blocks. In kgen's modules, a float16 variable
// of a loop is a phi of 32-bit words. Each iteration replaces a NaN by package half's NaN, and
// extends the float16 to a 32-bit word. For example, a loop has this code before the rewrite:
//
//	%a = OpPhi %uint %init %before %next %body
//	%x = half of %a
//	%y = Fma %x %b %c
//	%next = NaN's pattern or the word of %y.
//
// The rewrite adds a phi of float16s, so that the instruction Fma does not depend on the phi %a:
//
//	%x = OpPhi %half %h %before %y %body.
//
// The phi of 32-bit words is then unused, and the driver removes it.

// choosePhis finds the phis of 32-bit words that have at least one operand from a float16
// instruction. For each phi that it finds, choosePhis makes an ID for an additional phi of
// float16s.
func (x *halfRewriter) choosePhis() {
	for grown := true; grown; {
		grown = false
		for _, f := range x.m.Functions {
			for _, in := range f.Code {
				if in.Op != spirv.OpPhi || in.Type != x.u32() || x.rawHalf[in.Result] != 0 {
					continue
				}
				for i := 0; i < len(in.Words); i += 2 {
					if w := spirv.ID(in.Words[i]); x.rawHalf[w] != 0 || x.isNative(w) {
						x.rawHalf[in.Result] = x.e.NewID()
						grown = true
						break
					}
				}
			}
		}
	}
}

// isNative reports whether a float16 instruction computes the number in word w. Other float16
// instructions may then use the result directly, before NaNs are replaced.
func (x *halfRewriter) isNative(w spirv.ID) bool {
	in := x.defs[w]
	if in == nil {
		return false
	}
	if x.nameOf[w] == spirv.MarkHalfFma {
		return x.markedInst(in) != nil
	}
	v := x.packedFloat(in)
	return v != 0 && x.isOperation(x.defs[v])
}

// addPhis returns the rewritten code with the phis of float16s that choosePhis has chosen.
func (x *halfRewriter) addPhis(code []spirv.Instruction) []spirv.Instruction {
	atEnd := map[spirv.ID][]spirv.Instruction{} // maps the label of a block to conversions for phis, which are inserted at the end of the block
	var out []spirv.Instruction
	for _, in := range code {
		out = append(out, in)
		raw := x.rawHalf[in.Result]
		if in.Op != spirv.OpPhi || raw == 0 {
			continue
		}
		phi := spirv.Instruction{Op: spirv.OpPhi, Type: x.f16(), Result: raw}
		for i := 0; i < len(in.Words); i += 2 {
			w, from := spirv.ID(in.Words[i]), spirv.ID(in.Words[i+1])
			c := halfCode{x.e.NewCode(), x}
			h := x.extractHalf(c, w)
			atEnd[from] = append(atEnd[from], c.List...)
			phi.Words = append(phi.Words, uint32(h), uint32(from))
		}
		out = append(out, phi)
	}
	if len(atEnd) == 0 {
		return out
	}
	code, out = out, nil
	var at spirv.ID
	for _, in := range code {
		if in.Op == spirv.OpLabel {
			at = in.Result
		}
		if in.Op == spirv.OpLoopMerge || in.Op == spirv.OpSelectionMerge || in.Op.IsTerminator() {
			out = append(out, atEnd[at]...)
			delete(atEnd, at)
		}
		out = append(out, in)
	}
	return out
}
