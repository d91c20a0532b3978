// Package link makes one kernel of several, its parts, that are launched one after another for
// the same work-items:
//
//	part 0: out[i] = a*in[i] + b        one kernel:  t := a*in[i] + b
//	part 1: res[i] = out[i] * out[i]                 out[i] = t
//	                                                 res[i] = t * t
//
// Link puts the parts' code one behind the other. A part returns to the seam, where the next part
// begins:
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
// Arguments for the same memory are one argument, lengths that are equal are one length, and
// specialization constants are their values. So the passes behind pass.LinkPoint see which
// checks are made twice, and that a part loads what the one before has stored.
//
// With barriers (Options.Barriers) all ways lead to the seam, where the work-group meets before the
// next part: those of faults, and of work-items that the part's range does not have.
//
// Parts that have barriers or group operations themselves are linked later, behind
// pass.LateLinkPoint (Options.Late). There, a work-item that returns early is a dead lane, which
// comes to all of its part's barriers before it returns. So all of a group's work-items come to
// the seam, where the dead ones live again, and no barrier is missed in the next part.
//
// Work-group memory of the parts stays apart; it is zero when the launch begins. Their constant data
// stands one behind the other; that of two parts with the same is there once.
//
// Whether parts may be linked at all is the caller's to prove: what one of them writes, and
// another uses, must be of the same work-item in both, or of the same work-group with a barrier
// between the parts (see facts.Footprints). Modules are as
// pass.LinkPoint leaves them, and so is the linked one: products and sums are settled in each
// part, and are not fused across a seam.
//
// This room may import rewrite, facts, uniform, simplify and memory.
package link
