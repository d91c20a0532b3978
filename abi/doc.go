// Package abi is the contract between generated code and the runtime. kgen generates modules and
// stubs, and the runtime launches the modules. This page and the types of the package define the
// ABI. The version of the ABI is [Version], which changes with this page and with the types of this
// package. Stubs that were generated for another version of the ABI do not compile.
//
// # Modules
//
// A module is one SPIR-V 1.5 module with one GLCompute entry point named [EntryPoint]. The module
// uses the PhysicalStorageBuffer64 addressing model and the Vulkan memory model, and has no
// descriptors. All input of the module is in one block of push constants, the launch block. Numbers
// are little-endian. For each kernel the stubs contain a checksum of the kernel's files,
// Kernel.Sum. A kernel's files may not match its stubs, for example after a merge. If the checksum
// of a kernel's files differs from Kernel.Sum, the runtime uses none of the kernel's files.
//
// # Variants
//
// The first module of a kernel is Kernel.SPIRV. If a device lacks aspects that the first module
// uses, the device may be able to run another module of the kernel. All modules except the first
// are called variants. All modules of a kernel have the same launch block, arguments, work-items,
// fault record and fault sites. For equal arguments, all modules of a kernel leave the same values
// in memory. Variant.Without names the aspects that the variant does not use, and Kernel.Aspects
// names the aspects that all modules need. The runtime chooses a module when it makes a pipeline.
// The runtime chooses the first module if the device has every aspect in Variant.Without of every
// variant. If the device lacks an aspect in a Variant.Without, the runtime chooses the first
// variant that needs only aspects of the device.
//
// Stubs contain the modules of most variants. If the stubs do not contain the module of a variant,
// Variant.Make makes the module from Kernel.IR when a device needs the module. Variant.Make must
// make the same words that kgen would have written, and Variant.Sum is the checksum of the words
// that kgen would have written. If the words that Variant.Make made have another checksum, for
// example because of another version of the compiler, the runtime does not launch the module.
//
// [VariantSmall] runs on the same devices as the first module, but only in launches with small
// sizes (see Variant.Products). VariantSmall computes an index in 32 bits if the index fits in 32
// bits in all launches with small sizes.
//
// [VariantWords] computes in 32-bit words, without the aspects Int64, Int8 and Int16. In
// VariantWords, an int, uint, int64 or uint64 consists of two 32-bit words. In VariantWords,
// numbers of 8 and 16 bits have the same size in memory as in the first module. To load an 8-bit or
// 16-bit number, VariantWords loads the aligned 32-bit word that contains the number. To store an
// 8-bit or 16-bit number, VariantWords exchanges the aligned 32-bit word atomically. Every aligned
// 32-bit word that contains an element must therefore be readable, which is true in all memory that
// the runtime allocates. In VariantWords, a 64-bit specialization constant consists of two
// constants. The low word has the id of the constant, and the high word has the same id plus
// [SpecHigh]. Atomic operations on 64 bits cannot be computed in 32-bit words. A kernel with 64-bit
// atomic operations has no VariantWords, and can run only on devices with the aspects of the first
// module.
//
// [VariantAlone] does not use algorithms of sub-groups. VariantAlone uses work-group memory for the
// results that the first module computes by algorithms of sub-groups. A kernel has VariantAlone
// only if the kernel needs sub-groups solely for algorithms of work-groups. VariantAlone needs no
// more work-group memory than the first module. [VariantAloneWords] has the properties of
// VariantAlone and VariantWords.
//
// [VariantCancel] is a variant for launches that may be cancelled. In each iteration of a loop that
// may run for a long time, work-items check whether the host has cancelled the launch (see Faults).
// If a loop in which work-items check for cancellation contains a barrier, VariantCancel needs 4
// more bytes of work-group memory. If a kernel has VariantCancel, each variant for devices that
// lack aspects has a counterpart that can be cancelled.
//
// # The launch block
//
//	offset 0, 8 bytes: FaultAddress, the device address of the launch's fault record.
//	offset 8, 12 bytes: GlobalRange, the number of work-items along x, y and z as three uint32.
//	offset 20, 4 bytes: a reserved word, which must be zero because modules load zeros from the word.
//	offset 24, Kernel.ArgSize bytes: the arguments.
//
// Dimension x varies fastest, and is the last dimension of the kernel's Go index. Dimension z is
// the first of three dimensions of the Go index. In a launch with fewer than three dimensions, the
// size of each missing dimension is 1. Every Vulkan device accepts launch blocks of
// [MaxLaunchBlock] bytes. If a launch block with the arguments would be larger than MaxLaunchBlock,
// Kernel.Spilled is set and the arguments are in a separate buffer. If Kernel.Spilled is set, the
// launch block contains the device address of the separate buffer (8 bytes) at offset 24. A kernel
// that was linked for a graph runs only on one device, and may use the largest launch block that
// this device accepts.
//
// # Arguments
//
// The kernel's receiver is divided into its members, depth first. Each member is one Param with an offset in the
// argument block. The encoding depends on the type of the member:
//
//   - A value without slices (a number, a bool, or an array or struct of numbers and bools) has the
//     layout that gc gives it on amd64. For example, a bool has one byte, and an int has eight
//     bytes.
//   - A slice consists of a device address (8 bytes, aligned to 8) and a length in elements
//     (int64). In the kernel, the capacity of the slice equals the length. A slice of length zero
//     may have the address zero. The elements of a slice have gc's layout and size. The address of
//     a slice is a multiple of [MinSliceAlign] or of the element's alignment, whichever is smaller.
//   - A dsl.LocalAccessor has no bytes in the argument block. The length of local accessor i is the
//     specialization constant with the id SpecAccessor+i.
//
// Kernel.Data contains tables that are too large for constants in a module. Kernel.Data begins with
// [DataHeader]. The runtime keeps Kernel.Data in device memory, at a multiple of 16 bytes, so that
// modules can read words of 16 bytes. The runtime writes the address of Kernel.Data (8 bytes) to
// the offset Kernel.DataOffset of the argument block, after the other arguments.
//
// A kernel that prints has one more parameter after the parameters of the receiver. The additional
// parameter is the slice [PrintParam], which section Printing describes.
//
// The offset of a parameter is a multiple of the alignment that gc gives to the parameter's type.
// An elided parameter is a parameter that the kernel never reads. Kernel.Params contains elided
// parameters, but they have no bytes in the argument block, and their Offset is -1. An internal
// slice (see Param.Internal) has no bytes in the argument block either, and its Offset is -1, too.
//
// # Intermediate representation
//
// Kernel.IR is the text of the kernel's intermediate representation after the compiler pass
// "arrays". Kernel.IR begins with [IRHeader]. The passes up to "arrays" have already decided how
// products and sums are rounded. The text of the IR does not depend on the device. When the runtime
// finalizes a graph, it makes one kernel from the IR of several kernels. The IR does not contain
// the constant data, which is in Kernel.Data.
//
// # Specialization constants
//
// The kernel's own specialization constants have the ids in Kernel.Specs, which are below
// [SpecReserved]. A specialization constant has the same id in all kernels of a package. A constant
// of an array or struct type is divided into its scalars, depth first, and each scalar has an id.
// If the source chooses an id for an array or struct, the first scalar has the chosen id, and the
// other scalars have the following ids. A bool is a boolean specialization constant, and its value
// is passed in four bytes as 0 or 1. An integer of 8 to 32 bits, an int or a uint is a 32-bit
// constant. The value of an 8-bit or 16-bit integer is sign-extended or zero-extended to 32 bits.
// int64 and uint64 have 64 bits. The runtime refuses values that do not fit the constant's type,
// and values outside of Min and Max of a SpecConstant. If values of specialization constants make
// an expression in Locals or Privates less than 1, the runtime refuses these values, too. No
// dimension of a work-group has more than [MaxLocalSize] work-items.
//
// The ids from [SpecReserved] on have a fixed meaning. The constants with the ids SpecLocalSizeX,
// SpecLocalSizeY and SpecLocalSizeZ are the components of the work-group size (uint32, x is the
// dimension that varies fastest). In most modules, SpecLocalSizeX, SpecLocalSizeY and
// SpecLocalSizeZ are also the components of SPIR-V's built-in WorkgroupSize. In modules of several
// dimensions with sub-groups or barriers, component x of WorkgroupSize is the product of
// SpecLocalSizeX, SpecLocalSizeY and SpecLocalSizeZ. With a WorkgroupSize of one dimension, each
// sub-group consists of consecutive work-items on every device. The constants with ids from
// [SpecAccessor] on are the lengths of local accessors (uint32, in elements). The constants with
// ids from [SpecHigh] on are the high words of 64-bit constants in VariantWords.
//
// [SpecExactDivide] (a bool, true by default) is false if the device rounds float32 division and
// square root correctly. If SpecExactDivide is false, the module uses the device's division and
// square root without correction. If SpecExactDivide is true, the module corrects the results of
// the device's division and square root. Errors of the device's division must not exceed three
// units in the last place. Errors of the device's square root must not exceed seven units in the
// last place. If an operand or the result is tiny or huge, the error of the device's division or
// square root may be larger. A module does not have SpecExactDivide if its mode is
// properties.FloatFast, or if it contains no divisions and roots. For float64 division and square
// root, modules always use the device's instructions.
//
// [SpecFused] (a bool, false by default) is true if the device meets three conditions. First, the
// device's Fma of float32 rounds once. Second, the device's inverses of float32 have errors of at
// most three units in the last place. Third, the device's inverse square roots of float32 have
// errors of at most two units in the last place, as Vulkan requires. If SpecFused is true, the
// module corrects the results of divisions and roots by products and sums. If SpecFused is false,
// the module corrects the results by integer operations, and the device's inverse square roots may
// have errors of three units. Modules that divide or compute roots or inverse roots have SpecFused,
// except in the mode properties.FloatFast. Modules that call math32.FMA also have SpecFused.
//
// [SpecFused64] (a bool, false by default) is true if Fma of float64 rounds once, also if the
// result is subnormal. Modules that call math.FMA or math32.HasFMA64 have SpecFused64. If
// SpecFused64 is false, math.FMA computes with integers.
//
// [SpecFlushed] (a uint32, 0 by default) counts the positive float32 values that the device treats as zero. SpecFlushed
// is 1<<23 - 1 if arithmetic or comparisons do not keep subnormals, and else 0. A module has SpecFlushed if it uses
// functions of package math32 whose results depend on subnormals.
//
// [SpecSubGroup] (a uint32, 1 by default) is a divisor of the size of each sub-group, except the
// last sub-group of a work-group. Modules with matrices have SpecSubGroup.
//
// [SpecWhole] (a bool, true by default) is false if the device may run invocations that are not
// work-items. A device may run invocations that are not work-items if the work-group does not fill
// its last sub-group. In modules with barriers, invocations that are not work-items do nothing if
// SpecWhole is false. Modules without barriers do not have SpecWhole.
//
// # Variables
//
// The values of package-level variables are part of the modules. If other packages can write to a
// variable, Kernel.Variables contains the variable and the checksum of the value in the modules.
// The function [Sum] computes the checksum of a variable's value. The runtime does not launch the
// kernel while the value of the variable differs from the value in the modules. The checksum is
// computed from bytes that depend on the type of the value:
//
//   - A bool, number or complex number has the bytes of its representation in memory, in
//     little-endian order. An int, uint or uintptr has 8 bytes.
//   - A string has the bytes of its length (8 bytes), and then the bytes of the string.
//   - An array has the bytes of its elements in order, and a struct has the bytes of its fields in order.
//   - A nil slice has one 8-byte word, which is 0. A slice that is not nil has the bytes of its
//     length plus 1 (8 bytes), and then the bytes of its elements.
//   - A nil pointer has one byte, which is 0. A pointer that is not nil has a byte 1, and then the
//     bytes of the value to which it points. If more than [MaxPointers] pointers are nested, the
//     bytes of the innermost values are omitted.
//   - A nil interface has one byte, which is 0. An interface that is not nil has a byte 1, the name
//     of the value's type as a string, and then the bytes of the value. The string for a named type
//     is the import path, a dot and the name of the type. The string for a type without a name is
//     empty.
//   - A nil function has one byte, which is 0. A function that is not nil has a byte 1, and then
//     the bytes of a string. For a declared function the string is the import path, a dot and the
//     name of the function. For a function literal, the string is the last element of its file's
//     name, a colon and the line. For a method, or an instance of a generic function, the string is
//     empty.
//   - A map, channel or unsafe.Pointer has one byte, which is 0 if the value is nil and else 1.
//
// The checksum in Variable.Sum is at least 1. For a pointer variable, Variable.Sum may be 0. If
// Variable.Sum is 0, the modules contain the value that the pointer variable has when the kernel is
// registered.
//
// # Sources
//
// Stubs contain the checksums of the files from which their kernels were compiled, in [Sources].
// The list [Sources] covers all packages that the kernels use directly or indirectly, if the
// packages belong to the kernels' Go module. Sources lists all files of the covered packages, for
// all platforms. The checksum of a file is computed from its tokens and from the directives //kgen:
// and //go:, except //go:generate. The runtime compares the checksums of the source files only in
// tests, because the source files may be missing when other programs run. Files of other Go modules
// are not listed, because go.mod contains the versions of the other modules.
//
// # Work-items
//
// A range kernel is dispatched in enough work-groups to cover GlobalRange, with any work-group
// size. Each invocation runs Kernel.Items work-items along x. Group g along x runs Items*LocalSizeX
// work-items, the first of which is g*Items*LocalSizeX. A work-group does not run work-items beyond
// GlobalRange. Usually, invocation l of group g runs the work-items (g*Items+r)*LocalSizeX + l for
// r in [0, Items), which are LocalSizeX apart. A module may distribute the group's work-items over
// the invocations in another way, so that an invocation runs adjacent work-items. A range kernel
// needs ceil(range.x / (LocalSizeX*Items)) groups along x.
//
// An nd-range kernel has Items == 1 and runs one work-item per invocation. GlobalRange must be a
// multiple of the work-group size. A task runs in one invocation, and the work-group size is 1.
// Each dimension of GlobalRange is at most [MaxRange]. The ids of work-groups may begin at a base
// (vkCmdDispatchBase), so modules never read the built-in NumWorkgroups.
//
// # Faults
//
// A fault record has [FaultRecordSize] bytes, which are zero before the launch:
//
//	offset 0, 4 bytes: State, which is 0 if no work-item has faulted, and 1 after a work-item has claimed the record.
//	offset 4, 4 bytes: Site, which is an index into Kernel.Sites.
//	offset 8, 8 bytes: A, the first value as an int64, for example an index or a shift count.
//	offset 16, 8 bytes: B, the second value as an int64, for example a length or a capacity.
//	offset 24, 12 bytes: the global id of the work-item, with x, y and z as uint32.
//	offset 36, 4 bytes: Leave, which is 0 until the host cancels the running launch.
//	offset 40, 4 bytes: Ended, which is the number (from 1) of a loop that the device ended early, or 0.
//
// The first work-item that faults claims the record by an atomic compare-and-exchange of State, and
// writes the other fields. Later faults of the launch are not recorded. In a module without
// barriers, a work-item may delay the record of its fault until the work-item ends. The fault
// record is complete when the launch has completed.
//
// Only variants with field Cancel read the word Leave. Variants read the word Leave by volatile
// atomic loads. If Leave is not 0, a work-item records a fault whose Site is [SiteCancelled], and
// ends.
//
// Only modules that the runtime has changed write the word Ended. The runtime changes modules for
// devices that end long loops early. After a loop that the device ended early, work-items continue
// with wrong values, and the other fields of the record have no meaning. Loops are numbered in the
// order of their OpLoopMerge instructions in the module. Kernel.Loops, and Variant.Loops for a
// variant, contain the source positions of the loops in the order of the numbers, separated by
// spaces. A position in Kernel.Loops is file:line:col, or line:col if the previous position is in
// the same file. The position "-" stands for a loop that kgen has added.
//
// # Printing
//
// A kernel with calls of print, println, fmt.Print, fmt.Printf or fmt.Println has a print buffer,
// which is the kernel's last parameter. The print buffer is a slice of 32-bit words, which are zero
// before the launch. Two launches never share a print buffer. The first [PrintHeader] words of the
// buffer are a header:
//
//	word 0: Used, the number of words that were reserved for records after the header.
//	word 1: Lost, the number of calls whose record did not fit, modulo 2^32.
//	word 2: LostHigh, the number of times that Lost became 0 again.
//
// A work-item reserves a record by one atomic addition to Used, so the records of a work-item are
// in the order of the work-item's calls. The work-item does not reserve a record if Used is already
// beyond the buffer's end, or if a string has more than [MaxPrintString] bytes. A record that
// begins or ends beyond the buffer's end is lost. The header's word Lost counts the lost records. A
// record consists of the site number, the global id x, y, z, and the values of PrintSite.Args. The
// site number is an index into Kernel.Prints plus 1. The words of an argument's value depend on the
// argument's type:
//
//   - A bool, float32 or integer of up to 32 bits has one word. An integer of less than 32 bits is
//     sign-extended or zero-extended to a word.
//   - An int, int64, uint, uint64, uintptr or float64 has two words, the low word first.
//   - A complex64 or complex128 has the words of the real part, and then the words of the imaginary part.
//   - A half.Float16 or another number type of package half has one word, which contains the number's bits.
//   - A string has a word with its length, and then its bytes, four to a word. If the bit
//     [PrintTable] is set in the word with the length, the next word is the string's offset in
//     Kernel.PrintTexts. The bytes of a string in Kernel.PrintTexts are not in the record.
//   - An argument of type text or textstring is a value with an Error or String method. An argument
//     of type text or textstring has the words of the string that the Error or String method has
//     returned. The argument's type is textstring if the value itself has a string type.
//   - An array, as in [n]T, has the words of its elements. A struct, as in struct{name T}, has the
//     words of its fields.
//   - If the value of an argument is known, PrintSite.Args contains a quoted Go string or nil, and
//     the record contains no words of the argument.
package abi
