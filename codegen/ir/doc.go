// Package ir defines kgen's intermediate representation (IR) of one kernel. The IR is in SSA form,
// the values of the IR are scalars, and the structure of the IR is close to SPIR-V's.
//
// The main types are [Module] (a kernel with its helpers, variables and constants), [Func],
// [Block], [Value] (an operation and its result), [Var] (memory) and [Type]. The operations are
// listed in _gen/ops.go.
//
// Values are bools, integers, floats and device addresses. Integer types are neither signed nor
// unsigned, but there are signed and unsigned operations. Package lower splits structs, arrays and
// slices. A Go variable that needs an address becomes a Var. A path of indices selects the scalar
// of a Var for a load or store. A slice becomes an address and a length. Integers of 8 and 16 bits
// exist only in memory and as operands of conversions. Arithmetic operations have integers of 32 or
// 64 bits.
//
// A module has one of three levels:
//
//   - Built modules are the result of package lower. The control flow of Built modules is
//     unrestricted, and the run-time checks of Built modules are branches to Fault operations.
//   - Structured modules have SPIR-V's merge blocks and continue targets.
//   - Legal modules contain only operations that package spirv/emit can translate.
//
// Verify checks whether a module follows the rules of its level. Tests run Verify after every pass.
//
// The printed form of a module has one line for each value:
//
//	%7 = IAdd i64 %5, %6
//	Store [%3 f32, %7], %9
package ir
