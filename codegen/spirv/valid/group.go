package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// groupRule returns a rule that first checks the capability and the scope of a sub-group operation, and then
// calls rule r.
func groupRule(k spirv.Capability, r checkRule) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.require(c.caps[k], "it needs the capability %v", k)
		c.checkScope(in.Words[0], subgroup)
		r(c, in, t)
	}
}

func numbers(t *typ) bool { return t.scalarType() != nil }

func unsigned32(t *typ) bool { return t.isInt() && !t.signed && t.width == 32 }

// ballotType reports whether t is the type of a ballot, which is a vector with one bit for each work-item of
// a sub-group.
func ballotType(t *typ) bool { return t.isVector() && t.n == 4 && unsigned32(t.elem) }

func elect(c *checker, _ *spirv.Instruction, t *typ) {
	c.require(t.isBool(), "the result is not a Bool")
}

func vote(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.isBool() && c.operandType(in.Words[1]).isBool(), "it is not about Bools")
}

func voteEqual(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operandType(in.Words[1])
	c.require(t.isBool() && numbers(p), "the operand is not a scalar or vector, or the result no Bool")
	c.checkComputes(p)
}

// shuffleRule returns a rule for operations that return another work-item's value. The second operand
// selects the work-item whose value is returned. If constSelector is true, the second operand must be a
// constant.
func shuffleRule(constSelector bool) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.require(numbers(t) && c.operandType(in.Words[1]) == t, "the value has not the result's type")
		c.checkComputes(t)
		for _, id := range in.Words[2:] {
			d := c.valueOf(id)
			c.require(unsigned32(d.typ), "%%%d is not an unsigned integer of 32 bits", id)
			c.require(!constSelector || d.kind == isConstant || in.Op == spirv.OpGroupNonUniformBroadcast && c.m.Version >= spirv.Version15, "%%%d is not a constant", id)
			if in.Op == spirv.OpGroupNonUniformQuadSwap {
				c.require(c.intConstant(id) <= 2, "there is no such direction")
			}
		}
	}
}

func ballot(c *checker, in *spirv.Instruction, t *typ) {
	c.require(ballotType(t) && c.operandType(in.Words[1]).isBool(), "it is not about a Bool and a vector of four integers")
}

func inverseBallot(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.isBool() && ballotType(c.operandType(in.Words[1])), "it is not about a Bool and a vector of four integers")
}

func ballotExtract(c *checker, in *spirv.Instruction, t *typ) {
	inverseBallot(c, in, t)
	c.require(unsigned32(c.operandType(in.Words[2])), "the index is not an unsigned integer of 32 bits")
}

func ballotCount(c *checker, in *spirv.Instruction, t *typ) {
	c.require(in.Words[1] <= uint32(spirv.GroupOperationExclusiveScan), "there is no such operation")
	c.require(unsigned32(t) && ballotType(c.operandType(in.Words[2])), "it is not about a vector of four integers")
}

func ballotFind(c *checker, in *spirv.Instruction, t *typ) {
	c.require(unsigned32(t) && ballotType(c.operandType(in.Words[1])), "it is not about a vector of four integers")
}

// reduceRule returns a rule for operations that combine the values of all work-items.
func reduceRule(ok func(*typ) bool) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		op := spirv.GroupOperation(in.Words[1])
		switch op {
		case spirv.GroupOperationReduce, spirv.GroupOperationInclusiveScan, spirv.GroupOperationExclusiveScan:
			c.require(c.caps[spirv.CapabilityGroupNonUniformArithmetic], "it needs the capability GroupNonUniformArithmetic")
			c.require(len(in.Words) == 3, "it has a cluster size, and is not clustered")
		case spirv.GroupOperationClusteredReduce:
			c.require(c.caps[spirv.CapabilityGroupNonUniformClustered], "it needs the capability GroupNonUniformClustered")
			c.require(len(in.Words) == 4, "it has no cluster size")
			n := c.intConstant(in.Words[3])
			c.require(n > 0 && n&(n-1) == 0 && n <= 128, "the cluster size %d is no power of two", n)
		default:
			c.failRule("there is no such operation")
		}
		c.require(c.caps[spirv.CapabilityGroupNonUniform], "it needs the capability GroupNonUniform")
		c.checkScope(in.Words[0], subgroup)
		c.require(ok(t) && c.operandType(in.Words[2]) == t, "the value is not of numbers like the result's")
		c.checkComputes(t)
	}
}

