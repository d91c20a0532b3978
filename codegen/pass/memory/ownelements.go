package memory

// This file keeps elements of slices that are a work-item's own in variables of the work-item:
//
//	before                              after
//
//	Store [%tmp f32, %lin], %x          Store [var tmp], %x
//	%y = Load f32 [%tmp f32, %lin]      %y = Load f32 [var tmp]
//
// The checks of the indices stay.

import (
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// OwnElements replaces the accesses of slices by accesses of variables, which are zero when the
// kernel begins. perItem says how many elements of a parameter's slice each work-item has to
// itself (see facts.Footprint), and is 0 for parameters that keep their memory. It reports
// whether there were any such accesses. The variables are still to be split and promoted.
func OwnElements(m *ir.Module, perItem func(param int) int64) bool {
	o := &ownElements{m: m}
	for i := range m.Params {
		n := perItem(i)
		if n == 0 {
			continue
		}
		if o.roots == nil {
			o.roots = facts.FindRoots(m)
		}
		o.param(i, n)
	}
	return o.any
}

type ownElements struct {
	m     *ir.Module
	roots *facts.Roots
	any   bool
}

// param replaces the accesses of one parameter's memory.
func (o *ownElements) param(param int, perItem int64) {
	var x *ir.Var
	for _, b := range o.m.Kernel.Blocks {
		for n := 0; n < len(b.Insts); n++ {
			v := b.Insts[n]
			r := v.Ref()
			if r == nil || r.Var != nil || v.Op == ir.OpAddrOf || !o.roots.Of(v.Path()[0]).Has(param) {
				continue
			}
			if x == nil {
				x = o.m.NewVar(o.m.Kernel, ir.Function, o.m.Params[param].Name, o.elements(r.Elem, perItem))
				o.any = true
				entry := o.m.Kernel.Blocks[0]
				zero := o.m.Kernel.NewValue(ir.OpZero, ir.TypeVoid)
				zero.Aux, zero.Block = &ir.Ref{Var: x}, entry
				entry.Insts = append([]*ir.Value{zero}, entry.Insts...)
				if b == entry {
					n++
				}
			}
			if x.Type != o.elements(r.Elem, perItem) {
				panic(fmt.Sprintf("BUG: %s has elements of two types", x.Name))
			}
			path := v.Path()
			index, rest := path[1], path[2:]
			m := &inserter{b: b, at: n}
			for base := path[0]; base.Op == ir.OpAddrOf; base = base.Path()[0] {
				index = m.add(ir.OpIAdd, ir.TypeI64, m.wide(index), m.wide(base.Path()[1]))
			}
			var own []*ir.Value
			if perItem > 1 {
				first := m.add(ir.OpIMul, ir.TypeI64, o.linear(m), o.m.Int(ir.TypeI64, perItem))
				own = append(own, m.add(ir.OpUConvert, ir.TypeI32, m.add(ir.OpISub, ir.TypeI64, m.wide(index), first)))
			}
			n = m.at
			v.Args = append(append(v.Args[:len(v.Args)-len(path):len(v.Args)-len(path)], own...), rest...)
			v.Aux = &ir.Ref{Var: x}
		}
	}
}

// elements returns the type of a work-item's own elements.
func (o *ownElements) elements(elem *ir.Type, perItem int64) *ir.Type {
	if perItem == 1 {
		return elem
	}
	return o.m.ArrayOf(elem, o.m.Int(ir.TypeI32, perItem))
}

// linear returns the work-item's linear id.
func (o *ownElements) linear(m *inserter) *ir.Value {
	lin := m.wide(m.launch(ir.OpBuiltIn, ir.GlobalInvocationIDX+ir.BuiltIn(max(o.m.Rank-1, 0)), 0))
	for k := o.m.Rank - 2; k >= 0; k-- {
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
