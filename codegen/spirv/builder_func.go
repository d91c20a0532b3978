package spirv

// This file builds functions.

import "fmt"

// FunctionBuilder builds a function. The blocks are in the order of the calls of Label. To use a
// label or value before its definition, allocate an id with [Builder.NewID] and define the id later.
type FunctionBuilder struct {
	ID ID
	// Tag is stored with each instruction that is added to a block. [Builder.Tags] returns the tags.
	Tag int32

	b         *Builder
	head      []Instruction // OpFunction and the parameters
	variables []Instruction // OpVariable instructions at the start of the first block
	code      []Instruction
	tags      []int32    // tags of the instructions in code
	phis      map[ID]int // maps the id of a phi to the index of its OpPhi in code
	block     ID
}

// Function begins a function of type fnType with the result type ret (OpFunction). A function
// without blocks is a declaration.
func (b *Builder) Function(ret, fnType ID, control FunctionControl) *FunctionBuilder {
	f := &FunctionBuilder{ID: b.NewID(), b: b, phis: map[ID]int{}}
	f.head = []Instruction{{Op: OpFunction, Type: ret, Result: f.ID, Words: []uint32{uint32(control), uint32(fnType)}}}
	b.functions = append(b.functions, f)
	return f
}

func (f *FunctionBuilder) assemble() []Instruction {
	list := append([]Instruction(nil), f.head...)
	for i, in := range f.code {
		list = append(list, in)
		if i == 0 { // label of the first block
			list = append(list, f.variables...)
		}
	}
	return append(list, Instruction{Op: OpFunctionEnd})
}

// tagList returns one tag for each instruction in the result of the method `assemble`.
func (f *FunctionBuilder) tagList() []int32 {
	list := make([]int32, len(f.head))
	for i, tag := range f.tags {
		list = append(list, tag)
		if i == 0 {
			list = append(list, make([]int32, len(f.variables))...)
		}
	}
	return append(list, 0)
}

// Param adds a parameter (OpFunctionParameter).
func (f *FunctionBuilder) Param(typ ID) ID {
	id := f.b.NewID()
	f.head = append(f.head, Instruction{Op: OpFunctionParameter, Type: typ, Result: id})
	return id
}

// Variable adds a variable of class Function (OpVariable). initID is the id of a constant, or 0 for a
// variable without an initial value. Variable may be called at any time while the function is built.
func (f *FunctionBuilder) Variable(ptrType, initID ID) ID {
	words := []uint32{uint32(StorageClassFunction)}
	if initID != 0 {
		words = append(words, uint32(initID))
	}
	id := f.b.NewID()
	f.variables = append(f.variables, Instruction{Op: OpVariable, Type: ptrType, Result: id, Words: words})
	return id
}

// Label begins a block (OpLabel). If labelID is 0, Label allocates a new id.
func (f *FunctionBuilder) Label(labelID ID) ID {
	if f.block != 0 {
		panic(fmt.Sprintf("BUG: block %%%d has no termination instruction", f.block))
	}
	f.block = f.add(Instruction{Op: OpLabel, Result: labelID})
	return f.block
}

// Emit appends an instruction and returns its result. If the opcode has a result, and field Result of the instruction
// is 0, Emit allocates a new id.
func (f *FunctionBuilder) Emit(in Instruction) ID {
	if f.block == 0 {
		panic(fmt.Sprintf("BUG: %v outside a block", in.Op))
	}
	if in.Op == OpLabel || in.Op == OpVariable {
		panic(fmt.Sprintf("BUG: %v has a method of its own", in.Op))
	}
	return f.add(in)
}

func (f *FunctionBuilder) add(in Instruction) ID {
	row := in.Op.row()
	if row == nil {
		panic(fmt.Sprintf("BUG: unknown opcode %d", uint16(in.Op)))
	}
	if (row.flags&hasType != 0) != (in.Type != 0) {
		panic(fmt.Sprintf("BUG: %v with the Result Type %%%d", in.Op, in.Type))
	}
	if row.flags&hasResult == 0 {
		if in.Result != 0 {
			panic(fmt.Sprintf("BUG: %v with the Result %%%d", in.Op, in.Result))
		}
	} else if in.Result == 0 {
		in.Result = f.b.NewID()
	}
	f.code, f.tags = append(f.code, in), append(f.tags, f.Tag)
	if in.Op.IsTerminator() {
		f.block = 0
	}
	return in.Result
}

// Op emits an instruction whose operands are all ids. The argument typ is 0 if the opcode has no Result
// Type. The returned id is 0 if the opcode has no result.
func (f *FunctionBuilder) Op(op Op, typ ID, args ...ID) ID {
	return f.Emit(Instruction{Op: op, Type: typ, Words: IDWords(args...)})
}

// OpAs emits the same instruction as Op, but with a result id that the caller has allocated.
func (f *FunctionBuilder) OpAs(result ID, op Op, typ ID, args ...ID) {
	f.Emit(Instruction{Op: op, Type: typ, Result: result, Words: IDWords(args...)})
}

// ExtInst emits an instruction of an extended instruction set (OpExtInst).
func (f *FunctionBuilder) ExtInst(typ, set ID, inst uint32, args ...ID) ID {
	return f.Emit(Instruction{Op: OpExtInst, Type: typ, Words: append([]uint32{uint32(set), inst}, IDWords(args...)...)})
}

