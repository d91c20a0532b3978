package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// componentAt returns the type of the component that literal indices select in a composite of type t.
func (c *checker) componentAt(t *typ, indices []uint32) *typ {
	c.require(len(indices) > 0 && len(indices) <= maxTypeDepth, "there are %d indices", len(indices))
	for _, i := range indices {
		switch {
		case t.isStruct():
			c.require(uint64(i) < uint64(len(t.members)), "there is no member %d", i)
			t = t.members[i]
		case t.isVector(), t.isMatrix(), t.isArray():
			c.require(uint64(i) < t.n, "there is no part %d of %d", i, t.n)
			t = t.elem
		default:
			c.failRule("an index into what has no parts")
		}
	}
	return t
}

func compositeExtract(c *checker, in *spirv.Instruction, t *typ) {
	c.require(c.componentAt(c.operandType(in.Words[0]), in.Words[1:]) == t, "the part has another type than the result")
	c.require(!t.spec || c.inConst || !t.isArray(), "an array of a size that is specialized is a value")
}

func compositeInsert(c *checker, in *spirv.Instruction, t *typ) {
	c.require(c.operandType(in.Words[1]) == t, "the composite has not the result's type")
	c.require(c.componentAt(t, in.Words[2:]) == c.operandType(in.Words[0]), "the part has another type than the object")
}

func compositeConstruct(c *checker, in *spirv.Instruction, t *typ) {
	c.checkConstituents(t, in.Words, c.operandType, true)
}

func vectorShuffle(c *checker, in *spirv.Instruction, t *typ) {
	a, b := c.operandType(in.Words[0]), c.operandType(in.Words[1])
	c.require(t.isVector() && a.isVector() && b.isVector() && a.elem == t.elem && b.elem == t.elem, "it is not about vectors of one kind of component")
	c.require(uint64(len(in.Words)-2) == t.n, "%d components make no vector of %d", len(in.Words)-2, t.n)
	for _, i := range in.Words[2:] {
		c.require(uint64(i) < a.n+b.n || i == ^uint32(0) && !c.inConst, "there is no component %d of %d", i, a.n+b.n)
	}
}

func vectorExtract(c *checker, in *spirv.Instruction, t *typ) {
	v := c.operandType(in.Words[0])
	c.require(v.isVector() && v.elem == t, "the vector has not components of the result's type")
	c.checkIndex(in.Words[1], v.n)
}

func vectorInsert(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.isVector() && c.operandType(in.Words[0]) == t, "the vector has not the result's type")
	c.require(c.operandType(in.Words[1]) == t.elem, "the component has not the type of the vector's")
	c.checkIndex(in.Words[2], t.n)
}

// checkIndex checks the id of an index. If n is not 0, a constant index must be less than n.
func (c *checker) checkIndex(id uint32, n uint64) {
	d := c.valueOf(id)
	c.require(d.typ.isInt(), "the index %%%d is not an integer", id)
	if v, ok := c.values[spirv.ID(id)]; ok && n > 0 && !d.spec {
		c.require(v < n, "the index %d is not below %d", v, n)
	}
}

func copyObject(c *checker, in *spirv.Instruction, t *typ) {
	c.require(!t.hasLogicalPtr, "a pointer without an address is copied")
	c.require(c.operandType(in.Words[0]) == t, "%%%d has not the result's type", in.Words[0])
}

func copyLogical(c *checker, in *spirv.Instruction, t *typ) {
	c.require(c.m.Version >= spirv.Version14, "it needs version 1.4")
	p := c.operandType(in.Words[0])
	c.require(p != t && equalTypes(p, t), "the types do not match")
}

// equalTypes reports whether two types are equal except for decorations.
func equalTypes(a, b *typ) bool {
	switch {
	case a == b:
		return true
	case a.isArray() && b.isArray():
		return a.n == b.n && equalTypes(a.elem, b.elem)
	case a.isStruct() && b.isStruct() && len(a.members) == len(b.members):
		for i := range a.members {
			if !equalTypes(a.members[i], b.members[i]) {
				return false
			}
		}
		return true
	}
	return false
}

func undefined(c *checker, _ *spirv.Instruction, t *typ) {
	c.require(!t.hasLogicalPtr, "a pointer without an address is undefined")
}

var compositeRules = map[spirv.Op]checkRule{
	spirv.OpCompositeExtract: compositeExtract, spirv.OpCompositeInsert: compositeInsert, spirv.OpCompositeConstruct: compositeConstruct,
	spirv.OpVectorShuffle: vectorShuffle, spirv.OpVectorExtractDynamic: vectorExtract, spirv.OpVectorInsertDynamic: vectorInsert,
	spirv.OpCopyObject: copyObject, spirv.OpCopyLogical: copyLogical, spirv.OpUndef: undefined,
}
