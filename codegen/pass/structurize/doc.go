// Package structurize gives control flow the structure that SPIR-V requires: properly nested
// selections and loops. Each selection or loop ends at a merge block.
//
//	blocks and edges            tree of statements            blocks again
//
//	  a ──▶ b ──▶ d             a                             a (selection, ends at m)
//	  │     └──┐  ▲    tree.go  if {                 emit.go    b (selection, ends at n)
//	  └──▶ c ──┼──┘    ─────▶     b                  ─────▶     …
//	       ▲   │                  if … { set flag c }         m, if flag c or … { c }
//	       └───┘                } else { set flag c }         d
//	                            if flag c { c }
//	                            d
//
// The function Run is the pass. CheckReducible checks that each loop has only one entry, which Run
// requires. Phis temporarily become variables. The code in exit.go turns returns in loops into
// breaks, which drivers compile better. At the end, the code in tidy.go removes empty arms of
// selections.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package structurize imports rewrite and facts. Passes that add unstructured loops or
// branches run before structurize. Later passes add only straight-line code, or branches and helper
// functions that are already structured.
package structurize
