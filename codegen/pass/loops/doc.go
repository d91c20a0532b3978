// Package loops transforms the loops of a kernel: it hoists their checks, unrolls them, and lets
// their rounds overlap.
//
//	for i := range n {              Ahead     n <= len(s), once, before a loop without
//	    sum += s[i]                           checks; if it fails, the original loop runs
//	}
//	for k := range 4 { … s[x+k] }   Unroll    four copies, so that Gather sees the checks
//	for j := range 4 { v[j] = … }   WriteOut  four copies, so that v's elements are values
//	for i < n { s += x[c[i]] }      Overlap   four rounds at a time, whose loads overlap
//	for i < n { s += local[i] }     AskUnroll the driver is asked to unroll
//	for { … }                       Polls     the host is asked, now and then, whether to stop
//
// If a load must wait for the check of the load before it, that costs far more than the check
// itself. Where checks are hoisted, the loop therefore exists twice. Work-items that pass all
// checks run a copy without them. The others run the original loop, which finds the first check
// that fails, as Go does.
//
// Loop, in unroll.go, is a loop that can be copied. rounds.go bounds the number of rounds and the
// cost of a round, for Polls and for the host device. corners.go bounds values in the first and
// last rounds, for Ahead.
//
// Package pass has a picture of the rooms and of their imports. This room may import the first
// four. In kernels with barriers it first asks package uniform: a branch that all work-items of a
// group take in the same way must not become a divergent branch.
package loops
