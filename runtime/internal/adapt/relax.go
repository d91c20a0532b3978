package adapt

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// Relaxed reports whether modules for the driver need the changes that Relax makes. Mesa's llvmpipe
// (seen in 22.3) treats an operation that orders memory as a control barrier. Suppose that a loop
// contains an operation that orders memory, and that the sub-groups run different numbers of
// iterations. Then llvmpipe ends all sub-groups of the work-group when the last one ends. llvmpipe
// executes all atomic operations in a single order, even if they are relaxed. Relax therefore only
// has to keep llvmpipe's compiler from moving other accesses across atomic operations.
//
// llvmpipe also treats a sub-group barrier as a work-group barrier (seen in 22.3 and 26.1). If only
// some sub-groups of a work-group execute a sub-group barrier, the code after the barrier does not
// run. On llvmpipe the invocations of a sub-group run in lockstep, so Relax can remove sub-group
// barriers.
func Relaxed(driver string) bool { return driver == "llvmpipe" }

// Relax returns the module with relaxed atomics, without sub-group barriers, and with volatile
// accesses to memory that invocations share. Relax returns the same words if the module contains
// neither sub-group barriers nor atomics that order memory.
func Relax(words []uint32) ([]uint32, error) {
	m, err := spirv.Parse(words)
	if err != nil {
		return nil, err
	}
	values := map[spirv.ID]uint32{}
	u32, none := spirv.ID(0), spirv.ID(0)
	for _, in := range m.Globals {
		switch {
		case in.Op == spirv.OpTypeInt && in.Words[0] == 32 && in.Words[1] == 0:
			u32 = in.Result
		case in.Op == spirv.OpConstant && in.Type == u32:
			values[in.Result] = in.Words[0]
			if in.Words[0] == 0 {
				none = in.Result
			}
		}
	}
	orders := func(in *spirv.Instruction) bool {
		at := semanticsWords(in.Op)
		return len(at) > 0 && values[spirv.ID(in.Words[at[0]])] != 0
	}
	together := func(in *spirv.Instruction) bool {
		return in.Op == spirv.OpControlBarrier && spirv.Scope(values[spirv.ID(in.Words[0])]) == spirv.ScopeSubgroup
	}
	found := false
	m.All(func(in *spirv.Instruction) bool { found = found || orders(in) || together(in); return !found })
	if !found {
		return words, nil
	}
	if none == 0 {
		none = spirv.ID(m.Bound)
		m.Bound++
		m.Globals = append(m.Globals, spirv.Instruction{Op: spirv.OpConstant, Type: u32, Result: none, Words: []uint32{0}})
	}
	for i := range m.Functions {
		f := &m.Functions[i]
		f.Code = slices.DeleteFunc(f.Code, func(in spirv.Instruction) bool { return in.Op == spirv.OpMemoryBarrier || together(&in) })
	}
	m.All(func(in *spirv.Instruction) bool {
		for _, at := range semanticsWords(in.Op) {
			in.Words[at] = uint32(none)
		}
		const access = uint32(spirv.MemoryAccessNonPrivatePointer)
		at := memoryOperandAt[in.Op]
		if at > 0 && at < len(in.Words) && in.Words[at]&access != 0 {
			in.Words[at] |= uint32(spirv.MemoryAccessVolatile)
		}
		return true
	})
	return m.Words(), nil
}

// memoryOperandAt maps the opcode of a memory access to the index of the memory operands among the
// instruction's words.
var memoryOperandAt = map[spirv.Op]int{spirv.OpLoad: 1, spirv.OpStore: 2, spirv.OpCooperativeMatrixLoadKHR: 3, spirv.OpCooperativeMatrixStoreKHR: 4}

// semanticsWords returns the positions of the memory semantics among the words of an atomic
// instruction.
func semanticsWords(op spirv.Op) []int {
	switch {
	case op == spirv.OpMemoryBarrier:
		return []int{1}
	case op == spirv.OpAtomicCompareExchange:
		return []int{2, 3}
	case op >= spirv.OpAtomicLoad && op <= spirv.OpAtomicXor, op == spirv.OpAtomicFAddEXT:
		return []int{2}
	}
	return nil
}
