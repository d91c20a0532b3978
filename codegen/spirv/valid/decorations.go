package valid

import (
	"github.com/kgen-go/kgen/codegen/spirv"
)

// decorationRow is a decoration of an id or of a structure's member.
type decorationRow struct {
	kind  spirv.Decoration
	words []uint32
}

// hasDecoration reports whether the given id has decoration k.
func (c *checker) hasDecoration(id spirv.ID, k spirv.Decoration) bool {
	for _, d := range c.decor[id] {
		if d.kind == k {
			return true
		}
	}
	return false
}

// placeSet is a set of kinds of ids. The ids of these kinds may have a certain decoration.
type placeSet uint8

const (
	onMember placeSet = 1 << iota
	onStruct
	onArray // an array type, or a pointer to elements of an array
	onVariable
	onConstant
	onResult // result of an instruction in a function
)

// decorationRows has, for each decoration that kernels may use, the kinds of ids that may have the
// decoration.
var decorationRows = map[spirv.Decoration]placeSet{
	spirv.DecorationRelaxedPrecision: onMember | onVariable | onConstant | onResult,
	spirv.DecorationSpecId:           onConstant,
	spirv.DecorationBlock:            onStruct,
	spirv.DecorationRowMajor:         onMember,
	spirv.DecorationColMajor:         onMember,
	spirv.DecorationArrayStride:      onArray,
	spirv.DecorationMatrixStride:     onMember,
	spirv.DecorationBuiltIn:          onVariable | onConstant,
	spirv.DecorationOffset:           onMember,
	spirv.DecorationNonWritable:      onMember | onVariable,
	spirv.DecorationNonReadable:      onMember | onVariable,
	spirv.DecorationRestrict:         onMember | onVariable,
	spirv.DecorationAliased:          onVariable,
	spirv.DecorationCoherent:         onMember | onVariable,
	spirv.DecorationVolatile:         onMember | onVariable,
	spirv.DecorationRestrictPointer:  onVariable,
	spirv.DecorationAliasedPointer:   onVariable,
	spirv.DecorationNoContraction:    onResult,
	spirv.DecorationNoSignedWrap:     onResult,
	spirv.DecorationNoUnsignedWrap:   onResult,
}

// mayRepeat reports whether the same id or member may have decoration k more than once.
func mayRepeat(k spirv.Decoration) bool { return k == spirv.DecorationRelaxedPrecision }

func (c *checker) annotation(in *spirv.Instruction) {
	words, member := in.Words[1:], false
	switch in.Op {
	case spirv.OpDecorate:
	case spirv.OpMemberDecorate:
		words, member = in.Words[2:], true
	case spirv.OpDecorateString, spirv.OpMemberDecorateString: // decorations for HLSL, which drivers ignore
		at := 1
		if in.Op == spirv.OpMemberDecorateString {
			at = 2
		}
		k := spirv.Decoration(in.Words[at])
		c.require(k == spirv.DecorationUserSemantic || k == spirv.DecorationUserTypeGOOGLE, "kernels cannot use this decoration")
		return
	default:
		c.failRule("kernels cannot use this instruction")
	}
	d := decorationRow{spirv.Decoration(words[0]), words[1:]}
	where, ok := decorationRows[d.kind]
	c.require(ok, "kernels cannot use this decoration")
	c.require(!c.vulkan || d.kind != spirv.DecorationCoherent && d.kind != spirv.DecorationVolatile, "the memory model Vulkan does not have this decoration")
	id := spirv.ID(in.Words[0])
	var list []decorationRow
	if member {
		c.require(where&onMember != 0, "members cannot have this decoration")
		if c.members[id] == nil {
			c.members[id] = map[uint32][]decorationRow{}
		}
		list = c.members[id][in.Words[1]]
		c.members[id][in.Words[1]] = append(list, d)
	} else {
		c.require(where&^onMember != 0, "only members can have this decoration")
		list = c.decor[id]
		c.decor[id] = append(list, d)
	}
	for _, other := range list {
		c.require(other.kind != d.kind || mayRepeat(d.kind), "it has this decoration already")
		c.require(!excludes(d.kind, other.kind) && !excludes(other.kind, d.kind), "it has the decoration %v, which excludes this one", other.kind)
	}
}

func excludes(a, b spirv.Decoration) bool {
	return a == spirv.DecorationRowMajor && b == spirv.DecorationColMajor ||
		a == spirv.DecorationRestrict && b == spirv.DecorationAliased ||
		a == spirv.DecorationRestrictPointer && b == spirv.DecorationAliasedPointer
}

// checkDecorated checks that each decoration is allowed for the decorated id. checkDecorated runs
// after all ids are defined.
func (c *checker) checkDecorated() {
	c.at = 5
	for i := range c.m.Annotations {
		in := &c.m.Annotations[i]
		c.in = in
		d := c.defs[in.Words[0]]
		c.require(d != nil, "%%%d is not defined", in.Words[0])
		switch in.Op {
		case spirv.OpMemberDecorate, spirv.OpMemberDecorateString:
			c.require(d.kind == isType && d.typ.isStruct(), "%%%d is not a structure", in.Words[0])
		case spirv.OpDecorate:
			k := spirv.Decoration(in.Words[1])
			c.require(decorationRows[k]&placeOf(d) != 0, "%%%d cannot have this decoration", in.Words[0])
			c.decoratedResult(d, k)
		}
	}
	c.in = nil
}

// decoratedResult checks a decoration that only the results of certain instructions may have.
func (c *checker) decoratedResult(d *definition, k spirv.Decoration) {
	switch k {
	case spirv.DecorationNoContraction:
		c.require(d.typ.floats() || d.typ.isMatrix() || d.typ.ints(), "only arithmetic can have this decoration")
	case spirv.DecorationNoSignedWrap, spirv.DecorationNoUnsignedWrap:
		switch d.in.Op {
		case spirv.OpIAdd, spirv.OpISub, spirv.OpIMul, spirv.OpShiftLeftLogical, spirv.OpSNegate:
		default:
			c.failRule("only integer arithmetic can have this decoration")
		}
	case spirv.DecorationRestrictPointer, spirv.DecorationAliasedPointer:
		c.require(d.typ.isPointer() && d.typ.elem.hasAddress() || d.typ.isPointer() && innermostElem(d.typ.elem).hasAddress(), "it holds no pointer with an address")
	case spirv.DecorationBuiltIn:
		c.require(d.kind == isConstant || d.typ.class == spirv.StorageClassInput, "it is no input")
	}
}

// innermostElem returns the type of the innermost elements of a nested array type.
func innermostElem(t *typ) *typ {
	for t.isArray() {
		t = t.elem
	}
	return t
}

func placeOf(d *definition) placeSet {
	switch {
	case d.kind == isType && d.typ.isStruct():
		return onStruct
	case d.kind == isType && (d.typ.isArray() || d.typ.op == spirv.OpTypeRuntimeArray || d.typ.hasAddress()):
		return onArray
	case d.kind == isConstant:
		return onConstant
	case d.kind == isValue && (d.in.Op == spirv.OpVariable || d.in.Op == spirv.OpFunctionParameter):
		return onVariable
	case d.kind == isValue:
		return onResult
	}
	return 0
}
