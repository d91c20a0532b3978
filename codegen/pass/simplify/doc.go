// Package simplify makes code smaller without changing its meaning: it folds constants, computes
// equal values once, and removes values and stores without effect.
//
//	x := i*8 + 0          Run  ──▶  x := i << 3        rules, op by op, until none applies
//	y := i*8              CSE  ──▶  y := x             one value for equal ones; conditions
//	                                                     known from branches are constants
//	if false { … }        Run  ──▶                     branches on constants are jumps
//	z := y * y            DCE  ──▶                     nothing uses z
//
// Clean runs the three passes in a row, for passes that have copied code. The list of package pass
// runs them several times: after lowering, after the passes on lanes, and after structurize.
//
// A rule uses only the op's operands and their known bits. Simplifications that need intervals or
// proofs are in pass bounds, in package checks.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite, facts and uniform.
package simplify
