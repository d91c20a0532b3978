package adapt

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// Relaxed reports whether the device gets modules whose atomic operations order
// nothing in SPIR-V's terms. Mesa's llvmpipe (seen in 22.3) takes what orders
// memory for a control barrier: work-groups whose sub-groups go round a loop with
// such an operation different times end with the last sub-group. It executes all
// atomic operations in one order whatever the module says, so that it is enough to
// keep its compiler from moving the other accesses across.
//
// It also takes a sub-group barrier for a work-group barrier (seen in 22.3 and 26.1): if only some sub-groups of a
// work-group execute it, the code after the barrier does not run. The invocations of a sub-group run in lockstep
// there, so that sub-group barriers can be left out.
func Relaxed(driver string) bool { return driver == "llvmpipe" }

// Relax returns the module with relaxed atomics, without barriers of sub-groups, and with volatile accesses to what
// invocations share, or the module itself if it has neither such barriers nor atomics that order.
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
		at := semantics(in.Op)
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
		for _, at := range semantics(in.Op) {
			in.Words[at] = uint32(none)
		}
		const access = uint32(spirv.MemoryAccessNonPrivatePointer)
		at := accesses[in.Op]
		if at > 0 && at < len(in.Words) && in.Words[at]&access != 0 {
			in.Words[at] |= uint32(spirv.MemoryAccessVolatile)
		}
		return true
	})
	return m.Words(), nil
}

// accesses says which word of an instruction has the memory operands.
var accesses = map[spirv.Op]int{spirv.OpLoad: 1, spirv.OpStore: 2, spirv.OpCooperativeMatrixLoadKHR: 3, spirv.OpCooperativeMatrixStoreKHR: 4}

// semantics returns which words of an atomic instruction are memory semantics.
func semantics(op spirv.Op) []int {
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
