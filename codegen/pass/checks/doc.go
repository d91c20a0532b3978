// Package checks optimizes Go's run-time checks, such as those of indices. It removes checks that
// always pass, and combines other checks into one check ahead of the code that depends on them.
//
//	for i := range n {              Bounds    a branch implies i < len(s), so the check is removed
//	    if i < len(s) { … s[i] }
//	}
//	a, b := s[i], t[j]              Gather    one branch tests both checks, then both loads follow.
//
// A check between two loads is expensive, because the second load must wait until the first has
// finished. To combine checks, Gather duplicates the code. Work-items that pass all checks run code
// without checks. The other work-items run code with the original checks, which fails at the same
// check as Go. Package loops does the same for checks in loops. Its passes run between Bounds and
// Gather.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package checks may import rewrite, facts, uniform and simplify. In kernels with barriers,
// it needs the analysis of package uniform. A check with the same result for all work-items of a
// group must not be combined with checks that only some of them pass.
package checks
