// Package move has functions that move elements, and make sequences.
//
//	ys, err := move.Gather(ctx, dev, xs, at)   // of slices
//	ev, err := move.GatherOn(q, v, at, out)    // of views
//
// Package prim has the rules of all such functions.
//
// # Elements
//
// Iota makes all integers and floats of Go, and types made of these, but not those of package half
// (ErrInvalid). That of float64 needs a device with properties.FP64 (ErrKernelNotSupported elsewhere). All other
// functions move elements of any type that buffers have, structs among them, and keep all their bits.
// Indices are int64.
//
// Only Iota of package half's types has no module. A scan of integers makes them, whose operation converts an
// element in Map, and returns the second one in Combine; it is a kernel of the caller's, by an alias:
//
//	type HalfSteps = kernels.By[int32, half.Float16, Steps] // of prim/scan/kernels
//
// Reverse may work in place: its output may be its input. No other function may.
//
// # Cost
//
// Each function reads and writes each element once; Gather and Scatter also read each index. Elements
// move in words of 4 bytes, or of 2 or 1 where their size is no multiple of these. Scatter takes 4 bytes of
// scratch memory for each element of its output, which it clears, and writes and reads once for each index, unless it has
// prim.Unordered. Other functions take none.
package move
