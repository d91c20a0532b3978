// Package lower translates the go/ssa form of a kernel into the IR of package ir.
//
// Everything is inlined: a call lowers the callee's body again with its arguments bound. So
// function values, closures, interface methods and the memory behind pointers and slices are
// resolved while lowering. A Go value is represented by a val. A val has two kinds of parts.
// Scalars exist when the kernel runs. Other parts are known while lowering, such as the variable
// that a slice points into, or the function that is called.
//
// A Go variable becomes a cell: a tree of scalar IR variables, or one array variable if elements
// are selected at run time. Phis also become cells, which the predecessors store to at their ends;
// pass mem2reg turns them into values again.
//
// Every access, division, shift and conversion that gc checks is checked by the lowered code, too:
// by a branch to a block with a Fault.
//
// The lowerer is the state of lowering one kernel. Its parts have their own types:
//
//	builder        the place where code is added
//	reporter       diagnostics
//	budget         limits on the amount of code
//	foresight      knowledge of later code: from an earlier lowering, and from rounds of loops
//	alternatives   the alternative, of several possible values, for which code is lowered
//	tables         constant tables, data and texts
//	readonly       writes, which must not go to constants
//	specs          specialization constants
package lower
