package valid

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// Limits of modules. The compilers in drivers recurse over types and control-flow constructs, and
// create a value for each scalar. The limits in this list protect the drivers from stack overflow
// and from excessive memory use.
const (
	maxTypeDepth = 64
	maxNesting   = 255     // nesting depth of constructs; SPIR-V allows 1023 (2.17)
	maxLeaves    = 1 << 16 // number of scalars in a constant
	maxValue     = 1 << 11 // number of scalars in a function's value; drivers create a variable for each
	maxInlined   = 1 << 22 // number of instructions of the entry point after all calls are inlined
	maxCallDepth = 255
	maxSparse    = 16 // largest quotient of the bound of ids and the number of the module's words
)

// Facts are the requirements of a checked module.
type Facts struct {
	Launch  uint64    // bytes of push constants
	Shared  uint64    // bytes of work-group memory
	Private uint64    // bytes of all Private variables, plus the largest size of one function's variables
	Local   [3]uint64 // work-group size
}

// Error describes the violation of a rule.
type Error struct {
	Word int    // offset of the instruction in the module, in words
	Text string // instruction in the syntax of spirv-dis
	Rule string // violated rule
}

// Error returns a line such as
//
//	word 812, %5 = OpIAdd %2 %3 %4: operand %3 is no integer
func (e *Error) Error() string { return fmt.Sprintf("word %d, %s: %s", e.Word, e.Text, e.Rule) }

// defKind distinguishes types, values, labels and other things that ids denote.
type defKind uint8

const (
	isType defKind = iota + 1
	isConstant
	isValue // definition of a variable, a parameter or the result of an instruction
	isLabel
	isFunction
	isSet // import of an extended instruction set
	isString
)

// definition describes how the module defines an id.
type definition struct {
	in    *spirv.Instruction
	typ   *typ // type of the value; for the id of a type, the type itself
	kind  defKind
	spec  bool // whether the id is a constant that specialization may change
	fn    *funcInfo
	block int // index in fn of the defining block; -1 for a parameter
	seq   int // position of the definition in the module
}

type checker struct {
	m    *spirv.Module
	defs []*definition // maps an id to its definition
	caps map[spirv.Capability]bool
	exts map[string]bool
	physical, vulkan,
	logical bool // whether the module uses PhysicalStorageBuffer64 addressing, the Vulkan memory model, or Logical addressing

	decor   map[spirv.ID][]decorationRow
	members map[spirv.ID]map[uint32][]decorationRow
	unique  map[string]spirv.ID // maps the text of a declaration to the id of its type, for types that may be declared only once
	values  map[spirv.ID]uint64 // maps an integer or Bool constant to its value
	forward map[spirv.ID]*typ   // pointer types with a forward declaration

	globals   []*definition // global variables
	functions []*funcInfo
	facts     Facts
	set       func(id uint32) (uint64, bool)

	// These fields describe the instruction that is being checked.
	at    int // offset in the module, in words
	in    *spirv.Instruction
	fn    *funcInfo
	block int
	seq   int
	// inConst is true while the operands of OpSpecConstantOp are checked, because these operands must be
	// constants.
	inConst bool
}

// checkFailure is the panic value that carries an Error to Check.
type checkFailure struct{ err *Error }

// Check checks a module that spirv.Parse has returned. entryName is the name of the only entry point.
// specBits returns the bits of the specialization constant with the given SpecId. If specBits is nil or
// returns ok = false, the constant has the module's default value. Errors have type *Error.
func Check(m *spirv.Module, entryName string, specBits func(id uint32) (bits uint64, ok bool)) (facts Facts, err error) {
	c := &checker{
		m: m, set: specBits, caps: map[spirv.Capability]bool{}, exts: map[string]bool{},
		decor: map[spirv.ID][]decorationRow{}, members: map[spirv.ID]map[uint32][]decorationRow{},
		unique: map[string]spirv.ID{}, values: map[spirv.ID]uint64{}, forward: map[spirv.ID]*typ{},
	}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(checkFailure)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	c.checkBound()
	c.checkSections()
	c.checkBodies()
	c.checkEntry(entryName)
	return c.facts, nil
}

// failRule ends the check with an error about the current instruction.
func (c *checker) failRule(format string, args ...any) {
	e := &Error{Word: c.at, Text: "the module", Rule: fmt.Sprintf(format, args...)}
	if c.in != nil {
		var b strings.Builder
		c.m.Decoder().Format(&b, c.in)
		if e.Text = b.String(); len(e.Text) > 200 {
			e.Text = e.Text[:200] + "…"
		}
	}
	panic(checkFailure{e})
}

// require() ends the check with an error if the argument `ok` is false.
func (c *checker) require(ok bool, format string, args ...any) {
	if !ok {
		c.failRule(format, args...)
	}
}

// wordCount returns the instruction's number of words.
func wordCount(in *spirv.Instruction) int {
	n := 1 + len(in.Words)
	if in.Type != 0 {
		n++
	}
	if in.Result != 0 {
		n++
	}
	return n
}

// eachInstruction calls f for each instruction of a list, and advances the current position.
func (c *checker) eachInstruction(list []spirv.Instruction, f func(in *spirv.Instruction)) {
	for i := range list {
		c.in = &list[i]
		c.seq++
		f(c.in)
		c.at += wordCount(c.in)
	}
	c.in = nil
}

