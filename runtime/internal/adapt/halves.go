package adapt

import (
	"math"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Halves returns a module in which conversions and arithmetic of float16s have the same results as
// package half. kgen's modules convert float16s by the GLSL instructions UnpackHalf2x16 and
// PackHalf2x16, which are not exact on all devices. Halves prefers 16-bit instructions if they are
// exact on the device. If the 16-bit instructions are not exact, Halves keeps the GLSL instructions
// that are exact. Code with integers and float32s replaces the other GLSL instructions. Each NaN
// result has the bits that package half uses for NaN.
//
// In kgen's modules, the operands of a float16 addition are converted to float32, and the sum is
// converted back to float16. Halves replaces the conversions and the float32 addition by one
// float16 addition. Halves replaces float16 differences and products in the same way as additions.
// The result is the same, because a float32 has more than twice as many digits as a float16.
// Quotients, roots and fused multiply-adds consist of several float32 instructions in kgen's
// modules. Each quotient, root and fused multiply-add is marked by a named vector, which contains
// the result and the operands. Halves replaces a marked operation by one float16 instruction if
// this instruction is exact on the device. The driver removes the old code, which is then unused.
// Halves does not modify its argument.
func Halves(words []uint32, right *hal.Halves) ([]uint32, error) {
	if !hasHalves(words) {
		return words, nil
	}
	m, err := spirv.Parse(words)
	if err != nil {
		return nil, err
	}
	x := &halfRewriter{m: m, e: spirv.Edit(m), right: right, defs: map[spirv.ID]*spirv.Instruction{}, rawHalf: map[spirv.ID]spirv.ID{}, nameOf: map[spirv.ID]string{}}
	for _, in := range m.ExtInstImports {
		if spirv.String(in.Words) == spirv.GLSLstd450Name {
			x.glsl = in.Result
		}
	}
	for _, in := range m.Names {
		if in.Op == spirv.OpName {
			x.nameOf[spirv.ID(in.Words[0])] = spirv.String(in.Words[1:])
		}
	}
	m.All(func(in *spirv.Instruction) bool {
		if in.Result != 0 {
			def := *in
			x.defs[in.Result] = &def
		}
		return true
	})
	if err := x.findUses(); err != nil {
		return nil, err
	}
	x.choosePhis()
	for i := range m.Functions {
		f := &m.Functions[i]
		var out []spirv.Instruction
		for _, in := range f.Code {
			if list := x.replaceHalf(&in); list != nil {
				out = append(out, list...)
			} else if !x.allReplaced(&in) {
				out = append(out, in)
			}
		}
		f.Code = x.addPhis(out)
	}
	if x.hasHalfType {
		x.e.Capability(spirv.CapabilityFloat16)
	}
	return m.Words(), nil
}

// hasHalves reports whether a module contains an instruction that packs or unpacks float16s.
func hasHalves(words []uint32) bool {
	const header = 5
	for i := header; i < len(words); {
		n := int(words[i] >> 16)
		if n == 0 || i+n > len(words) {
			return false
		}
		if spirv.Op(words[i]&0xffff) == spirv.OpExtInst && n > 4 {
			if inst := spirv.GLSLstd450(words[i+4]); inst == spirv.GLSLstd450UnpackHalf2x16 || inst == spirv.GLSLstd450PackHalf2x16 {
				return true
			}
		}
		i += n
	}
	return false
}

// halfRewriter rewrites the float16 instructions of a module.
type halfRewriter struct {
	m           *spirv.Module
	e           *spirv.Editor
	right       *hal.Halves
	glsl        spirv.ID
	hasHalfType bool // the rewritten module uses the float16 type

	defs map[spirv.ID]*spirv.Instruction
	// nameOf maps the ID of a value to its name. Names such as spirv.MarkHalfFma mark a float16
	// operation.
	nameOf map[spirv.ID]string
	// foreignVectors is the set of vectors from UnpackHalf2x16 whose second element is used.
	// Modules of kgen do not use the second element.
	foreignVectors map[spirv.ID]bool
	// bitsUsed is the set of float32s whose NaN bits may matter, because not all their uses are
	// arithmetic or comparisons.
	bitsUsed map[spirv.ID]bool
	// rawHalf maps a word to the float16 value from which the word was made. In the float16 value,
	// NaNs have not been replaced yet.
	rawHalf map[spirv.ID]spirv.ID
}

// findUses sets foreignVectors and bitsUsed.
func (x *halfRewriter) findUses() error {
	x.foreignVectors, x.bitsUsed = map[spirv.ID]bool{}, map[spirv.ID]bool{}
	d := x.m.Decoder()
	for _, f := range x.m.Functions {
		for _, in := range f.Code {
			operands, err := d.Operands(&in)
			if err != nil {
				return err
			}
			first := in.Op == spirv.OpCompositeExtract && len(in.Words) == 2 && in.Words[1] == 0
			for _, o := range operands {
				if !o.Kind.IsID() {
					continue
				}
				id := spirv.ID(o.Words[0])
				x.foreignVectors[id] = x.foreignVectors[id] || !first
				switch in.Op {
				case spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFOrdEqual, spirv.OpFUnordNotEqual, spirv.OpFOrdLessThan, spirv.OpFOrdLessThanEqual:
				default:
					x.bitsUsed[id] = true
				}
			}
		}
	}
	return nil
}

// isInst reports whether an instruction of a module is the instruction `inst` of the GLSL
// instruction set.
func (x *halfRewriter) isInst(in *spirv.Instruction, inst spirv.GLSLstd450) bool {
	return in != nil && in.Op == spirv.OpExtInst && x.glsl != 0 && spirv.ID(in.Words[0]) == x.glsl && spirv.GLSLstd450(in.Words[1]) == inst
}

// unpackedWord returns the word that contains the given float32, as a float16, in its lower half.
// For other float32s, unpackedWord returns 0.
func (x *halfRewriter) unpackedWord(id spirv.ID) spirv.ID {
	in := x.defs[id]
	if in == nil || in.Op != spirv.OpCompositeExtract || in.Words[1] != 0 {
		return 0
	}
	if from := x.defs[spirv.ID(in.Words[0])]; x.isInst(from, spirv.GLSLstd450UnpackHalf2x16) && !x.foreignVectors[from.Result] {
		return spirv.ID(from.Words[2])
	}
	return 0
}

// packedFloat returns the float32 that the instruction packs as a float16 into the lower half of a
// word. For other instructions, packedFloat returns 0.
func (x *halfRewriter) packedFloat(in *spirv.Instruction) spirv.ID {
	if !x.isInst(in, spirv.GLSLstd450PackHalf2x16) {
		return 0
	}
	pair := x.defs[spirv.ID(in.Words[2])]
	if pair == nil || pair.Op != spirv.OpCompositeConstruct || len(pair.Words) != 2 {
		return 0
	}
	if zero := x.defs[spirv.ID(pair.Words[1])]; zero == nil || zero.Op != spirv.OpConstantNull {
		return 0
	}
	return spirv.ID(pair.Words[0])
}

// allReplaced reports whether the instruction can be removed, because all uses of its result have
// been replaced.
func (x *halfRewriter) allReplaced(in *spirv.Instruction) bool {
	return x.isInst(in, spirv.GLSLstd450UnpackHalf2x16) && !x.foreignVectors[in.Result] && (x.right.Widen || !x.right.Unpack)
}

// replaceHalf returns code that replaces the given instruction. For an instruction that stays
// unchanged, replaceHalf returns nil.
func (x *halfRewriter) replaceHalf(in *spirv.Instruction) []spirv.Instruction {
	c := x.e.NewCode()
	if all := x.markedInst(in); all != nil {
		x.computeCode(c, all, in)
	} else if w := x.unpackedWord(in.Result); w != 0 {
		x.widenCode(c, w, in)
	} else if v := x.packedFloat(in); v != 0 {
		x.narrowCode(c, v, in)
	} else {
		return nil
	}
	c.Last(in.Result)
	return c.List
}

func (x *halfRewriter) u32() spirv.ID { return x.e.Global(spirv.OpTypeInt, 0, 32, 0) }

func (x *halfRewriter) f32() spirv.ID { return x.e.Global(spirv.OpTypeFloat, 0, 32) }

func (x *halfRewriter) f16() spirv.ID {
	x.hasHalfType = true
	return x.e.Global(spirv.OpTypeFloat, 0, 16)
}

func (x *halfRewriter) f16x2() spirv.ID { return x.e.Global(spirv.OpTypeVector, 0, uint32(x.f16()), 2) }

func (x *halfRewriter) word(n uint32) spirv.ID { return x.e.Global(spirv.OpConstant, x.u32(), n) }

func (x *halfRewriter) float(f float32) spirv.ID {
	return x.e.Global(spirv.OpConstant, x.f32(), math.Float32bits(f))
}

// halfCode is code under construction, with methods for operations on 32-bit words.
type halfCode struct {
	*spirv.Code
	x *halfRewriter
}

func (c halfCode) word(op spirv.Op, a, b spirv.ID) spirv.ID { return c.Op(op, c.x.u32(), a, b) }

func (c halfCode) is(op spirv.Op, a, b spirv.ID) spirv.ID {
	return c.Op(op, c.x.e.Global(spirv.OpTypeBool, 0), a, b)
}

func (c halfCode) choose(cond, yes, no spirv.ID) spirv.ID {
	return c.Op(spirv.OpSelect, c.x.u32(), cond, yes, no)
}

func (c halfCode) bits(f spirv.ID) spirv.ID { return c.Op(spirv.OpBitcast, c.x.u32(), f) }

func (c halfCode) number(w spirv.ID) spirv.ID { return c.Op(spirv.OpBitcast, c.x.f32(), w) }

// unfusedOp writes an operation with the decoration NoContraction, so that the driver does not fuse
// the operation with another one.
func (c halfCode) unfusedOp(op spirv.Op, t, a, b spirv.ID) spirv.ID {
	id := c.Op(op, t, a, b)
	c.x.e.Decorate(id, spirv.DecorationNoContraction)
	return id
}

// Bit masks and bits of special values, for float16s and float32s.
const (
	magnitude16, sign16, inf16, nan16 = 0x7fff, 0x8000, 0x7c00, 0x7e00
	magnitude32, inf32, nan32         = 1<<31 - 1, 0xff << 23, 0x7fc00000
)

// widenCode writes code that converts the float16 in word w to a float32. The code replaces the
// given instruction.
func (x *halfRewriter) widenCode(list *spirv.Code, w spirv.ID, in *spirv.Instruction) {
	c := halfCode{list, x}
	exact := x.right.Widen || x.right.Unpack
	var v spirv.ID
	switch {
	case x.right.Widen:
		v = c.Op(spirv.OpFConvert, x.f32(), x.extractHalf(c, w))
	case x.right.Unpack:
		v = c.Op(spirv.OpCompositeExtract, x.f32(), spirv.ID(in.Words[0]), 0)
	}
	if exact && !x.bitsUsed[in.Result] {
		return
	}
	a := c.word(spirv.OpBitwiseAnd, w, x.word(magnitude16))
	isNaN := c.is(spirv.OpUGreaterThan, a, x.word(inf16))
	if exact {
		c.number(c.choose(isNaN, x.word(nan32), c.bits(v)))
		return
	}
	// The following code implements the algorithm of package half.
	b := c.word(spirv.OpIAdd, c.word(spirv.OpShiftLeftLogical, a, x.word(13)), x.word(112<<23))
	near := c.number(c.word(spirv.OpBitwiseOr, a, x.word(126<<23)))
	small := c.bits(c.unfusedOp(spirv.OpFSub, x.f32(), near, x.float(0.5)))
	b = c.choose(c.is(spirv.OpULessThan, a, x.word(0x400)), small, b)
	b = c.choose(c.is(spirv.OpUGreaterThanEqual, a, x.word(inf16)), x.word(inf32), b)
	sign := c.word(spirv.OpShiftLeftLogical, c.word(spirv.OpBitwiseAnd, w, x.word(sign16)), x.word(16))
	c.number(c.choose(isNaN, x.word(nan32), c.word(spirv.OpBitwiseOr, b, sign)))
}

// narrowCode writes code that rounds v, a float32, to a float16 in a 32-bit word. The code replaces
// the given instruction.
func (x *halfRewriter) narrowCode(list *spirv.Code, v spirv.ID, in *spirv.Instruction) {
	c := halfCode{list, x}
	if h := x.halfArithmetic(c, x.defs[v]); h != 0 {
		x.rawHalf[in.Result] = h
		w := x.wordOf(c, h)
		a := c.word(spirv.OpBitwiseAnd, w, x.word(magnitude16))
		c.choose(c.is(spirv.OpUGreaterThan, a, x.word(inf16)), x.word(nan16), w)
		return
	}
	b := c.bits(v)
	a := c.word(spirv.OpBitwiseAnd, b, x.word(magnitude32))
	isNaN := c.is(spirv.OpUGreaterThan, a, x.word(inf32))
	switch {
	case x.right.Narrow:
		// Later operations must extract the float16 from the word, after the select instruction.
		// Without the select instruction in between, NVIDIA's compiler would fuse a float32
		// product, two conversions and a sum into one operation.
		h := c.Op(spirv.OpFConvert, x.f16(), v)
		c.choose(isNaN, x.word(nan16), x.wordOf(c, h))
		return
	case x.right.Pack:
		w := c.Op(spirv.OpExtInst, x.u32(), x.glsl, spirv.ID(spirv.GLSLstd450PackHalf2x16), spirv.ID(in.Words[2]))
		c.choose(isNaN, x.word(nan16), w)
		return
	}
	// The following code implements the algorithm of package half.
	even := c.word(spirv.OpBitwiseAnd, c.word(spirv.OpShiftRightLogical, a, x.word(13)), x.word(1))
	const rebias = 1<<32 - 112<<23 + 0xfff
	h := c.word(spirv.OpIAdd, c.word(spirv.OpIAdd, a, x.word(rebias)), even)
	h = c.word(spirv.OpShiftRightLogical, h, x.word(13))
	small := c.bits(c.unfusedOp(spirv.OpFAdd, x.f32(), c.number(a), x.float(0.5)))
	small = c.word(spirv.OpISub, small, x.word(126<<23))
	h = c.choose(c.is(spirv.OpULessThan, a, x.word(113<<23)), small, h)
	h = c.choose(c.is(spirv.OpUGreaterThanEqual, a, x.word(0x477ff000)), x.word(inf16), h) // numbers of at least 65520 become infinite
	sign := c.word(spirv.OpBitwiseAnd, c.word(spirv.OpShiftRightLogical, b, x.word(16)), x.word(sign16))
	c.choose(isNaN, x.word(nan16), c.word(spirv.OpBitwiseOr, h, sign))
}

// markedInst returns the named vector of a marked operation, if the given instruction computes the
// operation's result. If the instruction computes no marked operation, or if the device's float16
// instruction for the operation is not exact, markedInst returns nil.
func (x *halfRewriter) markedInst(in *spirv.Instruction) *spirv.Instruction {
	operands := 0
	switch name := x.nameOf[in.Result]; {
	case name == spirv.MarkHalfDiv && x.right.Quotients:
		operands = 2
	case name == spirv.MarkHalfSqrt && x.right.Roots:
		operands = 1
	case name == spirv.MarkHalfFma && x.right.Fused:
		operands = 3
	default:
		return nil
	}
	if in.Op != spirv.OpCompositeExtract || in.Type != x.u32() || len(in.Words) != 2 || in.Words[1] != 0 {
		return nil
	}
	all := x.defs[spirv.ID(in.Words[0])]
	if all == nil || all.Op != spirv.OpCompositeConstruct || len(all.Words) != 1+operands {
		return nil
	}
	return all
}

// computeCode writes code that computes a marked operation by a float16 instruction, with the
// result in a 32-bit word. The code replaces the given instruction. The decoration NoContraction
// keeps the driver from fusing the instruction with others.
func (x *halfRewriter) computeCode(list *spirv.Code, all, in *spirv.Instruction) {
	c := halfCode{list, x}
	var h []spirv.ID
	for _, w := range all.Words[1:] {
		h = append(h, x.extractHalf(c, spirv.ID(w)))
	}
	glsl := func(inst spirv.GLSLstd450) spirv.ID {
		return c.Op(spirv.OpExtInst, x.f16(), append([]spirv.ID{x.glsl, spirv.ID(inst)}, h...)...)
	}
	var r spirv.ID
	switch x.nameOf[in.Result] {
	case spirv.MarkHalfDiv:
		r = c.Op(spirv.OpFDiv, x.f16(), h...)
	case spirv.MarkHalfSqrt:
		r = glsl(spirv.GLSLstd450Sqrt)
	case spirv.MarkHalfFma:
		// Other float16 instructions may use the result of Fma directly, because Fma is always a
		// single float16 instruction. Drivers may compute quotients and roots as float32s, and then
		// round the results.
		r = glsl(spirv.GLSLstd450Fma)
		x.rawHalf[in.Result] = r
	}
	x.e.Decorate(r, spirv.DecorationNoContraction)
	w := x.wordOf(c, r)
	a := c.word(spirv.OpBitwiseAnd, w, x.word(magnitude16))
	c.choose(c.is(spirv.OpUGreaterThan, a, x.word(inf16)), x.word(nan16), w)
}

// extractHalf writes code that extracts the float16 in the lower half of word w.
func (x *halfRewriter) extractHalf(c halfCode, w spirv.ID) spirv.ID {
	if h := x.rawHalf[w]; h != 0 {
		return h
	}
	return c.Op(spirv.OpCompositeExtract, x.f16(), c.Op(spirv.OpBitcast, x.f16x2(), w), 0)
}

// wordOf writes code that extends the float16 h to a 32-bit word.
func (x *halfRewriter) wordOf(c halfCode, h spirv.ID) spirv.ID {
	zero := x.e.Global(spirv.OpConstantNull, x.f16())
	return c.bits(c.Op(spirv.OpCompositeConstruct, x.f16x2(), h, zero))
}

// halfArithmetic writes the float16 instruction that can replace the given float32 instruction. The
// result of the float32 instruction is rounded to float16. If no float16 instruction can replace
// the float32 instruction, halfArithmetic returns 0.
func (x *halfRewriter) halfArithmetic(c halfCode, in *spirv.Instruction) spirv.ID {
	if !x.isOperation(in) {
		return 0
	}
	l, r := x.halfOperand(c, spirv.ID(in.Words[0])), x.halfOperand(c, spirv.ID(in.Words[1]))
	return c.unfusedOp(in.Op, x.f16(), l, r)
}

// isOperation reports whether a float16 instruction can replace the given float32 instruction,
// whose result is rounded to float16. The float16 instruction must be exact on the device.
func (x *halfRewriter) isOperation(in *spirv.Instruction) bool {
	return x.right.Arithmetic && in != nil && (in.Op == spirv.OpFAdd || in.Op == spirv.OpFSub || in.Op == spirv.OpFMul) &&
		x.isHalf(spirv.ID(in.Words[0])) && x.isHalf(spirv.ID(in.Words[1]))
}

// isHalf reports whether the value of a float32 is known to be the value of a float16. isHalf
// returns true for float32s that were unpacked from float16s, and for some constants.
func (x *halfRewriter) isHalf(id spirv.ID) bool {
	if x.unpackedWord(id) != 0 {
		return true
	}
	in := x.defs[id]
	if in == nil || in.Op != spirv.OpConstant || in.Type != x.f32() {
		return false
	}
	_, ok := halfBits(in.Words[0])
	return ok
}

// halfOperand returns the float16 that has the value of a float32.
func (x *halfRewriter) halfOperand(c halfCode, id spirv.ID) spirv.ID {
	if w := x.unpackedWord(id); w != 0 {
		return x.extractHalf(c, w)
	}
	b, _ := halfBits(x.defs[id].Words[0])
	return x.e.Global(spirv.OpConstant, x.f16(), b)
}

// halfBits returns the bits of the float16 with the same value as the float32 with bits b. The
// second result is false if no float16 has the same value, or if the float16 is subnormal, infinite
// or NaN.
func halfBits(b uint32) (uint32, bool) {
	a := b & magnitude32
	if a == 0 {
		return b >> 16, true
	}
	return b>>16&sign16 | (a-112<<23)>>13, a&0x1fff == 0 && a >= 113<<23 && a < 143<<23
}
