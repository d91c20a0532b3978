package spirv

// This file defines the model of a module, and writes modules in binary form.

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// ID is a Result <id>, the number of a type, constant, variable, function, label, string or value.
// Zero is not a valid id.
type ID uint32

// Magic is the first word of a module (SPIR-V 2.3).
const Magic = 0x07230203

// Values for [Module].Version, encoded as in the header of a SPIR-V module. Vulkan 1.2 accepts SPIR-V versions up to
// 1.5, and Vulkan 1.3 accepts versions up to 1.6.
const (
	Version10 = 0x00010000
	Version13 = 0x00010300
	Version14 = 0x00010400
	Version15 = 0x00010500
	Version16 = 0x00010600

	DefaultVersion = Version15
)

// maxBound is the largest bound of ids that every implementation supports (SPIR-V 2.17).
const maxBound = 0x3fffff + 1

// maxWords is the largest word count of an instruction. The word count has 16 bits (2.3).
const maxWords = 0xffff

// Instruction is one instruction (SPIR-V 2.3). Words contains the operands after Result Type and Result, as 32-bit
// words of the binary format. A [Decoder] interprets the operands by the operand pattern of Op.
type Instruction struct {
	Op     Op
	Type   ID // Result Type, if the opcode has one
	Result ID // Result <id>, if the opcode has one
	Words  []uint32
}

// Module has one field for each section of the logical layout of a module, in the same order
// (SPIR-V 2.4).
type Module struct {
	Version   uint32
	Generator uint32
	Bound     uint32 // number that is greater than all ids

	Capabilities            []Instruction
	Extensions              []Instruction
	ExtInstImports          []Instruction
	MemoryModel             Instruction
	SamplerImageAddressMode []Instruction // OpSamplerImageAddressingModeNV
	EntryPoints             []Instruction
	ExecutionModes          []Instruction
	Strings                 []Instruction // OpString, OpSource and its continuations
	Names                   []Instruction // OpName, OpMemberName
	ModuleProcessed         []Instruction
	Annotations             []Instruction
	Globals                 []Instruction // types, constants and global variables
	Functions               []Function    // declarations, then definitions
	Trailing                []Instruction // debug or non-semantic instructions after the last function
}

// Function contains the list of a function's instructions from OpFunction to OpFunctionEnd. The list
// also contains the debug lines and non-semantic instructions directly before OpFunction.
type Function struct {
	Code []Instruction
}

// Def returns the function's OpFunction instruction, or nil if the list does not contain OpFunction.
func (f *Function) Def() *Instruction {
	for i := range f.Code {
		if f.Code[i].Op == OpFunction {
			return &f.Code[i]
		}
	}
	return nil
}

// IsDeclaration reports whether the function has no body.
func (f *Function) IsDeclaration() bool {
	return !slices.ContainsFunc(f.Code, func(in Instruction) bool { return in.Op == OpLabel })
}

// sections() returns the module's lists of instructions in the order of the layout, without
// functions. beforeModel contains the lists before MemoryModel, and afterModel contains the lists
// after MemoryModel.
func (m *Module) sections() (beforeModel [3]*[]Instruction, afterModel [8]*[]Instruction) {
	beforeModel = [...]*[]Instruction{&m.Capabilities, &m.Extensions, &m.ExtInstImports}
	afterModel = [...]*[]Instruction{&m.SamplerImageAddressMode, &m.EntryPoints, &m.ExecutionModes,
		&m.Strings, &m.Names, &m.ModuleProcessed, &m.Annotations, &m.Globals}
	return beforeModel, afterModel
}

// sectionList returns a pointer to the field of m that contains the instructions of section sec.
func (m *Module) sectionList(sec layoutSection) *[]Instruction {
	before, after := m.sections()
	if sec < secMemoryModel {
		return before[sec-secCapability]
	}
	return after[sec-secSamplerImageAddressingMode]
}

// All iterates over the instructions in the order of the layout, until yield returns false. The
// callback may change an instruction through its pointer.
func (m *Module) All(yield func(*Instruction) bool) {
	each := func(list []Instruction) bool {
		for i := range list {
			if !yield(&list[i]) {
				return false
			}
		}
		return true
	}
	before, after := m.sections()
	for _, s := range before {
		if !each(*s) {
			return
		}
	}
	if m.MemoryModel.Op != OpNop && !yield(&m.MemoryModel) {
		return
	}
	for _, s := range after {
		if !each(*s) {
			return
		}
	}
	for i := range m.Functions {
		if !each(m.Functions[i].Code) {
			return
		}
	}
	each(m.Trailing)
}

