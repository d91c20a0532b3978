// Package emit writes an [ir.Module] at level Legal as a SPIR-V module.
//
// Each op has one emitter, a row of the table in table.go. The passes have already fixed the
// meaning of each op. The package only chooses the SPIR-V for it:
//
//   - Types, constants, specialization constants, variables, helpers and capabilities are
//     declared at their first use: a module declares only what its code needs.
//   - Device memory has decorated types in gc's layout, and each access bitcasts the address to
//     a pointer. Phis, variables and calls never have pointers.
//   - Integers of 8 and 16 bits are kept in 32-bit words whose upper bits are undefined. They
//     have their own width only in device memory.
//   - In memory that invocations share, accesses are NonPrivatePointer if the
//     kernel synchronizes at all, and plain otherwise.
package emit
