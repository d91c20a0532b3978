// Package spirv is SPIR-V itself: the module model, the opcode and enumerant
// tables, a [Builder], the binary writer and reader, and a disassembler. It knows
// nothing of kernels and imports nothing of kgen. Names are spelled as the SPIR-V
// specification (unified1, version 1.6) spells them; section numbers in comments are
// its.
//
//   - [Module] has one list of instructions for each section of the logical
//     layout of a module (2.4). [Instruction] keeps its operands as words
//     (2.3); a [Decoder] gives them their meaning from the operand patterns of
//     the grammar (3.49).
//   - [Builder] allocates ids and defines types and constants once (2.8,
//     "Types and Variables"); [Builder.Module] is the checked result, with ids
//     dense in the order of definition.
//   - [Module.Words] writes the physical layout (2.3), and [Parse] reads it:
//     what Parse accepts comes back word for word, and no input makes it
//     panic.
//   - [Module.SpecConstants], [Module.EntryPointsInfo], [Module.RemapIDs] and
//     [Module.Compact] serve whoever loads modules.
//
// The tables in the z files come from the grammar that Khronos publishes in
// SPIRV-Headers, without OpenCL and Intel's extensions; `make grammar` writes
// them anew.
package spirv
