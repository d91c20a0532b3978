package emit

// This file emits loads, stores and addresses.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// accessPlace describes the memory that an op accesses.
type accessPlace struct {
	ptr    spirv.ID // pointer to the memory; 0 for memory of size 0, which is never accessed
	typ    *ir.Type
	device bool
	small  bool // whether integers of 8 and 16 bits occupy one or two bytes, not a 32-bit word
	access spirv.MemoryOperands
}

// accessedPlace returns a description of the memory that op v accesses.
func (f *funcEmitter) accessedPlace(v *ir.Value) accessPlace {
	r, path := v.Ref(), v.Path()
	if r.Var != nil {
		return f.varPlace(r.Var, path)
	}
	p := accessPlace{typ: r.Elem, device: true, small: true}
	if isEmpty(r.Elem) {
		return p
	}
	b := f.e.b
	block := b.TypePointer(spirv.StorageClassPhysicalStorageBuffer, f.e.elementsType(r.Elem))
	base := f.Op(spirv.OpBitcast, block, f.valueID(path[0]))
	indexes := []spirv.ID{b.ConstU32(0), f.indexID(path[1])}
	rest, leaf, ok := f.pathIDs(r.Elem, path[2:])
	if p.typ = leaf; !ok {
		return p
	}
	t := b.TypePointer(spirv.StorageClassPhysicalStorageBuffer, f.e.memoryType(leaf))
	p.ptr = f.AccessChain(t, base, append(indexes, rest...)...)
	p.access.Alignment = uint32(max(leaf.Align, 1))
	if f.e.sharesMemory {
		p.access.Access = spirv.MemoryAccessNonPrivatePointer
	}
	return p
}

var storageClasses = [...]spirv.StorageClass{
	ir.Function:  spirv.StorageClassFunction,
	ir.Workgroup: spirv.StorageClassWorkgroup,
	ir.Private:   spirv.StorageClassPrivate,
}

func (f *funcEmitter) varPlace(v *ir.Var, path []*ir.Value) accessPlace {
	p := accessPlace{typ: v.Type, small: v.Packed()}
	if isEmpty(v.Type) {
		return p
	}
	indexes, leaf, ok := f.pathIDs(v.Type, path)
	if p.typ = leaf; !ok {
		return p
	}
	p.ptr = f.variablePointer(v)
	if len(indexes) > 0 {
		p.ptr = f.AccessChain(f.e.b.TypePointer(storageClasses[v.Storage], f.e.ofVar(v, leaf)), p.ptr, indexes...)
	}
	if v.Storage == ir.Workgroup && f.e.sharesMemory {
		p.access.Access = spirv.MemoryAccessNonPrivatePointer
	}
	return p
}

// variablePointer returns the variable's id, and declares the variable if necessary.
func (f *funcEmitter) variablePointer(v *ir.Var) spirv.ID {
	e := f.e
	if v.Storage == ir.Function {
		id, ok := f.vars[v]
		if !ok {
			id = f.Variable(e.b.TypePointer(spirv.StorageClassFunction, e.variableType(v.Type)), 0)
			f.vars[v] = id
		}
		return id
	}
	id, ok := e.vars[v]
	if !ok {
		init := spirv.ID(0)
		if len(v.Init) > 0 {
			leaves := v.Init
			if init = e.tableConstant(v.Type, &leaves); len(leaves) > 0 {
				panic("BUG: a table with too many values")
			}
		}
		class := storageClasses[v.Storage]
		id = e.b.Variable(e.b.TypePointer(class, e.ofVar(v, v.Type)), class, init)
		e.vars[v] = id
	}
	return id
}

// pathIDs returns the ids of the indexes in a path that starts at type t. The result leaf is the
// type at the end of the path. If the path leads into memory of size 0, ok is false, and leaf is
// the last type on the path whose size is not 0.
func (f *funcEmitter) pathIDs(t *ir.Type, path []*ir.Value) (indexes []spirv.ID, leaf *ir.Type, ok bool) {
	for _, v := range path {
		var next *ir.Type
		var index spirv.ID
		switch t.Kind {
		case ir.Struct:
			next = t.Fields[v.Bits].Type
			index = f.e.b.ConstU32(memberIndex(t, int(v.Bits)))
		case ir.Array:
			next = t.Elem
			index = f.indexID(v)
		default:
			panic("BUG: a path into " + t.String())
		}
		if isEmpty(next) {
			return indexes, t, false
		}
		t = next
		indexes = append(indexes, index)
	}
	return indexes, t, !isEmpty(t)
}

