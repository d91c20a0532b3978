// Package pick has functions that pick some of many elements, and keep their order.
//
//	some, err := pick.Flagged(ctx, dev, xs, flags)      // of slices
//	ev, err := pick.FlaggedOn(q, v, flags, out, count)  // of views
//
// Package prim has the rules of all such functions.
//
// A function whose name ends in On sets count[0] to the number of elements that it has picked, and
// the first elements of out to these. Whoever works on them next takes count by prim.Length, and
// nobody waits for the number. The other elements of out stay, but for Partition, which sets them to the
// elements that it does not pick. Of no elements the number is 0.
//
// # Elements
//
// Flagged, Where and Partition pick elements of any type that buffers have, with all their bits. Unique and RunLengths
// compare numbers: all integers and floats of Go and those of package half, and types made of
// these, as cmp.Compare does: all NaNs are equal, and so are the two zeros. There are modules for all;
// those of Where and Partition are the caller's, by an alias with the elements' type and the predicate:
//
//	type Warm = kernels.Where[half.Float16, Warmer]
//
// No function works in place: an output that overlaps an input is ErrInvalid.
//
// # Cost
//
// Each function is one launch, after one that clears its scratch memory; RunLengths and Partition have one
// more. It reads each
// element once, Unique twice, and writes each that it picks once. Partition writes all, and reads and writes those
// that it does not pick once more: at first they are in out from its end backwards. The scratch memory is 8 bytes for
// each 4096 elements; RunLengths takes 8 for each element. See ScratchBytes.
package pick
