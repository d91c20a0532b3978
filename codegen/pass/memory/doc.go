// Package memory optimizes a kernel's variables and arguments before they become values, and
// replaces loads of memory by values.
//
//	var p [8]struct{ x, y int32 }     SoA    ──▶  var px, py [8]int32
//	var q [2]int32, constant indices  SRoA   ──▶  var q0, q1 int32      (mem2reg: values)
//	func (k K) Kernel: k.Unused       Params ──▶  not in the argument block
//
// These three run early: loops and checks are easier to analyse when they use values instead of
// memory. Package lanes zeroes large arrays later, in loops.
//
//	k.Tmp[i] = a; x := k.Tmp[i]       Internal ──▶  x := a, with Tmp //kgen:internal
//	k.Out[i] = a; x := k.Out[i]       Forward ──▶  k.Out[i] = a; x := a
//
// Internal and Forward work on device memory, after CSE and fuse. Arrays does the same for private
// arrays that SoA and SRoA did not split. It also merges two arrays if one is a copy of the other.
// Elements splits arrays whose indices have become constant after package loops has unrolled loops.
// If the head of a loop makes the same load in each round, Once may hoist the load and its check
// out of the loop:
//
//	for j < k.Ends[i] {...}           Once ──▶  end := k.Ends[i]; for j < end {...}
//
// InferAccess runs late and records which slices the kernel reads and writes.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite,
// facts and simplify.
package memory
