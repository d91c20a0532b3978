// Package adapt rewrites modules for what a device does otherwise than SPIR-V lets kgen assume:
// subnormals that it flushes, zeros and NaNs that it would lose, float16s that it rounds
// otherwise than package half, atomics that it takes for
// barriers, loops that it ends. Each function takes the words of a module and returns the same
// words where nothing is to be done; it never changes the words that it is given.
//
// The package calls no driver and needs no cgo.
package adapt
