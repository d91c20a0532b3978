package ir

// This file defines the properties of operations.

import "strings"

//go:generate go run ./_gen -o zops.go

// Op is the operation of a Value. The Op constants and the table of their properties are generated
// from _gen/ops.go.
type Op uint8

// OpInfo holds the properties of an op.
type OpInfo struct {
	Name  string
	Sig   string // argument classes ':' result class; _gen/ops.go explains the letters
	Flags Flags
	Aux   AuxKind
	// Neutral selects the replacement for a group op's first argument in work-items that have
	// returned.
	Neutral NeutralKind
	// Noun is the name of a group op in diagnostics. Only group ops whose results differ within the group have a Noun.
	Noun string
}

// Flags are an op's properties.
type Flags uint32

const (
	// FlagPure ops have no side effect, and their result depends only on their arguments.
	FlagPure Flags = 1 << iota
	// FlagConst ops compute values that belong to no block, such as constants.
	FlagConst
	FlagCommutative
	// FlagFold ops may be used in specialization-constant expressions.
	FlagFold
	FlagReads
	FlagWrites
	// FlagSync ops must be executed by all work-items of a group together.
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
	// FlagDivides ops are integer divisions. On some processors, an integer division by 0 ends the program.
	FlagDivides
	// FlagLow ops are integer ops. The low half of the result of a FlagLow op depends only on the
	// low halves of the arguments. But if an argument of a FlagPartial op does not fit in the
	// argument's low half, the result may also depend on the high half.
	FlagLow
	// FlagFloat32 ops exist for f32 only.
	FlagFloat32
	// FlagGroup ops combine values of the work-items of a group. All work-items of the group must reach a
	// FlagGroup op.
	FlagGroup
	// FlagSubGroup ops are FlagGroup ops that exist only for sub-groups.
	FlagSubGroup
	// FlagSame ops are FlagGroup ops whose result is the same for all work-items of the group.
	FlagSame
	// FlagNarrow ops accept 32-bit words that contain integers of 8 or 16 bits. A FlagNarrow op either
	// interprets 32-bit words as integers of 8 or 16 bits, or copies all bits of the words.
	FlagNarrow
	// FlagBuilt ops occur only in Built modules. Passes expand them.
	FlagBuilt
	// FlagCoded ops are FlagFold ops for which SPIR-V has no constant expression. The module
	// contains code that computes the results of FlagCoded ops at run time.
	FlagCoded
	// FlagNamed ops return their first argument, which earlier code has computed. A device may
	// compute the value of a FlagNamed op with a single instruction from the op's other arguments.
	FlagNamed
)

// AuxKind selects the Go type of an op's auxiliary data.
type AuxKind uint8

const (
	AuxNone    AuxKind = iota
	AuxBits            // no object; the data is in Value.Bits
	AuxSpec            // *Spec, the specialization constant of the op
	AuxBuiltIn         // BuiltIn, the built-in variable that the op reads
	AuxRef             // *Ref, the memory that the op accesses
	AuxCopy            // *Copy, the variables of a copy
	AuxSite            // *Site, the source position of a fault
	AuxScope           // Scope of a barrier or fence
	AuxCombine         // Combine, the group and operation of a reduction or scan
	AuxFunc            // *Func, the helper that the op calls
	AuxTile            // *Tile, the matrix of the op and the memory of its elements
	AuxProduct         // *Product, the matrices of MatrixMulAdd
)

// NeutralKind selects an argument that does not change the result of a group op.
type NeutralKind uint8

const (
	NeutralZero   NeutralKind = iota // the argument zero, or false for a bool
	NeutralTrue                      // the argument true
	NeutralSecond                    // the second argument, which is the identity of the combining operation
)

// Info returns the op's properties.
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

// pathStart returns the number of arguments before the path arguments. The character '.' in an op's
// signature represents the path arguments.
func (o Op) pathStart() int { return max(strings.IndexByte(opInfos[o].Sig, '.'), 0) }
