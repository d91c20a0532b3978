// Package split64 rewrites a finished module for devices that have only 32-bit integers.
//
//	x + y, int64     ──▶   lo = x.lo + y.lo
//	                       hi = x.hi + y.hi + (lo < x.lo)
//	s[i], []uint8    ──▶   the word around the byte, shifted; stores by compare-and-swap
//
// Every 64-bit integer becomes a pair of words, and results stay the same as Go's. When a variant
// needs it, Lower runs on a clone of the module after all passes. Only drivers optimize the code
// after that.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite,
// facts, simplify, numbers and quirks.
package split64
