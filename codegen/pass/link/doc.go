// Package link combines several kernels, called parts, into one kernel. Without linking, the parts
// would be launched one after another for the same work-items. For example, one part computes
// out[i] = a*in[i] + b, and the next part computes res[i] = out[i] * out[i]. The linked kernel
// computes both elements, and does not load out[i].
//
// Link places the code of the parts one after the other. A return of a part becomes a jump to the
// seam, which is the block where the next part begins. A fault of a part ends the work-item.
//
// Arguments for the same memory become one argument, equal lengths become one length, and
// specialization constants are replaced by their values. So the passes after pass.LinkPoint can
// remove duplicate checks. The passes after pass.LinkPoint also remove loads of values that the
// previous part has stored.
//
// If barriers separate the parts (Options.Barriers), all paths lead to the seam, where the
// work-group executes a barrier before the next part. If barriers separate the parts, work-items
// that fault or are outside of a part's range also reach the seam.
//
// Parts that contain barriers or group operations are linked later, after pass.LateLinkPoint
// (Options.Late). At pass.LateLinkPoint, a work-item that returns early is a dead lane, which
// reaches all barriers of its part before it returns. So all work-items of a group reach the seam,
// where dead lanes become live again, and no work-item misses a barrier in the next part.
//
// Each part has its own variables in work-group memory, which are zero when the launch begins. The
// linked module contains the constant data of all parts, and equal data only once.
//
// The caller must prove that the parts may be linked. A memory location that one part writes and
// another part uses must belong to the same work-item in both parts. If a barrier separates the
// parts, the location only needs to belong to the same work-group (see facts.Footprints). The
// passes up to pass.LinkPoint have run on the modules of the parts, and need not run on the linked
// module. So the pass fuse combines products and sums within each part, but never a product of one
// part with a sum of the next.
//
// Package link may import rewrite, facts, uniform, simplify and memory.
package link