// checkBound limits the module's bound of ids, because drivers allocate a table entry for each id
// below the bound.
func (c *checker) checkBound() {
	words := 5
	for in := range c.m.All {
		words += wordCount(in)
	}
	c.at = 3
	c.require(int(c.m.Bound) <= max(1<<16, maxSparse*words), "the bound %d is far above the number of ids that %d words can define", c.m.Bound, words)
	c.at = 5
	c.defs = make([]*definition, c.m.Bound)
}

// checkSections checks all sections before the functions.
func (c *checker) checkSections() {
	m := c.m
	c.eachInstruction(m.Capabilities, c.capability)
	c.eachInstruction(m.Extensions, c.extension)
	c.eachInstruction(m.ExtInstImports, c.imports)
	c.checkCapabilities()
	c.eachInstruction([]spirv.Instruction{m.MemoryModel}, c.memoryModel)
	c.eachInstruction(m.SamplerImageAddressMode, func(*spirv.Instruction) { c.failRule("no kernel has samplers") })
	c.eachInstruction(m.EntryPoints, func(in *spirv.Instruction) {
		c.require(spirv.ExecutionModel(in.Words[0]) == spirv.ExecutionModelGLCompute, "the execution model is not GLCompute")
	})
	c.eachInstruction(m.ExecutionModes, c.executionMode)
	c.eachInstruction(m.Strings, func(in *spirv.Instruction) {
		if in.Op == spirv.OpString {
			c.defineID(in, &definition{kind: isString})
		}
	})
	c.eachInstruction(m.Names, func(*spirv.Instruction) {}) // Parse has checked that the ids are defined
	c.eachInstruction(m.ModuleProcessed, func(*spirv.Instruction) {})
	c.eachInstruction(m.Annotations, c.annotation)
	c.eachInstruction(m.Globals, c.checkGlobal)
	for _, t := range c.forward {
		c.require(t.elem != nil, "the pointer %%%d is declared ahead, and never defined", t.id)
	}
}

// defineID records the definition of an id.
func (c *checker) defineID(in *spirv.Instruction, d *definition) *definition {
	d.in, d.seq, d.fn, d.block = in, c.seq, c.fn, c.block
	c.defs[in.Result] = d
	return d
}

// lookupID returns the definition of an id. The definition of the id must come before the current instruction.
func (c *checker) lookupID(id uint32) *definition {
	if id >= uint32(len(c.defs)) || c.defs[id] == nil {
		c.failRule("%%%d is used before it is defined", id)
	}
	return c.defs[id]
}

// typeID returns the type with the given id.
func (c *checker) typeID(id spirv.ID) *typ {
	d := c.lookupID(uint32(id))
	c.require(d.kind == isType, "%%%d is not a type", id)
	return d.typ
}

// valueOf returns the definition of an operand that is a value. The definition of the operand must dominate
// the current position (2.16, "dominance").
func (c *checker) valueOf(id uint32) *definition {
	d := c.lookupID(id)
	c.require(d.kind == isConstant || d.kind == isValue, "%%%d is not a value", id)
	if c.inConst {
		c.require(d.kind == isConstant, "%%%d is not a constant", id)
	}
	c.require(c.fn == nil || d.typ.leaves <= maxValue || d.typ.isPointer(), "a value of %d scalars is more than %d", d.typ.leaves, maxValue)
	if d.fn != nil {
		c.require(d.fn == c.fn, "%%%d is of another function", id)
		c.require(c.fn.definedAt(d, c.block, c.seq), "the definition of %%%d does not dominate this use", id)
	}
	return d
}

// operandType returns the type of an operand that is a value.
func (c *checker) operandType(id uint32) *typ { return c.valueOf(id).typ }

// intConstant returns the value of an operand, which must be an integer OpConstant.
func (c *checker) intConstant(id uint32) uint64 {
	d := c.valueOf(id)
	c.require(d.kind == isConstant && !d.spec && d.in.Op == spirv.OpConstant && d.typ.op == spirv.OpTypeInt, "%%%d is not an integer OpConstant", id)
	return c.values[spirv.ID(id)]
}

// checkGlobal checks an instruction in the section of types, constants and variables.
func (c *checker) checkGlobal(in *spirv.Instruction) {
	switch {
	case in.Op == spirv.OpLine:
		c.line(in)
	case in.Op == spirv.OpNoLine:
	case in.Op == spirv.OpTypeForwardPointer:
		c.forwardPointer(in)
	case in.Op == spirv.OpVariable:
		c.globals = append(c.globals, c.checkVariable(in))
	case in.Op == spirv.OpUndef:
		t := c.typeID(in.Type)
		c.checkConcrete(t)
		c.defineID(in, &definition{kind: isConstant, typ: t})
	case in.Op == spirv.OpExtInst:
		c.nonSemantic(in)
	case in.Type == 0 && in.Result != 0:
		c.defineID(in, &definition{kind: isType, typ: c.newType(in)})
	default:
		c.constantDef(in)
	}
}

func (c *checker) line(in *spirv.Instruction) {
	c.require(c.lookupID(in.Words[0]).kind == isString, "the file is not an OpString")
}

// nonSemantic checks a non-semantic instruction, which drivers ignore.
func (c *checker) nonSemantic(in *spirv.Instruction) {
	d := c.lookupID(in.Words[0])
	c.require(d.kind == isSet && strings.HasPrefix(setName(d.in), "NonSemantic."), "it stands outside a function and is not non-semantic")
	c.typeID(in.Type)
	c.defineID(in, &definition{kind: isString})
}
