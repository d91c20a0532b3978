// Package checks optimizes the checks that Go makes at run time: it removes checks that always
// pass, and combines others ahead of the code that waits for them.
//
//	for i := range n {              Bounds    i < len(s) follows from a branch: no check
//	    if i < len(s) { … s[i] }
//	}
//	a := s[i]; b := t[j]            Gather    one branch on both, then both loads together
//
// If a load must wait for the check of the load before it, that costs far more than the check
// itself. Where Gather combines checks, the code therefore exists twice. Work-items that pass all
// checks run a copy without them. The others run the original code, which finds the first check
// that fails, as Go does. Package loops does the same for checks in loops. Its passes run between
// Bounds and Gather.
//
// Package pass has a picture of the rooms and of their imports. This room may import the first
// four. In kernels with barriers it first asks package uniform: a check with the same result for
// all work-items of a group must not become a check that only some of them pass.
package checks
