// Package sort sorts, and has functions that take sorted elements.
//
//	ys, err := sort.Keys(ctx, dev, xs, sort.Descending())  // of a slice
//	ev, err := sort.KeysOn(q, v, out)                      // of a view, into a view
//	ev, err := sort.PairsOn(q, keys, values, keys2, values2)
//
// Package prim has the rules of all such functions.
//
// # Order
//
// Elements are all integers and floats of Go, those of package half, and types made of these: there are modules
// for all. They are compared as by cmp.Compare: a NaN is before all others, all NaNs are equal, and so are the
// two zeros. Equal elements keep their order, and all elements keep their bits. Descending turns the order
// round; equal elements keep their order. The option works with all functions of the package but TopK.
//
// KeysOn works in place: v and out may be the same memory. No other function does: an output that overlaps
// an input is ErrInvalid.
//
// # Cost
//
// Keys and Pairs read and write the elements once for each eight bits that they have, and read them once
// before. Elements of 8 and 16 bits are widened to 32. Keys needs as much scratch memory as the elements have, and
// a quarter of that for elements of 32 bits, an eighth for those of 64. Pairs needs 4 bytes more
// for each value of 4 bytes, and 12 for each other one. IsSorted and Merge read each element once or twice;
// Search reads log2(n) elements for each needle. See ScratchBytes.
package sort
