// Package sort contains functions that sort elements, and functions on sorted elements.
//
//	ys, err := sort.Keys(ctx, dev, xs, sort.Descending())  // of a slice
//	ev, err := sort.KeysOn(q, v, out)                      // of a view, into a view
//	ev, err := sort.PairsOn(q, keys, values, keys2, values2)
//
// The documentation of package prim has the rules of all these functions.
//
// # Order
//
// Elements are integers and floats of Go, numbers of package half, and values of types made from
// these. All these types have modules. The order is that of cmp.Compare. A NaN is before all other
// numbers, all NaNs are equal, and so are the two zeros. Equal elements keep their order, and all
// elements keep their bits. Descending reverses the order, but equal elements still keep their
// order. The option Descending works with all functions of the package except TopK.
//
// KeysOn can work in place, so v and out may be the same memory. No other function can work in
// place. An output that overlaps an input is an error (ErrInvalid).
//
// # Cost
//
// Keys and Pairs first read the elements once. Then they read and write the elements once for each
// eight bits of an element. Elements of 8 and 16 bits are widened to 32. Keys needs scratch memory
// of 5/4 of the elements' size for elements of 32 bits, or of 9/8 for elements of 64 bits. Pairs
// needs 4 more bytes for each value of 4 bytes, and 12 more bytes for each value of another size.
// IsSorted and Merge read each element once or twice. Search reads log2(n) elements for each needle.
// ScratchBytes returns the size of the scratch memory.
package sort
