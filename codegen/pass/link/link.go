package link

// This file contains Link, which lays out the arguments of the linked kernel and joins the code of
// the parts.

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
	// Module is the part's module after pass.LinkPoint, with its constant data. Link does not
	// change the module.
	Module *ir.Module
	// Specs maps ids of the part's specialization constants to the bits of their values. Lengths of
	// local accessors are specialization constants, too. A specialization constant that is not in
	// Specs has its default value.
	Specs map[uint32]uint64
	// Slices describes the memory of each slice parameter. If a parameter is not a slice, the
	// element of Slices with the parameter's index is ignored.
	Slices []Slice
}

// Slice describes the memory of a slice parameter. Slice also tells which slices of different parts
// have the same memory or the same length.
type Slice struct {
	Memory int // number of the memory, equal for slices with the same memory; negative if unknown
	Length int // number of the length, equal for slices with the same length; negative if unknown
	// PerItem is not 0 if the memory is internal and each work-item uses only its own PerItem
	// elements (see facts.Footprint). The host neither writes internal memory before the launch nor
	// reads it afterward. The linked kernel keeps the work-item's elements in variables.
	PerItem int64
	// Group is set if a work-group may use only the elements whose indices are the linear ids of
	// its work-items. If Group is set, a work-group that accesses any other element faults.
	Group bool
	// Shared is set if the memory is internal and each work-group uses only the elements whose
	// indices are the linear ids of its work-items. The linked kernel keeps the group's elements in
	// work-group memory.
	Shared bool
}

// Origin identifies a parameter of a part. If Param is RangeOf, the Origin identifies the part's
// range instead. A range consists of three int32s, the extents along x, y and z. Along a dimension
// that the part does not have, the extent is 1.
type Origin struct{ Part, Param int }

// Options determines how parts are linked.
type Options struct {
	Apart bool // whether the parts have different ranges
	// If Barriers is set, a barrier separates each part from the next. With barriers, the linked
	// kernel is a kernel over an nd-range, and parts over ranges require Apart. A work-item that
	// faults in a part still runs the next part, because all work-items must reach the barriers.
	Barriers bool
	// The function Late runs the passes up to pass.LateLinkPoint on a module. Link calls Late for
	// copies of the parts before it links the parts. If no part contains barriers or group
	// operations, Late is nil.
	Late func(m *ir.Module) error
	// Block is the largest size in bytes of the device's launch blocks, if it exceeds
	// abi.MaxLaunchBlock. Arguments that do not fit in a launch block (the push constants) are
	// passed in a buffer.
	Block int
}

// RangeOf is the Param of an Origin that identifies a part's range.
const RangeOf = -1

// Linked is the result of Link.
type Linked struct {
	Module *ir.Module
	// Origins contains the origin of each parameter of the module.
	Origins []Origin
}

// Link links parts. All parts must have the same abi.Form, for example as kernels over a range. If
// two slices overlap in a launch and a part writes to one of the slices, both slices must have the
// same Memory in Part.Slices. Unless o.Apart is set, the parts must also have the same rank and run
// over the same range. With o.Apart, the linked kernel has one dimension, and as many work-items as
// the largest part. With o.Apart, each part has arguments for its own range, which has at most
// abi.MaxRange work-items. Work-item i of the linked kernel runs the work-item with the linear id i
// of each part. If the declarations of the parts prevent linking, Link returns an error that
// describes why.
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
	if err := checkAlike(parts, o); err != nil {
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
	l := &linker{m: m, Options: o, runtimeSpecs: map[uint32]*ir.Spec{}, lengthParams: map[int]int{}}
	for i := range parts {
		l.addParams(i, &parts[i])
		for _, s := range parts[i].Module.Specs {
			if _, set := parts[i].Specs[s.ID]; !set && s.ID >= abi.SpecReserved {
				l.runtimeSpec(s)
			}
		}
	}
	for i := range parts {
		m.UsesGroup = m.UsesGroup || parts[i].Module.UsesGroup
	}
	l.layOut(parts)
	seam := l.entryGuards()
	for i := range parts {
		seam = l.appendPart(seam, i, &parts[i])
		if l.Barriers && i < len(parts)-1 {
			seam.Append(ir.OpBarrier, ir.TypeVoid).Aux = ir.ScopeWorkGroup
		}
	}
	seam.SetTerm(ir.Term{Kind: ir.Return})
	if err := l.useVars(); err != nil {
		return nil, err
	}
	m.Renumber()
	for range 2 { // the second iteration simplifies the code after the first iteration has removed guards
		if diags := simplify.Clean(m); len(diags) > 0 {
			return nil, fmt.Errorf("BUG: the linked kernel has diagnostics: %v", diags[0])
		}
	}
	memory.Params(m)
	return &Linked{m, l.origins}, nil
}

