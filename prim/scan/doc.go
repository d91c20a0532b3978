// Package scan contains functions that compute a value for each element, from all elements before
// it. Inclusive functions also use the element itself.
//
//	sums, err := scan.Inclusive(ctx, dev, xs)             // of a slice
//	ev, err := scan.InclusiveOn(q, v, out)                // of a view, into a view
//	ev, err := scan.ExclusiveOn(q, v, out, prim.Length(n)) // of as many elements as n has on the device
//
// The documentation of package prim has the rules of all these functions.
//
// # Elements
//
// Inclusive and Exclusive add up elements of the integer and float types of Go that have 32 or 64
// bits, and of types made of these. For other types they return ErrInvalid. Convert the elements,
// or use By. Sums of integers wrap in their type. Float64 needs a device with properties.FP64
// (ErrKernelNotSupported otherwise). By and ExclusiveBy accept the elements of their kernel.
//
// Elements of 8 and 16 bits, and types of package half, have no module. Instead, the caller declares
// a kernel by an alias. In these examples, the operation Add adds two numbers, and Restart adds
// values with their keys:
//
//	type ByteSums = kernels.By[int8, int8, Add]
//	type HalfSums = kernels.By[half.Float16, half.Float16, AddHalves]
//	type KeyedSums = kernels.By[Keyed, Run, Restart] // as ByKey
//
// ByKey and ExclusiveByKey add up elements of the same types as Inclusive, and restart at each run
// of equal keys. Keys are integers and floats of Go, types of package half, and types made from
// these.
//
// No function works in place. An output that overlaps an input is an error (ErrInvalid).
//
// # Order
//
// Floats are added in this order, on every device. The elements are divided into tiles of 6656. A
// tile has two parts of 3328, and a part has 256 leaves of 13 neighbours. A leaf's sum begins with
// 0, and its elements are added one after the other. The sums of a part's leaves are scanned as by
// dsl.ExclusiveScanOverGroup. That scan has a step for each d = 1, 2, 4 and so on to 128. In a step,
// sum i-d is added to sum i, for all i >= d at the same time. The part's sum is the sum before its
// last leaf plus the last leaf's sum. The tile's sum is the sum of its parts' sums. The sum before a
// tile is the sum before the previous tile plus that tile's sum. The second part begins with the sum
// before the tile plus the first part's sum. A leaf begins with the sum before its part plus the
// scan's sum before the leaf. The elements of a leaf are added to that start value from left to
// right.
//
// By keeps the order of elements, for operations that do not commute.
//
// ByKey has the order of By. It combines pairs, each of which consists of a value and a flag that
// says whether a run begins. The combination of x and y is y if a run begins in y. Otherwise the
// combined value is the sum of both values, and the flag is the flag of x.
//
// # Cost
//
// Each function is one launch, after a launch that clears its scratch memory. A function reads and
// writes each element once. By reads each element twice, and calls Map and Combine about twice for
// each. The scratch memory has some 12 bytes for each 6656 elements. For By, the scratch memory has
// 8 bytes and three values for each 2048 elements. ByKey reads the elements twice and the keys
// once, has one more launch, and needs one more byte for each element (see ScratchBytes).
package scan
