// Package checks deals with what Go checks at run time: it removes checks that always pass, and
// gathers the others out of the way of the code that waits for them.
//
//	for i := range n {              Bounds    i < len(s) follows from a branch: no check
//	    if i < len(s) { … s[i] }
//	}
//	a := s[i]; b := t[j]            Gather    one branch on both, then both loads together
//
// A load that waits for the check of the one before it costs far more than the check. So code
// is there twice where Gather combines checks: once without them, for work-items that pass all,
// and once as it was, which finds the first check that fails, as Go does. Package loops does the
// same to checks in loops. Its passes run between Bounds and Gather.
//
// Package pass has a picture of the rooms and of their imports. This room may import the first
// four. In kernels with barriers it asks uniform first: a check on which all work-items agree
// must not become one on which they part.
package checks
