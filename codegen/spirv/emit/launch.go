package emit

// This file emits loads of arguments and of built-in variables.

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// launchBlock describes the block of push constants, which has one member for each value that the module
// loads. Values that overlap, or whose size is not a multiple of four bytes, are loaded as 32-bit words.
type launchBlock struct {
	members []blockMember
	id      spirv.ID // id of the variable for the block; 0 before the first load
}

type blockMember struct {
	offset int
	typ    *ir.Type
}

func (m blockMember) end() int { return m.offset + m.typ.Size }

// splitIntoWords returns one member for each 32-bit word that contains a byte of m.
func (m blockMember) splitIntoWords() []blockMember {
	var list []blockMember
	for o := m.offset &^ 3; o < m.end(); o += 4 {
		list = append(list, blockMember{o, ir.TypeI32})
	}
	return list
}

// planMembers computes the block members that the functions load.
func (l *launchBlock) planMembers(funcs []*ir.Func) {
	for _, f := range funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if v.Op != ir.OpArg {
					continue
				}
				x := blockMember{int(v.Bits), v.Type}
				if v.Type.Size < 4 || v.Bits%4 != 0 {
					l.members = append(l.members, x.splitIntoWords()...)
				} else {
					l.members = append(l.members, x)
				}
			}
		}
	}
	for split := true; split; {
		slices.SortFunc(l.members, func(a, b blockMember) int {
			return cmp.Or(a.offset-b.offset, int(a.typ.Kind)-int(b.typ.Kind))
		})
		l.members = slices.Compact(l.members)
		split = l.splitOverlap()
	}
}

// splitOverlap replaces the first two overlapping members by 32-bit words. splitOverlap reports whether
// any members overlapped.
func (l *launchBlock) splitOverlap() bool {
	end := 0
	for i, m := range l.members {
		if m.offset < end {
			both := append(l.members[i-1].splitIntoWords(), m.splitIntoWords()...)
			l.members = slices.Replace(l.members, i-1, i+1, both...)
			return true
		}
		end = m.end()
	}
	return false
}

// loadMember emits a load of member m of the launch block. The second result is false if the launch
// block has no member m.
func (f *funcEmitter) loadMember(m blockMember) (spirv.ID, bool) {
	i := slices.Index(f.e.push.members, m)
	if i < 0 {
		return 0, false
	}
	b, l := f.e.b, &f.e.push
	if l.id == 0 {
		var members []spirv.Member
		for _, m := range l.members {
			members = append(members, spirv.Member{Type: f.e.registerType(m.typ), Offset: uint32(m.offset)})
		}
		block := b.TypePointer(spirv.StorageClassPushConstant, b.StructLayout(members, true))
		l.id = b.Variable(block, spirv.StorageClassPushConstant, 0)
	}
	t := f.e.registerType(m.typ)
	p := f.AccessChain(b.TypePointer(spirv.StorageClassPushConstant, t), l.id, b.ConstU32(uint32(i)))
	return f.Load(t, p, spirv.MemoryOperands{}), true
}

// emitArg emits a load from the launch block.
func emitArg(f *funcEmitter, v *ir.Value) spirv.ID {
	m := blockMember{int(v.Bits), v.Type}
	if v.Type.Size >= 4 {
		if id, ok := f.loadMember(m); ok {
			return id
		}
	}
	var words []spirv.ID
	for _, w := range m.splitIntoWords() {
		id, ok := f.loadMember(w)
		if !ok {
			panic("BUG: the launch block was not planned")
		}
		words = append(words, id)
	}
	u32 := f.e.u32()
	switch v.Type.Kind {
	case ir.I32:
		return words[0]
	case ir.Addr:
		return f.Op(spirv.OpCompositeConstruct, f.e.uvec2(), words...)
	case ir.I64, ir.F64:
		return f.Op(spirv.OpBitcast, f.e.registerType(v.Type), f.Op(spirv.OpCompositeConstruct, f.e.uvec2(), words...))
	case ir.F32:
		return f.Op(spirv.OpBitcast, f.e.registerType(v.Type), words[0])
	}
	x := words[0]
	if shift := uint32(v.Bits%4) * 8; shift != 0 {
		x = f.Op(spirv.OpShiftRightLogical, u32, x, f.e.b.ConstU32(shift))
	}
	switch v.Type.Kind {
	case ir.Bool:
		x = f.Op(spirv.OpBitwiseAnd, u32, x, f.e.b.ConstU32(0xff))
		return f.Op(spirv.OpINotEqual, f.e.b.TypeBool(), x, f.e.b.ConstU32(0))
	case ir.F16:
		return f.halfOf(x)
	}
	return x
}

