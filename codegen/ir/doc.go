// Package ir is kgen's intermediate representation of one kernel: SSA, scalar
// and SPIR-V-shaped.
//
// Values are scalars: bool, integers without sign (the ops have it), floats and
// device addresses. Structs, arrays and slices have been taken apart by package
// lower: what must have an address is a Var, reached by loads and stores with a
// path; a slice is an address and a length. Integers of 8 and 16 bits exist in
// memory and as operands of conversions only; arithmetic runs in 32 or 64 bits.
//
// A module goes through levels. Built is what lower makes: any control flow,
// checks as branches to Fault ops. Structured adds SPIR-V's merge and continue
// blocks. Legal has only what spirv/emit has an emitter for. Verify checks a
// level's rules, and runs after every pass in tests.
//
// The printed form is one line per value:
//
//	%7 = IAdd i64 %5, %6
//	Store [%3 f32, %7], %9
package ir
