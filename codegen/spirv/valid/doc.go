// Package valid checks SPIR-V modules from other sources than kgen before they are passed to a driver.
// Drivers do not check modules, so a module that breaks a rule of SPIR-V may crash the process. The input is
// a module that [spirv.Parse] has accepted. The result of [Check] is an error, or [Facts] about the module.
//
// [Check] accepts the part of SPIR-V that compute kernels with kgen's ABI can use: the GLCompute model, push
// constants, physical storage buffers, work-group, private and function memory, and GLSL.std.450. Check
// refuses all other parts, such as images, descriptors, other stages and OpenCL, because such a module could
// not run. The rules are those of the SPIR-V specification (unified1) and of the Vulkan environment for
// SPIR-V (Vulkan 1.3, appendix A). Section numbers in comments refer to the SPIR-V specification.
//
// [spirv.Parse] has checked operand patterns and the order of sections. Check adds these checks:
//
//   - module.go: capabilities, extensions, memory model, entry point, interface
//   - types.go, constants.go, eval.go: types, constants and sizes
//   - decorations.go, layout.go: which ids may have a decoration, and the offsets of members
//   - body.go: functions and calls; the definition of an id must dominate its uses
//   - flow.go, structure.go: dominators, and structured control flow (2.11)
//   - arithmetic.go, composite.go, memory.go, atomic.go, group.go, cooperative.go, glsl.go: the
//     operands and results of each instruction, as rows of tables
//
// Check also limits the nesting of types and control flow, the number of scalars in a value, and the number
// of instructions after all calls are inlined.
package valid
