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
// also accept the types of package half. Sum and Dot do not accept types of package half
// (ErrInvalid). The elements of a user's type made from a type of package half are treated as
// unsigned integers, by their bits. Sums and products of integers wrap in their type. Sums and
// products of float64 need a device with properties.FP64 (ErrKernelNotSupported otherwise). The
// other functions compare bits, and run on every device. By accepts the elements of its kernel.
//
// The following types have no module. Instead, the caller declares a kernel by an alias:
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
// added in adjacent pairs again, until one sum remains. If a block has fewer elements, the leaves
// without elements are 0. If there are several blocks, their sums are the elements of blocks that
// are added in the same way. The products of Dot are rounded before they are added. Norm is the
// correctly rounded square root of the elements' Dot with themselves.
//
// By keeps the order of elements, for operations that do not commute. Leaf j of a block has the 16
// neighbours 16j to 16j+15, which are combined from left to right. Then the values of the leaves are
// combined in adjacent pairs. Leaves without elements are omitted.
//
// ByKey adds up the elements of each run of equal keys, of 32 or 64 bits, in the order of scan.By.
// Tiles have 2048 elements, and leaf j of a tile has the neighbours 8j to 8j+7. ByKey combines
// pairs, each of which consists of a value and a flag that says whether a run begins. The
// combination of x and y is y if a run begins in y. Otherwise the combined value is the sum of both
// values, and the flag is the flag of x. So a run of at most 8 elements within a leaf is added up
// from left to right.
//
// For no elements, Sum, Dot, Norm and Count return 0, Any returns false, All returns true, By
// returns the identity, and ByKey returns no runs. Min, Max, MinMax, ArgMin and ArgMax of an empty
// slice are errors of class ErrInvalid. For an empty view, MinOn, MaxOn and so on do not change
// their outputs.
//
// # Cost
//
// Each function reads each element once. Sum, Dot, Norm and By also write and read a value for each
// 4096 elements. The other functions divide the elements into at most 1024 parts, and write and
// read at most 16 bytes for each part. These values are in scratch memory (see ScratchBytes). Sum,
// Dot and By launch a kernel for each factor of 4096 in the number of elements. Norm launches one
// more kernel, ByKey launches three kernels, and the others launch two. ByKey reads keys and
// elements twice, and writes a key and a sum for each run. It needs 9 bytes of scratch memory for
// each element (see ByKeyScratchBytes).
package reduce
