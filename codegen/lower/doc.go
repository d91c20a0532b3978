// Package lower translates the go/ssa form of a kernel into the IR of package ir.
//
// Everything is inlined. For each call, the body of the called function is lowered again, with the
// call's arguments as the values of the function's parameters. Thus function values, closures and
// interface methods are known during lowering. The memory to which a pointer or slice refers is
// known too. A Go value is represented by a val. A val consists of run-time scalars and of parts
// known during lowering. Run-time scalars are computed when the kernel runs. The parts known during
// lowering are the shape of the value. For example, the shape of a slice is the variable that the
// slice points into.
//
// A Go variable becomes a cell. A cell is a tree of scalar IR variables, or one array variable if
// elements are selected at run time. A phi also becomes a cell. At the end of each predecessor
// block, an operand of the phi is stored in the phi's cell. The pass mem2reg later turns scalar
// variables into values again.
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
//     of several shapes (a oneOf) has an alternative for each shape.
//   - The constTables hold constant tables, constant data and texts.
//   - The writeChecker checks that no write reaches constant memory.
//   - The specConsts hold the specialization constants.
package lower
