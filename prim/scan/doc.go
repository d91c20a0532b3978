// Package scan contains functions that compute a value for each element, from all elements before
// it. Inclusive functions also use the element itself.
//
//	sums, err := scan.Inclusive(ctx, dev, xs)             // of a slice
//	ev, err := scan.InclusiveOn(q, v, out)                // of a view, into a view
//	ev, err := scan.ExclusiveOn(q, v, out, prim.Length(n)) // of the first elements; the view n contains their number
//
// The documentation of package prim has the rules of all these functions.
//
// # Elements
//
// Inclusive and Exclusive add up elements of Go's integer and float types of 32 and 64 bits, and of
// types whose underlying type is one of these. For other types, Inclusive and Exclusive return
// ErrInvalid. Convert elements of other types, or use By. Sums of integers wrap around on overflow.
// Float64 needs a device with properties.FP64 (ErrKernelNotSupported otherwise). By and ExclusiveBy
// accept the element type of their kernel.
//
// To use By with elements of 8 or 16 bits, or with types of package half, the caller declares a
// kernel by an alias. In the following examples, the operation Add adds two numbers, and the
// operation Restart adds the values of equal keys:
//
//	type ByteSums = kernels.By[int8, int8, Add]
//	type HalfSums = kernels.By[half.Float16, half.Float16, AddHalves]
//	type KeyedSums = kernels.By[Keyed, Run, Restart] // as ByKey
//
// ByKey and ExclusiveByKey add up elements of the same types as Inclusive, and restart at each run
// of equal keys. Keys have one of Go's integer and float types, a type of package half, or a type
// defined from one of these.
//
// No function works in place. An output that overlaps an input is an error (ErrInvalid).
//
// # Order
//
// Floats are added in the following order, on every device. The elements are divided into tiles of
// 6656. A tile has two parts of 3328 elements, and a part has 256 leaves of 13 neighbouring
// elements. The sum of a leaf begins with 0, and the leaf's elements are added one after the other.
// The sums of a part's leaves are scanned in the order of dsl.ExclusiveScanOverGroup. The scan of
// the leaves has a step for each d = 1, 2, 4 and so on up to 128. In each step, sum i-d is added to
// sum i, for all i >= d at the same time. The sum of a part is the scan's sum before the last leaf
// plus the sum of the last leaf. The sum of a tile is the sum of its first part plus the sum of its
// second part. The sum before a tile is the sum before the previous tile plus the sum of the
// previous tile. The sum before the second part is the sum before the tile plus the sum of the
// first part. The sum before a leaf is the sum before the leaf's part plus the scan's sum before
// the leaf. The elements of a leaf are added to the sum before the leaf, from left to right.
//
// The function By keeps the order of elements, for operations that do not commute.
//
// ByKey adds up elements in the order of By. ByKey combines pairs, each of which consists of a
// value and a flag that says whether a run begins. If a run begins in y, the combination of the
// pairs x and y is y. If no run begins in y, the combined pair consists of the sum of both values
// and the flag of x.
//
// # Cost
//
// Each function fills its scratch memory with zeros, and then launches one kernel. A function reads
// and writes each element once. The function By reads each element twice, and calls Map and Combine
// about twice for each element. The scratch memory has about 12 bytes for every 6656 elements. For
// By, the scratch memory has 8 bytes and three values for every 2048 elements. ByKey reads the
// elements twice and the keys once. ByKey launches one more kernel, and needs one more byte of
// scratch memory for each element (see ByKeyScratchBytes).
package scan
