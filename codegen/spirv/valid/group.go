package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// The function grouped returns a rule that first checks the capability and the scope of a sub-group operation, and then
// calls rule r.
func grouped(k spirv.Capability, r rule) rule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.need(c.caps[k], "it needs the capability %v", k)
		c.scope(in.Words[0], subgroup)
		r(c, in, t)
	}
}

func numbers(t *typ) bool { return t.scalar() != nil }

func unsigned32(t *typ) bool { return t.isInt() && !t.signed && t.width == 32 }

// ballotType reports whether t is the type of a ballot, which is a vector with one bit for each work-item of
// a sub-group.
func ballotType(t *typ) bool { return t.isVector() && t.n == 4 && unsigned32(t.elem) }

func elect(c *checker, _ *spirv.Instruction, t *typ) { c.need(t.isBool(), "the result is not a Bool") }

func vote(c *checker, in *spirv.Instruction, t *typ) {
	c.need(t.isBool() && c.operand(in.Words[1]).isBool(), "it is not about Bools")
}

func voteEqual(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operand(in.Words[1])
	c.need(t.isBool() && numbers(p), "the operand is not a scalar or vector, or the result no Bool")
	c.computes(p)
}

// The function shuffle returns a rule for operations that return another work-item's value. The second operand selects
// the work-item whose value is returned. If parameter constant is true, the second operand must be a constant.
func shuffle(constant bool) rule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.need(numbers(t) && c.operand(in.Words[1]) == t, "the value has not the result's type")
		c.computes(t)
		for _, id := range in.Words[2:] {
			d := c.value(id)
			c.need(unsigned32(d.typ), "%%%d is not an unsigned integer of 32 bits", id)
			c.need(!constant || d.kind == isConstant || in.Op == spirv.OpGroupNonUniformBroadcast && c.m.Version >= spirv.Version15, "%%%d is not a constant", id)
			if in.Op == spirv.OpGroupNonUniformQuadSwap {
				c.need(c.constant(id) <= 2, "there is no such direction")
			}
		}
	}
}

func ballot(c *checker, in *spirv.Instruction, t *typ) {
	c.need(ballotType(t) && c.operand(in.Words[1]).isBool(), "it is not about a Bool and a vector of four integers")
}

func inverseBallot(c *checker, in *spirv.Instruction, t *typ) {
	c.need(t.isBool() && ballotType(c.operand(in.Words[1])), "it is not about a Bool and a vector of four integers")
}

func ballotExtract(c *checker, in *spirv.Instruction, t *typ) {
	inverseBallot(c, in, t)
	c.need(unsigned32(c.operand(in.Words[2])), "the index is not an unsigned integer of 32 bits")
}

func ballotCount(c *checker, in *spirv.Instruction, t *typ) {
	c.need(in.Words[1] <= uint32(spirv.GroupOperationExclusiveScan), "there is no such operation")
	c.need(unsigned32(t) && ballotType(c.operand(in.Words[2])), "it is not about a vector of four integers")
}

func ballotFind(c *checker, in *spirv.Instruction, t *typ) {
	c.need(unsigned32(t) && ballotType(c.operand(in.Words[1])), "it is not about a vector of four integers")
}

// The function reduce returns a rule for operations that combine the values of all work-items.
func reduce(ok func(*typ) bool) rule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		op := spirv.GroupOperation(in.Words[1])
		switch op {
		case spirv.GroupOperationReduce, spirv.GroupOperationInclusiveScan, spirv.GroupOperationExclusiveScan:
			c.need(c.caps[spirv.CapabilityGroupNonUniformArithmetic], "it needs the capability GroupNonUniformArithmetic")
			c.need(len(in.Words) == 3, "it has a cluster size, and is not clustered")
		case spirv.GroupOperationClusteredReduce:
			c.need(c.caps[spirv.CapabilityGroupNonUniformClustered], "it needs the capability GroupNonUniformClustered")
			c.need(len(in.Words) == 4, "it has no cluster size")
			n := c.constant(in.Words[3])
			c.need(n > 0 && n&(n-1) == 0 && n <= 128, "the cluster size %d is no power of two", n)
		default:
			c.fail("there is no such operation")
		}
		c.need(c.caps[spirv.CapabilityGroupNonUniform], "it needs the capability GroupNonUniform")
		c.scope(in.Words[0], subgroup)
		c.need(ok(t) && c.operand(in.Words[2]) == t, "the value is not of numbers like the result's")
		c.computes(t)
	}
}

