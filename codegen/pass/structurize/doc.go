// Package structurize gives control flow the structure that SPIR-V demands: selections and
// loops, properly nested, each with the block where it ends.
//
//	blocks and edges            tree of statements            blocks again
//
//	  a ──▶ b ──▶ d             a                             a: selection, ends at m
//	  │     └──┐  ▲    tree.go  if {                 emit.go    b: selection, ends at n
//	  └──▶ c ──┼──┘    ─────▶     b                  ─────▶     …
//	       ▲   │                  if … { set flag c }         m: if flag c or … { c }
//	       └───┘                } else { set flag c }         d
//	                            if flag c { c }
//	                            d
//
// Run is the pass, CheckReducible what the kernel must fulfil: each loop has one entry. Phis
// become variables for the time in between. exit.go turns returns in loops into breaks, which
// drivers compile better, and tidy.go removes empty arms at the end.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite and facts. Whatever makes loops or branches runs before it; the
// passes behind it write straight code, or branches and helpers that already have their structure.
package structurize
