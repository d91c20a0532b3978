package spirv

// This file reads modules in their binary form.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// ParseBytes parses the content of a .spv file as [Parse] does. ParseBytes finds the byte order from the magic number
// (SPIR-V 2.3).
func ParseBytes(b []byte) (*Module, error) {
	if len(b)%4 != 0 {
		return nil, errors.New("spirv: the length is not a multiple of 4 bytes")
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	if len(words) > 0 && words[0] == bits.ReverseBytes32(Magic) {
		for i := range words {
			words[i] = bits.ReverseBytes32(words[i])
		}
	}
	return Parse(words)
}

// Parse reads a module in its binary form. Parse checks the header, word counts, operand patterns, the
// logical layout (SPIR-V 2.4), and the structure of functions and blocks. Every id must be less than the
// bound and defined exactly once. Parse does not check types, dominance or capabilities. [Module.Words]
// returns exactly the words that Parse has accepted. The returned module does not share memory with the
// argument words.
//
// Parse refuses opcodes, and enumerants with operands, that are newer than the grammar. Parse also refuses
// extended instruction sets other than GLSL.std.450, SPV_AMD_… and NonSemantic.…, because it cannot
// distinguish ids from literals in their instructions.
func Parse(words []uint32) (*Module, error) {
	p := parser{d: newDecoder(), m: &Module{}, sec: secCapability}
	if err := p.header(words); err != nil {
		return nil, fmt.Errorf("spirv: %w", err)
	}
	list, err := p.splitWords(words)
	if err != nil {
		return nil, fmt.Errorf("spirv: %w", err)
	}
	for i := range list {
		p.d.noteFacts(&list[i])
	}
	for i := range list {
		if err := p.placeInSection(&list[i]); err != nil {
			return nil, fmt.Errorf("spirv: instruction %d, %v: %w", i, list[i].Op, err)
		}
	}
	if err := p.finish(); err != nil {
		return nil, fmt.Errorf("spirv: %w", err)
	}
	if err := p.checkIDs(list); err != nil {
		return nil, err
	}
	return p.m, nil
}

type parser struct {
	d   *Decoder
	m   *Module
	sec layoutSection // section of the last instruction

	// These fields describe the function that the parser is reading.
	code    []Instruction
	state   functionState
	defined bool // whether an earlier function has a body
}

type functionState uint8

const (
	outside functionState = iota
	inParams
	betweenBlocks
	inBlock
)

func (p *parser) header(words []uint32) error {
	switch {
	case len(words) < 5:
		return errors.New("shorter than a header")
	case words[0] != Magic:
		return fmt.Errorf("the magic number is %#08x", words[0])
	case words[1]&0xff0000ff != 0 || words[1] < Version10 || words[1] > Version16:
		return fmt.Errorf("unknown version %#08x", words[1])
	case words[3] == 0 || words[3] > maxBound:
		return fmt.Errorf("the bound %d is not from 1 to %d", words[3], maxBound)
	case words[4] != 0:
		return fmt.Errorf("unknown schema %d", words[4])
	}
	p.m.Version, p.m.Generator, p.m.Bound = words[1], words[2], words[3]
	return nil
}

// splitWords divides the words into instructions, and sets the fields Type and Result of each instruction.
func (p *parser) splitWords(words []uint32) ([]Instruction, error) {
	words = append([]uint32(nil), words...)
	var list []Instruction
	for at := 5; at < len(words); {
		n := int(words[at] >> 16)
		in := Instruction{Op: Op(words[at])}
		if n == 0 || n > len(words)-at {
			return nil, fmt.Errorf("word %d, %v: the word count is %d of %d", at, in.Op, n, len(words)-at)
		}
		row := in.Op.row()
		if row == nil {
			return nil, fmt.Errorf("word %d: unknown opcode %d", at, uint16(in.Op))
		}
		rest := words[at+1 : at+n : at+n]
		for _, f := range [...]struct {
			flag opFlags
			id   *ID
		}{{hasType, &in.Type}, {hasResult, &in.Result}} {
			if row.flags&f.flag == 0 {
				continue
			}
			if len(rest) == 0 {
				return nil, fmt.Errorf("word %d, %v: %w", at, in.Op, errShort)
			}
			if rest[0] == 0 || rest[0] >= p.m.Bound {
				return nil, fmt.Errorf("word %d, %v: the id %d is not below the bound %d", at, in.Op, rest[0], p.m.Bound)
			}
			*f.id, rest = ID(rest[0]), rest[1:]
		}
		in.Words = rest
		list = append(list, in)
		at += n
	}
	return list, nil
}

// placeInSection appends an instruction to its section. The section of an instruction must not come before the
// section of the previous instruction.
func (p *parser) placeInSection(in *Instruction) error {
	sec := in.Op.row().section
	if sec == secGlobalOrFunction {
		sec = secFunction
		if p.sec <= secGlobal && p.state == outside {
			if err := p.mayBeGlobal(in); err != nil {
				return err
			}
			sec = secGlobal
		}
	}
	if sec < p.sec {
		return errors.New("stands after its section of the module")
	}
	p.sec = sec
	if sec == secFunction {
		return p.addToFunction(in)
	}
	if sec == secMemoryModel {
		if p.m.MemoryModel.Op != OpNop {
			return errors.New("stands twice in the module")
		}
		p.m.MemoryModel = *in
		return nil
	}
	list := p.m.sectionList(sec)
	*list = append(*list, *in)
	return nil
}

func (p *parser) mayBeGlobal(in *Instruction) error {
	switch in.Op {
	case OpExtInst:
		if len(in.Words) == 0 || !isNonSemantic(p.d.sets[ID(in.Words[0])]) {
			return errors.New("stands outside a function and is not non-semantic")
		}
	case OpVariable:
		if len(in.Words) > 0 && StorageClass(in.Words[0]) == StorageClassFunction {
			return errors.New("a Function variable stands outside a function")
		}
	}
	return nil
}

// addToFunction appends an instruction to the current function, and checks the structure of functions and blocks
// (SPIR-V 2.4).
func (p *parser) addToFunction(in *Instruction) error {
	debug := in.Op == OpLine || in.Op == OpNoLine ||
		in.Op == OpExtInst && len(in.Words) > 0 && isNonSemantic(p.d.sets[ID(in.Words[0])])
	switch {
	case in.Op == OpFunction:
		if p.state != outside {
			return errors.New("stands inside a function")
		}
		p.state = inParams
	case debug:
	case p.state == outside:
		return errors.New("stands outside a function")
	case in.Op == OpFunctionParameter:
		if p.state != inParams {
			return errors.New("stands after the first block")
		}
	case in.Op == OpFunctionEnd:
		if p.state == inBlock {
			return errors.New("the last block has no termination instruction")
		}
		if p.state == inParams && p.defined {
			return errors.New("a declaration stands after a definition")
		}
		p.defined = p.defined || p.state == betweenBlocks
		p.state = outside
		p.m.Functions = append(p.m.Functions, Function{Code: append(p.code, *in)})
		p.code = nil
		return nil
	case in.Op == OpLabel:
		if p.state == inBlock {
			return errors.New("the block before has no termination instruction")
		}
		p.state = inBlock
	case p.state != inBlock:
		return errors.New("stands outside a block")
	case in.Op.IsTerminator():
		p.state = betweenBlocks
	case in.Op == OpVariable && len(in.Words) > 0 && StorageClass(in.Words[0]) != StorageClassFunction:
		return errors.New("a variable inside a function has another storage class than Function")
	}
	p.code = append(p.code, *in)
	return nil
}

func (p *parser) finish() error {
	if p.state != outside {
		return errors.New("the last function has no OpFunctionEnd")
	}
	if p.m.MemoryModel.Op == OpNop {
		return errors.New("no OpMemoryModel")
	}
	p.m.Trailing = p.code
	return nil
}

// checkIDs checks that every instruction fits its operand pattern, and that every used id has
// exactly one definition.
func (p *parser) checkIDs(list []Instruction) error {
	defined := make(map[ID]bool, len(list))
	for i := range list {
		id := list[i].Result
		if id == 0 {
			continue
		}
		if defined[id] {
			return fmt.Errorf("spirv: %%%d is defined twice", id)
		}
		defined[id] = true
	}
	for i := range list {
		in := &list[i]
		undefined := ID(0)
		use := func(id ID) {
			if id != 0 && !defined[id] && undefined == 0 {
				undefined = id
			}
		}
		use(in.Type)
		if err := p.d.eachID(in, func(w *uint32) { use(ID(*w)) }); err != nil {
			return err
		}
		if undefined != 0 {
			return fmt.Errorf("spirv: %v: %%%d is used but never defined", in.Op, undefined)
		}
	}
	return nil
}
