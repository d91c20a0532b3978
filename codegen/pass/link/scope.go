package link

// This file adds checks for memory with the scope of a work-group. The user decides which memory
// has this scope. In memory with the scope of a work-group, a work-item may use only elements whose
// indices are linear ids of its group. For example, a kernel may contain the statement:
//
//	y := k.Tmp[i^1]
//
// The analysis cannot prove that i^1 is an id of the group. So the linked kernel tests the index,
// and faults if the index is not an id of the group:
//
//	first := groupID * groupSize
//	if uint64(i^1 - first) >= groupSize { fault }

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// checkScopes inserts checks before the part's accesses to memory with the scope of a work-group.
// checkScopes changes a copy of the part's module, which replaces p.Module.
func checkScopes(p *Part) {
	var params []int
	for i := range p.Slices {
		if p.Slices[i].Group && p.Module.Params[i].Kind == abi.Slice {
			params = append(params, i)
		}
	}
	if len(params) == 0 {
		return
	}
	p.Module = p.Module.Clone()
	for _, i := range params {
		roots := facts.FindRoots(p.Module)
		var accesses []*ir.Value
		for _, b := range p.Module.Kernel.Blocks {
			for _, v := range b.Insts {
				if r := v.Ref(); r != nil && r.Var == nil && v.Op != ir.OpAddrOf && roots.Of(v.Path()[0]).Has(i) {
					accesses = append(accesses, v)
				}
			}
		}
		for _, v := range accesses {
			checkScope(p.Module, v, p.Module.Params[i].Name)
		}
	}
}

// checkScope inserts a check before an access to the memory of the parameter with the given name.
func checkScope(m *ir.Module, access *ir.Value, name string) {
	f, b := m.Kernel, access.Block
	rest := rewrite.SplitAfter(b, slices.Index(b.Insts, access))
	b.ClearTerm()
	i64 := func(v *ir.Value) *ir.Value { return b.Append(ir.OpUConvert, ir.TypeI64, v) }
	builtIn := func(k ir.BuiltIn) *ir.Value {
		v := b.Append(ir.OpBuiltIn, ir.TypeI32)
		v.Aux = k
		return v
	}
	index := access.Path()[1]
	if index.Type != ir.TypeI64 {
		index = i64(index)
	}
	for base := access.Path()[0]; base.Op == ir.OpAddrOf; base = base.Path()[0] {
		low := base.Path()[1]
		if low.Type != ir.TypeI64 {
			low = i64(low)
		}
		index = b.Append(ir.OpIAdd, ir.TypeI64, index, low)
	}
	var size *ir.Value
	for _, s := range m.Specs {
		if s.ID == abi.SpecLocalSizeX {
			size = i64(m.SpecValue(s))
		}
	}
	first := b.Append(ir.OpIMul, ir.TypeI64, i64(builtIn(ir.WorkgroupIDX)), size)
	within := b.Append(ir.OpULt, ir.TypeBool, b.Append(ir.OpISub, ir.TypeI64, index, first), size)
	bad := f.NewBlock()
	b.Branch(within, rest, bad)
	var id []*ir.Value
	for k := range 3 {
		v := m.Int(ir.TypeI32, 0)
		if k < m.Rank {
			v = globalID(bad, k)
		}
		id = append(id, v)
	}
	fault := bad.Append(ir.OpFault, ir.TypeVoid, append([]*ir.Value{index, first}, id...)...)
	fault.Aux = m.NewSite(abi.FaultScope, access.Pos, name, false)
	bad.SetTerm(ir.Term{Kind: ir.Return})
}
