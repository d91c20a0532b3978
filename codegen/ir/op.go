package ir

// This file has the properties of operations.

import "strings"

//go:generate go run ./_gen -o zops.go

// Op is the operation of a Value. The constants and their table are generated from the rows in
// _gen/ops.go.
type Op uint8

// OpInfo is the table row of an op.
type OpInfo struct {
	Name  string
	Sig   string // argument classes ':' result class; _gen/ops.go explains the letters
	Flags Flags
	Aux   AuxKind
	// Neutral is the kind of the first argument of a group op in work-items that have left.
	Neutral NeutralKind
	// Noun is the name, for diagnostics, of a group op whose results differ within the group.
	Noun string
}

// Flags are an op's properties.
type Flags uint32

const (
	// FlagPure ops have no effect, and their result depends only on their arguments.
	FlagPure Flags = 1 << iota
	// FlagConst values belong to no block.
	FlagConst
	FlagCommutative
	// FlagFold ops may be used in specialization-constant expressions.
	FlagFold
	FlagReads
	FlagWrites
	// FlagSync ops must be reached by all work-items of a group together.
	FlagSync
	// FlagAtomic ops also order other memory accesses.
	FlagAtomic

	// FlagCompare ops compare integers.
	FlagCompare
	// FlagCheap ops are so fast that computing them is faster than a branch.
	FlagCheap
	// FlagCostly ops take many times as long as an addition.
	FlagCostly
	// FlagPartial ops are undefined for some arguments, such as a divisor of 0.
	FlagPartial
	// FlagDivides ops are integer divisions. On some processors, a divisor of 0 ends the program.
	FlagDivides
	// FlagLow ops are on integers. The low half of the result depends only on the low halves of the
	// arguments. For FlagPartial ops, that holds only if the arguments fit the low half.
	FlagLow
	// FlagFloat32 ops exist for f32 only.
	FlagFloat32
	// FlagGroup ops combine values of the work-items of a group. All work-items must reach them.
	FlagGroup
	// FlagSubGroup ops are FlagGroup ops of sub-groups only.
	FlagSubGroup
	// FlagSame ops are FlagGroup ops whose result is the same for all work-items of the group.
	FlagSame
	// FlagNarrow ops accept words that hold integers of 8 and 16 bits. The op defines their
	// meaning, or passes on all bits of the words.
	FlagNarrow
	// FlagBuilt ops occur only in Built modules. Passes expand them.
	FlagBuilt
	// FlagCoded ops are FlagFold ops for which SPIR-V has no constant expression. Code of the
	// module computes them.
	FlagCoded
	// FlagNamed ops return their first argument, which other code has computed. The other arguments
	// are operands from which a device may compute the same value by one instruction.
	FlagNamed
)

// AuxKind is the type of the auxiliary data of an op.
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

// NeutralKind is the kind of an argument that does not change the result of a group op.
type NeutralKind uint8

const (
	NeutralZero   NeutralKind = iota // zero, or false
	NeutralTrue                      // true
	NeutralSecond                    // the second argument, which is the identity
)

// Info returns the op's table row.
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

// pathStart returns the number of arguments before the path. In the signature, '.' represents the
// path.
func (o Op) pathStart() int { return max(strings.IndexByte(opInfos[o].Sig, '.'), 0) }
