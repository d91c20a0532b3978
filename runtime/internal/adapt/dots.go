package adapt

import (
	"github.com/kgen-go/kgen/codegen/spirv"
)

// dotOps contains the names of arrays that mark sums of products in kgen's modules. For each name,
// dotOps contains the instruction that computes the sum, and the length of the array. The S and U
// in a name say which operands are signed.
var dotOps = map[string]struct {
	op       spirv.Op
	operands int
}{
	spirv.MarkSDot: {spirv.OpSDot, 8}, spirv.MarkUDot: {spirv.OpUDot, 8}, spirv.MarkSUDot: {spirv.OpSUDot, 8},
	spirv.MarkSDotAccSat: {spirv.OpSDotAccSat, 9}, spirv.MarkUDotAccSat: {spirv.OpUDotAccSat, 9}, spirv.MarkSUDotAccSat: {spirv.OpSUDotAccSat, 9},
}

// Dots returns a module in which instructions of the device compute sums of four products of 8-bit
// integers. The function `has` reports whether the device supports an opcode. The old code for the
// sum stays in the module, but the driver removes this code because its result is unused. Dots does
// not modify its argument.
func Dots(words []uint32, has func(op spirv.Op) bool) ([]uint32, error) {
	if !hasDots(words) {
		return words, nil
	}
	m, err := spirv.Parse(words)
	if err != nil {
		return nil, err
	}
	x := &dotRewriter{e: spirv.Edit(m), has: has, names: map[spirv.ID]string{}, defs: map[spirv.ID]spirv.Instruction{}}
	for _, in := range m.Names {
		if in.Op == spirv.OpName {
			x.names[spirv.ID(in.Words[0])] = spirv.String(in.Words[1:])
		}
	}
	m.All(func(in *spirv.Instruction) bool {
		x.defs[in.Result] = *in
		return true
	})
	for i := range m.Functions {
		f := &m.Functions[i]
		var out []spirv.Instruction
		for _, in := range f.Code {
			if list := x.replaceDot(&in); list != nil {
				out = append(out, list...)
			} else {
				out = append(out, in)
			}
		}
		f.Code = out
	}
	if !x.done {
		return words, nil
	}
	x.e.Capability(spirv.CapabilityDotProduct)
	x.e.Capability(spirv.CapabilityDotProductInput4x8BitPacked)
	const extension = "SPV_KHR_integer_dot_product"
	m.Extensions = append(m.Extensions, spirv.Instruction{Op: spirv.OpExtension, Words: spirv.StringWords(extension)})
	return m.Words(), nil
}

// hasDots reports whether the module contains a name that marks a sum of products.
func hasDots(words []uint32) bool {
	const header = 5
	prefix := spirv.StringWords("kgen.dot")[:2]
	for i := header; i < len(words); {
		n := int(words[i] >> 16)
		op := spirv.Op(words[i] & 0xffff)
		if n == 0 || i+n > len(words) || op == spirv.OpFunction {
			return false
		}
		if op == spirv.OpName && n > 4 && words[i+2] == prefix[0] && words[i+3] == prefix[1] {
			return true
		}
		i += n
	}
	return false
}

// dotRewriter replaces marked sums of products in a module by instructions of the device.
type dotRewriter struct {
	e     *spirv.Editor
	has   func(op spirv.Op) bool
	names map[spirv.ID]string
	defs  map[spirv.ID]spirv.Instruction
	done  bool
}

// replaceDot returns code that replaces the given instruction. If the instruction does not compute
// a marked sum, replaceDot returns nil.
func (x *dotRewriter) replaceDot(in *spirv.Instruction) []spirv.Instruction {
	d, ok := dotOps[x.names[in.Result]]
	u32 := x.e.Global(spirv.OpTypeInt, 0, 32, 0)
	if !ok || !x.has(d.op) || in.Op != spirv.OpCompositeExtract || in.Type != u32 || len(in.Words) != 2 || in.Words[1] != 0 {
		return nil
	}
	all, ok := x.defs[spirv.ID(in.Words[0])]
	if !ok || len(all.Words) != 1+d.operands {
		return nil
	}
	x.done = true
	c := x.e.NewCode()
	number := func(n uint32) spirv.ID { return x.e.Global(spirv.OpConstant, u32, n) }
	pack := func(bytes []uint32) spirv.ID {
		if w := x.wordOf(bytes, u32); w != 0 {
			return w
		}
		w := c.Op(spirv.OpBitwiseAnd, u32, spirv.ID(bytes[0]), number(0xff))
		for i, b := range bytes[1:] {
			w = c.Op(spirv.OpBitFieldInsert, u32, w, spirv.ID(b), number(uint32(8*(i+1))), number(8))
		}
		return w
	}
	args := []spirv.ID{pack(all.Words[1:5]), pack(all.Words[5:9])}
	if d.operands > 8 {
		args = append(args, spirv.ID(all.Words[9]))
	}
	const packed4x8 = 0 // SPIR-V's PackedVectorFormat4x8Bit
	c.Op(d.op, u32, append(args, packed4x8)...)
	c.Last(in.Result)
	return c.List
}

// wordOf returns the 32-bit value from which a kernel has extracted the given bytes, or 0 if the
// module has no such value. A kernel extracts the bytes of a 32-bit value w, from the lowest to the
// highest, by
//
//	int8(w), int8(w >> 8), int8(w >> 16), int8(w >> 24)
func (x *dotRewriter) wordOf(bytes []uint32, u32 spirv.ID) spirv.ID {
	word, shift := x.byteOf(spirv.ID(bytes[3]), 0)
	if shift != 24 || x.defs[word].Type != u32 {
		return 0
	}
	for i, b := range bytes[:3] {
		if w, shift := x.byteOf(spirv.ID(b), word); w != word || shift != uint32(8*i) {
			return 0
		}
	}
	return word
}

// byteOf follows the operands of v backwards, to the value from which v's lowest byte was
// extracted. The second result is the position of the byte's lowest bit in that value. byteOf stops
// early if it reaches the value `word`.
func (x *dotRewriter) byteOf(v, word spirv.ID) (from spirv.ID, shift uint32) {
	for v != word {
		in := x.defs[v]
		if len(in.Words) == 0 {
			return v, 0
		}
		arg := spirv.ID(in.Words[0])
		switch in.Op {
		case spirv.OpUConvert, spirv.OpSConvert:
			v = arg
			continue
		case spirv.OpBitwiseAnd:
			if mask, ok := x.constantOf(in.Words[1]); ok && mask&0xff == 0xff {
				v = arg
				continue
			}
		case spirv.OpShiftRightArithmetic, spirv.OpShiftRightLogical:
			n, ok := x.constantOf(in.Words[1])
			if !ok || n > 24 {
				break
			}
			if inner := x.defs[arg]; inner.Op == spirv.OpShiftLeftLogical {
				if m, ok := x.constantOf(inner.Words[1]); ok && m == n {
					v = spirv.ID(inner.Words[0])
					continue
				}
			}
			return arg, n
		}
		return v, 0
	}
	return v, 0
}

// constantOf returns the value of the constant with the given ID. The second result is false if the
// ID is no constant of at most 32 bits.
func (x *dotRewriter) constantOf(id uint32) (uint32, bool) {
	in := x.defs[spirv.ID(id)]
	if in.Op != spirv.OpConstant || len(in.Words) != 1 {
		return 0, false
	}
	return in.Words[0], true
}
