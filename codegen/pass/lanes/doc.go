// Package lanes implements operations of several work-items together, and handles work-items that
// leave their group.
//
//	work-items   0 1 2 3
//	             │ │ │ │     if id == 2 { return }
//	             │ │ ┆ │       2 is a dead lane: it runs the skeleton, which is the
//	             │ │ ┆ │       barriers and the branches around them, without effects
//	             └─┴─┴─┘     Barrier()
//	             │ │ ┆ │     sum := Reduce(x)      Groups: shuffles, with work-group memory in between
//	             │ │ ┆ │     AtomicAdd(&f, y)      Atomics: loops of compare-and-swap
//	             │ │ ┆ │     bins[b].Add(1)        Relax: no ordering, if no work-item can notice
//	             │ │ ↯ │     s[i]                  Expand: a fault calls the helper that records it
//
// In order: Exits makes work-items that return from a part of the kernel return from the whole
// kernel. Matrices and Tiles implement operations on matrices. DeadLanes creates dead lanes. Groups
// and Atomics replace ops that SPIR-V lacks. ZeroLocal makes the group zero its memory unless it
// writes the memory first. DropBarriers removes barriers of sub-groups that order nothing. Relax
// finds atomic additions that only count, and Lighten finds kernels whose barriers need not order
// device memory. Partial makes invocations without a work-item return. Then control flow is
// structurized. Expand is the last of all passes: it replaces faults by calls, and loads the
// arguments from memory if the launch block is too large.
//
// Package pass has a picture of the rooms and of their imports. This room may import the first
// four. Package uniform tells it which blocks and values are the same for all work-items.
package lanes
