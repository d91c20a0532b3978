// Package uniform finds which values are the same for all work-items of a work-group, and which
// blocks all these work-items reach together.
//
// For example, n := len(s) is a uniform value, and a barrier is legal in the uniform branch "if n >
// 9 { … }". The branch of the statement "if id == 2 { return }" is divergent, because work-item 2
// leaves its group and becomes a dead lane. A barrier after the return statement is legal, since
// all remaining work-items reach the barrier together.
//
// The function Of analyses a kernel and returns the result as an Info. A barrier in a block that is
// not uniform is an error in the kernel, and Info.Check returns the diagnostics. Dead lanes must
// not stay in a loop forever after all work-items have left the group. So the code in ends.go
// searches for an exit by which dead lanes are known to leave a loop. If a loop has no exit for
// dead lanes, the code in loops.go may decide that the loop tests in each iteration whether a live
// lane remains.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package uniform may import rewrite and facts. Package lanes transforms code according to
// the analysis of package uniform. Packages checks, loops and simplify use the analysis to find the
// branches that must not move.
package uniform
