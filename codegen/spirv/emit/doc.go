// Package emit writes an [ir.Module] at level Legal as a SPIR-V module. [Emit] returns the words of
// the module.
//
// Each op has one emitter in the tables of table.go. Passes have replaced all ops whose
// meaning depends on the device or launch. Package emit only chooses the SPIR-V constructs by these rules:
//
//   - Types, constants, specialization constants, variables, helpers and
//     capabilities are declared at their first use. Thus a module declares only
//     things that its code needs.
//   - Types of device memory have decorations for gc's layout. Every access to device memory
//     converts the address to a pointer by a bitcast. A pointer is never in a phi, a variable or a
//     call.
//   - Integers of 8 and 16 bits are computed in 32-bit words whose upper bits are
//     undefined. In device memory, integers of 8 and 16 bits occupy one or two bytes.
//   - If the kernel synchronizes, its accesses to shared memory have the operand NonPrivatePointer.
//     Accesses in other kernels do not have this operand.
package emit