// checkAlike returns an error if the parts differ in a property that must be equal, such as
// abi.Form or the floating-point mode.
func checkAlike(parts []Part, o Options) error {
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

// linker builds the linked module.
type linker struct {
	Options
	m            *ir.Module
	origins      []Origin
	rangeParams  []int               // index of the module's parameter for the range of each part
	runtimeSpecs map[uint32]*ir.Spec // maps the id of a reserved specialization constant to the constant, which all parts share
	paramOf      [][]int             // maps a part and the index of the part's parameter to the index of the module's parameter
	sliceInfo    []Slice             // description of the slice of each parameter of the module
	lengthParams map[int]int         // maps a Slice.Length to the index of the module's parameter that has this length
	dataOffsets  []int               // offset of each part's constant data in the module's constant data
	dataAddrs    []*ir.Value         // addresses of the current part's constant data, if its offset is not 0
}

// dataAlign is the alignment in bytes of tables in constant data.
const dataAlign = 16

// addParams adds the parameters of part n to the module.
func (l *linker) addParams(n int, p *Part) {
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
			of[i] = slices.IndexFunc(l.sliceInfo, func(t Slice) bool { return t.Memory == s.Memory })
		}
		if of[i] >= 0 {
			old := &l.m.Params[of[i]]
			old.ElemAlign = min(old.ElemAlign, param.ElemAlign)
			continue
		}
		of[i] = len(l.m.Params)
		param.Name = p.Module.Name + "." + param.Name
		l.m.Params, l.sliceInfo = append(l.m.Params, param), append(l.sliceInfo, s)
		l.origins = append(l.origins, Origin{n, i})
		if _, ok := l.lengthParams[s.Length]; !ok && s.Length >= 0 {
			l.lengthParams[s.Length] = of[i]
		}
	}
	l.paramOf = append(l.paramOf, of)
	if l.Apart {
		l.rangeParams = append(l.rangeParams, len(l.m.Params))
		l.m.Params = append(l.m.Params, abi.Param{Name: p.Module.Name + ".range", Kind: abi.Value, Type: "[3]int32", Size: 12})
		l.sliceInfo = append(l.sliceInfo, Slice{Memory: -1, Length: -1})
		l.origins = append(l.origins, Origin{n, RangeOf})
	}
}

// layOut assigns offsets in the argument block to the parameters. Each offset is a multiple of 8,
// which is the largest alignment of any type.
func (l *linker) layOut(parts []Part) {
	end := 0
	for i := range l.m.Params {
		p := &l.m.Params[i]
		p.Offset, p.HostOffset = end, 0
		end += (p.Size + 7) &^ 7
	}
	l.dataOffsets = make([]int, len(parts))
	for i := range parts {
		l.dataOffsets[i] = l.placeData(parts, i)
	}
	if len(l.m.Data) > 0 {
		l.m.DataOffset = end
		end += 8
	}
	l.m.ArgSize = end
	l.m.Spilled = abi.OffsetArgs+end > max(l.Block, abi.MaxLaunchBlock)
}

