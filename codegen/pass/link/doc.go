// Package link makes one kernel of several kernels, its parts. Without linking, the parts would be
// launched one after another for the same work-items:
//
//	part 0: out[i] = a*in[i] + b        one kernel:  t := a*in[i] + b
//	part 1: res[i] = out[i] * out[i]                 out[i] = t
//	                                                 res[i] = t * t
//
// Link places the parts' code one after the other. A return of a part becomes a jump to the seam,
// where the next part begins:
//
//	entry: is this a work-item of the launch? ──no──▶ return
//	  │
//	part 0 ──fault──▶ return: the work-item has ended, as a panic would end it
//	  │ return
//	seam
//	  │
//	part 1 ──fault──▶ return
//	  │ return
//	return
//
// Arguments for the same memory become one argument, lengths that are equal become one length, and
// specialization constants become their values. So the passes after pass.LinkPoint can remove
// duplicate checks, and loads of values that the part before has stored.
//
// With barriers (Options.Barriers) all paths lead to the seam, where the work-group meets before
// the next part. This includes faults, and work-items outside of a part's range.
//
// Parts that have barriers or group operations themselves are linked later, after
// pass.LateLinkPoint (Options.Late). There, a work-item that returns early is a dead lane, which
// reaches all of its part's barriers before it returns. So all work-items of a group reach the
// seam, where dead lanes become live again, and none misses a barrier in the next part.
//
// Work-group memory of the parts stays separate; it is zero when the launch begins. The parts'
// constant data is concatenated; equal data of two parts is stored once.
//
// The caller must prove that the parts may be linked. Memory that one of them writes, and another
// uses, must belong to the same work-item in both. If a barrier is between the parts, the same
// work-group is enough (see facts.Footprints). The modules are in the state of pass.LinkPoint, and
// so is the linked one: products and sums have been fused in each part, and are not fused across a
// seam.
//
// This room may import rewrite, facts, uniform, simplify and memory.
package link
