// Package simplify makes code smaller and says the same: it folds constants, computes equal
// values once, and removes what has no effect.
//
//	x := i*8 + 0          Run  ──▶  x := i << 3        rules, op by op, until none fits
//	y := i*8              CSE  ──▶  y := x             one value for equal ones; conditions
//	                                                     known from branches are constants
//	if false { … }        Run  ──▶                     branches on constants are jumps
//	z := y * y            DCE  ──▶                     nobody uses z
//
// Clean is the three in a row, for passes that have copied code. The list of package pass runs
// them several times: after lowering, after the passes on lanes, and after structurize.
//
// A rule may assume nothing about values beyond the op's operands and known bits; what takes
// intervals or proofs is pass bounds, in package checks.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite, facts and uniform.
package simplify