var groupRules = map[spirv.Op]rule{
	spirv.OpGroupNonUniformElect:    grouped(spirv.CapabilityGroupNonUniform, elect),
	spirv.OpGroupNonUniformAll:      grouped(spirv.CapabilityGroupNonUniformVote, vote),
	spirv.OpGroupNonUniformAny:      grouped(spirv.CapabilityGroupNonUniformVote, vote),
	spirv.OpGroupNonUniformAllEqual: grouped(spirv.CapabilityGroupNonUniformVote, voteEqual),

	spirv.OpGroupNonUniformBroadcast:        grouped(spirv.CapabilityGroupNonUniformBallot, shuffle(true)),
	spirv.OpGroupNonUniformBroadcastFirst:   grouped(spirv.CapabilityGroupNonUniformBallot, shuffle(false)),
	spirv.OpGroupNonUniformBallot:           grouped(spirv.CapabilityGroupNonUniformBallot, ballot),
	spirv.OpGroupNonUniformInverseBallot:    grouped(spirv.CapabilityGroupNonUniformBallot, inverseBallot),
	spirv.OpGroupNonUniformBallotBitExtract: grouped(spirv.CapabilityGroupNonUniformBallot, ballotExtract),
	spirv.OpGroupNonUniformBallotBitCount:   grouped(spirv.CapabilityGroupNonUniformBallot, ballotCount),
	spirv.OpGroupNonUniformBallotFindLSB:    grouped(spirv.CapabilityGroupNonUniformBallot, ballotFind),
	spirv.OpGroupNonUniformBallotFindMSB:    grouped(spirv.CapabilityGroupNonUniformBallot, ballotFind),
	spirv.OpGroupNonUniformShuffle:          grouped(spirv.CapabilityGroupNonUniformShuffle, shuffle(false)),
	spirv.OpGroupNonUniformShuffleXor:       grouped(spirv.CapabilityGroupNonUniformShuffle, shuffle(false)),
	spirv.OpGroupNonUniformShuffleUp:        grouped(spirv.CapabilityGroupNonUniformShuffleRelative, shuffle(false)),
	spirv.OpGroupNonUniformShuffleDown:      grouped(spirv.CapabilityGroupNonUniformShuffleRelative, shuffle(false)),
	spirv.OpGroupNonUniformQuadBroadcast:    grouped(spirv.CapabilityGroupNonUniformQuad, shuffle(true)),
	spirv.OpGroupNonUniformQuadSwap:         grouped(spirv.CapabilityGroupNonUniformQuad, shuffle(true)),

	spirv.OpGroupNonUniformIAdd: reduce((*typ).ints), spirv.OpGroupNonUniformFAdd: reduce((*typ).floats),
	spirv.OpGroupNonUniformIMul: reduce((*typ).ints), spirv.OpGroupNonUniformFMul: reduce((*typ).floats),
	spirv.OpGroupNonUniformSMin: reduce((*typ).ints), spirv.OpGroupNonUniformUMin: reduce((*typ).ints), spirv.OpGroupNonUniformFMin: reduce((*typ).floats),
	spirv.OpGroupNonUniformSMax: reduce((*typ).ints), spirv.OpGroupNonUniformUMax: reduce((*typ).ints), spirv.OpGroupNonUniformFMax: reduce((*typ).floats),
	spirv.OpGroupNonUniformBitwiseAnd: reduce((*typ).ints), spirv.OpGroupNonUniformBitwiseOr: reduce((*typ).ints), spirv.OpGroupNonUniformBitwiseXor: reduce((*typ).ints),
	spirv.OpGroupNonUniformLogicalAnd: reduce((*typ).bools), spirv.OpGroupNonUniformLogicalOr: reduce((*typ).bools), spirv.OpGroupNonUniformLogicalXor: reduce((*typ).bools),
}
