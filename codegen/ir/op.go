package ir

import "strings"

//go:generate go run ./_gen -o zops.go

// Op is the operation of a Value. The enum and its table are generated from the
// rows in _gen/ops.go.
type Op uint8

// OpInfo is an op's row.
type OpInfo struct {
	Name  string
	Sig   string // argument classes ':' result class; the letters stand in _gen/ops.go
	Flags Flags
	Aux   AuxKind
	// Neutral is the first argument of a group op in work-items that have left.
	Neutral NeutralKind
	// Noun names a group op whose results differ within the group, for diagnostics.
	Noun string
}

// Flags are an op's properties.
type Flags uint32

const (
	// FlagPure ops have no effect and depend on their arguments alone.
	FlagPure Flags = 1 << iota
	// FlagConst values stand outside of blocks.
	FlagConst
	FlagCommutative
	// FlagFold ops may stand in specialization-constant expressions.
	FlagFold
	FlagReads
	FlagWrites
	// FlagSync ops must be reached by all work-items of a group together.
	FlagSync
	// FlagAtomic ops order other accesses of memory, too.
	FlagAtomic

	// FlagCompare ops compare integers.
	FlagCompare
	// FlagCheap ops take so little time that to compute them is faster than to branch.
	FlagCheap
	// FlagCostly ops take many times as long as a sum.
	FlagCostly
	// FlagPartial ops are undefined for some arguments, such as a divisor of 0.
	FlagPartial
	// FlagDivides ops are divisions of integers, which end a program on some processors if the
	// divisor is 0.
	FlagDivides
	// FlagLow ops have integers whose low halves depend on the low halves of their arguments
	// alone, if the arguments of those that are FlagPartial fit these.
	FlagLow
	// FlagFloat32 ops exist for f32 only.
	FlagFloat32
	// FlagGroup ops combine values of the work-items of a group, which all reach them.
	FlagGroup
	// FlagSubGroup ops are FlagGroup ops of sub-groups only.
	FlagSubGroup
	// FlagSame ops are FlagGroup ops that have the same result for all work-items of the group.
	FlagSame
	// FlagNarrow ops may have integers of 8 and 16 bits, which words hold: the ops give them
	// their meaning, or hand on all bits of the words.
	FlagNarrow
	// FlagBuilt ops stand in Built modules only: passes take them apart.
	FlagBuilt
	// FlagCoded ops are FlagFold ops that SPIR-V has no constant expression for: code of the
	// module computes them.
	FlagCoded
	// FlagNamed ops are their first argument, which code has computed. The others are operands, of which a device may
	// compute it by an instruction.
	FlagNamed
)

// AuxKind says which auxiliary field of a Value an op uses.
type AuxKind uint8

const (
	AuxNone    AuxKind = iota
	AuxBits            // Value.Bits
	AuxSpec            // *Spec
	AuxBuiltIn         // BuiltIn
	AuxRef             // *Ref
	AuxCopy            // *Copy
	AuxSite            // *Site
	AuxScope           // Scope
	AuxCombine         // Combine
	AuxFunc            // *Func
	AuxTile            // *Tile
	AuxProduct         // *Product
)

// NeutralKind is the kind of argument that changes no result of a group op.
type NeutralKind uint8

const (
	NeutralZero   NeutralKind = iota // zero, which is false
	NeutralTrue                      // true
	NeutralSecond                    // the second argument, the identity
)

// Info returns the op's row.
func (o Op) Info() *OpInfo { return &opInfos[o] }

// String returns the op's name.
func (o Op) String() string { return opInfos[o].Name }

// Has reports whether the op has all of the flags.
func (o Op) Has(f Flags) bool { return opInfos[o].Flags&f == f }

// Ops returns all ops.
func Ops() []Op {
	var all []Op
	for o := OpInvalid + 1; o < numOps; o++ {
		all = append(all, o)
	}
	return all
}

// ParseOp returns the op with the given name.
func ParseOp(name string) (Op, bool) {
	for o := OpInvalid + 1; o < numOps; o++ {
		if opInfos[o].Name == name {
			return o, true
		}
	}
	return OpInvalid, false
}

// pathStart is the number of arguments before the path, which the '.' of the
// signature stands for.
func (o Op) pathStart() int { return max(strings.IndexByte(opInfos[o].Sig, '.'), 0) }
