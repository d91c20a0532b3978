package adapt

import (
	"github.com/kgen-go/kgen/codegen/spirv"
)

// dotOps are the instructions for the named sums of products, and how many operands a name has. They are signed or
// not as the instruction is.
var dotOps = map[string]struct {
	op       spirv.Op
	operands int
}{
	spirv.MarkSDot: {spirv.OpSDot, 8}, spirv.MarkUDot: {spirv.OpUDot, 8}, spirv.MarkSUDot: {spirv.OpSUDot, 8},
	spirv.MarkSDotAccSat: {spirv.OpSDotAccSat, 9}, spirv.MarkUDotAccSat: {spirv.OpUDotAccSat, 9}, spirv.MarkSUDotAccSat: {spirv.OpSUDotAccSat, 9},
}

// Dots returns a module that computes sums of four products of 8 bits by the device's instructions, those that has holds
// for. The code that has computed them is left to the driver, which drops it: nothing uses it. The words that are given
// stay as they are.
func Dots(words []uint32, has func(op spirv.Op) bool) ([]uint32, error) {
	if !hasDots(words) {
		return words, nil
	}
	m, err := spirv.Parse(words)
	if err != nil {
		return nil, err
	}
	x := &dots{e: spirv.Edit(m), has: has, names: map[spirv.ID]string{}, defs: map[spirv.ID]spirv.Instruction{}}
	for _, in := range m.Names {
		if in.Op == spirv.OpName {
			x.names[spirv.ID(in.Words[0])] = spirv.String(in.Words[1:])
		}
	}
	m.All(func(in *spirv.Instruction) bool {
		if in.Op == spirv.OpCompositeConstruct {
			x.defs[in.Result] = *in
		}
		return true
	})
	for i := range m.Functions {
		f := &m.Functions[i]
		var out []spirv.Instruction
		for _, in := range f.Code {
			if list := x.instead(&in); list != nil {
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

// hasDots reports whether a module has the name of such a sum.
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

// dots rewrites the instructions of a module.
type dots struct {
	e     *spirv.Editor
	has   func(op spirv.Op) bool
	names map[spirv.ID]string
	defs  map[spirv.ID]spirv.Instruction
	done  bool
}

// instead returns the code that stands for a sum, or nil.
func (x *dots) instead(in *spirv.Instruction) []spirv.Instruction {
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
	const packed4x8 = 0 // PackedVectorFormat
	c.Op(d.op, u32, append(args, packed4x8)...)
	c.Last(in.Result)
	return c.List
}
