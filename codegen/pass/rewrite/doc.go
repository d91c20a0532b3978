// Package rewrite changes a function's code without asking what the code computes: it copies
// blocks, moves edges, and keeps the code in SSA form while a pass tears at it.
//
//	a pass wants to          what it calls here
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
// Mem2Reg, the pass that turns variables into values, is here for the same reason: passes that
// demoted phis need it to come back.
//
// Package pass has a picture of the rooms and of their imports. This room is the first: it imports
// abi and ir, and no room. A helper belongs here if several passes need it and
// it holds for any code; what is true of values (their ranges, their bits) belongs to facts.
package rewrite
