// Package reduce has functions that make one value of many: sums, the least and the greatest, where
// these are, counts, and values that an operation of the caller's makes.
//
//	sum, err := reduce.Sum(ctx, dev, xs)              // of a slice
//	ev, err := reduce.SumOn(q, v, out)                // of a view, into the view out of one element
//	ev, err := reduce.SumOn(q, v, out, prim.Length(n)) // of as many elements as n has on the device
//
// Package prim has the rules of all such functions.
//
// # Elements
//
// All functions but By and Norm take elements of all integer and float types of Go, and of types made
// of these; Norm takes floats. Min, Max, MinMax, ArgMin, ArgMax and the counts take those of package half, too; Sum and Dot
// refuse them (ErrInvalid). A type made of one of these is its bits, an unsigned integer. Sums and products of integers wrap in their type. Sums and products of
// float64 need a device with properties.FP64 (ErrKernelNotSupported elsewhere); the other functions compare
// bits, and run on every device. By takes the elements of its kernel.
//
// There is no module for these types; a kernel of the caller's has them, by an alias:
//
//	type HalfSum = kernels.Reduce[half.Float16, float32, Widen]    // Sum: Widen.Map returns x.Float32()
//	type HalfDot = kernels.Reduce[[2]half.Float16, float32, Products] // Dot and Norm: of pairs
//
// Values of 8 and 16 bits, and of package half, are no values of ByKey: convert them.
//
// # Order
//
// Sum and Dot add floats in this order, on every device. The elements make blocks of 4096. A block has
// 256 leaves: leaf j has the elements j, j+256, j+512 and so on of the block, 16 in a whole one. A leaf's
// sum begins with 0, and its elements are added one after the other. The sums of leaves are added
// in adjacent pairs, 0 with 1, 2 with 3, and their sums again, until there is one; where a block has
// fewer elements, the other leaves are 0. If there are several blocks, their sums in the order of the
// blocks are elements that are added up in the same way. The products of Dot are rounded before they
// are added. Norm is the root of the elements' Dot with themselves, correctly rounded.
//
// By keeps the order of elements, for operations that do not commute: leaf j of a block has the 16
// neighbours 16j to 16j+15, combined from left to right. The leaves are combined in adjacent pairs,
// and a leaf without elements takes no part.
//
// ByKey adds up the elements of each run of equal keys, of 32 or 64 bits, in the order of scan.By: tiles
// have 2048 elements, and leaf j of a tile has the neighbours 8j to 8j+7. These are pairs, of whether
// an element begins a run, and its value. Combine(x, y) is y if a run begins in y. Otherwise its sum is that of
// x plus that of y, and a run begins in it if one does in x. So a run of at most 8 elements within a leaf is
// added up from left to right.
//
// Of no elements, ByKey has no runs, Sum, Dot and Norm are 0, Count is 0, Any is false, All is true, and By is the identity.
// Min, Max, MinMax, ArgMin and ArgMax of an empty slice are errors of class ErrInvalid; MinOn and the
// like then leave their outputs alone.
//
// # Cost
//
// Each function reads each element once. Beside that, Sum, Dot, Norm and By write and read a value for each 4096
// elements, and the others at most 16 bytes for each of at most 1024 parts. This is their scratch memory:
// see ScratchBytes. Sum, Dot and By launch a kernel for each factor of 4096 in the number of elements,
// Norm one more, ByKey three, and the others two. ByKey reads keys and elements twice, writes a key and a sum
// for each run, and takes 9 bytes for each element: see ByKeyScratchBytes.
package reduce
