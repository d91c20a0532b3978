package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// The method part returns the type of the component that literal indices select in a composite of type t.
func (c *checker) part(t *typ, indices []uint32) *typ {
	c.need(len(indices) > 0 && len(indices) <= maxTypeDepth, "there are %d indices", len(indices))
	for _, i := range indices {
		switch {
		case t.isStruct():
			c.need(uint64(i) < uint64(len(t.members)), "there is no member %d", i)
			t = t.members[i]
		case t.isVector(), t.isMatrix(), t.isArray():
			c.need(uint64(i) < t.n, "there is no part %d of %d", i, t.n)
			t = t.elem
		default:
			c.fail("an index into what has no parts")
		}
	}
	return t
}

func compositeExtract(c *checker, in *spirv.Instruction, t *typ) {
	c.need(c.part(c.operand(in.Words[0]), in.Words[1:]) == t, "the part has another type than the result")
	c.need(!t.spec || c.inConst || !t.isArray(), "an array of a size that is specialized is a value")
}

func compositeInsert(c *checker, in *spirv.Instruction, t *typ) {
	c.need(c.operand(in.Words[1]) == t, "the composite has not the result's type")
	c.need(c.part(t, in.Words[2:]) == c.operand(in.Words[0]), "the part has another type than the object")
}

func compositeConstruct(c *checker, in *spirv.Instruction, t *typ) {
	c.constituents(t, in.Words, c.operand, true)
}

func vectorShuffle(c *checker, in *spirv.Instruction, t *typ) {
	a, b := c.operand(in.Words[0]), c.operand(in.Words[1])
	c.need(t.isVector() && a.isVector() && b.isVector() && a.elem == t.elem && b.elem == t.elem, "it is not about vectors of one kind of component")
	c.need(uint64(len(in.Words)-2) == t.n, "%d components make no vector of %d", len(in.Words)-2, t.n)
	for _, i := range in.Words[2:] {
		c.need(uint64(i) < a.n+b.n || i == ^uint32(0) && !c.inConst, "there is no component %d of %d", i, a.n+b.n)
	}
}

func vectorExtract(c *checker, in *spirv.Instruction, t *typ) {
	v := c.operand(in.Words[0])
	c.need(v.isVector() && v.elem == t, "the vector has not components of the result's type")
	c.index(in.Words[1], v.n)
}

func vectorInsert(c *checker, in *spirv.Instruction, t *typ) {
	c.need(t.isVector() && c.operand(in.Words[0]) == t, "the vector has not the result's type")
	c.need(c.operand(in.Words[1]) == t.elem, "the component has not the type of the vector's")
	c.index(in.Words[2], t.n)
}

// The method index checks the id of an index. If parameter n is not 0, a constant index must be less than n.
func (c *checker) index(id uint32, n uint64) {
	d := c.value(id)
	c.need(d.typ.isInt(), "the index %%%d is not an integer", id)
	if v, ok := c.values[spirv.ID(id)]; ok && n > 0 && !d.spec {
		c.need(v < n, "the index %d is not below %d", v, n)
	}
}

func copyObject(c *checker, in *spirv.Instruction, t *typ) {
	c.need(!t.logical, "a pointer without an address is copied")
	c.need(c.operand(in.Words[0]) == t, "%%%d has not the result's type", in.Words[0])
}

func copyLogical(c *checker, in *spirv.Instruction, t *typ) {
	c.need(c.m.Version >= spirv.Version14, "it needs version 1.4")
	p := c.operand(in.Words[0])
	c.need(p != t && alike(p, t), "the types do not match")
}

// The function alike reports whether two types are equal except for decorations.
func alike(a, b *typ) bool {
	switch {
	case a == b:
		return true
	case a.isArray() && b.isArray():
		return a.n == b.n && alike(a.elem, b.elem)
	case a.isStruct() && b.isStruct() && len(a.members) == len(b.members):
		for i := range a.members {
			if !alike(a.members[i], b.members[i]) {
				return false
			}
		}
		return true
	}
	return false
}

func undefined(c *checker, _ *spirv.Instruction, t *typ) {
	c.need(!t.logical, "a pointer without an address is undefined")
}

var compositeRules = map[spirv.Op]rule{
	spirv.OpCompositeExtract: compositeExtract, spirv.OpCompositeInsert: compositeInsert, spirv.OpCompositeConstruct: compositeConstruct,
	spirv.OpVectorShuffle: vectorShuffle, spirv.OpVectorExtractDynamic: vectorExtract, spirv.OpVectorInsertDynamic: vectorInsert,
	spirv.OpCopyObject: copyObject, spirv.OpCopyLogical: copyLogical, spirv.OpUndef: undefined,
}
