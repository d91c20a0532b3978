package valid

import (
	"fmt"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// A typ describes a type of the module.
type typ struct {
	id      spirv.ID
	op      spirv.Op
	width   uint32 // width of a number
	signed  bool
	elem    *typ   // element type of a vector, matrix, array or pointer; result type of a function
	n       uint64 // number of components, columns or elements
	spec    bool   // whether n is a specialization constant
	members []*typ // members of a structure; parameters of a function
	class   spirv.StorageClass
	depth   int
	leaves  uint64 // number of scalars in the type
	// storage is true if the type contains a number that the module may load, store and convert but not use in
	// arithmetic. Arithmetic on the number requires a capability that the module does not declare.
	storage bool
	// These three flags describe the contents of the type. Flag runtime means that the type contains a runtime array.
	// Flag logical means that it contains a pointer that cannot be converted to an address. Flag boolean means that it
	// contains a Bool.
	runtime, logical, boolean bool
	// Field shape is the shape of a cooperative matrix. Field spread is true if the type contains a cooperative matrix,
	// whose elements are distributed over the work-items of a sub-group.
	shape             shape
	spread            bool
	bytes             uint64 // approximate size in bytes, in memory whose layout the driver chooses
	narrow8, narrow16 bool   // whether the type contains a number of 8 or 16 bits
	aligned, sized    uint64 // cached results of align and sizeOf plus one; 0 if not computed yet
	block             bool   // whether the type is or contains a structure decorated with Block
	laid              bool   // whether the type's layout has been checked
}

func (t *typ) isBool() bool    { return t.op == spirv.OpTypeBool }
func (t *typ) isInt() bool     { return t.op == spirv.OpTypeInt }
func (t *typ) isFloat() bool   { return t.op == spirv.OpTypeFloat }
func (t *typ) isScalar() bool  { return t.isBool() || t.isInt() || t.isFloat() }
func (t *typ) isVector() bool  { return t.op == spirv.OpTypeVector }
func (t *typ) isMatrix() bool  { return t.op == spirv.OpTypeMatrix }
func (t *typ) isArray() bool   { return t.op == spirv.OpTypeArray }
func (t *typ) isStruct() bool  { return t.op == spirv.OpTypeStruct }
func (t *typ) isPointer() bool { return t.op == spirv.OpTypePointer }

// hasAddress reports whether t is a pointer that can be converted to an address.
func (t *typ) hasAddress() bool {
	return t.isPointer() && t.class == spirv.StorageClassPhysicalStorageBuffer
}

// The method scalar returns t itself for a scalar type, the component type for a vector type, and nil for other types.
func (t *typ) scalar() *typ {
	switch {
	case t.isScalar():
		return t
	case t.isVector():
		return t.elem
	}
	return nil
}

// The method count returns the number of components of a scalar or vector type.
func (t *typ) count() uint64 {
	if t.isVector() {
		return t.n
	}
	return 1
}

// The methods from ints to bools test the component type of a scalar or vector type.
func (t *typ) ints() bool   { s := t.scalar(); return s != nil && s.isInt() }
func (t *typ) floats() bool { s := t.scalar(); return s != nil && s.isFloat() }
func (t *typ) bools() bool  { s := t.scalar(); return s != nil && s.isBool() }
func (t *typ) is(width uint32) bool {
	s := t.scalar()
	return s != nil && s.width == width
}

// newType checks the declaration of a type, and returns its description.
func (c *checker) newType(in *spirv.Instruction) *typ {
	t := &typ{id: in.Result, op: in.Op, depth: 1, leaves: 1}
	switch in.Op {
	case spirv.OpTypeVoid, spirv.OpTypeBool:
		t.boolean, t.bytes = in.Op == spirv.OpTypeBool, 4
		c.once(in)
	case spirv.OpTypeInt:
		c.once(in)
		t.width, t.signed = in.Words[0], in.Words[1] == 1
		c.need(in.Words[1] <= 1, "the signedness is neither 0 nor 1")
		c.number(t, map[uint32]spirv.Capability{8: spirv.CapabilityInt8, 16: spirv.CapabilityInt16, 32: spirv.CapabilityShader, 64: spirv.CapabilityInt64})
	case spirv.OpTypeFloat:
		c.once(in)
		t.width = in.Words[0]
		c.need(len(in.Words) == 1, "kernels cannot use this format of floats")
		c.number(t, map[uint32]spirv.Capability{16: spirv.CapabilityFloat16, 32: spirv.CapabilityShader, 64: spirv.CapabilityFloat64})
	case spirv.OpTypeVector, spirv.OpTypeMatrix:
		c.once(in)
		t.elem, t.n = c.typeID(spirv.ID(in.Words[0])), uint64(in.Words[1])
		c.need(t.n >= 2 && t.n <= 4, "it has not 2, 3 or 4 parts")
		if in.Op == spirv.OpTypeVector {
			c.need(t.elem.isScalar(), "its parts are not scalars")
		} else {
			c.need(t.elem.isVector() && t.elem.elem.isFloat(), "its columns are not vectors of floats")
		}
		c.aggregate(t, t.elem, t.n)
	case spirv.OpTypeArray:
		t.elem = c.element(in.Words[0])
		d := c.value(in.Words[1])
		n, known := c.values[spirv.ID(in.Words[1])]
		c.need(d.kind == isConstant && d.typ.isInt() && known, "the length is not an integer constant")
		c.need(n > 0 && !(d.typ.signed && int64(n) < 0), "the length is not positive")
		t.n, t.spec = n, d.spec
		c.aggregate(t, t.elem, n)
	case spirv.OpTypeRuntimeArray:
		t.elem, t.runtime = c.element(in.Words[0]), true
		c.aggregate(t, t.elem, 1)
	case spirv.OpTypeStruct:
		c.structure(t, in)
	case spirv.OpTypePointer:
		return c.pointer(t, in)
	case spirv.OpTypeFunction:
		c.once(in)
		t.elem = c.typeID(spirv.ID(in.Words[0]))
		c.need(t.elem.op != spirv.OpTypeFunction, "the result is a function")
		for _, id := range in.Words[1:] {
			p := c.typeID(spirv.ID(id))
			c.need(p.op != spirv.OpTypeFunction && p.op != spirv.OpTypeVoid, "a parameter has no value")
			t.members = append(t.members, p)
		}
	case spirv.OpTypeCooperativeMatrixKHR:
		c.cooperative(t, in)
	default:
		c.fail("kernels cannot use this type")
	}
	return t
}

// The method once refuses a second declaration of the same type (2.8).
func (c *checker) once(in *spirv.Instruction) {
	key := fmt.Sprint(in.Op, in.Words)
	first, ok := c.unique[key]
	c.need(!ok, "the type is declared already, as %%%d", first)
	c.unique[key] = in.Result
}

// The method number checks that a capability allows the width of numeric type t. For numbers of 8 and 16 bits, some
// capabilities allow only loads and stores.
func (c *checker) number(t *typ, caps map[uint32]spirv.Capability) {
	k, ok := caps[t.width]
	c.need(ok, "there are no numbers of %d bits", t.width)
	t.bytes, t.narrow8, t.narrow16 = uint64(t.width/8), t.width == 8, t.width == 16
	if c.caps[k] {
		return
	}
	t.storage = t.width == 8 && (c.caps[spirv.CapabilityStorageBuffer8BitAccess] || c.caps[spirv.CapabilityStoragePushConstant8]) ||
		t.width == 16 && (c.caps[spirv.CapabilityStorageBuffer16BitAccess] || c.caps[spirv.CapabilityStoragePushConstant16])
	c.need(t.storage, "it needs the capability %v", k)
}

// The method aggregate computes those properties of composite type t that depend on its n components of type part.
func (c *checker) aggregate(t, part *typ, n uint64) {
	t.depth = max(t.depth, part.depth+1)
	c.need(t.depth <= maxTypeDepth, "types are nested deeper than %d", maxTypeDepth)
	if t.isStruct() {
		t.leaves, t.bytes = add(t.leaves, part.leaves), add(t.bytes, part.bytes)
	} else {
		t.leaves, t.bytes = mul(part.leaves, n), mul(part.bytes, n)
	}
	if !part.isPointer() {
		t.narrow8, t.narrow16 = t.narrow8 || part.narrow8, t.narrow16 || part.narrow16
	}
	t.storage = t.storage || part.storage
	t.runtime = t.runtime || part.runtime
	t.boolean = t.boolean || part.boolean
	t.spread = t.spread || part.spread && !part.isPointer()
	t.spec = t.spec || part.spec && !part.isPointer()
	t.block = t.block || part.block && !part.isPointer()
}

// The method element returns the type with the given id. The type must be allowed as an element or member.
func (c *checker) element(id uint32) *typ {
	e, ok := c.forward[spirv.ID(id)]
	if !ok {
		e = c.typeID(spirv.ID(id))
	}
	c.need(e.op != spirv.OpTypeVoid && e.op != spirv.OpTypeFunction, "%%%d is no type of values", id)
	c.need(!e.isPointer() || e.hasAddress(), "%%%d is a pointer that has no address", id)
	c.need(!e.runtime, "%%%d has no size", id)
	return e
}

func (c *checker) structure(t *typ, in *spirv.Instruction) {
	t.leaves = 0
	for i, id := range in.Words {
		var m *typ
		if d := c.defs[id]; d != nil && d.kind == isType && d.typ.op == spirv.OpTypeRuntimeArray {
			c.need(i == len(in.Words)-1, "a runtime array is not the last member")
			m = d.typ
		} else {
			m = c.element(id)
		}
		c.need(!m.block, "member %d is a Block in another structure", i)
		t.members = append(t.members, m)
		c.aggregate(t, m, 1)
	}
	for i := range c.members[t.id] {
		c.need(int(i) < len(t.members), "there is no member %d to decorate", i)
	}
	t.block = c.has(t.id, spirv.DecorationBlock)
}

// storageClasses are the storage classes that kernels may use.
var storageClasses = map[spirv.StorageClass]bool{
	spirv.StorageClassInput: true, spirv.StorageClassWorkgroup: true, spirv.StorageClassPrivate: true,
	spirv.StorageClassFunction: true, spirv.StorageClassPushConstant: true, spirv.StorageClassPhysicalStorageBuffer: true,
}

func (c *checker) forwardPointer(in *spirv.Instruction) {
	id := spirv.ID(in.Words[0])
	c.need(spirv.StorageClass(in.Words[1]) == spirv.StorageClassPhysicalStorageBuffer && c.physical, "only physical pointers can be declared ahead")
	c.need(c.defs[id] == nil && c.forward[id] == nil, "%%%d is declared already", id)
	c.forward[id] = &typ{id: id, op: spirv.OpTypePointer, depth: 1, leaves: 1, class: spirv.StorageClassPhysicalStorageBuffer, bytes: 8}
}

func (c *checker) pointer(t *typ, in *spirv.Instruction) *typ {
	class := spirv.StorageClass(in.Words[0])
	c.need(storageClasses[class], "kernels cannot use this storage class")
	if f := c.forward[t.id]; f != nil {
		c.need(class == f.class, "it was declared ahead with another storage class")
		t = f
	}
	t.class, t.bytes = class, 8
	if f := c.forward[spirv.ID(in.Words[1])]; f != nil {
		t.elem = f
	} else {
		t.elem = c.typeID(spirv.ID(in.Words[1]))
	}
	e := t.elem
	c.need(e.op != spirv.OpTypeVoid && e.op != spirv.OpTypeFunction, "it points to no type of values")
	c.need(!e.isPointer() || e.hasAddress(), "it points to a pointer that has no address")
	c.need(!e.runtime || class == spirv.StorageClassPhysicalStorageBuffer || class == spirv.StorageClassPushConstant, "what it points to has no size")
	c.need(!e.spread || class == spirv.StorageClassFunction || class == spirv.StorageClassPrivate, "a cooperative matrix lies outside of work-items' memory")
	switch class {
	case spirv.StorageClassPhysicalStorageBuffer:
		c.need(c.physical, "it needs the addressing model PhysicalStorageBuffer64")
		c.laidOut(e)
		c.narrow(e, spirv.CapabilityStorageBuffer8BitAccess, spirv.CapabilityStorageBuffer16BitAccess)
	case spirv.StorageClassPushConstant:
		c.need(!e.runtime, "what it points to has no size")
		c.laidOut(e)
		c.narrow(e, spirv.CapabilityStoragePushConstant8, spirv.CapabilityStoragePushConstant16)
	default:
		c.need(!e.storage, "numbers that are for memory alone lie outside of buffers")
	}
	t.logical = !t.hasAddress()
	return t
}

// If t contains numbers of 8 or 16 bits, the method narrow checks that the module declares the required capability.
// Parameters for8 and for16 are the capabilities for 8-bit and 16-bit numbers in the storage class.
func (c *checker) narrow(t *typ, for8, for16 spirv.Capability) {
	c.need(!t.narrow8 || c.caps[for8], "it needs the capability %v", for8)
	c.need(!t.narrow16 || c.caps[for16], "it needs the capability %v", for16)
}

// The method concrete checks that t can be the type of a value.
func (c *checker) concrete(t *typ) {
	c.need(t.op != spirv.OpTypeVoid && t.op != spirv.OpTypeFunction && !t.runtime, "%%%d is no type of values", t.id)
	c.need(!t.isPointer() || t.elem != nil, "the pointer %%%d is not defined yet", t.id)
	most := uint64(maxLeaves)
	if c.fn != nil {
		most = maxValue
	}
	c.need(t.leaves <= most, "a value of %d scalars is more than %d", t.leaves, most)
}
