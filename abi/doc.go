// Package abi is the contract between the modules that kgen generates, the stubs
// that kgen generates and the runtime that launches them. This page is the ABI.
// The version of the ABI is [Version], which changes with this page and with the
// types of this package. Code that was generated for another version does not
// compile.
//
// # Modules
//
// A module is one SPIR-V 1.5 module with one GLCompute entry point named
// [EntryPoint]. The module uses the PhysicalStorageBuffer64 addressing model and
// the Vulkan memory model, and has no descriptors. All its input is in one block
// of push constants, the launch block. Numbers are little-endian. Stubs contain
// the checksum of the files of each kernel, Kernel.Sum. If a file differs from the
// file with which the stubs were generated, for example after a merge, the runtime
// uses none of the kernel's files.
//
// # Variants
//
// A kernel may have further modules, for devices that lack aspects which the first module,
// Kernel.SPIRV, uses. All modules of a kernel have the same launch block, arguments, work-items,
// fault record and sites, and a launch leaves the same values in memory. Variant.Without names the
// aspects that the variant does not use, and Kernel.Aspects names the aspects that all modules
// need. The runtime chooses a module when it makes a pipeline. The runtime chooses the first module
// if the device has all aspects in Variant.Without of any variant. Otherwise it chooses the first
// variant that does not use the aspects which the device lacks.
//
// Stubs contain the modules. Instead, Variant.Make may make a module from Kernel.IR
// when a device needs it. The words are then those that kgen would have written, and
// Variant.Sum is their checksum. If the checksum differs, for example because of
// another version of the compiler, the kernel is not launched with that module.
//
// [VariantSmall] is another module for devices that can run the first module. VariantSmall is for
// launches that Variant.Products admits. It computes in 32 bits those indices that need no more
// bits in such launches.
//
// [VariantWords] computes in 32-bit words, without Int64, Int8 and Int16. An int,
// uint, int64 or uint64 is two words in this module. A number that is smaller than a
// word has its own size in memory. To load such a number, the module loads the word
// around it, at a multiple of 4 bytes. To store the number, the module exchanges
// that word atomically. So all words around elements must be readable, which is true
// for allocations. A 64-bit specialization constant is two constants in this module.
// The low word has the id of the constant, and the high word has that id plus
// [SpecHigh]. Atomic operations on 64 bits cannot be computed in words. A kernel with
// these operations has no such variant, and needs the aspects.
//
// [VariantAlone] does not use algorithms of sub-groups. VariantAlone computes in work-group memory
// the results that the first module computes by such algorithms. The variant exists only if the
// kernel needs sub-groups for nothing but algorithms of work-groups. VariantAlone needs no more
// work-group memory than the first module. [VariantAloneWords] has the properties of VariantAlone
// and VariantWords.
//
// [VariantCancel] is a variant for launches that may be cancelled. In each iteration of
// a loop that may run for long, its work-items check whether the host asks them to
// leave (see Faults). For each such loop in which work-items meet at a barrier, the
// variant needs 4 more bytes of work-group memory. If a kernel has this variant, there
// is also a variant that can be cancelled for each variant with fewer aspects.
//
// # The launch block
//
//	offset  size  field
//	0       8     FaultAddress: device address of the launch's fault record
//	8       12    GlobalRange: work-items along x, y, z as three uint32
//	20      4     reserved, zero; modules rely on it
//	24      n     the arguments, Kernel.ArgSize bytes
//
// x is the last dimension of the kernel's Go index, which varies fastest, and z is the
// first of three dimensions. Missing dimensions are 1. If the whole block would exceed
// [MaxLaunchBlock] bytes, which every Vulkan device accepts, Kernel.Spilled is set. The
// arguments are then in a separate buffer, and the launch block contains the buffer's
// device address (8 bytes) at offset 24. Kernels that are linked for a graph are for
// one device, and may use the largest launch block that the device accepts.
//
// # Arguments
//
// The kernel's receiver is divided into its members, depth first. Each member is one
// Param with an offset in the argument block:
//
//   - a value without slices (a number, bool, array or struct of these) has the
//     layout that gc gives it on amd64: a bool has one byte, and an int has eight;
//   - a slice is a device address (8 bytes, aligned to 8) and a length in
//     elements (int64). The capacity in the kernel equals the length. A slice of
//     length zero may have the address zero. Elements have gc's layout and
//     size, and the address is a multiple of [MinSliceAlign] or of the element's
//     alignment, whichever is smaller;
//   - a dsl.LocalAccessor has no argument bytes. Its length is the
//     specialization constant SpecAccessor+i, where i counts the kernel's
//     accessors.
//
// Kernel.Data contains tables that are too large for constants in a module. The data
// begin with [DataHeader]. The runtime keeps the data in device memory, at a multiple of
// 16 bytes, where modules can read them in words of 16 bytes. The runtime writes the
// address of the data (8 bytes) to Kernel.DataOffset of the argument block, after the
// other arguments.
//
// A kernel that prints has one more parameter after those of the receiver, the slice
// [PrintParam]; see Printing.
//
// Offsets are aligned as gc aligns the parameter's type, or better. An elided parameter is
// a parameter that the kernel never reads. Kernel.Params contains it, but it has no bytes in
// the argument block, and its Offset is -1. The same is true for a slice that is internal to
// the kernel (Param.Internal).
//
// # Intermediate representation
//
// Kernel.IR is the text of the kernel's intermediate representation after kgen's pass arrays. The
// text begins with [IRHeader]. At this point kgen has already decided how products and sums are
// rounded, but nothing depends on the device yet. When the runtime finalizes a graph, it makes one
// kernel from several of these texts. The IR does not contain the constant data, which is in
// Kernel.Data.
//
// # Specialization constants
//
// The kernel's own specialization constants have the ids in Kernel.Specs, which are below
// [SpecReserved]. All kernels of a package have the same id for the same constant. A
// constant of an array or struct type is divided into its scalars, depth first, and each
// scalar has an id. If the source chose an id, the first scalar has this id, and the next
// scalars have the ids after it. A bool is a boolean specialization constant, and gets
// four bytes, 0 or 1. Integers of 8 to 32 bits, and int and uint, are constants of 32
// bits, extended according to their sign. int64 and uint64 have 64 bits. The runtime does
// not accept values that do not fit, values outside of Min and Max of a SpecConstant, and
// values for which an expression in Locals and Privates is below 1. No dimension of a
// work-group has more than [MaxLocalSize] work-items.
//
// Some ids are reserved. SpecLocalSizeX, Y and Z are the work-group size (uint32, x is the
// dimension that varies fastest) and decorate BuiltIn WorkgroupSize. Modules of several
// dimensions with sub-groups or barriers are an exception. In these modules, x of
// WorkgroupSize is the product of the three constants, so that each sub-group consists of
// consecutive work-items, however the device divides rows. The ids from [SpecAccessor] on
// are the lengths of local accessors (uint32, in elements). The ids from [SpecHigh] on are
// the high words in variants.
//
// [SpecExactDivide] (a bool, true by default) is false if the device rounds float32
// division and square root correctly. The module then uses the device's instructions
// without correction. If the constant is true, the module corrects results. The errors may
// be up to three units in the last place, or seven for square roots, if operands and result
// are neither tiny nor huge. A module of the mode properties.FloatFast, or without
// divisions and roots, does not have this constant. Float64 division and square root are
// always the device's instructions.
//
// [SpecFused] (a bool, false by default) is true if Fma of float32 rounds once, inverses
// have errors of at most three units in the last place, and inverse square roots have
// errors of at most two, as Vulkan requires. The module then corrects results by
// products and sums. Otherwise it uses integers, and inverse roots may have errors of
// three units. Modules that divide, or compute roots or inverse roots, have this constant,
// except in the mode properties.FloatFast. Modules that call math32.FMA have it, too.
//
// [SpecFlushed] (a uint32, 0 by default) is the number of the smallest positive float32 values that
// the device treats as zero. SpecFlushed is 0, or 1<<23 - 1 if arithmetic or comparisons do not
// keep subnormals. A module has this constant if it uses functions of package math32 whose results
// depend on it.
//
// [SpecSubGroup] (a uint32, 1 by default) divides the size of each sub-group, except the
// last one of a work-group. Modules with matrices have this constant.
//
// [SpecWhole] (a bool, true by default) is false if the device may run invocations that are not
// work-items. The device may run such invocations if the work-group does not fill its last
// sub-group. In a module with barriers, these invocations then do nothing. Other modules do not
// have this constant.
//
// # Variables
//
// The values of package-level variables are part of the modules. If other packages can write
// to a variable, Kernel.Variables contains it, with the checksum, as [Sum] computes it, of
// the value that the modules contain. The runtime does not launch the kernel while the
// variable has another value. The checksum of a value is that of these bytes:
//
//   - a bool, a number of 8 to 64 bits, or a complex number: its own bytes, in
//     little-endian order; an int, uint or uintptr has 8;
//   - a string: its length (8 bytes), its bytes;
//   - an array, a struct: its elements, its fields, one after another;
//   - a slice: 0 if it is nil, else its length plus 1 (8 bytes), its elements;
//   - a pointer: 0 if it is nil, else 1 (1 byte), and the value that it points to; that value
//     is left out at a depth of more than [MaxPointers] pointers;
//   - an interface: 0 if it is nil, else 1 (1 byte), the name of the type, if it has one,
//     after its import path and a dot, as a string, and the value;
//   - a function: 0 if it is nil, else 1 (1 byte) and a string. For a declared function the
//     string is its import path, a dot and its name. For a literal, the string is the last
//     element of its file's name, a colon and the line. For a method or an instance, the
//     string is empty;
//   - a map, a channel, an unsafe.Pointer: 0 if it is nil, else 1 (1 byte).
//
// A Sum is at least 1. For a variable that is a pointer, 0 means the value that the variable
// has when its kernel is registered.
//
// # Sources
//
// Stubs contain the checksums of the files from which their kernels were compiled, in [Sources].
// The list has all files, for any platform, of the packages of the kernels' own module that the
// kernels use directly or indirectly. The checksum of a file is that of its tokens and of the
// directives //kgen: and //go:, except those that generate. The runtime compares these checksums
// only in tests, where the files exist. Other modules have a version in go.mod.
//
// # Work-items
//
// A range kernel is dispatched in enough work-groups to cover GlobalRange, with any
// work-group size. Each invocation runs Kernel.Items work-items along x. Group g along x
// runs the work-items from g*Items*LocalSizeX on, up to those of the next group, and skips
// work-items beyond GlobalRange. Invocation l runs the items (g*Items+r)*LocalSizeX + l for
// r in [0, Items), which are strided by the work-group size. Instead, all invocations of a
// group may run other items of the group, of which some are next to each other. So a range
// kernel needs ceil(range.x / (LocalSizeX*Items)) groups along x.
//
// An nd-range kernel has Items == 1 and runs one work-item per invocation. GlobalRange must
// be a multiple of the work-group size. A task runs in one invocation with a work-group
// size of 1. Each dimension of GlobalRange is at most [MaxRange]. Group ids may begin at a
// base (vkCmdDispatchBase), so the module never reads NumWorkgroups.
//
// # Faults
//
// A fault record has [FaultRecordSize] bytes, which are zero before the launch:
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
// The first work-item that faults claims the record by an atomic compare-and-exchange of
// State, and writes the other fields. Later faults are dropped. In a module without barriers,
// a work-item may do this when it ends. The record is complete when the launch is.
//
// Only variants with Cancel read Leave, by atomic loads that are volatile. If Leave is not
// 0, a work-item records a fault with the Site [SiteCancelled], and ends.
//
// Only modules that the runtime has changed write Ended. The runtime changes modules for
// devices that end long loops early. After such a loop, work-items continue with wrong
// values, and the other fields of the record have no meaning. The numbers of loops are in
// the order of their OpLoopMerge instructions in the module. Kernel.Loops, and Variant.Loops
// for a variant, contain the source positions of the loops: entries in that order, separated
// by spaces. An entry is file:line:col, or line:col in the file of the previous entry. The
// entry "-" is for a loop that kgen has added.
//
// # Printing
//
// A kernel with calls of print, println, fmt.Print, fmt.Printf or fmt.Println has a print
// buffer, which is its last parameter. The print buffer is a slice of 32-bit words, which are
// zero before the launch. Two launches never share a print buffer. The buffer begins with
// [PrintHeader] words:
//
//	word  field
//	0     Used: words of records that were reserved after the header
//	1     Lost: calls whose record did not fit, modulo 2^32
//	2     LostHigh: how often Lost became 0 again
//
// A work-item reserves a record by one atomic addition to Used, so the records of a work-item
// are in the order of its calls. The work-item adds nothing if Used is already beyond the
// buffer's end, or if a string has more than [MaxPrintString] bytes. A record that begins or
// ends beyond the buffer's end is lost, and counted in Lost. A record consists of the number
// of its site, which is an index into Kernel.Prints plus 1, the global id x, y, z, and the
// values of PrintSite.Args. The record contains an argument in these words:
//
//   - bool, int8 to int32, uint8 to uint32, float32: one word, integers extended by their sign;
//   - int, int64, uint, uint64, uintptr, float64: two words, the low one first;
//   - complex64, complex128: the words of the real part and of the imaginary part;
//   - half.Float16 and the other types of package half: their bits, in one word;
//   - string: its length and its bytes, four to a word. If [PrintTable] is set in the
//     length, its offset in Kernel.PrintTexts follows instead of the bytes;
//   - text: the string that the value's Error or String method has returned. textstring: the
//     same, for a value whose own type is a string type;
//   - [n]T, and struct{name T; …}: the elements, or the fields;
//   - a text in Go's quotes, and nil: no words, because the value is known.
package abi
