// Package hist has functions that count elements in bins.
//
//	counts, err := hist.Even(ctx, dev, xs, 0, 1, 100)   // of a slice: 100 bins between 0 and 1
//	ev, err := hist.EvenOn(q, v, 0, 1, counts)          // of a view: as many bins as counts has elements
//	ev, err := hist.ByKeyOn(q, v, counts, prim.Length(n)) // of as many elements as n has on the device
//
// Package prim has the rules of all such functions.
//
// A function whose name ends in On sets all elements of counts: one that no element is counted in
// becomes 0. There are between 1 and 1<<30 bins (ErrInvalid otherwise). An element outside all bins is counted
// nowhere, and so is a NaN. A count has 64 bits, and does not wrap. No function works in place.
//
// # Elements
//
// Even and Edges take elements of all integer and float types of Go, those of package half, and types
// made of these. One made of a type of package half is its bits, an unsigned integer. ByKey takes
// integers. Even of float64 needs a device with properties.FP64 (ErrKernelNotSupported elsewhere);
// Edges compares bits, and runs on every device. There are modules for all types.
//
// # The bins of Even
//
// Of integers, the bin of x is (x-lo)*bins/(hi-lo), rounded down: exactly, without overflow, for all lo
// and hi.
//
// Of floats, bin i has the elements x with edge(i) <= x < edge(i+1), where edge(i) is lo + i*width, and
// width is (hi-lo)/bins. The last edge is hi. Each operation is rounded to the elements' type, or to
// float32 for those of package half, and so is the number i. So the bins are the same on every device;
// but float32 subnormals are kept or flushed as the device does. Where bins are narrower than the distance of two
// floats, edges are equal, and the bins between them have no elements.
//
// hi is outside the bins, so no call of Even has a bin for the greatest value of an integer type: ByKey
// counts all bytes.
//
// # Cost
//
// Each function is one launch, after one that clears counts. It reads each element once, and takes no
// scratch memory. Up to 4096 bins of Even and ByKey, and 2048 of Edges, are counted in the memory
// of work-groups, in several counters each while there is room. Elements of more bins are
// counted in counts itself, by atomic operations. Edges searches up to 1024 edges in the memory of
// work-groups, and more in edges itself, in a step for each factor of 2.
package hist
