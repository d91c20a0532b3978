// Package pick contains functions that pick some elements, and keep the order of the picked
// elements.
//
//	some, err := pick.Flagged(ctx, dev, xs, flags)      // of slices
//	ev, err := pick.FlaggedOn(q, v, flags, out, count)  // of views
//
// The documentation of package prim has the rules of all these functions.
//
// A function whose name ends in On stores the picked elements at the beginning of out, and their
// number in count[0]. If the next function gets the option prim.Length with the view `count`, the
// host need not wait for this number. The rest of out does not change. But Partition fills it with
// the elements that are not picked. If there are no elements, count[0] becomes 0.
//
// # Elements
//
// Flagged, Where and Partition pick elements of any type that buffers can have, and keep all their
// bits. Unique and RunLengths compare numbers as cmp.Compare does. So all NaNs are equal, and the
// two zeros are equal. Elements for Unique and RunLengths are integers and floats of Go, types of
// package half, and types whose underlying type is one of these. The package has compiled modules
// for all these types. For Where and Partition, the caller declares a kernel by an alias with the
// elements' type and the predicate:
//
//	type Warm = kernels.Where[half.Float16, Warmer]
//
// No function works in place. An output that overlaps an input is an error (ErrInvalid).
//
// # Cost
//
// Each function is one launch, after a launch that clears its scratch memory. RunLengths and
// Partition need one more launch. A function reads each element once (Unique reads it twice), and
// writes each picked element once. Partition writes all elements. The first launch of Partition
// stores the unpicked elements in reverse order at the end of out. The second launch of Partition
// reverses the unpicked elements, so it reads and writes them again. The scratch memory has 8 bytes
// for each 4096 elements. RunLengths needs 8 more bytes for each element (see ScratchBytes).
package pick
