package lanes

// This file is part of the pass expand. In kernels with many faults, the code in this file replaces
// the calls that record faults by a single call.

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// maxCalls is the largest number of Fault ops that become separate calls in a kernel without Sync
// ops. The number of calls is limited because drivers inline each call. Mesa's compilers need about
// 50 ms for each inlined call, which dominates compile time.
const maxCalls = 6

// lateFaults changes kernels with many Fault ops. A work-item that faults stores the fault in
// variables and jumps to the end of the kernel, where a single call records the fault. Kernels with
// Sync ops do not change, because a fault before a barrier must be recorded before another
// work-item can fault after the barrier. If an invocation runs several work-items, only the first
// fault is recorded.
//
// In linked modules, a fault of an earlier kernel takes precedence over a fault of a later kernel.
//
// makeHelper returns the helper function that records a fault.
func lateFaults(m *ir.Module, makeHelper func() *ir.Func) {
	f := m.Kernel
	var faults []*ir.Value
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if v.Op == ir.OpFault {
				faults = append(faults, v)
			}
		}
	}
	if len(faults) <= maxCalls || m.UsesGroup {
		return
	}
	l := &faultVars{m: m, f: f}
	l.vars[0] = l.variable(0, ir.TypeI32)
	for i, x := range faults[0].Args {
		if slices.ContainsFunc(faults, func(v *ir.Value) bool { return !sameAnywhere(v.Args[i], x) }) {
			l.vars[i+1] = l.variable(i+1, x.Type)
		} else {
			l.args[i+1] = x
		}
	}
	for _, b := range f.Blocks {
		insts := b.Insts
		b.Insts = nil
		for _, v := range insts {
			if v.Op == ir.OpFault {
				l.storeFault(b, v)
			} else {
				b.Insts = append(b.Insts, v)
			}
		}
	}
	entry := f.Blocks[0]
	rest := entry.Insts
	entry.Insts = nil
	for i, v := range l.vars {
		if v != nil && (i == 0 || m.Items > 1) {
			l.store(entry, i, m.Const(v.Type, 0))
		}
	}
	entry.Insts = append(entry.Insts, rest...)
	for _, b := range f.Blocks {
		if b.Term.Kind == ir.Return {
			l.recordFault(b, makeHelper())
		}
	}
}

// faultVars contains the variables in which a fault is stored. The variables contain the number of
// the fault's source position plus one, and the fault's arguments.
type faultVars struct {
	m    *ir.Module
	f    *ir.Func
	vars [6]*ir.Var
	args [6]*ir.Value // arguments that are equal for all faults and available everywhere
}

func (l *faultVars) variable(i int, t *ir.Type) *ir.Var {
	return l.m.NewVar(l.f, ir.Function, fmt.Sprintf("fault%d", i), t)
}

func (l *faultVars) load(b *ir.Block, i int) *ir.Value {
	v := b.Append(ir.OpLoad, l.vars[i].Type)
	v.Aux = &ir.Ref{Var: l.vars[i]}
	return v
}

func (l *faultVars) store(b *ir.Block, i int, x *ir.Value) {
	b.Append(ir.OpStore, ir.TypeVoid, x).Aux = &ir.Ref{Var: l.vars[i]}
}

// storeFault appends to b the instructions that store the fault v in the variables.
func (l *faultVars) storeFault(b *ir.Block, v *ir.Value) {
	var first *ir.Value
	if l.m.Items > 1 {
		kept := l.load(b, 0)
		first = b.Append(ir.OpIEq, ir.TypeBool, kept, l.m.Int(ir.TypeI32, 0))
		if next := firstSite(l.m, v.Aux.(*ir.Site).Part+1); next >= 0 {
			later := b.Append(ir.OpULt, ir.TypeBool, l.m.Int(ir.TypeI32, next), kept)
			first = b.Append(ir.OpLOr, ir.TypeBool, first, later)
		}
	}
	put := func(i int, x *ir.Value) {
		if first != nil {
			x = b.Append(ir.OpSelect, x.Type, first, x, l.load(b, i))
		}
		l.store(b, i, x)
	}
	put(0, l.m.Int(ir.TypeI32, siteNumber(v.Aux.(*ir.Site))+1))
	for i, x := range v.Args {
		if l.vars[i+1] != nil {
			put(i+1, x)
		}
	}
}

// firstSite returns the number of the first site that belongs to the given part of a linked module
// or to a later part. If the parts contain no site, firstSite returns -1.
func firstSite(m *ir.Module, part int) int64 {
	i := slices.IndexFunc(m.Sites, func(s *ir.Site) bool { return s.Part >= part })
	if i < 0 {
		return -1
	}
	return int64(m.Sites[i].Index)
}

// sameAnywhere reports whether x and y are the same constant or built-in, and thus equal everywhere
// in the function.
func sameAnywhere(x, y *ir.Value) bool {
	return x == y && x.IsConst() || x.Op == ir.OpBuiltIn && y.Op == ir.OpBuiltIn && x.Aux == y.Aux
}

// recordFault appends to the return block b a call that records the stored fault.
func (l *faultVars) recordFault(b *ir.Block, helper *ir.Func) {
	b.ClearTerm()
	in, done := l.f.NewBlock(), l.f.NewBlock()
	site := l.load(b, 0)
	b.Merge = done
	b.Branch(b.Append(ir.OpINe, ir.TypeBool, site, l.m.Int(ir.TypeI32, 0)), in, done)
	args := []*ir.Value{in.Append(ir.OpISub, ir.TypeI32, site, l.m.Int(ir.TypeI32, 1))}
	for i := 1; i < len(l.vars); i++ {
		switch x := l.args[i]; {
		case l.vars[i] != nil:
			args = append(args, l.load(in, i))
		case x.Op == ir.OpBuiltIn:
			v := in.Append(ir.OpBuiltIn, x.Type)
			v.Aux = x.Aux
			args = append(args, v)
		default:
			args = append(args, x)
		}
	}
	if isLinked(l.m) {
		args = append(args, l.partIndex(in, args[0]))
	}
	in.Append(ir.OpCall, ir.TypeVoid, args...).Aux = helper
	in.Jump(done)
	done.SetTerm(ir.Term{Kind: ir.Return})
}

// partIndex appends to b the code that computes the index of the part of a linked module that
// contains a site. The code counts the parts whose first site is at or before the given site. The
// first part is not counted, so its index is 0.
func (l *faultVars) partIndex(b *ir.Block, site *ir.Value) *ir.Value {
	sum := l.m.Int(ir.TypeI32, 0)
	for n := 1; ; n++ {
		first := firstSite(l.m, n)
		if first < 0 {
			return sum
		}
		begun := b.Append(ir.OpULe, ir.TypeBool, l.m.Int(ir.TypeI32, first), site)
		sum = b.Append(ir.OpIAdd, ir.TypeI32, sum, b.Append(ir.OpSelect, ir.TypeI32, begun, l.m.Int(ir.TypeI32, 1), l.m.Int(ir.TypeI32, 0)))
	}
}
