// Package move contains functions that move elements, and functions that make sequences.
//
//	ys, err := move.Gather(ctx, dev, xs, at)   // of slices
//	ev, err := move.GatherOn(q, v, at, out)    // of views
//
// The documentation of package prim has the rules of all these functions.
//
// # Elements
//
// Iota makes elements of all integer and float types of Go, and of types whose underlying type is
// one of these. For types of package half, Iota returns ErrInvalid. Iota of float64 needs a device
// with properties.FP64 (ErrKernelNotSupported otherwise). All other functions move elements of any
// type that buffers can have, such as structs, and keep all their bits. Indices are int64.
//
// Iota has no module for package half's types. To make a sequence of Float16s, for example, use a
// scan of integers. In the scan's operation, the method Map converts an element, and the method
// Combine returns its second argument. The caller declares the kernel of this scan by an alias:
//
//	type HalfSteps = kernels.By[int32, half.Float16, Steps] // of prim/scan/kernels
//
// Reverse can work in place, so its output may be its input. No other function can work in place.
//
// # Cost
//
// Each function reads and writes each element once. Gather and Scatter also read each index.
// Elements are moved in words of 4 bytes. If the elements' size is not a multiple of 4, words of 2
// bytes or 1 byte are used. Without prim.Unordered, Scatter needs 4 bytes of scratch memory for
// each element of its output. Scatter clears this memory. For each index, Scatter then writes and
// reads it once. Other functions need no scratch memory.
package move
