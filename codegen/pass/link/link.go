package link

// This file links modules: it lays out the arguments, and puts the parts' code together.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Part is a kernel that becomes part of another.
type Part struct {
	// Module is as pass.LinkPoint leaves it, with its constant data. Link copies it.
	Module *ir.Module
	// Specs are the values of its specialization constants, by id, as the bits of their types;
	// those that are missing have their defaults.
	Specs map[uint32]uint64
	// Slices says of each parameter that is a slice what memory it stands for; those of other
	// parameters are not looked at.
	Slices []Slice
}

// Slice says which slices of all parts have something in common.
type Slice struct {
	Memory int // slices with the same number are the same elements; below 0: not known
	Length int // slices with the same number have as many elements; below 0: not known
}

// Origin is a parameter of a part.
type Origin struct{ Part, Param int }

// Linked is the kernel that Link makes.
type Linked struct {
	Module *ir.Module
	// Origins says of each parameter of the module where its argument comes from.
	Origins []Origin
}

// Link links the parts, which are of one form and rank, and run over the same range. The error
// says why the parts cannot be linked; it is about what they are, not about what they do.
func Link(name string, parts []Part) (*Linked, error) {
	if err := alike(parts); err != nil {
		return nil, err
	}
	first := parts[0].Module
	m := ir.NewModule(name)
	m.Form, m.Rank, m.Float, m.Items = first.Form, first.Rank, first.Float, 1
	m.Target.NoSubGroups = first.Target.NoSubGroups
	m.Kernel = m.NewFunc("main")
	l := &linker{m: m, specs: map[uint32]*ir.Spec{}, lengths: map[int]int{}}
	for i := range parts {
		l.params(i, &parts[i])
		for _, s := range parts[i].Module.Specs {
			if s.ID >= abi.SpecReserved {
				l.reserved(s)
			}
		}
	}
	l.layOut(parts)
	seam := l.entry()
	for i := range parts {
		seam = l.part(seam, i, &parts[i])
	}
	seam.SetTerm(ir.Term{Kind: ir.Return})
	m.Renumber()
	for range 2 { // the second time for what the guards of parts, which are gone, have hidden
		if diags := simplify.Clean(m); len(diags) > 0 {
			return nil, fmt.Errorf("BUG: the linked kernel has diagnostics: %v", diags[0])
		}
	}
	memory.Params(m)
	return &Linked{m, l.origins}, nil
}

// alike reports what keeps the parts from being linked, if anything does.
func alike(parts []Part) error {
	first := parts[0].Module
	for i := range parts {
		m := parts[i].Module
		switch {
		case m.Form != first.Form || m.Rank != first.Rank:
			return fmt.Errorf("%s and %s are of different forms or dimensions", first.Name, m.Name)
		case m.Float != first.Float:
			return fmt.Errorf("%s has the floating-point mode %v, and %s has %v", first.Name, first.Float, m.Name, m.Float)
		case m.UsesGroup || facts.Meets(m.Kernel):
			return fmt.Errorf("%s has barriers or group operations", m.Name)
		case slices.ContainsFunc(m.Vars, func(v *ir.Var) bool { return v.Storage == ir.Workgroup }):
			return fmt.Errorf("%s has work-group memory", m.Name)
		case len(m.Data) > 0 && string(m.Data) != string(dataOf(parts[:i+1])):
			return fmt.Errorf("%s has tables in memory, and so has a kernel before it", m.Name)
		}
	}
	return nil
}

// dataOf returns the constant data of the first part that has any.
func dataOf(parts []Part) []byte {
	for i := range parts {
		if d := parts[i].Module.Data; len(d) > 0 {
			return d
		}
	}
	return nil
}

// linker links parts to a module.
type linker struct {
	m       *ir.Module
	origins []Origin
	specs   map[uint32]*ir.Spec // reserved ones, which parts share
	of      [][]int             // by part and parameter: the module's parameter
	slices  []Slice             // by the module's parameter
	lengths map[int]int         // the module's parameter that stands for a Slice.Length
}

// params adds a part's parameters to the module's.
func (l *linker) params(n int, p *Part) {
	of := make([]int, len(p.Module.Params))
	for i, param := range p.Module.Params {
		s := Slice{-1, -1}
		if param.Kind == abi.Slice {
			s = p.Slices[i]
		}
		of[i] = -1
		if param.Offset < 0 {
			continue
		}
		if s.Memory >= 0 {
			of[i] = slices.IndexFunc(l.slices, func(t Slice) bool { return t.Memory == s.Memory })
		}
		if of[i] >= 0 {
			old := &l.m.Params[of[i]]
			old.ElemAlign = min(old.ElemAlign, param.ElemAlign)
			continue
		}
		of[i] = len(l.m.Params)
		param.Name = p.Module.Name + "." + param.Name
		l.m.Params, l.slices = append(l.m.Params, param), append(l.slices, s)
		l.origins = append(l.origins, Origin{n, i})
		if _, ok := l.lengths[s.Length]; !ok && s.Length >= 0 {
			l.lengths[s.Length] = of[i]
		}
	}
	l.of = append(l.of, of)
}

// layOut gives the parameters their places in the argument block: each at a multiple of 8, which
// is as much as any type asks for.
func (l *linker) layOut(parts []Part) {
	end := 0
	for i := range l.m.Params {
		p := &l.m.Params[i]
		p.Offset, p.HostOffset = end, 0
		end += (p.Size + 7) &^ 7
	}
	if l.m.Data = slices.Clone(dataOf(parts)); len(l.m.Data) > 0 {
		l.m.DataOffset = end
		end += 8
	}
	l.m.ArgSize = end
	l.m.Spilled = abi.OffsetArgs+end > abi.MaxLaunchBlock
}

