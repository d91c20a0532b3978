// Package loops changes the loops of a kernel: it hoists their checks, unrolls them, and lets
// their rounds overlap.
//
//	for i := range n {              Ahead     n <= len(s), once, before a loop without
//	    sum += s[i]                           checks; if it fails, the loop with them runs
//	}
//	for k := range 4 { … s[x+k] }   Unroll    four copies, so that Gather sees the checks
//	for j := range 4 { v[j] = … }   WriteOut  four copies, so that v's elements are values
//	for i < n { s += x[c[i]] }      Overlap   four rounds at a time, whose loads overlap
//	for i < n { s += local[i] }     AskUnroll the driver is asked to unroll
//	for { … }                       Polls     the host is asked, now and then, whether to stop
//
// A load that waits for the check of the one before it costs far more than the check. So a loop
// is there twice where checks are hoisted: once without them, for work-items that pass all, and
// once as it was, which finds the first check that fails, as Go does.
//
// Loop, in unroll.go, is a loop that can be copied. rounds.go bounds how often loops go round and
// the cost of a round. Polls asks it, and so does the host device. corners.go bounds values in
// the first and last rounds, for Ahead.
//
// Package pass has a picture of the rooms and of their imports. This room may import the first
// four. In kernels with barriers it asks uniform first: a branch on which all work-items agree
// must not become one on which they part.
package loops
