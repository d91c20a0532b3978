// Package lower turns the go/ssa form of a kernel into package ir's.
//
// Everything is inlined: a call lowers the callee's body again with its
// arguments bound, so that function values, closures, interface methods and the
// memory behind pointers and slices resolve while lowering. What a Go value is
// made of is a val: scalars that exist when the kernel runs, and the parts that
// are known now (which variable a slice lies in, which function a value is).
//
// A Go variable becomes a cell: a tree of scalar IR variables, or one array
// variable where elements are chosen at run time. Phis become cells too, written
// at the end of the predecessors; pass mem2reg makes values of them again.
//
// Every access, division, shift and conversion that gc checks is checked here,
// as a branch to a block with a Fault.
//
// The lowerer is the state of lowering one kernel. Types in it own the parts that belong together:
//
//	builder        the place where code is added, and what needs no more than that
//	reporter       diagnostics
//	budget         how much code there may be
//	foresight      knowledge of code to come: from an earlier lowering, and from rounds of loops
//	alternatives   the one of several values that code is for
//	tables         constant tables, data and texts
//	readonly       writes, which must not go to constants
//	specs          specialization constants
package lower
