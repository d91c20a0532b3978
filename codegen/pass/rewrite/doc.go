// Package rewrite changes a function's code without regard to the values that the code computes.
// Package rewrite copies blocks, moves edges, and restores SSA form after a pass has changed the
// control flow.
//
//	goal of a pass           functions of this package
//
//	copy a loop              Cloner, for blocks, values and phis
//	move edges freely        DemotePhis ──▶ phis become variables
//	                           … edges move …
//	                         Undefs.Promote ──▶ variables become phis again
//	use a value elsewhere    RepairSSA, with new phis where the definition no longer dominates
//	replace values           ReplaceUses, with a Promoter's map of replacements
//	add code around a value  Maker, and Edits for a whole function
//	take a check out         CheckOf, DropEdge
//	split edges and blocks   SingleLatches, SplitTwins, SplitAfter, CutOut.
//
// Mem2Reg, the pass that turns variables into values, is here because the passes that demote phis
// need it to restore the phis.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package rewrite imports no other package below codegen/pass. A helper function belongs to
// package rewrite if several passes need it and it works for any code. A helper function that
// depends on facts about values (such as their ranges or known bits) belongs to package facts.
package rewrite
