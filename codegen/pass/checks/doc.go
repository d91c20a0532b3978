// Package checks deals with what Go checks at run time: it removes checks that always pass, and
// moves the others out of the way of the code that waits for them.
//
//	for i := range n {              Bounds    i < len(s) follows from a branch: no check
//	    sum += s[i]                 Ahead     n <= len(s), once, before a loop without
//	}                                         checks; if it fails, the loop with them runs
//	for k := range 4 { … s[x+k] }   Unroll    four copies, so that Gather sees the checks
//	for j := range 4 { v[j] = … }   WriteOut  four copies, so that v's elements are values
//	for i < n { s += x[c[i]] }      Overlap   four rounds at a time, whose loads overlap
//	a := s[i]; b := t[j]            Gather    one branch on both, then both loads together
//	one work-item                   Coarsen   four of them, whose loads overlap, and are
//	                                          one of 16 bytes where their elements are
//	                                          next to each other
//
// A load that waits for the check of the one before it costs far more than the check. So code
// is there twice where checks remain: once without, for work-items that pass all of them, and
// once as it was, which finds the first check that fails, as Go does.
//
// WriteOut is here because it shares the unrolling of loops with Unroll, and AskUnroll, which asks
// drivers to unroll, because it needs bounds of rounds.
//
// Polls, which asks in long loops whether the host wants the launch to end, is here because it
// needs the bounds of loops that rounds.go and Unroll compute.
//
// Package pass has a picture of the rooms and of their imports. This room may import the first four. In kernels with barriers it asks uniform first: a check
// on which all work-items agree must not become one on which they part.
package checks
