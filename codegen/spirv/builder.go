package spirv

// This file defines the Builder of modules.

import (
	"fmt"
	"slices"
)

// Builder builds a [Module] and allocates its ids. Equal types, constants, imports and strings get the same id. Two
// types are not equal if their decorations differ.
//
// The methods of Builder panic if an argument proves a bug in the caller. [Builder.Module] checks
// all other rules of SPIR-V modules.
type Builder struct {
	// If KeepNames is true, Name and MemberName write debug names. By default Name and MemberName do nothing, because
	// the words of a module should depend only on the kernel's code.
	KeepNames bool

	m         Module
	next      ID
	d         *Decoder
	seqs      map[seqKey]wordSeq
	defs      map[defKey]ID
	once      map[onceKey]ID
	entries   []entryPoint
	functions []*FunctionBuilder
}

type entryPoint struct {
	in   Instruction
	auto bool // whether the interface of the entry point consists of the module's global variables
}

// wordSeq is the number of a sequence of words. Two sequences have the same number if and only if they
// are equal. For this reason, a map key can contain a wordSeq instead of a list of words.
type wordSeq uint32

type seqKey struct {
	head wordSeq
	last uint32
}

// defKey identifies a type or a constant.
type defKey struct {
	op     Op
	typ    ID
	words  wordSeq
	decors wordSeq
}

// onceKey is the map key for a declaration that a module contains only once. A onceKey contains the name
// or number that is declared.
type onceKey struct {
	op   Op
	text string
	num  uint32
}

// NewBuilder returns a Builder for a module of [DefaultVersion].
func NewBuilder() *Builder {
	return &Builder{
		m:    Module{Version: DefaultVersion},
		next: 1,
		d:    newDecoder(),
		seqs: map[seqKey]wordSeq{},
		defs: map[defKey]ID{},
		once: map[onceKey]ID{},
	}
}

// SetVersion sets the version in the module's header, such as [Version16].
func (b *Builder) SetVersion(v uint32) { b.m.Version = v }

// NewID allocates an id for a later definition, such as a label or a value of a later block.
func (b *Builder) NewID() ID {
	id := b.next
	b.next++
	return id
}

func (b *Builder) sequenceOf(head wordSeq, words ...uint32) wordSeq {
	for _, w := range words {
		k := seqKey{head, w}
		s, ok := b.seqs[k]
		if !ok {
			s = wordSeq(len(b.seqs) + 1)
			b.seqs[k] = s
		}
		head = s
	}
	return head
}

// appendGlobal appends an instruction to the section of types, constants and global variables.
func (b *Builder) appendGlobal(in Instruction) ID {
	if in.Result == 0 && in.Op.row().flags&hasResult != 0 {
		in.Result = b.NewID()
	}
	b.m.Globals = append(b.m.Globals, in)
	b.d.noteFacts(&in)
	return in.Result
}

// defineOnce returns the id of a definition that a module contains only once. If isNew is true, this
// call of defineOnce has appended the definition, and the caller must decorate it.
func (b *Builder) defineOnce(op Op, typ ID, decors wordSeq, words ...uint32) (id ID, isNew bool) {
	k := defKey{op, typ, b.sequenceOf(0, words...), decors}
	if id, ok := b.defs[k]; ok {
		return id, false
	}
	id = b.appendGlobal(Instruction{Op: op, Type: typ, Words: slices.Clone(words)})
	b.defs[k] = id
	return id, true
}

func (b *Builder) plain(op Op, typ ID, words ...uint32) ID {
	id, _ := b.defineOnce(op, typ, 0, words...)
	return id
}

// IDWords converts ids to operand words.
func IDWords(ids ...ID) []uint32 {
	words := make([]uint32, len(ids))
	for i, id := range ids {
		words[i] = uint32(id)
	}
	return words
}

// Capability declares c (OpCapability).
func (b *Builder) Capability(c Capability) {
	if !b.first(OpCapability, "", uint32(c)) {
		return
	}
	b.m.Capabilities = append(b.m.Capabilities, Instruction{Op: OpCapability, Words: []uint32{uint32(c)}})
}

// Extension declares the extension (OpExtension).
func (b *Builder) Extension(name string) {
	if !b.first(OpExtension, name, 0) {
		return
	}
	b.m.Extensions = append(b.m.Extensions, Instruction{Op: OpExtension, Words: StringWords(name)})
}

func (b *Builder) first(op Op, text string, num uint32) bool {
	k := onceKey{op, text, num}
	_, seen := b.once[k]
	b.once[k] = 0
	return !seen
}

func (b *Builder) named(op Op, list *[]Instruction, text string) ID {
	k := onceKey{op: op, text: text}
	id, ok := b.once[k]
	if !ok {
		id = b.NewID()
		b.once[k] = id
		*list = append(*list, Instruction{Op: op, Result: id, Words: StringWords(text)})
	}
	return id
}

// ExtInstImport imports the extended instruction set (OpExtInstImport).
func (b *Builder) ExtInstImport(name string) ID {
	return b.named(OpExtInstImport, &b.m.ExtInstImports, name)
}

// MemoryModel sets the module's addressing and memory models (OpMemoryModel).
func (b *Builder) MemoryModel(a AddressingModel, m MemoryModel) {
	b.m.MemoryModel = Instruction{Op: OpMemoryModel, Words: []uint32{uint32(a), uint32(m)}}
}

