// Package back compiles a kernel's lowered module to SPIR-V. Package back is the second half of
// kgen.
//
// [Compile] makes the following modules of a kernel, each from a clone of Kernel.Module:
//
//   - The first module serves every launch on a device that has the aspects of the module.
//   - The variant "words" is the first module after split64.Lower, which removes wide integers.
//   - The variant "small" serves launches with few work-items and short slices.
//   - The variant "alone" uses no sub-groups. The variant "aloneWords" is "alone" after split64.Lower.
//   - In the variants "cancel…", work-items end early when the host cancels the launch.
//
// The first module determines the aspects that the kernel needs, and the fault sites of the kernel.
// A variant is a module for some launches or devices. abi.Kernel.Variants describes the launches or
// devices of each variant. A variant has the same work-items and the same faults as the first
// module. The variant "small" is omitted if it saves few operations. A variant that avoids aspects
// is omitted if the first module uses none of the avoided aspects.
//
// The variants "words" and "aloneWords" use only 32-bit integers. Package back imports neither Go's
// syntax packages nor kgen's loader, so the runtime can call package back in programs.
package back
