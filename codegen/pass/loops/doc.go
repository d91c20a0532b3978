// Package loops transforms the loops of a kernel. Package loops hoists checks out of loops, unrolls
// loops, and lets the iterations of a loop overlap.
//
//	for i := range n {              Ahead     one test of n <= len(s) before a loop without
//	    sum += s[i]                           checks, or the original loop if the test fails
//	}
//	for k := range 4 { … s[x+k] }   Unroll    four copies, so that Gather sees the checks
//	for j := range 4 { v[j] = … }   WriteOut  four copies, so that v's elements are values
//	for i < n { s += x[c[i]] }      Overlap   four iterations at a time, whose loads overlap
//	for i < n { s += local[i] }     AskUnroll the driver is asked to unroll
//	for { … }                       Polls     sometimes tests whether the host has asked to stop.
//
// A check between two loads is expensive, because the second load must wait until the first load
// has finished. To hoist checks, the passes duplicate a loop. Work-items that pass all hoisted
// checks run a copy of the loop without the checks. If a hoisted check fails, the work-item runs
// the original loop, which fails at the same check as in Go.
//
// The type Loop, in unroll.go, represents a loop that can be copied. The file rounds.go computes
// bounds of the number of iterations and of the cost of iterations, for Polls and for the host
// device. The file corners.go computes values in the first and last iterations of loops, for Ahead.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package loops may import rewrite, facts, uniform and simplify. For kernels with barriers,
// package loops needs the analysis of package uniform, because a uniform branch must not become a
// divergent branch.
package loops
