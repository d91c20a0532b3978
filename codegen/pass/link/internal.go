package link

// This file keeps memory that is internal to a linked kernel in variables of the work-item:
//
//	before                              after
//
//	Store [%tmp f32, %lin], %x          Store [var tmp], %x
//	%y = Load f32 [%tmp f32, %lin]      %y = Load f32 [var tmp]
//
// The checks of the indices stay. Variables that hold one number each become values.
//
// Memory that a work-group shares becomes an array in work-group memory, with an element for
// each work-item:
//
//	%y = Load f32 [%tmp f32, %i]        %y = Load f32 [var tmp, %i - groupID*groupSize]

import (
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// internalize replaces the accesses of internal memory.
func (l *linker) internalize() error {
	vars := map[int]*ir.Var{} // by the module's parameter
	var roots *facts.Roots
	for i, s := range l.slices {
		if s.PerItem == 0 && !s.Shared {
			continue
		}
		if roots == nil {
			roots = facts.FindRoots(l.m)
		}
		if err := l.internalizeParam(i, s, roots, vars); err != nil {
			return err
		}
	}
	if len(vars) == 0 {
		return nil
	}
	if diags := memory.SRoA(l.m); len(diags) > 0 {
		return fmt.Errorf("BUG: the linked kernel has diagnostics: %v", diags[0])
	}
	if diags := rewrite.Mem2Reg(l.m); len(diags) > 0 {
		return fmt.Errorf("BUG: the linked kernel has diagnostics: %v", diags[0])
	}
	return nil
}

// internalizeParam replaces the accesses of one parameter's memory.
func (l *linker) internalizeParam(param int, s Slice, roots *facts.Roots, vars map[int]*ir.Var) error {
	for _, b := range l.m.Kernel.Blocks {
		for n := 0; n < len(b.Insts); n++ {
			v := b.Insts[n]
			r := v.Ref()
			if r == nil || r.Var != nil || v.Op == ir.OpAddrOf || !roots.Of(v.Path()[0]).Has(param) {
				continue
			}
			x := vars[param]
			if x == nil {
				x = l.variable(param, s, r.Elem)
				vars[param] = x
				if b == l.m.Kernel.Blocks[0] {
					n++ // behind what zeroes it
				}
			}
			if x.Type != l.elements(r.Elem, s) {
				return fmt.Errorf("BUG: %s has elements of two types", x.Name)
			}
			path := v.Path()
			index, rest := path[1], path[2:]
			m := &inserter{b: b, at: n}
			for base := path[0]; base.Op == ir.OpAddrOf; base = base.Path()[0] {
				index = m.add(ir.OpIAdd, ir.TypeI64, m.wide(index), m.wide(base.Path()[1]))
			}
			var own []*ir.Value
			if s.Shared || s.PerItem > 1 {
				first := l.first(m, s)
				own = append(own, m.add(ir.OpUConvert, ir.TypeI32, m.add(ir.OpISub, ir.TypeI64, m.wide(index), first)))
			}
			n = m.at
			v.Args = append(append(v.Args[:len(v.Args)-len(path):len(v.Args)-len(path)], own...), rest...)
			v.Aux = &ir.Ref{Var: x}
		}
	}
	return nil
}

// variable makes the variable for a parameter's memory, which is zero when the kernel begins.
func (l *linker) variable(param int, s Slice, elem *ir.Type) *ir.Var {
	f, storage, op := l.m.Kernel, ir.Function, ir.OpZero
	if s.Shared {
		storage, op, l.m.UsesGroup = ir.Workgroup, ir.OpZeroLocal, true
	}
	x := l.m.NewVar(f, storage, l.m.Params[param].Name, l.elements(elem, s))
	entry := f.Blocks[0]
	zero := f.NewValue(op, ir.TypeVoid)
	zero.Aux, zero.Block = &ir.Ref{Var: x}, entry
	entry.Insts = append([]*ir.Value{zero}, entry.Insts...)
	return x
}

// elements returns the type of a work-item's own elements, or of those of its group.
func (l *linker) elements(elem *ir.Type, s Slice) *ir.Type {
	switch {
	case s.Shared:
		return l.m.ArrayOf(elem, l.groupSize())
	case s.PerItem == 1:
		return elem
	}
	return l.m.ArrayOf(elem, l.m.Int(ir.TypeI32, s.PerItem))
}

// groupSize returns the number of work-items in a group, of one dimension.
func (l *linker) groupSize() *ir.Value {
	return l.m.SpecValue(l.reserved(&ir.Spec{ID: abi.SpecLocalSizeX, Name: "LocalSizeX", Type: ir.TypeI32, Default: 1}))
}

// first returns the index of the first element that a work-item has, or its group.
func (l *linker) first(m *inserter, s Slice) *ir.Value {
	if s.Shared {
		group := m.launch(ir.OpBuiltIn, ir.WorkgroupIDX, 0)
		return m.wide(m.add(ir.OpIMul, ir.TypeI32, group, l.groupSize()))
	}
	return m.add(ir.OpIMul, ir.TypeI64, l.linear(m), l.m.Int(ir.TypeI64, s.PerItem))
}

// linear returns the work-item's linear id.
func (l *linker) linear(m *inserter) *ir.Value {
	lin := m.wide(m.launch(ir.OpBuiltIn, ir.GlobalInvocationIDX+ir.BuiltIn(max(l.m.Rank-1, 0)), 0))
	for k := l.m.Rank - 2; k >= 0; k-- {
		size := m.wide(m.launch(ir.OpArg, nil, uint64(abi.OffsetRange+4*k)))
		id := m.wide(m.launch(ir.OpBuiltIn, ir.GlobalInvocationIDX+ir.BuiltIn(k), 0))
		lin = m.add(ir.OpIAdd, ir.TypeI64, m.add(ir.OpIMul, ir.TypeI64, lin, size), id)
	}
	return lin
}

// inserter adds values to a block ahead of its instruction at.
type inserter struct {
	b  *ir.Block
	at int
}

func (m *inserter) insert(v *ir.Value) *ir.Value {
	v.Block = m.b
	m.b.Insts = append(m.b.Insts, nil)
	copy(m.b.Insts[m.at+1:], m.b.Insts[m.at:])
	m.b.Insts[m.at] = v
	m.at++
	return v
}

func (m *inserter) add(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	return m.insert(m.b.Func.NewValue(op, t, args...))
}

// launch adds what the launch says, an int32.
func (m *inserter) launch(op ir.Op, aux any, bits uint64) *ir.Value {
	v := m.b.Func.NewValue(op, ir.TypeI32)
	v.Aux, v.Bits = aux, bits
	return m.insert(v)
}

// wide returns an index or an id as an int64.
func (m *inserter) wide(v *ir.Value) *ir.Value {
	if v.Type == ir.TypeI64 {
		return v
	}
	return m.add(ir.OpUConvert, ir.TypeI64, v)
}