// Clone returns a deep copy of the module.
func (m *Module) Clone() *Module {
	c := *m
	before, after := c.sections()
	for _, s := range slices.Concat(before[:], after[:]) {
		*s = cloneList(*s)
	}
	c.MemoryModel.Words = slices.Clone(m.MemoryModel.Words)
	c.Functions = slices.Clone(m.Functions)
	for i := range c.Functions {
		c.Functions[i].Code = cloneList(c.Functions[i].Code)
	}
	c.Trailing = cloneList(c.Trailing)
	return &c
}

func cloneList(list []Instruction) []Instruction {
	list = slices.Clone(list)
	for i := range list {
		list[i].Words = slices.Clone(list[i].Words)
	}
	return list
}

// wordCount returns the instruction's word count.
func (in *Instruction) wordCount() int {
	n := 1 + len(in.Words)
	if in.Type != 0 {
		n++
	}
	if in.Result != 0 {
		n++
	}
	return n
}

// Words returns the module in its binary form (SPIR-V 2.3). Words panics if an instruction has more words than the
// format allows. Modules that [Parse] or [Builder.Module] returns have no instruction with too many words.
func (m *Module) Words() []uint32 {
	n := 5
	for in := range m.All {
		n += in.wordCount()
	}
	words := make([]uint32, 0, n)
	words = append(words, Magic, m.Version, m.Generator, m.Bound, 0)
	for in := range m.All {
		if in.wordCount() > maxWords {
			panic(fmt.Sprintf("BUG: %v of %d words", in.Op, in.wordCount()))
		}
		words = append(words, uint32(in.wordCount())<<16|uint32(in.Op))
		if in.Type != 0 {
			words = append(words, uint32(in.Type))
		}
		if in.Result != 0 {
			words = append(words, uint32(in.Result))
		}
		words = append(words, in.Words...)
	}
	return words
}

// Bytes returns the module in binary form as little-endian bytes, as in a .spv file.
func (m *Module) Bytes() []byte {
	words := m.Words()
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// RemapIDs replaces every id of the module, defined or used, by the result of f. RemapIDs does not
// change Bound. If an instruction does not fit its operand pattern, RemapIDs returns an error. After an
// error, RemapIDs has replaced only some of the module's ids.
func (m *Module) RemapIDs(f func(ID) ID) error {
	d := m.Decoder()
	for in := range m.All {
		if err := d.eachID(in, func(w *uint32) { *w = uint32(f(ID(*w))) }); err != nil {
			return err
		}
		if in.Type != 0 {
			in.Type = f(in.Type)
		}
		if in.Result != 0 {
			in.Result = f(in.Result)
		}
	}
	return nil
}

// Compact renumbers the ids from 1 in the order of their definitions, without gaps, and sets Bound. After Compact, two
// modules are equal if they differed only in the allocation of ids.
func (m *Module) Compact() error {
	next := ID(1)
	number := map[ID]ID{}
	for in := range m.All {
		if in.Result == 0 {
			continue
		}
		if _, ok := number[in.Result]; ok {
			return fmt.Errorf("spirv: %%%d is defined twice", in.Result)
		}
		number[in.Result] = next
		next++
	}
	var undefined ID
	err := m.RemapIDs(func(id ID) ID {
		n, ok := number[id]
		if !ok && undefined == 0 {
			undefined = id
		}
		return n
	})
	if err != nil {
		return err
	}
	if undefined != 0 {
		return fmt.Errorf("spirv: %%%d is used but never defined", undefined)
	}
	m.Bound = uint32(next)
	return nil
}

// StringWords encodes a literal string as UTF-8, a NUL byte, and zeros up to the end of the 32-bit word
// (SPIR-V 2.2.1).
func StringWords(s string) []uint32 {
	words := make([]uint32, len(s)/4+1)
	for i := range len(s) {
		words[i/4] |= uint32(s[i]) << (8 * (i % 4))
	}
	return words
}

// String decodes the literal string at the beginning of an instruction's operands, such as the name
// of an OpExtension.
func String(words []uint32) string {
	s, _ := stringAt(words)
	return s
}

// stringAt decodes the literal string at the beginning of words. The second result is the number of
// 32-bit words of the string. The second result is zero if the string has no NUL byte.
func stringAt(words []uint32) (string, int) {
	var b []byte
	for i, w := range words {
		for shift := 0; shift < 32; shift += 8 {
			c := byte(w >> shift)
			if c == 0 {
				if w>>shift != 0 { // the padding must be zero
					return "", 0
				}
				return string(b), i + 1
			}
			b = append(b, c)
		}
	}
	return "", 0
}
