package spirv

// This file defines the types of the generated tables.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Op is the opcode of an instruction (SPIR-V 3.49, "Instructions").
type Op uint16

// Quantifier is the number of times that an operand may occur in an instruction.
type Quantifier uint8

const (
	One      Quantifier = iota
	Optional            // occurs at most once
	Any                 // occurs repeatedly, up to the end of the instruction
)

// OperandInfo is one element of an instruction's operand pattern. The pattern does not include
// Result Type and Result (see [OpInfo]).
type OperandInfo struct {
	Kind       Kind
	Quantifier Quantifier
}

// OpInfo describes an opcode of the grammar.
type OpInfo struct {
	Name      string
	HasType   bool // whether the first operand is a Result Type
	HasResult bool
	Operands  []OperandInfo // operand pattern, which several ops share; must not be changed
}

type opFlags uint8

const (
	hasType opFlags = 1 << iota
	hasResult
	hasBoth = hasType | hasResult
)

type opRow struct {
	op       Op
	name     string
	section  layoutSection
	flags    opFlags
	operands []OperandInfo
}

func (op Op) row() *opRow {
	if op == OpTypeFloat {
		return &floatRow
	}
	i, ok := slices.BinarySearchFunc(opRows[:], op, func(r opRow, op Op) int { return cmp.Compare(r.op, op) })
	if !ok {
		return cooperativeRow(op)
	}
	return &opRows[i]
}

// Info returns the description of op in the grammar. The result ok is false for an opcode that the
// grammar does not contain.
func (op Op) Info() (info OpInfo, ok bool) {
	r := op.row()
	if r == nil {
		return OpInfo{}, false
	}
	return OpInfo{r.name, r.flags&hasType != 0, r.flags&hasResult != 0, r.operands}, true
}

// String returns the opcode's name in the specification, such as OpIAdd.
func (op Op) String() string {
	if r := op.row(); r != nil {
		return r.name
	}
	return fmt.Sprintf("Op(%d)", uint16(op))
}

// IsTerminator reports whether op ends a block (SPIR-V 2.2.5, "Termination
// Instruction").
func (op Op) IsTerminator() bool {
	switch op {
	case OpBranch, OpBranchConditional, OpSwitch, OpReturn, OpReturnValue, OpKill, OpUnreachable,
		OpTerminateInvocation, OpIgnoreIntersectionKHR, OpTerminateRayKHR, OpEmitMeshTasksEXT:
		return true
	}
	return false
}

// Kind is an operand kind of the grammar, such as an id, a literal, an enumeration or a pair of these.
type Kind uint8

type category uint8

const (
	categoryId category = iota + 1
	categoryLiteral
	categoryComposite
	categoryValueEnum
	categoryBitEnum
)

type kindRow struct {
	name       string
	category   category
	bases      []Kind // elements of a composite kind
	enumerants []enumRow
}

// enumRow is one enumerant of an enumeration. The enumerants are sorted by value.
type enumRow struct {
	value  uint32
	name   string
	params []OperandInfo // parameters that follow this enumerant
}

// String returns the grammar's name, such as IdRef or MemoryAccess.
func (k Kind) String() string {
	if k == kindNone || int(k) >= len(kindRows) {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindRows[k].name
}

// IsID reports whether an operand of this kind is an <id>.
func (k Kind) IsID() bool { return kindRows[k].category == categoryId }

func (k Kind) lookup(v uint32) *enumRow {
	rows := kindRows[k].enumerants
	i, ok := slices.BinarySearchFunc(rows, v, func(e enumRow, v uint32) int { return cmp.Compare(e.value, v) })
	if !ok {
		return nil
	}
	return &rows[i]
}

// enumString formats value v of an enumeration for the disassembler. The names of a mask's bits are joined by
// "|".
func enumString(k Kind, v uint32) string {
	if kindRows[k].category == categoryBitEnum && v != 0 {
		var names []string
		for rest := v; rest != 0; rest &= rest - 1 {
			bit := rest & -rest
			if e := k.lookup(bit); e != nil {
				names = append(names, e.name)
			} else {
				names = append(names, fmt.Sprintf("%#x", bit))
			}
		}
		return strings.Join(names, "|")
	}
	if e := k.lookup(v); e != nil {
		return e.name
	}
	return fmt.Sprint(v)
}

// GLSLstd450 is an instruction of the extended instruction set "GLSL.std.450".
type GLSLstd450 uint32

// GLSLstd450Name is the name by which modules import the extended instruction set.
const GLSLstd450Name = "GLSL.std.450"

type glslRow struct {
	inst     GLSLstd450
	name     string
	operands []OperandInfo
}

func (g GLSLstd450) row() *glslRow {
	i, ok := slices.BinarySearchFunc(glslRows[:], g, func(r glslRow, g GLSLstd450) int { return cmp.Compare(r.inst, g) })
	if !ok {
		return nil
	}
	return &glslRows[i]
}

// String returns the instruction's name in the specification, such as FSign.
func (g GLSLstd450) String() string {
	if r := g.row(); r != nil {
		return r.name
	}
	return fmt.Sprint(uint32(g))
}

// Operands returns the instruction's operand pattern. Operands returns nil for a number that the set does not
// contain.
func (g GLSLstd450) Operands() []OperandInfo {
	if r := g.row(); r != nil {
		return r.operands
	}
	return nil
}

// layoutSection is a section of the logical layout of a module. The constants of this type are in the
// order of the logical layout (SPIR-V 2.4).
type layoutSection uint8

const (
	secCapability layoutSection = iota + 1
	secExtension
	secExtInstImport
	secMemoryModel
	secSamplerImageAddressingMode
	secEntryPoint
	secExecutionMode
	secString
	secName
	secModuleProcessed
	secAnnotation
	secGlobal
	secGlobalOrFunction // OpVariable, OpUndef, OpExtInst, OpLine, OpNoLine
	secFunction
)