// GLSL emits an instruction of the extended instruction set GLSL.std.450, and imports that set.
func (f *FunctionBuilder) GLSL(typ ID, inst GLSLstd450, args ...ID) ID {
	return f.ExtInst(typ, f.b.ExtInstImport(GLSLstd450Name), uint32(inst), args...)
}

// MemoryOperands are the optional operands of a memory access (SPIR-V 3.26, "Memory Operands"). If an
// operand is not 0, the operand's bit in the mask is set too.
type MemoryOperands struct {
	Access    MemoryAccess // bits without operands, such as MemoryAccessVolatile
	Alignment uint32       // operand of Aligned, if not 0; required for PhysicalStorageBuffer
	Available ID           // scope of MakePointerAvailable, if not 0
	Visible   ID           // scope of MakePointerVisible, if not 0
}

func (o MemoryOperands) words() []uint32 {
	mask := o.Access
	var args []uint32
	for _, bit := range [...]struct { // mask bits with their operands, in ascending order
		mask MemoryAccess
		arg  uint32
	}{
		{MemoryAccessAligned, o.Alignment},
		{MemoryAccessMakePointerAvailable, uint32(o.Available)},
		{MemoryAccessMakePointerVisible, uint32(o.Visible)},
	} {
		if bit.arg != 0 {
			mask |= bit.mask
			args = append(args, bit.arg)
		}
	}
	if mask == 0 {
		return nil
	}
	return append([]uint32{uint32(mask)}, args...)
}

// Load emits OpLoad.
func (f *FunctionBuilder) Load(typ, ptr ID, mem MemoryOperands) ID {
	return f.Emit(Instruction{Op: OpLoad, Type: typ, Words: append([]uint32{uint32(ptr)}, mem.words()...)})
}

// Store emits OpStore.
func (f *FunctionBuilder) Store(ptr, value ID, mem MemoryOperands) {
	f.Emit(Instruction{Op: OpStore, Words: append([]uint32{uint32(ptr), uint32(value)}, mem.words()...)})
}

// AccessChain emits OpAccessChain. The argument ptrType is the type of the result.
func (f *FunctionBuilder) AccessChain(ptrType, base ID, indexes ...ID) ID {
	return f.Op(OpAccessChain, ptrType, append([]ID{base}, indexes...)...)
}

// CompositeExtract emits OpCompositeExtract.
func (f *FunctionBuilder) CompositeExtract(typ, composite ID, indexes ...uint32) ID {
	return f.Emit(Instruction{Op: OpCompositeExtract, Type: typ, Words: append([]uint32{uint32(composite)}, indexes...)})
}

// Incoming is an incoming edge of a phi, with the value and the block from which the edge comes.
type Incoming struct{ Value, Parent ID }

// Phi emits OpPhi. AddIncoming adds edges from blocks that are emitted later.
func (f *FunctionBuilder) Phi(typ ID, in ...Incoming) ID {
	id := f.Op(OpPhi, typ)
	f.phis[id] = len(f.code) - 1
	f.AddIncoming(id, in...)
	return id
}

// AddIncoming adds incoming edges to a phi of this function.
func (f *FunctionBuilder) AddIncoming(phi ID, in ...Incoming) {
	i, ok := f.phis[phi]
	if !ok {
		panic(fmt.Sprintf("BUG: %%%d is no phi of this function", phi))
	}
	for _, e := range in {
		f.code[i].Words = append(f.code[i].Words, uint32(e.Value), uint32(e.Parent))
	}
}

// SelectionMerge emits OpSelectionMerge. The caller must emit the branch directly after
// OpSelectionMerge.
func (f *FunctionBuilder) SelectionMerge(merge ID, control SelectionControl) {
	f.Emit(Instruction{Op: OpSelectionMerge, Words: []uint32{uint32(merge), uint32(control)}})
}

// LoopMerge emits OpLoopMerge. The caller must emit the branch directly after OpLoopMerge. If a bit
// of the mask `control` has an operand, the list `operands` contains this operand.
func (f *FunctionBuilder) LoopMerge(merge, cont ID, control LoopControl, operands ...uint32) {
	f.Emit(Instruction{Op: OpLoopMerge, Words: append([]uint32{uint32(merge), uint32(cont), uint32(control)}, operands...)})
}

// Branch emits OpBranch.
func (f *FunctionBuilder) Branch(target ID) { f.Op(OpBranch, 0, target) }

// BranchConditional emits OpBranchConditional.
func (f *FunctionBuilder) BranchConditional(cond, yes, no ID) {
	f.Op(OpBranchConditional, 0, cond, yes, no)
}

// Case is a value of the selector of OpSwitch, and the label for this value.
type Case struct {
	Value  uint64 // value of the case, encoded as in ConstBits
	Target ID
}

// Switch emits OpSwitch. The type of the selector, typ, determines the width of the literals.
func (f *FunctionBuilder) Switch(typ, selector, otherwise ID, cases ...Case) {
	words := IDWords(selector, otherwise)
	for _, c := range cases {
		words = append(words, f.b.literalWords(typ, c.Value)...)
		words = append(words, uint32(c.Target))
	}
	f.Emit(Instruction{Op: OpSwitch, Words: words})
}

// Return emits OpReturn.
func (f *FunctionBuilder) Return() { f.Op(OpReturn, 0) }

// Unreachable emits OpUnreachable.
func (f *FunctionBuilder) Unreachable() { f.Op(OpUnreachable, 0) }
