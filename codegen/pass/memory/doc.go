// Package memory optimizes a kernel's variables and arguments, and replaces loads from memory by
// values.
//
//	SoA turns var p [8]struct{ x, y int32 } into var px, py [8]int32.
//	SRoA turns var q [2]int32, if all indices are constant, into var q0, q1 int32.
//	Params removes k.Unused, which nothing reads, from the argument block.
//
// SoA, SRoA and Params run early, because loops and checks are easier to analyse if they use values
// instead of memory. Later, package lanes adds loops that zero large arrays.
//
//	Internal turns "k.Tmp[i] = a; x := k.Tmp[i]" into "x := a", if Tmp is marked //kgen:internal.
//	Forward turns "k.Out[i] = a; x := k.Out[i]" into "k.Out[i] = a; x := a".
//
// Internal and Forward replace loads from device memory, after CSE and fuse. Arrays replaces loads
// from private arrays that SoA and SRoA did not split. Arrays also merges two arrays if one is a
// copy of the other. Elements splits arrays whose indices became constant when the package `loops`
// unrolled loops. Once may hoist a load and its check out of a loop if the loop's head loads the
// same value in each iteration.
//
//	Once turns "for j < k.Ends[i] {…}" into "for j < end {…}", with end := k.Ends[i] before the loop.
//
// InferAccess runs late and records which slices the kernel reads and writes.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package memory imports rewrite, facts and simplify.
package memory
