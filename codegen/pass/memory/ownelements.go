package memory

// This file replaces a work-item's own elements of slices by variables. For example:
//
//	Store [%tmp f32, %lin], %x          becomes Store [var tmp], %x
//	%y = Load f32 [%tmp f32, %lin]      becomes %y = Load f32 [var tmp].
//
// The checks of indices into the slices are not removed.

import (
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// Own describes how a slice is divided among the work-items. If both fields of Own are zero, the
// slice is not replaced.
type Own struct {
	PerItem int64 // number of elements that belong to each work-item (see facts.Footprint)
	Shared  bool  // whether the work-items of a work-group share their elements
}

// OwnElements replaces accesses to slices by accesses to variables, which are zero when the kernel
// starts. The function ownOf returns the Own of a parameter's slice. OwnElements reports whether it
// replaced any access. The caller must still split the variables and promote them to values. If a
// work-group shares the elements, the variable is an array in work-group memory with one element
// for each work-item. Work-groups can share elements only in kernels over nd-ranges of one
// dimension. For example:
//
//	Load f32 [%tmp f32, %i]        becomes Load f32 [var tmp, %i - groupID*groupSize]
func OwnElements(m *ir.Module, ownOf func(param int) Own) bool {
	o := &ownElements{m: m}
	for i := range m.Params {
		n := ownOf(i)
		if n == (Own{}) {
			continue
		}
		if o.roots == nil {
			o.roots = facts.FindRoots(m)
		}
		o.replaceParam(i, n)
	}
	return o.any
}

type ownElements struct {
	m     *ir.Module
	roots *facts.Roots
	any   bool
}

// replaceParam replaces the accesses to the slice of one parameter.
func (o *ownElements) replaceParam(param int, own Own) {
	var x *ir.Var
	for _, b := range o.m.Kernel.Blocks {
		for n := 0; n < len(b.Insts); n++ {
			v := b.Insts[n]
			r := v.Ref()
			if r == nil || r.Var != nil || v.Op == ir.OpAddrOf || !o.roots.Of(v.Path()[0]).Has(param) {
				continue
			}
			if x == nil {
				x = o.makeVar(param, own, r.Elem)
				if b == o.m.Kernel.Blocks[0] {
					n++ // the instruction that zeroes x was inserted at the beginning of b
				}
			}
			if x.Type != o.varType(r.Elem, own) {
				panic(fmt.Sprintf("BUG: %s has elements of two types", x.Name))
			}
			path := v.Path()
			index, rest := path[1], path[2:]
			m := &inserter{b: b, at: n}
			for base := path[0]; base.Op == ir.OpAddrOf; base = base.Path()[0] {
				index = m.add(ir.OpIAdd, ir.TypeI64, m.toInt64(index), m.toInt64(base.Path()[1]))
			}
			var within []*ir.Value
			if own.Shared || own.PerItem > 1 {
				within = append(within, m.add(ir.OpUConvert, ir.TypeI32, m.add(ir.OpISub, ir.TypeI64, m.toInt64(index), o.firstIndex(m, own))))
			}
			n = m.at
			v.Args = append(append(v.Args[:len(v.Args)-len(path):len(v.Args)-len(path)], within...), rest...)
			v.Aux = &ir.Ref{Var: x}
		}
	}
}

// makeVar creates the variable for a parameter's slice, and adds an instruction that zeroes the
// variable at the kernel's start.
func (o *ownElements) makeVar(param int, own Own, elem *ir.Type) *ir.Var {
	f, storage, op := o.m.Kernel, ir.Function, ir.OpZero
	if own.Shared {
		storage, op, o.m.UsesGroup = ir.Workgroup, ir.OpZeroLocal, true
	}
	o.any = true
	x := o.m.NewVar(f, storage, o.m.Params[param].Name, o.varType(elem, own))
	entry := f.Blocks[0]
	zero := f.NewValue(op, ir.TypeVoid)
	zero.Aux, zero.Block = &ir.Ref{Var: x}, entry
	entry.Insts = append([]*ir.Value{zero}, entry.Insts...)
	return x
}

// varType returns the type of the variable for a slice with elements of type elem.
func (o *ownElements) varType(elem *ir.Type, own Own) *ir.Type {
	switch {
	case own.Shared:
		return o.m.ArrayOf(elem, o.groupSize())
	case own.PerItem == 1:
		return elem
	}
	return o.m.ArrayOf(elem, o.m.Int(ir.TypeI32, own.PerItem))
}

// groupSize returns the number of work-items in a work-group of one dimension.
func (o *ownElements) groupSize() *ir.Value {
	for _, s := range o.m.Specs {
		if s.ID == abi.SpecLocalSizeX {
			return o.m.SpecValue(s)
		}
	}
	panic("BUG: a kernel over an nd-range without the size of its groups")
}

// firstIndex inserts code that computes the index of the work-item's first element. If a work-group
// shares its elements, the code computes the index of the group's first element.
func (o *ownElements) firstIndex(m *inserter, own Own) *ir.Value {
	if own.Shared {
		return m.toInt64(m.add(ir.OpIMul, ir.TypeI32, m.launchValue(ir.OpBuiltIn, ir.WorkgroupIDX, 0), o.groupSize()))
	}
	return m.add(ir.OpIMul, ir.TypeI64, o.linearID(m), o.m.Int(ir.TypeI64, own.PerItem))
}

// linearID inserts code that computes the work-item's linear id.
func (o *ownElements) linearID(m *inserter) *ir.Value {
	lin := m.toInt64(m.launchValue(ir.OpBuiltIn, ir.GlobalInvocationIDX+ir.BuiltIn(max(o.m.Rank-1, 0)), 0))
	for k := o.m.Rank - 2; k >= 0; k-- {
		size := m.toInt64(m.launchValue(ir.OpArg, nil, uint64(abi.OffsetRange+4*k)))
		id := m.toInt64(m.launchValue(ir.OpBuiltIn, ir.GlobalInvocationIDX+ir.BuiltIn(k), 0))
		lin = m.add(ir.OpIAdd, ir.TypeI64, m.add(ir.OpIMul, ir.TypeI64, lin, size), id)
	}
	return lin
}

// inserter inserts instructions into block b before the instruction b.Insts[at].
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

// launchValue inserts an op that returns an int32 argument or a built-in id of the launch.
func (m *inserter) launchValue(op ir.Op, aux any, bits uint64) *ir.Value {
	v := m.b.Func.NewValue(op, ir.TypeI32)
	v.Aux, v.Bits = aux, bits
	return m.insert(v)
}

// toInt64 returns the index or id v as an int64.
func (m *inserter) toInt64(v *ir.Value) *ir.Value {
	if v.Type == ir.TypeI64 {
		return v
	}
	return m.add(ir.OpUConvert, ir.TypeI64, v)
}
