// Package checks optimizes Go's run-time checks, for example checks of indices. Bounds removes
// checks that always pass. Gather combines several checks into one check ahead of the code that
// depends on the checks.
//
//	if i < len(s) { … s[i] … }      Bounds removes the check of s[i], because i < len(s).
//	a, b := s[i], t[j]              Gather tests both checks in one branch, and both loads follow.
//
// A check between two loads is expensive, because the second load must wait until the first has
// finished. To combine checks, Gather duplicates the code. Work-items that pass all checks run code
// without checks. The other work-items run code with the original checks. This code faults at the
// same check as Go. Package loops combines and removes checks in loops. The passes of package loops
// run between Bounds and Gather.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package checks may import rewrite, facts, uniform and simplify. In kernels with barriers,
// Gather needs the analysis of package uniform. A check with the same result for all work-items of
// a group must not be combined with checks that only some work-items pass.
package checks
