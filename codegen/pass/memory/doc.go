// Package memory decides what a kernel's variables and arguments become, before they turn into
// values, and which loads of memory become values.
//
//	var p [8]struct{ x, y int32 }     SoA    ──▶  var px, py [8]int32
//	var q [2]int32, constant indices  SRoA   ──▶  var q0, q1 int32      (mem2reg: values)
//	func (k K) Kernel: k.Unused       Params ──▶  no place in the argument block
//
// These three run first of all: loops and checks are easier to understand when what they
// read are values and not memory. Package lanes zeroes large arrays later, in loops.
//
//	k.Tmp[i] = a; x := k.Tmp[i]       Internal ──▶  x := a, with Tmp //kgen:internal
//	k.Out[i] = a; x := k.Out[i]       Forward ──▶  k.Out[i] = a; x := a
//
// Internal and Forward work on device memory, after CSE and fuse. Arrays does the same for private
// arrays that SoA and SRoA have left whole, and makes one array of two where one is a copy of the
// other. Elements splits arrays whose indices have become constants since package loops unrolled
// loops. A load that remains may be hoisted, with its check, out of a loop whose head makes it in
// each round:
//
//	for j < k.Ends[i] {...}           Once ──▶  end := k.Ends[i]; for j < end {...}
//
// InferAccess runs late, and records which slices the kernel reads and writes.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite,
// facts and simplify.
package memory
