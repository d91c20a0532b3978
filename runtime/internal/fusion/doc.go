// Package fusion decides which launches of a graph may become one, and makes the kernel for it
// from their IR.
//
//	launches in the graph's order       Group.Refuses: may this one join, and if not, why?
//	      │
//	a Group of launches                 Group.Link: one kernel of all, for any range
//	      │
//	Fused: abi.Kernel, Origins          where each of its arguments comes from
//
// Two launches may be one if no work-item of the one uses memory that another work-item of the
// other writes: fused, a work-item runs through all parts before the next one may have begun
// the first. With a barrier between the parts, what work-items of its own work-group write does
// not matter. kgen proves it of the kernels, for whatever arguments (abi.Footprint); this package
// looks which arguments are the same memory. All devices decide alike: those that run the
// kernels' own Go as well, though they launch them one by one.
package fusion
