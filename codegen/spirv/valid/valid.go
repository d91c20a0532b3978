package valid

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// Limits of modules. The compilers in drivers recurse over types and control-flow constructs, and create a value for
// each scalar. These limits protect them.
const (
	maxTypeDepth = 64
	maxNesting   = 255     // nesting depth of constructs; SPIR-V allows 1023 (2.17)
	maxLeaves    = 1 << 16 // number of scalars in a constant
	maxValue     = 1 << 11 // number of scalars in a function's value; drivers create a variable for each
	maxInlined   = 1 << 22 // number of instructions of the entry point after all calls are inlined
	maxCallDepth = 255
	maxSparse    = 16 // factor that limits the bound of ids to a multiple of the module's words
)

// Facts are the requirements of a checked module.
type Facts struct {
	Launch  uint64    // bytes of push constants
	Shared  uint64    // bytes of work-group memory
	Private uint64    // bytes of private variables, plus bytes of the largest function's variables
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

// defKind is the kind of an id's definition.
type defKind uint8

const (
	isType defKind = iota + 1
	isConstant
	isValue // a variable, a parameter or the result of an instruction
	isLabel
	isFunction
	isSet // extended instruction set
	isString
)

// Type def is the definition of an id.
type def struct {
	in    *spirv.Instruction
	typ   *typ // type of the value; for the id of a type, the type itself
	kind  defKind
	spec  bool // whether the id is a constant that specialization may change
	fn    *function
	block int // index in fn of the defining block; -1 for a parameter
	seq   int // position of the definition in the module
}

type checker struct {
	m    *spirv.Module
	defs []*def // maps an id to its definition
	caps map[spirv.Capability]bool
	exts map[string]bool
	physical, vulkan,
	logical bool // whether the module uses addressing model PhysicalStorageBuffer64, memory model Vulkan and addressing model Logical

	decor   map[spirv.ID][]decoration
	members map[spirv.ID]map[uint32][]decoration
	unique  map[string]spirv.ID // maps the text of a type declaration that may not be repeated to the type's id
	values  map[spirv.ID]uint64 // maps an integer or Bool constant to its value
	forward map[spirv.ID]*typ   // pointer types with a forward declaration

	globals   []*def // global variables
	functions []*function
	facts     Facts
	set       func(id uint32) (uint64, bool)

	// These fields describe the instruction that is being checked.
	at    int // offset in the module, in words
	in    *spirv.Instruction
	fn    *function
	block int
	seq   int
	// inConst is true while the operands of OpSpecConstantOp are checked, which must be constants.
	inConst bool
}

// failure is the panic value that carries an Error to Check.
type failure struct{ err *Error }

// Check checks a module that spirv.Parse has returned. Parameter entry is the name of the only entry point. Parameter
// set is a function that returns the bits of the specialization constant with the given SpecId. If set is nil or its
// second result is false, the constant has the default value from the module. Errors have type *Error.
func Check(m *spirv.Module, entry string, set func(id uint32) (bits uint64, ok bool)) (facts Facts, err error) {
	c := &checker{
		m: m, set: set, caps: map[spirv.Capability]bool{}, exts: map[string]bool{},
		decor: map[spirv.ID][]decoration{}, members: map[spirv.ID]map[uint32][]decoration{},
		unique: map[string]spirv.ID{}, values: map[spirv.ID]uint64{}, forward: map[spirv.ID]*typ{},
	}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	c.header()
	c.sections()
	c.bodies()
	c.entry(entry)
	return c.facts, nil
}

// The method fail ends the check with an error about the current instruction.
func (c *checker) fail(format string, args ...any) {
	e := &Error{Word: c.at, Text: "the module", Rule: fmt.Sprintf(format, args...)}
	if c.in != nil {
		var b strings.Builder
		c.m.Decoder().Format(&b, c.in)
		if e.Text = b.String(); len(e.Text) > 200 {
			e.Text = e.Text[:200] + "…"
		}
	}
	panic(failure{e})
}

// The method need ends the check with an error if parameter ok is false.
func (c *checker) need(ok bool, format string, args ...any) {
	if !ok {
		c.fail(format, args...)
	}
}

// The function length returns the instruction's number of words.
func length(in *spirv.Instruction) int {
	n := 1 + len(in.Words)
	if in.Type != 0 {
		n++
	}
	if in.Result != 0 {
		n++
	}
	return n
}

// The method each calls f for each instruction of a list, and advances the current position.
func (c *checker) each(list []spirv.Instruction, f func(in *spirv.Instruction)) {
	for i := range list {
		c.in = &list[i]
		c.seq++
		f(c.in)
		c.at += length(c.in)
	}
	c.in = nil
}

// The method header limits the module's bound of ids, because drivers allocate tables of this size.
func (c *checker) header() {
	words := 5
	for in := range c.m.All {
		words += length(in)
	}
	c.at = 3
	c.need(int(c.m.Bound) <= max(1<<16, maxSparse*words), "the bound %d is far above the number of ids that %d words can define", c.m.Bound, words)
	c.at = 5
	c.defs = make([]*def, c.m.Bound)
}

// The method sections checks all sections before the functions.
func (c *checker) sections() {
	m := c.m
	c.each(m.Capabilities, c.capability)
	c.each(m.Extensions, c.extension)
	c.each(m.ExtInstImports, c.imports)
	c.checkCapabilities()
	c.each([]spirv.Instruction{m.MemoryModel}, c.memoryModel)
	c.each(m.SamplerImageAddressMode, func(*spirv.Instruction) { c.fail("no kernel has samplers") })
	c.each(m.EntryPoints, func(in *spirv.Instruction) {
		c.need(spirv.ExecutionModel(in.Words[0]) == spirv.ExecutionModelGLCompute, "the execution model is not GLCompute")
	})
	c.each(m.ExecutionModes, c.executionMode)
	c.each(m.Strings, func(in *spirv.Instruction) {
		if in.Op == spirv.OpString {
			c.define(in, &def{kind: isString})
		}
	})
	c.each(m.Names, func(*spirv.Instruction) {}) // Parse has checked that the ids are defined
	c.each(m.ModuleProcessed, func(*spirv.Instruction) {})
	c.each(m.Annotations, c.annotation)
	c.each(m.Globals, c.global)
	for _, t := range c.forward {
		c.need(t.elem != nil, "the pointer %%%d is declared ahead, and never defined", t.id)
	}
}

// The method define records the definition of an id.
func (c *checker) define(in *spirv.Instruction, d *def) *def {
	d.in, d.seq, d.fn, d.block = in, c.seq, c.fn, c.block
	c.defs[in.Result] = d
	return d
}

// The method lookup returns the definition of an id. The definition of the id must come before the current instruction.
func (c *checker) lookup(id uint32) *def {
	if id >= uint32(len(c.defs)) || c.defs[id] == nil {
		c.fail("%%%d is used before it is defined", id)
	}
	return c.defs[id]
}

// typeID returns the type with the given id.
func (c *checker) typeID(id spirv.ID) *typ {
	d := c.lookup(uint32(id))
	c.need(d.kind == isType, "%%%d is not a type", id)
	return d.typ
}

// The method value returns the definition of an operand that is a value. The definition of the operand must dominate
// the current position (2.16, "dominance").
func (c *checker) value(id uint32) *def {
	d := c.lookup(id)
	c.need(d.kind == isConstant || d.kind == isValue, "%%%d is not a value", id)
	if c.inConst {
		c.need(d.kind == isConstant, "%%%d is not a constant", id)
	}
	c.need(c.fn == nil || d.typ.leaves <= maxValue || d.typ.isPointer(), "a value of %d scalars is more than %d", d.typ.leaves, maxValue)
	if d.fn != nil {
		c.need(d.fn == c.fn, "%%%d is of another function", id)
		c.need(c.fn.defined(d, c.block, c.seq), "the definition of %%%d does not dominate this use", id)
	}
	return d
}

// The method operand returns the type of an operand that is a value.
func (c *checker) operand(id uint32) *typ { return c.value(id).typ }

// The method constant returns the value of an operand, which must be an integer OpConstant.
func (c *checker) constant(id uint32) uint64 {
	d := c.value(id)
	c.need(d.kind == isConstant && !d.spec && d.in.Op == spirv.OpConstant && d.typ.op == spirv.OpTypeInt, "%%%d is not an integer OpConstant", id)
	return c.values[spirv.ID(id)]
}

// The method global checks an instruction in the section of types, constants and variables.
func (c *checker) global(in *spirv.Instruction) {
	switch {
	case in.Op == spirv.OpLine:
		c.line(in)
	case in.Op == spirv.OpNoLine:
	case in.Op == spirv.OpTypeForwardPointer:
		c.forwardPointer(in)
	case in.Op == spirv.OpVariable:
		c.globals = append(c.globals, c.variable(in))
	case in.Op == spirv.OpUndef:
		t := c.typeID(in.Type)
		c.concrete(t)
		c.define(in, &def{kind: isConstant, typ: t})
	case in.Op == spirv.OpExtInst:
		c.nonSemantic(in)
	case in.Type == 0 && in.Result != 0:
		c.define(in, &def{kind: isType, typ: c.newType(in)})
	default:
		c.constantDef(in)
	}
}

func (c *checker) line(in *spirv.Instruction) {
	c.need(c.lookup(in.Words[0]).kind == isString, "the file is not an OpString")
}

// nonSemantic checks a non-semantic instruction, which drivers ignore.
func (c *checker) nonSemantic(in *spirv.Instruction) {
	d := c.lookup(in.Words[0])
	c.need(d.kind == isSet && strings.HasPrefix(setName(d.in), "NonSemantic."), "it stands outside a function and is not non-semantic")
	c.typeID(in.Type)
	c.define(in, &def{kind: isString})
}
