// Package fusion decides which launches of a graph can be fused into one. The package makes the
// kernel of the fused launch from the IR of the kernels of its parts.
//
//	launches in the graph's order       Group.Refuses: may this one join, and if not, why?
//	      │
//	a Group of launches                 Group.Link: one kernel of all, for any range
//	      │
//	Fused: abi.Kernel, Origins          the source of each of its arguments
//
// Two launches can be fused if no work-item of one uses memory that another work-item of the other
// writes. Otherwise a work-item of a fused kernel could run all parts before another work-item
// begins the first part. With a barrier between the parts, writes by work-items of the same
// work-group do no harm. kgen proves such facts about each kernel, for all arguments
// (abi.Footprint). This package checks which arguments are the same memory. All devices make the
// same decision, including devices that run the kernels' own Go and launch kernels one by one.
package fusion
