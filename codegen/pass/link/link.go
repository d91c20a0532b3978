package link

// This file links modules: it lays out the arguments, and puts the parts' code together.

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Part is a kernel that becomes part of another.
type Part struct {
	// Module is as pass.LinkPoint leaves it, with its constant data. Link copies it.
	Module *ir.Module
	// Specs are the values of its specialization constants, by id, as the bits of their types,
	// with the lengths of its local accessors; those that are missing have their defaults.
	Specs map[uint32]uint64
	// Slices says of each parameter that is a slice what memory it stands for; those of other
	// parameters are not looked at.
	Slices []Slice
}

// Slice says which slices of all parts have something in common.
type Slice struct {
	Memory int // slices with the same number are the same elements; below 0: not known
	Length int // slices with the same number have as many elements; below 0: not known
	// PerItem, if not 0, says that the memory is internal: nobody looks at what is in it
	// before and after, and each work-item uses as many elements, which are its own (see
	// facts.Footprint). The linked kernel keeps them in variables.
	PerItem int64
	// Group says that the elements that a work-group uses are to have the indices of its
	// work-items' linear ids: an access of others is a fault.
	Group bool
	// Shared says that the memory is internal, and that each work-group uses the elements with
	// its work-items' linear ids, which are one each. The linked kernel keeps them in work-group
	// memory.
	Shared bool
}

// Origin is a parameter of a part. RangeOf in the place of the parameter stands for the part's
// range: three int32, the sizes of x, y and z, with 1 for those that it does not have.
type Origin struct{ Part, Param int }

// Options say how parts are linked.
type Options struct {
	Apart bool // the parts have ranges of their own
	// Barriers has the work-groups meet between the parts. The linked kernel is one over an
	// nd-range then; parts over ranges have to be apart. A work-item that faults in a part
	// runs the next: all have to come to the barriers.
	Barriers bool
	// Late takes copies of the parts on to pass.LateLinkPoint before they are linked. It is nil
	// if no part has barriers or group operations.
	Late func(m *ir.Module) error
	// Block is how many bytes the device's launch blocks may have, if that is more than
	// abi.MaxLaunchBlock: arguments that do not fit into them are spilled.
	Block int
}

// RangeOf is the Param of an Origin which is a part's range.
const RangeOf = -1

// Linked is the kernel that Link makes.
type Linked struct {
	Module *ir.Module
	// Origins says of each parameter of the module where its argument comes from.
	Origins []Origin
}

