// Package link combines several kernels, called parts, into one kernel. Without linking, the parts
// would be launched one after another for the same work-items:
//
//	part 0   out[i] = a*in[i] + b        one kernel   t := a*in[i] + b
//	part 1   res[i] = out[i] * out[i]                 out[i] = t
//	                                                  res[i] = t * t
//
// Link places the code of the parts one after the other. A return of a part becomes a jump to the
// seam, which is the block where the next part begins:
//
//	entry ──not a work-item of the launch──▶ return
//	  │
//	part 0 ──fault──▶ return, since a fault ends the work-item
//	  │ return
//	seam
//	  │
//	part 1 ──fault──▶ return
//	  │ return
//	return
//
// Arguments for the same memory become one argument, equal lengths become one length, and
// specialization constants are replaced by their values. So the passes after pass.LinkPoint can
// remove duplicate checks, and loads of values that the previous part has stored.
//
// If barriers separate the parts (Options.Barriers), all paths lead to the seam, where the
// work-group executes a barrier before the next part. Work-items that fault or are outside of a
// part's range also reach the seam.
//
// Parts that contain barriers or group operations are linked later, after pass.LateLinkPoint
// (Options.Late). At that point, a work-item that returns early is a dead lane, which reaches all
// barriers of its part before it returns. So all work-items of a group reach the seam, where dead
// lanes become live again. No work-item misses a barrier in the next part.
//
// Each part has its own variables in work-group memory, which are zero when the launch begins. The
// dataOffsets of the parts is concatenated. If two parts have equal data, it is stored once.
//
// The caller must prove that the parts may be linked. A memory location that one part writes and
// another uses must belong to the same work-item in both. If a barrier separates the parts, it is
// enough that the location belongs to the same work-group (see facts.Footprints). The passes up to
// pass.LinkPoint have run on the modules of the parts, and need not run on the linked module. So
// products and sums have been fused in each part, and are never fused across a seam.
//
// Package link may import rewrite, facts, uniform, simplify and memory.
package link
