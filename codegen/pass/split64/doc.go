// Package split64 rewrites a finished module for devices that have only 32-bit integers.
//
//	x + y, int64     ──▶   lo = x.lo + y.lo
//	                       hi = x.hi + y.hi + (lo < x.lo)
//	s[i], []uint8    ──▶   a shift of the 32-bit word that contains the byte.
//
// Every 64-bit integer becomes a pair of 32-bit words, and all results remain the same as in Go.
// For a variant without 64-bit integers, Lower runs on a clone of the module after all passes.
// After Lower, only drivers optimize the code.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package split64 imports rewrite, facts, simplify, numbers and quirks.
package split64
