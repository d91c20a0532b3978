package valid

import (
	"fmt"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// typ describes a type of the module.
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
	// storageOnly is true if the type contains a number that the module may load, store and convert but not use in
	// arithmetic. Arithmetic on the number requires a capability that the module does not declare.
	storageOnly bool
	// The flag hasRuntimeArray is true if the type contains a runtime array, and hasBool if it
	// contains a Bool. The flag hasLogicalPtr is true if the type contains a pointer that cannot be
	// converted to an address.
	hasRuntimeArray, hasLogicalPtr, hasBool bool
	// coopShape is the shape of a cooperative matrix. hasMatrix is true if the type contains a
	// cooperative matrix, whose elements are distributed over the work-items of a sub-group.
	coopShape         matrixShape
	hasMatrix         bool
	bytes             uint64 // approximate size in bytes, in memory whose layout the driver chooses
	narrow8, narrow16 bool   // whether the type contains a number of 8 or 16 bits
	aligned, sized    uint64 // results of alignOf and sizeOf, plus one; 0 if not computed yet
	block             bool   // whether the type is or contains a structure decorated with Block
	laid              bool   // whether laidOut has checked the type's layout
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

// scalarType returns t itself for a scalar type, the component type for a vector type, and nil for other types.
func (t *typ) scalarType() *typ {
	switch {
	case t.isScalar():
		return t
	case t.isVector():
		return t.elem
	}
	return nil
}

// componentCount returns the number of components of a scalar or vector type.
func (t *typ) componentCount() uint64 {
	if t.isVector() {
		return t.n
	}
	return 1
}

// The following methods test the component type of a scalar or vector type.
func (t *typ) ints() bool   { s := t.scalarType(); return s != nil && s.isInt() }
func (t *typ) floats() bool { s := t.scalarType(); return s != nil && s.isFloat() }
func (t *typ) bools() bool  { s := t.scalarType(); return s != nil && s.isBool() }
func (t *typ) is(width uint32) bool {
	s := t.scalarType()
	return s != nil && s.width == width
}

// newType checks the declaration of a type, and returns its description.
func (c *checker) newType(in *spirv.Instruction) *typ {
	t := &typ{id: in.Result, op: in.Op, depth: 1, leaves: 1}
	switch in.Op {
	case spirv.OpTypeVoid, spirv.OpTypeBool:
		t.hasBool, t.bytes = in.Op == spirv.OpTypeBool, 4
		c.declareOnce(in)
	case spirv.OpTypeInt:
		c.declareOnce(in)
		t.width, t.signed = in.Words[0], in.Words[1] == 1
		c.require(in.Words[1] <= 1, "the signedness is neither 0 nor 1")
		c.checkNumber(t, map[uint32]spirv.Capability{8: spirv.CapabilityInt8, 16: spirv.CapabilityInt16, 32: spirv.CapabilityShader, 64: spirv.CapabilityInt64})
	case spirv.OpTypeFloat:
		c.declareOnce(in)
		t.width = in.Words[0]
		c.require(len(in.Words) == 1, "kernels cannot use this format of floats")
		c.checkNumber(t, map[uint32]spirv.Capability{16: spirv.CapabilityFloat16, 32: spirv.CapabilityShader, 64: spirv.CapabilityFloat64})
	case spirv.OpTypeVector, spirv.OpTypeMatrix:
		c.declareOnce(in)
		t.elem, t.n = c.typeID(spirv.ID(in.Words[0])), uint64(in.Words[1])
		c.require(t.n >= 2 && t.n <= 4, "it has not 2, 3 or 4 parts")
		if in.Op == spirv.OpTypeVector {
			c.require(t.elem.isScalar(), "its parts are not scalars")
		} else {
			c.require(t.elem.isVector() && t.elem.elem.isFloat(), "its columns are not vectors of floats")
		}
		c.setAggregate(t, t.elem, t.n)
	case spirv.OpTypeArray:
		t.elem = c.elementType(in.Words[0])
		d := c.valueOf(in.Words[1])
		n, known := c.values[spirv.ID(in.Words[1])]
		c.require(d.kind == isConstant && d.typ.isInt() && known, "the length is not an integer constant")
		c.require(n > 0 && !(d.typ.signed && int64(n) < 0), "the length is not positive")
		t.n, t.spec = n, d.spec
		c.setAggregate(t, t.elem, n)
	case spirv.OpTypeRuntimeArray:
		t.elem, t.hasRuntimeArray = c.elementType(in.Words[0]), true
		c.setAggregate(t, t.elem, 1)
	case spirv.OpTypeStruct:
		c.structure(t, in)
	case spirv.OpTypePointer:
		return c.pointer(t, in)
	case spirv.OpTypeFunction:
		c.declareOnce(in)
		t.elem = c.typeID(spirv.ID(in.Words[0]))
		c.require(t.elem.op != spirv.OpTypeFunction, "the result is a function")
		for _, id := range in.Words[1:] {
			p := c.typeID(spirv.ID(id))
			c.require(p.op != spirv.OpTypeFunction && p.op != spirv.OpTypeVoid, "a parameter has no value")
			t.members = append(t.members, p)
		}
	case spirv.OpTypeCooperativeMatrixKHR:
		c.cooperative(t, in)
	default:
		c.failRule("kernels cannot use this type")
	}
	return t
}

// declareOnce refuses a second declaration of the same type (2.8).
func (c *checker) declareOnce(in *spirv.Instruction) {
	key := fmt.Sprint(in.Op, in.Words)
	first, ok := c.unique[key]
	c.require(!ok, "the type is declared already, as %%%d", first)
	c.unique[key] = in.Result
}

// checkNumber checks that a capability allows the width of numeric type t. For numbers of 8 and 16 bits, some
// capabilities allow only loads and stores.
func (c *checker) checkNumber(t *typ, caps map[uint32]spirv.Capability) {
	k, ok := caps[t.width]
	c.require(ok, "there are no numbers of %d bits", t.width)
	t.bytes, t.narrow8, t.narrow16 = uint64(t.width/8), t.width == 8, t.width == 16
	if c.caps[k] {
		return
	}
	t.storageOnly = t.width == 8 && (c.caps[spirv.CapabilityStorageBuffer8BitAccess] || c.caps[spirv.CapabilityStoragePushConstant8]) ||
		t.width == 16 && (c.caps[spirv.CapabilityStorageBuffer16BitAccess] || c.caps[spirv.CapabilityStoragePushConstant16])
	c.require(t.storageOnly, "it needs the capability %v", k)
}

// setAggregate updates the properties of the composite type t for n components of type `part`.
func (c *checker) setAggregate(t, part *typ, n uint64) {
	t.depth = max(t.depth, part.depth+1)
	c.require(t.depth <= maxTypeDepth, "types are nested deeper than %d", maxTypeDepth)
	if t.isStruct() {
		t.leaves, t.bytes = addSizes(t.leaves, part.leaves), addSizes(t.bytes, part.bytes)
	} else {
		t.leaves, t.bytes = mul(part.leaves, n), mul(part.bytes, n)
	}
	if !part.isPointer() {
		t.narrow8, t.narrow16 = t.narrow8 || part.narrow8, t.narrow16 || part.narrow16
	}
	t.storageOnly = t.storageOnly || part.storageOnly
	t.hasRuntimeArray = t.hasRuntimeArray || part.hasRuntimeArray
	t.hasBool = t.hasBool || part.hasBool
	t.hasMatrix = t.hasMatrix || part.hasMatrix && !part.isPointer()
	t.spec = t.spec || part.spec && !part.isPointer()
	t.block = t.block || part.block && !part.isPointer()
}

// elementType returns the type with the given id. elementType refuses a type that is not allowed as an
// element or member.
func (c *checker) elementType(id uint32) *typ {
	e, ok := c.forward[spirv.ID(id)]
	if !ok {
		e = c.typeID(spirv.ID(id))
	}
	c.require(e.op != spirv.OpTypeVoid && e.op != spirv.OpTypeFunction, "%%%d is no type of values", id)
	c.require(!e.isPointer() || e.hasAddress(), "%%%d is a pointer that has no address", id)
	c.require(!e.hasRuntimeArray, "%%%d has no size", id)
	return e
}

func (c *checker) structure(t *typ, in *spirv.Instruction) {
	t.leaves = 0
	for i, id := range in.Words {
		var m *typ
		if d := c.defs[id]; d != nil && d.kind == isType && d.typ.op == spirv.OpTypeRuntimeArray {
			c.require(i == len(in.Words)-1, "a runtime array is not the last member")
			m = d.typ
		} else {
			m = c.elementType(id)
		}
		c.require(!m.block, "member %d is a Block in another structure", i)
		t.members = append(t.members, m)
		c.setAggregate(t, m, 1)
	}
	for i := range c.members[t.id] {
		c.require(int(i) < len(t.members), "there is no member %d to decorate", i)
	}
	t.block = c.hasDecoration(t.id, spirv.DecorationBlock)
}

// storageClasses are the storage classes that kernels may use.
var storageClasses = map[spirv.StorageClass]bool{
	spirv.StorageClassInput: true, spirv.StorageClassWorkgroup: true, spirv.StorageClassPrivate: true,
	spirv.StorageClassFunction: true, spirv.StorageClassPushConstant: true, spirv.StorageClassPhysicalStorageBuffer: true,
}

func (c *checker) forwardPointer(in *spirv.Instruction) {
	id := spirv.ID(in.Words[0])
	c.require(spirv.StorageClass(in.Words[1]) == spirv.StorageClassPhysicalStorageBuffer && c.physical, "only physical pointers can be declared ahead")
	c.require(c.defs[id] == nil && c.forward[id] == nil, "%%%d is declared already", id)
	c.forward[id] = &typ{id: id, op: spirv.OpTypePointer, depth: 1, leaves: 1, class: spirv.StorageClassPhysicalStorageBuffer, bytes: 8}
}

func (c *checker) pointer(t *typ, in *spirv.Instruction) *typ {
	class := spirv.StorageClass(in.Words[0])
	c.require(storageClasses[class], "kernels cannot use this storage class")
	if f := c.forward[t.id]; f != nil {
		c.require(class == f.class, "it was declared ahead with another storage class")
		t = f
	}
	t.class, t.bytes = class, 8
	if f := c.forward[spirv.ID(in.Words[1])]; f != nil {
		t.elem = f
	} else {
		t.elem = c.typeID(spirv.ID(in.Words[1]))
	}
	e := t.elem
	c.require(e.op != spirv.OpTypeVoid && e.op != spirv.OpTypeFunction, "it points to no type of values")
	c.require(!e.isPointer() || e.hasAddress(), "it points to a pointer that has no address")
	c.require(!e.hasRuntimeArray || class == spirv.StorageClassPhysicalStorageBuffer || class == spirv.StorageClassPushConstant, "what it points to has no size")
	c.require(!e.hasMatrix || class == spirv.StorageClassFunction || class == spirv.StorageClassPrivate, "a cooperative matrix lies outside of work-items' memory")
	switch class {
	case spirv.StorageClassPhysicalStorageBuffer:
		c.require(c.physical, "it needs the addressing model PhysicalStorageBuffer64")
		c.laidOut(e)
		c.checkNarrow(e, spirv.CapabilityStorageBuffer8BitAccess, spirv.CapabilityStorageBuffer16BitAccess)
	case spirv.StorageClassPushConstant:
		c.require(!e.hasRuntimeArray, "what it points to has no size")
		c.laidOut(e)
		c.checkNarrow(e, spirv.CapabilityStoragePushConstant8, spirv.CapabilityStoragePushConstant16)
	default:
		c.require(!e.storageOnly, "numbers that are for memory alone lie outside of buffers")
	}
	t.hasLogicalPtr = !t.hasAddress()
	return t
}

// If t contains numbers of 8 or 16 bits, checkNarrow checks that the module declares the required
// capability. for8 and for16 are the capabilities for 8-bit and 16-bit numbers in the storage class.
func (c *checker) checkNarrow(t *typ, for8, for16 spirv.Capability) {
	c.require(!t.narrow8 || c.caps[for8], "it needs the capability %v", for8)
	c.require(!t.narrow16 || c.caps[for16], "it needs the capability %v", for16)
}

// checkConcrete checks that t can be the type of a value.
func (c *checker) checkConcrete(t *typ) {
	c.require(t.op != spirv.OpTypeVoid && t.op != spirv.OpTypeFunction && !t.hasRuntimeArray, "%%%d is no type of values", t.id)
	c.require(!t.isPointer() || t.elem != nil, "the pointer %%%d is not defined yet", t.id)
	most := uint64(maxLeaves)
	if c.fn != nil {
		most = maxValue
	}
	c.require(t.leaves <= most, "a value of %d scalars is more than %d", t.leaves, most)
}
