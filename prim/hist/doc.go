// Package hist counts elements in bins.
//
//	counts, err := hist.Even(ctx, dev, xs, 0, 1, 100)   // of a slice: 100 bins between 0 and 1
//	ev, err := hist.EvenOn(q, v, 0, 1, counts)          // of a view: as many bins as counts has elements
//	ev, err := hist.ByKeyOn(q, v, counts, prim.Length(n)) // of as many elements as n has on the device
//
// The documentation of package prim has the rules of all these functions.
//
// A function whose name ends in On sets all elements of counts, and sets the count of an empty bin
// to 0. There are between 1 and 1<<30 bins (ErrInvalid otherwise). NaNs and elements outside all
// bins are not counted. A count has 64 bits, and does not wrap. No function works in place.
//
// # Elements
//
// Even and Edges accept elements of all integer and float types of Go, of the types of package
// half, and of types whose underlying type is one of these. If a type is declared from a type of
// package half, as in type T half.Float16, its elements are compared as unsigned integers. ByKey
// accepts integers. Even with float64 needs a device with properties.FP64 (ErrKernelNotSupported
// otherwise). Edges compares bits, and runs on every device. The package has compiled modules for
// all these types.
//
// # The bins of Even
//
// For integers, the bin of x is (x-lo)*bins/(hi-lo), rounded down. The result is exact, without
// overflow, for all lo and hi.
//
// For floats, bin i has the elements x with edge(i) <= x < edge(i+1), where edge(i) is lo +
// i*width, and width is (hi-lo)/bins. The last edge is hi. The number i and the result of each
// operation are rounded to the elements' type, or to float32 for the types of package half. So the
// bins are the same on every device, unless they depend on float32 subnormals, which some devices
// flush. If bins are narrower than the distance between adjacent floats, some edges are equal. The
// bins between equal edges are empty.
//
// The limit hi is outside the bins. So a call of Even cannot count the greatest value of an integer
// type. To count all values of a byte, use ByKey.
//
// # Cost
//
// Each function is one launch, after a launch that clears counts. A function reads each element
// once, and needs no scratch memory. If there are at most 4096 bins (2048 for Edges), elements are
// counted in work-group memory. If work-group memory is large enough, each bin has several counters
// there. If there are more bins, there are no counters in work-group memory, and atomic operations
// count the elements in the view `counts`. Edges searches the edges in work-group memory if there
// are at most 1024, and else in device memory. The search for an element's bin takes about log2(e)
// steps for e edges.
package hist
