package lanes

// This file contains the passes zerolocal and expand. Zerolocal adds loops that zero memory. Expand
// adds calls that record faults, and loads of the arguments that do not fit in push constants.

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// ZeroLocal replaces each ZeroLocal op by a loop and a barrier. In the loop, the work-items of the
// group zero the variable together. If the group writes the whole variable before any read (see
// writtenFirst), ZeroLocal only removes the op. ZeroLocal runs before structurize, since it adds
// loops, and after deadlanes, since dead lanes must also execute the loops. ZeroLocal also adds
// loops that zero large private variables.
func ZeroLocal(m *ir.Module) diag.List {
	f := m.Kernel
	for i := 0; i < len(f.Blocks); i++ {
		b := f.Blocks[i]
		at := slices.IndexFunc(b.Insts, func(v *ir.Value) bool { return v.Op == ir.OpZeroLocal })
		if at < 0 {
			continue
		}
		inLoop := slices.ContainsFunc(b.Term.Succs, func(s *ir.Block) bool { return slices.Contains(uniform.Reachable(s), b) })
		spare := writtenFirst(m, b.Insts[at])
		v, rest := rewrite.CutOut(b, at) // a later iteration handles other ZeroLocal ops in rest
		if inLoop {
			// If the declaration is in a loop, other work-items may still read values of the
			// previous iteration.
			Barrier(b, v.Pos)
		}
		if spare {
			b.Jump(rest)
			continue
		}
		z := &zeroer{m: m, f: f, b: b, ref: v.Ref(), pos: v.Pos}
		first := b.Append(ir.OpBuiltIn, ir.TypeI32)
		first.Aux = ir.LocalInvocationIndex
		z.zeroLeaves(first, groupSize(m))
		Barrier(z.b, v.Pos)
		z.b.Jump(rest)
	}
	for _, f := range rewrite.Bodies(m) {
		zeroPrivate(f)
	}
	return nil
}

// Barrier appends a barrier of the work-group to b.
func Barrier(b *ir.Block, pos ir.Pos) {
	v := b.Append(ir.OpBarrier, ir.TypeVoid)
	v.Aux, v.Pos = ir.ScopeWorkGroup, pos
}

// zeroer generates the loops that zero one variable.
type zeroer struct {
	m   *ir.Module
	f   *ir.Func
	b   *ir.Block // block to which code is appended
	ref *ir.Ref
	pos ir.Pos

	private bool // whether the variable is private to a work-item
}

// leafStep is one step of the path from a variable to a scalar or vector in it.
type leafStep struct {
	field    int
	arrayLen *ir.Value // length of the array, or nil for a field
}

// zeroLeaves generates loops that zero all scalars and vectors in the variable. Scalars and vectors
// inside arrays of the same lengths share a loop. Each loop zeroes the elements whose linear index
// is `first`, first+step, first+2*step, and so on.
func (z *zeroer) zeroLeaves(first, step *ir.Value) {
	type group struct {
		dims   []*ir.Value
		leaves [][]leafStep
		types  []*ir.Type
	}
	var groups []*group
	var walk func(t *ir.Type, path []leafStep, dims []*ir.Value)
	walk = func(t *ir.Type, path []leafStep, dims []*ir.Value) {
		switch t.Kind {
		case ir.Array:
			walk(t.Elem, append(slices.Clone(path), leafStep{arrayLen: t.Len}), append(slices.Clone(dims), t.Len))
		case ir.Struct:
			for i, f := range t.Fields {
				walk(f.Type, append(slices.Clone(path), leafStep{field: i}), dims)
			}
		default:
			i := slices.IndexFunc(groups, func(g *group) bool { return slices.Equal(g.dims, dims) })
			if i < 0 {
				i = len(groups)
				groups = append(groups, &group{dims: dims})
			}
			groups[i].leaves = append(groups[i].leaves, path)
			groups[i].types = append(groups[i].types, t)
		}
	}
	walk(z.ref.Var.Type, nil, nil)
	if len(groups) == 0 {
		return
	}
	for _, g := range groups {
		one := func(i *ir.Value) {
			index := z.splitIndex(i, g.dims)
			for j, path := range g.leaves {
				z.storeZero(path, g.types[j], index)
			}
		}
		n := z.countElems(g.dims)
		if !z.private || !n.IsConst() {
			z.appendLoop(first, n, step, one)
			continue
		}
		n32 := func(n uint64) *ir.Value { return z.m.Const(ir.TypeI32, n) }
		per, at := uint64(ir.PerRound(int64(n.Bits), int64(len(g.leaves)))), uint64(0)
		if per < n.Bits {
			at = n.Bits - n.Bits%per
			z.appendLoop(first, n32(at), n32(per), func(i *ir.Value) {
				one(i)
				for k := uint64(1); k < per; k++ {
					one(z.b.Append(ir.OpIAdd, ir.TypeI32, i, n32(k)))
				}
			})
		}
		for ; at < n.Bits; at++ {
			one(n32(at))
		}
	}
}