// placeData adds the constant data of part n to the module, unless an earlier part has the same
// data. placeData returns the offset of the part's data in the module's data.
func (l *linker) placeData(parts []Part, n int) int {
	data := parts[n].Module.Data
	if len(data) == 0 {
		return 0
	}
	for i := range parts[:n] {
		if bytes.Equal(parts[i].Module.Data, data) {
			return l.dataOffsets[i]
		}
	}
	at := (len(l.m.Data) + dataAlign - 1) &^ (dataAlign - 1)
	l.m.Data = append(append(l.m.Data, make([]byte, at-len(l.m.Data))...), data...)
	return at
}

// shiftData computes the address of part n's constant data from the address v of the module's
// constant data. shiftData inserts the computation after v, and returns the new address.
func (l *linker) shiftData(v *ir.Value, n int) *ir.Value {
	m, b := l.m, v.Block
	w := m.Kernel.NewValue(ir.OpAddrOf, ir.TypeAddr, v, m.Int(ir.TypeI64, int64(l.dataOffsets[n]/dataAlign)))
	w.Aux, w.Block = &ir.Ref{Elem: m.ArrayOf(ir.TypeI32, m.Int(ir.TypeI32, dataAlign/4))}, b
	b.Insts = slices.Insert(b.Insts, slices.Index(b.Insts, v)+1, w)
	return w
}

// rangeGuard returns the comparison that tests whether the work-item's id is within the range along
// dimension k. Package lower generates the same comparisons for a kernel that is not linked.
func (l *linker) rangeGuard(b *ir.Block, k int) *ir.Value {
	return b.Append(ir.OpULt, ir.TypeBool, globalID(b, k), launchArg(b, abi.OffsetRange+4*k))
}

// globalID returns the work-item's global id along dimension k.
func globalID(b *ir.Block, k int) *ir.Value {
	v := b.Append(ir.OpBuiltIn, ir.TypeI32)
	v.Aux = ir.GlobalInvocationIDX + ir.BuiltIn(k)
	return v
}

// launchArg returns the int32 at the given offset of the launch block.
func launchArg(b *ir.Block, offset int) *ir.Value {
	v := b.Append(ir.OpArg, ir.TypeI32)
	v.Bits = uint64(offset)
	return v
}

// isGuard reports whether v is a comparison of an id with the range. The comparison must have the
// form that rangeGuard generates.
func isGuard(v *ir.Value) bool {
	if v.Op != ir.OpULt || v.Args[0].Op != ir.OpBuiltIn || v.Args[1].Op != ir.OpArg || v.Args[1].Type != ir.TypeI32 {
		return false
	}
	id := v.Args[0].Aux.(ir.BuiltIn)
	return id <= ir.GlobalInvocationIDZ && v.Args[1].Bits == uint64(abi.OffsetRange+4*int(id))
}

// passGuards replaces the guards of a part (tests of the ids against the range) by true. The linked
// kernel tests the ids before it enters the part.
func passGuards(blocks []*ir.Block, yes *ir.Value) {
	for _, b := range blocks {
		for _, v := range b.Insts {
			if isGuard(v) {
				v.Op, v.Args = ir.OpLOr, []*ir.Value{yes, yes} // simplify later folds the operation to a constant
			}
		}
	}
}

// entryGuards generates the tests of the ids against the parts' common range, and returns the block
// after the tests.
func (l *linker) entryGuards() *ir.Block {
	b := l.m.Kernel.Blocks[0]
	if l.m.Form != abi.Range {
		return b
	}
	for k := range l.m.Rank {
		next, out := l.m.Kernel.NewBlock(), l.m.Kernel.NewBlock()
		b.Branch(l.rangeGuard(b, k), next, out)
		out.SetTerm(ir.Term{Kind: ir.Return})
		b = next
	}
	return b
}

