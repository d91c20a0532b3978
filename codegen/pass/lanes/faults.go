package lanes

// This file makes kernels with many faults record a fault in one place. It is part of pass expand.

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// maxCalls is the largest number of faults that a kernel records where they occur. Drivers inline
// the call: Mesa's compilers take some 50 ms for each, which dominates compile time.
const maxCalls = 6

// lateFaults makes a kernel with many faults store the fault in variables and call the recording
// helper once, at its end. A work-item that faults goes there directly. Kernels with Sync ops do
// not change: a fault before a barrier must be recorded at once, because other work-items may fault
// after the barrier. If several work-items of an invocation fault, the first one counts.
//
// In linked modules a fault of an earlier part takes precedence over a fault of a later part.
//
// helper returns the helper that records a fault.
func lateFaults(m *ir.Module, helper func() *ir.Func) {
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
	l := &late{m: m, f: f}
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
				l.keep(b, v)
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
			l.record(b, helper())
		}
	}
}

// late has the variables in which a fault is stored: its site plus one, and its arguments.
type late struct {
	m    *ir.Module
	f    *ir.Func
	vars [6]*ir.Var
	args [6]*ir.Value // arguments that all faults have in common and that are available everywhere
}

func (l *late) variable(i int, t *ir.Type) *ir.Var {
	return l.m.NewVar(l.f, ir.Function, fmt.Sprintf("fault%d", i), t)
}

func (l *late) load(b *ir.Block, i int) *ir.Value {
	v := b.Append(ir.OpLoad, l.vars[i].Type)
	v.Aux = &ir.Ref{Var: l.vars[i]}
	return v
}

func (l *late) store(b *ir.Block, i int, x *ir.Value) {
	b.Append(ir.OpStore, ir.TypeVoid, x).Aux = &ir.Ref{Var: l.vars[i]}
}

// keep stores the fault v in the variables, at the end of b.
func (l *late) keep(b *ir.Block, v *ir.Value) {
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

// firstSite returns the number of the first site of the part or of later parts, or -1.
func firstSite(m *ir.Module, part int) int64 {
	i := slices.IndexFunc(m.Sites, func(s *ir.Site) bool { return s.Part >= part })
	if i < 0 {
		return -1
	}
	return int64(m.Sites[i].Index)
}

// sameAnywhere reports whether x and y are the same value, and it is available everywhere.
func sameAnywhere(x, y *ir.Value) bool {
	return x == y && x.IsConst() || x.Op == ir.OpBuiltIn && y.Op == ir.OpBuiltIn && x.Aux == y.Aux
}

// record adds a call that records the stored fault, at the end of b, which returns.
func (l *late) record(b *ir.Block, helper *ir.Func) {
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
	if linked(l.m) {
		args = append(args, l.part(in, args[0]))
	}
	in.Append(ir.OpCall, ir.TypeVoid, args...).Aux = helper
	in.Jump(done)
	done.SetTerm(ir.Term{Kind: ir.Return})
}

// part returns the index of the part that contains a site: the number of parts after the first that
// begin at the site or before it.
func (l *late) part(b *ir.Block, site *ir.Value) *ir.Value {
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
