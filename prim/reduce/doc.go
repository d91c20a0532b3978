// Package reduce contains functions that compute one value from many elements. The value is a sum,
// the least or greatest element or its index, a count, or the result of an operation that the
// caller defines.
//
//	sum, err := reduce.Sum(ctx, dev, xs)              // of a slice
//	ev, err := reduce.SumOn(q, v, out)                // of a view, into the view out of one element
//	ev, err := reduce.SumOn(q, v, out, prim.Length(n)) // of the first elements; the view n contains their number
//
// The documentation of package prim has the rules of all these functions.
//
// # Elements
//
// All functions except By and Norm accept elements of Go's integer and float types, and of types
// whose underlying type is one of these. Norm accepts only floats. Min, Max, MinMax, ArgMin, ArgMax
// and the counts also accept the types of package half. Sum and Dot do not accept types of package
// half (ErrInvalid). If a user's type is defined from a type of package half, its elements are
// treated as unsigned integers with the same bits. Sums and products of integers wrap around on
// overflow. Sums and products of float64 need a device with properties.FP64 (ErrKernelNotSupported
// otherwise). Comparisons and counts need no float64 arithmetic, and run on every device. The
// function By accepts the element type of its kernel.
//
// To add up elements of package half's types, the caller declares a kernel by an alias:
//
//	type HalfSum = kernels.Reduce[half.Float16, float32, Widen]    // for Sum, where Widen.Map returns x.Float32()
//	type HalfDot = kernels.Reduce[[2]half.Float16, float32, Products] // for Dot and Norm; an element is a pair of numbers
//
// ByKey does not accept values of 8 or 16 bits, or of package half, so convert these values before
// the call.
//
// # Order
//
// Sum and Dot add floats in the following order, on every device. The elements are divided into
// blocks of 4096. A block has 256 leaves. Leaf j consists of the block's elements j, j+256, j+512
// and so on, which are 16 elements in a complete block. The sum of a leaf begins with 0, and the
// leaf's elements are added one after the other. The sums of leaves are added in adjacent pairs
// (leaf 0 and leaf 1, leaf 2 and leaf 3, and so on). The sums of pairs are again added in adjacent
// pairs, until one sum remains. Leaves without elements have the sum 0. If there are several
// blocks, the sums of the blocks are added in the same order as elements. The products of Dot are
// rounded before they are added. Norm is the correctly rounded square root of Dot(x, x).
//
// The function By keeps the order of elements, for operations that do not commute. Leaf j of a
// block consists of the 16 elements 16j to 16j+15, which are combined from left to right. The
// values of the leaves are then combined in adjacent pairs. Leaves without elements are skipped.
//
// ByKey adds up the elements of each run of equal keys, in the order of scan.By. Tiles have 2048
// elements, and leaf j of a tile consists of the elements 8j to 8j+7. ByKey combines pairs, each of
// which consists of a value and a flag that says whether a run begins. If a run begins in y, the
// combination of the pairs x and y is y. If no run begins in y, the combined pair consists of the
// sum of both values and the flag of x. A run of at most 8 elements within a leaf is thus added up
// from left to right.
//
// Without elements, Sum, Dot, Norm and Count return 0, Any returns false, All returns true, By
// returns the identity, and ByKey returns no runs. Min, Max, MinMax, ArgMin and ArgMax of an empty
// slice are errors of class ErrInvalid. For an empty view, MinOn, MaxOn and so on do not change
// their outputs.
//
// # Cost
//
// Each function reads each element once. Sum, Dot, Norm and By also write and read one value for
// every 4096 elements. Min, Max, MinMax, ArgMin, ArgMax and the counts divide the elements into at
// most 1024 parts, and write and read at most 16 bytes for each part. The values for blocks and
// parts are in scratch memory (see ScratchBytes). Sum, Dot and By launch one kernel for up to 4096
// elements, two for up to 4096², and so on. Norm launches one kernel more than Dot, ByKey launches
// three kernels, and all other functions launch two kernels. ByKey reads keys and elements twice,
// and writes a key and a sum for each run. ByKey needs 9 bytes of scratch memory for each element
// (see ByKeyScratchBytes).
package reduce
