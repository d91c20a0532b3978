// Package valid checks SPIR-V modules that kgen has not made, before the modules are passed to a
// driver. Drivers do not check modules, so a module that breaks a rule of SPIR-V may crash the
// process. The input is a module that [spirv.Parse] has accepted. The result of [Check] is an
// error, or [Facts] about the module.
//
// [Check] accepts only the part of SPIR-V that can occur in a compute kernel with kgen's ABI. This
// part of SPIR-V has one execution model, GLCompute. Its memory is push constants, physical storage
// buffers, and work-group, private and function memory. It has the instructions of GLSL.std.450. Check refuses images,
// descriptors, other stages, OpenCL and all other parts of SPIR-V, because kgen cannot run modules
// that use them. Check applies the rules of the SPIR-V specification (unified1) and of the Vulkan
// environment for SPIR-V (Vulkan 1.3, appendix A). Section numbers in comments refer to the SPIR-V
// specification.
//
// [spirv.Parse] has checked operand patterns and the order of sections. Check adds the following checks:
//
//   - The checks of capabilities, extensions, memory model, entry point and interface are in module.go.
//   - The checks of types, constants and sizes are in types.go, constants.go and eval.go.
//   - The checks of decorations and of member offsets are in decorations.go and layout.go.
//   - The checks of functions and calls are in body.go. Definitions must also dominate their uses.
//   - The checks of structured control flow (2.11) are in structure.go, and flow.go computes dominator
//     trees.
//   - The checks of each instruction's operands and result are functions in tables. The tables are
//     in arithmetic.go, composite.go, memory.go, atomic.go, group.go, cooperative.go and glsl.go.
//
// Check also limits the nesting of types and control flow, the number of scalars in a value, and the number
// of instructions after all calls are inlined.
package valid
