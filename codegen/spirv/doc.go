// Package spirv implements SPIR-V. The package contains the module model, the tables of opcodes and
// enumerants, a [Builder], the binary writer and reader, and a disassembler. The package does not
// depend on kernels or on other packages of kgen. The package uses the names of the SPIR-V
// specification (unified1, version 1.6). Section numbers in comments refer to the SPIR-V
// specification.
//
//   - [Module] has one list of instructions for each section of the logical layout of a module
//     (2.4). An [Instruction] contains operands as words (2.3). A [Decoder] interprets operands by
//     the operand patterns of the grammar (3.49).
//   - [Builder] allocates ids, and defines equal types and constants only once (2.8, "Types and
//     Variables"). [Builder.Module] returns the checked module. In the module from Builder.Module, ids
//     are numbered without gaps in the order of their definitions.
//   - [Module.Words] writes the physical layout (2.3), and [Parse] reads it.
//     Words returns exactly the words that Parse has accepted. Parse does not
//     panic on any input.
//   - [Module.SpecConstants], [Module.EntryPointsInfo], [Module.RemapIDs] and
//     [Module.Compact] are for programs that load modules.
//
// The tables in the z files are generated from the grammar that Khronos publishes in SPIRV-Headers,
// without OpenCL and Intel's extensions. `make grammar` generates the z files again.
package spirv
