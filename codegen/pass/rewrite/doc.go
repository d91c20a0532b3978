// Package rewrite changes a function's code without looking at the values that the code computes:
// it copies blocks, moves edges, and restores SSA form after a pass has changed the control flow.
//
//	goal of a pass           functions of this package
//
//	copy a loop              Cloner: blocks, values, phis
//	move edges freely        DemotePhis ──▶ phis become variables
//	                           … edges move …
//	                         Undefs.Promote ──▶ variables become phis again
//	use a value elsewhere    RepairSSA: new phis where the definition no longer dominates
//	replace values           ReplaceUses, with a Promoter's map of replacements
//	add code around a value  Maker, and Edits for a whole function
//	take a check out         CheckOf, DropEdge
//	split edges and blocks   SingleLatches, SplitTwins, SplitAfter, CutOut
//
// Mem2Reg, the pass that turns variables into values, is here because the passes that demote phis
// need it to restore the phis.
//
// Package pass has a picture of the rooms and of their imports. This room is the first: it imports
// abi and ir, and no other room. A helper belongs here if several passes need it and it works for
// any code. A helper that depends on facts about values (their ranges, their bits) belongs to
// package facts.
package rewrite
