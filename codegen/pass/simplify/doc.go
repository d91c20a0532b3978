// Package simplify makes code smaller without changing its meaning. Package simplify folds
// constants, computes equal values only once, and removes values and stores without effect.
//
//	x := i*8 + 0          Run  ──▶  x := i << 3        rules, op by op, until none applies
//	y := i*8              CSE  ──▶  y := x             one value for equal ones, and conditions
//	                                                     known from branches are constants
//	if false { … }        Run  ──▶                     branches on constants are jumps
//	z := y * y            DCE  ──▶                     nothing uses z.
//
// Passes that have copied code call Clean, which runs the three passes one after the other. The
// list of passes in package pass contains simplify, cse and dce several times: after lowering,
// after the passes on lanes, and after structurize.
//
// A simplification rule uses only the op's operands and their known bits. Simplifications that need
// intervals or proofs are in the pass bounds of package checks.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package simplify may import rewrite, facts and uniform.
package simplify
