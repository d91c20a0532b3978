// Package lanes writes what work-items do together, and what becomes of those that leave.
//
//	work-items   0 1 2 3
//	             │ │ │ │     if id == 2 { return }
//	             │ │ ┆ │       2 is a dead lane: it runs the skeleton, which is the
//	             │ │ ┆ │       barriers and the branches around them, without effects
//	             └─┴─┴─┘     Barrier()
//	             │ │ ┆ │     sum := Reduce(x)      Groups: shuffles, and local memory between
//	             │ │ ┆ │     AtomicAdd(&f, y)      Atomics: loops of compare-and-swap
//	             │ │ ┆ │     bins[b].Add(1)        Relax: orders nothing, where nobody can tell
//	             │ │ ↯ │     s[i]                  Expand: a fault calls the helper that records it
//
// In order: Exits has work-items return from the kernel that have returned from a part of it,
// DeadLanes makes dead lanes, Groups and Atomics replace what SPIR-V lacks, and ZeroLocal has the
// group zero its memory, where it does not write it first. DropBarriers removes barriers of sub-groups that order nothing, Relax finds
// additions that only count, and Lighten kernels whose barriers need not order device memory.
// After them control flow is structurized. Partial keeps invocations out that are no work-items.
// Expand comes last of all passes: it replaces faults, and reads the arguments of a launch block
// that is too large.
//
// Package pass has a picture of the rooms and of their imports. This room may import the first four. Which blocks and values work-items share it does not
// find out for itself: uniform does.
package lanes
