// Package split64 writes a finished module for devices that have integers of 32 bits alone.
//
//	x + y, int64     ──▶   lo = x.lo + y.lo
//	                       hi = x.hi + y.hi + (lo < x.lo)
//	s[i], []uint8    ──▶   the word around the byte, shifted; stores by compare-and-swap
//
// Every value of 64 bits becomes a pair of words, and Go's results stay the same. Lower runs
// on a clone of the module that all passes have been through, when a variant needs it: nothing
// is optimized behind it but what drivers do.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite, facts, simplify, numbers and quirks.
package split64