// countElems returns the number of elements of nested arrays with the given lengths.
func (z *zeroer) countElems(dims []*ir.Value) *ir.Value {
	n := z.m.Int(ir.TypeI32, 1)
	for _, d := range dims {
		n = mulExpr(z.m, n, d)
	}
	return n
}

// mulExpr multiplies constant expressions of type i32.
func mulExpr(m *ir.Module, x, y *ir.Value) *ir.Value {
	switch {
	case x.IsConst() && y.IsConst():
		return m.Const(ir.TypeI32, x.Bits*y.Bits)
	case facts.IsOne(x):
		return y
	case facts.IsOne(y):
		return x
	}
	return m.ConstExpr(ir.OpIMul, ir.TypeI32, x, y)
}

// groupSize returns the number of work-items in a work-group, as a constant expression.
func groupSize(m *ir.Module) *ir.Value {
	n := m.Int(ir.TypeI32, 1)
	for d := range max(m.Rank, 1) {
		n = mulExpr(m, n, m.SpecValue(localSize(m, d)))
	}
	return n
}

// localSize returns the specialization constant for the work-group's size along dimension d, where
// 0 is x.
func localSize(m *ir.Module, d int) *ir.Spec {
	id := uint32(abi.SpecLocalSizeX + d)
	for _, s := range m.Specs {
		if s.ID == id {
			return s
		}
	}
	s := &ir.Spec{ID: id, Name: "LocalSize" + "XYZ"[d:d+1], Type: ir.TypeI32, Default: 1}
	m.Specs = append(m.Specs, s)
	return s
}

// appendLoop appends a loop that executes body for i = first, first+step, and so on, while i <
// n.
func (z *zeroer) appendLoop(first, n, step *ir.Value, body func(i *ir.Value)) {
	head, in, out := z.f.NewBlock(), z.f.NewBlock(), z.f.NewBlock()
	z.b.Jump(head)
	i := head.NewPhi(ir.TypeI32, first)
	head.Branch(head.Append(ir.OpULt, ir.TypeBool, i, n), in, out)
	z.b = in
	body(i)
	next := z.b.Append(ir.OpIAdd, ir.TypeI32, i, step)
	z.b.Jump(head)
	i.Args = append(i.Args, next)
	z.b = out
}

// splitIndex returns the indices into arrays of the given lengths that correspond to the
// linear index i.
func (z *zeroer) splitIndex(i *ir.Value, dims []*ir.Value) []*ir.Value {
	index := make([]*ir.Value, len(dims))
	for d := len(dims) - 1; d > 0; d-- {
		index[d] = z.b.Append(ir.OpUMod, ir.TypeI32, i, dims[d])
		i = z.b.Append(ir.OpUDiv, ir.TypeI32, i, dims[d])
	}
	if len(dims) > 0 {
		index[0] = i
	}
	return index
}

func (z *zeroer) storeZero(path []leafStep, t *ir.Type, index []*ir.Value) {
	var zero *ir.Value
	if t.IsVector() {
		zero = z.b.Append(ir.OpVecMake, t, slices.Repeat([]*ir.Value{z.m.Const(t.Elem, 0)}, t.Lanes())...)
	} else {
		zero = z.m.Const(t, 0)
	}
	v := z.b.Append(ir.OpStore, ir.TypeVoid, zero)
	v.Aux, v.Pos = z.ref, z.pos
	for _, s := range path {
		if s.arrayLen == nil {
			v.Args = append(v.Args, z.m.Int(ir.TypeI32, int64(s.field)))
			continue
		}
		v.Args = append(v.Args, index[0])
		index = index[1:]
	}
}

// Expand replaces each Fault op by a call of a helper function. If the kernel's arguments do not
// fit in push constants, Expand loads them from a buffer. Expand can run after structurize, because
// the branches that Expand adds already have SPIR-V's structure.
func Expand(m *ir.Module, r *facts.Result) diag.List {
	if first := m.Target.First; first != nil {
		r.Foreign = !facts.ShareSites(m, first)
	} else {
		simplify.CompactSites(m)
	}
	if m.Spilled {
		for _, f := range rewrite.Bodies(m) {
			spillArgs(f)
		}
	}
	var helper *ir.Func
	need := func() *ir.Func {
		if helper == nil {
			helper = faultHelper(m)
		}
		return helper
	}
	lateFaults(m, need)
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if v.Op != ir.OpFault {
					continue
				}
				s := v.Aux.(*ir.Site)
				v.Op, v.Aux = ir.OpCall, need()
				v.Args = slices.Insert(v.Args, 0, m.Int(ir.TypeI32, siteNumber(s)))
				if isLinked(m) {
					v.Args = append(v.Args, m.Int(ir.TypeI32, int64(s.Part)))
				}
			}
		}
	}
	if helper != nil {
		m.Helpers = append(m.Helpers, helper)
	}
	return nil
}

// siteNumber returns the number that identifies the site s in fault records.
func siteNumber(s *ir.Site) int64 {
	if s.Kind == abi.FaultCancelled {
		return abi.SiteCancelled
	}
	return int64(s.Index)
}

// isLinked reports whether the module was linked from several kernels. Each kernel of a linked
// module has its own fault record.
func isLinked(m *ir.Module) bool {
	return slices.ContainsFunc(m.Sites, func(s *ir.Site) bool { return s.Part > 0 })
}

