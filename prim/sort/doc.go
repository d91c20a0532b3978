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
// Elements have one of Go's integer and float types, a type of package half, or a type defined from
// one of these. The functions use the order of cmp.Compare. NaNs are before all other numbers, all
// NaNs are equal, and the two zeros are equal. Equal elements keep their order. The elements' bits
// do not change. Descending reverses the order, but equal elements still keep their order. The
// option Descending works with all functions of the package except TopK.
//
// KeysOn can work in place, so v and out may be the same memory. No other function can work in
// place. An output that overlaps an input is an error (ErrInvalid).
//
// # Cost
//
// Keys and Pairs first read the elements once. Then Keys and Pairs read and write the elements once
// for each eight bits of an element. Elements of 8 and 16 bits are first converted to 32 bits. The
// scratch memory of Keys is 5/4 as large as the elements if elements have 32 bits, and 9/8 as large
// if they have 64 bits. Pairs needs additional scratch memory: 4 bytes for each value of 4 bytes,
// or 12 bytes for each value of another size. IsSorted and Merge read each element once or twice.
// For each needle, Search reads log2(n) elements. ScratchBytes returns the size of the scratch
// memory.
package sort