// Link links the parts, which are of one form. No two slices of a launch may overlap, if one of
// them is written, without being the same memory by Part.Slices. They are of one rank, too, and run over the same
// range, unless o.Apart is set: then the linked kernel has one dimension, with as many work-items
// as the largest part, and each part has arguments for its own range, which has at most
// abi.MaxRange work-items. Part n's work-item of the linear id i is run by the linked kernel's
// work-item i. The error says why the parts cannot be linked; it is about what they are, not
// about what they do.
func Link(name string, parts []Part, o Options) (*Linked, error) {
	parts = slices.Clone(parts)
	for i := range parts {
		checkScopes(&parts[i])
		if o.Late != nil {
			parts[i].Module = parts[i].Module.Clone()
			if err := o.Late(parts[i].Module); err != nil {
				return nil, err
			}
		}
	}
	if err := alike(parts, o); err != nil {
		return nil, err
	}
	first := parts[0].Module
	m := ir.NewModule(name)
	m.Form, m.Rank, m.Float, m.Items = first.Form, first.Rank, first.Float, 1
	if o.Apart {
		m.Rank = 1
	}
	if o.Barriers {
		m.Form, m.UsesGroup = abi.NDRange, true
	}
	m.NoAlias = true
	m.Target.NoSubGroups = first.Target.NoSubGroups
	m.Kernel = m.NewFunc("main")
	l := &linker{m: m, Options: o, specs: map[uint32]*ir.Spec{}, lengths: map[int]int{}}
	for i := range parts {
		l.params(i, &parts[i])
		for _, s := range parts[i].Module.Specs {
			if _, set := parts[i].Specs[s.ID]; !set && s.ID >= abi.SpecReserved {
				l.reserved(s)
			}
		}
	}
	for i := range parts {
		m.UsesGroup = m.UsesGroup || parts[i].Module.UsesGroup
	}
	l.layOut(parts)
	seam := l.entry()
	for i := range parts {
		seam = l.part(seam, i, &parts[i])
		if l.Barriers && i < len(parts)-1 {
			seam.Append(ir.OpBarrier, ir.TypeVoid).Aux = ir.ScopeWorkGroup
		}
	}
	seam.SetTerm(ir.Term{Kind: ir.Return})
	if err := l.internalize(); err != nil {
		return nil, err
	}
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
func alike(parts []Part, o Options) error {
	first := parts[0].Module
	for i := range parts {
		m := parts[i].Module
		switch {
		case m.Form != first.Form || m.Rank != first.Rank && !o.Apart || o.Apart && m.Form == abi.NDRange && m.Rank > 1:
			return fmt.Errorf("%s and %s are of different forms or dimensions", first.Name, m.Name)
		case m.Float != first.Float:
			return fmt.Errorf("%s has the floating-point mode %v, and %s has %v", first.Name, first.Float, m.Name, m.Float)
		case m.UsesGroup && (o.Late == nil || m.Form != abi.NDRange):
			return fmt.Errorf("%s has barriers or group operations", m.Name)
		case m.Items != 1:
			return fmt.Errorf("%s runs %d work-items in an invocation", m.Name, m.Items)
		}
	}
	return nil
}

// linker links parts to a module.
type linker struct {
	Options
	m       *ir.Module
	origins []Origin
	ranges  []int               // by part: the module's parameter
	specs   map[uint32]*ir.Spec // reserved ones, which parts share
	of      [][]int             // by part and parameter: the module's parameter
	slices  []Slice             // by the module's parameter
	lengths map[int]int         // the module's parameter that stands for a Slice.Length
	data    []int               // by part: where its constant data begins in the module's
	shifted []*ir.Value         // addresses of constant data that is not the first, of the part that is written
}

// dataAlign is the alignment of tables in constant data.
const dataAlign = 16

// params adds a part's parameters to the module's.
func (l *linker) params(n int, p *Part) {
	of := make([]int, len(p.Module.Params))
	for i, param := range p.Module.Params {
		s := Slice{Memory: -1, Length: -1}
		if param.Kind == abi.Slice {
			s = p.Slices[i]
		}
		of[i] = -1
		if param.Offset < 0 || param.Kind == abi.LocalAccessor {
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
	if l.Apart {
		l.ranges = append(l.ranges, len(l.m.Params))
		l.m.Params = append(l.m.Params, abi.Param{Name: p.Module.Name + ".range", Kind: abi.Value, Type: "[3]int32", Size: 12})
		l.slices = append(l.slices, Slice{Memory: -1, Length: -1})
		l.origins = append(l.origins, Origin{n, RangeOf})
	}
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
	l.data = make([]int, len(parts))
	for i := range parts {
		l.data[i] = l.placeData(parts, i)
	}
	if len(l.m.Data) > 0 {
		l.m.DataOffset = end
		end += 8
	}
	l.m.ArgSize = end
	l.m.Spilled = abi.OffsetArgs+end > max(l.Block, abi.MaxLaunchBlock)
}

// placeData adds the constant data of a part to the module's, unless it is there as that of a part
// before it, and returns where it begins.
func (l *linker) placeData(parts []Part, n int) int {
	data := parts[n].Module.Data
	if len(data) == 0 {
		return 0
	}
	for i := range parts[:n] {
		if bytes.Equal(parts[i].Module.Data, data) {
			return l.data[i]
		}
	}
	at := (len(l.m.Data) + dataAlign - 1) &^ (dataAlign - 1)
	l.m.Data = append(append(l.m.Data, make([]byte, at-len(l.m.Data))...), data...)
	return at
}

// shift puts behind v, the address of the module's constant data, that of part n's, and returns it.
func (l *linker) shift(v *ir.Value, n int) *ir.Value {
	m, b := l.m, v.Block
	w := m.Kernel.NewValue(ir.OpAddrOf, ir.TypeAddr, v, m.Int(ir.TypeI64, int64(l.data[n]/dataAlign)))
	w.Aux, w.Block = &ir.Ref{Elem: m.ArrayOf(ir.TypeI32, m.Int(ir.TypeI32, dataAlign/4))}, b
	b.Insts = slices.Insert(b.Insts, slices.Index(b.Insts, v)+1, w)
	return w
}

// guard returns the comparison by which a kernel over a range asks whether dimension k of the
// range has the invocation. Lower writes the same ones.
func (l *linker) guard(b *ir.Block, k int) *ir.Value {
	return b.Append(ir.OpULt, ir.TypeBool, globalID(b, k), argument(b, abi.OffsetRange+4*k))
}

// globalID returns dimension k of the work-item's id.
func globalID(b *ir.Block, k int) *ir.Value {
	v := b.Append(ir.OpBuiltIn, ir.TypeI32)
	v.Aux = ir.GlobalInvocationIDX + ir.BuiltIn(k)
	return v
}

// argument returns the int32 at an offset of the launch block.
func argument(b *ir.Block, offset int) *ir.Value {
	v := b.Append(ir.OpArg, ir.TypeI32)
	v.Bits = uint64(offset)
	return v
}

// isGuard reports whether v is such a comparison.
func isGuard(v *ir.Value) bool {
	if v.Op != ir.OpULt || v.Args[0].Op != ir.OpBuiltIn || v.Args[1].Op != ir.OpArg || v.Args[1].Type != ir.TypeI32 {
		return false
	}
	id := v.Args[0].Aux.(ir.BuiltIn)
	return id <= ir.GlobalInvocationIDZ && v.Args[1].Bits == uint64(abi.OffsetRange+4*int(id))
}

// passGuards makes the guards of a part true, which begins behind the linked kernel's.
func passGuards(blocks []*ir.Block, yes *ir.Value) {
	for _, b := range blocks {
		for _, v := range b.Insts {
			if isGuard(v) {
				v.Op, v.Args = ir.OpLOr, []*ir.Value{yes, yes} // which is folded
			}
		}
	}
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

// ownRange writes the guard of a part that has a range of its own: work-items whose linear id
// is not in it go on to the seam. It returns the part's first block, and the part's id in each
// dimension.
func (l *linker) ownRange(b, seam *ir.Block, n int, m *ir.Module) (in *ir.Block, ids [3]*ir.Value) {
	at := abi.OffsetArgs + l.m.Params[l.ranges[n]].Offset
	lin := globalID(b, 0)
	total := argument(b, at)
	for k := 1; k < m.Rank; k++ {
		total = b.Append(ir.OpIMul, ir.TypeI32, total, argument(b, at+4*k))
	}
	in = l.m.Kernel.NewBlock()
	b.Branch(b.Append(ir.OpULt, ir.TypeBool, lin, total), in, seam)
	rest := lin
	for k := range m.Rank - 1 { // x is the remainder of the first division, y that of the second
		size := argument(in, at+4*k)
		ids[k] = in.Append(ir.OpUMod, ir.TypeI32, rest, size)
		rest = in.Append(ir.OpUDiv, ir.TypeI32, rest, size)
	}
	ids[max(m.Rank-1, 0)] = rest
	return in, ids
}

// part writes part n behind b, and returns the block in which the next begins.
func (l *linker) part(b *ir.Block, n int, p *Part) *ir.Block {
	f := l.m.Kernel
	seam := f.NewBlock()
	var ids [3]*ir.Value
	if l.Apart && l.m.Form != abi.Task {
		b, ids = l.ownRange(b, seam, n, p.Module)
	}
	repl := map[*ir.Value]*ir.Value{}
	begin := len(f.Blocks)
	b.Jump(f.Import(p.Module, n, func(v *ir.Value, args []*ir.Value) *ir.Value { return l.outside(v, args, p.Specs) }))
	for _, v := range l.m.Vars {
		v.Accessor, v.Expr = -1, "" // its length has become a number
	}
	blocks := f.Blocks[begin:]
	if p.Module.Form == abi.Range {
		passGuards(blocks, l.m.Bool(true))
	}
	for _, b := range blocks {
		ends := b.Term.Kind == ir.Return
		faults := false
		for _, v := range b.Insts {
			switch {
			case v.Op == ir.OpFault:
				faults = true
			case v.Op == ir.OpArg:
				l.arg(v, n, p.Module)
			case v.Op == ir.OpBuiltIn:
				if k := v.Aux.(ir.BuiltIn) - ir.GlobalInvocationIDX; int(k) < len(ids) && ids[k] != nil {
					repl[v] = ids[k]
				}
			}
		}
		if ends && (!faults || l.Late != nil || l.Barriers) {
			pos := b.Term.Pos
			b.ClearTerm()
			b.SetTerm(ir.Term{Kind: ir.Jump, Succs: []*ir.Block{seam}, Pos: pos})
		}
	}
	for _, v := range l.shifted {
		repl[v] = l.shift(v, n)
	}
	if len(repl) > 0 {
		rewrite.ReplaceUses(f, func(v *ir.Value) *ir.Value { return cmp.Or(repl[v], v) })
	}
	for _, v := range l.shifted {
		repl[v].Args[0] = v
	}
	l.shifted = nil
	return seam
}

// arg makes an argument of a part one of the linked kernel.
func (l *linker) arg(v *ir.Value, part int, m *ir.Module) {
	if k := int(v.Bits) - abi.OffsetRange; l.Apart && k >= 0 && k < 12 {
		v.Bits = uint64(abi.OffsetArgs + l.m.Params[l.ranges[part]].Offset + k)
		return
	}
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
	if l.data[part] > 0 {
		l.shifted = append(l.shifted, v)
	}
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
		bits, ok := values[s.ID]
		if s.ID >= abi.SpecReserved && !ok {
			return l.m.SpecValue(l.reserved(s))
		}
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
