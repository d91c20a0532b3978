// Package memory optimizes a kernel's variables and arguments, and replaces loads from memory by
// values.
//
//	var p [8]struct{ x, y int32 }     SoA    ──▶  var px, py [8]int32
//	var q [2]int32, constant indices  SRoA   ──▶  var q0, q1 int32      (values by mem2reg)
//	k.Unused, which nothing reads     Params ──▶  not in the argument block.
//
// SoA, SRoA and Params run early, because loops and checks are easier to analyse if they use values
// instead of memory. Later, package lanes adds loops that zero large arrays.
//
//	x := k.Tmp[i] after k.Tmp[i] = a  Internal ──▶  x := a, with Tmp //kgen:internal
//	x := k.Out[i] after k.Out[i] = a  Forward ──▶  x := a after k.Out[i] = a.
//
// Internal and Forward replace loads from device memory, after CSE and fuse. Arrays does the same
// for private arrays that SoA and SRoA did not split, and merges two arrays if one is a copy of the
// other. Elements splits arrays whose indices became constant when package loops unrolled loops. If
// the head of a loop loads the same value in each iteration, Once may hoist the load and its check
// out of the loop:
//
//	for j < k.Ends[i] {…}             Once ──▶  for j < end {…} after end := k.Ends[i].
//
// InferAccess runs late and records which slices the kernel reads and writes.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package memory imports rewrite, facts and simplify.
package memory