// indexID returns the id of index v for an access chain. SPIR-V interprets indexes of access chains as signed.
func (f *funcEmitter) indexID(v *ir.Value) spirv.ID {
	if v.IsConst() && v.Bits <= 1<<31-1 {
		return f.e.b.ConstU32(uint32(v.Bits)) // 32 bits are sufficient for constant indexes
	}
	return f.valueID(v)
}

func emitLoad(f *funcEmitter, v *ir.Value) spirv.ID {
	if x := v.Ref().Var; x != nil && isNative(x.Type) {
		return f.loadElement(v)
	}
	p := f.accessedPlace(v)
	switch {
	case p.ptr == 0: // unreachable, because no index is in range
		return f.e.b.ConstNull(f.e.registerType(v.Type))
	case p.small && isNarrow(v.Type):
		t := f.e.packedType(v.Type)
		if p.device {
			t = f.e.memoryType(v.Type)
		}
		raw := f.Load(t, p.ptr, p.access)
		f.raw[v] = raw
		if f.words[v] {
			return f.Op(spirv.OpUConvert, f.e.u32(), raw)
		}
		return 0
	}
	return f.Load(f.e.registerType(v.Type), p.ptr, p.access)
}

func emitStore(f *funcEmitter, v *ir.Value) spirv.ID {
	if x := v.Ref().Var; x != nil && isNative(x.Type) {
		f.storeElement(v)
		return 0
	}
	p, x := f.accessedPlace(v), v.Args[0]
	switch {
	case p.ptr == 0:
	case p.small && isNarrow(x.Type):
		raw, ok := f.raw[x]
		if !ok {
			raw = f.Op(spirv.OpUConvert, f.e.packedType(x.Type), f.valueID(x))
		}
		f.Store(p.ptr, raw, p.access)
	default:
		f.Store(p.ptr, f.valueID(x), p.access)
	}
	return 0
}

// emitAddrOf emits the address of an element. If the element is in memory of size 0, emitAddrOf ends the
// path before this memory, because the address of empty memory is arbitrary.
func emitAddrOf(f *funcEmitter, v *ir.Value) spirv.ID {
	r, path := v.Ref(), v.Path()
	if isEmpty(r.Elem) {
		return f.valueID(path[0])
	}
	b := f.e.b
	block := b.TypePointer(spirv.StorageClassPhysicalStorageBuffer, f.e.elementsType(r.Elem))
	base := f.Op(spirv.OpBitcast, block, f.valueID(path[0]))
	rest, leaf, _ := f.pathIDs(r.Elem, path[2:])
	t := b.TypePointer(spirv.StorageClassPhysicalStorageBuffer, f.e.memoryType(leaf))
	ptr := f.AccessChain(t, base, append([]spirv.ID{b.ConstU32(0), f.indexID(path[1])}, rest...)...)
	return f.Op(spirv.OpBitcast, f.e.uvec2(), ptr)
}

func emitZero(f *funcEmitter, v *ir.Value) spirv.ID {
	if x := v.Ref().Var; x != nil && isNative(x.Type) {
		f.zeroMatrix(x)
		return 0
	}
	if p := f.accessedPlace(v); p.ptr != 0 {
		f.Store(p.ptr, f.e.b.ConstNull(f.e.variableType(p.typ)), p.access)
	}
	return 0
}

func emitCopyVar(f *funcEmitter, v *ir.Value) spirv.ID {
	c := v.Aux.(*ir.Copy)
	if isNative(c.Dst.Type) {
		f.copyMatrix(c.Dst, c.Src)
		return 0
	}
	if !isEmpty(c.Src.Type) {
		x := f.Load(f.e.variableType(c.Src.Type), f.variablePointer(c.Src), spirv.MemoryOperands{})
		f.Store(f.variablePointer(c.Dst), x, spirv.MemoryOperands{})
	}
	return 0
}

func emitVecMake(f *funcEmitter, v *ir.Value) spirv.ID {
	return f.Op(spirv.OpCompositeConstruct, f.e.registerType(v.Type), f.values(v.Args)...)
}

func emitVecExtract(f *funcEmitter, v *ir.Value) spirv.ID {
	return f.CompositeExtract(f.e.registerType(v.Type), f.valueID(v.Args[0]), uint32(v.Bits))
}
