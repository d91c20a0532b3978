package main

// A row describes one op. Field `sig` is the op's signature, which is a letter for the class of each argument, then a
// colon, then a letter for the class of the result.
//
// The letters w, q and a stand for types i32, i64 and addr. The letter b stands for a bool, i for
// any integer, f for any float, s for any scalar, v for a vector, and m for any scalar or vector.
// The capital letters I, F and S stand for the same classes as i, f and s. All arguments and
// results with capital letters in one signature have the same type.
//
// The letter k stands for a constant, which is the index of one of four 32-bit words. A dot stands
// for the path of a memory reference (see Ref). An asterisk stands for any number of arguments of
// any class. A hyphen in place of the result means that the op has no result.
type row struct {
	name  string
	sig   string
	flags string
	aux   string
	doc   string

	// neutral is the name of a constant, or "". After a work-item has returned, it still
	// contributes an argument to a group op, and the constant selects this argument. If neutral is
	// "", the work-item contributes zero. The names True and Second stand for the constants
	// NeutralTrue and NeutralSecond.
	neutral string
	// noun is the name of a group op in diagnostics. Only a group op whose result may differ
	// between invocations of the group has a noun.
	noun string
}

var ops = []row{
	// Constants. The values of Const and SpecConst belong to no block.
	{name: "Const", sig: ":s", flags: "Pure Const", aux: "Bits", doc: "a scalar constant, its bits zero-extended in Bits"},
	{name: "SpecConst", sig: ":s", flags: "Pure Const", aux: "Spec", doc: "a specialization constant"},

	{name: "Phi", sig: "*:s", flags: "Pure Low Narrow", doc: "one argument for each predecessor"},

	// Launch.
	{name: "Arg", sig: ":s", flags: "Pure Low Narrow", aux: "Bits", doc: "the value at byte offset Bits of the launch block"},
	{name: "BuiltIn", sig: ":w", flags: "Pure", aux: "BuiltIn", doc: "a component of a SPIR-V BuiltIn"},

	// Integer arithmetic with wraparound. A division op does not check its operands, so the divisor
	// must not be zero, and SDiv must not overflow.
	{name: "IAdd", sig: "II:I", flags: "Pure Commutative Fold Cheap Low"},
	{name: "ISub", sig: "II:I", flags: "Pure Fold Cheap Low"},
	{name: "IMul", sig: "II:I", flags: "Pure Commutative Fold Low"},
	{name: "SDiv", sig: "II:I", flags: "Pure Fold Costly Partial Divides Low"},
	{name: "UDiv", sig: "II:I", flags: "Pure Fold Costly Partial Divides Low"},
	{name: "UMod", sig: "II:I", flags: "Pure Fold Costly Partial Divides Low"},
	{name: "UMulHi", sig: "ww:w", flags: "Pure Commutative", doc: "the high half of the product"},
	{name: "And", sig: "II:I", flags: "Pure Commutative Fold Cheap Low"},
	{name: "Or", sig: "II:I", flags: "Pure Commutative Fold Cheap Low"},
	{name: "Xor", sig: "II:I", flags: "Pure Commutative Fold Cheap Low"},
	{name: "Not", sig: "I:I", flags: "Pure Fold Cheap Low"},
	// A shift op does not check the count, which must be less than the width.
	{name: "Shl", sig: "II:I", flags: "Pure Fold Cheap Partial Low"},
	{name: "ShrL", sig: "II:I", flags: "Pure Fold Cheap Partial Low"},
	{name: "ShrA", sig: "II:I", flags: "Pure Fold Cheap Partial Low"},
	{name: "BitCount", sig: "w:w", flags: "Pure Fold Coded"},
	{name: "BitReverse", sig: "w:w", flags: "Pure Fold Coded"},
	{name: "FindLsb", sig: "w:w", flags: "Pure", doc: "index of the lowest set bit, -1 for zero"},
	{name: "FindUMsb", sig: "w:w", flags: "Pure", doc: "index of the highest set bit, -1 for zero"},

	// Floating point. A floating-point operation is rounded once, but pass fuse may combine a
	// product and a sum into one operation.
	{name: "FAdd", sig: "FF:F", flags: "Pure Commutative"},
	{name: "FSub", sig: "FF:F", flags: "Pure"},
	{name: "FMul", sig: "FF:F", flags: "Pure Commutative"},
	{name: "FDiv", sig: "FF:F", flags: "Pure Costly"},
	{name: "FNegate", sig: "F:F", flags: "Pure"},
	{name: "Fma", sig: "FFF:F", flags: "Pure", doc: "x*y + z; fused on devices that do so"},
	{name: "FmaOnce", sig: "FFF:F", flags: "Pure", doc: "x*y + z, rounded once; only used if abi.SpecFused or abi.SpecFused64 says that the device does so"},
	{name: "FRounded", sig: "F:F", flags: "Pure Built", doc: "x; if it is a product, it is not fused with a sum"},
	{name: "FAbs", sig: "F:F", flags: "Pure"},
	{name: "FSqrt", sig: "F:F", flags: "Pure Costly"},
	{name: "FInvSqrt", sig: "F:F", flags: "Pure Costly Float32 Built", doc: "1/sqrt(x) of a float32, rounded once; pass exactdiv expands it"},
	{name: "FFloor", sig: "F:F", flags: "Pure"},
	{name: "FCeil", sig: "F:F", flags: "Pure"},
	{name: "FTrunc", sig: "F:F", flags: "Pure"},
	{name: "FRoundEven", sig: "F:F", flags: "Pure"},
	// Functions of float32 numbers that the device computes with unspecified accuracy.
	{name: "FSin", sig: "F:F", flags: "Pure Costly Float32"},
	{name: "FCos", sig: "F:F", flags: "Pure Costly Float32"},
	{name: "FTan", sig: "F:F", flags: "Pure Costly Float32"},
	{name: "FExp", sig: "F:F", flags: "Pure Costly Float32"},
	{name: "FExp2", sig: "F:F", flags: "Pure Costly Float32"},
	{name: "FLog", sig: "F:F", flags: "Pure Costly Float32"},
	{name: "FLog2", sig: "F:F", flags: "Pure Costly Float32"},
	{name: "FPow", sig: "FF:F", flags: "Pure Costly Float32"},
	{name: "FRsqrt", sig: "F:F", flags: "Pure Costly Float32"},

	// Comparisons.
	{name: "IEq", sig: "II:b", flags: "Pure Commutative Fold Compare Cheap"},
	{name: "INe", sig: "II:b", flags: "Pure Commutative Fold Compare Cheap"},
	{name: "SLt", sig: "II:b", flags: "Pure Fold Compare Cheap"},
	{name: "SLe", sig: "II:b", flags: "Pure Fold Compare Cheap"},
	{name: "ULt", sig: "II:b", flags: "Pure Fold Compare Cheap"},
	{name: "ULe", sig: "II:b", flags: "Pure Fold Compare Cheap"},
	{name: "FEq", sig: "FF:b", flags: "Pure Commutative Cheap", doc: "ordered"},
	{name: "FNe", sig: "FF:b", flags: "Pure Commutative Cheap", doc: "unordered: true for NaN"},
	{name: "FLt", sig: "FF:b", flags: "Pure Cheap", doc: "ordered"},
	{name: "FLe", sig: "FF:b", flags: "Pure Cheap", doc: "ordered"},
	{name: "AddrIsNull", sig: "a:b", flags: "Pure"},

	// Booleans.
	{name: "LAnd", sig: "bb:b", flags: "Pure Commutative Fold Cheap"},
	{name: "LOr", sig: "bb:b", flags: "Pure Commutative Fold Cheap"},
	{name: "LNot", sig: "b:b", flags: "Pure Fold Cheap"},
	{name: "LEq", sig: "bb:b", flags: "Pure Commutative Fold"},
	{name: "LNe", sig: "bb:b", flags: "Pure Commutative Fold"},
	{name: "Select", sig: "bSS:S", flags: "Pure Fold Low"},

	// Conversions.
	{name: "SConvert", sig: "i:i", flags: "Pure Fold Cheap Narrow", doc: "sign-extends or truncates"},
	{name: "UConvert", sig: "i:i", flags: "Pure Fold Cheap Narrow", doc: "zero-extends or truncates"},
	{name: "FConvert", sig: "f:f", flags: "Pure"},
	{name: "FFromHalf", sig: "w:F", flags: "Pure Float32", doc: "the value of the float16 in the lower 16 bits of a word; 0x7fc00000 for a NaN"},
	{name: "FToHalf", sig: "F:w", flags: "Pure", doc: "the bits of the float16 nearest to a float32; 0x7e00 for a NaN"},
	// The first argument of a float16 op already is the op's result, which ops on float32 have
	// computed. The other arguments of a float16 op are the operands, from which a device with
	// float16 instructions may compute the same result. Each argument of a float16 op is a 32-bit
	// word whose lower 16 bits are a float16.
	{name: "HalfDiv", sig: "www:w", flags: "Pure Named", doc: "the quotient of two float16s"},
	{name: "HalfSqrt", sig: "ww:w", flags: "Pure Named", doc: "the square root of a float16"},
	{name: "HalfFma", sig: "wwww:w", flags: "Pure Named", doc: "x*y + z of float16s, rounded once"},
	// The first argument of a dot-product op already is the op's result, which other ops have
	// computed. Arguments 1 to 4 of a dot-product op contain the elements of vector A in their
	// lower 8 bits. Arguments 5 to 8 of a dot-product op contain the elements of vector B in their
	// lower 8 bits. A saturating dot-product op has one more argument, which is added to the sum of
	// products.
	{name: "SDot", sig: "wwwwwwwww:w", flags: "Pure Named", doc: "the sum of four products of numbers of 8 bits"},
	{name: "UDot", sig: "wwwwwwwww:w", flags: "Pure Named", doc: "SDot of numbers without a sign"},
	{name: "SUDot", sig: "wwwwwwwww:w", flags: "Pure Named", doc: "SDot with numbers of B without a sign"},
	{name: "SDotAccSat", sig: "wwwwwwwwww:w", flags: "Pure Named", doc: "SDot plus a number, limited to the range of int32"},
	{name: "UDotAccSat", sig: "wwwwwwwwww:w", flags: "Pure Named", doc: "SDotAccSat of numbers without a sign"},
	{name: "SUDotAccSat", sig: "wwwwwwwwww:w", flags: "Pure Named", doc: "SDotAccSat with numbers of B without a sign"},
	{name: "SToF", sig: "i:f", flags: "Pure"},
	{name: "UToF", sig: "i:f", flags: "Pure"},
	{name: "UToNear", sig: "i:f", flags: "Pure", doc: "like UToF, but may be rounded in any direction, or twice"},
	{name: "FToS", sig: "f:i", flags: "Pure Partial", doc: "the argument must be in range"},
	{name: "FToU", sig: "f:i", flags: "Pure Partial", doc: "the argument must be in range"},
	{name: "Bitcast", sig: "s:s", flags: "Pure Narrow", doc: "between types of equal size"},
	// An addr is a pair of 32-bit words, the low word first. On devices without 64-bit integers, type addr also
	// represents 64-bit integers.
	{name: "Pair", sig: "ww:a", flags: "Pure", doc: "the pair of a low and a high word"},
	{name: "Low", sig: "a:w", flags: "Pure"},
	{name: "High", sig: "a:w", flags: "Pure"},

	// Vectors. Vectors are used only for loads and stores of 16 bytes.
	{name: "VecMake", sig: "*:v", flags: "Pure", doc: "the vector of its arguments; the first one has the lowest address"},
	{name: "VecExtract", sig: "v:s", flags: "Pure", aux: "Bits", doc: "element Bits of a vector"},

	// Memory. The auxiliary data of most memory ops is a Ref.
	{name: "Load", sig: ".:m", flags: "Reads Narrow", aux: "Ref"},
	{name: "Store", sig: "m.:-", flags: "Writes Narrow", aux: "Ref", doc: "the value is the first argument"},
	{name: "AddrOf", sig: ".:a", flags: "Pure", aux: "Ref", doc: "the address of an element in device memory"},
	{name: "Zero", sig: ":-", flags: "Writes", aux: "Ref", doc: "zeroes a Function variable"},
	{name: "CopyVar", sig: ":-", flags: "Reads Writes", aux: "Copy", doc: "copies one Function variable to another of the same type"},
	{name: "ZeroLocal", sig: ":-", flags: "Reads Writes Sync Built", aux: "Ref", doc: "the work-items of the group zero a Workgroup variable together, then wait at a barrier"},

	// Atomic operations. All work-items see all atomic operations in the same order. An atomic op
	// that reads and writes returns the old value. A Legal module contains AtomicCompareExchange
	// instead of AtomicCompareAndSwap and instead of atomic ops on floats. A Legal module contains
	// no atomic ops on 8 or 16 bits.
	{name: "AtomicLoad", sig: ".:i", flags: "Reads Atomic Narrow", aux: "Ref"},
	{name: "AtomicLoadRelaxed", sig: ".:I", flags: "Reads Atomic", aux: "Ref", doc: "does not order other accesses"},
	{name: "AtomicLoadVolatile", sig: ".:I", flags: "Reads Atomic", aux: "Ref", doc: "does not order other accesses; for memory that the host writes during the launch"},
	{name: "AtomicStore", sig: "I.:-", flags: "Writes Atomic", aux: "Ref"},
	{name: "AtomicStoreRelaxed", sig: "I.:-", flags: "Writes Atomic", aux: "Ref", doc: "does not order other accesses"},
	{name: "AtomicExchange", sig: "I.:I", flags: "Reads Writes Atomic", aux: "Ref"},
	{name: "AtomicCompareExchange", sig: "II.:I", flags: "Reads Writes Atomic", aux: "Ref", doc: "args: new value, comparator; ordered as a load if they differ"},
	{name: "AtomicCompareAndSwap", sig: "ii.:b", flags: "Reads Writes Atomic Built Narrow", aux: "Ref", doc: "args: new value, comparator; result: whether the new value has been stored"},
	{name: "AtomicIAdd", sig: "I.:I", flags: "Reads Writes Atomic", aux: "Ref"},
	{name: "AtomicIAddRelaxed", sig: "I.:I", flags: "Reads Writes Atomic", aux: "Ref", doc: "does not order other accesses"},
	{name: "AtomicSMin", sig: "I.:I", flags: "Reads Writes Atomic", aux: "Ref"},
	{name: "AtomicUMin", sig: "I.:I", flags: "Reads Writes Atomic", aux: "Ref"},
	{name: "AtomicSMax", sig: "I.:I", flags: "Reads Writes Atomic", aux: "Ref"},
	{name: "AtomicUMax", sig: "I.:I", flags: "Reads Writes Atomic", aux: "Ref"},
	{name: "AtomicAnd", sig: "I.:I", flags: "Reads Writes Atomic", aux: "Ref"},
	{name: "AtomicOr", sig: "I.:I", flags: "Reads Writes Atomic", aux: "Ref"},
	{name: "AtomicFAdd", sig: "F.:F", flags: "Reads Writes Atomic Built", aux: "Ref"},
	{name: "AtomicFMin", sig: "F.:F", flags: "Reads Writes Atomic Built", aux: "Ref", doc: "Go's min"},
	{name: "AtomicFMax", sig: "F.:F", flags: "Reads Writes Atomic Built", aux: "Ref", doc: "Go's max"},
	{name: "AtomicFAddNative", sig: "F.:F", flags: "Reads Writes Atomic", aux: "Ref", doc: "the device's own addition, in device memory"},
	{name: "AtomicFence", sig: ":-", flags: "Reads Writes Atomic", aux: "Scope", doc: "orders the work-item's accesses of local and global memory before it with those after it"},

	// Groups.
	{name: "Barrier", sig: ":-", flags: "Reads Writes Sync", aux: "Scope", doc: "control barrier that orders local and global memory"},
	{name: "BarrierLocal", sig: ":-", flags: "Reads Writes Sync", aux: "Scope", doc: "control barrier that orders only local memory"},
	// Group ops. All invocations of the group must reach a group op. Each invocation gets a result
	// of the group op, which may depend on the arguments of all invocations. Passes know a group op
	// only by the flags and columns of its row.
	//
	// All group ops have the flags Reads, Writes, Sync and Group. Flag SubGroup means that the
	// group is always a sub-group. In Go, an op with flag SubGroup is implemented by a function of
	// package kernelimpl, such as HostBallot for GroupBallot. The parameters of the Go function are
	// the op's arguments, the size of sub-groups and the word index. Flag Same means that all
	// invocations of a group have the same result. A group op without flag Same has a noun. Flag
	// Built means that SPIR-V does not have the op. A group op with flag Built is expanded by
	// pass/lanes/group_sub.go, and is not supported by package spirv/emit.
	//
	// If the signature contains the letter k, package lower makes four values, one for each word of the result.
	//
	// Column neutral defines the first argument of invocations that have returned. The first
	// argument of invocations that have returned must not change the op's result. If column neutral
	// is empty, the first argument of invocations that have returned is zero. The other arguments
	// of invocations that have returned are zero, except word indices and identities. If every
	// possible first argument would change the result, the op needs an additional bool argument.
	// The additional argument is false for invocations that have returned and true for all others.
	//
	// A Legal module contains group ops only if the group is a sub-group and the values are i32 or bool.
	{name: "GroupSelect", sig: "Sw:S", flags: "Reads Writes Sync Group", aux: "Scope", doc: "the value of the invocation with the given index in the group; the index must exist", noun: "a selection"},
	{name: "GroupUniform", sig: "S:S", flags: "Reads Writes Sync Group Same Built", aux: "Scope", doc: "the value that all invocations have"},
	{name: "GroupBallot", sig: "bk:w", flags: "Reads Writes Sync Group SubGroup Same", aux: "Scope", doc: "a bit for each of 32 invocations of a sub-group; the first has the number 32 times the second argument"},
	{name: "GroupAny", sig: "b:b", flags: "Reads Writes Sync Group Same", aux: "Scope"},
	{name: "GroupAll", sig: "b:b", flags: "Reads Writes Sync Group Same", aux: "Scope", neutral: "True"},
	// The second argument of reductions and scans is a constant, the identity of the combining operation.
	{name: "GroupReduce", sig: "SS:S", flags: "Reads Writes Sync Group Same", aux: "Combine", doc: "the combination of all values, in the order of package dsl", neutral: "Second"},
	{name: "GroupInclusiveScan", sig: "SS:S", flags: "Reads Writes Sync Group", aux: "Combine", doc: "the combination up to this invocation", neutral: "Second", noun: "a scan"},
	{name: "GroupExclusiveScan", sig: "SS:S", flags: "Reads Writes Sync Group", aux: "Combine", doc: "the combination of the values before this invocation; unspecified for the first invocation", neutral: "Second", noun: "a scan"},

	// Matrices of sub-groups; see matrix.go. Pass matrices replaces the matrix ops by other ops.
	{name: "MatrixLoad", sig: "i.:-", flags: "Reads Sync Built", aux: "Tile", doc: "args: the distance between rows, or columns, in elements"},
	{name: "MatrixStore", sig: "i.:-", flags: "Writes Sync Built", aux: "Tile", doc: "args as for MatrixLoad"},
	{name: "MatrixMulAdd", sig: ":-", flags: "Reads Writes Sync Built", aux: "Product", doc: "products are rounded, and added to the accumulator in the order of A's columns"},
	{name: "MatrixLength", sig: ":w", flags: "Reads Built", aux: "Tile", doc: "the number of elements of a matrix that the invocation holds"},

	// Fault records the first fault of the launch. The arguments of Fault are the values A and B of
	// the fault record, and the global id (x, y, z) of the work-item.
	{name: "Fault", sig: "qqwww:-", flags: "Writes Built", aux: "Site"},
	{name: "Call", sig: "*:-", flags: "Reads Writes", aux: "Func", doc: "calls a helper that returns nothing"},
}
