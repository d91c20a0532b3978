// Package link combines several kernels, called parts, into one kernel. Without package link, a
// program would launch the parts one after another for the same work-items. For example, one part
// computes out[i] = a*in[i] + b, and the next part computes res[i] = out[i] * out[i]. The linked
// kernel computes out[i] and res[i] without a load of out[i].
//
// Link places the code of the parts one after the other. A return of a part becomes a jump to the
// seam, which is the block where the next part begins. A fault of a part ends the work-item.
//
// Arguments for the same memory become one argument, equal lengths become one length, and
// specialization constants are replaced by their values. Common arguments and lengths let the
// passes after pass.LinkPoint remove duplicate checks. The passes after pass.LinkPoint also remove
// loads of values that the previous part has stored.
//
// If barriers separate the parts (Options.Barriers), all paths lead to the seam, where the
// work-group executes a barrier before the next part. If barriers separate the parts, work-items
// that fault or are outside of a part's range also reach the seam.
//
// Parts that contain barriers or group operations are linked later, after pass.LateLinkPoint
// (Options.Late). At pass.LateLinkPoint, a work-item that returns early is a dead lane, which
// reaches all barriers of its part before it returns. At the start of the next part, which all
// work-items of a group reach, dead lanes become live again. No work-item misses a barrier of the
// next part.
//
// Each part has its own variables in work-group memory, which are zero when the launch begins. The
// linked module contains the constant data of all parts, but stores equal data only once.
//
// The caller must prove that the parts may be linked. A memory location that one part writes and
// another part uses must belong to the same work-item in both parts. If a barrier separates the
// parts, a location that both parts use only needs to belong to the same work-group (see
// facts.Footprints). The passes up to pass.LinkPoint have run on the modules of the parts, and need
// not run on the linked module. The pass fuse therefore never combines a product of one part with a
// sum of the next part.
//
// Package link may import rewrite, facts, uniform, simplify and memory.
package link
