// Package emit writes an [ir.Module] at level Legal as a SPIR-V module.
//
// One op has one emitter, a row of the table in table.go; what an op means has
// been decided by the time it comes here. The package only chooses how SPIR-V
// says it:
//
//   - Types, constants, specialization constants, variables and helpers come
//     into being when something uses them, and so do capabilities: a module
//     declares what its code needs and nothing else.
//   - Device memory has decorated types in gc's layout and is reached by a
//     bitcast of the address at every access; a pointer never stands in a phi,
//     a variable or a call.
//   - Integers of 8 and 16 bits are held in 32-bit words whose upper bits mean
//     nothing, and have their own width in device memory only.
//   - In memory that invocations share, accesses are NonPrivatePointer if the
//     kernel synchronizes at all, and plain otherwise.
package emit
