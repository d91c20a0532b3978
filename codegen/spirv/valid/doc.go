// Package valid checks SPIR-V modules that somebody else has written, before a
// driver sees them. Drivers trust modules: one that breaks a rule of SPIR-V may
// end the process that hands it over.
//
// [Check] knows the part of SPIR-V that compute kernels of kgen's ABI can use:
// the GLCompute model, push constants, physical storage buffers, work-group,
// private and function memory, and GLSL.std.450. What lies outside of it (images,
// descriptors, other stages, OpenCL) it refuses, too: such a module could not run.
// The rules are those of the SPIR-V specification (unified1), whose section numbers
// comments cite, and of the Vulkan environment for SPIR-V (Vulkan 1.3, appendix A).
//
// [spirv.Parse] has checked operand patterns and the order of sections. Check goes
// on from there:
//
//   - module.go: capabilities, extensions, memory model, entry point, interface
//   - types.go, constants.go, eval.go: types, constants and the sizes they make
//   - decorations.go, layout.go: what decorates what, and where members lie
//   - body.go: functions, ids defined before use and dominating it, calls
//   - flow.go, structure.go: dominators, and structured control flow (2.11)
//   - arithmetic.go, composite.go, memory.go, atomic.go, group.go, cooperative.go, glsl.go: the
//     operands and results of each instruction, as rows of tables
//
// Sizes are bounded as well: nesting of types and of control flow, the number of
// scalars in a value, and the number of instructions when all calls are inlined.
package valid