// inputRows maps a BuiltIn to its SPIR-V variable and to the component of that variable. The component is -1 if the
// SPIR-V variable is a scalar.
var inputRows = [ir.NumBuiltIns]struct {
	builtIn   spirv.BuiltIn
	component int
}{
	ir.GlobalInvocationIDX:       {spirv.BuiltInGlobalInvocationId, 0},
	ir.GlobalInvocationIDY:       {spirv.BuiltInGlobalInvocationId, 1},
	ir.GlobalInvocationIDZ:       {spirv.BuiltInGlobalInvocationId, 2},
	ir.LocalInvocationIDX:        {spirv.BuiltInLocalInvocationId, 0},
	ir.LocalInvocationIDY:        {spirv.BuiltInLocalInvocationId, 1},
	ir.LocalInvocationIDZ:        {spirv.BuiltInLocalInvocationId, 2},
	ir.WorkgroupIDX:              {spirv.BuiltInWorkgroupId, 0},
	ir.WorkgroupIDY:              {spirv.BuiltInWorkgroupId, 1},
	ir.WorkgroupIDZ:              {spirv.BuiltInWorkgroupId, 2},
	ir.LocalInvocationIndex:      {spirv.BuiltInLocalInvocationIndex, -1},
	ir.SubgroupSize:              {spirv.BuiltInSubgroupSize, -1},
	ir.NumSubgroups:              {spirv.BuiltInNumSubgroups, -1},
	ir.SubgroupID:                {spirv.BuiltInSubgroupId, -1},
	ir.SubgroupLocalInvocationID: {spirv.BuiltInSubgroupLocalInvocationId, -1},
}

// loadBuiltIns emits one load for each used built-in, at the start of the function.
func (f *funcEmitter) loadBuiltIns(used [ir.NumBuiltIns]bool) {
	vectors := map[spirv.BuiltIn]spirv.ID{}
	u32 := f.e.u32()
	if f.e.oneDimension {
		used = f.flatIDs(used)
	}
	for b, row := range inputRows {
		if !used[b] {
			continue
		}
		if ir.BuiltIn(b) >= ir.SubgroupSize {
			f.e.needCapability(spirv.CapabilityGroupNonUniform)
		}
		if ir.BuiltIn(b) == ir.SubgroupLocalRange {
			f.builtIns[b] = f.countSubgroup()
			continue
		}
		if row.component < 0 {
			f.builtIns[b] = f.Load(u32, f.e.inputVariable(row.builtIn, u32), spirv.MemoryOperands{})
			continue
		}
		vector, ok := vectors[row.builtIn]
		if !ok {
			uvec3 := f.e.b.TypeVector(u32, 3)
			vector = f.Load(uvec3, f.e.inputVariable(row.builtIn, uvec3), spirv.MemoryOperands{})
			vectors[row.builtIn] = vector
		}
		f.builtIns[b] = f.CompositeExtract(u32, vector, uint32(row.component))
	}
}

// flatIDs emits code that computes the ids of an invocation if work-groups have one dimension on the device. The result
// of flatIDs lists the built-ins that must still be loaded.
func (f *funcEmitter) flatIDs(used [ir.NumBuiltIns]bool) [ir.NumBuiltIns]bool {
	u32, e := f.e.u32(), f.e
	load := func(b spirv.BuiltIn, t spirv.ID) spirv.ID {
		return f.Load(t, e.inputVariable(b, t), spirv.MemoryOperands{})
	}
	var index, group spirv.ID
	for d := range e.size {
		global, local := ir.GlobalInvocationIDX+ir.BuiltIn(d), ir.LocalInvocationIDX+ir.BuiltIn(d)
		if !used[global] && !used[local] {
			continue
		}
		if index == 0 {
			index = load(spirv.BuiltInLocalInvocationIndex, u32)
		}
		id := index
		for _, n := range e.size[:d] {
			id = f.Op(spirv.OpUDiv, u32, id, n)
		}
		if d < 2 {
			id = f.Op(spirv.OpUMod, u32, id, e.size[d])
		}
		f.builtIns[local] = id
		if used[global] {
			if group == 0 {
				group = load(spirv.BuiltInWorkgroupId, e.b.TypeVector(u32, 3))
			}
			base := f.Op(spirv.OpIMul, u32, f.CompositeExtract(u32, group, uint32(d)), e.size[d])
			f.builtIns[global] = f.Op(spirv.OpIAdd, u32, base, id)
		}
		used[global], used[local] = false, false
	}
	return used
}

// inputVariable returns the Input variable of type t that is decorated with built-in b.
func (e *emitter) inputVariable(b spirv.BuiltIn, t spirv.ID) spirv.ID {
	id, ok := e.inputs[b]
	if !ok {
		id = e.b.Variable(e.b.TypePointer(spirv.StorageClassInput, t), spirv.StorageClassInput, 0)
		e.b.Decorate(id, spirv.DecorationBuiltIn, uint32(b))
		e.inputs[b] = id
	}
	return id
}

func emitBuiltIn(f *funcEmitter, v *ir.Value) spirv.ID { return f.builtIns[v.Aux.(ir.BuiltIn)] }