// ownRange generates a test of the work-item's id against the part's own range. Work-items whose
// linear id is not in the part's range jump to the seam, where the next part begins. ownRange
// returns the block in which the part begins, and the id in each dimension of the part's range.
func (l *linker) ownRange(b, seam *ir.Block, n int, m *ir.Module) (in *ir.Block, ids [3]*ir.Value) {
	at := abi.OffsetArgs + l.m.Params[l.rangeParams[n]].Offset
	lin := globalID(b, 0)
	total := launchArg(b, at)
	for k := 1; k < m.Rank; k++ {
		total = b.Append(ir.OpIMul, ir.TypeI32, total, launchArg(b, at+4*k))
	}
	in = l.m.Kernel.NewBlock()
	b.Branch(b.Append(ir.OpULt, ir.TypeBool, lin, total), in, seam)
	rest := lin
	for k := range m.Rank - 1 { // the remainder of the first division is the id along x, and the remainder of the second is the id along y
		size := launchArg(in, at+4*k)
		ids[k] = in.Append(ir.OpUMod, ir.TypeI32, rest, size)
		rest = in.Append(ir.OpUDiv, ir.TypeI32, rest, size)
	}
	ids[max(m.Rank-1, 0)] = rest
	return in, ids
}

// appendPart appends the code of part n after block b, and returns the block in which the next
// part begins.
func (l *linker) appendPart(b *ir.Block, n int, p *Part) *ir.Block {
	f := l.m.Kernel
	seam := f.NewBlock()
	var ids [3]*ir.Value
	if l.Apart && l.m.Form != abi.Task {
		b, ids = l.ownRange(b, seam, n, p.Module)
	}
	repl := map[*ir.Value]*ir.Value{}
	begin := len(f.Blocks)
	b.Jump(f.Import(p.Module, n, func(v *ir.Value, args []*ir.Value) *ir.Value { return l.linkedConst(v, args, p.Specs) }))
	for _, v := range l.m.Vars {
		v.Accessor, v.Expr = -1, "" // the accessor's length has become a constant
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
				l.replaceArg(v, n, p.Module)
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
	for _, v := range l.dataAddrs {
		repl[v] = l.shiftData(v, n)
	}
	if len(repl) > 0 {
		rewrite.ReplaceUses(f, func(v *ir.Value) *ir.Value { return cmp.Or(repl[v], v) })
	}
	for _, v := range l.dataAddrs {
		repl[v].Args[0] = v
	}
	l.dataAddrs = nil
	return seam
}

// replaceArg changes the Arg op v of a part so that it loads the corresponding argument of the
// linked kernel.
func (l *linker) replaceArg(v *ir.Value, part int, m *ir.Module) {
	if k := int(v.Bits) - abi.OffsetRange; l.Apart && k >= 0 && k < 12 {
		v.Bits = uint64(abi.OffsetArgs + l.m.Params[l.rangeParams[part]].Offset + k)
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
		to, within := l.paramOf[part][i], at-p.Offset
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
	if l.dataOffsets[part] > 0 {
		l.dataAddrs = append(l.dataAddrs, v)
	}
}

// lengthOf returns the index of the linked parameter that has the length of the given part's
// parameter.
func (l *linker) lengthOf(part, param int) int {
	own := l.paramOf[part][param]
	if to, ok := l.lengthParams[l.sliceInfo[own].Length]; ok {
		return to
	}
	return own
}

// linkedConst returns the linked module's constant or constant expression for the constant
// expression v of a part. Specialization constants are replaced by their values and the expression
// is folded. A specialization constant that the runtime sets is kept.
func (l *linker) linkedConst(v *ir.Value, args []*ir.Value, values map[uint32]uint64) *ir.Value {
	if s, ok := v.Aux.(*ir.Spec); ok && v.Op == ir.OpSpecConst {
		bits, ok := values[s.ID]
		if s.ID >= abi.SpecReserved && !ok {
			return l.m.SpecValue(l.runtimeSpec(s))
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

// runtimeSpec returns the linked module's specialization constant for a part's constant
// that the runtime sets.
func (l *linker) runtimeSpec(s *ir.Spec) *ir.Spec {
	t := l.runtimeSpecs[s.ID]
	if t == nil {
		c := *s
		t = &c
		l.runtimeSpecs[s.ID] = t
		l.m.Specs = append(l.m.Specs, t)
	}
	return t
}