var groupRules = map[spirv.Op]checkRule{
	spirv.OpGroupNonUniformElect:    groupRule(spirv.CapabilityGroupNonUniform, elect),
	spirv.OpGroupNonUniformAll:      groupRule(spirv.CapabilityGroupNonUniformVote, vote),
	spirv.OpGroupNonUniformAny:      groupRule(spirv.CapabilityGroupNonUniformVote, vote),
	spirv.OpGroupNonUniformAllEqual: groupRule(spirv.CapabilityGroupNonUniformVote, voteEqual),

	spirv.OpGroupNonUniformBroadcast:        groupRule(spirv.CapabilityGroupNonUniformBallot, shuffleRule(true)),
	spirv.OpGroupNonUniformBroadcastFirst:   groupRule(spirv.CapabilityGroupNonUniformBallot, shuffleRule(false)),
	spirv.OpGroupNonUniformBallot:           groupRule(spirv.CapabilityGroupNonUniformBallot, ballot),
	spirv.OpGroupNonUniformInverseBallot:    groupRule(spirv.CapabilityGroupNonUniformBallot, inverseBallot),
	spirv.OpGroupNonUniformBallotBitExtract: groupRule(spirv.CapabilityGroupNonUniformBallot, ballotExtract),
	spirv.OpGroupNonUniformBallotBitCount:   groupRule(spirv.CapabilityGroupNonUniformBallot, ballotCount),
	spirv.OpGroupNonUniformBallotFindLSB:    groupRule(spirv.CapabilityGroupNonUniformBallot, ballotFind),
	spirv.OpGroupNonUniformBallotFindMSB:    groupRule(spirv.CapabilityGroupNonUniformBallot, ballotFind),
	spirv.OpGroupNonUniformShuffle:          groupRule(spirv.CapabilityGroupNonUniformShuffle, shuffleRule(false)),
	spirv.OpGroupNonUniformShuffleXor:       groupRule(spirv.CapabilityGroupNonUniformShuffle, shuffleRule(false)),
	spirv.OpGroupNonUniformShuffleUp:        groupRule(spirv.CapabilityGroupNonUniformShuffleRelative, shuffleRule(false)),
	spirv.OpGroupNonUniformShuffleDown:      groupRule(spirv.CapabilityGroupNonUniformShuffleRelative, shuffleRule(false)),
	spirv.OpGroupNonUniformQuadBroadcast:    groupRule(spirv.CapabilityGroupNonUniformQuad, shuffleRule(true)),
	spirv.OpGroupNonUniformQuadSwap:         groupRule(spirv.CapabilityGroupNonUniformQuad, shuffleRule(true)),

	spirv.OpGroupNonUniformIAdd: reduceRule((*typ).ints), spirv.OpGroupNonUniformFAdd: reduceRule((*typ).floats),
	spirv.OpGroupNonUniformIMul: reduceRule((*typ).ints), spirv.OpGroupNonUniformFMul: reduceRule((*typ).floats),
	spirv.OpGroupNonUniformSMin: reduceRule((*typ).ints), spirv.OpGroupNonUniformUMin: reduceRule((*typ).ints), spirv.OpGroupNonUniformFMin: reduceRule((*typ).floats),
	spirv.OpGroupNonUniformSMax: reduceRule((*typ).ints), spirv.OpGroupNonUniformUMax: reduceRule((*typ).ints), spirv.OpGroupNonUniformFMax: reduceRule((*typ).floats),
	spirv.OpGroupNonUniformBitwiseAnd: reduceRule((*typ).ints), spirv.OpGroupNonUniformBitwiseOr: reduceRule((*typ).ints), spirv.OpGroupNonUniformBitwiseXor: reduceRule((*typ).ints),
	spirv.OpGroupNonUniformLogicalAnd: reduceRule((*typ).bools), spirv.OpGroupNonUniformLogicalOr: reduceRule((*typ).bools), spirv.OpGroupNonUniformLogicalXor: reduceRule((*typ).bools),
}
