// Package abi is the contract between the modules that kgen writes, the stubs
// that kgen writes and the runtime that launches them. This page is the ABI;
// its version is [Version], which changes with this page and with the types of
// this package: code that was generated for another version does not compile.
//
// # Modules
//
// A module is one SPIR-V 1.5 module with one GLCompute entry point named
// [EntryPoint]. It uses the PhysicalStorageBuffer64 addressing model and the
// Vulkan memory model, has no descriptors, and takes everything from one block
// of push constants, the launch block. Numbers are little-endian. Stubs have the
// checksum of each, Kernel.Sum: where a file is not the one that they were written
// with, as after a merge, the runtime takes none of them.
//
// # Variants
//
// A kernel may have further modules, for devices that lack aspects which the
// first one, Kernel.SPIRV, uses. Everything else is the same: launch block,
// arguments, work-items, fault record, sites, and what the launch leaves in memory.
// Variant.Without names the aspects, and Kernel.Aspects what all of the modules
// need. The runtime takes the first module where the device has all aspects that
// any variant does without, and otherwise the first variant that does without
// those that the device lacks; that is settled when a pipeline is made.
//
// Stubs hold the modules, or have Variant.Make make some of Kernel.IR when a device
// needs them: the words are those that kgen would have written, and Variant.Sum is
// their checksum. Where they differ, as by another version of the compiler, the
// kernel is not launched with them.
//
// [VariantSmall] is another module for devices that take the first one. It is for
// launches that Variant.Products admits, and computes in 32 bits what has no more
// there.
//
// [VariantWords] computes in words of 32 bits, without Int64, Int8 and Int16. An
// int, uint, int64 or uint64 is two words in it. What is smaller than a word stays
// so in memory: to load it the module loads the word around it, at a multiple of 4
// bytes, and to store it exchanges that word atomically. So memory has to be
// readable in whole words, as allocations are. A specialization constant of eight
// bytes is two there: the low word has its id, and the high word that plus
// [SpecHigh]. Atomic operations on 64 bits have no such form; a kernel with them
// has no variant, and needs the aspects.
//
// [VariantAlone] does in work-group memory what the first module does by algorithms
// of sub-groups, where the kernel uses these only for what its work-groups do. It
// takes no more of that memory. [VariantAloneWords] is both.
//
// [VariantCancel] is one for launches that may be cancelled: its work-items look, in each
// round of a loop that is not sure to end soon, whether the host asks them to leave; see
// Faults. Where work-items meet in such a loop it takes 4 bytes more of work-group memory
// for each. A kernel with it has, for each variant that does without aspects, another one
// that does that and looks, too.
//
// # The launch block
//
//	offset  size  field
//	0       8     FaultAddress: device address of the launch's fault record
//	8       12    GlobalRange: work-items along x, y, z as three uint32
//	20      4     reserved, zero; modules rely on it
//	24      n     the arguments, Kernel.ArgSize bytes
//
// x is the last, fastest dimension of the kernel's Go index, z the first of
// three; absent dimensions are 1. Where the whole block would pass
// [MaxLaunchBlock] bytes, which every Vulkan device takes, Kernel.Spilled is set:
// the arguments then stand in a buffer of their own, and offset 24 holds its
// device address (8 bytes). Kernels that are linked for a graph, and so for one
// device, may use all of the launch block that the device has.
//
// # Arguments
//
// The kernel's receiver is taken apart member by member, depth first. Each leaf
// is one Param with an offset in the argument block:
//
//   - a value without slices (a number, bool, array or struct of such) has the
//     layout that gc gives it on amd64: a bool is one byte, int has eight;
//   - a slice is a device address (8 bytes, aligned to 8) and a length in
//     elements (int64); its capacity in the kernel equals its length. A slice of
//     length zero may have the address zero. Elements have gc's layout and
//     size, and the address is a multiple of [MinSliceAlign] or of the element's
//     alignment, whichever is smaller;
//   - a dsl.LocalAccessor takes no argument bytes; its length is the
//     specialization constant SpecAccessor+i, where i counts the kernel's
//     accessors.
//
// Tables that are too large for a module's own constants stand in Kernel.Data,
// which begins with [DataHeader]. The runtime keeps it in device memory, readable
// in words of 16 bytes and aligned to as many, and puts its address (8 bytes) at
// Kernel.DataOffset of the argument block, behind the leaves.
//
// A kernel that prints has one more parameter behind those of the receiver, the slice
// [PrintParam]; see Printing.
//
// Offsets are aligned as gc aligns the leaf's type, or better. An elided parameter (never
// read by the kernel) keeps its row but has no bytes: its Offset is -1. So does a slice that
// is internal to the kernel (Param.Internal).
//
// # Intermediate representation
//
// Kernel.IR is the text of the kernel as kgen's pass arrays leaves it, which begins with
// [IRHeader]: products and sums are settled there, and nothing depends on the device yet.
// Finalizing a graph makes one kernel of several from such texts. It has no constant data,
// which is in Kernel.Data.
//
// # Specialization constants
//
// The kernel's own constants have the ids that its Specs rows state, below
// [SpecReserved]; all kernels of a package have the same for one constant. A constant of an array or struct type is flattened depth first
// to its scalars, each with an id: its id, where the source chose one, and those
// that follow it. A bool is a boolean specialization constant and is given four
// bytes, 0 or 1. Integers of 8 to 32 bits, and int and uint, are constants of 32
// bits, extended as their type is signed; int64 and uint64 have 64 bits. The runtime
// refuses values that do not fit, values outside of a row's Min and Max, and
// expressions in Locals and Privates that are below 1. No dimension of a work-group
// has more than [MaxLocalSize] work-items. Reserved ids: SpecLocalSizeX, Y and Z hold the work-group size
// (uint32, x the fastest dimension) and decorate BuiltIn WorkgroupSize, but for
// modules of several dimensions with sub-groups or barriers: there their product is its
// x, so that sub-groups are runs of work-items whatever the device makes of rows. From
// [SpecAccessor] on stand the lengths of local accessors (uint32, in elements), and
// from [SpecHigh] on the high words of variants.
//
// [SpecExactDivide] (a bool, true by default) is false where the device's
// division and square root of float32 are correctly rounded: the module then
// uses them as they are. Where it is true, the module corrects results that are
// up to three units in the last place off (seven for square roots) where
// operands and result are neither tiny nor huge. A module of the mode
// properties.FloatFast, or one that neither divides nor takes roots, does not
// have it. Float64 division and square root are the device's always.
//
// [SpecFused] (a bool, false by default) is true where Fma of float32 rounds once, no
// inverse is more than three units in the last place off, and no inverse square root more
// than the two that Vulkan allows: the module then corrects by products and sums, and else by
// integers, from inverse roots that may be three units off. Modules that divide, take roots
// or inverse roots have it, but for those of the mode properties.FloatFast, and modules that call math32.FMA.
//
// [SpecFlushed] (a uint32, 0 by default) is the number of the smallest positive float32 values that the device
// treats as zero: 0, or 1<<23 - 1 where arithmetic or comparisons do not keep subnormals. Modules have it that
// use functions of package math32 for which that matters.
//
// [SpecSubGroup] (a uint32, 1 by default) divides the size of all sub-groups, but for the last one of a
// work-group. Modules with matrices have it.
//
// [SpecWhole] (a bool, true by default) is false where the work-group does not fill its
// last sub-group and the device may run what is left of that along: a module with
// barriers then has these invocations do nothing. Others do not have it.
//
// # Variables
//
// The values of package-level variables are part of the modules. Those that other
// packages can write have a row in Kernel.Variables, with the checksum, as [Sum]
// computes it, of the value that they have in the modules, and the runtime launches
// nothing while one has another value. A value is these bytes:
//
//   - a bool, or a number of 8 to 64 bits or two of them: its own, in little-endian order;
//     an int, uint or uintptr has 8;
//   - a string: its length (8 bytes), its bytes;
//   - an array, a struct: its elements, its fields, one after another;
//   - a slice: 0 if it is nil, else its length plus 1 (8 bytes), its elements;
//   - a pointer: 0 if it is nil, else 1 (1 byte), and what it points to; that is left out
//     below [MaxPointers] pointers;
//   - an interface: 0 if it is nil, else 1 (1 byte), the name of the type, if it has one,
//     behind its import path and a dot, as a string, and the value;
//   - a function: 0 if it is nil, else 1 (1 byte) and a string: its name behind its import
//     path and a dot, for a literal the last element of its file's name, a colon and the
//     line, and nothing for a method or an instance;
//   - a map, a channel, an unsafe.Pointer: 0 if it is nil, else 1 (1 byte).
//
// A Sum is at least 1; 0 stands for the value that a variable, which is a pointer then, has
// when its kernel is registered.
//
// # Sources
//
// Stubs have the sums of the files that their kernels were compiled from, [Sources]: all
// files, whatever platform they are for, of those packages of the kernels' own module
// that the kernels mention, and that what they mention mentions. A file's sum is that of
// its tokens and of the directives //kgen: and //go:, but for those that generate. Nothing
// is compared but in tests, where the files are there; other modules have a version in
// go.mod.
//
// # Work-items
//
// A range kernel is dispatched in enough work-groups to cover GlobalRange, with
// any work-group size; each invocation runs Kernel.Items work-items along x,
// so that group g along x runs those from g*Items*LocalSizeX on, up to the next
// group's, and skips those past GlobalRange. Invocation l runs the items
// (g*Items+r)*LocalSizeX + l for r in [0, Items), strided by the work-group size;
// or, if all invocations of the group do so, others of the group's items, of which
// some are next to each other.
// So a range kernel needs ceil(range.x / (LocalSizeX*Items)) groups along x.
// An nd-range kernel has Items == 1 and runs one work-item per invocation;
// GlobalRange must be a multiple of the work-group size. A task runs in one
// invocation with a work-group size of 1. Each dimension of GlobalRange is at
// most [MaxRange]. Group ids may be based (vkCmdDispatchBase): the module
// never reads NumWorkgroups.
//
// # Faults
//
// A fault record is [FaultRecordSize] bytes, zeroed before the launch:
//
//	offset  size  field
//	0       4     State: 0 none, 1 claimed
//	4       4     Site: index into Kernel.Sites
//	8       8     A: the first value (an index, a shift count), int64
//	16      8     B: the second value (a length, a capacity), int64
//	24      12    global id of the work-item, x, y, z as uint32
//	36      4     Leave: 0 until the host, while the launch runs, has work-items leave
//	40      4     Ended: 0, or the number of a loop that the device ended, from 1
//
// The first work-item that faults claims the record by an atomic
// compare-and-exchange of State and fills in the rest; later faults are
// dropped. A module without barriers may do that at a work-item's end. The record
// is complete when the launch is.
//
// Only variants that state Cancel read Leave, with atomic loads that are volatile. Where it
// is not 0 the work-item records a fault, of the Site [SiteCancelled], and ends.
//
// Ended is written by modules that the runtime has changed for a device which ends
// loops that go on for long: work-items go on behind the loop then, with wrong values,
// and whatever else the record says is of no account. Loops are numbered as their
// OpLoopMerge instructions stand in the module. Kernel.Loops, and Variant.Loops for a
// variant, say where they are in the source: entries in that order, with a space between
// two. An entry is file:line:col, or line:col in the file of the one before, and "-" is a
// loop that kgen has added.
//
// # Printing
//
// A kernel with calls of print, println, fmt.Print, fmt.Printf or fmt.Println has a print
// buffer, which is its last parameter: a slice of words, zeroed before the launch, that no two
// launches share. It begins with [PrintHeader] words:
//
//	word  field
//	0     Used: words of records that were reserved behind the header
//	1     Lost: calls whose record did not fit, modulo 2^32
//	2     LostHigh: how often Lost became 0 again
//
// A work-item reserves a record by one atomic addition to Used, so that the records of one
// work-item stand in the order of its calls; it adds nothing where Used is beyond the buffer's
// end already, or where a string has more than [MaxPrintString] bytes. What begins or ends
// beyond the buffer's end is lost and counted. A record is the number of its site, an index
// into Kernel.Prints plus 1, the global id x, y, z, and the values of PrintSite.Args. An
// argument is written in these words of a record:
//
//   - bool, int8 to int32, uint8 to uint32, float32: one word, integers extended by their sign;
//   - int, int64, uint, uint64, uintptr, float64: two, the low one first;
//   - complex64, complex128: those of the real and of the imaginary part;
//   - half.Float16 and the other types of package half: their bits, in one word;
//   - string: its length and its bytes, four to a word, or, if [PrintTable] is set in the
//     length, its place in Kernel.PrintTexts;
//   - text: as a string, which the value's Error or String method has returned; textstring:
//     that of a value which is a string itself;
//   - [n]T, and struct{name T; …}: the elements, or the fields;
//   - a text in Go's quotes, and nil: none, since it is known.
package abi
