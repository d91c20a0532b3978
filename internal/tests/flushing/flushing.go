// Package flushing makes a driver flush subnormal float32s, for tests on machines without a device
// that flushes. In a module, [Rewrite] inserts code that replaces subnormals by zeros. The inserted
// code surrounds the instructions that flush on an H100 (driver 580, without float controls).
package flushing

import "github.com/kgen-go/kgen/codegen/spirv"

// Rewrite returns the module with code that replaces subnormals by zeros.
func Rewrite(words []uint32) ([]uint32, error) {
	m, err := spirv.Parse(words)
	if err != nil {
		return nil, err
	}
	x := &rewriter{m: m, e: spirv.Edit(m)}
	for _, in := range m.ExtInstImports {
		if spirv.String(in.Words) == spirv.GLSLstd450Name {
			x.glsl = in.Result
		}
	}
	for i := range m.Functions {
		f := &m.Functions[i]
		var out []spirv.Instruction
		for _, in := range f.Code {
			out = append(out, x.flushedCode(in)...)
		}
		f.Code = out
	}
	return m.Words(), nil
}

type rewriter struct {
	m    *spirv.Module
	e    *spirv.Editor
	glsl spirv.ID
}

// flushOps maps each flushing instruction to the word index of its first operand.
var flushOps = map[spirv.Op]int{
	spirv.OpFAdd: 0, spirv.OpFSub: 0, spirv.OpFMul: 0, spirv.OpFDiv: 0, spirv.OpFRem: 0, spirv.OpFMod: 0, spirv.OpFNegate: 0,
	spirv.OpFOrdEqual: 0, spirv.OpFUnordEqual: 0, spirv.OpFOrdNotEqual: 0, spirv.OpFUnordNotEqual: 0,
	spirv.OpFOrdLessThan: 0, spirv.OpFUnordLessThan: 0, spirv.OpFOrdGreaterThan: 0, spirv.OpFUnordGreaterThan: 0,
	spirv.OpFOrdLessThanEqual: 0, spirv.OpFUnordLessThanEqual: 0, spirv.OpFOrdGreaterThanEqual: 0, spirv.OpFUnordGreaterThanEqual: 0,
	spirv.OpGroupNonUniformFAdd: 2, spirv.OpGroupNonUniformFMul: 2, spirv.OpGroupNonUniformFMin: 2, spirv.OpGroupNonUniformFMax: 2,
}

// keepExts is the set of extended instructions that do not flush.
var keepExts = map[spirv.GLSLstd450]bool{
	spirv.GLSLstd450Floor: true, spirv.GLSLstd450Ceil: true, spirv.GLSLstd450Trunc: true, spirv.GLSLstd450RoundEven: true,
	spirv.GLSLstd450PackHalf2x16: true, spirv.GLSLstd450UnpackHalf2x16: true,
}

// flushedCode returns code to replace an instruction. The code computes the same result as a device that flushes.
func (x *rewriter) flushedCode(in spirv.Instruction) []spirv.Instruction {
	first, ok := flushOps[in.Op]
	switch in.Op {
	case spirv.OpExtInst:
		first, ok = 2, spirv.ID(in.Words[0]) == x.glsl && !keepExts[spirv.GLSLstd450(in.Words[1])]
	case spirv.OpFConvert:
		width, _ := x.e.Float(in.Type)
		ok = width == 64
	}
	if !ok {
		return []spirv.Instruction{in}
	}
	c := x.e.NewCode()
	words := append([]uint32{}, in.Words...)
	for i := first; i < len(words); i++ {
		if id := spirv.ID(words[i]); x.isFloat32(x.e.TypeOf(id)) {
			words[i] = uint32(x.flushValue(c, id))
		}
	}
	result := in.Result
	in.Words = words
	if !x.isFloat32(in.Type) {
		return append(c.List, in)
	}
	in.Result = x.e.NewID()
	for i := range x.m.Annotations { // moves decorations such as NoContraction to the new instruction
		if a := &x.m.Annotations[i]; a.Op == spirv.OpDecorate && spirv.ID(a.Words[0]) == result {
			a.Words = append([]uint32{uint32(in.Result)}, a.Words[1:]...)
		}
	}
	c.List = append(c.List, in)
	x.flushValue(c, in.Result, in.Type)
	c.Last(result)
	return c.List
}

func (x *rewriter) isFloat32(t spirv.ID) bool {
	width, _ := x.e.Float(t)
	return width == 32
}

// flushValue returns v, or zero if v is subnormal. If v is a new value that the module's editor
// does not know yet, typ is the type of v.
func (x *rewriter) flushValue(c *spirv.Code, v spirv.ID, typ ...spirv.ID) spirv.ID {
	t := append(typ, x.e.TypeOf(v))[0]
	_, lanes := x.e.Float(t)
	word, boolean := x.e.Global(spirv.OpTypeInt, 0, 32, 0), x.e.Global(spirv.OpTypeBool, 0)
	number := func(n uint32) spirv.ID { return x.e.Global(spirv.OpConstant, word, n) }
	words := word
	if lanes > 1 {
		words = x.e.Global(spirv.OpTypeVector, 0, uint32(word), lanes)
		boolean = x.e.Global(spirv.OpTypeVector, 0, uint32(boolean), lanes)
		one := number
		number = func(n uint32) spirv.ID {
			var parts []uint32
			for range lanes {
				parts = append(parts, uint32(one(n)))
			}
			return x.e.Global(spirv.OpConstantComposite, words, parts...)
		}
	}
	bits := c.Op(spirv.OpBitcast, words, v)
	exponent := c.Op(spirv.OpBitwiseAnd, words, bits, number(0x7f800000))
	small := c.Op(spirv.OpIEqual, boolean, exponent, number(0))
	sign := c.Op(spirv.OpBitwiseAnd, words, bits, number(1<<31))
	return c.Op(spirv.OpBitcast, t, c.Op(spirv.OpSelect, words, small, sign, bits))
}
