// Package lanes implements operations that several work-items execute together, and handles
// work-items that leave their group early.
//
// For example, the statement "if id == 2 { return }" before a barrier lets work-item 2 return
// early. The work-item then becomes a dead lane, which still executes the skeleton. The skeleton
// consists of the code's barriers and the branches around them. The skeleton contains no stores to
// device memory and no other effects.
//
// The passes of package lanes run in the order in which this comment lists them. If a work-item
// returns early from a called kernel and reaches no later barrier, Exits lets the work-item return
// from the whole kernel. Matrices replaces operations on matrices by loops over their elements.
// DeadLanes lets work-items that return early or fault take part in later barriers as dead lanes.
// Tiles implements operations on matrices for matrix hardware. Groups and Atomics replace ops that
// SPIR-V lacks. ZeroLocal adds code that zeroes work-group memory, unless the group writes the
// memory first. DropBarriers removes superfluous barriers of sub-groups. Relax finds atomic
// additions whose results are unused. Lighten finds kernels whose barriers do not need to order
// device memory. Partial lets an invocation return at once if it has no work-item. After Partial,
// the pass structurize creates SPIR-V's structured control flow. Expand is the last of all passes.
// Expand replaces faults by calls, and loads the kernel's arguments from memory if they do not fit
// in push constants.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package lanes may import rewrite, facts, uniform and simplify. Package uniform finds the
// values that are the same for all work-items, and the blocks that all work-items reach together.
package lanes
