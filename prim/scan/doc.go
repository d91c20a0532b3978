// Package scan has functions that make a value for each element of many: of that element and all before
// it, or of those before it.
//
//	sums, err := scan.Inclusive(ctx, dev, xs)             // of a slice
//	ev, err := scan.InclusiveOn(q, v, out)                // of a view, into a view
//	ev, err := scan.ExclusiveOn(q, v, out, prim.Length(n)) // of as many elements as n has on the device
//
// Package prim has the rules of all such functions.
//
// # Elements
//
// Inclusive and Exclusive add up elements of the integer and float types of Go that have 32 or 64 bits, and
// of types made of these. Others are ErrInvalid: convert them, or use By. Sums of integers wrap in their type.
// Float64 needs a device with properties.FP64 (ErrKernelNotSupported elsewhere). By and ExclusiveBy
// take the elements of their kernel.
//
// There is no module for elements of 8 and 16 bits, and for those of package half; a kernel of the caller's
// has them, by an alias. Operation Add adds two numbers up, and Restart values with their keys:
//
//	type ByteSums = kernels.By[int8, int8, Add]
//	type HalfSums = kernels.By[half.Float16, half.Float16, AddHalves]
//	type KeyedSums = kernels.By[Keyed, Run, Restart] // as ByKey
//
// ByKey and ExclusiveByKey add up the same types, and restart at each run of equal keys. Keys are all
// integers and floats of Go, those of package half, and types made of these.
//
// No function works in place: an output that overlaps an input is ErrInvalid.
//
// # Order
//
// Floats are added in this order, on every device. The elements make tiles of 6656, a tile has two
// parts of 3328, and a part 256 leaves of 13 neighbours. A leaf's sum begins with 0, and its elements are
// added one after the other. The sums of a part's leaves are scanned as by
// dsl.ExclusiveScanOverGroup: in steps of d = 1, 2, 4 and so on to 128, the sum i becomes that of
// i-d and i. The part's sum is that before its last leaf, plus that leaf's, and the tile's is the sum of its parts'. The sum before a
// tile is that before the tile to the left, and of that tile. The second part begins with the sum before the tile,
// plus the first part's. A leaf begins with the sum before its part, plus the scan's sum before the
// leaf, to which its elements are added from left to right.
//
// By keeps the order of elements, for operations that do not commute.
//
// ByKey's order is By's, of pairs: whether an element begins a run, and its value. Combine(x, y) is y if a run
// begins in y. Otherwise its sum is that of x plus that of y, and a run begins in it if one does in x.
//
// # Cost
//
// Each function is one launch, after one that clears its scratch memory. It reads and writes each element
// once; By reads it twice, and calls Map and Combine about twice for each. The scratch memory is some 12
// bytes for each 6656 elements; for By, 8 bytes and three values for each 2048. ByKey
// reads the elements twice and the keys once, has one launch more, and takes a byte for each element. See ScratchBytes.
package scan
