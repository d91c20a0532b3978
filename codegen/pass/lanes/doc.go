// Package lanes implements operations that several work-items execute together, and handles
// work-items that leave their group early.
//
//	work-items   0 1 2 3
//	             │ │ │ │     if id == 2 { return }
//	             │ │ ┆ │       2 is a dead lane and runs the skeleton, which is the
//	             │ │ ┆ │       barriers and the branches around them, without effects
//	             └─┴─┴─┘     Barrier()
//	             │ │ ┆ │     sum := Reduce(x)      Groups    shuffles, with work-group memory in between
//	             │ │ ┆ │     AtomicAdd(&f, y)      Atomics   loops of compare-and-swap
//	             │ │ ┆ │     bins[b].Add(1)        Relax     no ordering, if no work-item can notice
//	             │ │ ↯ │     s[i]                  Expand    a fault calls the helper that records it.
//
// The passes run in this order. Exits makes work-items that return from a called kernel return from
// the whole kernel. Matrices implements operations on matrices. DeadLanes creates dead lanes. Tiles
// implements operations on matrices for matrix hardware. Groups and Atomics replace ops that SPIR-V
// lacks. ZeroLocal adds code that zeroes work-group memory, unless the group writes the memory
// first. DropBarriers removes barriers of sub-groups that order nothing. Relax finds atomic
// additions that only count, and Lighten finds kernels whose barriers do not need to order device
// memory. Partial makes invocations without a work-item return. Then control flow is structurized.
// Expand is the last of all passes. It replaces faults by calls, and loads the arguments from
// memory if the launch block is too large.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package lanes may import rewrite, facts, uniform and simplify. It uses the analysis of
// package uniform to find the blocks and values that are the same for all work-items.
package lanes
