// Package reduce contains functions that compute one value from many elements. The value is a sum,
// the least or greatest element or its index, a count, or the result of an operation that the
// caller defines.
//
//	sum, err := reduce.Sum(ctx, dev, xs)              // of a slice
//	ev, err := reduce.SumOn(q, v, out)                // of a view, into the view out of one element
//	ev, err := reduce.SumOn(q, v, out, prim.Length(n)) // of as many elements as n has on the device
//
// The documentation of package prim has the rules of all these functions.
//
// # Elements
//
// All functions except By and Norm accept elements of all integer and float types of Go, and of
// types made from these. Norm accepts only floats. Min, Max, MinMax, ArgMin, ArgMax and the counts
// also accept the types of package half. Sum and Dot do not accept them (ErrInvalid). The elements
// of a user's type made from a type of package half are treated as unsigned integers, by their
// bits. Sums and products of integers wrap in their type. Sums and products of float64 need a
// device with properties.FP64 (ErrKernelNotSupported otherwise). The other functions compare bits,
// and run on every device. By accepts the elements of its kernel.
//
// For the following types there is no module. Instead, the caller declares a kernel by an alias:
//
//	type HalfSum = kernels.Reduce[half.Float16, float32, Widen]    // for Sum, where Widen.Map returns x.Float32()
//	type HalfDot = kernels.Reduce[[2]half.Float16, float32, Products] // for Dot and Norm, of pairs
//
// ByKey does not accept values of 8 and 16 bits, or of package half. Convert them first.
//
// # Order
//
// Sum and Dot add floats in this order, on every device. The elements are divided into blocks of
// 4096. A block has 256 leaves. Leaf j has the elements j, j+256, j+512 and so on of the block, 16
// in a complete block. A leaf's sum begins with 0, and its elements are added one after the other.
// The sums of leaves are added in adjacent pairs, 0 with 1, 2 with 3, and so on. The results are
// added in adjacent pairs again, until one sum remains. If a block has fewer elements, the other
// leaves are 0. If there are several blocks, the sums of the blocks are added in the same way, like
// elements. The products of Dot are rounded before they are added. Norm is the square root of Dot
// of the elements with themselves, correctly rounded.
//
// By keeps the order of elements, for operations that do not commute. Leaf j of a block has the 16
// neighbours 16j to 16j+15, which are combined from left to right. Then the values of leaves are
// combined in adjacent pairs. Leaves without elements are omitted.
//
// ByKey adds up the elements of each run of equal keys, of 32 or 64 bits, in the order of scan.By.
// Tiles have 2048 elements, and leaf j of a tile has the neighbours 8j to 8j+7. ByKey combines
// pairs of a value and a flag, which says whether a run begins. The combination of x and y is y if
// a run begins in y. Otherwise the combined value is the sum of both values, and the flag is the
// flag of x. So a run of at most 8 elements within a leaf is added up from left to right.
//
// If there are no elements, ByKey has no runs, Sum, Dot, Norm and Count are 0, Any is false, All is
// true, and By is the identity. Min, Max, MinMax, ArgMin and ArgMax of an empty slice are errors of
// class ErrInvalid. MinOn, MaxOn and so on then do not change their outputs.
//
// # Cost
//
// Each function reads each element once. Sum, Dot, Norm and By also write and read a value for each
// 4096 elements. The other functions divide the elements into at most 1024 parts, and write and
// read at most 16 bytes for each part. These values are in scratch memory (see ScratchBytes). Sum,
// Dot and By launch a kernel for each factor of 4096 in the number of elements. Norm launches one
// kernel more, ByKey launches three, and the others launch two. ByKey reads keys and elements
// twice, writes a key and a sum for each run, and needs 9 bytes of scratch memory for each element
// (see ByKeyScratchBytes).
package reduce