// guard returns the comparison by which a kernel over a range asks whether dimension k of the
// range has the invocation. Lower writes the same ones.
func (l *linker) guard(b *ir.Block, k int) *ir.Value {
	id := b.Append(ir.OpBuiltIn, ir.TypeI32)
	id.Aux = ir.GlobalInvocationIDX + ir.BuiltIn(k)
	n := b.Append(ir.OpArg, ir.TypeI32)
	n.Bits = uint64(abi.OffsetRange + 4*k)
	return b.Append(ir.OpULt, ir.TypeBool, id, n)
}

// isGuard reports whether v is such a comparison.
func isGuard(v *ir.Value) bool {
	if v.Op != ir.OpULt || v.Args[0].Op != ir.OpBuiltIn || v.Args[1].Op != ir.OpArg || v.Args[1].Type != ir.TypeI32 {
		return false
	}
	id := v.Args[0].Aux.(ir.BuiltIn)
	return id <= ir.GlobalInvocationIDZ && v.Args[1].Bits == uint64(abi.OffsetRange+4*int(id))
}

// entry writes the guards of all parts, which have the same range, and returns the block behind.
func (l *linker) entry() *ir.Block {
	b := l.m.Kernel.Blocks[0]
	if l.m.Form != abi.Range {
		return b
	}
	for k := range l.m.Rank {
		next, out := l.m.Kernel.NewBlock(), l.m.Kernel.NewBlock()
		b.Branch(l.guard(b, k), next, out)
		out.SetTerm(ir.Term{Kind: ir.Return})
		b = next
	}
	return b
}

// part writes part n behind b, and returns the block in which the next begins.
func (l *linker) part(b *ir.Block, n int, p *Part) *ir.Block {
	f := l.m.Kernel
	begin := len(f.Blocks)
	b.Jump(f.Import(p.Module, n, func(v *ir.Value, args []*ir.Value) *ir.Value { return l.outside(v, args, p.Specs) }))
	blocks := f.Blocks[begin:]
	seam := f.NewBlock()
	for _, b := range blocks {
		faults := false
		for _, v := range b.Insts {
			switch {
			case v.Op == ir.OpFault:
				faults = true
			case v.Op == ir.OpArg:
				l.arg(v, n, p.Module)
			case l.m.Form == abi.Range && isGuard(v):
				v.Op, v.Args = ir.OpLOr, []*ir.Value{l.m.Bool(true), l.m.Bool(true)} // which is folded
			}
		}
		switch {
		case faults:
			b.ClearTerm()
			b.SetTerm(ir.Term{Kind: ir.Return})
		case b.Term.Kind == ir.Return:
			pos := b.Term.Pos
			b.ClearTerm()
			b.SetTerm(ir.Term{Kind: ir.Jump, Succs: []*ir.Block{seam}, Pos: pos})
		}
	}
	return seam
}

// arg makes an argument of a part one of the linked kernel.
func (l *linker) arg(v *ir.Value, part int, m *ir.Module) {
	if v.Bits < abi.OffsetArgs {
		return
	}
	at := int(v.Bits) - abi.OffsetArgs
	for i := range m.Params {
		p := &m.Params[i]
		if p.Offset < 0 || at < p.Offset || at >= p.Offset+p.Size {
			continue
		}
		to, within := l.of[part][i], at-p.Offset
		if p.Kind == abi.Slice && within >= 8 {
			to = l.lengthOf(part, i)
		}
		v.Bits = uint64(abi.OffsetArgs + l.m.Params[to].Offset + within)
		return
	}
	if len(m.Data) == 0 || at != m.DataOffset {
		panic(fmt.Sprintf("BUG: no parameter of %s is at %d", m.Name, at))
	}
	v.Bits = uint64(abi.OffsetArgs + l.m.DataOffset)
}

// lengthOf returns the linked parameter that has the length of a part's.
func (l *linker) lengthOf(part, param int) int {
	own := l.of[part][param]
	if to, ok := l.lengths[l.slices[own].Length]; ok {
		return to
	}
	return own
}

// outside returns the constant that a constant expression of a part is once the part's
// specialization constants have their values; those that the runtime sets itself stay.
func (l *linker) outside(v *ir.Value, args []*ir.Value, values map[uint32]uint64) *ir.Value {
	if s, ok := v.Aux.(*ir.Spec); ok && v.Op == ir.OpSpecConst {
		if s.ID >= abi.SpecReserved {
			return l.m.SpecValue(l.reserved(s))
		}
		bits, ok := values[s.ID]
		if !ok {
			bits = s.Default
		}
		return l.m.Const(s.Type, bits)
	}
	w := *v
	w.Args = args
	if c := facts.FoldConst(l.m, &w); c != nil {
		return c
	}
	return l.m.ConstExpr(v.Op, v.Type, args...)
}

// reserved returns the module's constant for one of a part that the runtime sets itself.
func (l *linker) reserved(s *ir.Spec) *ir.Spec {
	t := l.specs[s.ID]
	if t == nil {
		c := *s
		t = &c
		l.specs[s.ID] = t
		l.m.Specs = append(l.m.Specs, t)
	}
	return t
}

// Name returns the name of the kernel that parts are linked to: theirs, with pluses.
func Name(parts []string) string { return strings.Join(parts, "+") }
