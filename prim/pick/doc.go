// Package pick contains functions that pick some of many elements, and keep their order.
//
//	some, err := pick.Flagged(ctx, dev, xs, flags)      // of slices
//	ev, err := pick.FlaggedOn(q, v, flags, out, count)  // of views
//
// The documentation of package prim has the rules of all these functions.
//
// A function whose name ends in On stores the picked elements at the beginning of out, and their
// number in count[0]. The next function that uses the elements gets count by prim.Length, so the
// host need not wait for the number. The other elements of out do not change, except that Partition
// sets them to the elements that it does not pick. If there are no elements, the number is 0.
//
// # Elements
//
// Flagged, Where and Partition pick elements of any type that buffers have, with all their bits.
// Unique and RunLengths compare numbers as cmp.Compare does, so all NaNs are equal, and so are the
// two zeros. Elements for Unique and RunLengths are integers and floats of Go, types of package
// half, and types made from these. There are modules for all these types. For Where and Partition,
// the caller declares a kernel by an alias with the elements' type and the predicate:
//
//	type Warm = kernels.Where[half.Float16, Warmer]
//
// No function works in place. An output that overlaps an input is an error (ErrInvalid).
//
// # Cost
//
// Each function is one launch, after a launch that clears its scratch memory. RunLengths and
// Partition have one launch more. A function reads each element once, or twice for Unique, and
// writes each picked element once. Partition writes all elements. Partition first stores the
// other elements in reverse order at the end of out. A second launch reverses these
// elements, so it reads and writes them again. The scratch memory has 8 bytes for each 4096
// elements, and in addition 8 bytes for each element for RunLengths (see ScratchBytes).
package pick
