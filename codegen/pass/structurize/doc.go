// Package structurize gives control flow the structure that SPIR-V requires: selections and loops,
// properly nested, each with a merge block where it ends.
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
// Run is the pass. CheckReducible checks the kernel's precondition: each loop has one entry. Phis
// temporarily become variables. exit.go turns returns in loops into breaks, which drivers compile
// better. tidy.go removes empty arms at the end.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite and
// facts. All passes that add loops or branches run before it. Later passes add only straight-line
// code, or branches and helpers that already have their structure.
package structurize
