// Package abi is the contract between the modules that kgen generates, the stubs that kgen generates and the runtime
// that launches them. This page and the types of the package define the ABI. The version of the ABI is [Version], which
// changes with this page and with the types of this package. Code that was generated for another version does not
// compile.
//
// # Modules
//
// A module is one SPIR-V 1.5 module with one GLCompute entry point named [EntryPoint]. The module uses the
// PhysicalStorageBuffer64 addressing model and the Vulkan memory model, and has no descriptors. All input of the module
// is in one block of push constants, the launch block. Numbers are little-endian. For each kernel the stubs contain a
// checksum of the kernel's files, Kernel.Sum. If a file differs from the file with which the stubs were generated, for
// example after a merge, the runtime uses none of the kernel's files.
//
// # Variants
//
// The first module of a kernel is Kernel.SPIRV. If a device lacks aspects that the first module uses, the device may be
// able to run another module of the kernel, which is called a variant. All modules of a kernel have the same launch
// block, arguments, work-items, fault record and sites, and leave the same values in memory. Variant.Without names the
// aspects that the variant does not use, and Kernel.Aspects names the aspects that all modules need. The runtime
// chooses a module when it makes a pipeline. The runtime chooses the first module if the device has every aspect that
// any Variant.Without lists. If the device lacks such an aspect, the runtime chooses the first variant that uses no
// missing aspect.
//
// Stubs contain most modules. If Variant.Make is not nil, the stubs do not contain the variant, and Make makes it from
// Kernel.IR when a device needs it. The result has the words that kgen would have written, and Variant.Sum is the
// checksum of these words. If the checksum differs, for example because of another version of the compiler, the kernel
// is not launched with that module.
//
// [VariantSmall] is another module for devices that can run the first module. VariantSmall is for launches that
// Variant.Products admits. VariantSmall computes an index in 32 bits if the index needs no more bits in these launches.
//
// [VariantWords] computes in 32-bit words, without Int64, Int8 and Int16. In this variant an int, uint, int64 or uint64
// consists of two 32-bit words. Numbers of 8 and 16 bits keep their size in memory. To load an 8-bit or 16-bit number,
// the variant loads the 32-bit word that contains the number, at a multiple of 4 bytes. To store the number, the
// variant exchanges this word atomically. For this reason every 32-bit word that contains an element must be readable,
// which is true for allocations. In VariantWords, a 64-bit specialization constant consists of two constants. The low
// word has the id of the constant, and the high word has the same id plus [SpecHigh]. Atomic operations on 64 bits
// cannot be computed in 32-bit words. A kernel with 64-bit atomics has no VariantWords, and can run only on devices
// with the aspects.
//
// [VariantAlone] does not use algorithms of sub-groups. VariantAlone uses work-group memory for the results that the
// first module computes by algorithms of sub-groups. A kernel has VariantAlone only if it needs sub-groups solely for
// algorithms of work-groups. VariantAlone needs no more work-group memory than the first module. [VariantAloneWords]
// has the properties of VariantAlone and VariantWords.
//
// [VariantCancel] is a variant for launches that may be cancelled. In each iteration of a loop that may run for a long
// time, work-items check whether the host has cancelled the launch (see Faults). If such a loop contains a barrier,
// VariantCancel needs 4 more bytes of work-group memory. If a kernel has VariantCancel, each variant with fewer aspects
// also exists as a variant that can be cancelled.
//
// # The launch block
//
//	offset 0, 8 bytes: FaultAddress, the device address of the launch's fault record.
//	offset 8, 12 bytes: GlobalRange, the number of work-items along x, y and z as three uint32.
//	offset 20, 4 bytes: reserved; must be zero, because modules rely on this value.
//	offset 24, Kernel.ArgSize bytes: the arguments.
//
// Dimension x varies fastest, and is the last dimension of the kernel's Go index. Dimension z is the first of three
// dimensions of the Go index. Missing dimensions are 1. Every Vulkan device accepts launch blocks of [MaxLaunchBlock]
// bytes. If the block would be larger, Kernel.Spilled is set and the arguments are in a separate buffer. In this case
// the launch block contains the buffer's device address (8 bytes) at offset 24. A kernel that was linked for a graph
// runs only on one device, and may use the largest launch block that this device accepts.
//
// # Arguments
//
// The kernel's receiver is divided into its members, depth first. Each member is one Param with an offset in the
// argument block. The encoding depends on the type of the member:
//
//   - A value without slices (a number, bool, array or struct of these) has the layout that gc gives it on
//     amd64. For example, a bool has one byte, and an int has eight bytes.
//   - A slice consists of a device address (8 bytes, aligned to 8) and a length in elements (int64). The
//     capacity in the kernel equals the length. A slice of length zero may have the address zero. Elements
//     have gc's layout and size. The address is a multiple of [MinSliceAlign] or of the element's alignment,
//     whichever is smaller.
//   - A dsl.LocalAccessor has no argument bytes. The length of accessor i is the specialization constant
//     with the id SpecAccessor+i.
//
// Kernel.Data contains tables that are too large for constants in a module. The data
// begin with [DataHeader]. The runtime keeps the data in device memory, at a multiple of
// 16 bytes, where modules can read them in words of 16 bytes. The runtime writes the
// address of the data (8 bytes) to Kernel.DataOffset of the argument block, after the
// other arguments.
//
// A kernel that prints has one more parameter after the parameters of the receiver. This parameter is the slice
// [PrintParam], which section Printing describes.
//
// Offsets are aligned as gc aligns the parameter's type, or better. An elided parameter is a parameter that the kernel
// never reads. Kernel.Params contains elided parameters, but they have no bytes in the argument block, and their Offset
// is -1. The same is true for a slice that is internal to the kernel (Param.Internal).
//
// # Intermediate representation
//
// Kernel.IR is the text of the kernel's intermediate representation after kgen's pass arrays. The text begins with
// [IRHeader]. When pass arrays has run, kgen has already decided how products and sums are rounded. The text of the IR
// does not depend on the device. When the runtime finalizes a graph, it makes one kernel from the IR of several
// kernels. The IR does not contain the constant data, which is in Kernel.Data.
//
// # Specialization constants
//
// The kernel's own specialization constants have the ids in Kernel.Specs, which are below [SpecReserved]. In all
// kernels of a package, the same constant has the same id. A constant of an array or struct type is divided into its
// scalars, depth first, and each scalar has an id. If the source chose an id, the first scalar has this id, and the
// next scalars have the ids after it. A bool is a boolean specialization constant, and its value is passed in four
// bytes as 0 or 1. An integer of 8 to 32 bits, an int or a uint is a 32-bit constant. Its value is sign-extended or
// zero-extended to 32 bits. int64 and uint64 have 64 bits. The runtime refuses values that do not fit the constant's
// type, and values outside of Min and Max of a SpecConstant. It also refuses values for which an expression in Locals
// or Privates is less than 1. No dimension of a work-group has more than [MaxLocalSize] work-items.
//
// Some ids are reserved. SpecLocalSizeX, Y and Z are the work-group size (uint32, x is the dimension that varies
// fastest) and decorate BuiltIn WorkgroupSize. Modules of several dimensions with sub-groups or barriers are an
// exception. In these modules, component x of WorkgroupSize is the product of the three constants. As a result each
// sub-group consists of consecutive work-items, however the device divides rows of work-items. The ids from
// [SpecAccessor] on are the lengths of local accessors (uint32, in elements). The ids from [SpecHigh] on are the high
// words of 64-bit constants in VariantWords.
//
// [SpecExactDivide] (a bool, true by default) is false if the device rounds float32 division and square root correctly.
// If the constant is false, the module uses the device's instructions without correction. If the constant is true, the
// module corrects the results of the instructions. The correction requires that the instructions have errors of at most
// three units in the last place, or seven for square roots. Larger errors are allowed if an operand or the result is
// tiny or huge. A module does not have SpecExactDivide if its mode is properties.FloatFast, or if it contains no
// divisions and roots. For float64 division and square root, modules always use the device's instructions.
//
// [SpecFused] (a bool, false by default) is true if the device meets three conditions. Fma of float32 rounds once.
// Inverses have errors of at most three units in the last place. Inverse square roots have errors of at most two
// units, as Vulkan requires. If the constant is true, the module corrects results by products and sums. If the
// constant is false, the module corrects results by integer operations, and the device's inverse square roots may have
// errors of three units. SpecFused is in modules that divide or compute roots or inverse roots, except in the mode
// properties.FloatFast. SpecFused is also in modules that call math32.FMA.
//
// [SpecFused64] (a bool, false by default) is true if Fma of float64 rounds once, also if the result is subnormal. It is
// in modules that call math.FMA or math32.HasFMA64. If the constant is false, math.FMA computes with integers.
//
// [SpecFlushed] (a uint32, 0 by default) counts the positive float32 values that the device treats as zero. SpecFlushed
// is 1<<23 - 1 if arithmetic or comparisons do not keep subnormals, and else 0. A module has SpecFlushed if it uses
// functions of package math32 whose results depend on subnormals.
//
// [SpecSubGroup] (a uint32, 1 by default) divides the size of each sub-group, except the last one of a work-group.
// Modules with matrices have SpecSubGroup.
//
// [SpecWhole] (a bool, true by default) is false if the device may run invocations that are not work-items. A device
// may run invocations that are not work-items if the work-group does not fill its last sub-group. In modules with
// barriers, these invocations do nothing if SpecWhole is false. Modules without barriers do not have SpecWhole.
//
// # Variables
//
// The values of package-level variables are part of the modules. If other packages can write to a variable,
// Kernel.Variables contains the variable and the checksum of the value in the modules. The checksum is computed by
// [Sum]. The runtime does not launch the kernel while the variable has another value. The bytes from which the checksum
// is computed depend on the type of the value:
//
//   - A bool, number or complex number has its own bytes, in little-endian order. An int, uint or uintptr has
//     8 bytes.
//   - A string has the bytes of its length (8 bytes), and then the bytes of the string.
//   - An array has the bytes of its elements in order, and a struct has the bytes of its fields in order.
//   - A nil slice has one 8-byte word, which is 0. Any other slice has the bytes of its length plus 1
//     (8 bytes), and then the bytes of its elements.
//   - A nil pointer has one byte, which is 0. Any other pointer has a byte 1, and then the bytes of the value
//     to which it points. The bytes of the value are omitted at a depth of more than [MaxPointers] pointers.
//   - A nil interface has one byte, which is 0. Any other interface has a byte 1, the name of the value's
//     type as a string, and then the bytes of the value. The name of a type follows its import path and a
//     dot. For a type without a name, the name is omitted.
//   - A nil function has one byte, which is 0. Any other function has a byte 1 and then a string. For a
//     declared function the string is its import path, a dot and its name. For a function literal, the
//     string is the last element of its file's name, a colon and the line. For a method or an instance, the
//     string is empty.
//   - A map, channel or unsafe.Pointer has one byte, which is 0 if the value is nil and else 1.
//
// The checksum in Variable.Sum is at least 1. If the variable is a pointer, Sum may be 0, which stands for the
// pointer's value when the kernel is registered.
//
// # Sources
//
// Stubs contain the checksums of the files from which their kernels were compiled, in [Sources]. The list covers the
// packages in the module of the kernels that the kernels use directly or indirectly. It contains all files of these
// packages, for all platforms. The checksum of a file is computed from its tokens and from the directives //kgen: and
// //go:, except //go:generate. The runtime compares these checksums only in tests, because the files exist only there.
// Files of other modules are not listed, because go.mod contains the version of these modules.
//
// # Work-items
//
// A range kernel is dispatched in enough work-groups to cover GlobalRange, with any work-group size. Each invocation
// runs Kernel.Items work-items along x. Group g along x runs Items*LocalSizeX work-items, the first of which is
// g*Items*LocalSizeX. The group skips work-items beyond GlobalRange. In general, invocation l runs the work-items
// (g*Items+r)*LocalSizeX + l for r in [0, Items), which are LocalSizeX apart. A module may distribute the group's
// work-items over the invocations in another way, so that an invocation runs adjacent work-items. A range kernel needs
// ceil(range.x / (LocalSizeX*Items)) groups along x.
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
//	offset 0, 4 bytes: State, which is 0 if no work-item has faulted, and 1 after a work-item has claimed the record.
//	offset 4, 4 bytes: Site, which is an index into Kernel.Sites.
//	offset 8, 8 bytes: A, the first value as an int64, for example an index or a shift count.
//	offset 16, 8 bytes: B, the second value as an int64, for example a length or a capacity.
//	offset 24, 12 bytes: the global id of the work-item, x, y and z as uint32.
//	offset 36, 4 bytes: Leave, which is 0 until the host cancels the running launch.
//	offset 40, 4 bytes: Ended, which is 0 or the number of a loop that the device ended early, from 1.
//
// The first work-item that faults claims the record by an atomic compare-and-exchange of State, and writes the other
// fields. Faults of other work-items are not recorded. In a module without barriers, a work-item may delay the record
// of its fault until the work-item ends. The fault record is complete when the launch has completed.
//
// Only variants with field Cancel read the word Leave. They use volatile atomic loads. If Leave is not 0, a work-item
// records a fault whose Site is [SiteCancelled], and ends.
//
// Only modules that the runtime has changed write the word Ended. The runtime changes modules for devices that end long
// loops early. After a loop that the device ended early, work-items continue with wrong values, and the other fields of
// the record have no meaning. Loops are numbered in the order of their OpLoopMerge instructions in the module.
// Kernel.Loops, and Variant.Loops for a variant, contain the source positions of the loops in the same order, separated
// by spaces. A position is file:line:col, or line:col if the file is the file of the previous position. The position
// "-" stands for a loop that kgen has added.
//
// # Printing
//
// A kernel with calls of print, println, fmt.Print, fmt.Printf or fmt.Println has a print buffer, which is its last
// parameter. The print buffer is a slice of 32-bit words, which are zero before the launch. Two launches never share a
// print buffer. The first [PrintHeader] words of the buffer are a header:
//
//	word 0: Used, the number of words that were reserved for records after the header.
//	word 1: Lost, the number of calls whose record did not fit, modulo 2^32.
//	word 2: LostHigh, the number of times that Lost became 0 again.
//
// A work-item reserves a record by one atomic addition to Used, so the records of a work-item are in the order of its
// calls. The work-item does not reserve a record if Used is already beyond the buffer's end, or if a string has more
// than [MaxPrintString] bytes. A record that begins or ends beyond the buffer's end is lost. Lost records are counted
// in Lost. A record consists of the site number, the global id x, y, z, and the values of PrintSite.Args. The site
// number is an index into Kernel.Prints plus 1. The words of an argument's value depend on its type:
//
//   - A bool, float32 or integer of up to 32 bits has one word. A smaller integer is sign-extended
//     or zero-extended to the word.
//   - An int, int64, uint, uint64, uintptr or float64 has two words, the low word first.
//   - A complex64 or complex128 has the words of the real part, and then the words of the imaginary part.
//   - A half.Float16 or another number type of package half has one word, which contains the number's bits.
//   - A string has a word with its length, and then its bytes, four to a word. If [PrintTable] is set in the
//     length, the second word is the string's offset in Kernel.PrintTexts, and the bytes are missing.
//   - An argument of type text has the words of the string that its Error or String method has returned. For
//     a value whose own type is a string type, the argument's type is textstring, with the same words.
//   - An array, as in [n]T, has the words of its elements. A struct, as in struct{name T; …}, has the words of
//     its fields.
//   - A quoted Go string in PrintSite.Args, or nil, stands for an argument that has no words,
//     because its value is known.
package abi
