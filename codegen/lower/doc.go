// Package lower translates the go/ssa form of a kernel into the IR of package ir.
//
// Everything is inlined. At each call, the callee's body is lowered again with its arguments bound.
// So function values, closures, interface methods and the memory that pointers and slices refer to are
// resolved while lowering. A Go value is represented by a val. A val consists of run-time scalars
// and of parts known while lowering. Run-time scalars are computed when the kernel runs. The parts
// known while lowering are the shape of the value. For example, the shape of a slice is the
// variable that the slice points into.
//
// A Go variable becomes a cell. A cell is a tree of scalar IR variables, or one array variable if
// elements are selected at run time. A phi also becomes a cell. Each predecessor block stores to
// this cell at its end. Pass mem2reg later turns such cells into values again.
//
// The lowered code checks accesses, divisions, shifts and conversions in the same way as code that
// gc compiles. A check is a branch to a block with a Fault.
//
// The lowerer is the state of lowering one kernel. The lowerer consists of these parts, each with
// its own type:
//
//   - The builder holds the module and the block to which code is added.
//   - The reporter adds diagnostics.
//   - The codeBudget limits the amount of code.
//   - The foresight contains information from an earlier lowering of the kernel, about code that
//     is not lowered yet.
//   - The altState contains the number of the alternative that is being lowered. A value with one
//     of several shapes (a oneOf) has such alternatives.
//   - The constTables hold constant tables, constant data and texts.
//   - The writeChecker checks that no write reaches constant memory.
//   - The specConsts hold the specialization constants.
package lower
