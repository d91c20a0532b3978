package link

// This file links modules: it lays out the arguments, and joins the parts' code.

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

// Part is a kernel that becomes part of another kernel.
type Part struct {
	// Module is in the state of pass.LinkPoint, with its constant data. Link copies it.
	Module *ir.Module
	// Specs maps ids of the part's specialization constants to their values, as the bits of their
	// types. It includes the lengths of local accessors. Missing constants have their defaults.
	Specs map[uint32]uint64
	// Slices describes the memory of each parameter that is a slice. The elements for other
	// parameters are ignored.
	Slices []Slice
}

// Slice says which slices of the parts share memory or length.
type Slice struct {
	Memory int // slices with the same number have the same memory; below 0: unknown
	Length int // slices with the same number have equal length; below 0: unknown
	// PerItem, if not 0, says that the memory is internal: its contents before and after the launch
	// do not matter. Each work-item uses only its own PerItem elements (see facts.Footprint). The
	// linked kernel keeps them in variables.
	PerItem int64
	// Group says that a work-group may use only the elements whose indices are its work-items'
	// linear ids: an access of another element is a fault.
	Group bool
	// Shared says that the memory is internal, and that each work-group uses only the elements
	// whose indices are its work-items' linear ids, one for each. The linked kernel keeps them in
	// work-group memory.
	Shared bool
}

// Origin is a parameter of a part. If Param is RangeOf, it is the part's range instead: three
// int32, the extents along x, y and z, which are 1 for missing dimensions.
type Origin struct{ Part, Param int }

// Options say how parts are linked.
type Options struct {
	Apart bool // whether the parts have different ranges
	// Barriers makes work-groups meet between the parts. The linked kernel is then a kernel over an
	// nd-range, and parts over ranges require Apart. A work-item that faults in a part still runs
	// the next part, since all must reach the barriers.
	Barriers bool
	// Late runs the passes up to pass.LateLinkPoint on copies of the parts before they are linked.
	// It is nil if no part has barriers or group operations.
	Late func(m *ir.Module) error
	// Block is the largest size in bytes of the device's launch blocks, if it exceeds
	// abi.MaxLaunchBlock. Arguments that do not fit are spilled.
	Block int
}

// RangeOf is the Param of an Origin that is a part's range.
const RangeOf = -1

// Linked is the kernel that Link makes.
type Linked struct {
	Module *ir.Module
	// Origins has the origin of the argument of each of the module's parameters.
	Origins []Origin
}

// Link links parts of the same form. Slices that overlap in a launch must have the same Memory in
// Part.Slices if one of them is written. Unless o.Apart is set, the parts must also have the same
// rank and run over the same range. With o.Apart, the linked kernel has one dimension, with as many
// work-items as the largest part. Each part then has arguments for its own range, which has at most
// abi.MaxRange work-items. Work-item i of the linked kernel runs the work-item with the linear id i
// of each part. The error says why the parts cannot be linked. It concerns only their declarations,
// not their code.
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
	for range 2 { // the second run simplifies code that the parts' guards were hiding
		if diags := simplify.Clean(m); len(diags) > 0 {
			return nil, fmt.Errorf("BUG: the linked kernel has diagnostics: %v", diags[0])
		}
	}
	memory.Params(m)
	return &Linked{m, l.origins}, nil
}

// alike returns an error if the parts' forms or modes prevent linking.
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

// linker links parts into a module.
type linker struct {
	Options
	m       *ir.Module
	origins []Origin
	ranges  []int               // the module's parameter for the range of each part
	specs   map[uint32]*ir.Spec // reserved constants, which parts share
	of      [][]int             // the module's parameter for each part and parameter
	slices  []Slice             // the Slice of each of the module's parameters
	lengths map[int]int         // the module's parameter with the length, for each Slice.Length
	data    []int               // offset of each part's constant data in the module's
	shifted []*ir.Value         // addresses of the current part's constant data, if this does not come first
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

// layOut gives the parameters their offsets in the argument block. Each is a multiple of 8, the
// largest alignment of any type.
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

// placeData adds the constant data of a part to the module's, unless an earlier part has the same
// data. It returns the offset of the part's data.
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

// shift inserts after v, the address of the module's constant data, the address of part n's data,
// and returns it.
func (l *linker) shift(v *ir.Value, n int) *ir.Value {
	m, b := l.m, v.Block
	w := m.Kernel.NewValue(ir.OpAddrOf, ir.TypeAddr, v, m.Int(ir.TypeI64, int64(l.data[n]/dataAlign)))
	w.Aux, w.Block = &ir.Ref{Elem: m.ArrayOf(ir.TypeI32, m.Int(ir.TypeI32, dataAlign/4))}, b
	b.Insts = slices.Insert(b.Insts, slices.Index(b.Insts, v)+1, w)
	return w
}

// guard returns the comparison that tests whether the invocation is within dimension k of the
// range. Package lower writes the same comparisons.
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

// isGuard reports whether v is a comparison as guard returns it.
func isGuard(v *ir.Value) bool {
	if v.Op != ir.OpULt || v.Args[0].Op != ir.OpBuiltIn || v.Args[1].Op != ir.OpArg || v.Args[1].Type != ir.TypeI32 {
		return false
	}
	id := v.Args[0].Aux.(ir.BuiltIn)
	return id <= ir.GlobalInvocationIDZ && v.Args[1].Bits == uint64(abi.OffsetRange+4*int(id))
}

// passGuards makes the guards of a part true, since the linked kernel's guards come before it.
func passGuards(blocks []*ir.Block, yes *ir.Value) {
	for _, b := range blocks {
		for _, v := range b.Insts {
			if isGuard(v) {
				v.Op, v.Args = ir.OpLOr, []*ir.Value{yes, yes} // a constant after folding
			}
		}
	}
}

// entry writes the guards of the common range, and returns the block after them.
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

// ownRange writes the guard of a part that has a range of its own: work-items whose linear id is
// not in the range go to the seam. It returns the part's first block, and the part's id in each
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
	for k := range m.Rank - 1 { // x is the remainder of the first division, y the remainder of the second
		size := argument(in, at+4*k)
		ids[k] = in.Append(ir.OpUMod, ir.TypeI32, rest, size)
		rest = in.Append(ir.OpUDiv, ir.TypeI32, rest, size)
	}
	ids[max(m.Rank-1, 0)] = rest
	return in, ids
}

// part writes part n after b, and returns the block in which the next part begins.
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

// arg makes an argument of a part refer to the linked kernel's argument.
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

// lengthOf returns the linked parameter that has the length of a part's parameter.
func (l *linker) lengthOf(part, param int) int {
	own := l.of[part][param]
	if to, ok := l.lengths[l.slices[own].Length]; ok {
		return to
	}
	return own
}

// outside returns the constant to which a constant expression of a part folds when the part's
// specialization constants have their values. Constants that the runtime sets itself stay.
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

// reserved returns the module's constant for a part's constant that the runtime sets itself.
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