// EntryPoint declares fn as an entry point (OpEntryPoint). If the caller passes no interface variables, the interface
// consists of the module's global variables. From SPIR-V 1.4 on, the interface contains all global variables. Before
// SPIR-V 1.4, the interface contains only the variables of classes Input and Output.
func (b *Builder) EntryPoint(model ExecutionModel, fn ID, name string, iface ...ID) {
	words := append([]uint32{uint32(model), uint32(fn)}, StringWords(name)...)
	in := Instruction{Op: OpEntryPoint, Words: append(words, IDWords(iface...)...)}
	b.entries = append(b.entries, entryPoint{in, len(iface) == 0})
}

// ExecutionMode declares an execution mode with literal operands (OpExecutionMode).
func (b *Builder) ExecutionMode(fn ID, mode ExecutionMode, operands ...uint32) {
	b.m.ExecutionModes = append(b.m.ExecutionModes,
		Instruction{Op: OpExecutionMode, Words: append([]uint32{uint32(fn), uint32(mode)}, operands...)})
}

// Name writes a debug name of id (OpName) if KeepNames is set.
func (b *Builder) Name(id ID, name string) {
	if b.KeepNames {
		b.Mark(id, name)
	}
}

// Mark writes a name of id (OpName). Programs search for the name when they load the module. Mark
// writes the name even if KeepNames is false.
func (b *Builder) Mark(id ID, name string) {
	b.m.Names = append(b.m.Names, Instruction{Op: OpName, Words: append([]uint32{uint32(id)}, StringWords(name)...)})
}

// The names with the prefix MarkHalf mark vectors. Each vector belongs to a float16 operation that
// the module computes by float32 code. The vector contains the computed value and then the
// operands. A device may compute the same value from the operands by one instruction.
const (
	MarkHalfDiv  = "kgen.half.Div"
	MarkHalfSqrt = "kgen.half.Sqrt"
	MarkHalfFma  = "kgen.half.FMA"
)

// The names from MarkSDot to MarkSUDotAccSat mark arrays. Each array belongs to a sum of products.
// The array contains the computed sum and then the 8-bit operands. A device may compute the same
// sum from the operands by one instruction.
const (
	MarkSDot        = "kgen.dot.S"
	MarkUDot        = "kgen.dot.U"
	MarkSUDot       = "kgen.dot.SU"
	MarkSDotAccSat  = "kgen.dot.SAccSat"
	MarkUDotAccSat  = "kgen.dot.UAccSat"
	MarkSUDotAccSat = "kgen.dot.SUAccSat"
)

// Decorate decorates target (OpDecorate). The target must not be a type that the Builder defines
// only once. Such a type gets its decorations from the method that defines it.
func (b *Builder) Decorate(target ID, d Decoration, operands ...uint32) {
	b.m.Annotations = append(b.m.Annotations,
		Instruction{Op: OpDecorate, Words: append([]uint32{uint32(target), uint32(d)}, operands...)})
}

// MemberDecorate decorates a member of a structure (OpMemberDecorate).
func (b *Builder) MemberDecorate(typ ID, member uint32, d Decoration, operands ...uint32) {
	b.m.Annotations = append(b.m.Annotations,
		Instruction{Op: OpMemberDecorate, Words: append([]uint32{uint32(typ), member, uint32(d)}, operands...)})
}

// Variable defines a global variable (OpVariable). initID is the id of a constant, or 0 for a variable
// without an initial value.
func (b *Builder) Variable(ptrType ID, class StorageClass, initID ID) ID {
	if class == StorageClassFunction {
		panic("BUG: a global variable of the class Function")
	}
	words := []uint32{uint32(class)}
	if initID != 0 {
		words = append(words, uint32(initID))
	}
	return b.appendGlobal(Instruction{Op: OpVariable, Type: ptrType, Words: words})
}

// Module returns the finished module, in which ids have no gaps (see [Module.Compact]). An error
// means that the emitted code is not a valid module, for example because a label is missing or a
// block has no end. After Module, the Builder can still be used.
func (b *Builder) Module() (*Module, error) {
	m := b.m.Clone()
	m.EntryPoints = b.entryPoints()
	for f := range b.inOrder {
		m.Functions = append(m.Functions, Function{Code: cloneList(f.assemble())})
	}
	for in := range m.All {
		if in.wordCount() > maxWords {
			return nil, fmt.Errorf("spirv: %v of %d words", in.Op, in.wordCount())
		}
	}
	if err := m.Compact(); err != nil {
		return nil, err
	}
	return Parse(m.Words()) // Parse checks all rules
}

// inOrder iterates over the functions in the order of the module.
func (b *Builder) inOrder(yield func(f *FunctionBuilder) bool) {
	for _, declared := range []bool{true, false} { // declarations come before definitions
		for _, f := range b.functions {
			if (len(f.code) == 0) == declared && !yield(f) {
				return
			}
		}
	}
}

// Tags returns the tags of all instructions of the module's functions, in the order of [Builder.Module].
// Variables, and instructions outside of blocks, have tag 0.
func (b *Builder) Tags() []int32 {
	var list []int32
	for f := range b.inOrder {
		list = append(list, f.tagList()...)
	}
	return list
}

func (b *Builder) entryPoints() []Instruction {
	var list []Instruction
	for _, e := range b.entries {
		in := e.in
		in.Words = slices.Clone(in.Words)
		if e.auto {
			for _, g := range b.m.Globals {
				if g.Op != OpVariable {
					continue
				}
				class := StorageClass(g.Words[0])
				if b.m.Version >= Version14 || class == StorageClassInput || class == StorageClassOutput {
					in.Words = append(in.Words, uint32(g.Result))
				}
			}
		}
		list = append(list, in)
	}
	return list
}