// faultHelper creates the helper function that writes a fault to the fault record in device memory,
// unless the record already contains a fault. Package abi defines the layout of the fault record.
// In linked modules, the helper's last parameter is the index of the fault record in an array of
// records.
func faultHelper(m *ir.Module) *ir.Func {
	f := m.NewFunc("fault")
	var fields []ir.Field
	var params []*ir.Value
	field := func(name string, t *ir.Type, offset int) {
		fields = append(fields, ir.Field{Name: name, Type: t, Offset: offset})
		if name != "State" {
			params = append(params, f.NewParam(t))
		}
	}
	field("State", ir.TypeI32, 0)
	field("Site", ir.TypeI32, 4)
	field("A", ir.TypeI64, 8)
	field("B", ir.TypeI64, 16)
	field("X", ir.TypeI32, 24)
	field("Y", ir.TypeI32, 28)
	field("Z", ir.TypeI32, 32)
	ref := &ir.Ref{Elem: m.StructOf(fields, abi.FaultRecordSize, 8)}
	zero := m.Int(ir.TypeI32, 0)
	number := zero
	if isLinked(m) {
		number = f.NewParam(ir.TypeI32)
	}

	entry, claim, done := f.Blocks[0], f.NewBlock(), f.NewBlock()
	record := entry.Append(ir.OpArg, ir.TypeAddr)
	record.Bits = abi.OffsetFault
	old := entry.Append(ir.OpAtomicCompareExchange, ir.TypeI32, m.Int(ir.TypeI32, 1), zero, record, number, zero)
	old.Aux = ref
	entry.Merge = done
	entry.Branch(entry.Append(ir.OpIEq, ir.TypeBool, old, zero), claim, done)
	for i, p := range params {
		claim.Append(ir.OpStore, ir.TypeVoid, p, record, number, m.Int(ir.TypeI32, int64(i+1))).Aux = ref
	}
	claim.Jump(done)
	done.SetTerm(ir.Term{Kind: ir.Return})
	return f
}

// spillArgs replaces the arguments of f by loads from a buffer. The launch block contains the
// buffer's address at the offset of the first argument. An argument of less than 32 bits is
// extracted from a 32-bit word, so the device does not need small types in memory. Each argument is
// loaded only once, in the entry block.
func spillArgs(f *ir.Func) {
	sp := &spiller{f: f, loaded: map[launchArg]*ir.Value{}}
	repl := map[*ir.Value]*ir.Value{}
	for _, b := range f.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
			if v.Op != ir.OpArg || v.Bits < abi.OffsetArgs {
				return false
			}
			repl[v] = sp.loadArg(launchArg{v.Bits - abi.OffsetArgs, v.Type})
			return true
		})
	}
	f.Blocks[0].Insts = append(sp.insts, f.Blocks[0].Insts...)
	rewrite.ReplaceUses(f, func(v *ir.Value) *ir.Value { return cmp.Or(repl[v], v) })
}

// launchArg identifies the kernel's argument of type t at the given offset from the first argument.
type launchArg struct {
	offset uint64
	t      *ir.Type
}

// spiller generates the loads of a function's arguments.
type spiller struct {
	f      *ir.Func
	base   *ir.Value // address of the buffer that contains the arguments
	insts  []*ir.Value
	loaded map[launchArg]*ir.Value
}

func (sp *spiller) add(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := sp.f.NewValue(op, t, args...)
	v.Block = sp.f.Blocks[0]
	sp.insts = append(sp.insts, v)
	return v
}

// loadArg returns the value of the argument a. The first call of loadArg for an argument adds a
// load.
func (sp *spiller) loadArg(a launchArg) *ir.Value {
	if v := sp.loaded[a]; v != nil {
		return v
	}
	i32 := func(n uint64) *ir.Value { return sp.f.Module.Const(ir.TypeI32, n) }
	if sp.base == nil {
		sp.base = sp.add(ir.OpArg, ir.TypeAddr)
		sp.base.Bits = abi.OffsetArgs
	}
	element := func(t *ir.Type) *ir.Value {
		v := sp.add(ir.OpLoad, t, sp.base, i32(a.offset/uint64(t.Size)))
		v.Aux = &ir.Ref{Elem: t}
		return v
	}
	var v *ir.Value
	if a.t.Size >= 4 {
		v = element(a.t)
	} else {
		w := element(ir.TypeI32)
		if s := a.offset % 4 * 8; s != 0 {
			w = sp.add(ir.OpShrL, ir.TypeI32, w, i32(s))
		}
		switch a.t.Kind {
		case ir.Bool:
			v = sp.add(ir.OpINe, a.t, sp.add(ir.OpAnd, ir.TypeI32, w, i32(0xff)), i32(0))
		case ir.F16:
			v = sp.add(ir.OpBitcast, a.t, sp.add(ir.OpUConvert, ir.TypeI16, w))
		default:
			v = sp.add(ir.OpUConvert, a.t, w)
		}
	}
	sp.loaded[a] = v
	return v
}
